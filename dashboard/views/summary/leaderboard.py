"""How all versions stand: by every metric, in what order and how surely, and pair by pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from math import nan
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.evaluation import measure
from dashboard.evaluation.comparison.compare import SAME
from dashboard.evaluation.comparison.verdict import SIGNIFICANT
from dashboard.evaluation.digits import chance, number, share, signed
from dashboard.evaluation.metrics.registry import parse
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.protocols.crossmodal import IMAGE, TEXT
from dashboard.evaluation.statistics.resampling import RESAMPLES
from dashboard.experiment import judging, measuring, ranking
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.memory import remembered
from dashboard.tables import between
from dashboard.views import layout
from dashboard.views.address.choices import View
from dashboard.views.charts.versions import FEW
from dashboard.views.experiments import experiment_of
from dashboard.views.labels import label, short_label
from dashboard.views.summary.measurements import (
    is_measure,
    metrics_in_view,
    selected,
)
from dashboard.views.texts import plain

MANY = 9
"""Columns of more versions leave no room for formulas, which the protocol's definition has."""
NOT_COMPARABLE = "⚠"
REASONS = {
    "no_keyword": "without a keyword in the chosen groups",
    "no_relevant": "without a relevant item",
    "not_run": "not run",
}


def versions_by_metrics(view: View) -> None:
    """A table of means: a row for each metric, a column for each version, the best in bold.

    Beside the mean stands the difference to the baseline where chance does not explain it.
    """
    metrics, experiment = metrics_in_view(view), experiment_of(view)
    unlike, written = not_comparable(view, experiment), " ".join(metrics)
    marked, anyway = tuple(unlike), view.anyway == "yes"
    of = (tuple(view.runs), view.baseline, marked, anyway, written, selected(view, experiment))
    rows = [
        {"Metric": _named(view, metric), **cells}
        for metric, cells in zip(metrics, _rows(experiment, *of), strict=True)
    ]
    table, ceiling = with_ceilings(view, written, rows)
    layout.table(table.set_index("Metric"), "metrics")
    if unlike:
        st.caption(_unlike_caption(view, unlike))
    st.caption(
        f"{ceiling}Best in bold. ▲ ▼: significantly better or worse than {plain(view.baseline)} "
        f"(randomisation test, Holm over the metrics). {_left_out(view, written)}{_cut(view)}"
    )


def _named(view: View, metric: str) -> str:
    """A metric with its formula, for which a phone and many versions leave no room."""
    name, opening, formula = label(view, metric).partition(" (")
    many = len(view.runs) > MANY or not opening
    return layout.with_details(plain(name), "" if many else plain(f"({formula}"))


@remembered(64)
def _means(
    experiment: Experiment, versions: tuple[str, ...], metrics: str, only: tuple[str, ...] | None
) -> pd.DataFrame:
    values = measuring.measurements(experiment, versions, metrics)
    return measure.summarise(measuring.of_queries(only, values))


@remembered(64)
def _rows(
    experiment: Experiment,
    versions: tuple[str, ...],
    baseline: str,
    unlike: tuple[str, ...],
    anyway: bool,
    metrics: str,
    only: tuple[str, ...] | None,
) -> list[dict[str, str]]:
    """For each metric the cells of the versions and how many queries are scored.

    unlike: the versions that may not be compared with the baseline; anyway: they are all the same.
    """
    means = _means(experiment, versions, metrics, only)
    others = tuple(v for v in versions if v != baseline and (v not in unlike or anyway))
    sure = measuring.against(experiment, baseline, others, metrics, only)
    rows = []
    for wanted in parse(metrics):
        mine = means[is_measure(means, wanted)].set_index("run")
        differences = sure[is_measure(sure, wanted)].set_index("candidate_run")
        alike = mine["mean"].drop(list(unlike), errors="ignore").dropna()
        best = alike.max() if len(alike) > 1 else nan
        cells = {
            _head(version, unlike): _cell(
                mine["mean"].get(version), best, differences, version, version not in unlike
            )
            for version in versions
        }
        rows.append({**cells, "Scored": _scored(mine.reindex(list(versions)).dropna(how="all"))})
    return rows


