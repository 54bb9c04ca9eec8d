"""Vectors of a version on a Milvus server, which searches galleries that outgrow a machine.

`models/VERSION/milvus.json` says where they are, and for which vectors they were copied. Milvus
calls a set of vectors a collection; its name here holds a digest of the vectors and of the index,
so that a search never meets others.
"""

import json
import logging
import os
import re
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from dashboard.errors import DataError, explain_errors
from dashboard.plugins.indexes.faiss_file import (
    IndexLine,
    Search,
    SearchIndex,
    digest_vectors,
    parse_line,
    require_floats,
)
from dashboard.storage.collection import Collection
from dashboard.storage.drafts import write_file
from dashboard.storage.versions import Version
from dashboard.tables import Float32Array, FloatArray, IntArray, Numbers, Row
from dashboard.texts import digest_text

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
STALLED_SECONDS = 600.0
PAUSE = 0.2
"""How long an answer is waited for, an index that does not grow, and between two looks at it."""


def _explain_errors(uri: str) -> AbstractContextManager[None]:
    """Raise what a server or its library raises as a DataError, without the token."""
    told = ("an error of Milvus", "an answer", "Is the server running?")
    return explain_errors(uri, *told, os.environ.get(TOKEN, ""))


def _name_stored(line: IndexLine) -> str:
    """Return the name of the vectors on the server."""
    told = json.dumps([line.vectors, line.factory, _list_parameters(line, of_building=True)])
    return f"dashboard_{digest_text(told)[:24]}"


def _list_parameters(line: IndexLine, of_building: bool) -> Numbers:
    """Return the parameters with which the index is built, or those of each search."""
    pairs = (each.split("=") for each in line.parameters.split(",") if each)
    return {key: int(n) for key, n in pairs if (key in BUILDING) == of_building}


def _open_copy(name: str, line: IndexLine, count: int) -> Search:
    """Return the search of the vectors that milvus.json names; DataError if some are not there."""
    client = connect(line.uri)
    stored = _name_stored(line)
    how = {"metric_type": "IP", "params": _list_parameters(line, of_building=False)}
    there = 0
    with _explain_errors(line.uri):
        if client.has_collection(stored, timeout=SECONDS):
            client.load_collection(stored, timeout=SECONDS)
            there = count_rows(client, stored)
    if there != count:
        raise DataError(
            line.uri,
            f"{there:,} of the vectors of {name}",
            f"all {count:,}",
            do="Copy them again: python -m dashboard index --version VERSION --to URI",
        )

    def search(vectors: Float32Array, depth: int) -> tuple[list[FloatArray], list[IntArray]]:
        with _explain_errors(line.uri):
            found = client.search(
                stored, data=list(vectors), limit=depth, anns_field="vector",
                search_params=how, output_fields=["row"], timeout=SECONDS,
                consistency_level="Eventually",  # all are there: they were counted
            )  # fmt: skip
            scores = [np.array([hit["distance"] for hit in hits], float) for hits in found]
            return scores, [np.array([hit["entity"]["row"] for hit in hits], int) for hits in found]

    return search


def read_copy(collection: Collection, version: Version) -> SearchIndex:
    """Return the copy of a version's vectors; the server is not asked yet.

    Raises:
        DataError: If the file is damaged, was made for other vectors, or names a server that the
            operator does not list.
    """
    path = collection.folder / version.file / NAME
    name = f"{version.file}/{NAME}"
    items = require_floats(version)
    line = parse_line(path.read_bytes())
    do = f"Copy again: python -m dashboard index {collection.name} --version {version.name} --to "
    if not line or not ADDRESS.fullmatch(line.uri):
        raise DataError(
            name,
            "a record that is damaged, or that another program has written",
            "one that `index --to` has written",
            do=f"{do}URI",
        )
    if line.uri not in os.environ.get(SERVERS, "").split():
        raise DataError(
            name,
            f"the server {line.uri}",
            f"one that {SERVERS} lists",
            do=f'Start the dashboard with {SERVERS}="{line.uri}" if you trust it.',
        )
    if line.vectors != digest_vectors(path.parent, items):
        raise DataError(
            name, "a copy of other vectors", f"those of {version.name}", do=f"{do}{line.uri}"
        )
    return SearchIndex(line, items, None, cache(partial(_open_copy, name, line, len(items.ids))))


def make_line(uri: str, factory: str, parameters: str, depth: int) -> IndexLine:
    """Return what milvus.json will hold; raise DataError where a text is none that Milvus takes."""
    is_lite = uri.endswith(".db")
    if is_lite:
        uri = str(Path(uri).resolve())
    if not ADDRESS.fullmatch(uri):
        raise DataError(
            "--to",
            repr(uri[:80]),
            "http://HOST:PORT, or a path that ends in .db for a file of milvus-lite",
            do=f"A token goes into the variable {TOKEN}.",
        )
    if not re.fullmatch(r"[A-Z][A-Z0-9_]{0,40}", factory) or is_lite and factory not in LITE:
        wanted = f"one of {', '.join(LITE)}" if is_lite else "an index of Milvus, such as HNSW"
        raise DataError("--factory", repr(factory[:80]), wanted)
    if depth > MAX_DEPTH:
        raise DataError("--depth", f"{depth:,}", f"at most {MAX_DEPTH:,}, as Milvus returns")
    return IndexLine(factory, parameters, depth, 0.0, "", uri=uri)


