"""AP of the annotated items."""

from __future__ import annotations

from dashboard.evaluation.binary_metrics import compute_average_precision
from dashboard.evaluation.block import Block, Sum
from dashboard.evaluation.metrics import metric


@metric(
    "AP(annotated)",
    formula="Σ over fulfilled items of (fulfilled items up to its place ÷ its place) ÷ fulfilled "
    "labels, places counted among the annotated items",
    source="Fashion retrieval with language feedback: evaluation of the challenge",
    cutoff="never",
)
def compute_annotated_ap(block: Block, k: int | None) -> Sum:
    """Compute AP of a list that holds annotated items only."""
    return compute_average_precision(block, None)
