"""The register of metrics, and the metrics: functions of a block of labelled results."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

import numpy as np

from dashboard.next.evaluation.judgement import Judgement, find_credits
from dashboard.next.retrieval.run import Part
from dashboard.next.tables import BoolArray, FloatArray, IntArray

Cutoff = Literal["optional", "required", "never"]
Reads = Literal["hits", "grades", "credits", "judged"]
LARGE_EXPONENT = 300
"""Gains 2^grade above 2^300 are divided by the largest one before they are added up."""
MAX_GRADE = 4
"""Largest grade of gdeval's ERR."""
TREC_EVAL = {"p": "P", "recall": "R", "success": "Success", "map_cut": "AP", "ndcg_cut": "nDCG"}
"""Metrics that trec_eval writes with the cutoff in the name, such as P_5."""
_WORD = re.compile(r"(?:[^\s,()]|\((?:[^()]|\([^()]*\))*\)|[()])+")


@dataclass(frozen=True, eq=False)
class Block:
    """Labelled results of some queries, as rows sorted by query and rank.

    The rows hold the first results of each list and, for metrics without a cutoff, every result
    that adds to them. Grades below 0 and of unjudged results are 0.

    Attributes:
        row: Place of each result's query, from 0.
        rank: True rank of each result, from 1.
        credit: Partial relevance of each result in [0, 1]; 1 for a hit where the judgement has no
            other.
        judged: Whether each result has a grade.
        relevant: R, the number of relevant items of each query.
        returned: Number of results of each query, down to the similarity threshold.
        ideal: Positive grades of the judged items of each query, descending, as such rows.
    """

    row: IntArray
    rank: IntArray
    grade: FloatArray
    hit: BoolArray
    credit: FloatArray
    judged: BoolArray
    relevant: IntArray
    returned: IntArray
    ideal: tuple[IntArray, IntArray, FloatArray]

    def count_hits(self, k: int | None) -> FloatArray:
        """Return the number of hits in the first k places of each list. [queries]."""
        return self.add_up(self.row, self.rank, self.hit.astype(np.float64), k)

    def add_up(
        self, row: IntArray, rank: IntArray, values: FloatArray, k: int | None
    ) -> FloatArray:
        """Return the sum of values of the first k places of each list. [queries]."""
        if k is not None:
            row, values = row[rank <= k], values[rank <= k]
        return np.bincount(row, values, minlength=len(self.relevant)).astype(np.float64)


def label(part: Part, judgement: Judgement, with_credits: bool = True) -> Block:
    """Return the block of a part of a run: its results with their grades.

    Args:
        part: Results of some queries.
        judgement: What grades them.
        with_credits: Whether a metric reads partial relevance; else it is left 0.
    """
    listed = part.rank <= part.passing[part.row]
    row, item, rank = part.row[listed], part.item[listed], part.rank[listed]
    grades, credits = np.full(len(row), np.nan), np.zeros(len(row))
    ideal: list[FloatArray] = []
    relevant: list[int] = []
    bounds = np.searchsorted(row, np.arange(len(part.queries) + 1))
    for query, low, high in zip(part.queries.tolist(), bounds[:-1], bounds[1:], strict=True):
        every, items = judgement.grades(query), item[low:high]
        known = items >= 0
        grades[low:high][known] = every[items[known]]
        if with_credits:
            credits[low:high][known] = find_credits(judgement, query, every)[items[known]]
        relevant.append(int((every >= judgement.relevant_from).sum()))
        ideal.append(np.sort(every[every > 0])[::-1])
    sizes = [len(each) for each in ideal]
    ranks = np.concatenate([np.arange(1, size + 1) for size in sizes])
    best = (np.repeat(np.arange(len(sizes)), sizes), ranks, np.concatenate(ideal))
    grade, judged = np.nan_to_num(grades).clip(min=0), ~np.isnan(grades)
    hit = grade >= judgement.relevant_from
    return Block(row, rank, grade, hit, credits, judged, np.array(relevant), part.passing, best)


