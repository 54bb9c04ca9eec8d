"""Add a version to a collection: vectors or results, whole or not at all."""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dashboard.errors import DataError, Findings, Unsure, add_finding, explain_errors, list_names
from dashboard.storage.collection import Collection, open_collection
from dashboard.storage.drafts import put_in_place, replace_files, write_draft, write_file
from dashboard.storage.media import match_ids, tell_matched
from dashboard.storage.runs import read_run
from dashboard.storage.settings import Settings
from dashboard.storage.vector_ids import negate_distances
from dashboard.storage.vectors import check_dimension, read_ids, read_vectors
from dashboard.storage.versions import (
    INPUTS,
    RUNS,
    Version,
    read_version,
    record_inputs,
    record_version,
)
from dashboard.tables import AnyArray, Names, Numbers, Row, Rows, Table
from dashboard.texts import compute_digest, read_text, require_file

MIN_BITS = 8
"""Columns of 0 and 1 that are a code."""
list_left_out = shutil.ignore_patterns(
    ".*", "*.bin", "*.pt", "*.pth", "*.pkl", "*.py", "*.h5", "onnx", "openvino"
)
"""List files of a model's folder that no version gets: pickles, code, weights of other libraries.
"""
MATRIX = (".rows.txt", ".columns.txt", ".npy")
"""The ids of rows and of columns, one a line, and the matrix, which comes last."""
OTHER_FORMS = (
    "Other forms: put it beside the files of before, and type init NAME --from FOLDER --update."
)
BLOCK = 1 << 14
"""Rows that are looked at, at once."""
Part = tuple[Any, Names]
"""Rows of an array, and the id of each; a row with the id "" is left out."""


class NamedVectors(NamedTuple):
    """Vectors of items or queries. [rows, dimension].

    Attributes:
        ids: Id of each row; None where nobody names them.
        name: The file or variable that they come from, for messages.
    """

    rows: AnyArray
    ids: Names | None
    name: str


class Stated(NamedTuple):
    """Statements on a new version, beside its vectors.

    Attributes:
        note: A sentence on what is new, "" for none.
        by_position: Whether vectors without ids are those of the table's rows, in its order.
        codes: "packed" for bytes that hold eight bits of a code each, "none" for bytes, and 0 and
            1, that are vectors; "" where nothing is said.
        settings: Further keys of its model.toml.
        files: Further files and folders of the version, by their names in it; a model's folder
            without pickles and code.
    """

    note: str = ""
    by_position: bool = False
    codes: str = ""
    settings: Settings = {}
    files: Mapping[str, Path] = {}


def find_form(parts: Sequence[Any], file: str, codes: str) -> str:
    """Return what the arrays of a version hold, items and texts together.

    Args:
        parts: The arrays. [rows, dimension].
        file: Name of their file in messages.
        codes: "packed" or "none" as the caller says, or "".

    Returns:
        "bits" of 0 and 1, "packed" bits, eight in a byte, other "codes", or "" for vectors.

    Raises:
        Unsure: If they are bytes that may be packed bits, and nothing is said.
    """
    if codes == "none":
        return ""
    if min(each.shape[1] for each in parts) >= MIN_BITS and hold_only(parts, (0, 1)):
        return "bits"
    if hold_only(parts, (-1, 0, 1)):
        return "codes"
    if any(each.dtype.itemsize > 1 for each in parts):
        return ""
    if not codes:
        raise Unsure(
            file,
            f"bytes, which may be codes of {8 * parts[0].shape[1]} bits, eight in a byte",
            "a statement of what they are",
            ["--codes packed", "--codes none  # vectors of whole numbers"],
        )
    return "packed"


def hold_only(parts: Sequence[Any], values: Sequence[int]) -> bool:
    """Return whether all numbers are some of a few; most arrays tell by their first rows."""
    starts = range(0, max(map(len, parts)), BLOCK)
    places = [slice(0, 64), *(slice(at, at + BLOCK) for at in starts)]
    return all(np.isin(each[place], values).all() for place in places for each in parts)


