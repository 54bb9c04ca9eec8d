"""A Study: a collection under the choices that numbers depend on. Each part is computed once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, TypeVar

import numpy as np

from dashboard.next.errors import ChoiceError, DataError
from dashboard.next.evaluation.compare import compare_runs, list_differences
from dashboard.next.evaluation.judgement import Judgement, JudgingRules
from dashboard.next.evaluation.measure import Measurement, Row, count_queries, measure_run
from dashboard.next.evaluation.metrics import Measure, parse
from dashboard.next.evaluation.slices import compare_slices, divide_by_column, pair_slices
from dashboard.next.plugins import PLUGINS, load
from dashboard.next.retrieval.encoders import encode_text
from dashboard.next.retrieval.run import Run
from dashboard.next.retrieval.sources import make_source
from dashboard.next.storage.collection import Collection
from dashboard.next.storage.vectors import make_vectors
from dashboard.next.study.choices import Choices
from dashboard.next.study.protocols import find_rules
from dashboard.next.study.query import QueryResult, show_query
from dashboard.next.tables import BoolArray, FloatArray, IntArray, Table

MAX_STUDIES = 16
NO_SLICES = ("query_id", "text", "item_id")
"""Columns of queries.csv that say what a query is, and do not divide queries."""
TYPED = "(typed)"
"""Id of a query that is searched with and not stored."""
Value = TypeVar("Value")


@dataclass(eq=False)
class Study:
    """Every number of a collection under some choices; screens and commands read them here."""

    collection: Collection
    choices: Choices
    _parts: dict[Any, Any] = field(default_factory=dict)
    _locks: dict[Any, threading.Lock] = field(default_factory=dict)

    def _compute_once(self, key: Any, compute: Callable[[], Value]) -> Value:
        """Return a part; who asks for it while it is computed waits for it."""
        if key not in self._parts:
            with self._locks.setdefault(key, threading.Lock()):
                if key not in self._parts:
                    self._parts[key] = compute()
        found: Value = self._parts[key]
        return found

    @property
    def rules(self) -> JudgingRules:
        """Protocol that judges."""
        return find_rules(self.collection, self.choices["protocol"])

    @property
    def judgement(self) -> Judgement:
        """Grades of all items for all queries."""
        judge = self.rules.judge
        return self._compute_once("judgement", lambda: judge(self.collection, self.choices))

    @property
    def queries(self) -> IntArray:
        """Positions of the queries in question."""
        kind, is_text = self.choices["queries"], self.collection.is_text
        found = np.flatnonzero((is_text == (kind == "text")) | (kind == "all"))
        if not len(found):
            raise ChoiceError(f"None of {len(is_text):,} queries is of the kind {kind!r}.")
        return found

    def run(self, version: str) -> Run:
        """Return the run of a version.

        Raises:
            DataError: If there is no such version, or it cannot be used.
        """
        return self._compute_once(("run", version), lambda: self._make_run(version))

    def _make_run(self, version: str) -> Run:
        collection, rules = self.collection, self.rules
        found, least = collection.find_version(version), self.choices["min_similarity"]
        if rules.transform is not None:
            found = rules.transform(found)
        candidates = None
        if rules.candidates is not None:
            candidates = partial(rules.candidates, collection, self.judgement)
        source = make_source(collection, found, rules.ties)
        return Run(source, collection.own_items, -np.inf if least is None else least, candidates)

    def measure(self, versions: Iterable[str], metrics: str) -> list[Measurement]:
        """Return the value of each metric for each version and query."""
        return [self._measure(version, tuple(parse(metrics))) for version in versions]

    def _measure(self, version: str, measures: tuple[Measure, ...]) -> Measurement:
        ids = tuple(self.collection.queries.ids[query] for query in self.queries.tolist())
        values = self._compute_once(
            ("values", version, measures), lambda: self._compute_values(version, measures)
        )
        return Measurement(version, measures, ids, values)

    def _compute_values(self, version: str, measures: Sequence[Measure]) -> FloatArray:
        rules = self.rules
        values = measure_run(self.run(version), self.queries, self.judgement, rules, measures)
        if rules.finish is not None:
            finished = [rules.finish(self, *each) for each in zip(measures, values, strict=True)]
            values = np.stack(finished)
        return values

    @property
    def scenes(self) -> list[str]:
        """Scene of each query in question, "" for none."""
        return [self.collection.queries["scene"][query] for query in self.queries.tolist()]

    def compare(self, baseline: str, candidate: str, metrics: str) -> list[Row]:
        """Return a row a metric; see `evaluation.compare`."""
        before, after = self.measure((baseline, candidate), metrics)
        return self._compute_once(
            ("compare", baseline, candidate, before.measures),
            lambda: compare_runs(before, after, self.scenes),
        )

    def list_slices(self) -> dict[str, BoolArray]:
        """Return which of the queries in question are in each slice, by its name A=x.

        Queries are divided by columns of queries.csv with few values, and by what plugins say in
        the hook `slice_queries`.
        """
        return self._compute_once("slices", self._divide_queries)

    def _divide_queries(self) -> dict[str, BoolArray]:
        table, slices = self.collection.queries, dict[str, BoolArray]()
        for column, cells in table.columns.items():
            if column not in NO_SLICES:
                slices |= divide_by_column(column, [cells[query] for query in self.queries])
        for plugin in PLUGINS:
            if plugin.slice_queries:
                slices |= load(plugin, "slice_queries")(self)
        return slices

    def compare_slices(
        self, baseline: str, candidate: str, metric: str, pairs: bool = False
    ) -> list[Row]:
        """Return a row a slice, or with `pairs` a row for two slices that hold together."""
        delta, _ = list_differences(self.values(baseline, metric), self.values(candidate, metric))
        slices = pair_slices(self.list_slices()) if pairs else self.list_slices()
        ids = [self.collection.queries.ids[query] for query in self.queries.tolist()]
        return self._compute_once(
            ("compare_slices", baseline, candidate, metric, pairs),
            lambda: compare_slices(delta, slices, self.scenes, ids),
        )

    def count_queries(self, version: str) -> dict[str, int]:
        """Return how many queries are scored and why others are not."""
        return self._compute_once(
            ("counts", version),
            lambda: count_queries(self.run(version), self.queries, self.judgement, self.rules),
        )

    def value(self, version: str, query: int, metric: str) -> float | None:
        """Return one value of one query; None for null."""
        found = self.values(version, metric)[np.searchsorted(self.queries, query)]
        return None if np.isnan(found) else float(found)

    def values(self, version: str, metric: str) -> FloatArray:
        """Return the values of one metric, NaN for null. [queries in question]."""
        (measurement,) = self.measure([version], metric)
        return np.asarray(measurement.values[0])

    def query(
        self, query_id: str, versions: Sequence[str], depth: int = 5, metric: str = ""
    ) -> QueryResult:
        """Return what each version finds for a stored query.

        Raises:
            ChoiceError: If the query is unknown, or not of the kind in question.
        """
        query = self.collection.queries.index.get(query_id, -1)
        if query not in self.queries:
            raise ChoiceError(f"There is no query {query_id!r} of the kind in question.")
        return show_query(self, query, versions, depth, metric)

    def search(
        self, versions: Sequence[str], *, text: str = "", item: str = "", depth: int = 5
    ) -> QueryResult:
        """Return what each version finds for a text or an item.

        A stored query's text is searched with its stored vectors; any other text is embedded by
        each version's own text side, and its words are mapped to keywords.

        Raises:
            ChoiceError: If the item is unknown.
        """
        collection = self.collection
        if item and item not in collection.items.index:
            raise ChoiceError(f"There is no item {item!r}.")
        texts = collection.queries["text"]
        if not item and text in texts:
            every = Study(collection, self.choices.replace(queries="all"))
            return show_query(every, texts.index(text), versions, depth, "")
        columns = {"query_id": (TYPED,), "text": (text,), "item_id": (item,)}
        asked = replace(collection, queries=Table("", "query_id", columns))
        if not item:
            asked = self._encode(asked, versions, text)
        kind = "item" if item else "text"
        return show_query(Study(asked, self.choices.replace(queries=kind)), 0, versions, depth, "")

    def _encode(self, asked: Collection, versions: Sequence[str], text: str) -> Collection:
        """Return a collection whose only query is a typed text, with its vectors and keywords."""
        broken, encoded = dict(asked.broken), dict(asked.versions)
        for name in versions:
            if name in encoded and encoded[name].items is not None:
                try:
                    vector = encode_text(asked.folder, name, text)
                    encoded[name] = replace(encoded[name], queries=make_vectors(TYPED, vector))
                except DataError as error:
                    broken[name] = error
        tables = dict(asked.tables)
        for plugin in PLUGINS:
            if plugin.map_text and tables.get(plugin.name) is not None:
                tables[plugin.name] = load(plugin, "map_text")(asked, TYPED, text)
        return replace(asked, versions=encoded, broken=broken, tables=tables)


@lru_cache(maxsize=MAX_STUDIES)
def open_study(collection: Collection, choices: Choices) -> Study:
    """Return the study of a collection under choices; `choices` are those of numbers alone.

    Raises:
        DataError: If a plugin's tables, which the protocol needs, cannot be used.
    """
    problem = collection.broken.get(choices["protocol"])
    if isinstance(problem, DataError):
        raise problem
    return Study(collection, choices)
