"""Causes of many results, counted and told in a sentence."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from dashboard.evaluation.measurement import Described
from dashboard.plugins.diagnosis.causes import CAUSES, NEAR, Cause, find_causes
from dashboard.study.changes import find_cutoff, list_ranks, list_worse
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.tables import Row, Rows
from dashboard.texts import count_things

NAMED = 3
"""Keywords that a sentence names, at most."""


def describe_causes(study: Study, query: int, metric: str, rows: Rows) -> Described:
    """Return why each wrong result of a version is one, and a sentence a version on all of them."""
    fields = [Row() for _ in rows]
    told = {}
    for version in dict.fromkeys(row["run"] for row in rows if "run" in row):
        wrong = [p for p, row in enumerate(rows) if row["run"] == version and row["hit"] is False]
        items = study.find_items(rows[place] for place in wrong)
        causes = dict(zip(wrong, find_causes(study, version, query, items), strict=True))
        for place, cause in causes.items():
            notes = [cause.note] if cause.note else []
            fields[place] = {"cause": cause.name, "detail": cause.detail, "notes": notes}
        cutoff = find_cutoff(metric, len(rows)) if metric else len(rows)
        if within := [cause for place, cause in causes.items() if rows[place]["rank"] <= cutoff]:
            told[version] = f"{len(within)} wrong in {version}: {write_plain(tell(within))}"
    return {"why": told} if told else {}, fields


def count_causes(causes: Sequence[Cause]) -> Rows:
    """Return cause, detail, results and share of all, the most frequent cause first."""
    totals = Counter(each.name for each in causes)
    counts = Counter((each.name, each.detail) for each in causes).most_common()
    rows = [
        {"cause": name, "detail": detail, "results": number, "share": number / len(causes)}
        for (name, detail), number in counts
    ]
    return sorted(rows, key=lambda row: (-totals[row["cause"]], CAUSES.index(row["cause"])))


class Piece(NamedTuple):
    """A piece of a sentence; one with a cause, such as "near miss: car", counts its results."""

    text: str
    cause: str = ""


def tell(causes: Sequence[Cause]) -> list[Piece]:
    """Return counts in words: "12 near misses (9 lack car, 2 bus, 1 other), 1 look-alike"."""
    told: list[Piece] = []
    for cause, group in groupby(count_causes(causes), key=itemgetter("cause")):
        rows = list(group)
        number = sum(row["results"] for row in rows)
        told += [Piece(", ")] * bool(told)
        told.append(Piece(count_things(number, cause), cause))
        named = [row for row in rows if row["detail"]][:NAMED] if cause == NEAR else []
        for place, row in enumerate(named):
            verb = "" if place else "lacks " if row["results"] == 1 else "lack "
            told.append(Piece(", " if place else " ("))
            lacking = row["detail"]
            told.append(Piece(f"{row['results']:,} {verb}{lacking}", f"{cause}: {lacking}"))
        others = number - sum(row["results"] for row in named)
        told += [Piece(f", {count_things(others, 'other')}")] * bool(named and others)
        told += [Piece(")")] * bool(named)
    return told


def find_wrong(study: Study, choices: Choices) -> tuple[dict[str, list[Cause]], list[Piece]]:
    """Return the causes of the candidate's wrong results, and a sentence on all.

    They are by query that got worse, the worst first, and of its first ranks, down to the cutoff;
    the sentence is empty without any.
    """
    cutoff = find_cutoff(choices["metric"], int(choices["shown"]))
    candidate = choices["candidate"]
    ids = [row["query_id"] for row in list_worse(study, choices)]
    queries = study.collection.queries.find(ids).tolist()
    found = {}
    for id, query, row in zip(ids, queries, list_ranks(study, candidate, ids, cutoff), strict=True):
        shown = zip(row["items"], row["marks"], strict=True)
        wrong = np.array([item for item, hit in shown if hit is False], int)
        found[id] = find_causes(study, candidate, query, wrong)
    causes = [cause for each in found.values() for cause in each]
    if not causes:
        return found, []
    results = count_things(len(causes), "wrong result")
    queries = "one worse query" if len(found) == 1 else f"{len(found):,} worse queries"
    ranks = f"first {cutoff} results" if cutoff > 1 else "first result"
    return found, [
        Piece(f"Of {results} in the {ranks} of {candidate}, in the {queries}: "),
        *tell(causes),
        Piece("."),
    ]


def write_plain(pieces: Iterable[Piece]) -> str:
    """Return a sentence as plain text."""
    return "".join(piece.text for piece in pieces)
