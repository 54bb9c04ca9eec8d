"""The section on Overview: how many items are annotated."""

import numpy as np

from dashboard.evaluation.judgement import list_judged
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.tables import IntArray
from dashboard.views.address import draw_text


def draw_section(study: Study, choices: Choices) -> None:
    """Draw how many items each query has labels for."""
    labels = [list_judged(study.judgement, query)[1] for query in study.queries.tolist()]
    labels = [each for each in labels if len(each)]
    if not labels:
        return
    fulfilled = np.array([int((each == 1).sum()) for each in labels])
    sizes = np.array(list(map(len, labels)))
    told = (
        f"Annotated: {_write_range(sizes)} items for each of {len(labels):,} queries, "
        f"of which {_write_range(fulfilled)} fulfil it (median {np.median(fulfilled):g})."
    )
    same = int((fulfilled == sizes).sum())
    if 0 < same < len(sizes):
        told += f" {same:,} of the queries have no label 0: AP is 1 whatever their order."
    draw_text("caption", told)


def _write_range(numbers: IntArray) -> str:
    low = int(numbers.min())
    high = int(numbers.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
