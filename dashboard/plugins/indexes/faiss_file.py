"""The file of an index, `models/VERSION/index.faiss`, which makes a version of its own.

It is a file of faiss.write_index with one more line, JSON, that says for which vectors it was made.
Vectors have length 1, so that the inner product is the cosine.
"""

import json
import re
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache, partial
from pathlib import Path
from timeit import timeit
from typing import Any, NamedTuple, cast

import numpy as np

from dashboard.errors import DataError, explain_errors
from dashboard.evaluation.statistics import resample_figure
from dashboard.retrieval.gallery import Rankings, SortedRanking
from dashboard.retrieval.sources import (
    NOTHING,
    Run,
    RunFileSource,
    Source,
    VectorSource,
    make_source,
)
from dashboard.storage.collection import Collection, forget_collection
from dashboard.storage.drafts import replace_files
from dashboard.storage.index_files import refuse_files
from dashboard.storage.vectors import Vectors
from dashboard.storage.versions import Version
from dashboard.tables import Float32Array, FloatArray, IntArray, Rows, Ties
from dashboard.texts import compute_digest, digest_text

NAME = "index.faiss"
MAX_LINE = 1 << 12
"""Bytes of the line about an index, at most."""
DECIMALS = 6
BLOCK = 256
"""Queries that an index gets at once."""
MAX_TRAINING = 1 << 18
"""Vectors, evenly over all, that find cells and codes."""
MIN_NUMBER = 1 << 10
"""Numbers up to this one may stand in a factory string, however few vectors there are."""
RECALLED = 10
"""Results from the first on that the recall in the file looks at."""
MAX_ADDED = 1 << 12
"""Vectors that are added at once."""
Search = Callable[[Float32Array, int], Any]
"""`(vectors, depth) -> (scores, rows)`."""


@dataclass(frozen=True)
class IndexLine:
    """The last line of the file of an index.

    Attributes:
        factory: The index, as faiss.index_factory takes it.
        parameters: Of its search, such as nprobe=8.
        depth: Results of a query that it is asked for.
        seconds: What building it took.
        vectors: Digest of the vectors that it was made for.
        content: Digest of the file before this line.
        recall: What it found of exact search's first results when it was built, in words.
        uri: The server of Milvus, or file of milvus-lite, that has the vectors; "" for a file.
    """

    factory: str
    parameters: str
    depth: int
    seconds: float
    vectors: str
    content: str = ""
    recall: str = ""
    uri: str = ""

    @property
    def title(self) -> str:
        """Factory string, parameters and server."""
        parts = (self.factory, self.parameters, self.uri and f"on {self.uri}")
        return " ".join(filter(None, parts))


@dataclass(frozen=True, eq=False)
class IndexSource(Source):
    """The first results by an index; what it does not return is not ranked.

    Where the index cannot be loaded or does not answer, no query was run; the next look opens the
    collection anew.

    Attributes:
        not_run: Why a query was not run, as of exact search until the index fails.
        exact: Exact search of the same vectors.
        search: Return scores and rows of each vector's first results; a row is its place in the
            gallery, or -1 where there are fewer. The item that a query is about is one of them.
        folder: Of the collection.
        failures: Why the index was not searched; it is not tried again.
    """

    not_run: dict[int, str]
    exact: VectorSource
    search: Callable[[Float32Array], Any]
    folder: Path
    failures: list[DataError] = field(default_factory=list)

    def rank(self, queries: IntArray) -> Rankings:
        gallery = self.exact.gallery
        for start in range(0, len(queries), BLOCK):
            rows = self.exact.rows[queries[start : start + BLOCK]]
            try:
                if not self.failures:  # another try would wait as long
                    found = zip(*self.search(self.exact.vectors[rows[rows >= 0]]), strict=True)
            except DataError as error:
                forget_collection(self.folder)
                self.failures.append(error)
                self.not_run.update(dict.fromkeys(range(len(self.exact.rows)), str(error)))
            for row in rows:
                if row < 0 or self.failures:
                    yield NOTHING
                    continue
                scores, places = next(found)
                items = gallery.items[places[places >= 0]]
                rounded = np.round(scores[places >= 0].astype(float), DECIMALS)
                order = np.lexsort((gallery.places[items], -rounded))
                yield SortedRanking(items[order], rounded[order])


class SearchIndex(NamedTuple):
    """An index of a version's vectors, which is loaded when it is first searched.

    Attributes:
        bytes: Size of its file; None for a server.
        load: Return its search, which is kept; raises DataError if it cannot be loaded.
    """

    line: IndexLine
    items: Vectors
    bytes: int | None
    load: Callable[[], Search]

    def search(self, vectors: Float32Array) -> Any:
        """Return scores and rows of the first results, as deep as the index is asked."""
        return self.load()(vectors, min(self.line.depth, len(self.items.ids)))

    def make_source(self, collection: Collection, version: Version, ties: Ties) -> Source:
        """Return what searches through the index; no query is run where vectors were changed."""
        if version.items is not self.items:
            why = f"{version.name} holds other vectors than this protocol compares"
            return RunFileSource({}, dict.fromkeys(range(len(collection.queries)), why))
        exact = make_source(collection, replace(version, make_source=None), ties)
        assert isinstance(exact, VectorSource)
        return IndexSource(exact.not_run, exact, self.search, collection.folder)


