"""Adds a version that somebody else computed: vectors of items and queries, or ranked lists."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dashboard.retrieval.indexes import index_files
from dashboard.storage.collection import digests
from dashboard.storage.collection.collection import Collection
from dashboard.storage.files.contents import suffix
from dashboard.storage.files.parquet import parquet_table
from dashboard.storage.files.toml_text import toml
from dashboard.storage.runs.runs import read_run
from dashboard.storage.sources.drafts import link
from dashboard.storage.sources.listing import Listing
from dashboard.storage.sources.vectors import arrays_in
from dashboard.storage.vectors.vectors import LARGEST, read_ids, read_matrix, read_rows
from dashboard.storage.versions.drafts import draft, exchange, put_in_place, writing
from dashboard.storage.versions.model_record import FILE, record
from dashboard.storage.versions.versions import (
    FORMATS,
    RUN_NAME,
    Model,
    needing_vectors,
    read_model,
    texts_alone,
)
from dashboard.tables import RUN, DataError, Findings, counted, listed

COLUMNS = ["file", "rows", "digest"]
VECTOR_FILES = (*FORMATS, ".safetensors", *index_files.ENDINGS)
ID_COLUMNS = ("item_id", "query_id", "id", "_id")
"""Columns of a Parquet file that may name its vectors."""


@dataclass(frozen=True, eq=False)
class Given:
    """Vectors [row, number] as a caller has them, in memory or in a file, and their ids; None:
    they are in the order of the collection's table."""

    vectors: np.ndarray | Path
    ids: tuple[str, ...] | None = None
    name: str = "the vectors"


def given(vectors: Any, ids: Sequence[str] | None = None, name: str = "the vectors") -> Given:
    """Vectors of any usual kind: an array or tensor, a list of rows, a mapping or a frame from id
    to vector, or a pair (ids, vectors).

    Raises DataError for what is no matrix of numbers.
    """
    if isinstance(vectors, str | Path):
        return read_given(Path(vectors), None, Findings())
    if isinstance(vectors, tuple) and len(vectors) == 2 and ids is None:
        ids, vectors = vectors
    elif isinstance(vectors, pd.DataFrame) and ids is None:
        ids, vectors = vectors.index.tolist(), vectors.to_numpy()
    elif isinstance(vectors, Mapping) and ids is None:
        ids, vectors = list(vectors), list(vectors.values())
    for step in ("detach", "cpu"):  # a tensor of torch
        vectors = getattr(vectors, step)() if hasattr(vectors, step) else vectors
    try:
        if hasattr(vectors, "float") and "bfloat16" in str(getattr(vectors, "dtype", "")):
            vectors = vectors.float()  # numpy has no such type
        rows = [np.asarray(_plain(row)) for row in vectors] if isinstance(vectors, list) else None
        matrix = np.asarray(vectors if rows is None else np.stack(rows) if rows else [])
    except (TypeError, ValueError) as error:
        wanted = "rows of numbers, all of one length"
        raise DataError(name, f"no matrix ({str(error)[:200]})", wanted) from error
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiub" or not matrix.size:
        found = f"values of the shape {matrix.shape} and type {matrix.dtype}"
        raise DataError(name, found, "a matrix of numbers: a row for each id")
    if matrix.dtype.kind in "iu" and matrix.dtype.itemsize > 1:
        matrix = matrix.astype("float32")  # int8 holds hash codes; longer numbers are no codes
    return Given(matrix, None if ids is None else tuple(map(str, ids)), name)


def _plain(row: Any) -> Any:
    for step in ("detach", "cpu"):
        row = getattr(row, step)() if hasattr(row, step) else row
    return row


