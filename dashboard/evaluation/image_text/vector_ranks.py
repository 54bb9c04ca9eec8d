"""The rank of one known answer per query by counting, both directions from one matrix product.

The one place where no run is built: 5,000 images × 25,000 captions need neither a sort nor the
whole table of similarities, only how many score higher.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dashboard.evaluation.rankings import Array

_CELLS = 6_250_000
"""Scores held at a time, 25 MB; a block is some captions against all images."""
_BYTE = 255
"""So many flags may be summed in one byte."""
_SAME = 5e-7
"""Half of the sixth place: dot products this near are equal, in whatever order they were added."""

_Product = Callable[[int, int, Array], Array]


@dataclass(frozen=True)
class Ranks:
    """Rank, from 1, of the right image for each caption and of the best own caption for each image.

    images [I]: among all captions, 0 for an image without captions; captions [C]: among all images.
    """

    images: Array
    captions: Array


def ranks_of_similarity(similarity: Array, caption_to_image: Array) -> Ranks:
    """Ranks from a table of similarities, images × captions; equal means equal to the last bit.

    `caption_to_image` [C] is each caption's image. Raises ValueError for a map that does not fit,
    or a similarity that is not a number.
    """
    similarity = similarity if similarity.dtype.kind == "f" else similarity.astype(float)
    owners = _checked(caption_to_image, *similarity.shape)
    _refuse_not_finite(similarity, "similarities")
    own = similarity[owners, np.arange(len(owners))]
    just_below = np.nextafter(own, own.dtype.type(-np.inf))

    def columns(start: int, stop: int, room: Array) -> Array:
        np.copyto(room, similarity[:, start:stop].T)
        return room

    return _count(columns, owners, len(similarity), just_below, own)


def ranks_of_vectors(images: Array, captions: Array, caption_to_image: Array) -> Ranks:
    """Ranks by inner product of images [I, d] and captions [C, d] (unit rows: by cosine).

    Products that differ by less than half of the sixth place, relative to the longest vectors, are
    equal. Needs about 35 MB beside the inputs for 25,000 captions. ValueError as
    `ranks_of_similarity`.
    """
    if images.shape[1] != captions.shape[1]:
        raise ValueError(
            f"The images have {images.shape[1]} dimensions and the captions {captions.shape[1]}."
        )
    owners = _checked(caption_to_image, len(images), len(captions))
    _refuse_not_finite(images, "images")
    _refuse_not_finite(captions, "captions")
    own = np.empty(len(captions), dtype=np.result_type(images, captions, np.float32))
    for start in range(0, len(captions), _BYTE):
        some = slice(start, start + _BYTE)
        own[some] = np.einsum("cd,cd->c", images[owners[some]], captions[some])
    same = own.dtype.type(_SAME * (_longest(images) * _longest(captions) or 1))

    def product(start: int, stop: int, room: Array) -> Array:
        return np.matmul(captions[start:stop], images.T, out=room)

    return _count(product, owners, len(images), own - same, own + same)


@dataclass(frozen=True)
class _Answers:
    """The best own caption of each image: its place (first of equals) and its two limits. [I]"""

    place: Array
    lower: Array
    upper: Array

    @classmethod
    def of(cls, owners: Array, images: int, lower: Array, upper: Array) -> _Answers:
        own = np.argsort(owners, kind="stable")
        known, begins = np.unique(owners[own], return_index=True)
        answers = cls(np.full(images, -1), *np.full((2, images), np.inf, dtype=lower.dtype))
        if len(known):
            answers.lower[known] = np.maximum.reduceat(lower[own], begins)
            answers.upper[known] = np.maximum.reduceat(upper[own], begins)
            best = upper[own] > answers.lower[owners[own]]
            answers.place[known] = np.minimum.reduceat(np.where(best, own, len(own)), begins)
        return answers


def _count(product: _Product, owners: Array, images: int, lower: Array, upper: Array) -> Ranks:
    """Count by blocks; for each caption, above `lower` is equal or higher, above `upper` higher."""
    answers = _Answers.of(owners, images, lower, upper)
    rows = min(len(owners), max(1, _CELLS // images))
    room, above = np.empty((rows, images), dtype=lower.dtype), np.empty((rows, images), dtype=bool)
    of_captions = np.empty(len(owners), dtype=np.int64)
    of_images = (answers.place >= 0).astype(np.int64)
    for start in range(0, len(owners), rows):
        block = slice(start, min(start + rows, len(owners)))
        number = block.stop - start
        scores = product(start, block.stop, room[:number])
        limits = (lower[block, None], upper[block, None])
        of_captions[block] = _of_rows(scores, owners[block], limits, above[:number])
        of_images += _in_columns(scores, start, answers, above[:number])
    return Ranks(of_images, of_captions)


def _of_rows(scores: Array, own: Array, limits: tuple[Array, Array], above: Array) -> Array:
    """The rank of the own column of each row: 1 + higher ones + equal ones that stand before it."""
    lower, upper = limits
    itself = (np.arange(len(own)), own)
    np.greater(scores, upper, out=above)
    above[itself] = False
    higher = np.array([np.count_nonzero(row) for row in above])
    np.greater(scores, lower, out=above)
    above[itself] = False
    equal = np.array([np.count_nonzero(row) for row in above]) - higher
    # equal scores are rare: only where there is one it matters who stands before
    for row in np.flatnonzero(equal > 0):
        before = slice(0, own[row])
        higher[row] += np.count_nonzero(above[row, before] & (scores[row, before] <= upper[row]))
    return 1 + higher


def _in_columns(scores: Array, start: int, answers: _Answers, above: Array) -> Array:
    """How many of these rows stand before the answer of each column, by score and then by place."""
    place = answers.place - start
    limit = np.where(place < 0, answers.upper, answers.lower)
    inside = np.flatnonzero((place >= 0) & (place < len(scores)))
    limit[inside] = np.inf
    np.greater(scores, limit, out=above)
    flags = above.view(np.uint8)
    counts = np.zeros(scores.shape[1], dtype=np.int64)
    for first in range(0, len(flags), _BYTE):
        counts += np.add.reduce(flags[first : first + _BYTE], axis=0, dtype=np.uint8)
    for some in np.array_split(inside, -(-len(inside) // _BYTE) or 1):
        counts[some] += _around(scores[:, some], place[some], answers, some)
    return counts


def _around(scores: Array, place: Array, answers: _Answers, some: Array) -> Array:
    """The same for the columns whose answer stands at `place` among these rows."""
    row = np.arange(len(scores))[:, None]
    above = scores > np.where(row < place, answers.lower[some], answers.upper[some])
    above[place, np.arange(len(place))] = False
    return np.asarray(above.sum(axis=0))


def _checked(caption_to_image: Array, images: int, captions: int) -> Array:
    owners = np.asarray(caption_to_image)
    if owners.shape != (captions,):
        raise ValueError(f"{captions} captions, but {owners.size} say which image they belong to.")
    wrong = np.flatnonzero((owners < 0) | (owners >= images) | (owners != np.floor(owners)))
    if len(wrong):
        raise ValueError(
            f"Caption {wrong[0]} belongs to image {owners[wrong[0]]}, "
            f"but images count from 0 to {images - 1}."
        )
    return owners.astype(np.int64)


def _longest(vectors: Array) -> float:
    return float(np.sqrt(np.einsum("nd,nd->n", vectors, vectors).max(initial=0)))


def _refuse_not_finite(table: Array, what: str) -> None:
    for start in range(0, len(table), _BYTE):
        wrong = np.flatnonzero(~np.isfinite(table[start : start + _BYTE]).all(axis=1))
        if len(wrong):
            raise ValueError(f"Row {start + wrong[0]} of the {what} is not all finite numbers.")