@dataclass(frozen=True)
class Setting:
    """A number in a metric's name, as 0.95 in `RBP(0.95)`."""

    name: str
    default: float
    low: float
    high: float

    def read(self, metric: str, text: str) -> float:
        """Return the number that a text stands for.

        Raises:
            ValueError: If it is none from low to high.
        """
        digits = text.removeprefix(f"{self.name}=")
        value = float(digits) if re.fullmatch(r"\d*\.?\d+(e-?\d+)?", digits) else np.nan
        if not self.low <= value <= self.high:
            limits = f"a number from {self.low:g} to {self.high:g}"
            raise ValueError(f"{metric} has no {self.name} {digits!r}; write {limits}.")
        return value


@dataclass(frozen=True, eq=False)
class Metric:
    """An entry of the register.

    Attributes:
        function: `function(block, k)` returns the value of each query, NaN where undefined.
        formula: The definition as a person would write it.
        source: Where the definition is published, and other names of it.
        summary: First line of the function's docstring.
        cutoff: Whether the name takes, needs or refuses `@k`.
        reads: What it takes from results: which of them have to be in a block.
        deep: Whether it reads results beyond its cutoff.
        setting: A number in the name; the function takes it after k.
    """

    name: str
    function: Callable[..., FloatArray]
    formula: str
    source: str
    summary: str
    cutoff: Cutoff
    reads: Reads
    deep: bool
    setting: Setting | None

    @property
    def title(self) -> str:
        """Name with the default setting, such as `RBP(0.95)`."""
        return self.write(self.setting.default) if self.setting else self.name

    def write(self, value: float) -> str:
        """Return the name with a setting."""
        return f"{self.name}({int(value) if value.is_integer() else value!r})"


@dataclass(frozen=True)
class Measure:
    """A metric at a cutoff; `str()` gives `nDCG@10`. A setting is part of the name."""

    name: str
    cutoff: int | None = None

    def __str__(self) -> str:
        return self.name if self.cutoff is None else f"{self.name}@{self.cutoff}"

    def __call__(self, block: Block) -> FloatArray:
        """Return the value of each query, NaN where the formula has none. [queries]."""
        if self.metric.setting is None:
            return self.metric.function(block, self.cutoff)
        text = self.name.removeprefix(self.metric.name).strip("()")
        return self.metric.function(
            block, self.cutoff, self.metric.setting.read(self.metric.name, text)
        )

    @property
    def metric(self) -> Metric:
        """Entry of the register."""
        return METRICS.get(self.name) or METRICS[self.name.partition("(")[0]]

    @property
    def reads_on(self) -> bool:
        """Whether it reads lists to their ends."""
        return self.cutoff is None or self.metric.deep


METRICS: dict[str, Metric] = {}
OTHER_NAMES: dict[str, str] = {}


def metric(
    name: str,
    *,
    formula: str,
    source: str,
    cutoff: Cutoff = "optional",
    reads: Reads = "hits",
    deep: bool = False,
    setting: Setting | None = None,
    other_names: tuple[str, ...] = (),
) -> Callable[[Callable[..., FloatArray]], Callable[..., FloatArray]]:
    """Register the decorated function as a metric.

    Raises:
        ValueError: If another metric has one of its names.
    """

    def register(function: Callable[..., FloatArray]) -> Callable[..., FloatArray]:
        summary = (inspect.getdoc(function) or "").partition("\n")[0]
        names = {each.lower() for each in (name, *other_names)}
        if taken := sorted(names & OTHER_NAMES.keys()):
            raise ValueError(f"Two metrics are called {taken[0]}.")
        METRICS[name] = Metric(
            name, function, formula, source, summary, cutoff, reads, deep, setting
        )
        OTHER_NAMES.update(dict.fromkeys(names, name))
        return function

    return register


