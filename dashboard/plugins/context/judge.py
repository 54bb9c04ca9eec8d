"""Relevance from 0 to 100: what workers said, or the share of required keywords; and its metrics.

These are the gain in context under a discount, and the mean and the largest of the original gain.
A result after a better one gains less: r'(k) = r(k)² ÷ largest r up to k, where r is the credit
(Shao et al. 2019, equation 3). The gain g(k) is the mean of r' over the last w results (equation
4), and a metric is Σ g(k) · d(k) over the results that are looked at (equation 5).
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dashboard.errors import DataError, Finding, Findings
from dashboard.evaluation.block import Block, Cut, Sum
from dashboard.evaluation.judgement import (
    NO_PAIRS,
    Judgement,
    JudgingRules,
    TableJudgement,
    judge_table,
    list_candidates,
)
from dashboard.evaluation.measurement import Described
from dashboard.evaluation.metrics import PER, Setting, find_metric, metric, parse_one
from dashboard.storage.collection import Collection
from dashboard.storage.runs import Pairs, make_pairs
from dashboard.study.choices import Choices
from dashboard.study.judging import has_equal_grades
from dashboard.study.study import Study
from dashboard.tables import FloatArray, IntArray, Rows, find_rows, read_table
from dashboard.texts import parse_number

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
    return block._replace(row=row, rank=rank).sum(np.concatenate([np.empty(0), *found]))


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
        return sum_lists(
            block, k, lambda credit: compute_gain(credit, w, divide) * discount(credit, **chosen)
        )

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
    "MAX", formula="largest credit", source=f"{SOURCE} (MAX, ORG)", reads="credits", settings=(PER,)
)
def compute_largest(block: Block, k: Cut) -> FloatArray:
    """Compute the largest partial relevance of the results that are looked at."""
    return np.array([credit.max(initial=0.0) for credit in list_credits(block, k)])


FILE = "relevance.csv"
VIEWED = ("lists.csv", "satisfaction.csv")
SCALE = 100.0
HALF = 50.0
"""Least relevance of a hit; the source has no threshold."""
MAX_INVALID_SHARE = 0.9
MAX_OTHER_SCALE = 10.0
"""Largest relevance of a file that is taken for one on a scale of 0 to 1, 0 to 4 or 1 to 10."""
STATED = "relevance_scale"
"""Setting that states the largest relevance of another scale, which begins at 0."""
CANNOT_TELL = (
    "All judged items of a query are equally relevant: any order of them has the same gain, so "
    "that context cannot tell versions apart"
)
INVALID = "over 90 % invalid relevance"


class RelevanceJudgement(TableJudgement):
    """Valid relevance from 0 to 100; credit is relevance ÷ 100."""

    def credits(self, query: int) -> FloatArray:
        return np.nan_to_num(self.grades(query)) / SCALE


@dataclass(frozen=True, eq=False)
class ShareJudgement(Judgement):
    """Relevance as the share of required keywords that an item has, times 100."""

    keywords: Judgement

    def grades(self, query: int) -> FloatArray:
        judged = ~np.isnan(self.keywords.grades(query))
        return np.where(judged, self.keywords.credits(query) * SCALE, np.nan)

    def credits(self, query: int) -> FloatArray:
        return self.keywords.credits(query)


def read_tables(collection: Collection, findings: Findings) -> Pairs | str | None:
    """Return the mean relevance of pairs (-1: no valid answer), or "keywords"; None without either.

    Relevance is that of `relevance.csv`, with a row for each worker, else that of the judged pairs.
    What is wrong with viewed lists and with satisfaction is reported.

    Raises:
        DataError: If a relevance is off the scale, and neither -1 nor -2.
    """
    folder = collection.folder
    is_named = NAME in collection.protocols
    if not ((folder / FILE).is_file() or (is_named and collection.qrels)):
        return "keywords" if is_named and collection.tables.get("alfa") else None
    found = read_answers(collection, findings)
    if any((folder / name).is_file() for name in VIEWED):
        from dashboard.plugins.context.lists import read_lists

        try:
            read_lists(collection, findings)
        except DataError as error:
            findings.append(Finding.from_error(error))
    return found


def read_answers(collection: Collection, findings: Findings) -> Pairs:
    """Return the mean of the valid answers of workers for each pair, -1 where there is none.

    Raises:
        DataError: If there are neither answers nor judged pairs, or one is off the scale.
    """
    largest = float(collection.settings.get(STATED, SCALE))
    if not 0 < largest < np.inf:
        raise DataError("collection.toml", f"{STATED} = {largest:g}", "the best relevance, above 0")
    path = collection.folder / FILE
    if not path.is_file():
        if not collection.qrels:
            raise DataError(FILE, "no such file", "relevance of each worker, or means in qrels.csv")
        values = _scale(collection.qrels.values, "qrels", largest)
        return collection.qrels._replace(values=values)
    table = read_table(path, FILE, ("query_id", "item_id", "relevance"), findings, unique=False)
    values = np.array([parse_number(text) for text in table["relevance"]])
    values = _scale(values, FILE, largest, table.lines)
    pairs = defaultdict(list)
    for query, item, value in zip(table["query_id"], table["item_id"], values, strict=True):
        pairs[query, item].extend([value] if value >= 0 else [])
    return make_pairs(
        {pair: sum(said) / len(said) if said else -1.0 for pair, said in pairs.items()}
    )


def _scale(
    values: FloatArray, name: str, most: float, lines: Sequence[int] | None = None
) -> FloatArray:
    """Return relevance from 0 to 100; DataError for one off its scale, or plainly on another."""
    strange = ~((values >= 0) & (values <= most) | np.isin(values, (-1, -2)))
    if strange.any() or not len(values):
        row = int(np.argmax(strange)) if len(values) else 0
        raise DataError(
            name,
            f"relevance {values[row]:g}" if len(values) else "no relevance",
            f"a relevance from 0 to {most:g}, or -1 or -2 for an invalid answer",
            line=lines[row] if lines else None,
        )
    largest = values.max()
    if most == SCALE and 0 < largest <= MAX_OTHER_SCALE:
        raise DataError(
            name,
            f"relevance up to {largest:g} only",
            "a scale of 0 to 100",
            do=f"State the best possible one in collection.toml, such as {STATED} = {largest:g}.",
        )
    return np.where(values > 0, values * SCALE / most, values)


def judge(collection: Collection, choices: Choices) -> Judgement:
    """Judge by valid relevance; queries with more than 90 % invalid pairs are not scorable."""
    tables = collection.tables[NAME]
    if tables == "keywords":
        from dashboard.plugins.alfa.judge import judge as judge_keywords

        made = judge_keywords(collection, choices)
        return ShareJudgement(made, unscorable=made.unscorable, relevant_from=HALF)
    every = judge_table(collection, tables)
    pairs = {}
    unscorable = dict(every.unscorable)
    for query, (items, grades) in every.pairs.items():
        if np.mean(grades < 0) > MAX_INVALID_SHARE:
            unscorable[query] = INVALID
        else:
            pairs[query] = items[grades >= 0], grades[grades >= 0]
    return RelevanceJudgement(every.items, pairs, unscorable=unscorable, relevant_from=HALF)


CONTEXT = JudgingRules(
    name=NAME,
    title="Image search in context",
    judge=judge,
    metrics="CAG(RBP(0.95))@50 CAG(DCG)@50 CAG(CG)@50 CAG(AVG)@50 CAG(ERR)@50 CAG(MAX)@50 "
    "RBP(0.95,per=image)@50 DCG(credit,per=image)@50 CG(per=image)@50 AVG@50 ERR@50 MAX@50",
    nothing_relevant="formula",
    definition="Each result has a relevance from 0 to 100, the mean of what people said; invalid "
    "answers are left out, and so are queries where more than 90 % of them are. Its credit r is "
    "relevance ÷ 100; a hit has 50 or more, a threshold that the source does not have.",
    source=SOURCE,
    blind="It is a model of how people feel: only satisfaction that people report shows whether it "
    "is better than the plain gain. The value depends on w and on the depth.",
    candidates=lambda collection, judgement, query: (
        NO_PAIRS[0]
        if judgement.unscorable.get(query) == INVALID
        else list_candidates(collection, judgement, query)
    ),
    doubt=lambda study, metrics: CANNOT_TELL if has_equal_grades(study) else "",
)
