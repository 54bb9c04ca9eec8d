"""Metrics of binary relevance, and counts."""

import numpy as np

from dashboard.evaluation.block import Block, Cut, Sum
from dashboard.evaluation.metrics import metric
from dashboard.tables import FloatArray


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


@metric(
    "Rprec",
    formula="hits in the first R ÷ R",
    source="trec_eval Rprec",
    cutoff="never",
)
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
