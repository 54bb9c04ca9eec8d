"""Joins by integer codes: text ids become numbers once, and pairs of numbers are looked up.

Nothing downstream compares texts row by row. A pair (query, item) is one number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard import ids
from dashboard.ids import ODD
from dashboard.ids import codes as codes

Codes = NDArray[Any]
Places = NDArray[np.int64]

BLOCK = 1 << 14  # rows at a time: what they need stays in the cache
MOST_BITS = 25  # 32 MB, for 4 million judged pairs; of more, more are looked up for nothing


def categories(values: pd.Series) -> pd.Index:
    """The distinct values of a column: its categories, or else in order of appearance."""
    categorical = isinstance(values.dtype, pd.CategoricalDtype)
    return values.cat.categories if categorical else ids.shared(pd.Index(values.unique()))


def of_items(run: pd.DataFrame, item_ids: Iterable[str]) -> pd.DataFrame:
    """The results of a run that are some of the items."""
    wanted = pd.Series(list(item_ids), dtype="str")
    return run[ids.among(run["item_id"], wanted)]


class Placed:
    """Where some items stand in a ranking of one query, without going over all of it each time."""

    def __init__(self, run: pd.DataFrame) -> None:
        """run: item_id, rank, score."""
        self._ids = categories(run["item_id"])
        self._row = np.full(len(self._ids) + 1, -1, dtype=np.int64)
        self._row[codes(run["item_id"], self._ids)] = np.arange(len(run))
        self._row[-1] = -1  # of an item that is none of these
        self._rank, self._score = run["rank"].to_numpy(), run["score"].to_numpy()

    def of(self, item_ids: Sequence[str]) -> dict[str, tuple[int, float]]:
        """Rank and score of each of some items that is ranked, in the order of the ranking."""
        rows = self._row[self._ids.get_indexer(pd.Index(list(item_ids), dtype="str"))]
        there = sorted((row, item) for row, item in zip(rows.tolist(), item_ids, strict=True))
        return {i: (int(self._rank[r]), float(self._score[r])) for r, i in there if r >= 0}


def pairs(query: Codes, item: Codes, items: int) -> Places:
    """One number for each (query, item); an item of code -1 gets a number of its own."""
    numbers: Places = query.astype(np.int64) * (items + 1) + item + 1
    return numbers


def matching(keys: Places, wanted: Places) -> tuple[Places, Places]:
    """The rows of `wanted` that stand in `keys`, and the rows of `keys` where they stand.

    keys: distinct numbers; wanted: any numbers, in any order.
    """
    likely = _likely(keys, wanted)
    place = pd.Index(keys).get_indexer(pd.Index(wanted[likely]))
    rows = np.flatnonzero(place >= 0)
    return likely[rows], place[rows].astype(np.int64)


def _likely(keys: Places, wanted: Places) -> Places:
    """The rows of `wanted` that may stand in `keys`; one in ten of the others is left.

    Most results are not judged. To throw them out first halves the time of looking up.
    """
    bits = min(max(8 * len(keys), 1).bit_length(), MOST_BITS)
    unused, taken = np.uint64(64 - bits), np.zeros(1 << bits, dtype=bool)
    taken[_slots(keys, unused)] = True
    rows = [
        np.flatnonzero(taken[_slots(wanted[start : start + BLOCK], unused)]) + start
        for start in range(0, len(wanted), BLOCK)
    ]
    return np.concatenate([np.empty(0, dtype=np.int64), *rows])


def _slots(numbers: Places, unused: np.uint64) -> Places:
    hashed = numbers.view(np.uint64) * ODD
    hashed >>= unused
    return hashed.view(np.int64)
