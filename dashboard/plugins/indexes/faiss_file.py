"""The file of an index, `models/VERSION/index.faiss`, which makes a version of its own.

It is a file of faiss.write_index with one more line, JSON, that says for which vectors it was made.
"""

import hashlib
import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from dashboard.errors import DataError
from dashboard.retrieval.gallery import Ranking, SortedRanking
from dashboard.retrieval.sources import NOTHING, RunFileSource, Source, VectorSource, make_source
from dashboard.storage.collection import Collection, forget_collection
from dashboard.storage.index_files import refuse_files
from dashboard.storage.new_versions import compute_digest
from dashboard.storage.vectors import Vectors
from dashboard.storage.versions import Version
from dashboard.tables import Float32Array, IntArray, Ties

NAME = "index.faiss"
PARAMETERS = re.compile(r"(?!verbose)\w+=[1-9]\d{0,8}(,(?!verbose)\w+=[1-9]\d{0,8})*")
MAX_LINE = 1 << 12
"""Bytes of the line about an index, at most."""
DECIMALS = 6
BLOCK = 256
"""Queries that the index gets at once."""


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
        return " ".join(
            filter(None, (self.factory, self.parameters, f"on {self.uri}" if self.uri else ""))
        )


@dataclass(frozen=True, eq=False)
class IndexSource:
    """The first results by an index; what it does not return is not ranked.

    Where the index fails, the queries were not run; the next look opens the collection anew.

    Attributes:
        exact: Exact search of the same vectors.
        index: An index of faiss, in which each vector has its row in the gallery.
        depth: Results of each query; the item that the query is about is one of them.
        folder: Of the collection.
        failed: Why the index did not answer, by the position of a query.
    """

    exact: VectorSource
    index: Any
    depth: int
    folder: Path
    failed: dict[int, str] = field(default_factory=dict)

    @property
    def not_run(self) -> Mapping[int, str]:
        """Why a query was not run, by its position."""
        return {**self.exact.not_run, **self.failed}

    def rank(self, queries: IntArray) -> Iterator[Ranking]:
        rows = self.exact.rows[queries]
        asked = queries[rows >= 0]
        starts = range(0, len(asked), BLOCK)
        found = chain.from_iterable(self._rank_block(asked[at : at + BLOCK]) for at in starts)
        for row in rows:
            yield next(found) if row >= 0 else NOTHING

    def _rank_block(self, queries: IntArray) -> Iterator[Ranking]:
        gallery = self.exact.gallery
        try:
            if not self.failed:
                found = self.search(self.exact.vectors[self.exact.rows[queries]])
        except DataError as error:
            forget_collection(self.folder)
            self.failed[int(queries[0])] = str(error)
        if self.failed:  # further queries would wait as long
            self.failed.update(dict.fromkeys(queries.tolist(), next(iter(self.failed.values()))))
            yield from [NOTHING] * len(queries)
            return
        for scores, rows in zip(*found, strict=True):
            items = gallery.items[rows[rows >= 0]]
            rounded = np.round(scores[rows >= 0].astype(float), DECIMALS)
            order = np.lexsort((gallery.places[items], -rounded))
            yield SortedRanking(items[order], rounded[order])

    def search(self, vectors: Float32Array) -> Any:
        """Return scores and rows of the first results; a row is -1 where there are fewer."""
        return self.index.search(vectors, min(self.depth, self.index.ntotal))


@dataclass(frozen=True, eq=False)
class SearchIndex:
    """An index of a version's vectors, which is loaded when it is first searched.

    Attributes:
        bytes: Size of its file; None for a server.
        load: Return what is searched; raises DataError if it cannot be.
    """

    line: IndexLine
    items: Vectors
    bytes: int | None
    load: Callable[[], Any]

    @cached_property
    def index(self) -> Any:
        """Index that is searched."""
        return self.load()

    def make_source(self, collection: Collection, version: Version, ties: Ties) -> Source:
        """Return what searches through the index.

        No query is run where vectors were changed, or the index cannot be searched.
        """
        why = f"{version.name} holds other vectors than this protocol compares"
        try:
            if version.items is self.items:
                exact = make_source(collection, replace(version, make_source=None), ties)
                assert isinstance(exact, VectorSource)
                return IndexSource(exact, self.index, self.line.depth, collection.folder)
        except DataError as error:
            forget_collection(collection.folder)
            why = str(error)
        return RunFileSource({}, dict.fromkeys(range(len(collection.queries)), why))


