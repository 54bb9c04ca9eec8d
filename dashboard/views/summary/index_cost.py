"""Versions that are searched through an index: how, and what the index costs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.evaluation.comparison.index_cost import PARTS
from dashboard.evaluation.digits import number, signed
from dashboard.experiment import index_cost as costs
from dashboard.experiment import ranking
from dashboard.experiment.experiment import Experiment
from dashboard.tables import counted
from dashboard.views import layout
from dashboard.views.address.choices import View
from dashboard.views.experiments import experiment_of
from dashboard.views.labels import short_label
from dashboard.views.summary.measurements import metrics_in_view, selected
from dashboard.views.texts import plain

FIGURES = {
    "alone_p50_ms": ("ms of the index alone, median", 1),
    "alone_p95_ms": ("ms of the index alone, 95 %", 1),
    "p50_ms": ("ms of a search, median", 1),
    "p95_ms": ("ms of a search, 95 %", 1),
    "exact_p50_ms": ("ms of an exact search, median", 1),
    "exact_p95_ms": ("ms of an exact search, 95 %", 1),
    "bytes": ("MB of the index", 1_000_000),
    "vectors_bytes": ("MB of the vectors", 1_000_000),
    "build_s": ("s to build the index", 1),
}
"""What each figure is called, and what it is divided by."""


def index_notes(experiment: Experiment, versions: Iterable[str]) -> None:
    """Say which versions are searched through an index, and what is not known of them; and how
    quickly a search service answered."""
    for sentence in index_sentences(experiment, versions):
        st.caption(plain(sentence, None))


def index_sentences(experiment: Experiment, versions: Iterable[str]) -> list[str]:
    """A sentence for each version that is searched through an index, or that a service answered."""
    every = tuple(dict.fromkeys(versions))
    indexed = [(v, ranking.index_sentence(experiment, v)) for v in costs.indexed(experiment, every)]
    served = [(version, ranking.service_sentence(experiment, version)) for version in every]
    return [f"{version} {sentence}." for version, sentence in [*indexed, *served] if sentence]


def index_cost(view: View) -> None:
    """What the index of baseline or candidate costs, worked out where somebody looks."""
    experiment, pair = experiment_of(view), (view.baseline, view.candidate)
    versions = costs.indexed(experiment, pair)
    if not versions:
        return
    box = st.expander("What the index costs", key="index-cost", on_change="rerun")
    if not box.open:
        return
    with box:
        _parts(view, experiment, versions)
        _figures(experiment, versions)


def _parts(view: View, experiment: Experiment, versions: list[str]) -> None:
    """The difference by each metric as that of the model and that of each index."""
    metrics, only = metrics_in_view(view), selected(view, experiment)
    table = costs.decomposed(experiment, view.baseline, view.candidate, " ".join(metrics), only)
    names = {part: part[0].upper() + part[1:] for part in PARTS[:2]}
    names |= {PARTS[2]: f"Index of {view.candidate}", PARTS[3]: f"Index of {view.baseline}"}
    for part, version in ((PARTS[2], view.candidate), (PARTS[3], view.baseline)):
        if version not in versions:
            del names[part]
    cells = table["part"].to_numpy().reshape(len(metrics), -1)
    rows = [
        {
            "Metric": plain(short_label(view, metric)),
            **{plain(names[part], None): _cell(row)
               for part, row in zip(parts, mine, strict=True) if part in names},
        }
        for metric, parts, mine in zip(metrics, cells, _by_metric(table, len(metrics)), strict=True)
    ]  # fmt: skip
    layout.table(pd.DataFrame(rows).set_index("Metric"), "index-parts")
    index = "" if view.candidate not in versions else " + index of the candidate"
    index += "" if view.baseline not in versions else " − index of the baseline"
    unknown = " –: reads ranks that the index does not answer." * bool(table["delta"].isna().any())
    scored = counted(int(table["scored"].max()), "query", "queries")
    st.caption(
        f"Difference = model{index}. The model's part is the difference by exact search of both. "
        f"Means of {scored} with 95 % intervals.{unknown}"
    )


def _by_metric(table: pd.DataFrame, metrics: int) -> list[list[Mapping[Hashable, Any]]]:
    rows = table.to_dict("records")
    step = len(rows) // metrics
    return [list(rows[start : start + step]) for start in range(0, len(rows), step)]


def _cell(row: Mapping[Hashable, Any]) -> str:
    if pd.isna(row["delta"]):
        return "–"
    if pd.isna(row["low"]):
        return signed(row["delta"])
    return f"{signed(row['delta'])} ({signed(row['low'])} to {signed(row['high'])})"


def _figures(experiment: Experiment, versions: list[str]) -> None:
    """Recall, time and size of each index."""
    found = {version: costs.cost(experiment, version) for version in versions}
    columns = {plain(version): _column(cost) for version, cost in found.items()}
    table = pd.DataFrame(columns).fillna("–").rename_axis("Index")
    layout.table(table, "index-figures")
    some = [
        f"of {plain(version)} on {cost.recall['queries'].max():,} of {cost.total:,} queries"
        for version, cost in found.items()
        if len(cost.recall)
    ]
    st.caption(
        "Index recall@K: the share of exact search's first K that the index found, "
        f"{', '.join(some)}. Times are of one query at a time, on this machine now; a search "
        "scores again what the index answers."
    )


def _column(cost: costs.IndexCost) -> dict[str, str]:
    rows = cost.recall.to_dict("records")
    recalls = {
        f"Index recall@{row['k']}": f"{number(row['recall'])} ({number(row['low'])} to "
        f"{number(row['high'])})"
        for row in rows
    }
    figures = costs.figures(cost)
    known = {
        called: number(value / unit)
        for name, (called, unit) in FIGURES.items()
        if (value := figures[name]) is not None
    }
    return recalls | known
