"""Metrics of grades (DCG, nDCG) and of credit, the partial relevance in [0, 1] (the others)."""

from __future__ import annotations

import numpy as np

from dashboard.evaluation.metrics import discounts
from dashboard.evaluation.metrics.binary import ratio
from dashboard.evaluation.metrics.discounts import (
    PER_LIST,
    PERSISTENCE,
    ROWS,
    columns,
    per_image,
    weighted,
    weighted_by_length,
)
from dashboard.evaluation.metrics.names import Setting, choice
from dashboard.evaluation.metrics.registry import metric
from dashboard.evaluation.rankings import Array, Floats, Rankings

GAIN = choice("gain", "linear", "exp", "credit", bare=True)
IDEAL = choice("ideal", "judged", "retrieved")
EXPONENT = 300
"""Gains up to 2^300 are added up as they are; larger ones are first divided by the largest."""


@metric(
    "DCG",
    GAIN,
    PER_LIST,
    formula="Σ gain ÷ log2(k + 1)",
    source="Järvelin and Kekäläinen 2002; trec_eval; exp: Burges 2005",
    reads="grades",
)
def discounted_gain(
    rankings: Rankings, k: int | None, gain: str = "linear", per: str = "list"
) -> Floats:
    """Sum of gains, each divided by log2(rank + 1) (reads grades; with gain=credit, credit).

    Linear: the gain is the grade; exp: 2^grade − 1; a grade below 0 gains 0.

    >>> from dashboard.evaluation.rankings import from_lists
    >>> discounted_gain(from_lists([[2, 0, 1]]), 3).tolist()
    [2.5]
    """
    values = rankings.credit if gain == "credit" else rankings.gains
    with np.errstate(over="ignore"):  # infinite where it is too large, which measure refuses
        return per_image(_discounted(values, k, gain), rankings, k, per)


@metric(
    "nDCG",
    GAIN,
    IDEAL,
    formula="DCG ÷ DCG of the best order of all judged items",
    source="trec_eval ndcg, ndcg_cut; exp: Burges 2005; ALFA 0.1 NDCG@K",
    reads="grades",
)
def normalised_gain(
    rankings: Rankings, k: int | None, gain: str = "linear", ideal: str = "judged"
) -> Floats:
    """DCG as a share of the best possible DCG (reads grades; with gain=credit, credit).

    The best is that of all judged items, or with ideal=retrieved that of what came back; NaN where
    it is 0. Gains too large to be added up are divided by the largest, which leaves the share.

    >>> from dashboard.evaluation.rankings import from_lists
    >>> normalised_gain(from_lists([[0, 1]]), None).round(4).tolist()
    [0.6309]
    """
    if gain == "credit":
        best = rankings.ideal_credit if ideal == "judged" else rankings.retrieved_ideal_credit
    else:
        best = rankings.ideal if ideal == "judged" else rankings.retrieved_ideal
    values = rankings.credit if gain == "credit" else rankings.gains
    divisor = too_large(best, values, gain)
    return ratio(_discounted(values, k, gain, divisor), _discounted(best, k, gain, divisor))


def too_large(best: Array, values: Array, gain: str) -> Floats | None:
    """The exponent of 2 that each query's gains are divided by before they are added up. [Q]

    0 where they are as small as usual; None where all are. best, values: grades [Q, J], [Q, D].
    """
    if gain == "credit" or best.dtype == values.dtype == np.int8:
        return None  # up to 1, or up to 127: the usual case
    largest = np.maximum(best.max(axis=1, initial=0), values.max(axis=1, initial=0)).astype(float)
    if gain != "exp":
        largest = np.log2(np.maximum(largest, 1))
    if not (largest > EXPONENT).any():
        return None
    return np.where(largest > EXPONENT, np.ceil(largest), 0.0)


def gains(values: Array, gain: str, divisor: Array | None = None) -> Floats:
    """What grades (or credits) are worth, divided by 2^divisor: the grade, or with exp
    2^grade − 1. Infinite where that is no number of a computer."""
    values = values.astype(np.float64, order="F")
    lift = np.zeros(1) if divisor is None else divisor
    with np.errstate(over="ignore"):
        if gain == "exp":
            return np.asarray(np.exp2(values - lift) - np.exp2(-lift))
        return np.asarray(np.ldexp(values, -lift.astype(np.int64)))


def _discounted(values: Array, k: int | None, gain: str, divisor: Floats | None = None) -> Floats:
    places = values.shape[1] if k is None else min(k, values.shape[1])
    if gain == "exp" or divisor is not None:
        lift = None if divisor is None else divisor[:, None]
        values = gains(values[:, :places], gain, lift)
    return weighted(columns(values, places), len(values), discounts.logarithmic(places))


