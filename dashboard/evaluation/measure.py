"""Runs × metrics → measurements. Where a value is null or zero is decided here and nowhere else.

A query that failed, or that a run was not asked, is recorded in `run.attrs["not_run"]`, a dict of
query_id → reason; a query that simply has no rows was run and found nothing. Of a query in
`run.attrs["partial"]` the ranks after `run.attrs["cut"]` are unknown (True: the list goes on), and
so is what reads them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.metrics import Measure, parse
from dashboard.evaluation.metrics.registry import across_queries
from dashboard.evaluation.protocols import PROTOCOLS, Protocol
from dashboard.evaluation.protocols.protocol import NO_RELEVANT, ids_of
from dashboard.evaluation.rankings import Flags, Floats, Rankings, list_lengths, rank
from dashboard.tables import DataError

LEAST_IN_PRODUCT = 0.00001
"""What trec_eval takes in a geometric mean for a value that is less, such as 0."""


def measure(
    runs: Mapping[str, pd.DataFrame],
    judgement: Judgement,
    protocol: Protocol | str,
    metrics: Sequence[Measure] | str,
) -> pd.DataFrame:
    """Every metric of every run for every query asked: MEASUREMENTS table, NaN for null.

    Raises ValueError for an unknown metric or protocol, DataError for a grade that a metric cannot
    take.
    """
    protocol = _protocol(protocol)
    measures = parse(metrics) if isinstance(metrics, str) else list(metrics)
    for each in measures:
        check_scale(each, judgement)
    values = []
    for run in runs.values():
        values += _values([(run, judgement)], judgement, protocol, measures)
    return _measurements(list(runs), judgement, measures, values)


def measure_parts(
    name: str,
    parts: Iterable[tuple[pd.DataFrame, Judgement]],
    judgement: Judgement,
    protocol: Protocol,
    measures: Sequence[Measure],
) -> list[pd.DataFrame]:
    """What `measure` gives by each metric, for a run whose queries come in parts, in their order,
    each part with its judgement; values that depend on other queries are finished over all."""
    for each in measures:
        check_scale(each, judgement)
    values = _values(parts, judgement, protocol, measures)
    return [
        _measurements([name], judgement, [each], [found])
        for each, found in zip(measures, values, strict=True)
    ]


def _values(
    parts: Iterable[tuple[pd.DataFrame, Judgement]],
    judgement: Judgement,
    protocol: Protocol,
    measures: Sequence[Measure],
) -> list[Floats]:
    """The final value of each query of one run, by metric. [Q] each"""
    decided: list[list[Floats]] = [[] for _ in measures]
    for run, judged in parts:
        standing = _Standing.of(run, judged, protocol)
        for each, mine in zip(measures, decided, strict=True):
            mine.append(standing.decided(each))
        del run, standing  # or they are in memory while the next part is read
    values = []
    for each, mine in zip(measures, decided, strict=True):
        values.append(protocol.finish(each, np.concatenate(mine), judgement))
        check_size(each, values[-1], judgement)
    return values


def _measurements(
    names: Sequence[str],
    judgement: Judgement,
    measures: Sequence[Measure],
    values: Sequence[Floats],
) -> pd.DataFrame:
    """The table MEASUREMENTS of values, run by run and there metric by metric."""
    queries = len(judgement.query_ids)
    of_run = np.repeat(np.arange(len(names)), len(measures) * queries)
    of_measure = np.tile(np.repeat(np.arange(len(measures)), queries), len(names))
    return pd.DataFrame(
        {
            "run": _texts(names, of_run),
            "query_id": _texts(
                judgement.query_ids, np.tile(np.arange(queries), len(names) * len(measures))
            ),
            "metric": _texts([m.name for m in measures], of_measure),
            "cutoff": pd.array([m.cutoff for m in measures], dtype="Int64").take(of_measure),
            "value": np.concatenate(values) if values else np.empty(0),
        }
    )


def values_of(
    measure: Measure, rankings: Rankings, judgement: Judgement, protocol: Protocol
) -> Floats:
    """One metric of whole rankings, as `measure` gives it before a protocol's `finish`. [Q]"""
    check_scale(measure, judgement)
    standing = _Standing.on(rankings, {}, judgement, protocol)
    values = standing.decided(measure)
    check_size(measure, values, judgement)
    return values