def read_given(path: Path, ids: Path | None, findings: Findings) -> Given:
    """The vectors in a `.npy`, `.npz`, Parquet or safetensors file, or in a file of a FAISS index.
    Their ids stand in a file of one id a line: `ids`, or one of the same name that ends in .txt;
    else in the file itself: a column of Parquet, an array `ids`, the ids of an index.

    Raises DataError for a file that cannot be read.
    """
    if suffix(path) not in VECTOR_FILES:
        raise DataError(path.name, f"a file {suffix(path)!r}", f"one of {', '.join(VECTOR_FILES)}")
    if not path.is_file():
        raise DataError(str(path), "no such file", "a file with one vector a row")
    beside = ids or path.with_suffix(".txt")
    if ids is not None and not ids.is_file():
        raise DataError(str(ids), "no such file", "the ids of the vectors, one a line")
    named = read_ids(beside, beside.name, findings) if beside.is_file() else None
    if suffix(path) not in FORMATS:
        array, own = _unpacked(path, findings)
        return Given(array, named or own, path.name)
    if named is not None:
        return Given(path, named, path.name)
    inside = _ids_inside(path) if suffix(path) == ".parquet" else None
    return Given(path, inside, path.name)


def _unpacked(path: Path, findings: Findings) -> tuple[np.ndarray, tuple[str, ...] | None]:
    """The vectors in a file of safetensors or of a FAISS index, and the ids in it."""
    listing = Listing(path.parent, (path.name,), {})
    if suffix(path) in index_files.ENDINGS:
        array, ids, kind = index_files.vectors_of(listing, path.name)
        if not kind.endswith("Flat"):
            wanted = "its vectors are what these stand for, not what was put in"
            findings.warning(path.name, f"{kind}, which keeps codes", wanted)
        return array, ids
    matrices, names = arrays_in(listing, path.name)
    if len(matrices) > 1:
        wanted = "one array of vectors, and one of their ids"
        raise DataError(path.name, f"the arrays {listed(matrices)}", wanted)
    ((key, array),) = matrices.items()
    return array, names.get(key) or names.get("")