def stopping(grades: Array, largest: int) -> Floats:
    """gdeval's chance to stop at a result: (2^grade − 1) ÷ 2^largest.

    >>> stopping(np.array([0, 1, 2, 4]), 4).tolist()
    [0.0, 0.0625, 0.1875, 0.9375]
    """
    with np.errstate(over="ignore"):  # a grade above the largest has no chance; measure refuses it
        return np.asarray(np.exp2(grades.astype(np.float64) - largest) - np.exp2(-float(largest)))


@metric(
    "CG",
    PER_LIST,
    formula="Σ credit",
    source="Zhang et al. 2018; Shao et al. 2019 (CG, ORG)",
    reads="credit",
)
def cumulative_gain(rankings: Rankings, k: int | None, per: str = "list") -> Floats:
    """Sum of the credit of the results looked at (reads credit).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> cumulative_gain(from_lists([[1, 1, 1]], credit=[[0.5, 0.25, 1]]), 2).tolist()
    [0.75]
    """
    places = rankings.places(k)
    total = weighted(columns(rankings.credit, places), len(rankings.credit), np.ones(places))
    return per_image(total, rankings, k, per)


@metric(
    "AVG",
    ROWS,
    PER_LIST,
    formula="Σ credit ÷ K, or the mean of row means with `rows` results in a row",
    source="Shao et al. 2019 (AVG, ORG)",
    reads="credit",
)
def average_gain(rankings: Rankings, k: int | None, rows: int = 0, per: str = "list") -> Floats:
    """Mean credit of the K results looked at; rows=5: mean of means of rows of 5 (reads credit).

    K is the cutoff, or the length of a shorter list.

    >>> from dashboard.evaluation.rankings import from_lists
    >>> average_gain(from_lists([[1, 1, 0]]), None, rows=2).tolist()
    [0.5]
    """
    evaluated = rankings.evaluated(k)
    total = weighted_by_length(
        columns(rankings.credit, rankings.places(k)),
        evaluated,
        lambda length: discounts.average(length, rows),
    )
    return per_image(total, rankings, k, per)


@metric(
    "MAX",
    PER_LIST,
    formula="largest credit",
    source="Shao et al. 2019 (MAX, ORG)",
    reads="credit",
)
def largest_gain(rankings: Rankings, k: int | None, per: str = "list") -> Floats:
    """Largest credit among the results looked at (reads credit).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> largest_gain(from_lists([[0, 1]], credit=[[0.5, 1]]), 1).tolist()
    [0.5]
    """
    best = rankings.credit[:, :k].max(axis=1, initial=0).astype(np.float64)
    return per_image(best, rankings, k, per)


@metric(
    "RBP",
    PERSISTENCE,
    PER_LIST,
    formula="(1 − p) Σ credit · p^(k−1)",
    source="Moffat and Zobel 2008; Shao et al. 2019 (RBP, ORG)",
    reads="credit",
)
def rank_biased_precision(
    rankings: Rankings, k: int | None, p: float = 0.95, per: str = "list"
) -> Floats:
    """Expected credit seen by a reader who reads on with probability p (reads credit).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> rank_biased_precision(from_lists([[1, 0, 1]]), None, p=0.5).tolist()
    [0.625]
    """
    places = rankings.places(k)
    weights = discounts.persistence(places, p)
    total = weighted(columns(rankings.credit, places), len(rankings.credit), weights)
    return per_image(total, rankings, k, per)


@metric(
    "ERR",
    choice("stop", "credit", "exp", bare=True),
    Setting("max", 4, low=1, high=10_000, whole=True),
    PER_LIST,
    formula="Σ (1 ÷ k) · r_k · Π_{j<k} (1 − r_j)",
    source="Chapelle et al. 2009; exp: gdeval; Shao et al. 2019 (ERR, ORG)",
    reads="credit",
)
def expected_reciprocal_rank(
    rankings: Rankings,
    k: int | None,
    stop: str = "credit",
    max: int = 4,
    per: str = "list",
) -> Floats:
    """Expected 1 ÷ rank where a reader stops (reads credit; with stop=exp, grades).

    The reader stops at each result with probability r: its credit, or as gdeval has it
    (2^grade − 1) ÷ 2^max, where no grade may be above max.

    >>> from dashboard.evaluation.rankings import from_lists
    >>> expected_reciprocal_rank(from_lists([[1, 1]], credit=[[0.5, 0.5]]), None).tolist()
    [0.625]
    """
    total, going = np.zeros(len(rankings.returned)), np.ones(len(rankings.returned))
    with np.errstate(over="ignore", invalid="ignore"):  # of grades above max, which are refused
        for rank in range(rankings.places(k)):
            if stop == "exp":
                chance = stopping(rankings.gains[:, rank], max)
            else:
                chance = rankings.credit[:, rank].astype(np.float64)
            total += going * chance / (rank + 1)
            going *= 1 - chance
    return per_image(total, rankings, k, per)
