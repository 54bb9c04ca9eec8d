"""The rows of a query: what each version found, the ideal order, and what was missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING

import pandas as pd

from dashboard.evaluation.coverage import outside, outside_said
from dashboard.evaluation.metrics.registry import measure
from dashboard.experiment import explaining
from dashboard.experiment.experiment import NO_CUT
from dashboard.tables import counted
from dashboard.views import charts
from dashboard.views.cards.payload import Row
from dashboard.views.experiments import versions_of
from dashboard.views.labels import short_label
from dashboard.views.view import View

if TYPE_CHECKING:
    from dashboard.views.cards.results import Found

MOST_ROWS = 4


def versions(view: View) -> list[str]:
    """The versions that have a row: baseline, candidate and the further ones, at most four."""
    further = [version for version in view.also.split(",") if version]
    return list(dict.fromkeys([view.baseline, view.candidate, *further]))[:MOST_ROWS]


def rows_of(found: Found, view: View, values: Mapping[str, float]) -> list[Row]:
    """A row for each version, one for the ideal order, one for what was missed.

    values: version → the metric in front for this query.
    """
    depth, rows = int(view.shown), []
    for version in found.runs:
        rows.append(_version_row(found, view, version, values.get(version)))
        whole = _whole_row(found, view, version)
        if whole.results["item_id"].tolist() != rows[-1].results["item_id"].tolist():
            rows.append(whole)
    like = next((v for v in (view.candidate, *found.runs) if v not in found.problems), "")
    ideal, value = (
        explaining.ideal(found.experiment, found.query_id, like, view.metric) if like else ((), 0)
    )
    if len(ideal) and found.relevant:
        best = ideal.head(depth)
        note = _ideal_said(view, value)
        rows.append(Row("Ideal order", best, "", "ideal", _measured(view), value, note))
    return [*rows, *_missed_row(found, view)]


def _ideal_said(view: View, value: float | None) -> str:
    """What the ideal order is, and why it has no value where it has none."""
    said = "best possible order; ties as in the candidate"
    if value is not None and not isnan(value):
        return said
    if measure(view.metric).metric.best_first:
        return f"{said}; no value: {_measured(view)} is not measured for this query"
    return f"{said}; no value: for {_measured(view)} another order may be better"


def _missed_row(found: Found, view: View) -> list[Row]:
    """As many missed items as a row shows, from the one that the address names."""
    depth, lost = int(view.shown), missed(found, int(view.shown))
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
    ways = {"there": len(lost), "earlier": max(0, first - depth), "further": after}
    return [Row("Missed", some, role="missed", note=note, **ways)]


def said_above(view: View) -> list[str]:
    """What holds for all rows: how deep is looked, what the reader left out, who has no row."""
    return [depth_in_rows(view), _cut_said(view), _without_a_row(view)]


def _without_a_row(view: View) -> str:
    """Which of the versions that the address asks for have no row here: a sentence, or nothing."""
    asked = [view.baseline, view.candidate, *filter(None, view.also.split(","))]
    left = [version for version in dict.fromkeys(asked) if version not in versions(view)]
    if not left:
        return ""
    has = "has" if len(left) == 1 else "have"
    return f"At most {MOST_ROWS} versions fit; {', '.join(left)} {has} no row."


def _cut_said(view: View) -> str:
    """That the reader leaves results out by their similarity: a sentence, or nothing."""
    if view.min_similarity <= NO_CUT:
        return ""
    return f"Results below the similarity threshold {view.min_similarity:g} are removed."


def _cut_in(found: Found, view: View, version: str) -> str:
    """How many results of a version the least similarity leaves out."""
    there, left = len(found.whole[version]), len(found.unbroken(version))
    if view.min_similarity <= NO_CUT or there == left:
        return ""
    few = f"{there - left:,} of {there:,}" if left else f"all {there:,}"
    return f"{few} results are below the similarity threshold {view.min_similarity:g}"


def _outside_in(found: Found, version: str) -> str:
    """How many results of a version are no item of the collection."""
    run, condensed = found.runs[version], found.protocol.condensed
    there = outside({version: run}, found.experiment.collection.items["item_id"])
    return outside_said(there, condensed=condensed).get(version, "")


def _version_row(found: Found, view: View, version: str, value: float | None) -> Row:
    run, kept = found.runs[version], found.ranked(version)
    ways = charts.version_ways(versions_of(view))
    copies = run.attrs.get("left_out", {}).get(found.query_id, 0)
    gone = f"{counted(copies, 'near-duplicate')} removed" if copies else ""
    said = [found.problems.get(version) or gone, _cut_in(found, view, version)]
    said.append(_outside_in(found, version))
    if len(kept) < len(run):
        said.append(f"only the {len(kept):,} judged items count; these are their ranks")
    shown = kept[kept["rank"] <= int(view.shown)]
    note = "; ".join(filter(None, said))
    return Row(
        version,
        shown,
        ways[version].colour,
        measure=_measured(view),
        value=value,
        note=note,
        shape=ways[version].shape,
    )


def _whole_row(found: Found, view: View, version: str) -> Row:
    """The ranking as it is, where the protocol ranks a part of it only."""
    run = found.unbroken(version)
    note = f"all {len(run):,} ranked items; unjudged items are pale and do not count; "
    note += "“#” in another version is a rank among judged items"
    return Row(
        f"{version}, whole gallery", run[run["rank"] <= int(view.shown)], role="whole", note=note
    )


def _measured(view: View) -> str:
    return short_label(view, view.metric)


def missed(found: Found, depth: int) -> pd.DataFrame:
    """Relevant items that some version does not show in its first `depth`: first those of none.

    Columns item_id, rank, score (the best that any version gives; null where none ranks it), note
    (which versions show it). Of several copies that count as one, the best placed stands for all.
    """
    relevant = pd.DataFrame({"item_id": list(found.relevant)}, dtype="str")
    relevant["one"] = relevant["item_id"].map(found.as_one)
    best = relevant.merge(_best(found), on="item_id", how="left")
    best = best.sort_values("rank", kind="stable").drop_duplicates("one")
    has: dict[str, list[str]] = {one: [] for one in best["one"]}
    for version in found.runs:
        run = found.ranked(version)
        for one in {found.as_one(item) for item in run.loc[run["rank"] <= depth, "item_id"]}:
            has.setdefault(one, []).append(version)
    best["shown_by"] = [len(has[one]) for one in best["one"]]
    best["note"] = [_who(has[one], len(found.runs)) for one in best["one"]]
    best = best[best["shown_by"] < len(found.runs)]
    best = best.sort_values(["shown_by", "rank"], kind="stable", ignore_index=True)
    return best[["item_id", "rank", "score", "note"]]


def _best(found: Found) -> pd.DataFrame:
    """The best rank of each item in any version, with its score there."""
    everywhere = pd.concat([found.placed(version) for version in found.runs])
    everywhere = everywhere.astype({"item_id": "str"})
    best = everywhere.sort_values("rank", kind="stable").drop_duplicates("item_id")
    return best[["item_id", "rank", "score"]]


def _who(names: Sequence[str], versions: int) -> str:
    """Which of so many versions show a missed item."""
    if not names:
        return {1: "missed", 2: "missed by both"}.get(versions, "missed by all")
    return f"only {names[0]}" if len(names) == 1 else f"in {', '.join(names)}"


def only_differing(rows: Sequence[Row]) -> tuple[list[Row], int]:
    """The rows without the results at the same rank in all versions, and how many those are."""
    found = [set(_places(row)) for row in rows if row.role == "version"]
    same = set.intersection(*found) if len(found) > 1 else set()
    kept = [_without(row, same) if row.role == "version" else row for row in rows]
    return kept, len(same)


def hidden_said(versions: int, number: int) -> str:
    """How many results `only_differing` has hidden of so many versions, in words."""
    if versions < 2:
        return "Only one version: all results are shown."
    if not number:
        return "No result has the same rank in all versions."
    results = counted(number, "result with", "results with")
    return f"{results} the same rank in all versions {'is' if number == 1 else 'are'} hidden."


def _places(row: Row) -> list[tuple[str, int]]:
    return list(zip(row.results["item_id"], row.results["rank"], strict=True))


def _without(row: Row, same: set[tuple[str, int]]) -> Row:
    kept = [place not in same for place in _places(row)]
    hits = {"results": row.results[kept], "before": row.results}
    return Row(**{**vars(row), **hits})


def depth_in_rows(view: View) -> str:
    """How deep the metric in front looks, in results and in rows of the grid: a sentence."""
    front, name = measure(view.metric), _measured(view)
    if front.cutoff is None:
        return f"{name} counts every result."
    said = f"{name} counts the first {counted(front.cutoff, 'result')}"
    few = f"; the first {view.shown} are shown" if front.cutoff > int(view.shown) else ""
    if view.columns == "line":
        return f"{said}{few}." if front.cutoff != int(view.shown) else ""
    side, own = int(view.columns), int(dict(front.settings).get("rows", 0))
    if own and own != side:
        return f"{said} in rows of {own}; the grid shows {side} side by side{few}."
    whole, rest = divmod(front.cutoff, side)
    words = [f"{counted(whole, 'row')} of {side}"] if whole else []
    words += [counted(rest, "card")] if rest else []
    return f"{said}: {' and '.join(words)}{few}."
