"""Joins by integer codes: text ids become numbers once, and pairs of numbers are looked up.

Nothing downstream compares texts row by row. A pair (query, item) is one number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Codes = NDArray[Any]
Places = NDArray[np.int64]

ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 ÷ golden ratio: multiplying by it scatters high bits
KEYS = 8  # a region of numbers has about so many keys,
FILTER_BITS, TABLE_BITS = 7, 5  # 128 slots in the filter and 32 in the table
BLOCK = 1 << 16  # rows that are filtered at a time: what they need stays in the cache


def categories(values: pd.Series) -> pd.Index:
    """The distinct values of a column: its categories, or else in order of appearance."""
    categorical = isinstance(values.dtype, pd.CategoricalDtype)
    index: pd.Index = values.cat.categories if categorical else pd.Index(values.unique())
    return index


def codes(values: pd.Series, index: pd.Index) -> Codes:
    """The place of each value in `index`, -1 where it has none.

    A categorical column costs no work on its texts beyond that on its categories.
    """
    if isinstance(values.dtype, pd.CategoricalDtype):
        numbers, own = values.cat.codes.to_numpy(), values.dtype.categories
    else:
        numbers, own = pd.factorize(values)
    if own is index or own.equals(index):
        return numbers
    return np.append(index.get_indexer(own), -1).astype(np.int32)[numbers]


def pairs(query: Codes, item: Codes, items: int) -> Places:
    """One number for each (query, item); an item of code -1 gets a number of its own."""
    numbers: Places = query.astype(np.int64) * (items + 1) + item + 1
    return numbers


def matching(keys: Places, wanted: Places, size: int) -> tuple[Places, Places]:
    """The rows of `wanted` that stand in `keys`, and the rows of `keys` where they stand.

    keys: distinct numbers from 0 to size - 1; wanted: any numbers below `size`, in any order.
    """
    if size <= 4 * (len(keys) + len(wanted)) + 1024:
        return _by_table(keys, wanted, size)
    return _by_filter(keys, wanted, size)


def _by_table(keys: Places, wanted: Places, size: int) -> tuple[Places, Places]:
    table = np.full(size, -1, dtype=np.int32)
    table[keys] = np.arange(len(keys), dtype=np.int32)
    places = table[wanted]
    rows = np.flatnonzero(places >= 0)
    return rows, places[rows].astype(np.int64)


def _by_filter(keys: Places, wanted: Places, size: int) -> tuple[Places, Places]:
    # most wanted pairs are in no judgement: a table of hash bits throws them out before the
    # search, which then sees few more than those that are found
    region = max(int(size * KEYS // max(len(keys), 1)).bit_length() - 1, 0)
    regions = (size >> region) + 1
    taken = np.zeros(regions << FILTER_BITS, dtype=bool)
    taken[_slots(keys, region, FILTER_BITS)] = True
    kept = [
        np.flatnonzero(taken[_slots(wanted[start : start + BLOCK], region, FILTER_BITS)]) + start
        for start in range(0, len(wanted), BLOCK)
    ]
    likely = np.concatenate([np.empty(0, dtype=np.int64), *kept])
    rows, place = _by_slots(keys, wanted[likely], region, regions)
    return likely[rows], place


def _by_slots(keys: Places, wanted: Places, region: int, regions: int) -> tuple[Places, Places]:
    """`matching` by one look into a table; only keys that lost their slot to another are searched
    for."""
    table = np.zeros(regions << TABLE_BITS, dtype=np.int32)
    slots, numbers = _slots(keys, region, TABLE_BITS), np.arange(len(keys), dtype=np.int32)
    table[slots] = numbers
    lost = np.flatnonzero(table[slots] != numbers)
    lost = lost[np.argsort(keys[lost])]
    places = table[_slots(wanted, region, TABLE_BITS)]
    same = keys[places] == wanted
    if len(lost):
        rest = np.flatnonzero(~same)
        found = np.searchsorted(keys[lost], wanted[rest])
        found[found == len(lost)] = 0
        places[rest] = lost[found]
        same[rest] = keys[places[rest]] == wanted[rest]
    rows = np.flatnonzero(same)
    return rows, places[rows].astype(np.int64)


def _slots(keys: Places, region: int, bits: int) -> Places:
    """A slot for each key: its region of numbers, then a hash within the region's slots.

    Keys of one query are neighbours and so are their slots, which therefore stay in the cache.
    """
    hashed = keys.view(np.uint64) * ODD
    hashed >>= np.uint64(64 - bits)
    slots: Places = keys >> region
    slots <<= bits
    slots += hashed.view(np.int64)
    return slots
