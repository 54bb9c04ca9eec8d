"""Metrics of grades (DCG, nDCG) and of credit, the partial relevance in [0, 1] (the others)."""

from __future__ import annotations

import numpy as np
import pandas as pd

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
from dashboard.evaluation.metrics.explanation import (
    Explanation,
    RankedList,
    Sum,
    average_gains,
    divide_per_image,
    find_largest,
    list_numbers,
    sum_terms,
    weigh_gains,
    write_number,
    write_result,
    write_sum,
)
from dashboard.evaluation.metrics.names import Setting, choice
from dashboard.evaluation.metrics.registry import explains, metric
from dashboard.evaluation.rankings import Array, Counts, Floats, Rankings

GAIN = choice("gain", "linear", "exp", "credit", bare=True)
IDEAL = choice("ideal", "judged", "retrieved")
GAINS = {
    "linear": "The gain is the grade",
    "exp": "The gain is 2^grade − 1",
    "credit": "The gain is the credit",
}
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
    looked_at = rankings.first(k)
    values = looked_at.credit if gain == "credit" else looked_at.gains
    with np.errstate(over="ignore"):  # infinite where it is too large, which measure refuses
        total = _discounted(values, k, gain, places=looked_at.places)
    return per_image(total, rankings, k, per)


@explains(discounted_gain)
def explain_discounted_gain(
    ranked: RankedList, gain: str = "linear", per: str = "list"
) -> Explanation:
    """Σ gain × discount."""
    return divide_per_image(_explain_discounted(ranked, gain).equals("DCG"), ranked, per)


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
    best = best_order(rankings, gain, ideal)
    values = rankings.credit if gain == "credit" else rankings.gains
    divisor = too_large(best, values, gain)
    looked_at = rankings.first(k)
    values = looked_at.credit if gain == "credit" else looked_at.gains
    found = _discounted(values, k, gain, divisor, looked_at.places)
    return ratio(found, _discounted(best, k, gain, divisor))


def best_order(rankings: Rankings, gain: str, ideal: str) -> Array:
    """The grades, or the credits, of each query in the best order. [Q, J]"""
    if gain == "credit":
        return rankings.ideal_credit if ideal == "judged" else rankings.retrieved_ideal_credit
    return rankings.ideal if ideal == "judged" else rankings.retrieved_ideal


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


def _discounted(
    values: Array,
    k: int | None,
    gain: str,
    divisor: Floats | None = None,
    places: Counts | None = None,
) -> Floats:
    number = values.shape[1] if k is None or places is not None else min(k, values.shape[1])
    if gain == "exp" or divisor is not None:
        lift = None if divisor is None else divisor[:, None]
        values = gains(values[:, :number], gain, lift)
    length = number if places is None else int(places.max(initial=0)) + 1
    weights = discounts.logarithmic(length)
    return weighted(columns(values, number), len(values), weights, places)


@explains(normalised_gain)
def explain_normalised_gain(
    ranked: RankedList, gain: str = "linear", ideal: str = "judged"
) -> Explanation:
    """DCG ÷ ideal DCG, with the terms of both."""
    divisor = too_large(best_order(ranked.rankings, gain, ideal), ranked.rankings.gains, gain)
    total = _explain_discounted(ranked, gain, divisor)
    best = _ideal_gains(ranked, gain, ideal, divisor)
    discount = discounts.logarithmic(len(best))
    terms = best * discount
    written = [
        f"{write_number(g)} × {write_number(d)}" for g, d in zip(best, discount, strict=True)
    ]
    whose = "all judged items" if ideal == "judged" else "the results that came back"
    lines = (
        *total.equals("DCG").lines,
        f"Ideal: the best order of {whose} begins with the gains {list_numbers(best)}."
        if len(best)
        else f"Ideal: of {whose} none has a gain.",
        f"Ideal DCG: {write_sum(written)} = {write_result(terms.sum())}",
    )
    steps = _beside(total.steps, {"ideal gain": best, "ideal term": terms})
    ratio = Sum(steps, lines, write_number(total.value), total.value)
    written_ideal = write_number(terms.sum())
    nothing = "Nothing can be divided by an ideal of 0, so there is no value."
    return ratio.over(float(terms.sum()), otherwise=nothing, written=written_ideal)


def _explain_discounted(ranked: RankedList, gain: str, divisor: Floats | None = None) -> Sum:
    columns: dict[str, Array] = {"grade": ranked.grades}
    if gain == "credit":
        columns, worth = {"credit": ranked.credit}, ranked.credit
    else:
        worth = gains(ranked.gains, gain, divisor)
        if gain == "exp" or divisor is not None or (ranked.grades < 0).any():
            columns["gain"] = worth
    scaled = "" if divisor is None else f", here and in the ideal divided by 2^{divisor[0]:.0f}"
    discount = "the discount 1 ÷ log2(rank + 1); each result adds: gain × discount"
    rule = f"{GAINS[gain]}{scaled}, {discount}."
    return weigh_gains(ranked, columns, worth, discounts.logarithmic(ranked.length), rule)


def _ideal_gains(ranked: RankedList, gain: str, ideal: str, divisor: Floats | None) -> Floats:
    """The gains of the best order, as far as the cutoff and as they are above 0."""
    values = np.asarray(best_order(ranked.rankings, gain, ideal)[0, : ranked.k], dtype=np.float64)
    values = values[values > 0]
    return values if gain == "credit" else gains(values, gain, divisor)