def convert(rows: AnyArray, form: str) -> AnyArray:
    """Return rows as they are written: bits as -1 and 1, bytes that are vectors as fractions."""
    rows = rows.view(np.uint8) if rows.dtype.kind == "b" else rows
    if form == "bits":
        return rows.astype(np.int8) * np.int8(2) - np.int8(1)
    return rows.astype(np.float32) if not form and rows.dtype.itemsize == 1 else rows


def describe_form(form: str, width: int) -> str:
    """Return how codes are taken, for an answer; "" where that goes without saying."""
    if form == "packed":
        return f"codes of {8 * width} bits, packed into bytes"
    return f"codes of {width} bits, 0 and 1 taken for -1 and 1" if form == "bits" else ""


def add_vectors(
    collection: Collection,
    name: str,
    items: NamedVectors,
    queries: NamedVectors | None,
    stated: Stated,
    findings: Findings,
) -> Rows:
    """Add a version of vectors, whole or not at all; return file, rows and digest of what is new.

    Args:
        collection: Where it is added.
        name: Name of the version.
        items: Vectors of the items.
        queries: Vectors of the text queries, or of all queries; None: they stand among the items,
            or text is not run.
        stated: What is said of them.
        findings: Gains what was left out or repaired.

    Raises:
        Unsure: If they are bytes, and it is not said of what, or they have no ids.
        DataError: If the version could not be used, or the name is taken.
    """
    given = {"items": items, "queries": queries} if queries else _part_queries(collection, items)
    sides = {
        stem: [_name_rows(collection, stem, side, stated.by_position, findings)]
        for stem, side in given.items()
    }
    is_numbered = any(side.ids is None for side in given.values())
    told = {**stated.settings, "note": stated.note, "by_position": is_numbered}
    form = find_form([side.rows for side in given.values()], items.name, stated.codes)
    if said := describe_form(form, items.rows.shape[1]):
        add_finding(findings, items.name, said, "-1 and 1; read so", "note")
    if queries and items.rows.shape[1] == queries.rows.shape[1]:
        ((rows, asked),) = sides["queries"]
        names = _name_texts(collection, sides["items"][0][1], asked)
        if number := sum(map(bool, names)):
            sides["items"].append((rows, names))
            found = f"vectors of {number:,} text queries that are items, too"
            add_finding(findings, queries.name, found, "both; taken for both", "note")
    with write_draft(collection.folder, "models", name) as draft:
        numbers = write_version(draft, sides, {k: v for k, v in told.items() if v}, form)
        for inside, path in stated.files.items():  # links are followed
            if path.is_dir():
                shutil.copytree(path, draft / inside, ignore=list_left_out)
            else:
                shutil.copyfile(path, draft / inside)
        record_version(
            read_version(draft, collection.items, collection.queries, findings, name=name),
            collection,
            draft,
        )
        written = [
            describe_file(f"models/{name}", draft / f"{stem}.npy", number)
            for stem, number in numbers.items()
        ]
        put_in_place(draft, collection.folder / "models" / name)
    return written


def _part_queries(collection: Collection, vectors: NamedVectors) -> dict[str, NamedVectors]:
    """Return vectors of items, and those of queries that stand among them, by "queries"."""
    ids = vectors.ids or ()
    asking = {name for name, own in collection.queries.list_rows("item_id") if not own}
    asking -= match_ids(ids, collection.items.ids).keys()
    if asking.isdisjoint(ids) or asking.issuperset(ids):
        return {"items": vectors}
    is_query = np.array([name in asking for name in ids])
    return {
        stem: NamedVectors(vectors.rows[each], np.array(ids)[each].tolist(), vectors.name)
        for stem, each in (("items", ~is_query), ("queries", is_query))
    }


def _name_texts(collection: Collection, there: Names, asked: Names) -> Names:
    """Return the item that each query is, by its id and text, if it has no vector; else ""."""
    captions = {name: text for name, text in collection.items.list_rows("caption") if text}
    texts = collection.queries.list_rows("text")
    known = set(match_ids(there, collection.items.ids).values())
    shown = {name for name, text in texts if captions.get(name) == text} - known
    return [each if each in shown else "" for each in asked]


