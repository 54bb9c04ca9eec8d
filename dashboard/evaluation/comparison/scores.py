"""Measurements as one array: queries × runs × measures, so that versions are compared all at once.

A null (not scorable) is NaN; a query that a run was never measured on is NaN and not `present`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.evaluation.metrics.registry import check_averaged
from dashboard.evaluation.rankings import Array

Measured = tuple[str, int | None]
"""A metric's name and its cutoff, None where it has none."""


@dataclass(frozen=True)
class Scores:
    """The values of every query (by id), run and measure (both as they first appear)."""

    query_ids: tuple[str, ...]
    runs: tuple[str, ...]
    measures: tuple[Measured, ...]
    values: Array
    """float64 [Q, V, M], NaN for null."""
    present: Array
    """bool [Q, V, M]: a row of the measurements exists, be it null."""

    def place(self, run: str) -> int:
        """The column of one run. Raises ValueError naming the runs that there are."""
        if run not in self.runs:
            known = ", ".join(self.runs) or "none"
            raise ValueError(f"No measurements of the version {run!r}; measured: {known}.")
        return self.runs.index(run)

    def column(self, metric: str, cutoff: int | None) -> Array:
        """The values of one measure, [Q, V]. Raises ValueError when it was not measured."""
        if (metric, cutoff) not in self.measures:
            known = ", ".join(written(*measure) for measure in self.measures) or "none"
            raise ValueError(f"{written(metric, cutoff)} was not measured; measured: {known}.")
        return np.asarray(self.values[:, :, self.measures.index((metric, cutoff))])

    def scored_in_all(self, metric: str, cutoff: int | None) -> tuple[str, ...]:
        """The queries that every run has a value for, by one measure."""
        unknown = np.isnan(self.column(metric, cutoff)).any(axis=1)
        return tuple(self.query_ids[place] for place in np.flatnonzero(~np.asarray(unknown)))

    def grouped(self, groups: Mapping[str, str] | None) -> Array | None:
        """Integer groups of the queries, [Q]; a query without a group stands for itself."""
        if groups is None:
            return None
        names = [("group", groups[q]) if q in groups else ("query", q) for q in self.query_ids]
        places = {name: place for place, name in enumerate(dict.fromkeys(names))}
        return np.array([places[name] for name in names], dtype=np.int64)


def scores(measurements: pd.DataFrame) -> Scores:
    """Arrange a measurements table as one array: the queries by their ids, so that what is drawn of
    them does not depend on the order of a file; runs and measures as they first appear.

    Raises ValueError when a run, query and measure occur twice, or a metric has no arithmetic mean.
    """
    for name in pd.unique(measurements["metric"]):
        check_averaged(str(name))
    queries, query_ids = pd.factorize(measurements["query_id"], sort=True)
    runs, run_names = pd.factorize(measurements["run"])
    measures, names = _measures(measurements)
    shape = (len(query_ids), len(run_names), len(names))
    present = np.zeros(shape, dtype=bool)
    present[queries, runs, measures] = True
    if present.sum() != len(measurements):
        raise ValueError(_sentence_on_the_repeated_row(measurements))
    values = np.full(shape, np.nan)
    values[queries, runs, measures] = measurements["value"].to_numpy("float64", na_value=np.nan)
    return Scores(
        tuple(map(str, query_ids)),
        tuple(map(str, run_names)),
        names,
        values,
        present,
    )


def mean_of(total: Array, number: Array) -> Array:
    """Sums ÷ numbers, NaN where there is none: a mean as it is made wherever one stands."""
    total, number = np.asarray(total, dtype=float), np.asarray(number)
    found = np.divide(total, number, out=np.full(number.shape, np.nan), where=number > 0)
    return np.asarray(found)


def without_dust(differences: Array) -> Array:
    """Differences without what adding in one order or another leaves of a 0, and without -0."""
    return np.asarray(np.round(differences, 12) + 0.0)


def written(metric: str, cutoff: int | None) -> str:
    """A measure in the field's notation.

    >>> written("nDCG", 10), written("AP", None)
    ('nDCG@10', 'AP')
    """
    return metric if cutoff is None else f"{metric}@{cutoff}"


def _measures(measurements: pd.DataFrame) -> tuple[Array, tuple[Measured, ...]]:
    metrics, metric_names = pd.factorize(measurements["metric"])
    cutoffs = measurements["cutoff"].to_numpy("float64", na_value=np.nan)
    places, known = pd.factorize(np.nan_to_num(cutoffs, nan=-1.0))
    codes, pairs = pd.factorize(metrics.astype("int64") * max(len(known), 1) + places)
    metric_of, cutoff_of = np.divmod(np.asarray(pairs), max(len(known), 1))
    names = tuple(
        (str(metric_names[m]), None if known[c] < 0 else int(known[c]))
        for m, c in zip(metric_of, cutoff_of, strict=True)
    )
    return codes, names


def _sentence_on_the_repeated_row(measurements: pd.DataFrame) -> str:
    keys = ["run", "query_id", "metric", "cutoff"]
    row = measurements[measurements.duplicated(keys)].iloc[0]
    cutoff = None if pd.isna(row["cutoff"]) else int(row["cutoff"])
    what = written(str(row["metric"]), cutoff)
    return f"{what} of query {row['query_id']!r} stands twice for the version {row['run']!r}."