def summarise(measurements: pd.DataFrame) -> pd.DataFrame:
    """Means over the scored queries: run, metric, cutoff, mean, scored, total.

    A metric that asks for it has a geometric mean: values below 0.00001 count as that, as trec_eval
    has it. Where one asks for a sum, a last column `sum` has it, null for the others.
    """
    keys = ["run", "metric", "cutoff"]
    by = measurements.groupby(keys, dropna=False, sort=False, observed=True)["value"]
    table = by.agg(mean="mean", scored="count", total="size").reset_index()
    table = table.astype({"scored": "int64", "total": "int64"})
    across = table["metric"].astype("str").map(across_queries)
    geometric = (across == "geometric mean").to_numpy()
    if geometric.any():
        table.loc[geometric, "mean"] = by.agg(_geometric_mean).to_numpy()[geometric]
    if (across == "sum").any():
        table["sum"] = by.sum().to_numpy()
        table["sum"] = table["sum"].where(across == "sum")
    return table


def _geometric_mean(values: pd.Series) -> float:
    return float(np.exp(np.log(values.clip(lower=LEAST_IN_PRODUCT)).mean()))


def counts(
    runs: Mapping[str, pd.DataFrame], judgement: Judgement, protocol: Protocol | str
) -> pd.DataFrame:
    """How many queries of each run are scored and why others are not.

    Columns run, total, scored, no_keyword (nothing required, or not judged), no_relevant,
    no_results (scored as 0), not_run.
    """
    protocol = _protocol(protocol)
    rows = []
    for name, run in runs.items():
        kept = protocol.keep(run, judgement)  # which results are judged does not matter
        of_none = rank(kept.iloc[:0], judgement)
        rankings = replace(of_none, returned=list_lengths(kept, judgement))
        standing = _Standing.on(rankings, run.attrs, judgement, protocol)
        rows.append({"run": name, **standing.counts()})
    columns = ["run", "total", "scored", "no_keyword", "no_relevant", "no_results", "not_run"]
    return pd.DataFrame(rows, columns=columns)


@dataclass(frozen=True, eq=False)
class _Standing:
    """How each query stands with one run: the table "value, zero or null" as flags. [Q] each"""

    rankings: Rankings
    not_run: Flags
    unscorable: Flags
    nothing_relevant: Flags
    absent: Flags
    partial: Flags
    goes_on: Flags
    known: int
    protocol: Protocol

    @classmethod
    def of(cls, run: pd.DataFrame, judgement: Judgement, protocol: Protocol) -> _Standing:
        """The rankings of one run under a protocol, and how each query stands."""
        rankings = rank(protocol.keep(run, judgement), judgement)
        return cls.on(rankings, run.attrs, judgement, protocol)

    @classmethod
    def on(
        cls,
        rankings: Rankings,
        attrs: Mapping[Hashable, Any],
        judgement: Judgement,
        protocol: Protocol,
    ) -> _Standing:
        """How each query stands with its rankings. attrs: of the run that they are of."""
        other = {q for q, reason in judgement.unscorable.items() if reason != NO_RELEVANT}
        partial = attrs.get("partial", {})
        return cls(
            rankings,
            not_run=_flags(judgement, attrs.get("not_run", {})),
            unscorable=_flags(judgement, other),
            nothing_relevant=rankings.relevant == 0,
            absent=rankings.returned == 0,
            partial=_flags(judgement, partial),
            goes_on=_flags(judgement, {query for query, more in partial.items() if more}),
            known=attrs.get("cut", 0) if partial else 0,
            protocol=protocol,
        )

    @property
    def null(self) -> Flags:
        """The queries that no metric is given for."""
        null = self.not_run | self.unscorable
        if self.protocol.nothing_relevant == "null":
            null = null | self.nothing_relevant
        return null

    def unknown(self, measure: Measure) -> Flags:
        """The queries of which a metric reads ranks that nobody knows."""
        if measure.reach is None or measure.reach > self.known:
            return self.partial
        return self.goes_on & (self.rankings.returned < measure.reach)

    def decided(self, measure: Measure) -> Floats:
        """What counts of a formula's values, NaN being null."""
        values = self.of_lists(measure)
        values[self.unknown(measure)] = np.nan
        return values

    def of_lists(self, measure: Measure) -> Floats:
        """The values as if lists ended where they end in the run."""
        values = measure(self.rankings).copy()
        undefined = np.isnan(values)
        if self.protocol.nothing_relevant == "zero":
            values[undefined] = 0.0
        # a query that was run and found nothing is worth 0 where finding was possible
        values[undefined & self.absent & ~self.nothing_relevant] = 0.0
        values[self.null] = np.nan
        return values

    def counts(self) -> dict[str, int]:
        """The numbers of `counts`; a query is counted under the first reason that holds."""
        scorable = ~self.not_run & ~self.unscorable
        flags = {
            "scored": ~self.null,
            "no_keyword": self.unscorable & ~self.not_run,
            "no_relevant": self.nothing_relevant & scorable,
            "no_results": self.absent & ~self.null,
            "not_run": self.not_run,
        }
        return {"total": len(self.null)} | {name: int(f.sum()) for name, f in flags.items()}


