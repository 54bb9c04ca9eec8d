"""What the index of a version costs: its recall, its part in a difference, its time and size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dashboard.evaluation.comparison import index_cost
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.measuring import measurements, of_queries, scenes_of
from dashboard.experiment.memory import remembered
from dashboard.experiment.ranking import has_index
from dashboard.retrieval import runs
from dashboard.retrieval.encoders.query_vectors import query_vectors
from dashboard.retrieval.indexes.copying import Progress, copy_vectors
from dashboard.retrieval.indexes.indexed import (
    IndexedGallery,
    Timing,
    gallery_to_search,
    time_searches,
)
from dashboard.storage.collection.collection import Collection
from dashboard.tables import DataError

CUTOFFS = (1, 10, 100)
SAMPLE = 1_000
"""Recall is of at most so many queries, evenly over the file."""
TIMED = 50
"""So many queries are searched one by one to see how long one takes."""


@dataclass(frozen=True, eq=False)
class IndexCost:
    """What the index of one version costs.

    recall: columns k, recall, low, high, queries; total: queries of the version, of which `recall`
    has all, or a sample. found, exact: the seconds of a search, one by one, of each way.
    """

    version: str
    index: str
    recall: pd.DataFrame
    total: int
    timing: Timing


def indexed(experiment: Experiment, versions: Sequence[str]) -> list[str]:
    """The versions that are searched through an index."""
    return [version for version in dict.fromkeys(versions) if has_index(experiment, version)]


@remembered(16, work="Comparing the index with exact search …")
def cost(experiment: Experiment, version: str, sample: int = SAMPLE) -> IndexCost:
    """What the index of a version costs in results and in time, on its stored queries.

    Raises DataError where a server cannot be used, ValueError where a version has no index.
    """
    collection = experiment.collection.under(experiment.protocol)
    model = collection.searched[version]
    if model.index is None:
        raise ValueError(f"{version} has no index")
    asked = runs.queries_of(collection, experiment.queries)
    every = query_vectors(model, asked).vectors
    some = every.ids[:: max(1, -(-len(every.ids) // sample))]
    only, which, depth = frozenset(some), experiment.queries, model.index.depth
    found = runs.run_of(collection, version, which, depth, only=only)
    exact = runs.run_of(collection, version, which, depth, only=only, exact=True)
    cutoffs = [k for k in CUTOFFS if k <= depth]
    recall = index_cost.recall(found, exact, cutoffs, groups=scenes_of(experiment))
    timed = every.rows(some[:: max(1, len(some) // TIMED)][:TIMED])
    return IndexCost(
        version,
        str(model.index),
        recall,
        len(every.ids),
        time_searches(model, collection.items, timed),
    )


@remembered(32)
def decomposed(
    experiment: Experiment,
    baseline: str,
    candidate: str,
    metrics: str,
    only: tuple[str, ...] | None,
) -> pd.DataFrame:
    """How much of the difference between two versions is the model and how much each index: the
    rows of `decompose`, over `only` these queries (None: all in question)."""
    pair = (baseline, candidate)
    found = of_queries(only, measurements(experiment, pair, metrics))
    exact = of_queries(only, measurements(replace(experiment, exact=True), pair, metrics))
    groups = scenes_of(experiment)
    return index_cost.decompose(found, exact, baseline, candidate, groups=groups)


def percentile(seconds: Sequence[float], share: int) -> float:
    """Milliseconds that a share of searches, in per cent, takes at most."""
    return float(np.percentile(seconds, share) * 1_000) if len(seconds) else np.nan


def figures(cost: IndexCost) -> dict[str, float | None]:
    """Time and size of an index beside those of exact search, with their units; null: not known.

    p50_ms, p95_ms: of a whole search through the index; alone: of what the index alone does of it.
    """
    timing = cost.timing
    return {
        "p50_ms": percentile(timing.index, 50),
        "p95_ms": percentile(timing.index, 95),
        "bytes": timing.size,
        "build_s": timing.building,
        "alone_p50_ms": percentile(timing.alone, 50),
        "alone_p95_ms": percentile(timing.alone, 95),
        "exact_p50_ms": percentile(timing.exact, 50),
        "exact_p95_ms": percentile(timing.exact, 95),
        "vectors_bytes": timing.vectors,
    }


def copied(
    collection: Collection, version: str, address: str, *, replaces: bool, progress: Progress
) -> dict[str, object]:
    """Copies a version's vectors to a Milvus server: a row on it. Raises DataError as it does."""
    if version not in collection.searched:
        raise DataError(f"models/{version[:80]}", "no vectors", "a version with vectors")
    model = collection.searched[version]
    return copy_vectors(model, collection.items, address, replaces=replaces, progress=progress)


def is_on_a_server(experiment: Experiment, version: str) -> bool:
    """Whether the index of a version is on a Milvus server, where only copying builds it."""
    settings = experiment.collection.searched[version].index
    return settings is not None and bool(settings.server)


def built(experiment: Experiment, version: str) -> dict[str, object]:
    """Builds the index of a version, where it is not built: a row on it."""
    model = experiment.collection.searched[version]
    gallery = gallery_to_search(model, experiment.collection.items)
    if not isinstance(gallery, IndexedGallery):
        raise ValueError(f"{version} has no index")
    size = gallery.index.size
    return {
        "version": version,
        "index": str(model.index),
        "depth": gallery.depth,
        "items": len(gallery.ids),
        "seconds": gallery.index.seconds,
        "megabytes": None if size is None else size / 1_000_000,
    }
