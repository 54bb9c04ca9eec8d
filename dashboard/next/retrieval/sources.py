"""Where a version's results come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dashboard.next.retrieval.gallery import Gallery, Ranking
from dashboard.next.storage.collection import Collection, Version
from dashboard.next.storage.runs import RunFile
from dashboard.next.tables import IntArray


class Source(Protocol):
    """Ranks the queries of a collection, which are given by their positions.

    Attributes:
        not_run: Why a query was not run, by its position.
    """

    @property
    def not_run(self) -> Mapping[int, str]: ...

    def rank(self, queries: IntArray) -> Iterator[Ranking]:
        """Yield the whole ranking of each query; an empty one if it was not run."""
        ...


@dataclass(frozen=True, eq=False)
class VectorSource:
    """Search with a vector of each query: its own, or that of the item it is about.

    Attributes:
        vectors: float32 of shape [queries that have a vector, dimension].
        rows: Row of each query of the collection in `vectors`; -1 if it has none.
    """

    gallery: Gallery
    vectors: NDArray[np.float32]
    rows: IntArray
    not_run: Mapping[int, str]

    def rank(self, queries: IntArray) -> Iterator[Ranking]:
        rows = self.rows[queries]
        found = self.gallery.rank(self.vectors[rows[rows >= 0]])
        for row in rows:
            yield next(found) if row >= 0 else NOTHING


@dataclass(frozen=True, eq=False)
class RunFileSource:
    """Results that a file holds; a query that the file does not name has found nothing."""

    run: RunFile
    not_run: Mapping[int, str]

    def rank(self, queries: IntArray) -> Iterator[Ranking]:
        for query in queries.tolist():
            yield Ranking(*self.run.ranked[query]) if query in self.run.ranked else NOTHING


NOTHING = Ranking(np.empty(0, dtype=np.int64), np.empty(0))


def make_source(collection: Collection, version: Version) -> Source:
    """Return the source of a version's results."""
    if version.run is not None:
        return RunFileSource(version.run, {})
    assert version.items is not None
    items, queries = collection.items, collection.queries
    places = items.find(version.items.ids)
    order = np.argsort(places)
    gallery = Gallery(version.items.unit[order], places[order])
    vectors: list[NDArray[np.float32]] = []
    rows = np.full(len(queries), -1)
    not_run: dict[int, str] = {}
    for query, (name, item) in enumerate(zip(queries.ids, queries["item_id"], strict=True)):
        stored = version.items if item else version.queries
        row = None if stored is None else stored.index.get(item or name)
        if stored is None or row is None:
            whose = f"of the item {item}" if item else "of this query"
            not_run[query] = f"{version.name} has no vector {whose}"
            continue
        rows[query] = len(vectors)
        vectors.append(stored.unit[row])
    shape = (0, version.items.dimension)
    return VectorSource(
        gallery, np.stack(vectors) if vectors else np.empty(shape, np.float32), rows, not_run
    )
