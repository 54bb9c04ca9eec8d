"""The register of metrics, and the metrics: functions of a block of labelled results."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

import numpy as np

from dashboard.next.evaluation.judgement import Judgement
from dashboard.next.retrieval.run import Part
from dashboard.next.tables import BoolArray, FloatArray, IntArray

Cutoff = Literal["optional", "required", "never"]


@dataclass(frozen=True, eq=False)
class Block:
    """Labelled results of some queries, as rows sorted by query and rank.

    The rows hold the first results of each list and, for metrics without a cutoff, every relevant
    result. Grades below 0 and of unjudged results are 0.

    Attributes:
        row: Place of each result's query, from 0.
        rank: True rank of each result, from 1.
        credit: Partial relevance of each result.
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


def label(part: Part, judgement: Judgement) -> Block:
    """Return the block of a part of a run: its results with their grades."""
    listed = part.rank <= part.passing[part.row]
    row, item, rank = part.row[listed], part.item[listed], part.rank[listed]
    grades: list[FloatArray] = []
    judged: list[BoolArray] = []
    credits: list[FloatArray] = []
    ideal: list[FloatArray] = []
    relevant: list[int] = []
    bounds = np.searchsorted(row, np.arange(len(part.queries) + 1))
    for query, low, high in zip(part.queries.tolist(), bounds[:-1], bounds[1:], strict=True):
        known = judgement.grades(query)
        every = np.nan_to_num(known).clip(min=0)
        items = item[low:high]
        partial = np.nan_to_num(judgement.credits(query)).clip(min=0)
        credits.append(np.where(items >= 0, partial[items], 0.0))
        judged.append((items >= 0) & ~np.isnan(known[items]))
        grades.append(np.where(items >= 0, every[items], 0.0))
        relevant.append(int((every >= judgement.relevant_from).sum()))
        ideal.append(np.sort(every[every > 0])[::-1])
    grade = np.concatenate(grades)
    sizes = [len(each) for each in ideal]
    ranks = np.concatenate([np.arange(1, size + 1) for size in sizes])
    best = (np.repeat(np.arange(len(sizes)), sizes), ranks, np.concatenate(ideal))
    hit = grade >= judgement.relevant_from
    credit, seen = np.concatenate(credits), np.concatenate(judged)
    return Block(row, rank, grade, hit, credit, seen, np.array(relevant), part.passing, best)


@dataclass(frozen=True, eq=False)
class Metric:
    """An entry of the register.

    Attributes:
        function: `function(block, k)` returns the value of each query, NaN where undefined.
        formula: The definition as a person would write it.
        source: Where the definition is published, and other names of it.
        summary: First line of the function's docstring.
        cutoff: Whether the name takes, needs or refuses `@k`.
        reads_credit: Whether it reads partial relevance, also of items that are not relevant.
        setting: Usual value of the number in brackets, as in `RBP(0.95)`; None: it has none.
    """

    name: str
    function: Callable[..., FloatArray]
    formula: str
    source: str
    summary: str
    cutoff: Cutoff
    setting: float | None = None
    reads_credit: bool = False


@dataclass(frozen=True)
class Measure:
    """A metric at a cutoff; `str()` gives `nDCG@10`."""

    name: str
    cutoff: int | None = None

    def __str__(self) -> str:
        return self.name if self.cutoff is None else f"{self.name}@{self.cutoff}"

    def __call__(self, block: Block) -> FloatArray:
        """Return the value of each query, NaN where the formula has none. [queries]."""
        entry = find_metric(self.name)
        if entry.setting is None:
            return entry.function(block, self.cutoff)
        return entry.function(block, self.cutoff, float(self.name.partition("(")[2][:-1]))


METRICS: dict[str, Metric] = {}
OTHER_NAMES: dict[str, str] = {}


def metric(
    name: str,
    *,
    formula: str,
    source: str,
    cutoff: Cutoff = "optional",
    other_names: tuple[str, ...] = (),
    setting: float | None = None,
    reads_credit: bool = False,
) -> Callable[[Callable[..., FloatArray]], Callable[..., FloatArray]]:
    """Register the decorated function as a metric."""

    def register(function: Callable[..., FloatArray]) -> Callable[..., FloatArray]:
        summary = (inspect.getdoc(function) or "").partition("\n")[0]
        METRICS[name] = Metric(
            name, function, formula, source, summary, cutoff, setting, reads_credit
        )
        OTHER_NAMES.update({other.lower(): name for other in (name, *other_names)})
        return function

    return register


