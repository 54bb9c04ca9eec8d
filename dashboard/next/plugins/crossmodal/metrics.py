"""R@1, R@5 and R@10 of both directions, their sum and their mean."""

from __future__ import annotations

from dashboard.next.evaluation.binary_metrics import compute_success
from dashboard.next.evaluation.block import Block
from dashboard.next.evaluation.metrics import metric
from dashboard.next.tables import FloatArray

RECALLS = (1, 5, 10)
SOURCE = "VSE++ (Faghri et al., BMVC 2018)"


@metric(
    "i2t_R",
    formula="pictures with one of their texts in the first K ÷ pictures",
    source=SOURCE,
    cutoff="required",
)
def compute_image_to_text(block: Block, k: int | None) -> FloatArray:
    """Compute whether a picture finds any of its texts in the first K."""
    return compute_success(block, k)


@metric(
    "t2i_R",
    formula="texts with their picture in the first K ÷ texts",
    source=SOURCE,
    cutoff="required",
)
def compute_text_to_image(block: Block, k: int | None) -> FloatArray:
    """Compute whether a text finds its picture in the first K."""
    return compute_success(block, k)


@metric(
    "Rsum",
    formula="R@1 + R@5 + R@10 in both directions, of 6 (the source has per cent, of 600)",
    source=SOURCE,
    cutoff="never",
    depth=10,
)
def compute_recall_sum(block: Block, k: int | None) -> FloatArray:
    """Compute R@1 + R@5 + R@10 of one direction; the protocol adds the other."""
    one, five, ten = (compute_success(block, each) for each in RECALLS)
    return one + five + ten


@metric("mR", formula="Rsum ÷ 6", source=SOURCE, cutoff="never", depth=10)
def compute_mean_recall(block: Block, k: int | None) -> FloatArray:
    """Compute the mean of R@1, R@5 and R@10; the protocol takes both directions."""
    return compute_recall_sum(block, None) / len(RECALLS)