def copy_vectors(
    collection: Collection, version: Version, line: IndexLine, report: Callable[..., None]
) -> Row:
    """Copy a version's vectors to a server, read all of them back, and write milvus.json.

    Vectors that an earlier call has copied are not sent again.

    Args:
        collection: What the version belongs to.
        version: Whose vectors are copied.
        line: Server, index and depth; its digest and seconds are filled in.
        report: Called with the number of vectors that are done, and all, and what is done.

    Returns:
        Number of vectors, of those that were sent, and of those that were read back: all are equal.

    Raises:
        DataError: If the version has no vectors of floats, or the server does not keep them;
            nothing is written then.
    """
    items, begun, copied, checked = require_floats(version), time.perf_counter(), 0, 0
    number = len(items.ids)
    folder = collection.folder / version.file
    line = replace(line, vectors=digest_vectors(folder, items))
    client = connect(line.uri)
    stored = _name_stored(line)
    step = max(1, min(MAX_DEPTH // 2, MAX_BYTES // (4 * items.dimension)))
    with _explain_errors(line.uri):
        if not client.has_collection(stored, timeout=SECONDS):
            _create(client, line, items.dimension)
        client.load_collection(stored, timeout=SECONDS)
        for start, block in items.list_blocks(step):
            equal = _find_equal(client, stored, start, block)
            rows = [
                {"row": row, "vector": vector}
                for row, vector in enumerate(block, start)
                if row not in equal
            ]
            if rows:
                client.upsert(stored, rows, timeout=SECONDS)
            copied += len(rows)
            report(start + len(block), number, "copied")
        client.flush(stored, timeout=10 * SECONDS)
        _wait_for_index(client, line.uri, stored)
        for start, block in items.list_blocks(step):
            checked += len(_find_equal(client, stored, start, block))
            report(start + len(block), number, "checked")
        there = count_rows(client, stored)
    if not checked == there == number:
        raise DataError(
            line.uri,
            f"{checked:,} equal vectors of {there:,}",
            f"all {number:,}. Copy them once more.",
        )
    line = replace(line, seconds=round(time.perf_counter() - begun, 3))
    write_file(folder / NAME, json.dumps(asdict(line)).encode())
    return {"rows": number, "copied": copied, "checked": checked}


def _wait_for_index(client: Any, uri: str, stored: str) -> None:
    """Wait until a server has built its index; it searches row by row until then.

    Raises:
        DataError: If it does not go on for STALLED_SECONDS.
    """
    left = None
    since = time.monotonic()
    while pending := client.describe_index(stored, "vector").get("pending_index_rows"):
        if pending != left:
            left = pending
            since = time.monotonic()
        elif time.monotonic() - since > STALLED_SECONDS:
            raise DataError(
                uri,
                f"an index that lacks {pending:,} rows, as {STALLED_SECONDS:g} s ago",
                "one that grows",
                do="Look at the server, then type the same command again: it goes on.",
            )
        time.sleep(PAUSE)


def connect(uri: str) -> Any:
    """Return a client of a server.

    Raises:
        DataError: If pymilvus is not installed, or nothing answers.
    """
    do = 'Install it: pip install "pymilvus[milvus-lite]"'
    with explain_errors(uri, "a server of Milvus", "the package pymilvus", do):
        import pymilvus  # type: ignore[import-not-found,import-untyped,unused-ignore]
    logging.getLogger("pymilvus").setLevel(logging.CRITICAL)  # errors are told as sentences
    with _explain_errors(uri):
        return pymilvus.MilvusClient(uri, token=os.environ.get(TOKEN, ""), timeout=SECONDS / 4)


def count_rows(client: Any, name: str) -> int:
    """Return the number of vectors that are stored under a name."""
    found = client.query(name, filter="", output_fields=["count(*)"], timeout=SECONDS)
    return int(found[0]["count(*)"])


def _create(client: Any, line: IndexLine, dimension: int) -> None:
    from pymilvus import DataType

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("row", DataType.INT64, is_primary=True)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dimension)
    index = client.prepare_index_params()
    index.add_index(
        "vector",
        index_type=line.factory,
        metric_type="IP",
        params=_list_parameters(line, of_building=True),
    )
    client.create_collection(
        _name_stored(line), schema=schema, index_params=index, consistency_level="Strong"
    )


def _find_equal(client: Any, stored: str, start: int, block: Float32Array) -> set[int]:
    """Return the rows of a block that the server holds as they are."""
    found = client.get(
        stored, ids=list(range(start, start + len(block))),
        output_fields=["row", "vector"], timeout=SECONDS,
    )  # fmt: skip
    pairs = ((each["row"], np.array(each["vector"], np.float32)) for each in found)
    return {row for row, vector in pairs if np.array_equal(vector, block[row - start])}