def parse(text: str) -> list[Measure]:
    """Return the measures that a text such as `P@5 AP nDCG@10` names, each once.

    Raises:
        ValueError: If there is no such metric, or a cutoff or setting is missing, wrong or not
            taken.

    >>> [str(each) for each in parse("map P_5 ndcg_cut_10, RBP AP(divisor=min)@3")]
    ['AP', 'P@5', 'nDCG@10', 'RBP(0.95)', 'AP(min)@3']
    """
    measures = [parse_one(word) for word in _WORD.findall(text)]
    if not measures:
        raise ValueError("No metric is named; write for example P@5 AP nDCG@10.")
    return list(dict.fromkeys(measures))


def parse_one(word: str) -> Measure:
    """Return the measure of one name."""
    printed = re.fullmatch(r"(\w+?)[_.](\d+)", word)
    if printed and printed[1].lower() in TREC_EVAL:
        word = f"{TREC_EVAL[printed[1].lower()]}@{printed[2]}"
    call, at, digits = word.partition("@")
    entry, name = _find_entry(call)
    if at and not re.fullmatch(r"[1-9]\d{0,8}", digits):
        raise ValueError(f"{word!r}: a cutoff is a whole number from 1, as in P@5.")
    if at and entry.cutoff == "never":
        raise ValueError(f"{name} takes no cutoff; write {name}.")
    if not at and entry.cutoff == "required":
        raise ValueError(f"{name} needs a cutoff; write for example {name}@5.")
    return Measure(name, int(digits) if at else None)


def _find_entry(call: str) -> tuple[Metric, str]:
    """Return the metric that is called so, and its whole name with the setting."""
    if call.lower() in OTHER_NAMES:
        entry = METRICS[OTHER_NAMES[call.lower()]]
        return entry, entry.title
    head, _, text = call.partition("(")
    entry_of_head = METRICS.get(OTHER_NAMES.get(head.lower(), ""))
    if entry_of_head and entry_of_head.setting and text.endswith(")"):
        value = entry_of_head.setting.read(entry_of_head.name, text[:-1])
        return entry_of_head, entry_of_head.write(value)
    if head.lower() in ("precision", "recall"):
        raise ValueError(
            f"{head} means two things: write P for hits ÷ K (ALFA 0.1 calls it Recall), R for "
            "hits ÷ relevant (ALFA 0.1 calls it Precision)."
        )
    near = get_close_matches(call.lower(), OTHER_NAMES, n=3, cutoff=0.5)
    known = dict.fromkeys([OTHER_NAMES[each] for each in near] or METRICS)
    raise ValueError(f"There is no metric {call!r}. Known: {', '.join(known)}.")


def find_depth(measures: Iterable[Measure]) -> int:
    """Return the rank to which metrics with a cutoff read a list; 0 without one."""
    return max((each.cutoff or 0 for each in measures), default=0)


def divide(top: FloatArray, bottom: FloatArray | IntArray) -> FloatArray:
    """Return top / bottom, NaN where bottom is 0."""
    undefined = np.full(len(top), np.nan)
    return np.asarray(np.divide(top, bottom, out=undefined, where=np.not_equal(bottom, 0)))


@metric(
    "P",
    formula="hits in the first K ÷ K",
    source="trec_eval P; ALFA 0.1 calls it Recall@K",
    cutoff="required",
    other_names=("hits_over_k",),
)
def compute_precision(block: Block, k: int | None) -> FloatArray:
    """Compute the share of the first K places that hold a relevant item, empty places too."""
    assert k is not None
    return block.count_hits(k) / k


@metric(
    "R",
    formula="hits in the first K ÷ R",
    source="trec_eval recall; ALFA 0.1 calls it Precision@K",
    other_names=("hits_over_relevant",),
)
def compute_recall(block: Block, k: int | None) -> FloatArray:
    """Compute the share of the R relevant items that are in the first K places."""
    return divide(block.count_hits(k), block.relevant)


