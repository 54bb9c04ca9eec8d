"""The rows of a query: what each version found, the ideal order, and what was missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from dashboard.evaluation.metrics.registry import measure
from dashboard.tables import counted
from dashboard.views import cached, charts
from dashboard.views.cards.payload import Row
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
    depth = int(view.shown)
    rows = []
    for version in found.runs:
        rows.append(_version_row(found, view, version, values.get(version)))
        whole = _whole_row(found, view, version)
        if whole.results["item_id"].tolist() != rows[-1].results["item_id"].tolist():
            rows.append(whole)
    like = next((v for v in (view.candidate, *found.runs) if v not in found.problems), "")
    ideal, value = cached.ideal(found.asked, found.query_id, like, view.metric) if like else ((), 0)
    if len(ideal):
        note = "the best order of what is judged; equals as the candidate has them"
        best = Row("Ideal order", ideal.head(depth), "", "ideal", _measured(view), value, note)
        rows.append(best)
    lost = missed(found, depth)
    if len(lost):
        few = f"; the first {depth:,} of {len(lost):,}" if len(lost) > depth else ""
        note = f"relevant, but some version does not show it in its first {depth}{few}"
        rows.append(Row("Missed", lost.head(depth), role="missed", note=note))
    return rows


def _version_row(found: Found, view: View, version: str, value: float | None) -> Row:
    run, kept = found.runs[version], found.ranked(version)
    ways = charts.version_ways(cached.versions(view))
    copies = run.attrs.get("left_out", {}).get(found.query_id, 0)
    gone = f"{counted(copies, 'copy', 'copies')} left out" if copies else ""
    said = [found.problems.get(version) or gone]
    if len(kept) < len(run):
        said.append(f"the {len(kept):,} judged items in their order; only they count")
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
    note = f"the first of {len(run):,} ranked; those that nobody judged are pale and do not count; "
    note += "“#” in another version: a judged item's place among the judged"
    return Row(
        f"{version}, whole gallery", run[run["rank"] <= int(view.shown)], role="whole", note=note
    )


def _measured(view: View) -> str:
    return short_label(view, view.metric)


def missed(found: Found, depth: int) -> pd.DataFrame:
    """Relevant items that some version does not show in its first `depth`: first those of none.

    Columns item_id, rank, score (the best that any version gives; null where none ranks it), note
    (who has it). Of several copies that count as one, the best placed stands for all.
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
    best["note"] = [_who(has[one]) for one in best["one"]]
    best = best[best["shown_by"] < len(found.runs)]
    best = best.sort_values(["shown_by", "rank"], kind="stable", ignore_index=True)
    return best[["item_id", "rank", "score", "note"]]


def _best(found: Found) -> pd.DataFrame:
    """The best rank of each item in any version, with its score there."""
    everywhere = pd.concat([found.placed(version) for version in found.runs])
    everywhere = everywhere.astype({"item_id": "str"})
    best = everywhere.sort_values("rank", kind="stable").drop_duplicates("item_id")
    return best[["item_id", "rank", "score"]]


def _who(names: Sequence[str]) -> str:
    if not names:
        return "nobody has it"
    return f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} it"


def only_differing(rows: Sequence[Row]) -> tuple[list[Row], int]:
    """The rows without the results at the same rank in all versions, and how many those are."""
    found = [set(_places(row)) for row in rows if row.role == "version"]
    same = set.intersection(*found) if len(found) > 1 else set()
    kept = [_without(row, same) if row.role == "version" else row for row in rows]
    return kept, len(same)


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
        return f"{name} looks at every result."
    said = f"{name} looks at the first {counted(front.cutoff, 'result')}"
    if view.columns == "line":
        return f"{said}." if front.cutoff < int(view.shown) else ""
    side, own = int(view.columns), int(dict(front.settings).get("rows", 0))
    if own and own != side:
        return f"{said} in rows of {own}; the grid shows {side} side by side."
    whole, rest = divmod(front.cutoff, side)
    words = [f"{counted(whole, 'row')} of {side}"] if whole else []
    words += [counted(rest, "card")] if rest else []
    return f"{said}: {' and '.join(words)}."
