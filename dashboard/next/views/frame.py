"""The frame of every page: the collection, the side bar, and problems as sentences."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.next.errors import ChoiceError, DataError
from dashboard.next.storage.collection import Collection, open_collection
from dashboard.next.storage.settings import read_toml
from dashboard.next.study.choices import Choices, list_choices
from dashboard.next.study.study import Study, open_study
from dashboard.next.views.address import (
    COLLECTION,
    draw_choice,
    read_address,
    read_choices,
    set_choice,
)

SCREENS = Path(__file__).parents[1] / "screens"


def make_pages() -> dict[str, Any]:
    """Return the page of each screen, by its name."""
    return {
        name: st.Page(
            SCREENS / f"{name}.py", title=name.capitalize(), url_path=path, default=not path
        )
        for name, path in (("overview", ""), ("compare", "compare"), ("query", "query"))
    }


def open_page(*shown: str) -> tuple[Study, Choices]:
    """Return the study of the address and its choices.

    Args:
        shown: Keys of choices that the side bar shows, before those that change numbers.

    Raises:
        DataError: If the collection cannot be used.
        ChoiceError: If the address holds an unknown value.
    """
    given = read_address()
    collection = _pick_collection(given.pop(COLLECTION, ""))
    choices = read_choices(collection, given)
    study = open_study(collection, choices.restrict_to_numbers())
    with st.sidebar:
        for key in (*shown, *(each.key for each in list_choices() if each.changes_numbers)):
            draw_choice(collection, choices, key)
    for problem in collection.broken.values():
        st.warning(str(problem))
    return study, choices


def _pick_collection(name: str) -> Collection:
    folder = Path(os.environ.get("DASHBOARD_DATA", "data"))
    names = sorted(path.parent.name for path in folder.glob("*/collection.toml"))
    if not names:
        raise DataError(str(folder), "no collection", "a folder with a collection.toml")
    first = [n for n in names if read_toml(folder / n / "collection.toml", n).get("first")]
    chosen = name or (first or names)[0]
    if chosen not in names:
        raise ChoiceError(f"There is no collection {chosen!r}. There are: {', '.join(names)}.")
    widget = "input-collection"
    st.session_state[widget] = chosen

    def write() -> None:
        st.query_params.from_dict({COLLECTION: st.session_state[widget]})

    st.sidebar.selectbox("Collection", names, key=widget, on_change=write)
    return open_collection(folder / chosen)


def open_query(choices: Choices, query: str) -> None:
    """Go to the screen Query with a query chosen."""
    set_choice("query", query)
    st.switch_page(make_pages()["query"], query_params=st.query_params.to_dict() | {"query": query})
