"""R@K of both directions, their sum and mean, ranks of the first answer, and AP of R places."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dashboard.next.evaluation.binary_metrics import compute_average_precision, compute_success
from dashboard.next.evaluation.block import Block
from dashboard.next.evaluation.metrics import metric
from dashboard.next.tables import FloatArray

RECALLS = (1, 5, 10)
SOURCE = "VSE++ (Faghri et al., BMVC 2018)"
RANKS = "Med r and Mean r of VSE++ (Faghri et al., BMVC 2018)"


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


@metric(
    "i2t_MnR",
    formula="mean over pictures of the rank of the first of their texts; lower is better",
    source=RANKS,
    cutoff="never",
    lower_is_better=True,
)
@metric(
    "i2t_MdR",
    formula="median over pictures of the rank of the first of their texts; lower is better",
    source=RANKS,
    cutoff="never",
    lower_is_better=True,
    is_median=True,
)
@metric(
    "t2i_MnR",
    formula="mean over texts of the rank of their picture; lower is better",
    source=RANKS,
    cutoff="never",
    lower_is_better=True,
)
@metric(
    "t2i_MdR",
    formula="median over texts of the rank of their picture; lower is better",
    source=RANKS,
    cutoff="never",
    lower_is_better=True,
    is_median=True,
)
def compute_first_rank(block: Block, k: int | None) -> FloatArray:
    """Compute the rank of the first hit; 0 for none, which the protocol decides about."""
    ranks = np.full(len(block.relevant), np.inf)
    np.minimum.at(ranks, block.row[block.hit], block.rank[block.hit].astype(np.float64))
    return np.where(np.isinf(ranks), 0.0, ranks)


@metric(
    "AP(R)",
    formula="Σ over hits in the first R of (hits up to rank k ÷ k) ÷ R",
    source="mAP@R of ECCV Caption (Chun et al., ECCV 2022)",
    cutoff="never",
    other_names=("mAP_R",),
)
def compute_ap_of_first_places(block: Block, k: int | None) -> FloatArray:
    """Compute the mean of hits ÷ rank over R places, 0 for relevant items behind them."""
    inside = block.hit & (block.rank <= block.relevant[block.row])
    return compute_average_precision(replace(block, hit=inside), None)
