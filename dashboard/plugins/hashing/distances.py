"""Distances of codes: equation (1) of the protocol in both forms, and the bits that differ.

All three are equal for codes of -1 and 1; on stored codes of 0 and 1 equation (1) is not the
Hamming distance, which is why codes are read by their signs.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from dashboard.tables import FloatArray, IntArray


def compute_distance(
    first: FloatArray, second: FloatArray, form: Literal["cosine", "euclidean"] = "cosine"
) -> FloatArray:
    """Return equation (1) of each pair: K ÷ 2 · (1 - cosine), or K ÷ 4 · |h ÷ |h| - h' ÷ |h'||².

    Args:
        first: Codes of shape [rows, K].
        second: Codes of shape [columns, K].
        form: The form of the equation.

    >>> compute_distance(np.array([[1.0, 1, -1, -1]]), np.array([[1.0, -1, -1, 1]])).tolist()
    [[2.0]]
    """
    one, other = (codes / np.linalg.norm(codes, axis=1)[:, None] for codes in (first, second))
    bits = first.shape[1]
    if form == "cosine":
        return np.asarray(bits / 2 * (1 - one @ other.T))
    return np.asarray(bits / 4 * ((one[:, None] - other) ** 2).sum(axis=2))


def count_differing_bits(first: FloatArray, second: FloatArray) -> IntArray:
    """Return the Hamming distance of each pair of codes. [rows, columns]."""
    return np.asarray(((first > 0)[:, None] != (second > 0)).sum(axis=2))
