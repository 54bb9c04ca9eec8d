"""Pictures find their captions and captions their picture: R@1/5/10 both ways, Rsum and mR.

The eight numbers of one model from vectors or ranks are in image_text/recalls.py.
"""

from __future__ import annotations

import numpy as np

from dashboard.evaluation.metrics.binary import explain_success, success
from dashboard.evaluation.metrics.explanation import Explanation, RankedList, Sum
from dashboard.evaluation.metrics.registry import explains, metric
from dashboard.evaluation.rankings import Floats, Rankings

CUTOFFS = (1, 5, 10)
WAYS = ("i2t_R", "t2i_R")
SUMS = ("Rsum", "mR")
SOURCE = "image-text matching, R@K, R@Sum and m_R"


@metric(
    "i2t_R",
    formula="images with one of their captions in the first K ÷ images",
    source=SOURCE,
    reads="hits",
    cutoff="required",
)
def image_to_text(rankings: Rankings, k: int) -> Floats:
    """Whether an image finds any of its captions in the first K; all queries of the run are images.

    >>> from dashboard.evaluation.rankings import from_lists
    >>> image_to_text(from_lists([[0, 1, 1], [0, 0, 0]], relevant=[5, 5]), 5).tolist()
    [1.0, 0.0]
    """
    return success(rankings, k)


@metric(
    "t2i_R",
    formula="captions with their image in the first K ÷ captions",
    source=SOURCE,
    reads="hits",
    cutoff="required",
)
def text_to_image(rankings: Rankings, k: int) -> Floats:
    """Whether a caption finds its image in the first K; all queries of the run are captions.

    >>> from dashboard.evaluation.rankings import from_lists
    >>> text_to_image(from_lists([[0, 1]]), 1).tolist()
    [0.0]
    """
    return success(rankings, k)


explains(image_to_text, text_to_image)(explain_success)


@metric(
    "Rsum",
    formula="R@1 + R@5 + R@10, images to texts, + the same, texts to images",
    source=SOURCE,
    reads="hits",
    cutoff="never",
    first=max(CUTOFFS),
)
def recall_sum(rankings: Rankings, k: None = None) -> Floats:
    """Sum of R@1, R@5 and R@10, both directions' means added; no value where only one is asked.

    >>> from dashboard.evaluation.rankings import from_lists
    >>> recall_sum(from_lists([[0, 1]])).tolist()
    [2.0]
    """
    return np.asarray(sum(success(rankings, cutoff) for cutoff in CUTOFFS))


@explains(recall_sum)
def explain_recall_sum(ranked: RankedList) -> Explanation:
    """R@1 + R@5 + R@10."""
    return three_recalls(ranked).equals()


@metric(
    "mR",
    formula="Rsum ÷ 6",
    source=SOURCE,
    reads="hits",
    cutoff="never",
    first=max(CUTOFFS),
    multiple_of=lambda name, k: "Rsum",
)
def mean_recall(rankings: Rankings, k: None = None) -> Floats:
    """Mean of R@1, R@5 and R@10 of both directions; no value where only one is asked.

    >>> from dashboard.evaluation.rankings import from_lists
    >>> mean_recall(from_lists([[1, 0]])).tolist()
    [1.0]
    """
    return np.asarray(recall_sum(rankings) / len(CUTOFFS))


@explains(mean_recall)
def explain_mean_recall(ranked: RankedList) -> Explanation:
    """(R@1 + R@5 + R@10) ÷ 3."""
    return three_recalls(ranked).over(len(CUTOFFS))


def three_recalls(ranked: RankedList) -> Sum:
    """R@1 + R@5 + R@10 of one query, told by its first hit."""
    place = ranked.first(max(CUTOFFS)).first_hit
    each = [int(0 < place <= k) for k in CUTOFFS]
    looked_at = ranked.first(place or max(CUTOFFS))
    named = " + ".join(f"R@{k}" for k in CUTOFFS)
    lines = (
        f"First hit: rank {place:,}" if place else f"Hits in {looked_at.scope}: none",
        f"R@K is 1 if the first hit stands in the first K; {named}:",
    )
    expression = " + ".join(map(str, each))
    return Sum(looked_at.steps(hit=looked_at.hits), lines, expression, float(sum(each)))
