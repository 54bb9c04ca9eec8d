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
        relevant: R, the number of relevant items of each query.
        returned: Number of results of each query, down to the similarity threshold.
        ideal: Positive grades of the judged items of each query, descending, as such rows.
    """

    row: IntArray
    rank: IntArray
    grade: FloatArray
    hit: BoolArray
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
    ideal: list[FloatArray] = []
    relevant: list[int] = []
    bounds = np.searchsorted(row, np.arange(len(part.queries) + 1))
    for query, low, high in zip(part.queries.tolist(), bounds[:-1], bounds[1:], strict=True):
        every = np.nan_to_num(judgement.grades(query)).clip(min=0)
        items = item[low:high]
        grades.append(np.where(items >= 0, every[items], 0.0))
        relevant.append(int((every >= judgement.relevant_from).sum()))
        ideal.append(np.sort(every[every > 0])[::-1])
    grade = np.concatenate(grades)
    sizes = [len(each) for each in ideal]
    ranks = np.concatenate([np.arange(1, size + 1) for size in sizes])
    best = (np.repeat(np.arange(len(sizes)), sizes), ranks, np.concatenate(ideal))
    hit = grade >= judgement.relevant_from
    return Block(row, rank, grade, hit, np.array(relevant), part.passing, best)


@dataclass(frozen=True, eq=False)
class Metric:
    """An entry of the register.

    Attributes:
        function: `function(block, k)` returns the value of each query, NaN where undefined.
        formula: The definition as a person would write it.
        source: Where the definition is published, and other names of it.
        summary: First line of the function's docstring.
        cutoff: Whether the name takes, needs or refuses `@k`.
    """

    name: str
    function: Callable[[Block, int | None], FloatArray]
    formula: str
    source: str
    summary: str
    cutoff: Cutoff


@dataclass(frozen=True)
class Measure:
    """A metric at a cutoff; `str()` gives `nDCG@10`."""

    name: str
    cutoff: int | None = None

    def __str__(self) -> str:
        return self.name if self.cutoff is None else f"{self.name}@{self.cutoff}"

    def __call__(self, block: Block) -> FloatArray:
        """Return the value of each query, NaN where the formula has none. [queries]."""
        return METRICS[self.name].function(block, self.cutoff)


METRICS: dict[str, Metric] = {}
OTHER_NAMES: dict[str, str] = {}


def metric(
    name: str,
    *,
    formula: str,
    source: str,
    cutoff: Cutoff = "optional",
    other_names: tuple[str, ...] = (),
) -> Callable[[Callable[[Block, int | None], FloatArray]], Callable[..., FloatArray]]:
    """Register the decorated function as a metric."""

    def register(function: Callable[[Block, int | None], FloatArray]) -> Callable[..., FloatArray]:
        summary = (inspect.getdoc(function) or "").partition("\n")[0]
        METRICS[name] = Metric(name, function, formula, source, summary, cutoff)
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
    """Return the measure of one name."""
    name, at, digits = word.partition("@")
    if name.lower() not in OTHER_NAMES:
        near = get_close_matches(name.lower(), OTHER_NAMES, n=3, cutoff=0.5)
        known = dict.fromkeys([OTHER_NAMES[each] for each in near] or METRICS)
        raise ValueError(f"There is no metric {name!r}. Known: {', '.join(known)}.")
    entry = METRICS[OTHER_NAMES[name.lower()]]
    if at and not re.fullmatch(r"[1-9]\d{0,8}", digits):
        raise ValueError(f"{word!r}: a cutoff is a whole number from 1, as in P@5.")
    if at and entry.cutoff == "never":
        raise ValueError(f"{entry.name} takes no cutoff; write {entry.name}.")
    if not at and entry.cutoff == "required":
        raise ValueError(f"{entry.name} needs a cutoff; write for example {entry.name}@5.")
    return Measure(entry.name, int(digits) if at else None)


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
    other_names=("mAP", "map"),
)
def compute_average_precision(block: Block, k: int | None) -> FloatArray:
    """Compute the mean of hits ÷ rank over the relevant items, 0 for those not found."""
    so_far = np.cumsum(block.hit)
    before = np.append(0, so_far)[np.searchsorted(block.row, block.row)]  # of earlier queries
    terms = np.where(block.hit, (so_far - before) / block.rank, 0.0)
    return divide(block.add_up(block.row, block.rank, terms, k), block.relevant)


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
)
def compute_ndcg(block: Block, k: int | None) -> FloatArray:
    """Compute the discounted gain as a share of the best possible one."""
    found = block.add_up(block.row, block.rank, block.grade / np.log2(block.rank + 1), k)
    row, rank, grade = block.ideal
    return divide(found, block.add_up(row, rank, grade / np.log2(rank + 1), k))