def write_version(
    folder: Path, sides: Mapping[str, Sequence[Part]], settings: Settings, form: str
) -> Numbers:
    """Write vectors of items and queries, their ids and a model.toml; return the rows of each."""
    told = {"date": tell_date(), **settings}
    told |= {"bits": 8 * sides["items"][0][0].shape[1]} if form == "packed" else {}
    write_settings(folder / "model.toml", told)
    return {stem: _write_side(folder / f"{stem}.npy", parts, form) for stem, parts in sides.items()}


def _write_side(path: Path, parts: Sequence[Part], form: str = "") -> int:
    """Write the rows that have an id, and the ids beside them; return their number."""
    named = [name for _, ids in parts for name in ids if name]
    path.with_suffix(".txt").write_text("\n".join(named) + "\n", encoding="utf-8")
    first = parts[0][0]
    kind = convert(first[:1], form).dtype
    header = {"descr": kind.str, "fortran_order": False, "shape": (len(named), first.shape[1])}
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        for rows, ids in parts:
            is_kept = np.array(ids, bool)
            for at in range(0, len(rows), BLOCK):
                block = convert(rows[at : at + BLOCK][is_kept[at : at + BLOCK]], form)
                file.write(np.ascontiguousarray(block, kind).data)
    return len(named)


def tell_date() -> str:
    """Return the date and time of now, by which versions are ordered."""
    return f"{datetime.now():%Y-%m-%d %H:%M:%S}"


def _name_rows(
    collection: Collection, stem: str, side: NamedVectors, by_position: bool, findings: Findings
) -> Part:
    """Return vectors and the id of each; without ids those of a table's rows, where that is said.

    Raises:
        DataError: If they are no vectors, an id is none, or all are those of queries without text.
    """
    rows, ids, file = side
    if rows.ndim != 2 or not rows.size or rows.dtype.kind not in "fiub":
        found = f"numbers of the shape {rows.shape} and type {rows.dtype}"
        raise DataError(file, found, "a vector a row")
    table: Table = getattr(collection, stem)
    if ids is None:
        if stem == "items":  # but for texts
            told = table.list_rows("kind", "file")
            some = [name for name, kind, file in told if file or kind not in ("", "text")]
        else:
            some = [name for name, own in table.list_rows("item_id") if not own]
        fitting = [order for order in (table.ids, some) if len(order) == len(rows)]
        if not by_position or not fitting:
            option = "--ids" if stem == "items" else "--query-ids"
            lines = [f"{option} FILE  # one a line"]
            lines += ["--by-position  # in the order of the table"] if fitting else []
            counted = " or ".join(f"{number:,}" for number in sorted({len(table), len(some)} - {0}))
            found = f"{len(rows):,} vectors without ids, for {counted} {stem}"
            raise Unsure(file, found, "the id of each vector", lines)
        ids = fitting[0]
        add_finding(findings, file, "vectors without ids", f"ids; in the order of {stem}", "note")
    if len(ids) != len(rows):
        found = f"{len(rows):,} vectors and {len(ids):,} ids"
        raise DataError(file, found, "one vector for each id, in the same order")
    for row, each in enumerate(ids, start=1):
        if not each.strip() or "\n" in each or "\r" in each:
            raise DataError(file, f"the id {each[:80]!r}", "an id in one line", line=row)
    names = match_ids(ids, table.ids)
    refuse_unknown(table, [*names.values()] or ids, side.name)
    if near := {name: own for name, own in names.items() if name != own}:
        add_finding(findings, file, *tell_matched(near), "note")
    inputs = [name for name, *own in table.list_rows(*INPUTS["queries"]) if any(own)]
    if stem == "queries" and inputs and {*names.values()}.isdisjoint(inputs):
        found = f"ids of queries without a text ({list_names(ids)})"
        raise DataError(file, found, f"those of texts, such as {inputs[0]!r}")
    return rows, ids