def scorable(run: pd.DataFrame, judgement: Judgement, protocol: Protocol) -> Flags:
    """Which queries have a value by a metric that reads no rank that is unknown. [Q]"""
    values = _Standing.of(run, judgement, protocol).of_lists(parse("Success")[0])
    return ~np.isnan(values)


def _protocol(protocol: Protocol | str) -> Protocol:
    if isinstance(protocol, Protocol):
        return protocol
    if protocol not in PROTOCOLS:
        raise ValueError(f"There is no protocol {protocol!r}. Known: {', '.join(PROTOCOLS)}.")
    return PROTOCOLS[protocol]


def _flags(judgement: Judgement, queries: Mapping[str, object] | set[str]) -> Flags:
    flags: Flags = judgement.asked.isin(list(queries))
    return flags


def _texts(texts: Sequence[str], places: np.ndarray) -> pd.Series:
    return pd.Series(pd.array(list(texts), dtype="str").take(places))


MOST = 1e90
"""Values up to here can be compared: chance is reckoned with their cubes, added up."""


def check_scale(measure: Measure, judgement: Judgement) -> None:
    """Raise DataError for a grade above the largest that ERR(exp) makes a chance of."""
    settings = dict(measure.settings)
    if measure.metric.name != "ERR" or settings.get("stop") != "exp":
        return
    largest, row = float(settings["max"]), judgement.highest
    if row is None or row["grade"] <= largest:
        return
    least = int(np.ceil(row["grade"]))
    setting = next(each for each in measure.metric.settings if each.name == "max")
    cure = f"Write ERR(exp,max={least}), with which grades up to {least} count."
    if least > setting.high:
        cure = f"Divide the grades by a number: max is at most {setting.high:,}."
    raise DataError(
        "qrels",
        f"grade {row['grade']:g} for the query {row['query_id']!r} and the item {row['item_id']!r}",
        f"grades up to {largest:g} for {measure.name}, whose chance of a stop is "
        f"(2^grade − 1) ÷ 2^{largest:g}",
        cure=cure,
        about=ids_of(row.to_frame().T),
    )


def check_size(measure: Measure, values: Floats, judgement: Judgement) -> None:
    """Raise DataError where a value is too large to be reckoned with, for the largest grade."""
    if not (np.abs(values) > MOST).any() or (row := judgement.highest) is None:
        return
    raise DataError(
        "qrels",
        f"grade {row['grade']:g} for the query {row['query_id']!r} and the item {row['item_id']!r}",
        f"smaller grades: {measure} would be above {MOST:g}",
        cure=f"Divide the grades by a number, or ask for n{measure}, which is a share.",
        about=ids_of(row.to_frame().T),
    )
