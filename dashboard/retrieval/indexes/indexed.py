"""A gallery that is searched through an index: it answers the first results, later ranks are
unknown.

An index gives candidates in an order of its own. They are scored with the stored vectors and
ordered as exact search orders them, so that equal lists are equal to the last bit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.retrieval.gallery import Gallery, gallery_of
from dashboard.retrieval.indexes import approximate, milvus
from dashboard.retrieval.nearest import MARGIN, NEAR
from dashboard.storage.vectors.vectors import Vectors
from dashboard.storage.versions.index_settings import DEEPEST
from dashboard.storage.versions.versions import Model

Places = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
CANDIDATES = 1 << 18
"""So many candidates are scored at a time."""


class Index(Protocol):
    """Answers candidates for queries.

    seconds, size: what building it took, and its bytes; None: not known.
    """

    @property
    def seconds(self) -> float | None: ...

    @property
    def size(self) -> int | None: ...

    def nearest(self, queries: Floats, reach: int, rows: Places | None) -> Places:
        """The rows of `reach` items near to each query, -1 where there are fewer. [queries, reach]

        rows: the only ones to look at; None: all.
        """
        ...


@dataclass(frozen=True, eq=False)
class IndexedGallery(Gallery):
    """A gallery whose `search` asks an index; all else is exact, by stored vectors.

    depth: so many results of a query are answered at most. rows: where the items stand in the
    index; None: it holds them alone, in this order.
    """

    index: Index
    depth: int
    rows: Places | None = None

    def part(self, ids: Sequence[str]) -> IndexedGallery:
        """The gallery of these items alone, searched through the same index with a filter."""
        if tuple(ids) == self.ids:
            return self
        vectors = self.vectors.rows(ids)
        places = self._places(vectors.ids)
        rows = places if self.rows is None else self.rows[places]
        return IndexedGallery(vectors, self.index, self.depth, rows)

    def search(
        self, queries: Vectors, k: int, leave_out: Mapping[str, str] | None = None
    ) -> pd.DataFrame:
        """The first results as the table RUN, at most `depth` of each query.

        `attrs["partial"]` names the queries whose lists are not whole, and says of each whether
        the index could answer more: {query_id: bool}. Raises ValueError as exact search does.
        """
        self._check(queries, k)
        own, k = self._own(queries, leave_out), min(k, self.depth)
        depth = min(k + int((own >= 0).any()), len(self.ids))
        step = max(1, CANDIDATES // (depth + MARGIN))
        places = np.full((len(queries.ids), depth), -1)
        scores = np.full((len(queries.ids), depth), -np.inf)
        for start in range(0, len(queries.ids), step):
            some = np.arange(start, min(start + step, len(queries.ids)))
            places[some], scores[some] = self._first(queries, some, depth, depth + MARGIN)
        keep = (places >= 0) & (places != own[:, None])
        ranks = keep.cumsum(axis=1)
        keep &= ranks <= k
        run = pd.DataFrame(
            {
                "query_id": pd.Categorical.from_codes(np.nonzero(keep)[0], queries.index),
                "item_id": pd.Categorical.from_codes(places[keep], self.vectors.index),
                "score": scores[keep],
                "rank": ranks[keep],
            }
        )
        answered, whole = keep.sum(axis=1), len(self.ids) - (own >= 0)
        more = dict(zip(queries.ids, (answered == k).tolist(), strict=True))
        short = np.flatnonzero(answered < whole).tolist()
        run.attrs["partial"] = {queries.ids[at]: more[queries.ids[at]] for at in short}
        return run

    def _first(
        self, queries: Vectors, some: Places, depth: int, reach: int
    ) -> tuple[Places, npt.NDArray[np.float64]]:
        """The best `depth` of `reach` candidates, and deeper where equal scores may go on."""
        reach = min(reach, len(self.ids), DEEPEST)
        ids = [queries.ids[at] for at in some]
        places = self._candidates(Gallery(queries).fetch(ids), reach)
        scores = np.full(places.shape, -np.inf)
        row, rank = np.nonzero(places >= 0)
        scores[row, rank] = self.scores(queries, some[row], places[row, rank])
        order = np.lexsort((places, -scores))
        places, scores = (np.take_along_axis(each, order, 1) for each in (places, scores))
        last = scores[:, -1] + NEAR >= scores[:, min(depth, reach) - 1]
        tied = np.flatnonzero(last & np.isfinite(scores[:, -1]))
        missing = ((0, 0), (0, max(0, depth - reach)))
        places = np.pad(places[:, :depth], missing, constant_values=-1)
        scores = np.pad(scores[:, :depth], missing, constant_values=-np.inf)
        if len(tied) and reach < min(len(self.ids), DEEPEST):
            places[tied], scores[tied] = self._first(queries, some[tied], depth, 8 * reach)
        return places, scores

    def _candidates(self, queries: Floats, reach: int) -> Places:
        """The places in this gallery of what the index answers."""
        found = self.index.nearest(queries, reach, self.rows)
        if self.rows is None:
            return found
        place = np.full(int(self.rows.max(initial=-1)) + 2, -1)
        place[self.rows] = np.arange(len(self.rows))
        return place[np.minimum(found, len(place) - 1)]


def gallery_to_search(model: Model, items: pd.DataFrame, *, exact: bool = False) -> Gallery:
    """The gallery of a version's items, searched as its `model.toml` says; exact: exactly all the
    same. items: the table ITEMS of the collection, whose sides a server filters by."""
    settings = model.index
    if exact or settings is None or model.codes:
        return gallery_of(model)
    index: Index
    if settings.server:
        index = milvus.index_of(model, settings, items)
    else:
        index = approximate.index_of(model, settings)
    return IndexedGallery(model.items, index, settings.depth)


@dataclass(frozen=True)
class Timing:
    """The seconds of single searches through an index and of exact ones, what building the index
    took, and its bytes and those of the vectors; None: not known.

    alone: of the index's answers, before they are scored again and made a table.
    """

    alone: tuple[float, ...]
    index: tuple[float, ...]
    exact: tuple[float, ...]
    building: float | None
    size: int | None
    vectors: int


def time_searches(model: Model, items: pd.DataFrame, queries: Vectors) -> Timing:
    """Times a version's searches, one query at a time, through its index and exactly."""
    gallery = gallery_to_search(model, items)
    exact = gallery_to_search(model, items, exact=True)
    if not isinstance(gallery, IndexedGallery):
        raise ValueError(f"{model.name} has no index")
    every = [queries.rows([name]) for name in queries.ids]
    reach = min(gallery.depth + MARGIN, len(gallery.ids))
    alone = _seconds(
        lambda query: gallery.index.nearest(Gallery(query).fetch(query.ids), reach, None), every
    )
    ways = [_seconds(partial(each.search, k=gallery.depth), every) for each in (gallery, exact)]
    index, vectors = gallery.index, 4 * len(gallery.ids) * gallery.dimension
    return Timing(alone, ways[0], ways[1], index.seconds, index.size, vectors)


def _seconds(search: Callable[[Vectors], object], queries: Sequence[Vectors]) -> tuple[float, ...]:
    """The seconds of each search, after one that is no measure."""
    found = []
    for query in [*queries[:1], *queries]:
        start = time.perf_counter()
        search(query)
        found.append(time.perf_counter() - start)
    return tuple(found[1:])
