"""`measure`: metrics of versions, or of plain files of results."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING

from dashboard.commands.options import (
    Answer,
    complain_about_broken,
    complain_about_gaps,
    open_study_of,
)

if TYPE_CHECKING:
    from dashboard.evaluation.measurement import Measurement
    from dashboard.tables import Names, Rows

HELP = "metrics of versions, or of plain files of results"
FILES = True
KEYS = ("runs", "metrics")
OPTIONS = "--by-query  the value of each query"
MEANS = ("run", "metric", "cutoff", "mean", "scored", "total")
VALUES = ("run", "query_id", "metric", "cutoff", "value")


def answer(call: Namespace) -> Answer:
    """Return a row a version and metric, or a query."""
    study, choices = open_study_of(call)
    found = study.measure(choices["runs"], choices["metrics"])
    code = complain_about_broken(call, study.collection)
    code = complain_about_gaps(study, choices["runs"]) or code
    return *list_rows(found, call.by_query), code


def list_rows(found: Iterable[Measurement], by_query: bool) -> tuple[Rows, Names]:
    """Return a row a version and metric, with `by_query` one for each query, and the columns."""
    if by_query:
        return [row for each in found for row in each.list_values()], VALUES
    return [row for each in found for row in each.list_means()], MEANS