def not_comparable(view: View, experiment: Experiment) -> dict[str, list[str]]:
    """The versions in view that may not be compared with the baseline, each with the ways."""
    ways = {
        version: ranking.unlike(experiment, view.baseline, version)
        for version in view.runs
        if version != view.baseline
    }
    return {version: told for version, told in ways.items() if told}


def without_unlike(view: View, means: pd.DataFrame) -> pd.DataFrame:
    """The means of slices without differences of versions that may not be compared."""
    if view.anyway == "yes":
        return means
    unlike = means["run"].isin(list(not_comparable(view, experiment_of(view))))
    differences = [name for name in ("delta", "delta_low", "delta_high") if name in means]
    return means.assign(**{name: means[name].mask(unlike) for name in differences})


def _head(version: str, unlike: Collection[str]) -> str:
    """The head of a version's column; a mark where no difference to the baseline may be read."""
    return f"{plain(version)} {NOT_COMPARABLE}" if version in unlike else plain(version)


def _unlike_caption(view: View, unlike: dict[str, list[str]]) -> str:
    """Why columns are marked, and whether differences stand in them all the same."""
    reasons = dict.fromkeys(way for ways in unlike.values() for way in ways)
    marks = "differences without ▲ ▼" if view.anyway == "yes" else "so without differences"
    sentence = f"Not comparable with {plain(view.baseline)}, {marks}: "
    return f"{NOT_COMPARABLE} {sentence}{plain('; '.join(reasons), None)}."


def _cell(
    mean: float | None, best: float, differences: pd.DataFrame, version: str, alike: bool
) -> str:
    """A mean, in bold where it is the best, and its difference to the baseline where it is clear.

    A version that is not comparable is neither best, better nor worse: its difference, where it is
    asked for, stands without a mark.
    """
    if mean is None or pd.isna(mean):
        return "–"
    text = number(mean)
    if not alike:
        delta = differences["delta"].get(version, nan)
        return text if pd.isna(delta) else f"{text} ({signed(delta)})"
    text = f"**{text}**" if mean >= best - SAME else text
    if not differences["p_holm"].get(version, nan) < SIGNIFICANT:
        return text
    delta = differences["delta"][version]
    colour, mark = ("green", "▲") if delta > 0 else ("red", "▼")
    return f"{text} :{colour}[{mark} {signed(delta)}]"


def _scored(means: pd.DataFrame) -> str:
    """How many queries are scored, in the order of the versions; what several share stands once."""
    pairs = zip(means["scored"], means["total"], strict=True)
    each = [f"{int(scored):,} of {int(total):,}" for scored, total in pairs]
    return ", ".join(dict.fromkeys(each))


def _left_out(view: View, metrics: str) -> str:
    """Why queries have no value, in sentences; they are never counted as zero."""
    experiment, versions = experiment_of(view), tuple(view.runs)
    only = selected(view, experiment)
    counted = measuring.counts(experiment, versions, only)
    protocol = PROTOCOLS[view.protocol]
    left_out = dict(REASONS)
    if not protocol.of_keywords:
        left_out["no_keyword"] = "without a usable judgement"
    if protocol.nothing_relevant != "null":
        del left_out["no_relevant"]  # these are scored
    reasons = [
        f"{_range(counted[column])} {words}"
        for column, words in left_out.items()
        if counted[column].max() > 0
    ]
    empty = counted["no_results"].max()
    zero = f" {_range(counted['no_results'])} returned no results and count as 0." if empty else ""
    ways = _of_which(view, experiment)
    means = _means(experiment, versions, metrics, only)
    scored = means["run"].astype("str").map(counted.set_index("run")["scored"])
    unknown = means["scored"] == 0 if ways else means["scored"] < scored
    said = [f"Not scored, and not counted as 0: {', '.join(reasons)}."] * bool(reasons)
    if unknown.any():
        said.append("Some metrics have no value for some queries, see Scored.")
    elif not reasons:
        said.append(f"All queries are scored{' in the rows of their kind' if ways else ''}.")
    return f"{ways}{' '.join(said)}{zero}"


