"""Discounts: what a gain at each rank is worth, and the sums over ranks that use them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from dashboard.evaluation.metrics.names import Setting, choice
from dashboard.evaluation.rankings import Array, Counts, Floats, Rankings

Weights = Callable[[int], Floats]

PERSISTENCE = Setting("p", 0.95, low=0.0, high=1.0, bare=True, shown=True, inner=True)
ROWS = Setting("rows", 0, low=0, high=10_000, whole=True, inner=True)
PER_LIST = choice("per", "list", "image")
PER_IMAGE = choice("per", "image", "list")


def persistence(length: int, p: float) -> Floats:
    """(1 − p)·p^(k−1): the chance of reading rank k and stopping there."""
    weights: Floats = (1 - p) * np.power(np.full(length, p), np.arange(length))
    return weights


def logarithmic(length: int) -> Floats:
    """1 ÷ log2(k + 1)."""
    weights: Floats = 1 / np.log2(np.arange(2, length + 2, dtype=np.float64))
    return weights


def constant(length: int) -> Floats:
    """1 at every rank."""
    return np.ones(length)


def average(length: int, rows: int = 0) -> Floats:
    """1 ÷ K, or the weights of a mean of row means where a row of the grid holds `rows` results."""
    if not rows or not length:
        return np.full(length, 1 / max(length, 1))
    row = np.arange(length) // rows
    weights: Floats = 1 / (np.bincount(row)[row] * (row[-1] + 1.0))
    return weights


def columns(gains: Array, places: int) -> Iterator[Array]:
    """The gains of one rank after another, for all queries. [Q] each"""
    return (gains[:, rank] for rank in range(min(places, gains.shape[1])))


def weighted(
    gains: Iterable[Array], queries: int, weights: Floats, places: Counts | None = None
) -> Floats:
    """Σ gain × weight over ranks, the same weights for every list. [Q]

    places: the rank of each gain where columns are no ranks. [Q, D]
    """
    total, product = np.zeros((2, queries))
    of_columns = weights if places is None else (weights[column] for column in places.T)
    for column, weight in zip(gains, of_columns, strict=False):
        total += np.multiply(column, weight, out=product)
    return total


def weighted_by_length(
    gains: Iterable[Array], evaluated: Counts, weights: Weights, places: Counts | None = None
) -> Floats:
    """Σ gain × weight, where the weights depend on how many results are looked at. [Q]"""
    lengths, which = np.unique(evaluated, return_inverse=True)
    if len(lengths) == 1:
        return weighted(gains, len(evaluated), weights(int(lengths[0])), places)
    if places is not None:
        of_each = np.zeros(places.shape, order="F")
        for number, length in enumerate(lengths):
            mine = which == number
            of_each[mine] = np.append(weights(int(length)), 0.0)[places[mine]]
        return np.asarray(sum(map(np.multiply, gains, of_each.T), start=np.zeros(len(evaluated))))
    table = np.zeros((int(lengths.max(initial=0)), len(lengths)))
    for number, length in enumerate(lengths):
        table[:length, number] = weights(int(length))
    total = np.zeros(len(evaluated))
    for column, row in zip(gains, table, strict=False):
        total += column * row[which]
    return total


def per_image(total: Floats, rankings: Rankings, k: int | None, per: str) -> Floats:
    """`total` divided by the number of results looked at where `per` is image. [Q]"""
    if per == "list":
        return total
    return total / np.maximum(rankings.evaluated(k), 1)
