"""Metrics of binary, graded and partial relevance, and counts."""

import numpy as np

from dashboard.evaluation.block import Block, Cut, Ranked, Sum
from dashboard.evaluation.metrics import PER, Setting, metric
from dashboard.tables import FloatArray, IntArray, find_rows


@metric(
    "P",
    formula="hits in the first K ÷ K",
    source="trec_eval P; ALFA 0.1 calls it Recall@K",
    cutoff="required",
    other_names=("hits_over_k",),
)
def compute_precision(block: Block, k: Cut) -> Sum:
    """Compute the share of the first K places that hold a relevant item, empty places too."""
    return block.sum(block.hit, np.full(len(block.relevant), k))


@metric(
    "R",
    formula="hits in the first K ÷ R",
    source="trec_eval recall; ALFA 0.1 calls it Precision@K",
    other_names=("hits_over_relevant",),
)
def compute_recall(block: Block, k: Cut) -> Sum:
    """Compute the share of the R relevant items that are in the first K places."""
    return block.sum(block.hit, block.relevant)


@metric(
    "Success",
    formula="1 if hits in the first K ≥ 1, else 0",
    source="trec_eval success; hit rate",
    other_names=("hit_any", "hit_rate"),
)
def compute_success(block: Block, k: Cut) -> FloatArray:
    """Compute whether at least one relevant item is in the first K places."""
    return (block.count_hits(k) > 0).astype(float)


@metric(
    "AP",
    formula="Σ over hits of (hits up to rank k ÷ k) ÷ R",
    source="trec_eval map, map_cut",
    other_names=("mAP", "AP(relevant)", "AP(divisor=relevant)"),
)
def compute_average_precision(block: Block, k: Cut) -> Sum:
    """Compute the mean of hits ÷ rank over the relevant items, 0 for those not found."""
    return block.sum(_list_precisions(block), block.relevant)


@metric(
    "AP(retrieved)",
    formula="Σ over hits of (hits up to rank k ÷ k) ÷ hits found",
    source="hashing mAP@p; DeepHash",
    other_names=("AP(divisor=retrieved)",),
)
def compute_ap_of_retrieved(block: Block, k: Cut) -> Sum:
    """Compute the mean of hits ÷ rank over the hits found, 0 without one."""
    found = np.maximum(block.count_hits(k), 1)
    return block.sum(_list_precisions(block), np.where(block.relevant > 0, found, 0))


@metric(
    "AP(min)",
    formula="Σ over hits of (hits up to rank k ÷ k) ÷ min(R, K)",
    source="CIRCO, Baldrati et al. 2023, mAP@K",
    other_names=("AP(divisor=min)",),
)
def compute_truncated_ap(block: Block, k: Cut) -> Sum:
    """Compute the sum of hits ÷ rank over the hits, divided by as many as K places can hold."""
    return block.sum(
        _list_precisions(block), block.relevant if k is None else np.minimum(block.relevant, k)
    )


def _list_precisions(block: Block) -> FloatArray:
    """Return hits so far ÷ rank of each hit, 0 for other results. [rows]."""
    return np.where(block.hit, block.count_so_far(block.hit) / block.rank, 0.0)


@metric("Rprec", formula="hits in the first R ÷ R", source="trec_eval Rprec", cutoff="never")
def compute_r_precision(block: Block, k: Cut) -> Sum:
    """Compute the share of hits in the first R places."""
    return block.sum(block.hit & (block.rank <= block.relevant[block.row]), block.relevant)


@metric(
    "RR",
    formula="1 ÷ rank of the first hit",
    source="trec_eval recip_rank",
    other_names=("MRR", "recip_rank"),
)
def compute_reciprocal_rank(block: Block, k: Cut) -> Sum:
    """Compute 1 ÷ rank of the first relevant item, 0 if none is found."""
    return block.sum(block.find_first_hits() / block.rank)


@metric(
    "Judged",
    formula="judged results in the first K ÷ results in the first K",
    source="ir_measures Judged",
    reads="judged",
)
def compute_judged_share(block: Block, k: Cut) -> Sum:
    """Compute the share of the results that have a grade."""
    return block.sum(block.judged, block.count_looked_at(k))


@metric("num_ret", formula="results", source="trec_eval num_ret", cutoff="never")
def count_retrieved(block: Block, k: Cut) -> FloatArray:
    """Count the results."""
    return block.returned.astype(float)