def _of_which(view: View, experiment: Experiment) -> str:
    """Which queries each row is of, where pictures and texts have metrics of their own."""
    only, kinds = selected(view, experiment), judging.counted_judgement(experiment).kinds
    in_view = kinds if only is None else set(only)
    numbers = Counter(kind for query, kind in kinds.items() if query in in_view)
    if not numbers[IMAGE] or not numbers[TEXT]:
        return ""
    return (
        f"Image to text, Rsum and mR: {numbers[IMAGE]:,} picture queries. Text to image: "
        f"{numbers[TEXT]:,} text queries. "
    )


def _cut(view: View) -> str:
    """Where lists end early because whole ones would be too much, in a sentence."""
    depth = ranking.ends(experiment_of(view), view.runs)
    if depth is None:
        return ""
    return (
        f" Rankings are cut at rank {depth:,} to fit in memory; metrics without a cutoff stop "
        "there, too."
    )


def _range(numbers: pd.Series) -> str:
    return between(int(numbers.min()), int(numbers.max()))


STABLE = "How stable is the ranking?"


def order(view: View) -> None:
    """How sure the order of the versions by the metric in front is; of many versions in a part of
    the screen that opens, because each has a row and a column."""
    if len(view.runs) > FEW:
        with layout.section(STABLE):
            _order(view)
    else:
        st.header(STABLE, anchor=False)
        _order(view)


def _order(view: View) -> None:
    experiment = experiment_of(view)
    only = selected(view, experiment)
    front = short_label(view, view.metric)
    places = measuring.stability(experiment, view.runs, view.metric, only)
    left_out = measuring.unscored(experiment, view.runs, view.metric, only)
    if len(left_out) < len(view.runs):
        for version, reason in left_out.items():
            st.info(f"{plain(version)} is not ranked: {plain(reason, None)}.")
    if places.empty:
        st.info("A ranking needs at least two queries that are scored in all versions.")
        return
    cells = places.assign(
        said=[plain(_place(*row)) for row in places[["share", "tied"]].to_numpy()]
    )
    placed = [version for version in view.runs if version in set(cells["run"])]
    table = cells.pivot(index="run", columns="place", values="said").loc[placed]
    table.columns = [f"Place {place}" for place in table.columns]
    unlike = not_comparable(view, experiment)
    named = table.rename(index=lambda version: _head(version, unlike)).rename_axis("Version")
    layout.table(named, "order")
    tied = " Tied: versions with equal means share the better place." * bool(cells["tied"].any())
    st.caption(
        f"How often each version takes each place by {plain(front)} when the queries are "
        f"resampled {RESAMPLES:,} times (± 1 %).{tied}{_marked(view, unlike)}"
    )


def every_pair(view: View) -> None:
    """Each two versions: their difference by the metric in front, and how alike their lists are."""
    experiment = experiment_of(view)
    only = selected(view, experiment)
    if measuring.stability(experiment, view.runs, view.metric, only).empty:
        return  # too few queries; said where the order stands
    pairs = measuring.pairs(experiment, view.runs, view.metric, only)
    with layout.section("All pairs"):
        _draw_pairs(view, experiment, pairs)


def _draw_pairs(view: View, experiment: Experiment, pairs: pd.DataFrame) -> None:
    alike = [
        not ranking.unlike(experiment, one, other)
        for one, other in zip(pairs["baseline"], pairs["candidate"], strict=True)
    ]
    shown = pairs if view.anyway == "yes" else pairs[alike]
    if len(shown) < len(pairs):
        st.info("Pairs of versions that are not comparable are hidden.")
    if shown.empty:
        return
    readable = _readable_pairs(shown.assign(alike=pd.Series(alike, index=pairs.index)))
    layout.rows(readable, PAIRS_WRITTEN, hide_index=True, column_config=PAIR_COLUMNS)
    in_scenes = bool(measuring.scenes_of(experiment))
    st.caption(pairs_said(pairs, view.metric, experiment.protocol, in_scenes))
    if not all(alike) and view.anyway == "yes":
        st.caption(f"{NOT_COMPARABLE} Not comparable, shown on request.")