def parse(text: str) -> list[Measure]:
    """Return the measures that a text such as `P@5 AP nDCG@10` names, each once.

    Raises:
        ValueError: If there is no such metric, or a cutoff is missing, wrong or not taken.
    """
    measures = [parse_one(word) for word in re.split(r"[\s,]+", text.strip()) if word]
    if not measures:
        raise ValueError("No metric is named; write for example P@5 AP nDCG@10.")
    return list(dict.fromkeys(measures))


def parse_one(word: str) -> Measure:
    """Return the measure of one name: `nDCG@10`, `RBP(0.8)@20`, or trec_eval's `ndcg_cut_10`."""
    name, at, digits = word.partition("@")
    if trec := re.fullmatch(r"([A-Za-z_]+)_(\d+)", word):
        name, at, digits = trec[1], "@", trec[2]
    base, bracket, text = name.partition("(")
    known = OTHER_NAMES.get(name.lower()) or OTHER_NAMES.get(base.lower(), "")
    if not known or (known != OTHER_NAMES.get(name.lower()) and METRICS[known].setting is None):
        near = get_close_matches(name.lower(), OTHER_NAMES, n=3, cutoff=0.5)
        names = dict.fromkeys([OTHER_NAMES[each] for each in near] or METRICS)
        raise ValueError(f"There is no metric {name!r}. Known: {', '.join(names)}.")
    entry = METRICS[known]
    if entry.setting is not None:
        known = f"{known}({_read_setting(word, text if bracket else f'{entry.setting:g})'):g})"
    if at and not re.fullmatch(r"[1-9]\d{0,8}", digits):
        raise ValueError(f"{word!r}: a cutoff is a whole number from 1, as in P@5.")
    if at and entry.cutoff == "never":
        raise ValueError(f"{known} takes no cutoff; write {known}.")
    if not at and entry.cutoff == "required":
        raise ValueError(f"{known} needs a cutoff; write for example {known}@5.")
    return Measure(known, int(digits) if at else None)


def _read_setting(word: str, text: str) -> float:
    if re.fullmatch(r"0?\.\d{1,6}\)", text) and float(text[:-1]) > 0:
        return float(text[:-1])
    raise ValueError(f"{word!r}: the number in brackets lies between 0 and 1, as in RBP(0.8)@20.")


def find_metric(name: str) -> Metric:
    """Return the entry of a name, with or without a number in brackets."""
    return METRICS[name if name in METRICS else name.partition("(")[0]]


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
    other_names=("hits_over_relevant", "recall"),
)
def compute_recall(block: Block, k: int | None) -> FloatArray:
    """Compute the share of the R relevant items that are in the first K places."""
    return divide(block.count_hits(k), block.relevant)


@metric(
    "Success",
    formula="1 if hits in the first K ≥ 1, else 0",
    source="trec_eval success; hit rate",
    other_names=("hit_any", "hit_rate", "success"),
)
def compute_success(block: Block, k: int | None) -> FloatArray:
    """Compute whether at least one relevant item is in the first K places."""
    return (block.count_hits(k) > 0).astype(np.float64)


@metric(
    "AP",
    formula="Σ over hits of (hits up to rank k ÷ k) ÷ R",
    source="trec_eval map, map_cut",
    other_names=("mAP", "map", "map_cut"),
)
def compute_average_precision(block: Block, k: int | None) -> FloatArray:
    """Compute the mean of hits ÷ rank over the relevant items, 0 for those not found."""
    return divide(_sum_precisions(block, k), block.relevant)


@metric(
    "AP(retrieved)",
    formula="Σ over hits of (hits up to rank k ÷ k) ÷ hits in the first K",
    source="hashing's mAP@p; 0 where relevant items exist and none is found",
)
def compute_retrieved_average_precision(block: Block, k: int | None) -> FloatArray:
    """Compute the mean of hits ÷ rank over the hits that were found."""
    found = divide(_sum_precisions(block, k), block.count_hits(k))
    return np.where(np.isnan(found) & (block.relevant > 0), 0.0, found)


@metric(
    "AP(min)",
    formula="Σ over hits of (hits up to rank k ÷ k) ÷ min(R, K)",
    source="CIRCO's mAP@K; sentence-transformers' AP@K",
)
def compute_truncated_average_precision(block: Block, k: int | None) -> FloatArray:
    """Compute the mean of hits ÷ rank over as many relevant items as fit in K places."""
    most = block.relevant if k is None else np.minimum(block.relevant, k)
    return divide(_sum_precisions(block, k), most)


