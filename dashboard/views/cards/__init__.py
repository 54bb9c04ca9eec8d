"""The result grid: rows of cards with posters, marks and movements, and a player. One component."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.views.cards import assets
from dashboard.views.cards.captions import short
from dashboard.views.cards.payload import Row, movement, needed, opened, payload

__all__ = ["Row", "cards", "movement", "needed", "opened", "payload", "short"]

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
    items: pd.DataFrame,
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
) -> None:
    """Draw rows of cards. contents: the payload as it was `packed`; items: as for `opened`.

    `on_open` is called (as a callback: before the script runs) with the id of the item whose player
    was opened, and with an empty text when it was closed. Give that id back as `selected`; one that
    is not in `items` opens nothing. `on_beside` is called likewise with the item that is to play in
    step with the open one; `on_missed` with the place of the first missed item that is to be
    shown; `on_verdict` with a reviewer's verdict on an item: item, value, note, author, `about`
    (what names the query) and once, the name under which it is sent again where no `answer` names
    it. `address` is the page's whole address where the browser's says less; it takes
    its place, which is no step of the history.
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
    _component(
        key=key,
        data={
            "contents": name,
            **opened(items, selected=selected, beside=beside, answer=answer),
            "about": list(about),
            "address": address,
        },
        on_open_change=callback_of("open", on_open),
        on_beside_change=callback_of("beside", on_beside),
        on_missed_change=callback_of("missed", on_missed),
        on_verdict_change=callback_of("verdict", on_verdict, dict),
    )


def packed(contents: Mapping[str, Any]) -> tuple[str, bytes]:
    """The name of what a grid shows, and the whole as deflated JSON that holds its name, too."""
    plain = json.dumps(contents, allow_nan=False)
    name = hashlib.blake2s(plain.encode(), digest_size=8).hexdigest()
    return name, zlib.compress(json.dumps({**contents, "name": name}).encode())
