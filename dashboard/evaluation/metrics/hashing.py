"""Binary codes: how far apart they are, counted and by the source's equation.

Results are ranked by Hamming distance; equation (1) of the hashing protocol equals it exactly for
codes of -1 and 1. Its "descending order" of distances is read as nearest first.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dashboard.evaluation.rankings import Array


def equation_1(first: Array, second: Array) -> float:
    """K ÷ 4 × squared distance of the two normalised vectors: equation (1), first form."""
    unit, other = _unit(first), _unit(second)
    return float(len(unit) / 4 * ((unit - other) ** 2).sum())


def equation_1_cosine(first: Array, second: Array) -> float:
    """K ÷ 2 × (1 - cosine): equation (1), second form; the Hamming distance for codes of -1 and 1.

    >>> equation_1_cosine(np.array([1, 1, -1, -1]), np.array([1, -1, -1, 1]))
    2.0
    """
    unit, other = _unit(first), _unit(second)
    return float(len(unit) / 2 * (1 - unit @ other))


def hamming(queries: Array, gallery: Array) -> Array:
    """In how many places each query's code differs from each gallery code. uint16 [Q, N]

    >>> hamming(np.array([[1, 1, 1]]), np.array([[1, 1, 1], [1, -1, -1]])).tolist()
    [[0, 2]]
    """
    if queries.shape[1] != gallery.shape[1]:
        raise ValueError(
            f"The queries' codes have {queries.shape[1]} places, the gallery's {gallery.shape[1]}."
        )
    distances = np.zeros((len(queries), len(gallery)), dtype=np.uint16)
    for word, other in zip(_words(queries), _words(gallery), strict=True):
        distances += np.bitwise_count(word[:, None] ^ other)
    return distances


def _words(matrix: Array) -> Iterator[Array]:
    """The codes packed into words of 64 bits, one array per word."""
    bits = np.packbits(matrix > 0, axis=1)
    padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    yield from np.ascontiguousarray(padded.view(np.uint64).T)


def _unit(vector: Array) -> Array:
    length = float(np.linalg.norm(vector))
    if not length > 0:
        raise ValueError("A code of nothing but 0 has no direction, so equation (1) has no value.")
    return np.asarray(vector / length)
