"""The result grid: rows of cards with posters, marks and movements, and a player. One component."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard.views.cards import assets
from dashboard.views.cards.captions import short
from dashboard.views.cards.order import Order
from dashboard.views.cards.packing import packed
from dashboard.views.cards.payload import (
    Row,
    captions_of,
    movement,
    needed,
    opened,
    payload,
)

__all__ = [
    "Order",
    "Row",
    "captions_of",
    "cards",
    "movement",
    "needed",
    "opened",
    "packed",
    "payload",
    "short",
]

_component = st.components.v2.component(
    "result_cards",
    html=assets.elements(),
    js=assets.loader(),
)
# A message of its own: one that the browser has already Streamlit sends by its name alone, so
# opening, closing and stepping through the results do not send them again.
_contents = st.components.v2.component(
    "result_contents",
    html=assets.preloads(),
    js=assets.loader(),
)


def cards(
    contents: tuple[str, bytes],
    captions: Mapping[str, str],
    *,
    key: str,
    on_open: Callable[[str], None] | None = None,
    on_beside: Callable[[str], None] | None = None,
    on_missed: Callable[[str], None] | None = None,
    on_verdict: Callable[[Mapping[str, Any]], None] | None = None,
    selected: str | None = None,
    beside: str | None = None,
    answer: Sequence[str] | None = None,
    about: Sequence[str] = (),
    address: str = "",
    order: Order | None = None,
    query: str = "",
    density: str = "comfortable",
) -> None:
    """Draw rows of cards. contents: the payload as it was `packed`; captions: of each item.

    `on_open` is called (as a callback: before the script runs) with the id of the item whose player
    was opened, and with an empty text when it was closed. Give that id back as `selected`; one that
    has no card opens nothing. `on_beside` is called likewise with the item that is to play in step
    with the open one; `on_missed` with the place of the first missed item that is to be
    shown; `on_verdict` with a reviewer's verdict on an item: item, value, note, author, `about`
    (what names the query) and once, the name under which it is sent again where no `answer` names
    it. `address` is the page's whole address where the browser's says less; it takes
    its place, which is no step of the history. `order` lists the queries to step through, of which
    `query` is open. density: compact, where the rest of a card stands beside it while one looks at
    it, or comfortable.
    """

    def callback_of(
        name: str, apply: Callable[[Any], None] | None, read: Callable[[Any], Any] = str
    ) -> Callable[[], None]:
        def callback() -> None:
            value = st.session_state[key].get(name)
            if apply is not None and value is not None:
                apply(read(value))

        return callback

    name, sent = contents
    _contents(key=f"{key}-contents", data=sent)
    listed, listing = order.packed if order else ("", b"")
    if order:
        _contents(key=f"{key}-order", data=listing)
    _component(
        key=key,
        data={
            "contents": name,
            **opened(captions, selected=selected, beside=beside, answer=answer),
            "about": list(about),
            "address": address,
            "order": listed,
            "query": query,
            "density": density,
        },
        on_open_change=callback_of("open", on_open),
        on_beside_change=callback_of("beside", on_beside),
        on_missed_change=callback_of("missed", on_missed),
        on_verdict_change=callback_of("verdict", on_verdict, dict),
    )
