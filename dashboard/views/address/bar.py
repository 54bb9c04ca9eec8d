"""The address bar of a session: reads the view from it and writes steps into it. For callbacks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from dashboard.evaluation.reviewing.corrections import LEFT_ALONE
from dashboard.experiment.memory import constant_in_a_run
from dashboard.experiment.reviews.corrections import GIVEN
from dashboard.views.address import Problem, defaults_of, merged, to_params, view_of
from dashboard.views.address.choices import View

OF_PROTOCOL = ("metric", "columns")
"""What another protocol puts in place of what was chosen."""


def _bar() -> dict[str, list[str]]:
    return {key: st.query_params.get_all(key) for key in st.query_params}


def current() -> tuple[View | None, list[Problem]]:
    """The view that the address bar of this session asks for: one of the caller's own, as a screen
    writes the query that it opens into its view."""
    view, problems = _current(tuple((key, tuple(values)) for key, values in _bar().items()))
    return (None if view is None else replace(view)), problems


@constant_in_a_run
def _current(params: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[View | None, list[Problem]]:
    return view_of({key: list(values) for key, values in params})


def go(**changes: Any) -> None:
    """Change choices in the address bar: one step, which the Back button undoes. For callbacks."""
    view, _ = current()
    if view is not None:
        st.query_params.from_dict(merged(_bar(), view, changes))


def judge_by(protocol: str) -> None:
    """Go over to another protocol of the collection, with its metric in front. For callbacks."""
    view, _ = current()
    if view is not None:
        usual, _ = view_of({"collection": [view.collection], "protocol": [protocol]})
        its = {key: getattr(usual, key) for key in OF_PROTOCOL}
        its["labels"] = GIVEN if protocol in LEFT_ALONE else view.labels or GIVEN
        go(protocol=protocol, **its, between="", at="")


def leave_out_unusable() -> None:
    """Put the usual value in place of each choice that cannot be followed. For callbacks."""
    view, problems = current()
    if view is not None:
        gone = {problem.key for problem in problems}
        rest, _ = view_of({key: values for key, values in _bar().items() if key not in gone})
        st.query_params.from_dict(to_params(rest or view))


def open_collection(name: str) -> None:
    """Leave for another collection, with its own defaults."""
    st.query_params.from_dict(defaults_of(name)[0])


def unsaid(view: View) -> str:
    """The full query string of a view that names the open query though the address bar does not
    say which one that is; nothing where it does."""
    said = _bar()
    if not view.query or said.get("query"):
        return ""
    return urlencode(merged(said, current()[0] or view, {"query": view.query}), doseq=True)
