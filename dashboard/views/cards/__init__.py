"""Cards of a query: rows of results for each version, the ideal order and missed items."""

import json
from collections.abc import Callable, Mapping

import streamlit as st

from dashboard.tables import Row
from dashboard.views.address import set_choice
from dashboard.views.components import load_component

FILES = (
    "views/cards/elements.js", "views/cards/playback.js", "views/copy/clipboard.js",
    "views/cards/cards.js", "views/cards/cards.css",
)  # fmt: skip


def _draw(
    key: str,
    payloads: Mapping[str, Row],
    data: Row,
    **acts: Callable[[], None],
) -> None:
    """Draw the component; its data is text of JSON, as Streamlit reads through objects thrice.

    An item that several payloads show is sent once.
    """
    items = {item: media for each in payloads.values() for item, media in each["items"].items()}
    shown = [
        [query, {name: value for name, value in each.items() if name != "items"}]
        for query, each in payloads.items()
    ]
    data = {**data, "payloads": shown, "items": items}
    load_component("cards", *FILES)(key=key, data=json.dumps(data).encode(), **acts)


def draw_cards(payload: Row, picks: bool = False) -> None:
    """Draw the results of one search, or items of which one can be picked to search with."""
    key = "items" if picks else "cards"

    _draw(
        key,
        {"": payload},
        {"query": "", "queries": [], "pick": picks},
        on_item_change=lambda: set_choice("item", st.session_state[key]["item"], ("text",)),
    )


def draw_query(data: Row, payloads: Mapping[str, Row]) -> None:
    """Draw a query with its results, and keys that step to others.

    Args:
        data: query (id of the open one), queries (id and name of those around it, in their order),
            first (place of their first among all, from 0), total (number of all), and buttons: key,
            text, and the choice with its value that it sets, of each further button.
        payloads: What the cards show, of the open query and of those that a key steps to.
    """
    _draw(
        "cards",
        payloads,
        data,
        on_query_change=lambda: set_choice("query", st.session_state["cards"]["query"]),
        on_button_change=lambda: set_choice(*st.session_state["cards"]["button"]),
    )
