"""Changes between two versions by query: values, hits by rank, and moved hits."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from dashboard.errors import list_names
from dashboard.evaluation.differences import SAME, name_outcome, replace_nan
from dashboard.evaluation.judgement import find_relevant, mark_hits
from dashboard.evaluation.metrics import parse_one
from dashboard.retrieval.sources import VectorSource
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.tables import Names, Numbers, Row, Rows
from dashboard.texts import write_number

OUTCOMES = ("worse", "same", "better", "not scored")
MAX_BINS = 5
"""Bins of change on either side of 0."""


def list_changes(
    study: Study, baseline: str, candidate: str, metric: str, every: bool = False
) -> Rows:
    """Return query_id, text, both values, delta and outcome of each query, the worst first.

    Of one version that is the query with its worst value. Queries that the metric does not ask are
    left out, or with `every` last.
    """
    before, after = study.values(baseline, metric), study.values(candidate, metric)
    delta = np.round(after - before, 12) + 0.0
    table, measure = study.collection.queries, parse_one(metric)
    sign = measure.sign
    order = np.argsort(sign * (after if baseline == candidate else delta), kind="stable")
    order = order[every | study.rules.asks(study, measure)[order]]
    numbers = (each[order].tolist() for each in (before, after, delta))
    return [
        {
            "query_id": table.ids[query],
            "text": study.collection.query_names[query],
            "baseline": replace_nan(old),
            "candidate": replace_nan(new),
            "delta": replace_nan(change),
            "outcome": name_outcome(sign * change),
        }
        for query, old, new, change in zip(study.queries[order].tolist(), *numbers, strict=True)
    ]


def keep_inside(study: Study, slices: Names, rows: Rows) -> Rows:
    """Return the rows of the queries that are in all of some slices."""
    every, none = study.list_slices(), np.zeros(len(study.queries), bool)
    inside = [~none, *(every.get(name, none) for name in slices)]
    kept = set(np.array(study.query_ids)[np.logical_and.reduce(inside)])
    return [row for row in rows if row["query_id"] in kept]


def list_worse(study: Study, choices: Choices) -> Rows:
    """Return what `list_changes` does of the queries that got worse."""
    rows = list_changes(study, *choices.pair, choices["metric"])
    return [row for row in rows if row["outcome"] == "worse"]


def describe_gaps(study: Study, versions: Names) -> dict[str, list[str]]:
    """Return sentences on queries without a value and why (notes), and on what lacks (warnings).

    The same ones of several versions are told once, without the versions if it is all of them.
    """
    notes, warnings = (defaultdict[str, list[str]](list) for _ in range(2))
    names, asked = list(dict.fromkeys(versions)), study.queries.tolist()
    for version in names:
        run = study.run(version)
        source = run.source
        reasons = {**study.judgement.unscorable, **source.not_run}
        scored = [query for query in asked if query not in reasons]
        if counts := Counter(reasons[query] for query in asked if query in reasons).most_common():
            listed = ", ".join(f"{number:,} ({why})" for why, number in counts)
            notes[f"Queries not scored, left out of means: {listed}."].append(version)
        if number := sum(map(source.lacks, scored)):
            sentence = f"Queries without results, which count as 0: {number:,} of {len(scored):,}."
            warnings[sentence].append(version)
        if isinstance(source, VectorSource) and (source.gallery.rows < 0).any():
            is_searched = np.zeros(len(source.gallery.rows), bool)
            for items in {id(each): each for each in map(run.candidates, asked)}.values():
                is_searched[slice(None) if items is None else items[items >= 0]] = True
            if lacking := int((is_searched & (source.gallery.rows < 0)).sum()):
                sentence = (
                    f"Items without a vector, which are never found: {lacking:,} of "
                    f"{is_searched.sum():,}."
                )
                warnings[sentence].append(version)
    return {
        level: [text if of == names else f"{list_names(of)}: {text}" for text, of in told.items()]
        for level, told in {"note": notes, "warning": warnings}.items()
    }


def count_outcomes(rows: Rows) -> Numbers:
    """Return how many queries are worse, same, better and not scored."""
    return {name: sum(row["outcome"] == name for row in rows) for name in OUTCOMES}


def list_ranks(
    study: Study, version: str, query_ids: Names, depth: int, is_deep: bool = False
) -> Rows:
    """Return the results at the first ranks of each query, and the ranks of hits.

    Args:
        study: What is looked at.
        version: Version that ranks.
        query_ids: Queries.
        depth: Ranks that are listed.
        is_deep: Whether relevant items are found as deep as the version ranks them.

    Returns:
        A row a query: `items` and `marks` (True: hit, False: not relevant, None: not judged) for
        each rank from 1, and `ranks` (rank by relevant item).
    """
    judged = study.judgement
    queries = study.collection.queries.find(query_ids)
    wanted = (lambda query: find_relevant(judged, query)) if is_deep else None
    found = []
    every = study.run(version).find_all(queries, depth, wanted)
    for query, each in zip(queries.tolist(), every, strict=True):
        items = each.items[each.rank <= each.passing]
        hits = mark_hits(judged, query, items, study.rules.is_complete)
        first = int((each.rank <= min(depth, each.passing)).sum())
        ranked = zip(items.tolist(), each.rank.tolist(), hits, strict=False)
        ranks = {item: place for item, place, hit in ranked if hit}
        found.append({"items": items[:first].tolist(), "marks": hits[:first], "ranks": ranks})
    return found


def list_moves(before: Row, after: Row, cutoff: int) -> tuple[Rows, int]:
    """Return the hits that fell out of the first ranks, and how many came into them.

    Each row holds item (its position), before and after: its ranks, None where it is not ranked.
    Hits that fell least come first.
    """
    old, new = before["ranks"], after["ranks"]
    fell = [
        {"item": item, "before": rank, "after": new.get(item)}
        for item, rank in old.items()
        if rank <= cutoff < new.get(item, np.inf)
    ]
    came = sum(rank <= cutoff < old.get(item, np.inf) for item, rank in new.items())
    return sorted(fell, key=lambda row: row["after"] or np.inf), came


def describe_moves(ranks: Sequence[int | None], came: int, length: float = np.inf) -> str:
    """Return to which ranks hits fell, how many out of a list of a length, and how many came in.

    >>> describe_moves([9, None, 7, 20], 2, 16), describe_moves([], 0)
    ('2 fell to 7, 9; 2 fell out of the list; 2 came in', '')
    """
    known = sorted(rank for rank in ranks if rank and rank <= length)
    told = {
        f"fell to {list_names(known)}": len(known),
        "fell out of the list": len(ranks) - len(known),
        "came in": came,
    }
    return "; ".join(f"{number:,} {words}" for words, number in told.items() if number)


def list_shown_ranks(
    study: Study, versions: Names, query_ids: Names, depth: int
) -> Iterator[tuple[int, int, list[float]]]:
    """Yield place of the query, item, and its rank in each version, infinite below `depth`.

    Items come in their order, for one query after another.
    """
    found: dict[tuple[int, int], list[float]] = {}
    for number, version in enumerate(versions):
        for place, row in enumerate(list_ranks(study, version, query_ids, depth)):
            for rank, item in enumerate(row["items"], start=1):
                if item >= 0:
                    found.setdefault((place, item), [np.inf] * len(versions))[number] = rank
    for (place, item), ranks in sorted(found.items()):
        yield place, item, ranks


def find_cutoff(metric: str, depth: int) -> int:
    """Return the ranks that a metric looks at, at most `depth`."""
    return min(parse_one(metric).cutoff or depth, depth)


def group_changes(rows: Rows) -> Rows:
    """Return a row a bin of change: bin, change (its end farther from 0), queries, outcome.

    Bin 0 holds no change; bin n the changes above n - 1 and up to n steps, likewise below 0. Each
    row of `rows` that has a difference gains its `bin`.
    """
    scored = [row for row in rows if row["delta"] is not None]
    step = _find_step(max((abs(row["delta"]) for row in scored), default=0.0))
    for row in scored:
        steps = int(np.ceil(abs(row["delta"]) / step - SAME))
        row["bin"] = steps if row["delta"] > 0 else -steps
    counts = Counter(row["bin"] for row in scored)
    outcomes = {row["bin"]: row["outcome"] for row in scored}
    return [
        {
            "bin": place,
            "change": round(place * step, 12),
            "queries": counts[place],
            "outcome": outcomes.get(place, "same"),
        }
        for place in range(min(counts, default=1), max(counts, default=0) + 1)
    ]


def group_values(rows: Rows) -> Rows:
    """Return a row a pair of values: point, baseline, candidate, queries, outcome.

    Each row of `rows` that has both values gains its `point`.
    """
    points: dict[str, Row] = {}
    for row in rows:
        if row["delta"] is not None:
            row["point"] = f"{write_number(row['baseline'])} → {write_number(row['candidate'])}"
            kept = {key: row[key] for key in ("point", "baseline", "candidate", "outcome")}
            points.setdefault(row["point"], kept | {"queries": 0})["queries"] += 1
    return list(points.values())


def _find_step(largest: float) -> float:
    """Return a width of 1, 2 or 5 times a power of ten with at most MAX_BINS bins a side."""
    if largest <= SAME:
        return 1.0
    power = 10.0 ** np.floor(np.log10(largest / MAX_BINS))
    steps = (power * factor for factor in (1, 2, 5, 10))
    return float(next(step for step in steps if largest <= step * MAX_BINS * (1 + SAME)))