def _ids_inside(path: Path) -> tuple[str, ...] | None:
    """The ids in a Parquet file of vectors; None where no column has them."""
    table = parquet_table(path, path.name, LARGEST // 8)
    column = next((name for name in ID_COLUMNS if name in table.column_names), None)
    return None if column is None else tuple(map(str, table[column].to_pylist()))


def add_vectors(
    collection: Collection,
    name: str,
    items: Given,
    queries: Given | None = None,
    *,
    settings: Mapping[str, object] | None = None,
    files: Mapping[str, Path] | None = None,
    findings: Findings,
) -> pd.DataFrame:
    """Add a model version of an opened collection; returns what was written: file, rows, digest.

    settings: keys of its model.toml. files: other files or folders of the version, by their names
    in it. Raises DataError where the collection could not use the version; nothing is written then.
    """
    with draft(collection.folder, name) as folder:
        fill(folder, collection, items, queries, settings or {}, findings)
        for inside, path in (files or {}).items():
            copy = shutil.copytree if path.is_dir() else shutil.copyfile
            copy(path, folder / inside)
        return finish(folder, collection, findings)


def fill(
    folder: Path,
    collection: Collection,
    items: Given,
    queries: Given | None,
    settings: Mapping[str, object],
    findings: Findings,
) -> None:
    """Write vectors, ids and model.toml of a version into the folder of its draft."""
    usual = collection.queries
    texts = usual.loc[(usual["text"] != "") | (usual["item_id"] == ""), "query_id"].tolist()
    every = usual["query_id"].tolist()
    _write(folder, "items", items, [collection.items["item_id"].tolist()], findings)
    if queries is not None:
        _write(folder, "queries", queries, [texts, every], findings)
    described = {"date": f"{date.today()}", **settings}
    (folder / "model.toml").write_text(toml(described), encoding="utf-8")


def _write(
    folder: Path, stem: str, given: Given, orders: Sequence[Sequence[str]], findings: Findings
) -> None:
    """Write one side's vectors and ids. Vectors without ids are in one of the orders, the one that
    has as many; a note says so."""
    path = folder / f"{stem}.npy"
    if isinstance(given.vectors, Path):
        rows = len(read_rows(given.vectors, given.name))
        if suffix(given.vectors) == ".npy":
            shutil.copyfile(given.vectors, path)
        else:
            np.save(path, read_matrix(given.vectors, given.name), allow_pickle=False)
    else:
        rows = len(given.vectors)
        np.save(path, np.ascontiguousarray(given.vectors), allow_pickle=False)
    ids = given.ids
    if ids is None:
        ids = next((tuple(order) for order in orders if len(order) == rows), None)
        if ids is None:
            numbers = " or ".join(f"{len(order):,}" for order in orders)
            found = f"{rows:,} vectors without ids, and {numbers} {stem}"
            wanted = f"the ids of the vectors, or a vector for each of the {stem} in their order"
            raise DataError(given.name, found, wanted, cure="Name them with --ids FILE.")
        findings.note(given.name, "vectors without ids", f"ids; taken in the order of the {stem}")
    if len(ids) != rows:
        found = f"{rows:,} vectors and {len(ids):,} ids"
        raise DataError(given.name, found, "one vector for each id, in the same order")
    _check_ids(ids, given.name)
    (folder / f"{stem}.txt").write_text("\n".join(ids) + "\n", encoding="utf-8")


def _check_ids(ids: Sequence[str], name: str) -> None:
    """Raise DataError for an id that stands twice, or that a line cannot hold."""
    seen: dict[str, int] = {}
    for row, each in enumerate(ids):
        if each in seen:
            raise DataError(name, f"{each!r} in rows {seen[each]} and {row}", "each id once")
        if not each.strip() or "\n" in each or "\r" in each:
            raise DataError(name, f"the id {each[:80]!r} in row {row}", "an id in one line")
        seen[each] = row


def finish(
    folder: Path,
    collection: Collection,
    findings: Findings,
    recorded: Mapping[str, Callable[[Model], str]] | None = None,
    *,
    without_texts: bool = False,
) -> pd.DataFrame:
    """Read a draft as the collection would, record what it was made for and put it in its place.

    recorded: further keys of its model.toml, which follow from the version. without_texts: whether
    text queries may be left without vectors. Raises DataError, and leaves the draft, where it
    cannot be used.
    """
    queries = collection.queries
    noted = Findings()
    ids, needed = collection.items["item_id"].tolist(), needing_vectors(queries)
    model = read_model(folder, ids, needed, noted, texts_alone(queries))
    findings.rows += [row for row in noted.rows if row[0] != "error"]
    for level, file, line, found, wanted in noted.rows:
        if level == "error" and without_texts:
            findings.warning(file, found, wanted, line)
        elif level == "error":
            raise DataError(file, found, wanted, line=line)
    if recorded:
        described = folder / "model.toml"
        added = toml({key: of(model) for key, of in recorded.items()})
        described.write_text(added + described.read_text(encoding="utf-8"), encoding="utf-8")
    record(model, collection.digests)
    table = _written(model)
    with writing(collection.name):
        put_in_place(folder, collection.folder / "models" / folder.name)
    return table


def replace_queries(
    model: Model,
    folder: Path,
    ids: Sequence[str],
    vectors: np.ndarray,
    collection: Collection,
    findings: Findings,
) -> None:
    """Give a version other vectors of text queries, in the draft `folder`, and let the draft take
    its place. Other queries of the collection keep their vectors.

    Raises DataError where the collection could not use the version; it stays as it is then.
    """
    known, new = set(collection.queries["query_id"]), set(ids)
    older = [q for q in (model.queries.ids if model.queries else ()) if q in known - new]
    rows = [np.where(vectors < 0, -1, 1).astype("int8") if model.codes else vectors]
    rows += [model.queries.array_of(older)] if model.queries and older else []
    shutil.copytree(model.folder, folder, copy_function=_link_or_copy)
    for path in [*folder.glob("queries.*"), *folder.glob(FILE)]:
        path.unlink()
    both = Given(np.concatenate(rows), (*ids, *older), "the queries")
    _write(folder, "queries", both, [], findings)
    described = model.folder / FILE
    text = described.read_text(encoding="utf-8") if described.is_file() else ""
    changed = r"(?m)^\s*(queries_digest|vectors_digest)\s*=.*\n?"
    (folder / FILE).write_text(re.sub(changed, "", text), encoding="utf-8")
    queries, noted = collection.queries, Findings()
    ids_, needed = collection.items["item_id"].tolist(), needing_vectors(queries)
    read = read_model(folder, ids_, needed, noted, texts_alone(queries))
    for level, file, line, found, wanted in noted.rows:
        if level == "error":
            raise DataError(file, found, wanted, line=line)
    findings.rows += noted.rows
    if model.settings["gallery_digest"]:
        record(read, collection.digests)
    exchange(folder, model.folder)


def _link_or_copy(source: str, target: str) -> None:
    link(Path(source), Path(target))


def _written(model: Model) -> pd.DataFrame:
    shown = f"models/{model.name}"
    rows: list[tuple[str, int | None, str]] = []
    for stem, vectors in (("items", model.items), ("queries", model.queries)):
        path = model.folder / f"{stem}.npy"
        if vectors is not None and path.is_file():
            rows.append((f"{shown}/{path.name}", len(vectors.ids), digests.of_file(path)))
    path = model.folder / "model.toml"
    rows.append((f"{shown}/{path.name}", None, digests.of_file(path)))
    return _table(rows)


def add_run(
    collection: Collection, name: str, run: Path | pd.DataFrame, *, findings: Findings
) -> pd.DataFrame:
    """Add ranked lists as a version: a file (TREC, CSV, JSON lines, Parquet) or a frame with the
    columns query_id, item_id and score. Returns what was written: file, rows, digest.

    Raises DataError where it cannot be read, or has no result for any query of the collection.
    """
    if isinstance(run, Path) and not RUN_NAME.fullmatch(run.name):
        wanted = "a run: .trec, .run, .txt, .csv, .jsonl or .parquet, also as .gz"
        raise DataError(run.name, "an unknown kind of file", wanted)
    with draft(collection.folder, name) as folder:
        file = folder / f"{name}{_ending(run)}"
        if isinstance(run, Path):
            if not run.is_file():
                raise DataError(str(run), "no such file", "a run: TREC lines, CSV or Parquet")
            shutil.copyfile(run, file)
        else:
            columns = list(RUN.columns)[:3]
            if missing := [column for column in columns if column not in run.columns]:
                wanted = f"the columns {', '.join(columns)}"
                raise DataError("the run", f"no column {', '.join(missing)}", wanted)
            run[columns].to_csv(file, index=False)
        return finish_run(file, collection, findings)


def _ending(run: Path | pd.DataFrame) -> str:
    if isinstance(run, pd.DataFrame):
        return ".csv"
    return "".join(run.suffixes[-2:]) if run.suffix.lower() == ".gz" else run.suffix


def finish_run(file: Path, collection: Collection, findings: Findings) -> pd.DataFrame:
    """Read the draft of a run as the collection would, and put it in its place."""
    gallery = collection.items["item_id"].tolist()
    table = read_run(file, gallery=gallery, name=f"runs/{file.name}", findings=findings)
    known = set(collection.queries["query_id"])
    there = set(table["query_id"].astype("str"))
    if not there & known:
        found = f"results of {counted(len(there), 'query', 'queries')} that the collection lacks"
        raise DataError(f"runs/{file.name}", found, "query ids of the collection")
    digest = digests.of_file(file)
    with writing(collection.name):
        put_in_place(file, collection.folder / "runs" / file.name)
    return _table([(f"runs/{file.name}", len(table), digest)])


def _table(rows: list[tuple[str, int | None, str]]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.astype({"rows": "Int64"})
