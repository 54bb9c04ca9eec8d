"""CAG, the context-aware gain (Shao et al., SIGIR 2019), under each discount of one list.

A result beside a better one before it gains less: r'_k = r_k² ÷ max_{j≤k} r_j, r being the credit
(equation 3). The gain g(k) is the mean of r' over the last w results (equation 4), and a metric is
Σ_k g(k)·d(k) over the results looked at (equation 5). A new discount d is one entry of DISCOUNTS:
metrics, explanations, screens and `satisfaction --discount` read it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import tee

import numpy as np

from dashboard.evaluation.metrics import discounts
from dashboard.evaluation.metrics.discounts import (
    PER_IMAGE,
    PER_LIST,
    PERSISTENCE,
    ROWS,
    per_image,
    weighted_by_length,
)
from dashboard.evaluation.metrics.explanation import (
    Explanation,
    RankedList,
    average_gains,
    divide_per_image,
    find_largest,
    sum_terms,
    weigh_gains,
    write_number,
    write_result,
)
from dashboard.evaluation.metrics.graded import arrival, explain_persistence, explain_reader
from dashboard.evaluation.metrics.names import Setting, choice, printed
from dashboard.evaluation.metrics.registry import explains, metric
from dashboard.evaluation.rankings import Array, Floats, Rankings

WINDOW = Setting("w", 10, low=1, high=10_000, whole=True)
DIVIDE = choice("divide", "window", "w")
SOURCE = "Shao et al., Towards Context-Aware Evaluation for Image Search, SIGIR 2019"
GAIN = "g(k): mean over the last w of r² ÷ largest r so far"
EXAMPLE = 3
"""The rank whose g(k) an explanation works out."""

Columns = dict[str, Array]


def adjusted(credit: Array, places: int) -> Iterator[Floats]:
    """r' of one rank after another: credit² ÷ the largest credit so far, 0 while that is 0.

    The same array is handed out each time. [Q]

    >>> [float(r[0]) for r in adjusted(np.array([[0.8, 0.4, 1.0]]), 3)]
    [0.8, 0.2, 1.0]
    """
    return _adjusted((credit[:, rank] for rank in range(places)), len(credit))


def _adjusted(credit: Iterable[Array], queries: int) -> Iterator[Floats]:
    """The same of one rank's credit after another. [Q] each"""
    best, step = np.full(queries, np.finfo(float).tiny), np.empty(queries)
    for column in credit:
        np.maximum(best, column, out=best)
        # r · (r ÷ largest) and not r² ÷ largest: at a new largest this is r to the last bit
        np.divide(column, best, out=step)
        yield np.multiply(step, column, out=step)


def in_context(credit: Array, places: int, w: int, divide: str) -> Iterator[Floats]:
    """g of one rank after another: the mean of r' over the window that ends there. [Q]

    divide: by the number of results in the window, min(k, w), or always by w.

    >>> [round(float(g[0]), 3) for g in in_context(np.array([[0.8, 0.4, 1.0]]), 3, 2, "window")]
    [0.8, 0.5, 0.6]
    """
    return _in_context((credit[:, rank] for rank in range(places)), len(credit), w, divide)


def _in_context(credit: Iterable[Array], queries: int, w: int, divide: str) -> Iterator[Floats]:
    """The same of one rank's credit after another. [Q] each"""
    window: deque[Floats] = deque()
    total = np.zeros(queries)
    for rank, value in enumerate(_adjusted(credit, queries)):
        window.append(value.copy())
        total += value
        if rank >= w:
            total -= window.popleft()
        # what is left of a sum of zeros after additions and subtractions must not be negative
        yield np.maximum(total, 0) / (w if divide == "w" else min(rank + 1, w))


