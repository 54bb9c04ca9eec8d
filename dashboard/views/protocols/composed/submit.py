"""The way in for features: two files of the operator's folder, and a name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.experiment.collection import collections
from dashboard.experiment.protocols.submissions import LONGEST_NAME, offered, score
from dashboard.tables import LISTED
from dashboard.views.address import bar
from dashboard.views.address.choices import View
from dashboard.views.address.collection_in_view import CollectionInView, read_submissions
from dashboard.views.experiments import submitted_of
from dashboard.views.labels import distinct_labels
from dashboard.views.texts import plain

REFUSED = "submission-refused"
NOWHERE = (
    "To submit features here, set DASHBOARD_SUBMISSIONS to a folder on the server. The command "
    "line reads features from any folder:"
)


def submit(view: View, first: bool = False) -> None:
    """Draw what was submitted, with what was said about it, and the form for more, open where it
    is for the `first`."""
    for given in submitted_of(view):
        _one(view, given)
    refused = st.session_state.pop(REFUSED, "")
    with st.expander("Submit features", icon=":material/upload:", expanded=first or bool(refused)):
        files = offered()
        if files is None:
            st.caption(NOWHERE)
            st.code(_command(view, "mine=gallery.npy,queries.npy"), language=None, wrap_lines=True)
            return
        whole, lacking = files
        _form(view, whole)
        _not_offered(lacking)
        if refused:
            st.error(plain(refused, None), icon=":material/error:")


def _one(view: View, given: Any) -> None:
    """A submission: what was repaired or left out, and a button to take it away again."""
    opened = collections.opened(view.collection)
    findings = score(str(opened.folder), opened.digest, given).findings
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            f"Remove {plain(given.name)}",
            icon=":material/close:",
            key=f"remove-{given.name}",
            on_click=lambda: bar.go(**without(view, given.name)),
        )
        st.caption(plain(f"{given.name}: {_said(findings) or 'every check passed'}.", None))


def _said(findings: pd.DataFrame) -> str:
    rows = zip(findings["file"], findings["found"], strict=True)
    return "; ".join(f"{file}: {found}" for file, found in rows)


def _form(view: View, files: list[str]) -> None:
    if not files:
        st.info("The submissions folder has no .npy file with its ids in a .txt file beside it.")
        return
    with st.form("submit-features"):
        columns, labels = st.columns(3), distinct_labels(files, str)
        for column, side in zip(columns, ("gallery", "queries"), strict=False):
            with column:
                st.selectbox(
                    f"Features of the {side}",
                    list(labels),
                    index=None,
                    key=f"submission-{side}",
                    format_func=lambda file: labels.get(file, file),
                    placeholder="choose a file",
                )
        with columns[2]:
            st.text_input("Name", key="submission-name", max_chars=LONGEST_NAME)
        st.form_submit_button(
            "Check and score", icon=":material/check:", on_click=_check, args=(view,)
        )
    st.caption(
        "Two .npy files of unit vectors, each with its ids in a .txt file beside it. Only the "
        "annotated items of each query are ranked. The link keeps the names of the files."
    )


def _not_offered(lacking: dict[str, str]) -> None:
    """Why arrays of the folder are not among those to choose from, and what to do about it."""
    for name, missing in list(lacking.items())[:LISTED]:
        sentence = f"Not listed: {name}, because {missing} is missing. Write its ids"
        st.caption(plain(f"{sentence} there, one per line, in the order of its rows.", None))
    if len(lacking) > LISTED:
        st.caption(f"{len(lacking) - LISTED:,} more files are not listed for the same reason.")


def _check(view: View) -> None:
    """Put what the form names among the versions, or keep the sentence for what is wrong."""
    gallery, queries, name = (
        st.session_state.get(f"submission-{part}") or "" for part in ("gallery", "queries", "name")
    )
    if not (gallery and queries and name.strip()):
        st.session_state[REFUSED] = "Choose both files and give them a name."
        return
    opened = collections.opened(view.collection)
    texts = (*(view.submissions or ()), f"{name}={gallery},{queries}")
    try:
        with st.spinner("Checking and scoring the features …"):
            known = read_submissions(texts, opened)
    except ValueError as problem:
        st.session_state[REFUSED] = str(problem)
        return
    changes = roles_after(view, opened.versions, name.strip())
    bar.go(submissions=known, runs=(*view.runs, name.strip()), **changes)


def roles_after(view: View, own: Sequence[str], name: str) -> dict[str, str]:
    """Who is baseline and candidate after a submission to a collection without a version of its
    `own`: the first is both, the second is held against it."""
    if own:
        return {}
    roles = {} if view.baseline else {"baseline": name}
    alone = not view.candidate or view.candidate == view.baseline
    return {**roles, "candidate": name} if alone else roles


def without(view: View, name: str) -> dict[str, Any]:
    """The changes of the address that take a submission away, wherever it stands."""
    opened = collections.opened(view.collection)
    left = tuple(str(s.submission) for s in submitted_of(view) if s.name != name)
    runs = tuple(run for run in view.runs if run != name) or opened.versions
    changes: dict[str, Any] = {"submissions": left or "", "runs": runs}
    others = tuple(s.name for s in submitted_of(view) if s.name != name)
    usual = CollectionInView(opened, view.protocol, others)
    for role in ("baseline", "candidate"):
        if getattr(view, role) == name:
            changes[role] = getattr(usual, f"default_{role}")
    also = [version for version in view.also.split(",") if version and version != name]
    return {**changes, "also": ",".join(also)}


def _command(view: View, text: str) -> str:
    return f"python -m dashboard measure {view.collection} --protocol composed --submission {text}"