def replace_queries(
    collection: Collection,
    version: Version,
    queries: NamedVectors,
    findings: Findings,
    by_position: bool = False,
) -> Row:
    """Give a version other vectors of its queries; those of other queries stay.

    Returns:
        What was written: file, rows, digest.

    Raises:
        Unsure: If the vectors have no ids, and it is not said that they are in the table's order.
        DataError: If the version has no items, or the vectors do not fit them, or no query.
    """
    folder, kept = collection.folder / "models" / version.name, version.queries
    if not version.items:
        raise DataError(version.name, "a version without vectors", "one with vectors of items")
    rows, given = _name_rows(collection, "queries", queries, by_position, findings)
    check_dimension(rows.shape[1], version.items, queries.name)
    is_bits = version.items.stored.dtype.kind == "i" and hold_only([rows], (0, 1))
    parts = [(convert(rows, "bits" if is_bits else ""), given)]
    if kept:
        anew = {*given}
        parts.insert(
            0, (kept.scale(0, len(kept.ids)), ["" if name in anew else name for name in kept.ids])
        )
    with replace_files(folder, "queries.npy", "queries.txt") as place:
        number = _write_side(place / "queries.npy", parts)
        read_vectors(place, "queries", collection.queries.ids, findings, f"models/{version.name}")
    record_inputs(folder, collection.queries, "queries", given)
    if queries.ids is None:
        write_settings(folder / "model.toml", version.settings | {"by_position": True})
    return describe_file(f"models/{version.name}", folder / "queries.npy", number)


def add_run(collection: Collection, name: str, path: Path, findings: Findings) -> Rows:
    """Add results as a version, whole or not at all.

    Args:
        collection: Where it is added.
        name: Name of the version.
        path: TREC lines; CSV with query_id, item_id and score; or a matrix X.npy, with the ids of
            its rows in X.rows.txt and of its columns in X.columns.txt.
        findings: Gains repairs of results.

    Raises:
        DataError: If a file cannot be read, or the collection could not use the version.
    """
    endings = MATRIX if path.suffix == ".npy" else (path.suffix,)
    if endings == MATRIX:
        require_file(path, path.name, "a matrix, X.rows.txt and X.columns.txt beside it")
        with explain_errors(path.name, "a damaged file", "a whole matrix of numbers"):
            rows = np.load(path, "r", allow_pickle=False)
            matrix = negate_distances(rows, path.stem, path.name, findings)
        axes = [read_ids(e, e.name, findings) for e in map(path.with_suffix, MATRIX[:2])]
        for ending, ids in zip(MATRIX, axes, strict=False):
            if collection.queries.index.keys().isdisjoint(ids):
                refuse_unknown(collection.items, ids, path.stem + ending)
        number = len(axes[0])
    else:
        if path.suffix not in RUNS:
            found, wanted = f"the ending {path.suffix!r}", f"one of {', '.join(RUNS)}"
            raise DataError(path.name, found, wanted, do=OTHER_FORMS)
        pairs = read_run(path, path.name, findings)
        refuse_unknown(collection.queries, pairs.queries, path.name)
        refuse_unknown(collection.items, pairs.items, path.name)
        number = len(pairs.values)
    places = {ending: collection.folder / "runs" / f"{name}{ending}" for ending in endings}
    with write_draft(collection.folder, "runs", name) as draft:
        for ending, place in places.items():
            if ending == ".npy":
                np.save(draft / ending, matrix)
            else:
                shutil.copyfile(path.with_suffix(ending), draft / ending)
            put_in_place(draft / ending, place)
    if broken := open_collection(collection.folder).broken.get(name):
        for place in places.values():
            place.unlink()
        raise broken
    return [describe_file("runs", places[path.suffix], number)]


def refuse_unknown(table: Table, names: Iterable[str], file: str) -> None:
    """Raise a DataError if a table has none of the names that a file of results has."""
    if table.index.keys().isdisjoint(names):
        found = f"no {table.key[:-3]} of the collection ({list_names(names)})"
        raise DataError(file, found, f"ids such as {table.ids[0]!r}", do=OTHER_FORMS)


def describe_file(place: str, path: Path, rows: int) -> Row:
    """Return what `add` says of a file: file, from the collection on, rows, digest."""
    return {"file": f"{place}/{path.name}", "rows": rows, "digest": compute_digest(path)}


def write_settings(path: Path, settings: Settings) -> None:
    """Write settings as TOML; comments and order of those that are there stay."""
    import tomlkit

    there = tomlkit.parse(read_text(path, path.name, Findings()) if path.exists() else "")
    for key in there.keys() - settings.keys():
        del there[key]
    there.update({k: value for k, value in settings.items() if there.get(k) != value})
    write_file(path, tomlkit.dumps(there).encode())
