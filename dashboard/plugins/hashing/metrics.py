"""Precision within a Hamming radius: how many of the items so near are relevant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dashboard.evaluation.block import Block
from dashboard.evaluation.measurement import measure_run
from dashboard.evaluation.metrics import Measure, metric, parse
from dashboard.tables import FloatArray

if TYPE_CHECKING:
    from dashboard.study.study import Study

RADIUS = 2
"""The radius that the literature reports."""
NAME = f"P(H<={RADIUS})"


@metric(
    NAME,
    formula=f"hits within Hamming distance {RADIUS} ÷ results within it, 0 if there are none",
    source="Liu et al., Supervised Hashing with Kernels, CVPR 2012",
    cutoff="never",
    other_names=(f"P(H≤{RADIUS})",),
)
def refuse_results(block: Block, k: int | None) -> FloatArray:
    """Compute the share of hits among the items within Hamming distance 2.

    Raises:
        ValueError: Always: labelled results hold no distances. `measure_radius` has them.
    """
    raise ValueError(f"{NAME} is for hash codes: choose the protocol hashing.")


def measure_radius(study: Study, version: str, measure: Measure) -> FloatArray | None:
    """Return P(H<=2) of each query of a version; null for a file of results; None: not asked.

    A query without an item so near counts 0. The order of equal distances does not matter.
    """
    if measure.name != NAME:
        return None
    bits = find_bits(study, version)
    if bits is None:
        return np.full(len(study.queries), np.nan)
    run = study.run(version)
    least = 1 - (2 * RADIUS + 1) / bits  # between this distance and the next
    near = replace(run, min_similarity=max(run.min_similarity, least))
    counts = parse("num_rel_ret num_ret")
    hits, found = measure_run(near, study.queries, study.judgement, study.rules, counts)
    return np.asarray(hits / np.maximum(found, 1))


def find_bits(study: Study, version: str) -> int | None:
    """Return the length of a version's codes; None for a file of results."""
    items = study.collection.find_version(version).items
    return None if items is None else items.dimension
