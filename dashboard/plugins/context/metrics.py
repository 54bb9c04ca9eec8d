"""Context-aware gain under each discount, and the mean and the largest of the original gain.

A result after a better one gains less: r'(k) = r(k)² ÷ largest r up to k, where r is the credit
(Shao et al. 2019, equation 3). The gain g(k) is the mean of r' over the last w results (equation
4), and a metric is Σ g(k) · d(k) over the results that are looked at (equation 5).
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from dashboard.evaluation.block import Block, Cut, Sum
from dashboard.evaluation.measurement import Described
from dashboard.evaluation.metrics import PER, Setting, find_metric, metric, parse_one
from dashboard.study.study import Study
from dashboard.tables import FloatArray, IntArray, Rows, find_rows

NAME = "context"
SOURCE = "Shao et al., Towards Context-Aware Evaluation for Image Search, SIGIR 2019"
WINDOW = Setting("w", 10, 1, 10_000)
DIVIDE = Setting("divide", "window", words=("window", "w"))
PER_IMAGE = replace(PER, default="image")
PERSISTENCE = Setting("p", 0.95, 0.0, 1.0, is_bare=True, is_inner=True)
ROWS = Setting("rows", 0, 0, 10_000)
GAIN = "g(k): mean over the last w of r² ÷ largest r so far"
Discount = Callable[..., FloatArray]


def compute_gain(credit: FloatArray, w: int, divide: str = "window") -> FloatArray:
    """Return the gain in context of each result of one list.

    Args:
        credit: Relevance of each result in [0, 1]. [results].
        w: Results in the window.
        divide: "window": by the number of results in the window, min(k, w); "w": always by w.

    >>> compute_gain(np.array([0.8, 0.4, 1.0]), 2).round(3).tolist()
    [0.8, 0.5, 0.6]
    """
    best = np.maximum.accumulate(credit)
    share = np.divide(credit, best, out=np.zeros_like(credit), where=best > 0)
    # r · (r ÷ largest) and not r² ÷ largest: at a new largest this is r to the last bit
    summed = np.append(0.0, np.cumsum(credit * share))
    place = np.arange(1, len(credit) + 1)
    total = np.maximum(summed[place] - summed[np.maximum(place - w, 0)], 0.0)
    return np.asarray(total / (w if divide == "w" else np.minimum(place, w)))


def describe_gains(study: Study, query: int, metric: str, rows: Rows) -> Described:
    """Note r and r' of each result in its list, and its gain g(k) by the settings of a metric.

    r alone for items that are in no list; nothing where nobody judged the query.
    """
    if np.isnan(study.judgement.grades(query)).all():
        return {}, []
    name = parse_one(metric).name if metric else "CG"
    credits = np.append(study.judgement.credits(query), 0.0)[study.find_items(rows)]
    notes = [[f"r {credit:.2f}"] for credit in credits]
    for run in {row["run"] for row in rows if "run" in row}:
        places = [place for place, row in enumerate(rows) if row.get("run") == run]
        adjusted = compute_gain(credits[places], 1)
        gains = compute_gain(credits[places], *read_window(name))
        for place, after, gain in zip(places, adjusted, gains, strict=True):
            notes[place][0] += f" → r′ {after:.2f}"
            if name.startswith("CAG("):
                notes[place].append(f"gain {gain:.2f}")
    return {}, [{"notes": texts} for texts in notes]


def read_window(name: str) -> tuple[int, str]:
    """Return the window of a metric and what it is divided by; the usual ones if it has none."""
    _, values = find_metric(name)
    return int(values.get("w", WINDOW.default)), str(values.get("divide", DIVIDE.default))


def list_credits(block: Block, k: Cut) -> Iterator[FloatArray]:
    """Yield the credit of every result of each list that is looked at, 0 for one without a row."""
    looked_at = block.count_looked_at(k)
    for rows, length in zip(find_rows(block.row, len(looked_at)), looked_at, strict=True):
        credit = np.zeros(length)
        rank = block.rank[rows]
        credit[rank[rank <= length] - 1] = block.credit[rows][rank <= length]
        yield credit


def sum_lists(block: Block, k: Cut, list_terms: Callable[[FloatArray], FloatArray]) -> Sum:
    """Return the metric that adds up what each list of credits has at each of its ranks."""
    found = [list_terms(credit) for credit in list_credits(block, k)]
    row = np.repeat(np.arange(len(found)), [len(each) for each in found])
    rank = np.concatenate([np.empty(0, int), *(np.arange(1, len(each) + 1) for each in found)])
    return Sum(row, rank, np.concatenate([np.empty(0), *found]), np.ones(len(found)))


def weigh_rows(row: IntArray) -> FloatArray:
    """Return the weight of each result in a mean of the means of rows.

    >>> weigh_rows(np.array([1, 1, 2])).tolist()
    [0.25, 0.25, 0.5]
    """
    _, place, size = np.unique(row, return_inverse=True, return_counts=True)
    return 1 / (size[place] * len(size))


def weigh_by_length(credit: FloatArray, rows: int = 0) -> FloatArray:
    """Return 1 ÷ K, or with `rows` results in a row of the grid those of a mean of row means."""
    return weigh_rows(np.arange(len(credit)) // max(rows, 1))


DISCOUNTS: dict[str, tuple[Discount, str, tuple[Setting, ...], Setting]] = {
    "RBP": (
        lambda r, p=0.95: (1 - p) * p ** np.arange(float(len(r))),
        "(1 − p) p^(k − 1)",
        (PERSISTENCE,),
        PER_IMAGE,
    ),
    "DCG": (lambda r: 1 / np.log2(np.arange(2, len(r) + 2)), "1 ÷ log2(k + 1)", (), PER_IMAGE),
    "CG": (lambda r: np.ones(len(r)), "1", (), PER_IMAGE),
    "AVG": (weigh_by_length, "1 ÷ K", (replace(ROWS, is_inner=True),), PER),
    "ERR": (  # the reader stops by the original credit
        lambda r: np.append(1.0, np.cumprod(1 - r))[: len(r)] / np.arange(1, len(r) + 1),
        "(1 ÷ k) · Π over earlier results of (1 − r)",
        (),
        PER,
    ),
}
"""Discounts d(k) of the source: function of credits, formula, settings, divisor of the sum."""


def _register(name: str) -> None:
    discount, formula, settings, per_default = DISCOUNTS[name]
    end = " ÷ K" if per_default is PER_IMAGE else ""

    def compute(block: Block, k: Cut, w: int, divide: str, **chosen: float) -> Sum:
        def list_terms(credit: FloatArray) -> FloatArray:
            return compute_gain(credit, w, divide) * discount(credit, **chosen)

        return sum_lists(block, k, list_terms)

    compute.__doc__ = (
        f"Compute the gain in the context of the results before, discounted as {name}."
    )
    metric(
        f"CAG({name})",
        formula=f"Σ g(k) · {formula}{end}; {GAIN}",
        source=SOURCE,
        reads="credits",
        settings=(*settings, WINDOW, DIVIDE, per_default),
    )(compute)


for _name in DISCOUNTS:
    _register(_name)


@metric(
    "CAG(MAX)",
    formula=f"largest g(k); {GAIN}",
    source=SOURCE,
    reads="credits",
    settings=(WINDOW, DIVIDE, PER),
)
def compute_largest_gain(block: Block, k: Cut, w: int, divide: str) -> FloatArray:
    """Compute the largest gain in context of the results that are looked at."""
    gains = (compute_gain(credit, w, divide) for credit in list_credits(block, k))
    return np.array([gain.max(initial=0.0) for gain in gains])


@metric(
    "AVG",
    formula="Σ credit ÷ K, K being the number of results looked at",
    source=f"{SOURCE} (AVG, ORG)",
    reads="credits",
    settings=(ROWS, PER),
)
def compute_average(block: Block, k: Cut, rows: int) -> Sum:
    """Compute the mean of the partial relevance, or of the means of rows of so many results."""
    return sum_lists(block, k, lambda credit: credit * weigh_by_length(credit, rows))


@metric(
    "MAX",
    formula="largest credit",
    source=f"{SOURCE} (MAX, ORG)",
    reads="credits",
    settings=(PER,),
)
def compute_largest(block: Block, k: Cut) -> FloatArray:
    """Compute the largest partial relevance of the results that are looked at."""
    return np.array([credit.max(initial=0.0) for credit in list_credits(block, k)])
