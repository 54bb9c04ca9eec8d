"""The numbers in view: measurements, differences and slices of the queries in question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from dashboard.evaluation.comparison import compare
from dashboard.evaluation.comparison.compare import SAME
from dashboard.evaluation.comparison.scores import mean_of
from dashboard.evaluation.digits import number
from dashboard.evaluation.metrics.registry import Measure, parse
from dashboard.evaluation.protocols.protocol import NO_RELEVANT
from dashboard.experiment import judging, measuring, preparing, ranking
from dashboard.experiment.collection import collections
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.memory import is_remembered, remembered
from dashboard.tables import MEASUREMENTS
from dashboard.views.address.choices import View
from dashboard.views.charts.colours import SMALL_SLICE
from dashboard.views.experiments import experiment_of
from dashboard.views.labels import group_name, short_label, without_cutoff
from dashboard.views.texts import plain


def selected(view: View, experiment: Experiment) -> tuple[str, ...] | None:
    """The queries that the view's slice keeps; `None` where there is no slice."""
    if not view.slice:
        return None
    by, _, name = view.slice.partition("=")
    every = measuring.slices(experiment)
    return tuple(every.loc[(every["by"] == by) & (every["slice"] == name), "query_id"].unique())


def measured(view: View, versions: Sequence[str], metrics: str) -> pd.DataFrame:
    """The measurements of the queries in view."""
    experiment = experiment_of(view)
    values = measuring.measurements(experiment, tuple(versions), metrics)
    only = selected(view, experiment)
    return measuring.of_queries(only, values)


def metrics_in_view(view: View) -> list[str]:
    """The metrics that the protocol shows, and the one in front if it is another."""
    collection = collections.opened(view.collection)
    return preparing.metrics_of(collection, view.protocol, view.metric)


def measure_together(view: View) -> None:
    """Measure all that the Overview draws of its versions at once: rankings are searched once."""
    collection = collections.opened(view.collection)
    metrics = preparing.first_measured(collection, view.protocol, view.metric)
    measuring.measurements(experiment_of(view), tuple(view.runs), metrics)


def comparison(view: View) -> pd.DataFrame:
    """Baseline against candidate, a row for each metric of the protocol, with its label."""
    metrics = metrics_in_view(view)
    experiment = experiment_of(view)
    rows = measuring.comparison(
        experiment, view.baseline, view.candidate, " ".join(metrics), selected(view, experiment)
    )
    return rows.assign(metric_name=metrics, label=[short_label(view, m) for m in metrics])


def deltas(view: View) -> pd.DataFrame:
    """The queries in view by signed difference, worst first, each with its outcome."""
    experiment = experiment_of(view)
    only = selected(view, experiment)
    return _deltas(experiment, view.baseline, view.candidate, view.metric, only)


def remembered_deltas(view: View) -> pd.DataFrame | None:
    """The queries in view by difference, where they are remembered."""
    experiment = experiment_of(view)
    of = (experiment, view.baseline, view.candidate, view.metric, selected(view, experiment))
    return deltas(view) if is_remembered(_deltas, *of) else None


@remembered(64)
def _deltas(
    experiment: Experiment,
    baseline: str,
    candidate: str,
    metric: str,
    only: tuple[str, ...] | None,
) -> pd.DataFrame:
    versions = tuple(dict.fromkeys([baseline, candidate]))
    values = measuring.of_queries(only, measuring.measurements(experiment, versions, metric))
    table = compare.deltas(values, baseline, candidate)
    return table.assign(outcome=table["delta"].map(outcome))


def not_comparable(view: View) -> str:
    """What a reader is told of two versions that are not comparable; empty where they are."""
    ways = ranking.unlike(experiment_of(view), view.baseline, view.candidate)
    return f"These versions are not comparable: {'; '.join(ways)}." if ways else ""


def outcome(delta: float) -> str:
    """What a difference says: better, same or worse; null where there is none."""
    if pd.isna(delta):
        return "null"
    return "same" if abs(delta) <= SAME else "better" if delta > 0 else "worse"


def chosen(view: View, table: pd.DataFrame) -> pd.DataFrame:
    """The queries by difference that the view's filters keep."""
    kept = table if view.outcome == "all" else table[_has_outcome(view, table)]
    if view.between:
        low, high = map(float, view.between.split(".."))
        kept = kept[(kept["delta"] >= low - SAME) & (kept["delta"] <= high + SAME)]
    if view.at:
        for column, value in zip(("baseline", "candidate"), view.at.split(".."), strict=True):
            kept = kept[(kept[column] - float(value)).abs() <= 1e-6]
    if view.find:
        names = kept["query_id"].map(collections.query_names(collections.opened(view.collection)))
        kept = kept[names.str.contains(view.find, case=False, regex=False)]
    return kept


