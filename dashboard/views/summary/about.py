"""What a collection is, what of its files could not be used, and what exactly is compared."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.experiment.collection import collections
from dashboard.experiment.collection.collections import Collection
from dashboard.experiment.protocols import submissions
from dashboard.tables import counted
from dashboard.views.address.choices import View
from dashboard.views.experiments import submitted_of, versions_of
from dashboard.views.texts import badge, plain, shown

COLOURS = {"error": "red", "warning": "orange", "note": "gray"}


def collection_line(view: View) -> None:
    """What the collection is and how large, with the versions in view."""
    collection = collections.opened(view.collection)
    words, versions = collections.words(collection), versions_of(view)
    about = f" · {plain(collection.about, None)}" if collection.about else ""
    st.markdown(f"**{plain(collection.title)}**{about}")
    number = counted(len(versions), "version") if versions else "no version"
    st.caption(f"{words.gallery} · {words.query_counts} · {number}")


def problems(collection: Collection) -> None:
    """Say, one sentence each, what of the collection cannot be used."""
    found = collection.findings
    for row in found[found["level"] == "error"].to_dict("records"):
        st.warning(plain(sentence(row), None), icon=":material/error:")


def faulty_versions(view: View) -> list[str]:
    """Of each version that is left out because of its files which one and what is wrong with it."""
    collection = collections.opened(view.collection)
    gone = {v: str(why) for v, why in collection.broken.items() if v not in collection.versions}
    return [f"{version} is left out: {why.rstrip('.')}." for version, why in gone.items()]


def say_faulty_versions(view: View) -> None:
    """Say the same where a screen shows or compares the others."""
    for sentence_of_one in faulty_versions(view):
        st.warning(plain(sentence_of_one, None), icon=":material/error:")


def notes(findings: pd.DataFrame, of_what: str = "on the collection's files") -> None:
    """What of some files was refused, left out or repaired, a whole sentence each.

    findings: the table FINDINGS.
    """
    if findings.empty:
        return
    # a list, whose lines wrap: in the cells of a table sentences are cut off, or a word wide
    with st.expander(
        f"{counted(len(findings), 'note')} {of_what}",
        expanded=bool((findings["level"] == "warning").any()),
    ):
        rows = findings.to_dict("records")
        said = [f"- {_level(row['level'])} {plain(sentence(row), None)}" for row in rows]
        st.markdown("\n".join(said))


def sentence(row: Mapping[Hashable, Any]) -> str:
    """A finding as a sentence: where, what was found, and what was wanted.

    >>> row = {"file": "a.csv", "line": 3, "found": "1 repeated row", "wanted": "each row once"}
    >>> sentence(row), sentence({**row, "line": None, "wanted": ""})
    ('a.csv, line 3: found 1 repeated row; wanted each row once.', 'a.csv: 1 repeated row.')
    """
    line = "" if pd.isna(row["line"]) else f", line {row['line']}"
    said = f"found {row['found']}; wanted {row['wanted']}" if row["wanted"] else row["found"]
    return f"{row['file']}{line}: {said.rstrip('.')}."


def _level(level: str) -> str:
    return badge(level, COLOURS.get(level, "gray"))


def identities(view: View) -> None:
    """What exactly is compared: the versions with their notes, and fingerprints of all content."""
    opened = collections.opened(view.collection)
    rows = [
        {"What": what, "Fingerprint": digest[:12], "Made": "", "Note": ""}
        for what, digest in opened.digests.items()
        if what in ("gallery", "gallery order", "queries", "labels", "settings")
    ]
    for role in ("baseline", "candidate"):
        version = getattr(view, role)
        digest, date, note = _identity(view, opened, version)
        rows.append(
            {
                "What": shown(f"{role} {version}"),
                "Fingerprint": digest[:12],
                "Made": shown(date),
                "Note": shown(note),
            }
        )
    with st.expander("Compared data and fingerprints"):
        st.dataframe(pd.DataFrame(rows), hide_index=True)


def _identity(view: View, opened: Collection, version: str) -> tuple[str, str, str]:
    """The fingerprint of a version, when it was made, and a note on it."""
    for given in submitted_of(view):
        if given.name == version:
            found = submissions.score(str(opened.folder), opened.digest, given)
            note = f"submitted features {given.submission.gallery}, {given.submission.queries}"
            return found.fingerprint, "", note
    model = opened.searched.get(version)
    if model is None:
        return opened.digests.get(f"runs/{version}", ""), "", "ranked results without vectors"
    return model.digest, model.date, model.note
