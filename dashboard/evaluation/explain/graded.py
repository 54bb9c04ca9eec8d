"""How the metrics of grades and of credit come about."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dashboard.evaluation.explain import wording
from dashboard.evaluation.explain.seen import Explanation, Seen, explains
from dashboard.evaluation.explain.shapes import (
    Sum,
    averaged,
    largest,
    per_image,
    summed,
    weighted,
)
from dashboard.evaluation.explain.wording import number, result
from dashboard.evaluation.metrics import discounts
from dashboard.evaluation.metrics.graded import gains, stopping, too_large
from dashboard.evaluation.rankings import Array, Floats

GAINS = {
    "linear": "The gain is the grade",
    "exp": "The gain is 2^grade − 1",
    "credit": "The gain is the credit",
}


@explains("DCG")
def discounted_gain(seen: Seen, gain: str = "linear", per: str = "list") -> Explanation:
    """Σ gain × discount."""
    return per_image(_discounted(seen, gain).equals("DCG"), seen, per)


@explains("nDCG")
def normalised_gain(seen: Seen, gain: str = "linear", ideal: str = "judged") -> Explanation:
    """DCG ÷ ideal DCG, with the terms of both."""
    divisor = too_large(_best(seen, gain, ideal), seen.rankings.gains, gain)
    found = _discounted(seen, gain, divisor)
    best = _ideal_gains(seen, gain, ideal, divisor)
    discount = discounts.logarithmic(len(best))
    terms = best * discount
    written = [f"{number(g)} × {number(d)}" for g, d in zip(best, discount, strict=True)]
    whose = "all judged items" if ideal == "judged" else "the results that came back"
    said = (
        *found.equals("DCG").lines,
        f"Ideal: the best order of {whose} begins with the gains {wording.listed(best)}."
        if len(best)
        else f"Ideal: of {whose} none has a gain.",
        f"Ideal DCG: {wording.sum_of(written)} = {result(terms.sum())}",
    )
    steps = _beside(found.steps, {"ideal gain": best, "ideal term": terms})
    ratio = Sum(steps, said, number(found.value), found.value)
    written_ideal = number(terms.sum())
    nothing = "Nothing can be divided by an ideal of 0, so there is no value."
    return ratio.over(float(terms.sum()), otherwise=nothing, written=written_ideal)


@explains("CG")
def cumulative_gain(seen: Seen, per: str = "list") -> Explanation:
    """Σ credit."""
    rule = f"The credit in {wording.scope(seen)} is added up."
    total = summed(seen, {"credit": seen.credit}, seen.credit, map(number, seen.credit), rule)
    return per_image(total.equals(), seen, per)


@explains("AVG")
def average_gain(seen: Seen, rows: int = 0, per: str = "list") -> Explanation:
    """Mean credit, or mean of row means."""
    rule = f"The mean credit in {wording.scope(seen)}."
    return per_image(averaged(seen, {"credit": seen.credit}, seen.credit, rows, rule), seen, per)


@explains("MAX")
def largest_gain(seen: Seen, per: str = "list") -> Explanation:
    """The largest credit."""
    return per_image(
        largest(seen, {"credit": seen.credit}, seen.credit, "Largest credit"), seen, per
    )


@explains("RBP")
def rank_biased_precision(seen: Seen, p: float = 0.95, per: str = "list") -> Explanation:
    """Σ credit × the chance to stop reading there."""
    discount = discounts.persistence(seen.length, p)
    total = weighted(seen, {"credit": seen.credit}, seen.credit, discount, persistence_rule(p))
    return per_image(total.equals(), seen, per)


@explains("ERR")
def expected_reciprocal_rank(
    seen: Seen, stop: str = "credit", max: int = 4, per: str = "list"
) -> Explanation:
    """Σ chance to arrive × chance to stop ÷ rank."""
    if stop == "exp":
        chance = stopping(seen.gains, max)
        columns: dict[str, Array] = {"grade": seen.grades}
        said = f"r = (2^grade − 1) ÷ 2^{max}"
    else:
        chance, columns, said = seen.credit, {}, "r = credit"
    arrives, places = arriving(chance), np.arange(1, seen.length + 1)
    written = [
        f"{number(a)} × {number(c)} ÷ {k}" for a, c, k in zip(arrives, chance, places, strict=True)
    ]
    columns |= {"r": chance, "arrives": arrives}
    total = summed(seen, columns, arrives * chance / places, written, *reader(said, "r"))
    return per_image(total.equals(), seen, per)


def arriving(chance: Floats) -> Floats:
    """The chance to arrive at each rank: Π over the ranks before of 1 − chance to stop there."""
    return np.cumprod(np.append(1.0, 1 - chance))[:-1]


def reader(stops: str, gain: str) -> tuple[str, str]:
    """Who reads as ERR has it, and what a result adds."""
    return (
        f"A reader stops at a result with the chance {stops}, and arrives there if none before was "
        "a stop.",
        f"Each result adds: arrives × {gain} ÷ rank.",
    )


def persistence_rule(p: float) -> str:
    """What the discount of RBP is."""
    return (
        f"The discount is {number(1 - p)} × {number(p)}^(rank − 1), the chance to stop there; "
        "each result adds: gain × discount."
    )


def _discounted(seen: Seen, gain: str, divisor: Floats | None = None) -> Sum:
    columns: dict[str, Array] = {"grade": seen.grades}
    if gain == "credit":
        columns, worth = {"credit": seen.credit}, seen.credit
    else:
        worth = gains(seen.gains, gain, divisor)
        if gain == "exp" or divisor is not None or (seen.grades < 0).any():
            columns["gain"] = worth
    scaled = "" if divisor is None else f", here and in the ideal divided by 2^{divisor[0]:.0f}"
    discount = "the discount 1 ÷ log2(rank + 1); each result adds: gain × discount"
    rule = f"{GAINS[gain]}{scaled}, {discount}."
    return weighted(seen, columns, worth, discounts.logarithmic(seen.length), rule)


def _best(seen: Seen, gain: str, ideal: str) -> Array:
    """The grades, or the credits, in the best order. [1, J]"""
    whole = seen.rankings
    if gain == "credit":
        return whole.ideal_credit if ideal == "judged" else whole.retrieved_ideal_credit
    return whole.ideal if ideal == "judged" else whole.retrieved_ideal


def _ideal_gains(seen: Seen, gain: str, ideal: str, divisor: Floats | None) -> Floats:
    """The gains of the best order, as far as the cutoff and as they are above 0."""
    values = np.asarray(_best(seen, gain, ideal)[0, : seen.k], dtype=np.float64)
    values = values[values > 0]
    return values if gain == "credit" else gains(values, gain, divisor)


def _beside(steps: pd.DataFrame, columns: dict[str, Array]) -> pd.DataFrame:
    """The steps with more columns from rank 1 on, longer where these are; null beyond each end."""
    more = pd.DataFrame(columns)
    table = pd.concat([steps.drop(columns="rank"), more], axis=1)
    table.insert(0, "rank", np.arange(1, len(table) + 1))
    return table
