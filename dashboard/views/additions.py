"""A new version or a new collection of dropped files, where the operator lets the screens write."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.experiment.collection import collections, from_screens
from dashboard.experiment.collection.from_screens import GROUP, LEFT_OUT, ROLES, Dropped, Preview
from dashboard.tables import DataError
from dashboard.views import address, layout
from dashboard.views.texts import plain

NOTHING = "—"
_DONE = "added"


def draw(names: Sequence[str]) -> None:
    """Draw both forms; nothing where the operator does not allow writing."""
    if not from_screens.allowed():
        return
    if done := st.session_state.pop(_DONE, None):
        sentences, page, query = done
        st.success(plain(sentences[0], None), icon=":material/check:")
        for sentence in sentences[1:]:
            st.caption(plain(sentence, None))
        st.page_link(page, label="Show it", query_params=query)
    if names:
        with st.expander("Add a version", icon=":material/upload_file:"):
            _version(names)
    with st.expander("New collection", icon=":material/create_new_folder:"):
        _collection()


def _version(names: Sequence[str]) -> None:
    with st.form("new-version", border=False, clear_on_submit=False):
        left, right = st.columns(2)
        open_now = st.query_params.get("collection", "")
        place = names.index(open_now) if open_now in names else 0
        collection = left.selectbox("Collection", names, place)
        version = right.text_input("Name of the version", max_chars=100)
        files = left.file_uploader(
            "Ranked lists, or vectors of the items",
            accept_multiple_files=True,
            help="A run (TREC, CSV, JSON lines, Parquet), or vectors (.npy, .npz, .parquet, "
            ".safetensors, a FAISS index). Ids may stand in a .txt beside, one a line.",
        )
        queries = right.file_uploader("Vectors of the text queries", accept_multiple_files=True)
        note = st.text_input("Note", max_chars=500)
        if not st.form_submit_button("Add version"):
            return
    try:
        opened = collections.opened(collection)
        sentences = from_screens.add_version(
            opened, version.strip(), _dropped(files), _dropped(queries), note.strip()
        )
    except (DataError, PermissionError) as problem:
        st.error(plain(str(problem), None), icon=":material/error:")
        return
    link, _ = address.defaults_of(collection)
    told = f"{version.strip()} is a version of {collection} now."
    shown = {**link, "candidate": [version.strip()]}
    shown["runs"] = [*dict.fromkeys([*link.get("runs", []), version.strip()])]
    st.session_state[_DONE] = ([told, *sentences], "screens/compare.py", shown)
    st.rerun()


def _collection() -> None:
    files = st.file_uploader(
        "A table of the items, with their pictures and vectors if there are any",
        accept_multiple_files=True,
        key="new-files",
        help="As python -m dashboard init --from reads a folder of these files.",
    )
    if not files:
        return
    dropped = _dropped(files)
    try:
        preview = from_screens.preview(dropped)
        columns = {} if preview is None else _mapped(preview)
    except DataError as problem:
        st.error(plain(str(problem), None), icon=":material/error:")
        return
    name = st.text_input("Name of the collection", max_chars=100, key="new-name").strip()
    with st.container(horizontal=True):
        dry = st.button("Preview")
        make = st.button("Create collection", type="primary", disabled=not name)
    if not (dry or make):
        return
    try:
        made = from_screens.new_collection(name or "new", dropped, columns, dry_run=not make)
    except (DataError, PermissionError) as problem:
        st.error(plain(str(problem), None), icon=":material/error:")
        return
    if make:
        query, _ = address.defaults_of(name)
        told = [f"The collection {name} is there.", *map(in_the_form, made.problems)]
        done = (told, "screens/overview.py", query)
        st.session_state[_DONE] = done
        st.rerun()
    written = made.files.map(
        lambda cell: (
            layout.whole(cell) if cell is None or pd.api.types.is_integer(cell) else str(cell)
        )
    )
    st.dataframe(written.rename(columns={"taken_from": "taken from"}), hide_index=True)
    for sentence in made.problems:
        st.caption(plain(in_the_form(sentence), None))


_OPTION = re.compile(r"(?: with|:) --map (\w+)=(.+?)(\.?)$")


def in_the_form(sentence: str) -> str:
    """A sentence that names the option `--map`, for whoever has the lists above in its place.

    >>> in_the_form("no column names items; name one with --map item_id=COLUMN")
    'no column names items; name one: choose “item_id” below its name above'
    >>> in_the_form("to judge by one, take it for keywords: --map pv_hue=hue")
    'to judge by one, take it for keywords: choose “keywords” below hue above'
    >>> in_the_form("Name their column with --map caption=COLUMN.")
    'Name their column: choose “caption” below its name above.'
    """

    def chosen(found: re.Match[str]) -> str:
        role = GROUP if found[1].startswith("pv_") else found[1]
        return f": choose “{role}” below {found[2].replace('COLUMN', 'its name')} above{found[3]}"

    return _OPTION.sub(chosen, sentence)


def _mapped(preview: Preview) -> dict[str, str]:
    """The first rows of a table, and below each column what it is: name of ours → column."""
    st.caption(plain(f"The first rows of {preview.name}; what is each column?", None))
    st.dataframe(preview.rows, hide_index=True)
    chosen: dict[str, list[str]] = {}
    cells = st.columns(4)
    for place, column in enumerate(map(str, preview.rows.columns)):
        taken = preview.taken_for.get(column, NOTHING)
        options = [NOTHING, *ROLES, GROUP]
        role = cells[place % 4].selectbox(
            plain(column), options, options.index(taken), key=f"column-{column}"
        )
        if role != taken:
            ours = {GROUP: f"pv_{column}", NOTHING: LEFT_OUT}.get(role, role)
            chosen.setdefault(ours, []).append(column)
    left = chosen.pop(LEFT_OUT, [])
    for role, columns in chosen.items():
        if len(columns) > 1:
            raise DataError(preview.name, f"{role} in {' and '.join(columns)}", "one column of it")
    named = {role: columns[0] for role, columns in chosen.items()}
    return named | ({LEFT_OUT: ";".join(left)} if left else {})


def _dropped(files: Any) -> list[Dropped]:
    return [Dropped(file.name, file.getvalue()) for file in files or []]