@metric("num_rel", formula="R", source="trec_eval num_rel", cutoff="never")
def count_relevant(block: Block, k: Cut) -> FloatArray:
    """Count the relevant items, found or not."""
    return block.relevant.astype(float)


@metric("num_rel_ret", formula="hits", source="trec_eval num_rel_ret", cutoff="never")
def count_relevant_retrieved(block: Block, k: Cut) -> Sum:
    """Count the hits."""
    return block.sum(block.hit)


LARGE_EXPONENT = 300
"""Gains 2^grade above 2^300 are divided by the largest one before they are added up."""
MAX_GRADE = 4
"""Largest grade of gdeval's ERR."""
PERSISTENCE = Setting("p", 0.95, 0.0, 1.0, is_bare=True)


@metric(
    "nDCG",
    formula="Σ grade ÷ log2(rank + 1), divided by that of the best order of all judged items",
    source="Järvelin and Kekäläinen 2002; trec_eval ndcg, ndcg_cut; ALFA 0.1 NDCG@K",
    reads="grades",
    other_names=("nDCG(linear)", "nDCG(gain=linear)", "nDCG(ideal=judged)"),
)
def compute_ndcg(block: Block, k: Cut) -> Sum:
    """Compute the discounted gain as a share of the best possible one."""
    return _divide_by_best(block, block.ideal, k)


@metric(
    "nDCG(exp)",
    formula="Σ (2^grade − 1) ÷ log2(rank + 1), divided by that of the best order of all judged "
    "items",
    source="Burges et al. 2005; gdeval ndcg",
    reads="grades",
    other_names=("nDCG(gain=exp)",),
)
def compute_exponential_ndcg(block: Block, k: Cut) -> Sum:
    """Compute nDCG with the gain 2^grade − 1."""
    return _divide_by_best(block, block.ideal, k, is_exponential=True)


@metric(
    "nDCG(ideal=retrieved)",
    formula="Σ grade ÷ log2(rank + 1), divided by that of the best order of what came back",
    source="ALFA 0.1, ideal ranking possible with available results",
    reads="grades",
    deep=True,
)
def compute_ndcg_of_retrieved(block: Block, k: Cut) -> Sum:
    """Compute nDCG against the best order of the results; it ignores what was not found."""
    return _divide_by_best(block, _sort_retrieved(block), k)


@metric(
    "nDCG(exp,ideal=retrieved)",
    formula="Σ (2^grade − 1) ÷ log2(rank + 1), divided by that of the best order of what came back",
    source="Burges et al. 2005, ideal of the results",
    reads="grades",
    deep=True,
    other_names=("nDCG(gain=exp,ideal=retrieved)",),
)
def compute_exponential_ndcg_of_retrieved(block: Block, k: Cut) -> Sum:
    """Compute nDCG with the gain 2^grade − 1 against the best order of the results."""
    return _divide_by_best(block, _sort_retrieved(block), k, is_exponential=True)


@metric(
    "DCG",
    formula="Σ grade ÷ log2(rank + 1)",
    source="Järvelin and Kekäläinen 2002; trec_eval",
    reads="grades",
    other_names=("DCG(linear)", "DCG(gain=linear)"),
)
def compute_dcg(block: Block, k: Cut) -> Sum:
    """Compute the sum of grades, each divided by log2(rank + 1)."""
    return block.sum(_discount(block.grade, block.rank))


@metric(
    "DCG(exp)",
    formula="Σ (2^grade − 1) ÷ log2(rank + 1)",
    source="Burges et al. 2005",
    reads="grades",
    other_names=("DCG(gain=exp)",),
)
def compute_exponential_dcg(block: Block, k: Cut) -> Sum:
    """Compute the sum of gains 2^grade − 1, each divided by log2(rank + 1).

    Raises:
        ValueError: If a grade is so high that its gain is no number to add up.
    """
    _check_grades("DCG(exp)", block, LARGE_EXPONENT)
    return block.sum(_discount(np.exp2(block.grade) - 1, block.rank))


def _discount(gain: FloatArray, rank: IntArray) -> FloatArray:
    """Return gain ÷ log2(rank + 1) of each result."""
    return gain / np.log2(rank + 1)


