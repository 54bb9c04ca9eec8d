"""The frame of every page: the collection, the side bar, and problems as sentences."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.next.errors import ChoiceError, DataError
from dashboard.next.storage.collection import Collection, open_collection
from dashboard.next.storage.settings import read_toml
from dashboard.next.study.choices import Choices, list_choices, resolve
from dashboard.next.study.study import Study, open_study
from dashboard.next.views.address import (
    COLLECTION,
    draw_choice,
    drop_choice,
    escape_markdown,
    read_address,
    read_choices,
    set_choice,
)

SCREENS = Path(__file__).parents[1] / "screens"
NAMES = ("overview", "compare", "slices", "query", "search", "collections")
IN_ROW = ("baseline", "candidate", "metric")
STYLE = """<style>
[data-testid="stHeader"] { display: none }
[data-testid="stMainBlockContainer"] { padding: 8px 24px 24px; max-width: none }
[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] { gap: 8px }
[data-testid="stAppViewContainer"] { font-variant-numeric: tabular-nums }
@media (max-width: 743px) {
  [data-testid="stMainBlockContainer"] { padding: 8px 12px 12px }
  .st-key-choices { flex-basis: 100% !important; gap: 8px !important }
}
</style>"""
Page = Any


def make_pages() -> dict[str, Page]:
    """Return the page of each screen, by its name; the first is the one at `/`."""
    return {
        name: st.Page(
            SCREENS / f"{name}.py",
            title=name.capitalize(),
            url_path="" if name == NAMES[0] else name,
            default=name == NAMES[0],
        )
        for name in NAMES
    }


def list_collections() -> list[str]:
    """Return the names of the collections below the data folder.

    Raises:
        DataError: If there is none.
    """
    folder = find_data()
    names = sorted(path.parent.name for path in folder.glob("*/collection.toml"))
    if not names:
        raise DataError(str(folder.name), "no collection", "a folder with a collection.toml")
    return names


def find_data() -> Path:
    """Return the folder of the collections."""
    return Path(os.environ.get("DASHBOARD_DATA", "data"))


def open_page(*shown: str) -> tuple[Study, Choices]:
    """Draw the row on top; return the study of the address and its choices.

    Args:
        shown: Keys of choices whose inputs stand in the row; others are under More.

    Raises:
        DataError: If the collection cannot be used.
        ChoiceError: If the address holds an unknown value.
    """
    st.html(STYLE)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for page in make_pages().values():
            st.page_link(page)
        row = st.container(
            key="choices", horizontal=True, horizontal_alignment="right", gap="small"
        )
    given = read_address()
    with row:
        collection = _pick_collection(given.pop(COLLECTION, ""))
    choices = read_choices(collection, given)
    study = open_study(collection, choices.restrict_to_numbers())
    more = [each.key for each in list_choices() if each.changes_numbers]
    with row:
        for key in shown:
            if key in IN_ROW:
                with st.container(width=130):
                    draw_choice(collection, choices, key, label_visibility="collapsed")
        with st.popover("More"):
            for key in (*(each for each in shown if each not in IN_ROW), *more):
                draw_choice(collection, choices, key)
    _draw_chips(collection, choices)
    for problem in collection.broken.values():
        st.warning(escape_markdown(str(problem)))
    return study, choices


def _draw_chips(collection: Collection, choices: Choices) -> None:
    """Draw a chip with ✕ for every choice that changes numbers and is not the usual one."""
    values, usual = choices.write(), resolve(collection, {}).write()
    keys = [each.key for each in list_choices() if each.changes_numbers]
    differing = [key for key in keys if values[key] != usual[key]]
    if differing:
        with st.container(horizontal=True, gap="small"):
            for key in differing:
                name = key.replace("_", " ").capitalize()
                text = escape_markdown(f"{name}: {values[key] or 'none'} ✕")
                st.button(text, key=f"chip-{key}", on_click=drop_choice, args=(key,))


def _pick_collection(name: str) -> Collection:
    names = list_collections()
    first = [n for n in names if read_toml(find_data() / n / "collection.toml", n).get("first")]
    chosen = name or (first or names)[0]
    if chosen not in names:
        raise ChoiceError(f"There is no collection {chosen!r}. There are: {', '.join(names)}.")
    widget = "input-collection"
    st.session_state[widget] = chosen

    def write() -> None:
        st.query_params.from_dict({COLLECTION: st.session_state[widget]})

    with st.container(width=210):
        st.selectbox("Collection", names, key=widget, on_change=write, label_visibility="collapsed")
    return open_collection(find_data() / chosen)


def open_query(choices: Choices, query: str) -> None:
    """Go to the screen Query with a query chosen."""
    set_choice("query", query)
    st.switch_page(make_pages()["query"], query_params=st.query_params.to_dict() | {"query": query})