@metric(
    "Success",
    formula="1 if hits in the first K ≥ 1, else 0",
    source="trec_eval success; hit rate",
    other_names=("hit_any", "hit_rate"),
)
def compute_success(block: Block, k: int | None) -> FloatArray:
    """Compute whether at least one relevant item is in the first K places."""
    return (block.count_hits(k) > 0).astype(np.float64)


@metric(
    "AP",
    formula="Σ over hits of (hits up to rank k ÷ k) ÷ R",
    source="trec_eval map, map_cut",
    other_names=("mAP", "AP(relevant)", "AP(divisor=relevant)"),
)
def compute_average_precision(block: Block, k: int | None) -> FloatArray:
    """Compute the mean of hits ÷ rank over the relevant items, 0 for those not found."""
    return divide(_sum_precisions(block, k), block.relevant)


@metric(
    "AP(retrieved)",
    formula="Σ over hits of (hits up to rank k ÷ k) ÷ hits found",
    source="hashing mAP@p; DeepHash",
    other_names=("AP(divisor=retrieved)",),
)
def compute_ap_of_retrieved(block: Block, k: int | None) -> FloatArray:
    """Compute the mean of hits ÷ rank over the hits found, 0 without one."""
    found = block.count_hits(k)
    values = np.nan_to_num(divide(_sum_precisions(block, k), found))
    return np.where(block.relevant > 0, values, np.nan)


@metric(
    "AP(min)",
    formula="Σ over hits of (hits up to rank k ÷ k) ÷ min(R, K)",
    source="CIRCO, Baldrati et al. 2023, mAP@K",
    other_names=("AP(divisor=min)",),
)
def compute_truncated_ap(block: Block, k: int | None) -> FloatArray:
    """Compute the sum of hits ÷ rank over the hits, divided by as many as K places can hold."""
    most = block.relevant if k is None else np.minimum(block.relevant, k)
    return divide(_sum_precisions(block, k), most)


def _sum_precisions(block: Block, k: int | None) -> FloatArray:
    """Return the sum of hits so far ÷ rank over the hits of each list. [queries]."""
    so_far = np.cumsum(block.hit)
    before = np.append(0, so_far)[np.searchsorted(block.row, block.row)]  # of earlier queries
    terms = np.where(block.hit, (so_far - before) / block.rank, 0.0)
    return block.add_up(block.row, block.rank, terms, k)


@metric(
    "Rprec",
    formula="hits in the first R ÷ R",
    source="trec_eval Rprec",
    cutoff="never",
)
def compute_r_precision(block: Block, k: int | None) -> FloatArray:
    """Compute the share of hits in the first R places."""
    inside = block.hit & (block.rank <= block.relevant[block.row])
    return divide(block.add_up(block.row, block.rank, inside.astype(float), None), block.relevant)


@metric(
    "RR",
    formula="1 ÷ rank of the first hit",
    source="trec_eval recip_rank",
    other_names=("MRR", "recip_rank"),
)
def compute_reciprocal_rank(block: Block, k: int | None) -> FloatArray:
    """Compute 1 ÷ rank of the first relevant item, 0 if none is found."""
    values = np.zeros(len(block.relevant))
    inside = block.hit if k is None else block.hit & (block.rank <= k)
    np.maximum.at(values, block.row[inside], 1 / block.rank[inside])
    return values


@metric(
    "nDCG",
    formula="Σ grade ÷ log2(rank + 1), divided by that of the best order of all judged items",
    source="Järvelin and Kekäläinen 2002; trec_eval ndcg, ndcg_cut; ALFA 0.1 NDCG@K",
    reads="grades",
    other_names=("nDCG(linear)", "nDCG(gain=linear)", "nDCG(ideal=judged)"),
)
def compute_ndcg(block: Block, k: int | None) -> FloatArray:
    """Compute the discounted gain as a share of the best possible one."""
    return divide(compute_dcg(block, k), _discount(block, block.ideal, k))


