"""Pairs of vectors that are nearly the same, among so many that not every two are compared whole.

A vector of length 1 has a shadow in a few directions and a rest at right angles to them. The cosine
of two vectors is at most the product of their shadows plus the product of the lengths of their
rests (Cauchy and Schwarz). Only pairs that reach the wanted cosine by this are compared whole: none
is missed, whichever directions are taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dashboard.progress import report
from dashboard.retrieval.counting import PLACES
from dashboard.storage.vectors.rows import Rows, blocks

MOST_PAIRS = 10_000_000
SAMPLE = 1_000
"""Vectors that choose the directions and how many of them."""
FEWEST = 15
"""Directions of the shortest shadow that is tried; then twice as many and one more."""
COMPARISON = 300_000
"""To compare a pair whole, whose vectors are read from a file, costs as much as a product of so
many numbers of shadows."""
SLACK = 1e-5
"""By how much a product of shadows may be too small, as it is computed in single precision."""
ROWS, COLUMNS = 256, 1 << 12
"""A block of products, which stays in the cache."""
WHOLE = 1 << 15
"""Pairs that are compared whole at once."""

Places = npt.NDArray[np.int64]
Floats = npt.NDArray[Any]


def find_close_pairs(rows: Rows, at_least: float) -> tuple[Places, Places]:
    """The places of each two unit rows with at least this cosine, the earlier one first.

    Raises ValueError where there are more than MOST_PAIRS.
    """
    pairs, number = [np.empty((2, 0), dtype=np.int64)], 0
    shadows = _shadows(rows, at_least)
    for start in range(0, len(rows), ROWS):
        mine = shadows[start : start + ROWS]
        for later in range(start, len(rows), COLUMNS):
            report("comparing items", start, len(rows))
            product = mine @ shadows[later : later + COLUMNS].T
            if product.max() < at_least - SLACK:  # as a rule; one look at each is all that it costs
                continue
            possible = np.argwhere(product >= at_least - SLACK).T + np.array([[start], [later]])
            for some in range(0, possible.shape[1], WHOLE):
                report("comparing items", start, len(rows))
                pairs.append(_close(rows, possible[:, some : some + WHOLE], at_least))
                number += pairs[-1].shape[1]
            if number > MOST_PAIRS:
                raise ValueError(f"more than {MOST_PAIRS:,} pairs of items are alike")
    first, second = np.concatenate(pairs, axis=1)
    return first, second


def _close(rows: Rows, pairs: Places, at_least: float) -> Places:
    """Those of some pairs that have this cosine, the earlier one first. [2, pairs]"""
    first, second = pairs = pairs[:, pairs[0] < pairs[1]]
    left, right = rows[first].astype(np.float64), rows[second].astype(np.float64)
    cosine = np.einsum("pd,pd->p", left, right).round(PLACES)
    return np.asarray(pairs[:, cosine >= at_least])


def _shadows(rows: Rows, at_least: float) -> Floats:
    """The shadow of each row and, last, the length of its rest. float32 [rows, directions + 1]"""
    some = rows[np.unique(np.linspace(0, len(rows) - 1, SAMPLE).astype(np.int64))]
    some = some.astype(np.float64)
    directions = np.linalg.eigh(some.T @ some)[1][:, ::-1]  # those with the longest shadows first
    basis = directions[:, : _length_of_shadows(some @ directions, at_least - SLACK)]
    shadows = np.empty((len(rows), basis.shape[1] + 1), dtype=np.float32)
    for start, block in blocks(rows):
        wide = block.astype(np.float64)
        there = shadows[start : start + len(block)]
        there[:, :-1] = wide @ basis
        rest = np.square(wide).sum(axis=1) - np.square(wide @ basis).sum(axis=1)
        there[:, -1] = np.sqrt(rest.clip(0))
    return shadows


def _length_of_shadows(turned: Floats, at_least: float) -> int:
    """How many directions cost least, by the pairs of a sample that their shadows leave.

    turned: the vectors of the sample in all directions, those with the longest shadows first.
    """
    width = int(turned.shape[1])
    best, least, length = width, float(width), FEWEST
    while length < width:
        shadow = turned[:, :length]
        rest = np.sqrt(np.square(turned[:, length:]).sum(axis=1))
        product = shadow @ shadow.T + np.outer(rest, rest)
        left = (np.count_nonzero(product >= at_least) - len(turned)) / len(turned) ** 2
        cost = length + 1 + COMPARISON * left
        if cost < least:
            best, least = length, cost
        length = 2 * length + 1
    return best