def _has_outcome(view: View, table: pd.DataFrame) -> pd.Series:
    experiment = experiment_of(view)
    if view.outcome == "nothing_relevant":
        reasons = judging.counted_judgement(experiment).unscorable
        return table["query_id"].map(lambda q: reasons.get(q) == NO_RELEVANT)
    if view.outcome in ("lost_first", "broke"):
        metric = "P@1" if view.outcome == "lost_first" else f"Success@{_depth(view)}"
        return table["query_id"].isin(
            measuring.turned(experiment, view.baseline, view.candidate, metric)
        )
    return table["outcome"] == view.outcome


def _depth(view: View) -> int:
    """How deep "right" looks: the cutoff of the metric in front, else 10."""
    return parse(view.metric)[0].cutoff or 10


def over_k(view: View) -> tuple[pd.DataFrame, str]:
    """The means of the metric in front at K = 1 … 10, and what the metric is called."""
    metrics, experiment = preparing.curve(view.metric), experiment_of(view)
    means = measuring.means(experiment, view.runs, metrics, selected(view, experiment))
    return means, without_cutoff(view, metrics.split()[0])


def by_keyword(view: View) -> pd.DataFrame:
    """The means over the queries that ask for each keyword: group, keyword, run, mean, scored."""
    table = measured(view, view.runs, view.metric)
    required = judging.required_keywords(experiment_of(view))
    joined = table.merge(required[required["group"].isin(view.groups)], on="query_id")
    sums = joined.groupby(["group", "keyword", "run"], observed=True)["value"]
    table = sums.agg(mean="sum", scored="count").reset_index()
    return table.assign(mean=mean_of(table["mean"].to_numpy(), table["scored"].to_numpy()))


def groups_of(view: View, means: pd.DataFrame) -> list[str]:
    """The groups that count and that some query asks for, in the collection's order."""
    known = collections.opened(view.collection).groups
    return [group for group in known if group in set(means["group"])]


def keywords_in_words(view: View, means: pd.DataFrame) -> str:
    """The title of the charts by keyword: of which groups, and the candidate's lowest and highest
    keyword of those that enough queries ask for; Markdown."""
    groups = " and ".join(map(group_name, groups_of(view, means)))
    title = f"{short_label(view, view.metric)} by {groups}"
    enough = means[(means["run"] == view.candidate) & (means["scored"] >= SMALL_SLICE)]
    if len(enough) < 2:
        return plain(title)
    low, high = (enough.loc[enough["mean"].agg(end)] for end in ("idxmin", "idxmax"))
    ends = (f"{row['keyword']} {number(row['mean'])}" for row in (low, high))
    return f"{plain(title)} · {plain(view.candidate)}: {plain(' to '.join(ends))}"


def values(view: View, found: Any) -> pd.DataFrame:
    """The measurements of one query by all metrics shown, of the versions that could be asked."""
    if not found.answered:
        return MEASUREMENTS.empty()
    metrics = " ".join(metrics_in_view(view))
    return _values(found.experiment, found.answered, metrics, found.query_id)


def in_front(view: View, found: Any) -> Mapping[str, float]:
    """The same by the metric in front only: run → value, NaN for null."""
    if not found.answered:
        return {}
    return _front(found.experiment, found.answered, view.metric, found.query_id)


@remembered(4096)
def _front(
    experiment: Experiment, versions: tuple[str, ...], metric: str, query_id: str
) -> Mapping[str, float]:
    rows = _values(experiment, versions, metric, query_id)
    return dict(zip(rows["run"].astype("str").tolist(), rows["value"].tolist(), strict=True))


@remembered(512)
def _values(
    experiment: Experiment, versions: tuple[str, ...], metrics: str, query_id: str
) -> pd.DataFrame:
    table = measuring.measurements(experiment, versions, metrics)
    mine: pd.DataFrame = table[table["query_id"] == query_id]
    return mine


def is_measure(rows: pd.DataFrame, measure: Measure) -> pd.Series:
    cutoff = rows["cutoff"].isna() if measure.cutoff is None else rows["cutoff"] == measure.cutoff
    return (rows["metric"] == measure.name) & cutoff.fillna(False)