@metric(
    "nDCG(exp)",
    formula="Σ (2^grade − 1) ÷ log2(rank + 1), divided by that of the best order of all judged "
    "items",
    source="Burges et al. 2005; gdeval ndcg",
    reads="grades",
    other_names=("nDCG(gain=exp)",),
)
def compute_exponential_ndcg(block: Block, k: int | None) -> FloatArray:
    """Compute nDCG with the gain 2^grade − 1."""
    return _divide_exponential(block, block.ideal, k)


@metric(
    "nDCG(ideal=retrieved)",
    formula="Σ grade ÷ log2(rank + 1), divided by that of the best order of what came back",
    source="ALFA 0.1, ideal ranking possible with available results",
    reads="grades",
    deep=True,
)
def compute_ndcg_of_retrieved(block: Block, k: int | None) -> FloatArray:
    """Compute nDCG against the best order of the results; it ignores what was not found."""
    return divide(compute_dcg(block, k), _discount(block, _sort_retrieved(block), k))


@metric(
    "nDCG(exp,ideal=retrieved)",
    formula="Σ (2^grade − 1) ÷ log2(rank + 1), divided by that of the best order of what came back",
    source="Burges et al. 2005, ideal of the results",
    reads="grades",
    deep=True,
    other_names=("nDCG(gain=exp,ideal=retrieved)",),
)
def compute_exponential_ndcg_of_retrieved(block: Block, k: int | None) -> FloatArray:
    """Compute nDCG with the gain 2^grade − 1 against the best order of the results."""
    return _divide_exponential(block, _sort_retrieved(block), k)


@metric(
    "DCG",
    formula="Σ grade ÷ log2(rank + 1)",
    source="Järvelin and Kekäläinen 2002; trec_eval",
    reads="grades",
    other_names=("DCG(linear)", "DCG(gain=linear)"),
)
def compute_dcg(block: Block, k: int | None) -> FloatArray:
    """Compute the sum of grades, each divided by log2(rank + 1)."""
    return _discount(block, (block.row, block.rank, block.grade), k)


@metric(
    "DCG(exp)",
    formula="Σ (2^grade − 1) ÷ log2(rank + 1)",
    source="Burges et al. 2005",
    reads="grades",
    other_names=("DCG(gain=exp)",),
)
def compute_exponential_dcg(block: Block, k: int | None) -> FloatArray:
    """Compute the sum of gains 2^grade − 1, each divided by log2(rank + 1).

    Raises:
        ValueError: If a grade is so high that its gain is no number to add up.
    """
    _check_grades("DCG(exp)", block, LARGE_EXPONENT)
    return _discount(block, (block.row, block.rank, np.exp2(block.grade) - 1), k)


def _discount(
    block: Block, results: tuple[IntArray, IntArray, FloatArray], k: int | None
) -> FloatArray:
    """Return the sum of gains ÷ log2(rank + 1) of each list. [queries]."""
    row, rank, gain = results
    return block.add_up(row, rank, gain / np.log2(rank + 1), k)