def require_floats(version: Version) -> Vectors:
    """Return the vectors of the items; raise DataError unless they are floats in a folder."""
    items = version.items
    if items is None or items.stored.dtype.kind != "f" or not version.file.startswith("models/"):
        found = "results" if items is None else f"codes of type {items.stored.dtype}"
        raise DataError(version.file, found, "a version with vectors of floats below models/")
    return items


def read_index_file(collection: Collection, version: Version) -> SearchIndex:
    """Return the index of a version, which is not loaded yet.

    Raises:
        DataError: If it is not there, is damaged, or was made for other vectors.
    """
    path = collection.folder / version.file / NAME
    name = f"{version.file}/{NAME}"
    do = _advise(collection.name, version.name, "IVF64,Flat")
    items = require_floats(version)
    if not path.is_file():
        raise DataError(name, "no such file", "an index of this version's vectors", do=do)
    state = _read_state(path)
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - MAX_LINE))
        text = file.read().rpartition(b"\n")[2]
    line = parse_line(text)
    if line is None or line.content != compute_digest(path, size - len(text) - 1):
        found = "an index that is damaged, or that another program has written"
        raise DataError(name, found, "one that the command `index` has written", do=do)
    if line.vectors != digest_vectors(collection, version):
        do = _advise(collection.name, version.name, line.factory)
        raise DataError(name, "an index of other vectors", f"those of {version.name}", do=do)
    return SearchIndex(line, items, size, partial(_load, path, name, items, state))


def _load(path: Path, name: str, items: Vectors, state: tuple[int, int]) -> Any:
    """Return the index of a file, which is in the state in which its line was read."""
    import faiss

    try:
        found = faiss.read_index(str(path))
        cells = faiss.try_extract_index_ivf(found)
        if cells is not None:
            refuse_files(cells.invlists, name)
        if _read_state(path) != state:
            raise DataError(
                name, "an index written meanwhile", "the one there was", do="Do that once more."
            )
    except DataError:
        raise
    except Exception as error:  # faiss raises its own kinds
        raise DataError(name, explain(error), "an index that faiss reads") from error
    size = len(items.ids), items.dimension
    if (found.ntotal, found.d, found.metric_type) != (*size, faiss.METRIC_INNER_PRODUCT):
        raise DataError(
            name,
            f"{found.ntotal:,} vectors of {found.d:,} numbers",
            f"{size[0]:,} of {size[1]:,}, by the inner product",
        )
    return found


def _advise(collection: str, version: str, factory: str) -> str:
    words = ["index", collection, "--version", version, "--factory", factory]
    return f"Build it again: python -m dashboard {shlex.join(words)}"


def _read_state(path: Path) -> tuple[int, int]:
    told = path.stat()
    return told.st_ino, told.st_mtime_ns


def parse_line(text: bytes) -> IndexLine | None:
    """Return what a line tells; None if it is another line."""
    try:
        line = IndexLine(**json.loads(text))
    except (TypeError, ValueError, RecursionError):
        return None
    values = asdict(line)
    example = asdict(IndexLine("Flat", "", 100, 0.5, ""))
    is_one = all(type(values[key]) is type(each) for key, each in example.items())
    return line if is_one and line.depth >= 1 else None


def digest_vectors(collection: Collection, version: Version) -> str:
    """Return a digest of the vectors and of the ids that the collection knows."""
    content = compute_digest(collection.folder / version.file / "items.npy")
    return hashlib.sha256("\n".join([content, *require_floats(version).ids]).encode()).hexdigest()


def check_parameters(parameters: str) -> None:
    """Raise DataError unless a text is empty or holds parameters of an index."""
    if parameters and not PARAMETERS.fullmatch(parameters):
        raise DataError(
            "--parameters", repr(parameters[:80]), "numbers from 1, such as nprobe=8,efSearch=64"
        )


def explain(error: Exception) -> str:
    """Return what faiss says, without the place in its code."""
    return f"an error of faiss ({str(error).rpartition(': ')[2][:120]})"
