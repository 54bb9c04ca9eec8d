"""A Study: a collection under the choices that numbers depend on. Each part is computed once."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial, wraps
from operator import attrgetter
from typing import Any, TypeVar, cast

import numpy as np
from cachetools import LRUCache, cachedmethod

from dashboard.errors import ChoiceError
from dashboard.evaluation.decisions import parse_margins
from dashboard.evaluation.differences import compare_runs, describe_difference, replace_nan
from dashboard.evaluation.judgement import Judgement, JudgingRules, require_relevant
from dashboard.evaluation.measurement import Measurement, measure_run
from dashboard.evaluation.metrics import Measure, parse, parse_one
from dashboard.evaluation.slicing import (
    JOIN,
    Slices,
    compare_slices,
    cross_slices,
    divide_by_column,
    list_means,
    list_scored,
    pair_slices,
)
from dashboard.plugins import load_all
from dashboard.retrieval.sources import Run, VectorSource, make_source
from dashboard.storage.collection import Collection
from dashboard.study.choices import Choices, describe_choices
from dashboard.study.judging import find_rules
from dashboard.study.query_result import QueryResult, show_query
from dashboard.tables import FloatArray, IntArray, Names, Row, Rows
from dashboard.texts import split_names

MAX_STUDIES = 16
MAX_ROWS = 1 << 16
"""Results and missed items of queries that a study holds, of a kilobyte each."""
NO_SLICES = ("query_id", "text", "item_id", "image", "caption", "among",
             "file", "poster", "span_start", "span_end", "copy_of")  # fmt: skip
"""Columns that say what a query or an item is, and do not divide queries."""
Method = TypeVar("Method", bound=Callable[..., Any])


def compute_once(method: Method) -> Method:
    """Let a Study keep what a method returns; who asks while it is computed waits for it."""

    @wraps(method)
    def find(study: Study, *given: Any, **named: Any) -> Any:
        key = (method.__name__, *given, *named.items())
        if key not in study._parts:
            with study._locks.setdefault(key, threading.Lock()):
                if key not in study._parts:
                    study._parts[key] = method(study, *given, **named)
        return study._parts[key]

    return cast(Method, find)


@dataclass(eq=False)
class Study:
    """Every number of a collection under some choices; screens and commands read them here."""

    collection: Collection
    choices: Choices
    _parts: dict[Any, Any] = field(default_factory=dict)
    _locks: dict[Any, Any] = field(default_factory=dict)
    _shown: Any = field(
        default_factory=lambda: LRUCache(MAX_ROWS, lambda found: 1 + len(found.rows + found.missed))
    )
    _shown_lock: Any = field(default_factory=threading.RLock)

    @cached_property
    def rules(self) -> JudgingRules:
        """Protocol that judges."""
        return find_rules(self.collection, self.choices["protocol"])

    @property
    @compute_once
    def judgement(self) -> Judgement:
        """Grades of all items for all queries."""
        if self._slices:
            return self._whole.judgement
        judgement = self.given_judgement
        for amend in [*load_all("amend_judgement"), *load_all("merge_items")]:
            judgement = amend(self.collection, self.choices, judgement)
        return judgement

    @property
    @compute_once
    def given_judgement(self) -> Judgement:
        """Grades as the protocol judges, before a plugin amends them."""
        if self._slices:
            return self._whole.given_judgement
        judgement = self.rules.judge(self.collection, self.choices)
        if self.rules.nothing_relevant != "null":
            return judgement
        return require_relevant(judgement, range(len(self.collection.queries)))

    @property
    def _whole(self) -> Study:
        """The study of the queries of all slices."""
        return _open(self.collection, self.choices.replace(slice=())) if self._slices else self

    @property
    def _slices(self) -> Names:
        return tuple(self.choices["slice"])

    @property
    @compute_once
    def queries(self) -> IntArray:
        """Positions of the queries in question."""
        if self._slices:
            named = self._whole.list_slices()
            inside = np.logical_and.reduce([named[name] for name in self._slices])
            if not inside.any():
                raise ChoiceError(f"No query is in {JOIN.join(self._slices)}.")
            return self._whole.queries[inside]
        kind, is_text = self.choices["queries"], self.collection.is_text
        found = np.flatnonzero((is_text == (kind == "text")) | (kind == "all"))
        if not len(found):
            raise ChoiceError(_explain_lack(self.collection, kind))
        return found

    @property
    def query_ids(self) -> Names:
        """Ids of the queries in question."""
        return tuple(map(self.collection.queries.ids.__getitem__, self.queries.tolist()))

    @compute_once
    def run(self, version: str) -> Run:
        """Return the run of a version.

        Raises:
            DataError: If there is no such version, or it cannot be used.
        """
        if self._slices:
            return self._whole.run(version)
        collection, rules = self.collection, self.rules
        found, least = collection.find_version(version), self.choices["min_similarity"]
        candidates = partial(rules.candidates, collection, self.judgement)
        source = make_source(collection, rules.transform(found), rules.ties)
        exact = getattr(source, "exact", source)  # an index searches vectors, too
        if isinstance(exact, VectorSource):
            exact.skip_empty(candidates)
        run = Run(source, collection.own_items, -np.inf if least is None else least, candidates)
        for merge in load_all("merge_items"):
            run = merge(collection, self.choices, run)
        return run

    @compute_once
    def pick_headline(self, metrics: str) -> str:
        """Return the metric that the protocol shows first.

        One without a cutoff is at the deepest at which it can tell versions apart, or at the least.
        """
        measures = parse(metrics)
        wanted, first = self.rules.headline(self, measures), measures[0].name
        same = [each for each in measures if wanted in (each.name, str(each))]
        same = same or [each for each in measures if each.name == first]
        same.sort(key=lambda each: each.cutoff or math.inf)
        most = len(self.collection.items) - bool((self.collection.own_items >= 0).all())
        return str(([each for each in same if (each.cutoff or 0) < most] or same[:1])[-1])

    def measure(self, versions: Iterable[str], metrics: str) -> list[Measurement]:
        """Return the value of each metric for each version and query."""
        measures, ids = tuple(parse(metrics)), self.query_ids
        folds = self.rules.folds(self)
        return [
            Measurement(version, measures, ids, self._compute_values(version, measures), folds)
            for version in versions
        ]

    def list_means(self, versions: Names, metrics: str) -> Rows:
        """Return a row a version and metric: run, metric, cutoff, mean, scored, total."""
        return [row for each in self.measure(versions, metrics) for row in each.list_means()]

    @compute_once
    def _compute_values(self, version: str, measures: tuple[Measure, ...]) -> FloatArray:
        values = self._list_plain(version, measures)
        if self.rules.finish is None:
            return values
        finish = partial(self.rules.finish, self)
        return np.stack([finish(*each) for each in zip(measures, values, strict=True)])

    def _list_plain(self, version: str, measures: tuple[Measure, ...]) -> FloatArray:
        """Return the values before the protocol looks at other queries. [metrics, queries].

        Each is computed once, with whichever others are asked for first.
        """
        whole = self._whole
        if whole is not self:
            places = np.searchsorted(whole.queries, self.queries)
            return whole._list_plain(version, measures)[:, places]
        rules, known = self.rules, self._parts.setdefault(("plain", version), {})
        with self._locks.setdefault(("plain", version), threading.RLock()):
            new = {m: rules.measure(self, version, m) for m in measures if m not in known}
            if usual := [each for each, values in new.items() if values is None]:
                found = measure_run(self.run(version), self.queries, self.judgement, rules, usual)
                new |= zip(usual, found, strict=True)
            known.update(new)
        return np.stack([known[each] for each in measures])

    @property
    def scenes(self) -> Names:
        """Scene of each query in question, "" for none."""
        return [self.collection.queries["scene"][query] for query in self.queries.tolist()]

    @compute_once
    def compare(self, baseline: str, candidate: str, metrics: str) -> Rows:
        """Return a row a metric; see `evaluation.compare`."""
        before, after = self.measure((baseline, candidate), metrics)
        return compare_runs(before, after, self.scenes, parse_margins(self.choices["margins"]))

    def describe_difference(self, row: Row, baseline: str, candidate: str) -> str:
        """Return a row of a comparison as a sentence, with the choices that change its numbers."""
        told = describe_difference(row, baseline, candidate)
        return " ".join([told, *(f"{each}." for each in self.list_conditions(row["name"]))])

    def list_conditions(self, metrics: str) -> Names:
        """Return the choices that change numbers, and why metrics cannot tell versions apart.

        Each is a sentence without its full stop.
        """
        told = describe_choices(self.collection, self.choices).values()
        return list(filter(None, (*told, self.find_doubt(metrics))))

    @compute_once
    def find_doubt(self, metrics: str) -> str:
        """Return why the protocol cannot tell versions apart by some metrics; "" if it can."""
        return self.rules.doubt(self, metrics)

    @compute_once
    def list_slices(self) -> Slices:
        """Return which of the queries in question are in each slice, by its name A=x.

        Queries are divided by columns with few values, their own or those of their items, and by
        the protocol.
        """
        asked, items = self.collection.queries, self.collection.items
        own, slices = self.collection.own_items[self.queries], Slices()
        for column in dict.fromkeys((*asked.columns, *items.columns)):
            table, places = (asked, self.queries) if column in asked.columns else (items, own)
            if column not in NO_SLICES:
                cells = (*table[column], "")
                slices |= divide_by_column(column, [cells[place] for place in places])
        return slices | self.rules.slice_queries(self)

    @compute_once
    def compare_slices(
        self, baseline: str, candidate: str, metric: str, pairs: bool = False
    ) -> Rows:
        """Return a row a slice, or with `pairs` a row for two slices that hold together."""
        slices = pair_slices(self.list_slices()) if pairs else self.list_slices()
        delta = self._list_differences(baseline, candidate, metric, slices)
        sign = (measure := parse_one(metric)).sign
        rows = compare_slices(delta, slices, self.scenes, self.query_ids, sign)
        return [{"metric": measure.name, "cutoff": measure.cutoff} | row for row in rows]

    def cross_slices(
        self, baseline: str, candidate: str, metric: str, first: str, second: str
    ) -> Rows:
        """Return a row for each slice of one column with each of another."""
        pairs, slices = cross_slices(self.list_slices(), first, second)
        delta = self._list_differences(baseline, candidate, metric, slices)
        rows = list_means(delta, slices, parse_one(metric).sign)
        return [
            {"first": one, "second": other} | row
            for (one, other), row in zip(pairs, rows, strict=True)
        ]

    def _list_differences(
        self, baseline: str, candidate: str, metric: str, slices: Slices
    ) -> FloatArray:
        """Return candidate minus baseline of the queries of each slice; null for medians.

        The values are those that a study of the slice has. [slices or 1, queries].
        """
        before, after = (
            self._list_slice_values(version, metric, slices) for version in (baseline, candidate)
        )
        delta = np.round(after - before, 12) + 0.0
        return np.full_like(delta, np.nan) if parse_one(metric).metric.is_median else delta

    def _list_slice_values(self, version: str, metric: str, slices: Slices) -> FloatArray:
        """Return the values of the queries of each slice. [slices, or 1 for all, queries]."""
        if self.rules.finish is None:
            return self.values(version, metric)[None]
        found, known = np.full((len(slices), len(self.queries)), np.nan), self._whole.list_slices()
        for row, (name, inside) in zip(found, slices.items(), strict=True):
            names = (*self._slices, *split_names(name, JOIN, known))
            if inside.any():
                row[inside] = Study(self.collection, self.choices.replace(slice=names)).values(
                    version, metric
                )
        return found

    def list_slice_means(self, versions: Names, metric: str) -> Rows:
        """Return a row a slice and version: slice, queries (scored), run, mean."""
        rows, slices = [], self.list_slices()
        for version in versions:
            values = self._list_slice_values(version, metric, slices)
            for name, scored in list_scored(values, slices):
                if len(scored):
                    mean = parse_one(metric).average(scored)
                    rows.append(
                        {"slice": name, "queries": len(scored), "run": version, "mean": mean}
                    )
        return rows

    def value(self, version: str, query: int, metric: str) -> float | None:
        """Return one value of one query; None for null."""
        return replace_nan(self.values(version, metric)[np.searchsorted(self.queries, query)])

    def values(self, version: str, metric: str) -> FloatArray:
        """Return the values of one metric, NaN for null. [queries in question]."""
        found: FloatArray = self._compute_values(version, tuple(parse(metric)))[0]
        return found

    def find_items(self, rows: Iterable[Row]) -> IntArray:
        """Return the item of each result, by its `item_id`; -1 for one that there is not."""
        return self.collection.items.find(row["item_id"] or "" for row in rows)

    def query(
        self, query_id: str, versions: Names, depth: int = 5, metric: str = ""
    ) -> QueryResult:
        """Return what each version finds for a stored query; see `find_query`."""
        return self._show(self.find_query(query_id), tuple(versions), depth, metric)

    def find_query(self, query_id: str) -> int:
        """Return the position of a query.

        Raises:
            ChoiceError: If the query is unknown, or not of the kind in question.
        """
        query = self.collection.queries.index.get(query_id, -1)
        if query not in self.queries:
            raise ChoiceError(f"There is no query {query_id!r} of the kind in question.")
        return query

    @cachedmethod(attrgetter("_shown"), lock=attrgetter("_shown_lock"))
    def _show(self, query: int, versions: tuple[str, ...], depth: int, metric: str) -> QueryResult:
        return show_query(self, query, versions, depth, metric)


def _explain_lack(collection: Collection, kind: str) -> str:
    """Return why a collection has no query of a kind, and what to do."""
    if not len(collection.queries):
        left = sum(each.file == "queries.csv" for each in collection.findings)
        lacking = "neither a text nor an image nor the item_id of a known item"
        why = f"{left:,} rows of queries.csv have {lacking}" if left else "queries.csv has no row"
        return (
            f"{collection.name} has no query to search with: {why}. To list them, type: "
            f"python -m dashboard check {collection.name}"
        )
    other = "text" if kind == "item" else "item"
    return (
        f"None of {len(collection.queries):,} queries is of the kind {kind!r}. Choose queries "
        f"= {other} (--queries {other})."
    )


def open_study(collection: Collection, choices: Choices) -> Study:
    """Return the study of a collection under those of some choices that change numbers."""
    return _open(collection, choices.restrict_to_numbers())


@lru_cache(maxsize=MAX_STUDIES)
def _open(collection: Collection, choices: Choices) -> Study:
    return Study(collection, choices)