def _sum_precisions(block: Block, k: int | None) -> FloatArray:
    """Return the sum of hits ÷ rank over the hits. [queries]."""
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
    other_names=("ndcg_cut",),
)
def compute_ndcg(block: Block, k: int | None) -> FloatArray:
    """Compute the discounted gain as a share of the best possible one."""
    row, rank, grade = block.ideal
    best = block.add_up(row, rank, grade / np.log2(rank + 1), k)
    return divide(compute_dcg(block, k), best)


@metric(
    "nDCG(exp)",
    formula="Σ (2^grade − 1) ÷ log2(rank + 1), divided by that of the best order",
    source="Burges et al. 2005",
)
def compute_exponential_ndcg(block: Block, k: int | None) -> FloatArray:
    """Compute nDCG with the gain 2^grade − 1."""
    row, rank, grade = block.ideal
    found, best = np.exp2(block.grade) - 1, np.exp2(grade) - 1
    return divide(
        block.add_up(block.row, block.rank, found / np.log2(block.rank + 1), k),
        block.add_up(row, rank, best / np.log2(rank + 1), k),
    )


@metric("DCG", formula="Σ grade ÷ log2(rank + 1)", source="Järvelin and Kekäläinen 2002")
def compute_dcg(block: Block, k: int | None) -> FloatArray:
    """Compute the sum of grades, each divided by log2(rank + 1)."""
    return block.add_up(block.row, block.rank, block.grade / np.log2(block.rank + 1), k)


@metric("CG", formula="Σ credit", source="Järvelin and Kekäläinen 2002", reads_credit=True)
def compute_cg(block: Block, k: int | None) -> FloatArray:
    """Compute the sum of partial relevance."""
    return block.add_up(block.row, block.rank, block.credit, k)


@metric(
    "RBP",
    formula="(1 − p) Σ credit × p^(rank − 1)",
    source="Moffat and Zobel 2008",
    setting=0.95,
    reads_credit=True,
)
def compute_rank_biased_precision(block: Block, k: int | None, p: float) -> FloatArray:
    """Compute the gain per result of a reader who goes on with probability p; grades 0 to 1."""
    _check_scale(block, "RBP")
    weights = (1 - p) * p ** (block.rank - 1.0)
    return block.add_up(block.row, block.rank, block.credit * weights, k)


@metric(
    "ERR",
    formula="Σ 1 ÷ rank × credit × Π over earlier results of (1 − credit)",
    source="Chapelle et al. 2009, with the credit itself as stop probability",
    reads_credit=True,
)
def compute_expected_reciprocal_rank(block: Block, k: int | None) -> FloatArray:
    """Compute the expected 1 ÷ rank at which a reader stops; grades 0 to 1."""
    _check_scale(block, "ERR")
    reach = np.ones(len(block.row))
    bounds = np.searchsorted(block.row, np.arange(len(block.relevant) + 1))
    for low, high in zip(bounds[:-1], bounds[1:], strict=True):
        reach[low + 1 : high] = np.cumprod(1 - block.credit[low:high])[:-1]
    return block.add_up(block.row, block.rank, block.credit * reach / block.rank, k)


def _check_scale(block: Block, name: str) -> None:
    highest = block.credit.max(initial=0)
    if highest > 1:
        raise ValueError(f"{name} reads grades from 0 to 1; here they reach {highest:g}.")


@metric(
    "Judged",
    formula="judged results in the first K ÷ results in the first K",
    source="ir_measures Judged",
    cutoff="required",
)
def compute_judged(block: Block, k: int | None) -> FloatArray:
    """Compute the share of the first K results that are judged."""
    assert k is not None
    judged = block.add_up(block.row, block.rank, block.judged.astype(np.float64), k)
    return divide(judged, np.minimum(block.returned, k))


@metric("num_ret", formula="results", source="trec_eval num_ret", cutoff="never")
def count_results(block: Block, k: int | None) -> FloatArray:
    """Count the results down to the similarity threshold."""
    return block.returned.astype(np.float64)


@metric("num_rel", formula="R", source="trec_eval num_rel", cutoff="never")
def count_relevant(block: Block, k: int | None) -> FloatArray:
    """Count the relevant items."""
    return block.relevant.astype(np.float64)


@metric("num_rel_ret", formula="hits", source="trec_eval num_rel_ret", cutoff="never")
def count_relevant_results(block: Block, k: int | None) -> FloatArray:
    """Count the relevant items among the results."""
    return block.count_hits(None)
