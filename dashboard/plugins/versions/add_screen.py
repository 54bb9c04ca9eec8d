"""Add: a version of the open collection, from files that are dropped in the browser."""

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.commands.output import list_values
from dashboard.errors import ChoiceError, DataError, Findings, Unsure
from dashboard.storage.array_files import READERS, name_sides
from dashboard.storage.collection import Collection
from dashboard.storage.drafts import MAX_NAME
from dashboard.storage.new_versions import Stated, add_run, add_vectors
from dashboard.storage.versions import RUNS
from dashboard.views.address import draw_text, escape_markdown
from dashboard.views.frame import find_pages, open_page
from dashboard.views.people import OWNER, find_reader

KINDS = f"Vectors: {', '.join(READERS)}. Results: {', '.join(RUNS)}, or a matrix with its ids"


def add_dropped(
    collection: Collection,
    name: str,
    items: Sequence[Any],
    queries: Sequence[Any],
    stated: Stated,
    findings: Findings,
) -> None:
    """Add a version of files that were uploaded: vectors or a matrix, with ids, or results.

    Raises:
        DataError: If the version could not be used.
    """
    with tempfile.TemporaryDirectory() as folder:
        given = _write(Path(folder) / "items", items)
        asked = _write(Path(folder) / "queries", queries)
        runs = [
            each
            for each in given
            if each.with_suffix(".rows.txt") in given
            or len(given) == 1
            and each.suffix.lower() in RUNS
        ]
        if runs:
            if asked or stated != Stated():
                found = "results, which take no note and none of the other fields"
                raise DataError(runs[0].name, found, "vectors", do="Empty those, or drop vectors.")
            add_run(collection, name, runs[0], findings)
            return
        named = _pair(given)
        texts, names = _pair(asked) if asked else (None, None)
        sides = name_sides(*named, texts, names, findings)
        add_vectors(collection, name, *sides, stated, findings)


def _write(folder: Path, uploads: Sequence[Any]) -> list[Path]:
    """Write uploaded files under the last part of their names."""
    folder.mkdir()
    paths = []
    for upload in uploads:
        path = folder / re.split(r"[\\/]", upload.name)[-1]
        path.write_bytes(upload.getbuffer())
        paths.append(path)
    return paths


def _pair(paths: Sequence[Path]) -> tuple[Path, Path | None]:
    """Return the file of vectors, and that of ids which was dropped with it."""
    arrays = [path for path in paths if path.suffix.lower() in READERS]
    ids = [path for path in paths if path.suffix.lower() == ".txt"]
    if len(arrays) != 1 or len(ids) > 1 or len(paths) != 1 + len(ids):
        raise DataError(
            "the dropped files",
            ", ".join(path.name for path in paths) or "no file",
            f"one file. {KINDS}",
        )
    return arrays[0], ids[0] if ids else None


study, _ = open_page()
collection = study.collection
find_reader().require(OWNER)
st.header(f"New version of {escape_markdown(collection.title)}", anchor=False)
with st.form("add", border=True):
    name = st.text_input("Name", max_chars=MAX_NAME, placeholder="v4").strip()
    left, right = st.columns(2)
    items = left.file_uploader(
        "Vectors of the items, or results",
        accept_multiple_files=True,
        help=f"{KINDS}. A file of ids, one a line, may be dropped with it.",
    )
    queries = right.file_uploader(
        "Vectors of the text queries",
        accept_multiple_files=True,
        help="Without them, and none among the items, typed and stored texts are not run.",
    )
    note = st.text_input("Note", max_chars=500, placeholder="A sentence on what is new")
    by_position = st.checkbox("Vectors without ids are in the order of the collection's tables")
    ways = {"not said": "", "packed codes": "packed", "vectors of whole numbers": "none"}
    codes = st.selectbox(
        "Arrays of bytes are",
        list(ways),
        help="Packed codes hold eight bits in a byte. Columns of 0 and 1 are codes, unless the "
        "arrays are vectors of whole numbers.",
    )
    is_sent = st.form_submit_button("Add the version", type="primary")
if is_sent:
    sent = (name, *(each.file_id for each in (*items, *queries)))
    added = st.session_state.setdefault("added", {})  # a second click adds nothing
    findings: Findings = added.get(sent, [])
    try:
        if sent not in added or name not in collection.versions:
            stated = Stated(note.strip(), by_position, ways[codes])
            add_dropped(collection, name, items, queries, stated, findings)
            added[sent] = findings
    except Unsure as error:
        said = DataError(error.file, error.found, error.expected, do="Say it in the form above.")
        draw_text("error", said)
    except (ChoiceError, DataError) as error:
        draw_text("error", error)
    else:
        draw_text("success", f"{name} is a version of {collection.title} now.")
        draw_text("caption", *findings)
        address = list_values(collection, name)
        screen, label = "query", "See its results"
        if baseline := address.get("baseline"):
            screen, label = "compare", f"Compare it with {baseline}"
        st.page_link(find_pages()[screen], label=escape_markdown(label), query_params=address)
st.caption("Larger files: `python -m dashboard add`; from a model: `python -m dashboard embed`.")