def folded(weights: Floats, w: int, divide: str) -> Floats:
    """The weight of each r' that gives Σ g(k)·d(k): the window moved from the gain to the discount.

    Σ_k d(k) ÷ n_k Σ_{i in window of k} r'_i = Σ_i r'_i Σ_{k = i..i+w−1} d(k) ÷ n_k.
    """
    places = np.arange(1, len(weights) + 1)
    shares = weights / (w if divide == "w" else np.minimum(places, w))
    summed = np.append(0.0, np.cumsum(shares))
    ends = np.minimum(places + w - 1, len(weights))
    moved: Floats = summed[ends] - summed[:-1]
    return moved


def sum_until_stop(rankings: Rankings, k: int | None, w: int, divide: str) -> Floats:
    """Σ g(k) · (1 ÷ k) · Π_{j<k} (1 − r_j): the reader stops by the original credit. [Q]

    >>> from dashboard.evaluation.rankings import from_lists
    >>> pair = from_lists([[1, 1]], credit=[[0.5, 0.5]])
    >>> sum_until_stop(pair, None, 10, "window").tolist()
    [0.625]
    """
    evaluated = rankings.evaluated(k)
    total, going = np.zeros(len(evaluated)), np.ones(len(evaluated))
    credits, again = tee(rankings.by_rank(rankings.credit, k))
    gains = _in_context(again, len(evaluated), w, divide)
    for rank, (credit, gain) in enumerate(zip(credits, gains, strict=True)):
        # after the end of a list the window still holds something, but nothing is looked at
        total += np.where(rank < evaluated, going * gain / (rank + 1), 0.0)
        going *= 1 - credit.astype(np.float64)
    return total


def largest_gain(rankings: Rankings, k: int | None, w: int, divide: str) -> Floats:
    """The largest g(k) of the results looked at. [Q]

    >>> from dashboard.evaluation.rankings import from_lists
    >>> largest_gain(from_lists([[1, 1]], credit=[[0.5, 1]]), None, 10, "window").tolist()
    [0.75]
    """
    best = np.zeros(len(rankings.returned))
    credit = rankings.by_rank(rankings.credit, k)
    for gain in _in_context(credit, len(best), w, divide):
        # a window that reaches past the end of a list holds less than the one that ends with it
        np.maximum(best, gain, out=best)
    return best


def explain_sum(
    ranked: RankedList, columns: Columns, gains: Floats, rules: tuple[str, ...]
) -> Explanation:
    """Σ g(k)."""
    rules = (*rules, "Each result adds its g(k).")
    return sum_terms(ranked, columns, gains, map(write_number, gains), *rules).equals()


def explain_mean(
    ranked: RankedList, columns: Columns, gains: Floats, rules: tuple[str, ...], rows: int = 0
) -> Explanation:
    """The mean of g(k), or the mean of row means."""
    return average_gains(ranked, columns, gains, rows, *rules, "The value is the mean of g(k).")


def explain_until_stop(
    ranked: RankedList, columns: Columns, gains: Floats, rules: tuple[str, ...]
) -> Explanation:
    """Σ g(k) × chance to arrive ÷ k; the reader stops by the credit itself."""
    arrives, places = arrival(ranked.credit), np.arange(1, ranked.length + 1)
    written = [
        f"{write_number(a)} × {write_number(g)} ÷ {k}"
        for a, g, k in zip(arrives, gains, places, strict=True)
    ]
    rules = (*rules, *explain_reader("r = credit", "g(k)"))
    columns = {**columns, "arrives": arrives}
    return sum_terms(ranked, columns, gains * arrives / places, written, *rules).equals()


def explain_largest(
    ranked: RankedList, columns: Columns, gains: Floats, rules: tuple[str, ...]
) -> Explanation:
    """The largest g(k)."""
    return find_largest(ranked, columns, gains, "Largest g(k)", *rules)


