"""Binary codes: which are accepted, how far apart they are, and the rankings that follow.

Results are ranked by Hamming distance; equation (1) of the hashing protocol equals it exactly for
codes of -1 and 1. Its "descending order" of distances is read as nearest first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dashboard.evaluation.rankings import Array, Rankings

GRADE_OF_TYPE = {1: 2, 2: 1, 3: 0}
"""The protocol's types of pairs → grades; types 1 and 2 are relevant."""
_CELLS = 4_000_000


def codes(matrix: Array) -> Array:
    """Codes as int8 of -1 and 1, from -1 and 1 or from 0 and 1 (0 becomes -1). [n, K]

    Beside -1 a 0 is what sign(0) leaves and becomes 1. Raises ValueError naming the first row that
    holds anything else.

    >>> codes(np.array([[1, 0], [1, 1]])).tolist(), codes(np.array([[1, 0, -1]])).tolist()
    ([[1, -1], [1, 1]], [[1, 1, -1]])
    """
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ValueError(f"Codes are a table of rows; found an array of the shape {matrix.shape}.")
    wrong = ~np.isin(matrix, (-1, 0, 1))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"Row {row + 1} of the codes has {matrix[row, column]} at place {column + 1}; "
            "wanted only -1 and 1, or only 0 and 1. Take the sign of the features first."
        )
    zero = 1 if (matrix < 0).any() else -1
    return np.where(matrix == 0, zero, matrix).astype(np.int8)


def binarise(features: Array) -> Array:
    """The signs of real features as codes, with sign(0) = 1. Raises ValueError for NaN. [n, K]

    >>> binarise(np.array([[0.3, 0.0, -2.0]])).tolist()
    [[1, 1, -1]]
    """
    if np.isnan(features).any():
        row = int(np.flatnonzero(np.isnan(features).any(axis=1))[0])
        raise ValueError(f"Row {row + 1} of the features holds NaN, which has no sign.")
    return np.where(features >= 0, 1, -1).astype(np.int8)


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


def refuse_overlap(query_ids: Sequence[str], gallery_ids: Sequence[str]) -> None:
    """Raise ValueError when an item is both query and gallery: it would find itself."""
    gallery = set(gallery_ids)
    both = [each for each in query_ids if each in gallery]
    if both:
        some = ", ".join(both[:3]) + (" …" if len(both) > 3 else "")
        raise ValueError(
            f"{len(both)} of {len(query_ids)} queries are in the gallery too ({some}); "
            "the hashing protocol wants two sets without a common item."
        )


def code_rankings(
    queries: Array,
    gallery: Array,
    grades: Array,
    *,
    depth: int | None = None,
    query_ids: Sequence[str] | None = None,
) -> Rankings:
    """Rankings by Hamming distance, nearest first, ties by gallery order, all of it judged.

    `queries` [Q, K] and `gallery` [N, K] codes, `grades` [Q, N]; a hit has at least grade 1.
    `depth` cuts each list, but not within equal distances, so that bounds over ties stay true.
    """
    depth = len(gallery) if depth is None else min(depth, len(gallery))
    blocks = [_sorted(part, grades[rows], depth) for rows, part in _distances(queries, gallery)]
    longest = max((block[0].shape[1] for block in blocks), default=0)
    found, tied = (
        np.asfortranarray(np.concatenate([_widened(b[part], longest) for b in blocks]))
        for part in (0, 1)
    )
    returned = np.concatenate([block[2] for block in blocks])
    ideal = np.asfortranarray(-np.sort(-np.maximum(grades, 0), axis=1)[:, :longest])
    return Rankings(
        query_ids=tuple(query_ids or map(str, range(len(queries)))),
        grades=found,
        credit=found >= 1,
        judged=np.asfortranarray(np.arange(longest) < returned[:, None]),
        returned=returned,
        relevant=(grades >= 1).sum(axis=1),
        ideal=ideal,
        ideal_credit=ideal >= 1,
        tied=tied,
    )


def _distances(queries: Array, gallery: Array) -> Iterator[tuple[slice, Array]]:
    step = max(1, _CELLS // max(1, len(gallery)))
    for start in range(0, len(queries), step):
        rows = slice(start, start + step)
        distances = hamming(queries[rows], gallery)
        # one byte is sorted by radix, ten times quicker than two
        small = gallery.shape[1] < 256
        yield rows, distances.astype(np.uint8) if small else distances


def _sorted(distances: Array, grades: Array, depth: int) -> tuple[Array, Array, Array]:
    """Grades and ties of the nearest `depth` and all that are as near as the last of them."""
    order = np.argsort(distances, axis=1, kind="stable")
    ascending = np.take_along_axis(distances, order, axis=1)
    last = ascending[:, depth - 1 : depth]
    returned = (ascending <= last).sum(axis=1) if depth else np.zeros(len(order), dtype=np.int64)
    longest = int(returned.max(initial=0))
    inside = np.arange(longest) < returned[:, None]
    found = np.where(inside, np.take_along_axis(grades, order[:, :longest], axis=1), 0)
    tied = np.zeros_like(inside)
    tied[:, 1:] = (ascending[:, 1:longest] == ascending[:, : longest - 1]) & inside[:, 1:]
    return found.astype(np.int8), tied, returned


def _widened(table: Array, width: int) -> Array:
    return np.pad(table, ((0, 0), (0, width - table.shape[1])))


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
