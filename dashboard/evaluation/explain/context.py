"""How CAG, the context-aware gain, comes about under each discount."""

from __future__ import annotations

import numpy as np

from dashboard.evaluation.explain.graded import arriving, persistence_rule, reader
from dashboard.evaluation.explain.seen import Explanation, Seen, explains
from dashboard.evaluation.explain.shapes import averaged, largest, per_image, summed, weighted
from dashboard.evaluation.explain.wording import number, result
from dashboard.evaluation.metrics import discounts
from dashboard.evaluation.rankings import Array, Floats

Columns = dict[str, Array]
EXAMPLE = 3
"""The rank whose g(k) is worked out in a line."""


@explains("CAG(DCG)")
def under_dcg(seen: Seen, w: int = 10, divide: str = "window", per: str = "image") -> Explanation:
    """Σ g(k) ÷ log2(k + 1)."""
    columns, gains = _gains(seen, w, divide)
    rule = "The discount is 1 ÷ log2(rank + 1); each result adds: g(k) × discount."
    weights = discounts.logarithmic(seen.length)
    total = weighted(seen, columns, gains, weights, *_rules(columns, w, divide), rule)
    return per_image(total.equals(), seen, per)


@explains("CAG(RBP)")
def under_rbp(
    seen: Seen, p: float = 0.95, w: int = 10, divide: str = "window", per: str = "image"
) -> Explanation:
    """Σ g(k) × (1 − p) p^(k−1)."""
    columns, gains = _gains(seen, w, divide)
    weights = discounts.persistence(seen.length, p)
    rules = (*_rules(columns, w, divide), persistence_rule(p))
    return per_image(weighted(seen, columns, gains, weights, *rules).equals(), seen, per)


@explains("CAG(CG)")
def under_cg(seen: Seen, w: int = 10, divide: str = "window", per: str = "image") -> Explanation:
    """Σ g(k)."""
    columns, gains = _gains(seen, w, divide)
    rules = (*_rules(columns, w, divide), "Each result adds its g(k).")
    total = summed(seen, columns, gains, map(number, gains), *rules)
    return per_image(total.equals(), seen, per)


@explains("CAG(AVG)")
def under_avg(
    seen: Seen, rows: int = 0, w: int = 10, divide: str = "window", per: str = "list"
) -> Explanation:
    """The mean of g(k), or the mean of row means."""
    columns, gains = _gains(seen, w, divide)
    rules = (*_rules(columns, w, divide), "The value is the mean of g(k).")
    return per_image(averaged(seen, columns, gains, rows, *rules), seen, per)


@explains("CAG(ERR)")
def under_err(seen: Seen, w: int = 10, divide: str = "window", per: str = "list") -> Explanation:
    """Σ g(k) × chance to arrive ÷ k; the reader stops by the credit itself."""
    columns, gains = _gains(seen, w, divide)
    arrives, places = arriving(seen.credit), np.arange(1, seen.length + 1)
    written = [
        f"{number(a)} × {number(g)} ÷ {k}" for a, g, k in zip(arrives, gains, places, strict=True)
    ]
    columns["arrives"] = arrives
    terms = gains * arrives / places
    total = summed(
        seen, columns, terms, written, *_rules(columns, w, divide), *reader("r = credit", "g(k)")
    )
    return per_image(total.equals(), seen, per)


@explains("CAG(MAX)")
def under_max(seen: Seen, w: int = 10, divide: str = "window", per: str = "list") -> Explanation:
    """The largest g(k)."""
    columns, gains = _gains(seen, w, divide)
    found = largest(seen, columns, gains, "Largest g(k)")
    whole = Explanation(found.steps, (*_rules(columns, w, divide), *found.lines), found.value)
    return per_image(whole, seen, per)


def _gains(seen: Seen, w: int, divide: str) -> tuple[Columns, Floats]:
    """Credit, its running maximum, r′ and g(k), formula by formula as the source writes them."""
    credit = seen.credit
    best = np.maximum.accumulate(credit)
    # r · (r ÷ largest), as the metric has it: at a new largest this is r to the last bit
    adjusted = credit * np.divide(credit, best, out=np.zeros_like(credit), where=best > 0)
    gains = np.array(
        [
            adjusted[max(0, k - w) : k].sum() / (w if divide == "w" else min(k, w))
            for k in range(1, seen.length + 1)
        ],
        dtype=np.float64,
    )
    return {"credit": credit, "largest_so_far": best, "r′": adjusted, "g(k)": gains}, gains


def _rules(columns: Columns, w: int, divide: str) -> tuple[str, ...]:
    """What r′ and g(k) are, and one g(k) worked out."""
    adjusted, gains = columns["r′"], columns["g(k)"]
    rule = (
        f"g(k) = mean of r′ over the last {w} results"
        if divide == "window"
        else (f"g(k) = sum of r′ over the last {w} results ÷ {w}")
    )
    said = (f"r′ = credit² ÷ largest credit so far; {rule}.",)
    k = min(len(gains), EXAMPLE)
    if not k:
        return said
    window = adjusted[max(0, k - w) : k]
    divisor = w if divide == "w" else len(window)
    summed_up = " + ".join(map(number, window))
    return (*said, f"For example g({k}) = ({summed_up}) ÷ {divisor} = {result(gains[k - 1])}")
