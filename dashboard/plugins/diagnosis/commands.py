"""`why`: suspected causes of the candidate's wrong results, over all, by slice and by query."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from dashboard.commands.options import FINE, add_choices, add_collection, open_study_of
from dashboard.study.choices import Choice

HELP = "suspected causes of the wrong results of queries that got worse"
CHOICES = (
    Choice(
        key="cause",
        meaning="suspected cause of wrong results, whose queries Compare lists",
        default=lambda collection, before: "",
    ),
)
COLUMNS = ("scope", "cause", "detail", "results", "share")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_collection(parser)
    add_choices(parser, "baseline", "candidate", "metric", "shown")


def answer(call: Namespace) -> tuple[list[dict[str, Any]], tuple[str, ...], int]:
    """Return a row a scope and cause; print the sentence on all of them as a note."""
    from dashboard.plugins.diagnosis.summary import (
        count_causes,
        describe_wrong,
        list_wrong,
        write_plain,
    )
    from dashboard.study.changes import find_cutoff

    study, choices = open_study_of(call)
    baseline, candidate, metric = (choices[each] for each in ("baseline", "candidate", "metric"))
    depth = int(choices["shown"])
    found = list_wrong(study, baseline, candidate, metric, depth)
    told = write_plain(describe_wrong(found, candidate, find_cutoff(metric, depth)))
    print(told or f"No query got worse from {baseline} to {candidate}.", file=sys.stderr)
    ids = [study.collection.queries.ids[query] for query in study.queries.tolist()]
    scopes = {"all": list(found)} | {
        name: [query for query, is_in in zip(ids, inside.tolist(), strict=True) if is_in]
        for name, inside in study.list_slices().items()
    }
    scopes |= {query: [query] for query in found}
    rows = [
        {"scope": scope, **row}
        for scope, queries in scopes.items()
        for row in count_causes([each for query in queries for each in found.get(query, ())])
    ]
    return rows, COLUMNS, FINE