def _beside(steps: pd.DataFrame, columns: dict[str, Array]) -> pd.DataFrame:
    """The steps with more columns from rank 1 on, longer where these are; null beyond each end."""
    more = pd.DataFrame(columns)
    table = pd.concat([steps.drop(columns="rank"), more], axis=1)
    table.insert(0, "rank", np.arange(1, len(table) + 1))
    return table


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
    multiple_of=lambda name, k: "AVG" if name == "CG(per=image)" else name,
)
def cumulative_gain(rankings: Rankings, k: int | None, per: str = "list") -> Floats:
    """Sum of the credit of the results looked at (reads credit).

    >>> from dashboard.evaluation.rankings import from_lists
    >>> cumulative_gain(from_lists([[1, 1, 1]], credit=[[0.5, 0.25, 1]]), 2).tolist()
    [0.75]
    """
    credit = rankings.first(k).credit
    total = weighted(credit.T, len(credit), np.ones(credit.shape[1]))
    return per_image(total, rankings, k, per)


@explains(cumulative_gain)
def explain_cumulative_gain(ranked: RankedList, per: str = "list") -> Explanation:
    """Σ credit."""
    rule = f"The credit in {ranked.scope} is added up."
    total = sum_terms(
        ranked, {"credit": ranked.credit}, ranked.credit, map(write_number, ranked.credit), rule
    )
    return divide_per_image(total.equals(), ranked, per)


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
    looked_at = rankings.first(k)
    total = weighted_by_length(
        looked_at.credit.T,
        rankings.evaluated(k),
        lambda length: discounts.average(length, rows),
        looked_at.places,
    )
    return per_image(total, rankings, k, per)


@explains(average_gain)
def explain_average_gain(ranked: RankedList, rows: int = 0, per: str = "list") -> Explanation:
    """Mean credit, or mean of row means."""
    rule = f"The mean credit in {ranked.scope}."
    return divide_per_image(
        average_gains(ranked, {"credit": ranked.credit}, ranked.credit, rows, rule), ranked, per
    )


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
    best = rankings.first(k).credit.max(axis=1, initial=0).astype(np.float64)
    return per_image(best, rankings, k, per)


@explains(largest_gain)
def explain_largest_gain(ranked: RankedList, per: str = "list") -> Explanation:
    """The largest credit."""
    return divide_per_image(
        find_largest(ranked, {"credit": ranked.credit}, ranked.credit, "Largest credit"),
        ranked,
        per,
    )


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
    looked_at = rankings.first(k)
    weights = discounts.persistence(looked_at.depth, p)
    credit = looked_at.credit
    total = weighted(credit.T, len(credit), weights, looked_at.places)
    return per_image(total, rankings, k, per)


@explains(rank_biased_precision)
def explain_rank_biased_precision(
    ranked: RankedList, p: float = 0.95, per: str = "list"
) -> Explanation:
    """Σ credit × the chance to stop reading there."""
    discount = discounts.persistence(ranked.length, p)
    total = weigh_gains(
        ranked, {"credit": ranked.credit}, ranked.credit, discount, explain_persistence(p)
    )
    return divide_per_image(total.equals(), ranked, per)


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
        looked_at = rankings.first(k)
        for column in range(looked_at.width):
            if stop == "exp":
                chance = stopping(looked_at.gains[:, column], max)
            else:
                chance = looked_at.credit[:, column].astype(np.float64)
            total += going * chance / (looked_at.place(column) + 1)
            going *= 1 - chance
    return per_image(total, rankings, k, per)


@explains(expected_reciprocal_rank)
def explain_expected_reciprocal_rank(
    ranked: RankedList, stop: str = "credit", max: int = 4, per: str = "list"
) -> Explanation:
    """Σ chance to arrive × chance to stop ÷ rank."""
    if stop == "exp":
        chance = stopping(ranked.gains, max)
        columns: dict[str, Array] = {"grade": ranked.grades}
        stops = f"r = (2^grade − 1) ÷ 2^{max}"
    else:
        chance, columns, stops = ranked.credit, {}, "r = credit"
    arrives, places = arrival(chance), np.arange(1, ranked.length + 1)
    written = [
        f"{write_number(a)} × {write_number(c)} ÷ {k}"
        for a, c, k in zip(arrives, chance, places, strict=True)
    ]
    columns |= {"r": chance, "arrives": arrives}
    total = sum_terms(
        ranked, columns, arrives * chance / places, written, *explain_reader(stops, "r")
    )
    return divide_per_image(total.equals(), ranked, per)


def arrival(chance: Floats) -> Floats:
    """The chance to arrive at each rank: Π over the ranks before of 1 − chance to stop there."""
    return np.cumprod(np.append(1.0, 1 - chance))[: len(chance)]


def explain_reader(stops: str, gain: str) -> tuple[str, str]:
    """The reader whom ERR describes, and what a result adds."""
    return (
        f"A reader stops at a result with the chance {stops}, and arrives there if none before was "
        "a stop.",
        f"Each result adds: arrives × {gain} ÷ rank.",
    )


def explain_persistence(p: float = 0.95) -> str:
    """The discount of RBP in a sentence."""
    return (
        f"The discount is {write_number(1 - p)} × {write_number(p)}^(rank − 1), the chance to "
        "stop there; each result adds: gain × discount."
    )