def _sort_retrieved(block: Block) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the positive grades of the results, descending, as rows like those of `ideal`."""
    order = np.lexsort((-block.grade, block.row))
    order = order[block.grade[order] > 0]
    row = block.row[order]
    return row, np.arange(len(row)) - np.searchsorted(row, row) + 1, block.grade[order]


def _divide_exponential(
    block: Block, best: tuple[IntArray, IntArray, FloatArray], k: int | None
) -> FloatArray:
    """Return nDCG with gains 2^grade − 1. Large ones are divided by 2^largest, as the ideal is."""
    largest = np.zeros(len(block.relevant))
    np.maximum.at(largest, best[0], best[2])
    lift = np.where(largest > LARGE_EXPONENT, np.ceil(largest), 0.0)

    def gain(row: IntArray, rank: IntArray, grade: FloatArray) -> FloatArray:
        gains = np.exp2(grade - lift[row]) - np.exp2(-lift[row])
        return _discount(block, (row, rank, gains), k)

    return divide(gain(block.row, block.rank, block.grade), gain(*best))


@metric(
    "CG",
    formula="Σ credit",
    source="Järvelin and Kekäläinen 2002; Shao et al. 2019 (CG, ORG)",
    reads="credits",
)
def compute_cumulative_gain(block: Block, k: int | None) -> FloatArray:
    """Compute the sum of the partial relevance of the results."""
    return block.add_up(block.row, block.rank, block.credit, k)


@metric(
    "RBP",
    formula="(1 − p) Σ credit · p^(rank − 1)",
    source="Moffat and Zobel 2008; Shao et al. 2019 (RBP, ORG)",
    reads="credits",
    setting=Setting("p", 0.95, 0.0, 1.0),
)
def compute_rank_biased_precision(block: Block, k: int | None, p: float) -> FloatArray:
    """Compute the expected gain of a reader who reads on with probability p."""
    terms = block.credit * (1 - p) * p ** (block.rank - 1.0)
    return block.add_up(block.row, block.rank, terms, k)


@metric(
    "ERR",
    formula="Σ (1 ÷ rank) · r · Π over earlier results of (1 − r), r = credit",
    source="Chapelle et al. 2009; Shao et al. 2019 (ERR, ORG)",
    reads="credits",
    other_names=("ERR(credit)", "ERR(stop=credit)"),
)
def compute_err(block: Block, k: int | None) -> FloatArray:
    """Compute the expected 1 ÷ rank at which a reader stops, with the credit as chance to stop."""
    return _expect_reciprocal_rank(block, block.credit, k)


@metric(
    "ERR(exp)",
    formula="Σ (1 ÷ rank) · r · Π over earlier results of (1 − r), r = (2^grade − 1) ÷ 2^4",
    source="Chapelle et al. 2009; gdeval err",
    reads="grades",
    other_names=("ERR(stop=exp)",),
)
def compute_exponential_err(block: Block, k: int | None) -> FloatArray:
    """Compute the expected 1 ÷ rank at which a reader stops, as gdeval does for grades to 4.

    Raises:
        ValueError: If a grade is above 4.
    """
    _check_grades("ERR(exp)", block, MAX_GRADE)
    return _expect_reciprocal_rank(block, (np.exp2(block.grade) - 1) / 2**MAX_GRADE, k)


def _check_grades(name: str, block: Block, most: int) -> None:
    highest = block.ideal[2].max(initial=0)
    if highest > most:
        raise ValueError(f"{name} takes grades up to {most}; one is {highest:g}.")


def _expect_reciprocal_rank(block: Block, stop: FloatArray, k: int | None) -> FloatArray:
    arrive = np.ones(len(stop))
    bounds = np.searchsorted(block.row, np.arange(len(block.relevant) + 1))
    for low, high in zip(bounds[:-1], bounds[1:], strict=True):
        arrive[low + 1 : high] = np.cumprod(1 - stop[low : high - 1]) if high > low else 1.0
    return block.add_up(block.row, block.rank, arrive * stop / block.rank, k)


@metric(
    "Judged",
    formula="judged results in the first K ÷ results in the first K",
    source="ir_measures Judged",
    reads="judged",
)
def compute_judged_share(block: Block, k: int | None) -> FloatArray:
    """Compute the share of the results that have a grade."""
    shown = block.returned if k is None else np.minimum(block.returned, k)
    return divide(block.add_up(block.row, block.rank, block.judged.astype(float), k), shown)


@metric("num_ret", formula="results", source="trec_eval num_ret", cutoff="never")
def count_retrieved(block: Block, k: int | None) -> FloatArray:
    """Count the results."""
    return block.returned.astype(np.float64)


@metric("num_rel", formula="R", source="trec_eval num_rel", cutoff="never")
def count_relevant(block: Block, k: int | None) -> FloatArray:
    """Count the relevant items, found or not."""
    return block.relevant.astype(np.float64)


@metric("num_rel_ret", formula="hits", source="trec_eval num_rel_ret", cutoff="never")
def count_relevant_retrieved(block: Block, k: int | None) -> FloatArray:
    """Count the hits."""
    return block.count_hits(None)
