"""Indexes of faiss: built and written; what they cost against exact search.

Vectors have length 1, so that the inner product is the cosine.
"""

import json
import re
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from timeit import timeit
from typing import Any, cast

import faiss
import numpy as np

from dashboard.errors import DataError, explain_errors
from dashboard.evaluation.statistics import resample_figure
from dashboard.plugins.indexes.faiss_file import (
    NAME,
    IndexLine,
    IndexSource,
    SearchIndex,
    digest_vectors,
    require_floats,
)
from dashboard.retrieval.sources import Run, Source
from dashboard.storage.collection import Collection
from dashboard.storage.drafts import replace_files
from dashboard.storage.vectors import Vectors
from dashboard.storage.versions import Version
from dashboard.tables import FloatArray, IntArray, Rows
from dashboard.texts import compute_digest

MAX_TRAINING = 1 << 18
"""Vectors, evenly over all, that find cells and codes."""
MIN_NUMBER = 1 << 10
"""Numbers up to this one may stand in a factory string, however few vectors there are."""
RECALLED = 10
"""Results from the first on that the recall in the file looks at."""
BLOCK = 1 << 12
"""Vectors that are added at once."""


def write_index(
    collection: Collection, version: Version, factory: str, parameters: str, depth: int
) -> None:
    """Build the index of a version beside its vectors, whole or not at all.

    Args:
        collection: What the version belongs to.
        version: Whose vectors are indexed.
        factory: The index, as faiss.index_factory takes it.
        parameters: Of its search, such as nprobe=8,efSearch=64.
        depth: Results of a query that it is asked for.

    Raises:
        DataError: If the version has no vectors of floats, or faiss refuses one of the texts.
    """
    items = require_floats(version)
    folder = collection.folder / version.file
    most = max(MIN_NUMBER, len(items.ids))
    numbers = [each for each in re.findall(r"\d+", factory) if len(each) > 9 or int(each) > most]
    if numbers:
        raise DataError(
            "--factory",
            f"the number {numbers[0][:20]} for {len(items.ids):,} vectors",
            f"numbers up to {most:,}",
        )
    begun = time.perf_counter()
    wanted = 'what it can build of these vectors, such as "IVF64,Flat" or "HNSW32"'
    with explain_errors(repr(factory[:80]), "an error of faiss", wanted):
        index = build(items, factory)
        if parameters:  # they are written with the index
            space: Any = faiss.ParameterSpace()
            space.set_index_parameters(index, parameters)
    seconds = round(time.perf_counter() - begun, 3)
    line = IndexLine(factory, parameters, depth, seconds, digest_vectors(folder, items))
    found = SearchIndex(line, items, None, lambda: index.search)
    source = cast(IndexSource, found.make_source(collection, version, "gallery"))
    recalls = compute_recalls(source, source.exact, collection.own_items, RECALLED)
    if len(recalls):
        line = replace(line, recall=f"recall@{RECALLED} of exact search {recalls.mean():.3f}")
    with replace_files(folder, NAME) as place:
        faiss.write_index(index, str(place / NAME))
        line = replace(line, content=compute_digest(place / NAME))
        with (place / NAME).open("ab") as file:
            file.write(b"\n" + json.dumps(asdict(line)).encode())


def build(items: Vectors, factory: str) -> Any:
    """Return an index of unit vectors, as faiss.index_factory names it."""
    index = faiss.index_factory(items.dimension, factory, faiss.METRIC_INNER_PRODUCT)
    if not index.is_trained:
        every = max(1, len(items.ids) // MAX_TRAINING)
        index.train(np.concatenate([block[::every] for _, block in items.list_blocks(BLOCK)]))
    for _, block in items.list_blocks(BLOCK):
        index.add(block)
    return index


def measure_costs(
    collection: Collection, version: Version, files: Sequence[SearchIndex], k: int
) -> Rows:
    """Return recall, time and bytes of indexes, and of exact search; searches are one by one."""
    items = files[0].items
    begun = time.perf_counter()
    flat = build(items, "Flat")
    line = IndexLine("Flat", "", k + 1, round(time.perf_counter() - begun, 3), "")
    exact = SearchIndex(line, items, 4 * len(items.ids) * items.dimension, lambda: flat.search)
    rows = []
    for each in (*files, exact):
        source = cast(IndexSource, each.make_source(collection, version, "gallery"))
        recalls = compute_recalls(source, source.exact, collection.own_items, k)
        for error in source.failures:
            raise error
        told = {"index": each.line.title, "bytes": each.bytes, "build_s": each.line.seconds, "k": k}
        if len(recalls):
            vectors = source.exact.vectors
            seconds = [timeit(partial(source.search, row[None]), number=1) for row in vectors]
            times = np.percentile(seconds, [50, 95]) * 1000
            figures = (recalls.mean(), *resample_figure(recalls, np.mean), *times)
            known = zip(("recall", "low", "high", "p50_ms", "p95_ms"), figures, strict=True)
            told |= {name: round(float(x), 6) for name, x in known if not np.isnan(x)}
        rows.append(told)
    return rows


def compute_recalls(found: Source, exact: Source, own_items: IntArray, k: int) -> FloatArray:
    """Return for each query with results the share of exact search's first k that is found.

    A result with the score of the last of them is as good as it.
    """
    queries = np.arange(len(own_items))
    first = [
        part.item[rows] for part in Run(found, own_items).parts(queries, k) for rows in part.rows
    ]
    values = []
    for part in Run(exact, own_items).parts(queries, k, first.__getitem__):
        for place, query in enumerate(part.queries.tolist()):
            is_good = (part.row == place) & (part.tie_first <= k)
            wanted = min(k, int(part.length[place]))
            if wanted:
                values.append(np.isin(part.item[is_good], first[query]).sum() / wanted)
    return np.array(values, float)
