"""The rows of a query: what each version results, the ideal order, and what was missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf, isnan, nan

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.evaluation.coverage import outside, outside_said
from dashboard.evaluation.metrics.registry import measure
from dashboard.experiment import explaining
from dashboard.experiment.experiment import NO_CUT, TYPED
from dashboard.tables import counted
from dashboard.views import charts
from dashboard.views.address.choices import View
from dashboard.views.cards.payload import Row
from dashboard.views.cards.query_results import QueryResults
from dashboard.views.experiments import versions_of
from dashboard.views.labels import short_label

Floats = npt.NDArray[np.float64]
MOST_ROWS = 4


def row_versions(view: View) -> list[str]:
    """The versions that have a row: baseline, candidate and the further ones, at most four."""
    further = [version for version in view.also.split(",") if version]
    return list(dict.fromkeys([view.baseline, view.candidate, *further]))[:MOST_ROWS]


def rows_of(results: QueryResults, view: View, values: Mapping[str, float]) -> list[Row]:
    """A row for each version, one for the ideal order, one for what was missed.

    values: version → the metric in front for this query.
    """
    rows: list[Row] = []
    wholes: list[Row] = []  # below all versions: these stand together, to be compared
    for version in results.runs:
        rows.append(_version_row(results, view, version, values.get(version)))
        whole = _whole_row(results, view, version)
        if whole.item_ids != rows[-1].item_ids:
            wholes.append(whole)
    rows += wholes
    like = next((v for v in (view.candidate, *results.answered) if v in results.answered), "")
    if like and results.relevant:
        rows += _ideal_row(results, view, like)
    return [*rows, *_missed_row(results, view)]


def _ideal_row(results: QueryResults, view: View, like: str) -> list[Row]:
    """The judged items in the best order, ties as in the version `like`."""
    asked = results.experiment, results.query_id, like, view.metric, int(view.shown)
    best, value = explaining.ideal(*asked, results.runs[like])
    if best.empty:
        return []
    note = _ideal_note(view, value)
    return [Row("Ideal order", best, "", "ideal", _measured(view), value, note)]


def _ideal_note(view: View, value: float | None) -> str:
    """What the ideal order is, and why it has no value where it has none."""
    note = "best possible order; ties as in the candidate"
    if value is not None and not isnan(value):
        return note
    if measure(view.metric).metric.best_first:
        return f"{note}; no value: {_measured(view)} is not measured for this query"
    return f"{note}; no value: for {_measured(view)} another order may be better"


def _missed_row(results: QueryResults, view: View) -> list[Row]:
    """As many missed items as a row shows, from the one that the address names."""
    depth, lost = int(view.shown), missed(results, int(view.shown))
    if lost.empty:
        return []
    asked = min(int(view.missed or 1), len(lost))
    first = (asked - 1) // depth * depth + 1
    some = lost.iloc[first - 1 : first - 1 + depth]
    note = f"relevant, missing from at least one top {depth}"
    if len(lost) == len(some):
        return [Row("Missed", some, role="missed", note=note)]
    after = first + depth if first + depth <= len(lost) else 0
    note += f"; showing {first:,} to {first + len(some) - 1:,}"
    before = max(0, first - depth)
    return [
        Row(
            "Missed",
            some,
            role="missed",
            note=note,
            total=len(lost),
            previous_page=before,
            next_page=after,
        )
    ]


def notes_above(view: View) -> list[str]:
    """What holds for all rows: how deep is looked, what the reader left out, who has no row."""
    return [depth_in_rows(view), _cut_note(view), _without_a_row(view)]


def _without_a_row(view: View) -> str:
    """Which of the versions that the address asks for have no row here: a sentence, or nothing."""
    asked = [view.baseline, view.candidate, *filter(None, view.also.split(","))]
    left = [version for version in dict.fromkeys(asked) if version not in row_versions(view)]
    if not left:
        return ""
    has = "has" if len(left) == 1 else "have"
    return f"At most {MOST_ROWS} versions fit; {', '.join(left)} {has} no row."


def _cut_note(view: View) -> str:
    """That the reader leaves results out by their similarity: a sentence, or nothing."""
    if view.min_similarity <= NO_CUT:
        return ""
    return f"Results below the similarity threshold {view.min_similarity:g} are removed."


def _cut_in(results: QueryResults, view: View, version: str) -> str:
    """How many results of a version the least similarity leaves out."""
    there, left = len(results.whole[version]), len(results.unbroken(version))
    if view.min_similarity <= NO_CUT or there == left:
        return ""
    few = f"{there - left:,} of {there:,}" if left else f"all {there:,}"
    return f"{few} results are below the similarity threshold {view.min_similarity:g}"


def _outside_in(results: QueryResults, version: str) -> str:
    """How many results of a version are no item of the collection."""
    run, condensed = results.runs[version], results.protocol.condensed
    if run is results.whole[version] and not results.outside:
        return ""
    there = outside({version: run}, results.experiment.collection.items["item_id"])
    return outside_said(there, condensed=condensed).get(version, "")


def _version_row(results: QueryResults, view: View, version: str, value: float | None) -> Row:
    run, kept = results.runs[version], results.ranked(version)
    ways = charts.version_ways(versions_of(view), view.baseline, view.candidate)
    copies = run.attrs.get("left_out", {}).get(results.query_id, 0)
    gone = f"{counted(copies, 'near-duplicate')} removed" if copies else ""
    notes = [results.problems.get(version) or gone, _cut_in(results, view, version)]
    notes.append(_outside_in(results, version))
    if len(kept) < len(run):
        notes.append(_only_judged(results, len(kept)))
    shown = kept[kept["rank"] <= int(view.shown)]
    note = "; ".join(filter(None, notes))
    return Row(
        version,
        shown,
        ways[version].colour,
        measure=_measured(view),
        value=value,
        note=note,
        shape=ways[version].shape,
        answered=version in results.answered,
    )


def _only_judged(results: QueryResults, number: int) -> str:
    if number:
        return f"only the {number:,} judged items count; these are their ranks"
    of = (
        "a typed query has no judgements" if results.query_id == TYPED else "nothing is judged here"
    )
    return f"{of}, so no item counts; below stands what the version ranks"


def _whole_row(results: QueryResults, view: View, version: str) -> Row:
    """The ranking as it is, where the protocol ranks a part of it only."""
    run = results.unbroken(version)
    length = run.attrs.get("length", len(run))
    note = f"all {length:,} ranked items; unjudged items are pale and do not count; "
    note += "“#” in another version is a rank among judged items, on a pale card among all"
    return Row(
        f"{version}, whole gallery", run[run["rank"] <= int(view.shown)], role="whole", note=note
    )


def _measured(view: View) -> str:
    return short_label(view, view.metric)


def missed(results: QueryResults, depth: int) -> pd.DataFrame:
    """Relevant items that some version which could be asked does not show in its first `depth`:
    first those of none.

    Columns item_id, rank, score (the best that any version gives; null where none ranks it), note
    (which versions show it). Of several copies that count as one, the best placed stands for all.
    """
    relevant = pd.Index(list(results.relevant), dtype="str")
    rank, score = _best(results, relevant)
    named = pd.Index(results.as_ones(results.relevant), dtype="str")
    order = np.argsort(rank, kind="stable")
    first = order[~named[order].duplicated()]
    ones, versions = named[first], results.answered
    shows = np.zeros((len(ones), len(versions)), dtype=bool)
    for number, version in enumerate(versions):
        run = results.ranked(version)
        top = results.as_ones(run.loc[run["rank"] <= depth, "item_id"].tolist())
        place = ones.get_indexer(pd.Index(top, dtype="str"))
        shows[place[place >= 0], number] = True
    times = shows.sum(axis=1)
    lost = np.flatnonzero(times < len(versions))
    lost = lost[np.argsort(times[lost], kind="stable")]
    bits = shows[lost] @ (1 << np.arange(len(versions)))  # one number says who shows an item
    kinds, kind = np.unique(bits, return_inverse=True)
    shown = [[v for n, v in enumerate(versions) if k >> n & 1] for k in kinds]
    notes = [_who(names, versions, len(results.runs)) for names in shown]
    ranks = rank[first[lost]]
    return pd.DataFrame(
        {
            "item_id": relevant[first[lost]],
            "rank": ranks.astype(np.int64) if np.isfinite(ranks).all() else _or_null(ranks),
            "score": score[first[lost]],
            "note": [notes[number] for number in kind],
        }
    )


def _or_null(ranks: Floats) -> Floats:
    return np.where(np.isfinite(ranks), ranks, nan)


def _best(results: QueryResults, items: pd.Index) -> tuple[Floats, Floats]:
    """The best rank of each of some items in any version, and its score there; infinite and null
    where none ranks it. [items] each"""
    best, score = np.full(len(items), inf), np.full(len(items), nan)
    for version in results.runs:
        rank, value = results.ranks(version, items)
        better = rank < best
        best[better], score[better] = rank[better], value[better]
    return best, score


def _who(names: Sequence[str], asked: Sequence[str], versions: int) -> str:
    """Which of so many versions show a missed item. asked: those that could be."""
    if not names and len(asked) < versions:
        return f"missed by {', '.join(asked)}"
    if not names:
        return {1: "missed", 2: "missed by both"}.get(versions, "missed by all")
    return f"only {names[0]}" if len(names) == 1 else f"in {', '.join(names)}"


def only_differing(rows: Sequence[Row]) -> tuple[list[Row], int]:
    """The rows without the results at the same rank in all versions, and how many those are."""
    results = [set(_places(row)) for row in rows if row.role == "version"]
    same = set.intersection(*results) if len(results) > 1 else set()
    kept = [_without(row, same) if row.role == "version" else row for row in rows]
    return kept, len(same)


def hidden_count(versions: int, number: int) -> str:
    """How many results `only_differing` has hidden of so many versions, in words."""
    if versions < 2:
        return "Only one version: all results are shown."
    if not number:
        return "No result has the same rank in all versions."
    results = counted(number, "result with", "results with")
    return f"{results} the same rank in all versions {'is' if number == 1 else 'are'} hidden."


def _places(row: Row) -> list[tuple[str, int]]:
    return list(zip(row.item_ids, row.results["rank"], strict=True))


def _without(row: Row, same: set[tuple[str, int]]) -> Row:
    kept = np.array([place not in same for place in _places(row)], dtype=bool)
    return replace(row, results=row.results[kept], before=row.results)


def depth_in_rows(view: View) -> str:
    """How deep the metric in front looks, in results and in rows of the grid: a sentence."""
    front, name = measure(view.metric), _measured(view)
    if front.cutoff is None:
        return f"{name} counts every result."
    words = f"{name} counts the first {counted(front.cutoff, 'result')}"
    few = f"; the first {view.shown} are shown" if front.cutoff > int(view.shown) else ""
    if view.columns == "line":
        return f"{words}{few}." if front.cutoff != int(view.shown) else ""
    side, own = int(view.columns), int(dict(front.settings).get("rows", 0))
    if own and own != side:
        return f"{words} in rows of {own}; the grid shows {side} side by side{few}."
    whole, rest = divmod(front.cutoff, side)
    parts = [f"{counted(whole, 'row')} of {side}"] if whole else []
    parts += [counted(rest, "card")] if rest else []
    return f"{words}: {' and '.join(parts)}{few}."
