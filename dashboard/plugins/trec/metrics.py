"""Metrics of trec_eval that need more than hits and grades."""

from __future__ import annotations

import numpy as np

from dashboard.evaluation.block import Block, Sum
from dashboard.evaluation.metrics import metric


@metric(
    "bpref",
    formula="Σ over hits of (1 − min(judged non-relevant results before it, R) ÷ min(judged "
    "non-relevant items, R)) ÷ R",
    source="Buckley and Voorhees 2004; trec_eval bpref",
    cutoff="never",
    reads="judged",
)
def compute_bpref(block: Block, k: int | None) -> Sum:
    """Compute how rarely a judged non-relevant item precedes a relevant one."""
    so_far = np.cumsum(block.nonrelevant)
    before = so_far - np.append(0, so_far)[np.searchsorted(block.row, block.row)]
    most = block.relevant[block.row]
    possible = np.minimum(block.judged_nonrelevant[block.row], most)
    lost = np.minimum(before, most) / np.maximum(possible, 1)
    return block.sum(np.where(block.hit, 1 - lost, 0.0), block.relevant)
