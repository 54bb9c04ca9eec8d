"""A submission of features, checked and scored: cosines of the annotated pairs, nothing else.

The composed protocol ranks the annotated items of each query only, about 50 of a gallery that may
hold a million, so no search is made and of the gallery's rows only those are gathered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from dashboard.evaluation.rankings import Array, Floats
from dashboard.tables import DataError, counted

DIMENSION = 128
UNIT = 1e-3  # a norm this near to 1 is 1
PLACES = 6
BLOCK = 1 << 15


class Rows(Protocol):
    """An array, or rows that are read when they are indexed."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, places: Any, /) -> Array: ...


@dataclass(frozen=True, eq=False)
class Features:
    """One vector a row, as submitted: `rows[n]` [d] is of `ids[n]`; `name` is the file's.

    `rows` may lie in a file: it is indexed by slices and places alone, a block at a time.
    """

    name: str
    ids: Sequence[str]
    rows: Rows

    def checked(self, dimension: int = DIMENSION) -> tuple[pd.Index, tuple[str, ...]]:
        """The ids as an index to look places up in, and warnings.

        Raises DataError: another dimension or count than wanted, an id twice, and naming the row a
        vector that is not finite or nothing but zeros.
        """
        if len(self.rows.shape) != 2 or self.rows.dtype.kind != "f":
            found = f"{self.rows.dtype} values of the shape {self.rows.shape}"
            raise DataError(self.name, found, f"a table of floats, one row of {dimension} each")
        if self.rows.shape[1] != dimension:
            found = f"vectors of {self.rows.shape[1]} dimensions"
            raise DataError(self.name, found, f"{dimension} dimensions")
        if len(self.ids) != len(self.rows):
            found = f"{len(self.rows):,} vectors and {len(self.ids):,} ids"
            raise DataError(self.name, found, "one id for each vector, in the same order")
        index = pd.Index(list(self.ids), dtype="str")
        if not index.is_unique:
            twice = index[index.duplicated()][0]
            raise DataError(self.name, f"the id {twice!r} twice", "each id once")
        return index, self._scaled()

    def _scaled(self) -> tuple[str, ...]:
        """A warning where vectors are not of length 1; refuses those that have no direction."""
        other, least, most = 0, np.inf, 0.0
        for start in range(0, len(self.rows), BLOCK):
            lengths = _lengths(self.rows[start : start + BLOCK])
            for wrong, found in (
                (~np.isfinite(lengths), "NaN or infinity"),
                (lengths == 0, "only zeros"),
            ):
                if wrong.any():
                    row = start + int(np.argmax(wrong))
                    found = f"{found} in row {row} ({self.ids[row]!r}), counted from 0"
                    raise DataError(self.name, found, "finite numbers that are not all 0")
            other += int((np.abs(lengths - 1) > UNIT).sum())
            least, most = min(least, lengths.min()), max(most, lengths.max())
        if not other:
            return ()
        found = f"{other:,} of {len(self.rows):,} vectors are not of length 1"
        return (f"{self.name}: {found} ({least:.4g} to {most:.4g}); they were normalised",)


def scored(
    gallery: Features,
    queries: Features,
    labels: pd.DataFrame,
    dimension: int = DIMENSION,
    *,
    items_known: Sequence[str] = (),
    queries_known: Sequence[str] = (),
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The table RUN of a submission, of the annotated pairs alone, and warnings.

    labels: `query_id, item_id` of each annotated pair. The score is the cosine, rounded to six
    places. Equal scores keep the order of `items_known`, the collection's gallery, so that no
    submission chooses it; without a collection, that of the file. Warnings count ids without
    features, and unknown ids. Raises DataError as `Features.checked`, and for an annotated query
    or item without features.
    """
    items, warned = gallery.checked(dimension)
    asked, also = queries.checked(dimension)
    warned = (*warned, *_strangers(gallery.name, items, items_known, "item"))
    also = (*also, *_strangers(queries.name, asked, queries_known, "query", "queries"))
    query = _places(labels["query_id"], asked, "query", queries.name)
    item = _places(labels["item_id"], items, "item", gallery.name)
    score = _cosines(queries.rows, query, gallery.rows, item).round(PLACES)
    place = _gallery_places(items, items_known)[item] if len(items_known) else item
    order = np.lexsort((place, -score, query))
    query = query[order]
    first = np.flatnonzero(np.diff(query, prepend=-1))
    return pd.DataFrame(
        {
            "query_id": pd.Categorical.from_codes(query, categories=asked),
            "item_id": items[item[order]],
            "score": score[order],
            "rank": 1 + np.arange(len(query)) - np.repeat(first, np.diff([*first, len(query)])),
        }
    ), (*warned, *also)


def _gallery_places(items: pd.Index, known: Sequence[str]) -> Array:
    """The place of each submitted item in the collection's gallery; unknown items come last."""
    found: Array = pd.Index(list(known), dtype="str").get_indexer(items)
    return np.where(found < 0, len(known), found)


def _strangers(name: str, given: pd.Index, known: Sequence[str], *what: str) -> tuple[str, ...]:
    """Warnings: how many of a collection's ids lack features, and how many it does not know."""
    if not len(known):
        return ()
    wanted = pd.Index(list(known), dtype="str")
    lacking, strange = wanted.difference(given, sort=False), given.difference(wanted, sort=False)
    said = []
    if len(lacking):
        said.append(
            f"no features of {len(lacking):,} of {counted(len(wanted), *what)}, such as "
            f"{lacking[0]!r}; none of them is annotated"
        )
    if len(strange):
        said.append(
            f"features of {counted(len(strange), *what)} that the collection does not have, such "
            f"as {strange[0]!r}; left out"
        )
    return tuple(f"{name}: {sentence}" for sentence in said)


def _places(wanted: pd.Series, known: pd.Index, what: str, name: str) -> Array:
    places: Array = known.get_indexer(pd.Index(wanted.astype("str")))
    missing = pd.unique(wanted.astype("str").to_numpy()[places < 0])
    if len(missing):
        ids = counted(len(missing), f"annotated {what} id")
        found = f"no features of {ids}, the first {missing[0]!r}"
        raise DataError(name, found, f"features of every annotated {what}")
    return places


def _cosines(left: Rows, lefts: Array, right: Rows, rights: Array) -> Floats:
    """The cosine of each pair of rows, in double precision, many pairs at a time."""
    found = np.empty(len(lefts))
    for start in range(0, len(lefts), BLOCK):
        some = slice(start, start + BLOCK)
        a, b = (
            table[places[some]].astype(np.float64)
            for table, places in ((left, lefts), (right, rights))
        )
        products = np.einsum("pd,pd->p", a, b)
        found[some] = products / np.sqrt(np.einsum("pd,pd->p", a, a) * np.einsum("pd,pd->p", b, b))
    return found


def _lengths(rows: Array) -> Floats:
    wide = np.asarray(rows, dtype=np.float64)
    return np.asarray(np.sqrt(np.einsum("nd,nd->n", wide, wide)))
