"""Exact ranks without sorting whole rankings: the first results of a query, and the ranks of wanted
items, counted.

How far an item stands below the best is a whole number: millionths of a similarity, bits of a
Hamming distance. Items are counted in bins of such numbers; only those in the bins of the first
results and of wanted items are sorted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

PLACES = 6
"""Scores are rounded to so many decimal places."""
MILLION = 10**PLACES
HIGHEST = MILLION + 10
"""No cosine of unit vectors is above it, whatever its last bits."""
LOW = np.int64(0xFFFFFFFF)
"""The bits of a number that hold the place of an item."""
BIN_BITS = 16
"""65,536 bins: their table stays in the cache, and few items share the bin of a wanted one."""
MANY = 4_096
"""Of so many wanted items on, four times the bins cost less than the items that share one."""

Numbers = npt.NDArray[Any]
Places = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Gone = tuple[Places, Places]
"""Places that are wanted, and places that are left out."""


def count_ranks(below: Numbers, wanted: Places, k: int) -> tuple[Places, Places]:
    """The places of the `k` smallest numbers, and the ranks, from 1, of the wanted places.

    below: a whole number of at least 0 for each item; of equal ones the earlier comes first.

    >>> first, ranks = count_ranks(np.array([7, 5, 7, 0, 5]), np.array([2, 4]), 2)
    >>> first.tolist(), ranks.tolist()
    ([3, 1], [5, 3])
    """
    bits = BIN_BITS if len(wanted) < MANY else BIN_BITS + 2
    bits = min(bits, len(below).bit_length())  # one for each item is enough
    shift = max(int(below.max() - below.min()).bit_length() - bits, 0)
    bins = np.empty(len(below), dtype=np.intp)  # as bincount and take want them, or each copies
    np.right_shift(below, shift, out=bins, casting="unsafe")
    sizes = np.bincount(bins)
    is_sorted = np.zeros(len(sizes), dtype=bool)
    is_sorted[: int(np.searchsorted(np.cumsum(sizes), k)) + 1] = True
    in_bins = bins[wanted]
    is_sorted[in_bins] = True
    order = np.sort(_in_order(below, np.flatnonzero(is_sorted.take(bins))))
    order &= LOW
    place = np.empty(len(below), dtype=np.int64)  # among the sorted; of others never read
    place[order] = np.arange(len(order))
    unsorted = np.cumsum(np.where(is_sorted, 0, sizes))  # those up to each bin
    return order[:k], place[wanted] + unsorted[in_bins] + 1


def _in_order(below: Numbers, places: Places) -> Places:
    """One number for each place that rises with how far it is below, then with the place."""
    numbers: Places = below[places].astype(np.int64)
    numbers <<= 32
    numbers |= places
    return numbers


@dataclass(frozen=True, eq=False)
class Ranked:
    """Of one query the places of results, their ranks from 1, how far they are below the best, and
    how long the whole ranking is."""

    places: Places
    ranks: Places
    below: Places
    length: int

    @classmethod
    def of(
        cls,
        below: npt.NDArray[np.int32],
        wanted: Places,
        gone: Places,
        k: int,
        furthest: int | None,
    ) -> Ranked:
        """The first `k` and the wanted ones. gone: places left out, none of them wanted."""
        length = len(below) - len(gone)
        before = below[gone]
        if len(gone):  # the last of all for a moment, where they change no rank
            below[gone] = below.max() + 1
        first, ranks = count_ranks(below, wanted, min(k, length))
        below[gone] = before
        deeper = np.flatnonzero(ranks > len(first))
        deeper = deeper[np.argsort(ranks[deeper])]
        places = np.concatenate([first, wanted[deeper]])
        ranks = np.concatenate([np.arange(1, len(first) + 1), ranks[deeper]])
        if furthest is None:
            return cls(places, ranks, below[places], length)
        length = int((below <= furthest).sum()) - int((below[gone] <= furthest).sum())
        near = ranks <= length
        return cls(places[near], ranks[near], below[places[near]], length)


@dataclass(frozen=True, eq=False)
class Kinds:
    """Items of which several can count as one, the nearest for all.

    names: of the kinds; number: the kind of each place; first: the first place of each kind;
    copies: the places of kinds with several items, kind by kind; starts: where each begins there.
    """

    names: pd.Index
    number: Places
    first: Places
    copies: Places
    starts: Places

    @classmethod
    def of(cls, names: Sequence[str]) -> Kinds:
        """names: of the kind of each item."""
        number, distinct = pd.factorize(pd.Index(list(names), dtype="str"))
        order = np.argsort(number, kind="stable")
        first = np.searchsorted(number[order], np.arange(len(distinct)))
        several = np.bincount(number, minlength=len(distinct))[number[order]] > 1
        copies = order[several]
        starts = np.flatnonzero(np.diff(number[copies], prepend=-1))
        return cls(distinct, number, order[first], copies, starts)

    def nearest(self, below: npt.NDArray[np.int32], wanted: Places, own: int) -> Gone:
        """The places of the nearest items of wanted kinds, and those that do not count.

        own: the kind that is left out, or -1.
        """
        best, gone = self.first, np.empty(0, dtype=np.int64)
        if len(self.copies):
            nearest = np.minimum.reduceat(_in_order(below, self.copies), self.starts)
            nearest &= LOW
            best = best.copy()
            best[self.number[nearest]] = nearest
            gone = self.copies[best[self.number[self.copies]] != self.copies]
        if own >= 0:
            wanted, gone = wanted[wanted != own], np.append(gone, best[own])
        return best[wanted], gone


def furthest(at_least: float, bits: int) -> int | None:
    """The largest number below the best whose score is at least that; None: any."""
    if at_least <= -1:
        return None
    every = range((bits or HIGHEST + MILLION) + 1)

    def is_lower(below: int) -> bool:
        return float(scores_of(np.array([below]), bits)[0]) < at_least

    return bisect_left(every, True, key=is_lower) - 1


def scores_of(below: Places, bits: int) -> Floats:
    """Scores as `search` gives them. bits: of hash codes; 0: cosines."""
    if bits:
        return np.asarray((1 - 2 * below / bits).round(PLACES) + 0.0)
    return np.asarray((HIGHEST - below) / MILLION + 0.0)