def require_floats(version: Version) -> Vectors:
    """Return the vectors of the items; raise DataError unless they are floats in a folder."""
    items = version.items
    if not items or items.stored.dtype.kind != "f" or not version.file.startswith("models/"):
        found = f"codes of type {items.stored.dtype}" if items else "results"
        raise DataError(version.file, found, "a version with vectors of floats below models/")
    return items


def read_index_file(collection: Collection, version: Version) -> SearchIndex:
    """Return the index of a version, which is not loaded yet.

    Raises:
        DataError: If it is not there, is damaged, or was made for other vectors.
    """
    path = collection.folder / version.file / NAME
    name = f"{version.file}/{NAME}"
    items = require_floats(version)

    def refuse(found: str, wanted: str, factory: str = "IVF64,Flat") -> DataError:
        words = ["index", collection.name, "--version", version.name, "--factory", factory]
        do = f"Build it again: python -m dashboard {shlex.join(words)}"
        return DataError(name, found, wanted, do=do)

    if not path.is_file():
        raise refuse("no such file", "an index of this version's vectors")
    state = path.stat()
    size = state.st_size
    with path.open("rb") as file:
        file.seek(max(0, size - MAX_LINE))
        text = file.read().rpartition(b"\n")[2]
    line = parse_line(text)
    if not line or line.content != compute_digest(path, size - len(text) - 1):
        found = "an index that is damaged, or that another program has written"
        raise refuse(found, "one that the command `index` has written")
    if line.vectors != digest_vectors(path.parent, items):
        raise refuse("an index of other vectors", f"those of {version.name}", line.factory)
    load = cache(partial(_load, path, name, items, state.st_mtime_ns))
    return SearchIndex(line, items, size, load)


def _load(path: Path, name: str, items: Vectors, written: int) -> Search:
    """Return the search of the index of a file, which was written when its line was."""
    import faiss

    with explain_errors(name, "an error of faiss", "an index that faiss reads"):
        found = faiss.read_index(str(path))
        cells = faiss.try_extract_index_ivf(found)
        if cells is not None:
            refuse_files(cells.invlists, name)
        if path.stat().st_mtime_ns != written:
            raise DataError(
                name, "an index written meanwhile", "the one there was", do="Do that once more."
            )
    size = len(items.ids), items.dimension
    if (found.ntotal, found.d, found.metric_type) != (*size, faiss.METRIC_INNER_PRODUCT):
        raise DataError(
            name,
            f"{found.ntotal:,} vectors of {found.d:,} numbers",
            f"{size[0]:,} of {size[1]:,}, by the inner product",
        )
    search: Search = found.search
    return search


def parse_line(text: bytes) -> IndexLine | None:
    """Return what a line tells; None if it is another line."""
    try:
        line = IndexLine(**json.loads(text))
    except (TypeError, ValueError, RecursionError):
        return None
    is_one = all(type(getattr(line, each.name)) is each.type for each in fields(line))
    return line if is_one and line.depth >= 1 else None


def digest_vectors(folder: Path, items: Vectors) -> str:
    """Return a digest of the vectors in a folder, and of the ids that the collection knows."""
    content = compute_digest(folder / "items.npy")
    return digest_text("\n".join([content, *items.ids]))


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
    import faiss

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
    import faiss

    index = faiss.index_factory(items.dimension, factory, faiss.METRIC_INNER_PRODUCT)
    if not index.is_trained:
        every = max(1, len(items.ids) // MAX_TRAINING)
        index.train(np.concatenate([block[::every] for _, block in items.list_blocks(MAX_ADDED)]))
    for _, block in items.list_blocks(MAX_ADDED):
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
            figures = (*resample_figure(recalls, np.mean), *times)
            known = zip(("recall", "low", "high", "p50_ms", "p95_ms"), figures, strict=True)
            told |= {name: round(float(x), 6) for name, x in known if not np.isnan(x)}
        rows.append(told)
    return rows


def compute_recalls(found: Source, exact: Source, own_items: IntArray, k: int) -> FloatArray:
    """Return for each query with results the share of exact search's first k that is found.

    A result with the score of the last of them is as good as it.
    """
    queries = np.arange(len(own_items))
    first = [each.items for each in Run(found, own_items).find_all(queries, k)]
    values = []
    for query, each in enumerate(Run(exact, own_items).find_all(queries, k, first.__getitem__)):
        if wanted := min(k, each.length):
            good = each.items[each.tie_first <= k]
            values.append(np.isin(good, first[query]).sum() / wanted)
    return np.array(values, float)
