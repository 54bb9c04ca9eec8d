"""Vectors of a version on a Milvus server, which searches galleries that outgrow a machine.

`models/VERSION/milvus.json` says where they are, and for which vectors they were copied. Milvus
calls a set of vectors a collection; its name here holds a digest of the vectors and of the index,
so that a search never meets others.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.errors import DataError
from dashboard.plugins.indexes.faiss_file import (
    IndexFile,
    IndexLine,
    check_parameters,
    digest_vectors,
    parse_line,
)
from dashboard.storage.collection import Collection
from dashboard.storage.drafts import report_full_disk, sync
from dashboard.storage.vectors import Vectors
from dashboard.storage.versions import Version

NAME = "milvus.json"
SERVERS = "DASHBOARD_MILVUS"
"""Variable that lists the servers from which versions may be read."""
TOKEN = "DASHBOARD_MILVUS_TOKEN"
ADDRESS = re.compile(r"https?://[\w.:\[\]-]+(/[\w-]*)?|/[!-~]+\.db")
BUILDING = ("M", "efConstruction", "nlist", "m", "nbits")
"""Parameters of building an index; others are of its search."""
LITE = ("FLAT", "HNSW", "HNSW_SQ", "IVF_FLAT", "IVF_SQ8", "AUTOINDEX")
"""Indexes of milvus-lite; any other name it takes, too, and searches without an index."""
MAX_DEPTH = 16_384
"""Results of a query that Milvus returns at most."""
MAX_BYTES = 1 << 22
"""Bytes of the vectors of one message."""
SECONDS = 60.0
"""How long an answer is waited for."""


@dataclass(frozen=True)
class CopyLine(IndexLine):
    """The content of milvus.json; its `factory` is Milvus' name of an index.

    Attributes:
        uri: The server, or a file of milvus-lite.
    """

    uri: str = ""

    @property
    def title(self) -> str:
        return f"{super().title} on {self.uri}"

    @property
    def stored_name(self) -> str:
        """Name of the vectors on the server."""
        told = json.dumps([self.vectors, self.factory, self.list_parameters(of_building=True)])
        return f"dashboard_{hashlib.sha256(told.encode()).hexdigest()[:24]}"

    def list_parameters(self, of_building: bool) -> dict[str, int]:
        """Return the parameters with which the index is built, or those of each search."""
        pairs = (each.split("=") for each in self.parameters.split(",") if each)
        return {key: int(n) for key, n in pairs if (key in BUILDING) == of_building}


@dataclass(frozen=True, eq=False)
class ServerIndex:
    """Vectors on a server, which is asked as an index of faiss is.

    Attributes:
        ntotal: Number of vectors.
    """

    client: Any
    line: CopyLine
    ntotal: int

    def search(self, vectors: NDArray[np.float32], depth: int) -> tuple[Any, Any]:
        """Return scores and rows of the first results; a row is -1 where there are fewer."""
        scores = np.zeros((len(vectors), depth), dtype=np.float32)
        rows = np.full((len(vectors), depth), -1)
        how = {"metric_type": "IP", "params": self.line.list_parameters(of_building=False)}
        with explain_errors(self.line.uri):
            found = self.client.search(
                self.line.stored_name, data=list(vectors), limit=depth, anns_field="vector",
                search_params=how, output_fields=["row"], timeout=SECONDS,
                consistency_level="Eventually",  # all are there: they were counted
            )  # fmt: skip
            for place, hits in enumerate(found):
                rows[place, : len(hits)] = [hit["entity"]["row"] for hit in hits]
                scores[place, : len(hits)] = [hit["distance"] for hit in hits]
        return scores, rows


@dataclass(frozen=True, eq=False)
class ServerCopy(IndexFile):
    """The copy that milvus.json names; the server is asked when it is first searched."""

    line: CopyLine

    @property
    def bytes(self) -> int | None:
        return None

    def _load(self) -> ServerIndex:
        line, count = self.line, len(self.items.ids)
        client = connect(line.uri)
        with explain_errors(line.uri):
            is_there = client.has_collection(line.stored_name, timeout=SECONDS)
            if is_there:
                client.load_collection(line.stored_name, timeout=SECONDS)
            there = count_rows(client, line.stored_name) if is_there else 0
        if there != count:
            do = "Copy them again: python -m dashboard index --version VERSION --to URI"
            found = f"{there:,} of the vectors of {self.name}"
            raise DataError(line.uri, found, f"all {count:,}", do=do)
        return ServerIndex(client, line, count)


def read_copy(collection: Collection, version: Version) -> ServerCopy:
    """Return the copy of a version's vectors; the server is not asked yet.

    Raises:
        DataError: If the file is damaged, was made for other vectors, or names a server that the
            operator does not list.
    """
    path, name = collection.folder / version.file / NAME, f"{version.file}/{NAME}"
    assert version.items is not None
    line = parse_line(path.read_bytes(), CopyLine)
    do = f"Copy again: python -m dashboard index {collection.name} --version {version.name} --to "
    if line is None or not ADDRESS.fullmatch(line.uri):
        found = "a record that is damaged, or that another program has written"
        raise DataError(name, found, "one that `index --to` has written", do=f"{do}URI")
    if line.uri not in os.environ.get(SERVERS, "").split():
        allow = f'Start the dashboard with {SERVERS}="{line.uri}" if you trust it.'
        raise DataError(name, f"the server {line.uri}", f"one that {SERVERS} lists", do=allow)
    if line.vectors != digest_vectors(collection, version, version.items):
        found, wanted = "a copy of other vectors", f"those of {version.name}"
        raise DataError(name, found, wanted, do=f"{do}{line.uri}")
    return ServerCopy(path, name, line, version.items, (0, 0))


def make_line(uri: str, factory: str, parameters: str, depth: int) -> CopyLine:
    """Return what milvus.json will hold; raise DataError where a text is none that Milvus takes."""
    uri = str(Path(uri).resolve()) if uri.endswith(".db") else uri
    if not ADDRESS.fullmatch(uri):
        wanted = "http://HOST:PORT, or a path that ends in .db for a file of milvus-lite"
        do = f"A token goes into the variable {TOKEN}."
        raise DataError("--to", repr(uri[:80]), wanted, do=do)
    is_lite = uri.endswith(".db")
    if not re.fullmatch(r"[A-Z][A-Z0-9_]{0,40}", factory) or is_lite and factory not in LITE:
        wanted = f"one of {', '.join(LITE)}" if is_lite else "an index of Milvus, such as HNSW"
        raise DataError("--factory", repr(factory[:80]), wanted)
    if depth > MAX_DEPTH:
        raise DataError("--depth", f"{depth:,}", f"at most {MAX_DEPTH:,}, as Milvus returns")
    check_parameters(parameters)
    return CopyLine(factory, parameters, depth, 0.0, "", uri=uri)


def copy_vectors(
    collection: Collection, version: Version, line: CopyLine, report: Callable[[int], None]
) -> tuple[int, int, int]:
    """Copy a version's vectors to a server, read all of them back, and write milvus.json.

    Vectors that an earlier call has copied are not sent again.

    Args:
        collection: What the version belongs to.
        version: Whose vectors are copied.
        line: Server, index and depth; its digest and seconds are filled in.
        report: Called with the number of vectors that were sent, and of those that were read back.

    Returns:
        Numbers of vectors, of those that were sent, and of those that were read back and equal.

    Raises:
        DataError: If the version has no vectors of floats, or the server does not keep them;
            nothing is written then.
    """
    items, place = version.items, collection.folder / version.file
    if items is None or items.stored.dtype.kind != "f" or not place.is_dir():
        raise DataError(version.file, "no vectors of floats", "a version with them below models/")
    line = replace(line, vectors=digest_vectors(collection, version, items))
    begun, copied, checked = time.perf_counter(), 0, 0
    client = connect(line.uri)
    with explain_errors(line.uri):
        is_new = not client.has_collection(line.stored_name, timeout=SECONDS)
        if is_new:
            _create(client, line, items.dimension)
        client.load_collection(line.stored_name, timeout=SECONDS)
        for start, block in _list_blocks(items):
            equal = set() if is_new else _find_equal(client, line, start, block)
            rows = [
                {"row": row, "vector": vector}
                for row, vector in enumerate(block, start)
                if row not in equal
            ]
            if rows:
                client.upsert(line.stored_name, rows, timeout=SECONDS)
            copied += len(rows)
            report(len(block))
        client.flush(line.stored_name, timeout=10 * SECONDS)
        while client.describe_index(line.stored_name, "vector").get("pending_index_rows"):
            time.sleep(0.2)  # it searches row by row until then
        for start, block in _list_blocks(items):
            checked += len(_find_equal(client, line, start, block))
            report(len(block))
        there = count_rows(client, line.stored_name)
    if not checked == there == len(items.ids):
        found = f"{checked:,} equal vectors of {there:,}"
        raise DataError(line.uri, found, f"all {len(items.ids):,}. Copy them once more.")
    line = replace(line, seconds=round(time.perf_counter() - begun, 3))
    with report_full_disk(collection.name), tempfile.TemporaryDirectory(dir=place) as folder:
        draft = Path(folder) / NAME
        draft.write_text(json.dumps(asdict(line)))
        sync(draft)
        draft.replace(place / NAME)
    return len(items.ids), copied, checked


def connect(uri: str) -> Any:
    """Return a client of a server.

    Raises:
        DataError: If pymilvus is not installed, or nothing answers.
    """
    try:
        import pymilvus  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError as error:
        do = 'Install it: pip install "pymilvus[milvus-lite]"'
        raise DataError(uri, "a server of Milvus", "the package pymilvus", do=do) from error
    logging.getLogger("pymilvus").setLevel(logging.CRITICAL)  # errors are told as sentences
    with explain_errors(uri):
        return pymilvus.MilvusClient(uri, token=os.environ.get(TOKEN, ""), timeout=SECONDS / 4)


@contextmanager
def explain_errors(uri: str) -> Iterator[None]:
    """Raise what a server or its library raises as a DataError."""
    try:
        yield
    except DataError:  # of the vectors that are sent
        raise
    except Exception as error:  # pymilvus, grpc and milvus-lite raise their own kinds
        token = os.environ.get(TOKEN, "")
        told = str(getattr(error, "message", "") or error)
        told = told.replace(token, "•••") if token else told
        found = f"an error of Milvus ({' '.join(told.split())[:160]})"
        raise DataError(uri, found, "an answer", do="Is the server running?") from error


def count_rows(client: Any, name: str) -> int:
    """Return the number of vectors that are stored under a name."""
    found = client.query(name, filter="", output_fields=["count(*)"], timeout=SECONDS)
    return int(found[0]["count(*)"])


def _create(client: Any, line: CopyLine, dimension: int) -> None:
    from pymilvus import DataType

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("row", DataType.INT64, is_primary=True)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dimension)
    index = client.prepare_index_params()
    index.add_index(
        "vector",
        index_type=line.factory,
        metric_type="IP",
        params=line.list_parameters(of_building=True),
    )
    client.create_collection(
        line.stored_name, schema=schema, index_params=index, consistency_level="Strong"
    )


def _list_blocks(items: Vectors) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Yield the first row and the unit vectors of each message."""
    step = max(1, min(MAX_DEPTH // 2, MAX_BYTES // (4 * items.dimension)))
    for start in range(0, len(items.ids), step):
        yield start, items.scale(start, min(start + step, len(items.ids)))


def _find_equal(client: Any, line: CopyLine, start: int, block: NDArray[np.float32]) -> set[int]:
    """Return the rows of a block that the server holds as they are."""
    found = client.get(
        line.stored_name, ids=list(range(start, start + len(block))),
        output_fields=["row", "vector"], timeout=SECONDS,
    )  # fmt: skip
    if not found:
        return set()
    rows = np.array([each["row"] for each in found])
    stored = np.array([each["vector"] for each in found], dtype=np.float32)
    return set(rows[(stored == block[rows - start]).all(axis=1)].tolist())