def pairs_said(pairs: pd.DataFrame, metric: str, protocol: str, in_scenes: bool) -> str:
    """On what the table of pairs rests: the queries, the lists, and what is independent."""
    scored, total = int(pairs["scored"].max()), int(pairs["total"].max())
    least = int(pairs["queries"].min())
    empty = f" Pairs with an empty list are skipped there; at least {least:,} queries remain."
    together = ", one observation per scene" if in_scenes else ""
    judged = " judged" if PROTOCOLS[protocol].condensed else ""
    depth = measuring.compared_depth(metric)
    lists = f"first {depth:,}{judged} results" if depth > 1 else f"first{judged} result"
    return (
        f"Based on the {scored:,} of {total:,} queries that are scored in all versions. "
        "Differences, intervals and p: Tukey's test (queries × versions), simultaneous for all "
        f"pairs{together}. Similarity of the lists ({lists}): shared results, rank-biased "
        f"overlap, mean rank change of shared results.{empty * (least < scored)}"
    )


def _marked(view: View, unlike: dict[str, list[str]]) -> str:
    return f" {NOT_COMPARABLE} Not comparable with {plain(view.baseline)}." if unlike else ""


def _place(share_of: float, tied: float) -> str:
    """How often a version has a place, and how much of that it shares with another.

    >>> _place(1.0, 1.0), _place(0.75, 0.25), _place(0.5, 0.0)
    ('> 99.9 %, tied', '75 %, 25 % tied', '50 %')
    """
    if not tied:
        return share(share_of)
    return f"{share(share_of)}, {'tied' if tied == share_of else f'{share(tied)} tied'}"


def _readable_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    marks = pairs["alike"].map({True: "", False: f" {NOT_COMPARABLE}"})
    shown = pairs.assign(
        pair=pairs["candidate"] + " − " + pairs["baseline"] + marks, p=pairs["p"].map(chance)
    )
    return shown[["pair", "delta", "low", "high", "p", "scored", "jaccard", "rbo", "shift"]]


PAIR_COLUMNS = {
    "pair": st.column_config.TextColumn("Pair"),
    "delta": st.column_config.NumberColumn("Difference"),
    "low": st.column_config.NumberColumn("from"),
    "high": st.column_config.NumberColumn("to"),
    "p": st.column_config.TextColumn("p"),
    "scored": st.column_config.NumberColumn("Queries"),
    "jaccard": st.column_config.NumberColumn("Shared (Jaccard)"),
    "rbo": st.column_config.NumberColumn("Overlap (RBO)"),
    "shift": st.column_config.NumberColumn("Rank change"),
}
PAIRS_WRITTEN = {
    **dict.fromkeys(("delta", "low", "high"), signed),
    **dict.fromkeys(("jaccard", "rbo", "shift"), number),
    "scored": "{:,}".format,
}


CEILING = "Ceiling"


def with_ceilings(view: View, metrics: str, rows: list[dict[str, Any]]) -> tuple[pd.DataFrame, str]:
    """Rows of means with what a perfect ranking gets, where some metric cannot reach 1; and a
    sentence on it."""
    experiment = experiment_of(view)
    found = measuring.ceilings(experiment, metrics, selected(view, experiment))
    table = pd.DataFrame(rows)
    if all(value is None for value in found):
        return table, ""
    table.insert(1, CEILING, ["" if value is None else number(value) for value in found])
    return table, (
        "Ceiling: the value of a perfect ranking; below 1 where fewer than K (P@K) or more than K "
        "(R@K) items are relevant. "
    )