@dataclass(frozen=True, eq=False)
class Discount:
    """One discount d of CAG, with everything that depends on which it is.

    name      as in CAG(name)
    formula   of d(k), or of the value where there is no d
    weights   (credit of one list, **settings) → d(1 … K), of which most read the length of the
              list only; None: there is no d
    settings  of the discount
    per       whether the sum is divided by the number of results (image) or not (list)
    original  the source's metric with this discount and the original gain; empty: it has none
    multiple_of  the discount that it is a multiple of, which does not depend on k; empty: none
    summary   the metric's tooltip; note: what a label adds
    rule      (**settings) → the sentence that explains d
    value     (rankings, k, w, divide) → [Q], where the rank alone does not decide d
    explain   (list, columns, gains, rules, **settings) → Explanation, where Σ g(k) × d(k) is not
              how a person would compute it
    """

    name: str
    formula: str
    weights: Callable[..., Floats] | None = None
    settings: tuple[Setting, ...] = ()
    per: Setting = PER_LIST
    original: str = ""
    multiple_of: str = ""
    summary: str = ""
    note: str = ""
    rule: Callable[..., str] | None = None
    value: Callable[..., Floats] | None = None
    explain: Callable[..., Explanation] | None = None

    @property
    def metric(self) -> str:
        """The registered name of the metric, such as `CAG(DCG)`."""
        return f"CAG({self.name})"

    @property
    def title(self) -> str:
        """The metric as it is printed with default settings, such as `CAG(RBP(0.95))`."""
        return printed(self.metric, self.settings, {})

    @property
    def divided(self) -> bool:
        """Whether the sum is divided by the number of results."""
        return self.per is PER_IMAGE

    @property
    def label(self) -> str:
        """How the protocol of the source shows the metric."""
        return (
            f"{self.name}, context-aware gain (w = 10{', ÷ K' if self.divided else ''}{self.note})"
        )

    @property
    def in_words(self) -> str:
        """What d is, for a caption."""
        if self.weights is None:
            return f"no d(k): the {self.formula} counts"
        chosen = "".join(f", {each.name} = {each.default}" for each in self.settings if each.shown)
        divided = ", and the sum is divided by the number of pictures" if self.divided else ""
        return f"d(k) = {self.formula}{chosen}{divided}"


_ENTRIES = (
    Discount(
        "RBP",
        formula="(1 − p) p^(k−1)",
        weights=lambda credit, p=0.95: discounts.persistence(len(credit), p),
        settings=(PERSISTENCE,),
        per=PER_IMAGE,
        original="RBP(0.95,per=image)",
        rule=explain_persistence,
    ),
    Discount(
        "DCG",
        formula="1 ÷ log2(k + 1)",
        weights=lambda credit: discounts.logarithmic(len(credit)),
        per=PER_IMAGE,
        original="DCG(credit,per=image)",
    ),
    Discount(
        "CG",
        formula="1",
        weights=lambda credit: discounts.constant(len(credit)),
        per=PER_IMAGE,
        original="CG(per=image)",
        multiple_of="AVG",
        explain=explain_sum,
    ),
    Discount(
        "AVG",
        formula="1 ÷ K",
        weights=lambda credit, rows=0: discounts.average(len(credit), rows),
        settings=(ROWS,),
        original="AVG",
        explain=explain_mean,
    ),
    Discount(
        "ERR",
        formula="(1 ÷ k) · Π_{j<k} (1 − r_j)",
        weights=lambda credit: arrival(credit) / np.arange(1, len(credit) + 1),
        original="ERR",
        summary="Gain in context, discounted as ERR: the reader stops by the original credit",
        note="; stops by r",
        value=sum_until_stop,
        explain=explain_until_stop,
    ),
    Discount(
        "MAX",
        formula="largest g(k)",
        original="MAX",
        summary="Largest gain in context among the results looked at",
        value=largest_gain,
        explain=explain_largest,
    ),
)
DISCOUNTS: dict[str, Discount] = {discount.name: discount for discount in _ENTRIES}
"""The discounts of CAG by their names; those with an `original` are the source's."""


def no_weights(credit: Floats) -> Floats:
    """What stands in place of d where there is none: NaN at every rank. [K]"""
    return np.full(len(credit), np.nan)


