"""The file of an index, `models/VERSION/index.faiss`, which makes a version of its own.

It is a file of faiss.write_index with one more line, JSON, that says for which vectors it was made.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.errors import DataError, Finding
from dashboard.retrieval.gallery import Ranking, SortedRanking
from dashboard.retrieval.sources import NOTHING, RunFileSource, Source, VectorSource, make_source
from dashboard.storage.collection import Collection
from dashboard.storage.index_files import refuse_files
from dashboard.storage.new_versions import compute_digest
from dashboard.storage.vectors import Vectors
from dashboard.storage.versions import Version, try_to_read
from dashboard.tables import IntArray, Ties

NAME = "index.faiss"
MAX_LINE = 1 << 12
"""Bytes of the line about an index, at most."""
DECIMALS = 6
VECTORS = "a version with vectors of floats below models/"
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
    """

    factory: str
    parameters: str
    depth: int
    seconds: float
    vectors: str
    content: str = ""
    recall: str = ""

    @property
    def title(self) -> str:
        """Factory string and parameters."""
        return f"{self.factory} {self.parameters}".rstrip()


@dataclass(frozen=True, eq=False)
class IndexSource:
    """The first results by an index; what it does not return is not ranked.

    Attributes:
        exact: Exact search of the same vectors.
        index: An index of faiss, in which each vector has its row in the gallery.
        depth: Results of each query; the item that the query is about is one of them.
    """

    exact: VectorSource
    index: Any
    depth: int

    @property
    def not_run(self) -> Mapping[int, str]:
        """Why a query was not run, by its position."""
        return self.exact.not_run

    def rank(self, queries: IntArray) -> Iterator[Ranking]:
        rows = self.exact.rows[queries]
        found = self._rank_vectors(self.exact.vectors[rows[rows >= 0]])
        for row in rows:
            yield next(found) if row >= 0 else NOTHING

    def _rank_vectors(self, vectors: NDArray[np.float32]) -> Iterator[Ranking]:
        gallery = self.exact.gallery
        for start in range(0, len(vectors), BLOCK):
            for scores, rows in zip(*self.search(vectors[start : start + BLOCK]), strict=True):
                items = gallery.items[rows[rows >= 0]]
                rounded = np.round(scores[rows >= 0].astype(np.float64), DECIMALS)
                order = np.lexsort((gallery.places[items], -rounded))
                yield SortedRanking(items[order], rounded[order])

    def search(self, vectors: NDArray[np.float32]) -> tuple[NDArray[np.float32], IntArray]:
        """Return scores and rows of the first results; a row is -1 where there are fewer."""
        depth = min(self.depth, self.index.ntotal)
        found: tuple[NDArray[np.float32], IntArray] = self.index.search(vectors, depth)
        return found


@dataclass(frozen=True, eq=False)
class IndexFile:
    """An index of a version's vectors, which is loaded when it is first searched.

    Attributes:
        state: State of the file when its line was read.
    """

    path: Path
    name: str
    line: IndexLine
    items: Vectors
    state: tuple[int, int]

    @cached_property
    def index(self) -> Any:
        """The index; raise DataError if it cannot be loaded, or is another one than it says."""
        import faiss

        try:
            found = faiss.read_index(str(self.path))
            cells = faiss.try_extract_index_ivf(found)
            if cells is not None:
                refuse_files(faiss, cells.invlists, self.name)
            if _read_state(self.path) != self.state:
                do = "Do that once more."
                raise DataError(self.name, "an index written meanwhile", "the one there was", do=do)
        except DataError:
            raise
        except Exception as error:  # faiss raises its own kinds
            raise DataError(self.name, explain(error), "an index that faiss reads") from error
        size = len(self.items.ids), self.items.dimension
        if (found.ntotal, found.d, found.metric_type) != (*size, faiss.METRIC_INNER_PRODUCT):
            wanted = f"{size[0]:,} of {size[1]:,}, by the inner product"
            raise DataError(self.name, f"{found.ntotal:,} vectors of {found.d:,} numbers", wanted)
        return found

    def make_source(self, collection: Collection, version: Version, ties: Ties) -> Source:
        """Return what searches through the index; no query is run where vectors were changed."""
        if version.items is not self.items:
            why = f"{version.name} holds other vectors than this protocol compares"
            return RunFileSource({}, dict.fromkeys(range(len(collection.queries)), why))
        exact = make_source(collection, replace(version, make_source=None), ties)
        assert isinstance(exact, VectorSource)
        return IndexSource(exact, self.index, self.line.depth)


def read_indexes(
    collection: Collection, broken: dict[str, DataError], findings: list[Finding]
) -> dict[str, Version]:
    """Return a further version for each one with an index; put why it is broken into `broken`.

    It finds what the index returns, as deep as that was asked, in the order of the index's scores.
    """
    found: dict[str, Version] = {}
    for version in collection.versions.values():
        if version.items is not None and (collection.folder / version.file / NAME).is_file():
            name = f"{version.name} (index)"
            file = try_to_read(name, broken, partial(read_index_file, collection, version))
            if file is not None:
                note = f"{version.name}, searched through the approximate index {file.line.title}"
                note += f"; {file.line.recall} when it was built" * bool(file.line.recall)
                found[name] = replace(version, name=name, note=note, make_source=file.make_source)
    return found


def read_index_file(collection: Collection, version: Version) -> IndexFile:
    """Return the index of a version, which is not loaded yet.

    Raises:
        DataError: If it is not there, is damaged, or was made for other vectors.
    """
    path, name = collection.folder / version.file / NAME, f"{version.file}/{NAME}"
    do = _advise(collection.name, version.name, "IVF64,Flat")
    if version.items is None:
        raise DataError(version.file, "results", VECTORS)
    if not path.is_file():
        raise DataError(name, "no such file", "an index of this version's vectors", do=do)
    state, size = _read_state(path), path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - MAX_LINE))
        text = file.read().rpartition(b"\n")[2]
    line = _parse_line(text)
    if line is None or line.content != compute_digest(path, size - len(text) - 1):
        found = "an index that is damaged, or that another program has written"
        raise DataError(name, found, "one that the command `index` has written", do=do)
    if line.vectors != digest_vectors(collection, version, version.items):
        do = _advise(collection.name, version.name, line.factory)
        raise DataError(name, "an index of other vectors", f"those of {version.name}", do=do)
    return IndexFile(path, name, line, version.items, state)


def _advise(collection: str, version: str, factory: str) -> str:
    words = ["index", collection, "--version", version, "--factory", factory]
    return f"Build it again: python -m dashboard {shlex.join(words)}"


def _read_state(path: Path) -> tuple[int, int]:
    told = path.stat()
    return told.st_ino, told.st_mtime_ns


def _parse_line(text: bytes) -> IndexLine | None:
    """Return what a line tells; None if it is another line."""
    try:
        line = IndexLine(**json.loads(text))
    except (TypeError, ValueError, RecursionError):
        return None
    values, example = asdict(line), asdict(IndexLine("Flat", "", 100, 0.5, ""))
    is_one = all(type(values[key]) is type(each) for key, each in example.items())
    return line if is_one and line.depth >= 1 else None


def digest_vectors(collection: Collection, version: Version, items: Vectors) -> str:
    """Return a digest of the vectors and of the ids that the collection knows."""
    content = compute_digest(collection.folder / version.file / "items.npy")
    return hashlib.sha256("\n".join([content, *items.ids]).encode()).hexdigest()


def explain(error: Exception) -> str:
    """Return what faiss says, without the place in its code."""
    return f"an error of faiss ({str(error).rpartition(': ')[2][:120]})"
