"""The rank of one known answer per query by counting, both directions from one matrix product.

The one place where no run is built: 5,000 images × 25,000 captions need neither a sort nor the
whole table of similarities, only how many score higher.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dashboard.evaluation.rankings import Array

_BLOCK = 240
"""Rows of the product at a time; below 256, so that counts of a block fit one byte."""
_SAME = 5e-7
"""Half of the sixth place: dot products this near are equal, in whatever order they were summed."""

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

    def rows(start: int, stop: int, room: Array) -> Array:
        return similarity[start:stop]

    return _count(rows, owners, len(similarity), just_below, own)


def ranks_of_vectors(images: Array, captions: Array, caption_to_image: Array) -> Ranks:
    """Ranks by inner product of images [I, d] and captions [C, d] (unit rows: by cosine).

    Products that differ by less than half of the sixth place are equal. Needs about 35 MB beside
    the inputs for 25,000 captions. ValueError as `ranks_of_similarity`.
    """
    if images.shape[1] != captions.shape[1]:
        raise ValueError(
            f"The images have {images.shape[1]} dimensions and the captions {captions.shape[1]}."
        )
    owners = _checked(caption_to_image, len(images), len(captions))
    _refuse_not_finite(images, "images")
    _refuse_not_finite(captions, "captions")
    own = np.empty(len(captions), dtype=np.result_type(images, captions))
    for start in range(0, len(captions), _BLOCK):
        some = slice(start, start + _BLOCK)
        own[some] = np.einsum("cd,cd->c", images[owners[some]], captions[some])
    same = own.dtype.type(_SAME)

    def product(start: int, stop: int, room: Array) -> Array:
        return np.matmul(images[start:stop], captions.T, out=room[: stop - start])

    return _count(product, owners, len(images), own - same, own + same)


def _count(product: _Product, owners: Array, images: int, lower: Array, upper: Array) -> Ranks:
    """Count by blocks; for each caption, above `lower` is equal or higher, above `upper` higher."""
    by_image = np.argsort(owners, kind="stable")
    begins = np.searchsorted(owners[by_image], np.arange(images + 1))
    room = np.empty((min(_BLOCK, images), len(owners)), dtype=lower.dtype)
    above = np.empty(room.shape, dtype=bool)
    of_images, of_captions = np.zeros(images, dtype=np.int64), np.ones(len(owners), dtype=np.int64)
    for start in range(0, images, _BLOCK):
        stop = min(start + _BLOCK, images)
        scores, mask = product(start, stop, room), above[: stop - start]
        own = by_image[begins[start] : begins[stop]]
        # a row wins a tie against the caption's own row when it stands above it
        limit = np.where(owners < start, upper, lower)
        limit[own] = np.inf
        np.greater(scores, limit, out=mask)
        of_captions += np.add.reduce(mask.view(np.uint8), axis=0, dtype=np.uint8)
        rows = owners[own] - start
        earlier = np.arange(len(scores))[:, None] < rows
        of_captions[own] += (scores[:, own] > np.where(earlier, lower[own], upper[own])).sum(axis=0)
        of_images[start:stop] = _of_rows(scores, own, rows, lower[own], upper[own], mask)
    return Ranks(of_images, of_captions)


def _of_rows(
    scores: Array, own: Array, rows: Array, lower: Array, upper: Array, mask: Array
) -> Array:
    """The rank in each row of its best own column, the first of them where several are best.

    `own` columns in the order of their `rows`, with their limits; rows without an own column get 0.
    """
    ranks = np.zeros(len(scores), dtype=np.int64)
    known, begins = np.unique(rows, return_index=True)
    if len(known) == 0:
        return ranks
    least, most = np.full((2, len(scores), 1), np.inf, dtype=lower.dtype)
    least[known, 0] = np.maximum.reduceat(lower, begins)
    most[known, 0] = np.maximum.reduceat(upper, begins)
    best = scores[rows, own] > least[rows, 0]
    first = np.minimum.reduceat(np.where(best, own, scores.shape[1]), begins)
    np.greater(scores, most, out=mask)
    higher = np.array([np.count_nonzero(mask[row]) for row in known])
    np.greater(scores, least, out=mask)
    equal = np.array([np.count_nonzero(mask[row]) for row in known]) - higher
    ranks[known] = 1 + higher
    # equal scores other than the own ones are rare: only there it matters who stands earlier
    for place in np.flatnonzero(equal > np.add.reduceat(best, begins, dtype=np.int64)):
        row, end = known[place], first[place]
        ranks[row] += np.count_nonzero(mask[row, :end] & ~(scores[row, :end] > most[row, 0]))
    return ranks


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


def _refuse_not_finite(table: Array, what: str) -> None:
    for start in range(0, len(table), _BLOCK):
        wrong = np.flatnonzero(~np.isfinite(table[start : start + _BLOCK]).all(axis=1))
        if len(wrong):
            raise ValueError(f"Row {start + wrong[0]} of the {what} is not all finite numbers.")
