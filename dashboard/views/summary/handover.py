"""What a reader takes away from the comparison: a report as one file, and its tables."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pandas as pd
import streamlit as st

from dashboard.evaluation import duplicates
from dashboard.evaluation.metrics.registry import parse
from dashboard.evaluation.protocols import PROTOCOLS, Protocol
from dashboard.views import cached
from dashboard.views.cached import Question
from dashboard.views.report import Subject, report
from dashboard.views.report.exports import as_csv, as_json
from dashboard.views.summary.measured import metrics_in_view, selected
from dashboard.views.view import View


def hand_over(view: View, queries: pd.DataFrame) -> None:
    """Buttons that save the report on this comparison, and its queries as CSV and JSON.

    Nothing is made before its button is pressed.
    """
    name = f"{view.collection}-{view.candidate}-against-{view.baseline}"
    with st.container(horizontal=True):
        st.download_button(
            "Report",
            lambda: _report(view).encode(),
            file_name=f"{name}.html",
            mime="text/html",
            icon=":material/description:",
            help="One file that opens by double click, without a network.",
            on_click="ignore",
        )
        for kind, written in (("CSV", as_csv), ("JSON", as_json)):
            st.download_button(
                f"Queries as {kind}",
                lambda written=written: written(queries).encode(),
                file_name=f"{name}-queries.{kind.lower()}",
                icon=":material/download:",
                on_click="ignore",
            )


def _report(view: View) -> str:
    return report(_subject(view)).html


def _subject(view: View) -> Subject:
    """The comparison in view for a report, with the numbers that the screen shows."""
    asked = cached.question(view)
    only = selected(view, asked)
    evidence = cached.evidence(asked)
    if only is not None:
        kept = evidence.queries["query_id"].isin(only)
        evidence = replace(evidence, queries=evidence.queries[kept])
    return Subject(
        collection=cached.opened(view.collection),
        evidence=evidence,
        runs={v: _of(cached.counted_run(asked, v), only) for v in (view.baseline, view.candidate)},
        baseline=view.baseline,
        candidate=view.candidate,
        rules=_rules(view, asked),
        measures=parse(" ".join(metrics_in_view(view))),
        front=parse(view.metric)[0],
        groups=view.groups,
        date=date.today().isoformat(),
        names=view.names,
        choices=_choices(view, asked),
        unlike=cached.unlike(view.collection, asked.digest, view.baseline, view.candidate),
    )


def _rules(view: View, asked: Question) -> Protocol:
    """How the report judges: as the screen does, where copies are left out several as one."""
    rules, copies = PROTOCOLS[view.protocol], _copies(view, asked)
    return duplicates.rules_as_one(rules, copies) if copies else rules


def _copies(view: View, asked: Question) -> dict[str, str]:
    left_out = view.copies == "left_out"
    return cached.copies(asked.collection, asked.digest) if left_out else {}


def _of(run: pd.DataFrame, only: tuple[str, ...] | None) -> pd.DataFrame:
    return run if only is None else run[run["query_id"].isin(only)]


def _choices(view: View, asked: Question) -> dict[str, str]:
    """The choices that numbers depend on beside those that a report names anyway."""
    said = {
        "Queries": view.queries,
        "Only queries": view.slice,
        "Least similarity of words and keyword": f"{view.mapping_threshold:g}",
        "Least similarity of a result": f"{view.min_similarity:g}" * (view.min_similarity > -1),
    }
    if view.copies == "left_out":
        said["Near-duplicates"] = duplicates.said_of_copies(len(_copies(view, asked)))
    for given in cached.submitted(view):
        of = given.submission
        said[f"Submission {of.name}"] = f"features {of.gallery} and {of.queries}"
    return {name: value for name, value in said.items() if value}