def _sort_retrieved(block: Block) -> Ranked:
    """Return the positive grades of the results, descending, as rows like those of `ideal`."""
    order = np.lexsort((-block.grade, block.row))
    order = order[block.grade[order] > 0]
    row = block.row[order]
    return row, np.arange(len(row)) - np.searchsorted(row, row) + 1, block.grade[order]


def _divide_by_best(block: Block, best: Ranked, k: Cut, is_exponential: bool = False) -> Sum:
    """Return nDCG against the best order of some grades.

    Exponential gains are 2^grade − 1; large ones are divided by 2^largest, as the ideal is.
    """
    row, rank, grade = best
    gain, ideal = block.grade, grade
    if is_exponential:
        largest = np.zeros(len(block.relevant))
        np.maximum.at(largest, row, grade)
        lift = np.where(largest > LARGE_EXPONENT, np.ceil(largest), 0.0)
        gain, ideal = (
            np.exp2(each - lift[of]) - np.exp2(-lift[of])
            for each, of in ((gain, block.row), (ideal, row))
        )
    best_sum = block._replace(row=row, rank=rank).sum(_discount(ideal, rank)).compute(k)
    return block.sum(_discount(gain, block.rank), best_sum)


@metric(
    "CG",
    formula="Σ credit",
    source="Järvelin and Kekäläinen 2002; Shao et al. 2019 (CG, ORG)",
    reads="credits",
    settings=(PER,),
)
def compute_cumulative_gain(block: Block, k: Cut) -> Sum:
    """Compute the sum of the partial relevance of the results."""
    return block.sum(block.credit)


@metric(
    "DCG(credit)",
    formula="Σ credit ÷ log2(rank + 1)",
    source="Shao et al. 2019 (DCG, ORG)",
    reads="credits",
    settings=(PER,),
)
def compute_credit_dcg(block: Block, k: Cut) -> Sum:
    """Compute the sum of partial relevance, each divided by log2(rank + 1)."""
    return block.sum(_discount(block.credit, block.rank))


@metric(
    "RBP",
    formula="(1 − p) Σ credit · p^(rank − 1)",
    source="Moffat and Zobel 2008; Shao et al. 2019 (RBP, ORG)",
    reads="credits",
    settings=(PERSISTENCE, PER),
)
def compute_rank_biased_precision(block: Block, k: Cut, p: float) -> Sum:
    """Compute the expected gain of a reader who reads on with probability p."""
    return block.sum(block.credit * (1 - p) * p ** (block.rank - 1.0))


@metric(
    "ERR",
    formula="Σ (1 ÷ rank) · r · Π over earlier results of (1 − r), r = credit",
    source="Chapelle et al. 2009; Shao et al. 2019 (ERR, ORG)",
    reads="credits",
    settings=(PER,),
    other_names=("ERR(credit)", "ERR(stop=credit)"),
)
def compute_err(block: Block, k: Cut) -> Sum:
    """Compute the expected 1 ÷ rank at which a reader stops, with the credit as chance to stop."""
    return block.sum(_list_reciprocal_ranks(block, block.credit))


@metric(
    "ERR(exp)",
    formula="Σ (1 ÷ rank) · r · Π over earlier results of (1 − r), r = (2^grade − 1) ÷ 2^4",
    source="Chapelle et al. 2009; gdeval err",
    reads="grades",
    other_names=("ERR(stop=exp)",),
)
def compute_exponential_err(block: Block, k: Cut) -> Sum:
    """Compute the expected 1 ÷ rank at which a reader stops, as gdeval does for grades to 4.

    Raises:
        ValueError: If a grade is above 4.
    """
    _check_grades("ERR(exp)", block, MAX_GRADE)
    return block.sum(_list_reciprocal_ranks(block, (np.exp2(block.grade) - 1) / 2**MAX_GRADE))


def _check_grades(name: str, block: Block, most: int) -> None:
    highest = block.ideal[2].max(initial=0)
    if highest > most:
        raise ValueError(f"{name} takes grades up to {most}; one is {highest:g}.")


def _list_reciprocal_ranks(block: Block, stop: FloatArray) -> FloatArray:
    """Return 1 ÷ rank of each result, times the probability that a reader stops there. [rows]."""
    arrive = np.ones(len(stop))
    for rows in find_rows(block.row, len(block.relevant)):
        arrive[rows][1:] = np.cumprod(1 - stop[rows][:-1])
    return arrive * stop / block.rank