def _enter(discount: Discount) -> None:
    """Enter CAG under a discount, with its explanation, into the registry of metrics."""

    weights = discount.weights or no_weights

    def value(
        rankings: Rankings,
        k: int | None,
        w: int = 10,
        divide: str = "window",
        per: str = str(discount.per.default),
        **chosen: float,
    ) -> Floats:
        if discount.value is not None:
            total = discount.value(rankings, k, w, divide, **chosen)
        else:
            looked_at = rankings.first(k)
            total = weighted_by_length(
                adjusted(looked_at.credit, looked_at.width),
                rankings.evaluated(k),
                lambda length: folded(weights(np.empty(length), **chosen), w, divide),
                looked_at.places,
            )
        return per_image(total, rankings, k, per)

    def explain(
        ranked: RankedList,
        w: int = 10,
        divide: str = "window",
        per: str = str(discount.per.default),
        **chosen: float,
    ) -> Explanation:
        columns, gains = _gains(ranked.credit, w, divide)
        rules = _rules(columns, w, divide)
        if discount.explain is not None:
            whole = discount.explain(ranked, columns, gains, rules, **chosen)
        else:
            d = weights(ranked.credit, **chosen)
            whole = weigh_gains(ranked, columns, gains, d, *rules, rule(**chosen)).equals()
        return divide_per_image(whole, ranked, per)

    def rule(**chosen: float) -> str:
        if discount.rule is not None:
            return discount.rule(**chosen)
        formula = discount.formula.replace("(k", "(rank")
        return f"The discount is {formula}; each result adds: g(k) × discount."

    base = discount.multiple_of or discount.name
    usual = f"Gain in the context of the results before, discounted as {discount.name}"
    value.__doc__ = f"{discount.summary or usual} (reads credit)."
    sums = f"Σ g(k) · {discount.formula}{' ÷ K' if discount.divided else ''}"
    metric(
        discount.metric,
        *discount.settings,
        WINDOW,
        DIVIDE,
        discount.per,
        formula=f"{sums if discount.weights else discount.formula}; {GAIN}",
        source=SOURCE,
        reads="credit",
        best_first=False,
        multiple_of=lambda name, k: name.replace(f"({discount.name}", f"({base}"),
    )(value)
    explains(value)(explain)


def _gains(credit: Floats, w: int, divide: str) -> tuple[Columns, Floats]:
    """Credit, its running maximum, r′ and g(k), formula by formula as the source writes them."""
    best = np.maximum.accumulate(credit)
    # r · (r ÷ largest), as the metric has it: at a new largest this is r to the last bit
    reduced = credit * np.divide(credit, best, out=np.zeros_like(credit), where=best > 0)
    gains = np.array(
        [
            reduced[max(0, k - w) : k].sum() / (w if divide == "w" else min(k, w))
            for k in range(1, len(credit) + 1)
        ],
        dtype=np.float64,
    )
    return {"credit": credit, "largest_so_far": best, "r′": reduced, "g(k)": gains}, gains


def _rules(columns: Columns, w: int, divide: str) -> tuple[str, ...]:
    """What r′ and g(k) are, and one g(k) worked out."""
    reduced, gains = columns["r′"], columns["g(k)"]
    rule = f"g(k) = mean of r′ over the last {w} results"
    if divide == "w":
        rule = f"g(k) = sum of r′ over the last {w} results ÷ {w}"
    meaning = f"r′ = credit² ÷ largest credit so far; {rule}."
    k = min(len(gains), EXAMPLE)
    if not k:
        return (meaning,)
    window = reduced[max(0, k - w) : k]
    divisor = w if divide == "w" else len(window)
    added = " + ".join(map(write_number, window))
    result = write_result(gains[k - 1])
    return meaning, f"For example g({k}) = ({added}) ÷ {divisor} = {result}"


for _discount in _ENTRIES:
    _enter(_discount)
