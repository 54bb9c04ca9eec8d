"""Cards of a query: rows of results for each version, the ideal order and missed items."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import streamlit as st

from dashboard.tables import Row
from dashboard.views.address import set_choice
from dashboard.views.components import load_component

FOLDER = Path(__file__).parent
FILES = ("elements.js", "playback.js", "../copy/clipboard.js", "cards.js", "cards.css")


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
    component = load_component("cards", *(FOLDER / name for name in FILES))
    data = {**data, "payloads": shown, "items": items}
    component(key=key, data=json.dumps(data).encode(), **acts)


def draw_cards(payload: Row, picks: bool = False) -> None:
    """Draw the results of one search, or items of which one can be picked to search with."""
    key = "items" if picks else "cards"

    def pick() -> None:
        set_choice("item", st.session_state[key]["item"], ("text",))

    _draw(key, {"": payload}, {"query": "", "queries": [], "pick": picks}, on_item_change=pick)


def draw_query(
    queries: Sequence[tuple[str, str]],
    query: str,
    payloads: Mapping[str, Row],
    first: int,
    total: int,
    buttons: Sequence[tuple[str, str, tuple[str, str]]] = (),
) -> None:
    """Draw a query with its results, and keys that step to others.

    Args:
        queries: Id and name of queries in their order, those around the open one.
        query: Id of the open one.
        payloads: What the cards show, of the open query and of those that a key steps to.
        first: Place of the first of `queries` among all, from 0.
        total: Number of all queries.
        buttons: Key, text, and the choice with its value that it sets, of each further button.
    """

    def step() -> None:
        set_choice("query", st.session_state["cards"]["query"])

    def press() -> None:
        pressed = st.session_state["cards"]["button"]
        for key, _, value in buttons:
            if key == pressed:
                set_choice(*value)

    data = {
        "query": query,
        "buttons": [[key, text] for key, text, _ in buttons],
        "queries": [list(each) for each in queries],
        "first": first,
        "total": total,
    }
    _draw("cards", payloads, data, on_query_change=step, on_button_change=press)
