"""The order of a run: by query, score descending, and how ties are broken."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from dashboard import ids
from dashboard.storage.runs.trec import Codes, Pairs

Ties = Literal["gallery", "trec"]
Rows = npt.NDArray[np.int64]
FEW = 32


def ordered(pairs: Pairs, scores: npt.NDArray[np.float64], ties: Ties) -> pd.DataFrame:
    """The table RUN: by query, score descending, equal scores as `ties` says.

    A file that is in order already, as most are, is not sorted again; only what ties is.
    """
    queries, items = pairs.queries.codes, pairs.items
    if not _descending(queries, scores):
        rows = _sorted(queries, scores)
        queries, items, scores = queries[rows], items.take(rows), scores[rows]
    begins = _beginnings(queries)
    new_score = np.append(True, scores[1:] != scores[:-1])
    new_score[begins] = True
    if not new_score.all():
        items = _ties_broken(items, new_score, ties)
    return pd.DataFrame(
        {
            "query_id": categorical(Codes(queries, pairs.queries.names)),
            "item_id": items.array,
            "score": scores,
            "rank": _counted(begins, len(queries)),
        },
        copy=False,
    )


def _counted(begins: Rows, rows: int) -> Rows:
    """1, 2, 3 … from each of `begins` on."""
    ranks = np.ones(rows, dtype=np.int64)
    ranks[begins[1:]] -= np.diff(begins)
    return np.cumsum(ranks, out=ranks)


def _ties_broken(items: pd.Series, new_score: npt.NDArray[np.bool_], ties: Ties) -> pd.Series:
    """The items with each group of ties (one begins at a `new_score`) sorted.

    Where few rows move, the texts between them are not copied.
    """
    tied = np.flatnonzero(~new_score | ~np.append(new_score[1:], True))
    taken = tied[np.lexsort((_places(items.take(tied), ties), np.cumsum(new_score[tied])))]
    moves = taken != tied
    if np.count_nonzero(moves) > FEW or not ids.is_text(items):
        rows = np.arange(len(items))
        rows[tied] = taken
        return items.take(rows)
    column, start, parts = ids.arrow(items), 0, []
    for place, row in zip(tied[moves].tolist(), taken[moves].tolist(), strict=True):
        parts += [column.slice(start, place - start), column.slice(row, 1)]
        start = place + 1
    parts.append(column.slice(start))
    return ids.texts(pa.chunked_array([chunk for part in parts for chunk in part.chunks]))


def _places(items: pd.Series, ties: Ties) -> Rows:
    """Numbers that ascend as equal scores are to be ordered by their items."""
    if ties == "gallery" and isinstance(items.dtype, pd.CategoricalDtype):
        return np.asarray(items.cat.codes, dtype=np.int64)
    codes, names = pd.factorize(items.astype("str"))
    texts = names.tolist()
    ascending = np.empty(len(texts), dtype="int64")
    ascending[sorted(range(len(texts)), key=texts.__getitem__)] = range(len(texts))
    return -ascending[codes] if ties == "trec" else ascending[codes]


def _sorted(queries: npt.NDArray[np.int32], scores: npt.NDArray[np.float64]) -> Rows:
    """The order of rows by query, score descending; equal ones stand together in any order."""
    single = scores.astype(np.float32)
    if (single != scores).any():
        return np.lexsort((-scores, queries))
    # the bits of a float32, all turned over if it is negative, else the first, order like numbers
    bits = single.view(np.uint32)
    ascending = np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31))
    return np.argsort(queries.astype(np.int64) << 32 | ~ascending)


def _descending(queries: npt.NDArray[np.int32], scores: npt.NDArray[np.float64]) -> bool:
    falls = (queries[1:] == queries[:-1]) & (scores[1:] <= scores[:-1])
    return bool((falls | (queries[1:] > queries[:-1])).all())


def _beginnings(queries: npt.NDArray[np.int32]) -> Rows:
    return np.append(0, np.flatnonzero(queries[1:] != queries[:-1]) + 1)[: len(queries)]


def categorical(column: Codes) -> pd.Categorical:
    """A column of ids as pandas holds codes."""
    return pd.Categorical.from_codes(column.codes, categories=column.names)
