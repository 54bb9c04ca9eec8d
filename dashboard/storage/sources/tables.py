"""Tables of a source, in whatever format: their cells as text, their vectors as arrays, and what
each column probably is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.storage.files.contents import LARGEST, read_text
from dashboard.storage.files.json_lines import read_json_lines, text_of_cell
from dashboard.storage.files.limits import LONGEST_KEYWORD, MOST_KEYWORDS
from dashboard.storage.files.parquet import cell_texts, parquet_table
from dashboard.storage.files.tables import read_frame
from dashboard.storage.sources.listing import Listing, ending, parent
from dashboard.tables import DataError, Findings, listed

TABLES = (".csv", ".tsv", ".parquet", ".jsonl", ".ndjson", ".json", ".arrow", ".feather")
ID = ("item_id", "slice_id", "id", "image_id", "video_id", "_id", "uuid", "uid", "docid", "doc_id",
      "document_id", "product_id", "row_id", "key", "sku", "asin")  # fmt: skip
FILE = ("file", "file_name", "filename", "filepath", "file_path", "path", "image", "image_path",
        "img", "img_path", "image_file", "video", "video_path", "video_file", "clip", "clip_path",
        "sensor_video_file", "sensor_frame_file")  # fmt: skip
POSTER = ("poster", "gif_path", "gif_file", "thumbnail", "poster_path")
CAPTION = ("caption", "text", "captions", "description", "title", "sentence", "prompt")
LABEL = ("label", "labels", "class", "classes", "class_name", "category", "categories", "tag",
         "tags", "keyword", "keywords", "genre", "genres", "species", "breed", "topic")  # fmt: skip
PLAIN = ("kind", "span_start", "span_end", "split", "side", "scene", "cut_beforehand")
SPLITS = {"train": "train", "training": "train", "test": "test", "testing": "test",
          "val": "val", "valid": "val", "validation": "val", "dev": "val"}  # fmt: skip


def split_named(folder: str) -> str:
    """The part of a data set that a folder's name means: `train`, `val2017`; empty: none."""
    return SPLITS.get(folder.lower().rstrip("0123456789"), "")


FEW = 50
"""So many different values a column of labels may have that is not called so."""
OURS = ("item_id", "file", "poster", "caption", "query_id", "text", "grade", "score", *PLAIN)


@dataclass(frozen=True, eq=False)
class SourceTable:
    """A table of a source: its cells as text (index: the line), and its columns of vectors."""

    name: str
    cells: pd.DataFrame
    vectors: dict[str, npt.NDArray[Any]]


LEFT_OUT = "left_out"
"""What columns are mapped to that are not taken, several with semicolons between them."""


def left_out(columns: Mapping[str, str]) -> list[str]:
    """The columns of a source that the caller does not want."""
    return [each.strip() for each in columns.get(LEFT_OUT, "").split(";") if each.strip()]


def read_source_table(listing: Listing, name: str) -> SourceTable:
    """The table in a file. Raises DataError where it is none."""
    path, kind = listing.path(name), ending(name)
    if kind in (".parquet", ".arrow", ".feather"):
        return _columnar(listing, name)
    if kind == ".json":
        try:
            rows = read_json(listing, name)
        except DataError:  # JSON lines are often called so
            text = read_text(listing.path(name), name, Findings())
            if not _first_is_object(text):
                raise
            return SourceTable(name, read_json_lines(text, name), {})
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise DataError(name, "JSON of another kind", "a list of objects")
        texts = [{str(key): cell_of(value) for key, value in row.items()} for row in rows]
        cells = pd.DataFrame(texts, index=range(1, len(rows) + 1), dtype="str").fillna("")
        return SourceTable(name, cells, {})
    return SourceTable(name, read_frame(path, [*ID, *FILE], name, Findings()), {})


def read_json(listing: Listing, name: str) -> Any:
    """The content of a JSON file. Raises DataError for anything else."""
    text = read_text(listing.path(name), name, Findings())
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        ends = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        found = "a file that ends in the middle" if ends else f"what is no JSON ({error.msg})"
        wanted = "a complete JSON file" if ends else "a JSON file"
        raise DataError(name, found, wanted, line=error.lineno) from error
    except (ValueError, RecursionError) as error:
        raise DataError(name, "something that is not JSON", "a JSON file") from error


def _first_is_object(text: str) -> bool:
    """Whether the first line with something in it is a whole JSON object."""
    first = text.lstrip().split("\n", 1)[0]
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def cell_of(value: object) -> str:
    """A value as the text of a cell, a list as JSON."""
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return json.dumps(value, ensure_ascii=False)
    return text_of_cell(value)


@lru_cache(maxsize=2)
def _columnar(listing: Listing, name: str) -> SourceTable:
    import pyarrow as pa

    table = parquet_table(listing.path(name), name, LARGEST // 8)
    of_libraries = [each for each in table.column_names if re.fullmatch(r"__\w+__", each)]
    table = table.drop_columns(of_libraries)  # such as pandas' __index_level_0__
    cells: dict[str, Any] = {}
    vectors: dict[str, npt.NDArray[Any]] = {}
    for column, values in zip(table.column_names, table.columns, strict=True):
        kind = values.type
        lists = pa.types.is_list(kind) or pa.types.is_large_list(kind)
        if lists or pa.types.is_fixed_size_list(kind):
            if pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type):
                vectors[column] = _matrix(values, f"{name}, column {column}")
            else:
                cells[column] = [cell_of(value) for value in values.to_pylist()]
        elif pa.types.is_struct(kind) and "path" in [field.name for field in kind]:
            # a picture as Hugging Face stores it: only its path is of use here
            cells[column] = [(value or {}).get("path") or "" for value in values.to_pylist()]
        elif not pa.types.is_binary(kind) and not pa.types.is_large_binary(kind):
            cells[column] = cell_texts(values)
    frame = pd.DataFrame(cells, index=range(1, len(table) + 1), dtype="str")
    return SourceTable(name, frame, vectors)


def _matrix(values: Any, name: str) -> npt.NDArray[Any]:
    """The lists of a column as the rows of an array."""
    import pyarrow.compute as pc

    column = values.combine_chunks()
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    if not len(lengths) or (lengths != lengths[0]).any() or not lengths[0]:
        found = f"lists of {lengths.min() if len(lengths) else 0} to "
        found += f"{lengths.max() if len(lengths) else 0} numbers"
        raise DataError(name, found, "as many numbers in each row")
    numbers = pc.list_flatten(column)
    if numbers.null_count:
        raise DataError(name, "missing numbers in vectors", "a number in each place")
    return np.asarray(numbers).reshape(len(lengths), -1)


@dataclass(frozen=True, eq=False)
class Roles:
    """What the columns of a table are: ours → the column; labels: column → group; guessed: the
    sentences on what the names do not say; maybe: columns that may be labels too → how many
    different values they have."""

    of: dict[str, str]
    labels: dict[str, str]
    hot: tuple[str, ...]
    guessed: tuple[str, ...]
    maybe: Mapping[str, int] = field(default_factory=dict)


def roles_of(table: SourceTable, files: FileNames, columns: Mapping[str, str]) -> Roles:
    """What each column of a table probably is.

    files: `names_of_files`. columns: names of ours → columns that the caller names; they count.
    """
    cells = table.cells
    names = {column.strip().lower(): column for column in map(str, cells.columns)}
    of = {ours: theirs for ours, theirs in columns.items() if theirs in cells.columns}
    labels = {of.pop(ours): ours for ours in list(of) if ours not in OURS}
    guessed: list[str] = []

    def take(ours: str, candidates: Sequence[str]) -> None:
        used = {*(of[role] for role in of if role != "item_id"), *labels}
        for each in candidates:
            if ours not in of and each in names and names[each] not in used:
                of[ours] = names[each]

    def matching(column: str) -> float:
        return _matching(cells[column], files, parent(table.name))

    take("file", FILE)
    if "file" in of and "file" not in columns and files and not matching(of["file"]):
        del of["file"]
    if "file" not in of and files:
        shares = {c: matching(c) for c in names.values() if c not in labels}
        best = max(shares, key=lambda column: shares[column], default="")
        if best and shares[best] >= 0.5:
            of["file"] = best
            guessed.append(f"file: {best}, whose values name files")
    taken = of.get("file")
    unique = [c for c in names.values() if _is_key(cells[c])]
    for each in ID:
        column = names.get(each)
        if "item_id" not in of and column in unique and column not in labels:
            of["item_id"] = str(column)
    if "item_id" not in of and taken is None and unique and not files:
        short = [c for c in unique if cells[c].str.fullmatch(r"\S{1,64}").all()]
        if short:
            of["item_id"] = short[0]
            guessed.append(f"item_id: {short[0]}, the first column without a value twice")
    for ours, candidates in (("poster", POSTER), ("caption", CAPTION)):
        take(ours, candidates)
    for each in PLAIN:
        take(each, [each])
    free = [c for c in names.values() if c not in of.values() and c not in labels]
    hot = tuple(c for c in free if set(cells[c].str.strip().str.lower()) <= _FLAGS)
    hot = hot if len(hot) >= 3 else ()
    free = [c for c in free if c not in hot]
    named, told = label_columns(free, cells)
    ids = {column for column in free if column.strip().lower() in ID}
    maybe = {c: n for c in free if c not in {*named, *ids} and (n := _repeated(cells[c]))}
    classes = [c for c, number in maybe.items() if number <= FEW and _are_numbers(cells[c])]
    if not (labels or named or hot) and len(classes) == 1:
        named[classes[0]] = classes[0].strip().lower()
        told.append(f"{classes[0]}: labels, the only column of few whole numbers")
        del maybe[classes[0]]
    return Roles(of, {**labels, **named}, hot, (*guessed, *told), maybe)


def _repeated(cells: pd.Series) -> int:
    """How many values a column has that could be labels of items; 0: it holds none."""
    filled = cells[cells.str.strip() != ""]
    number = int(filled.nunique())
    if not 1 < number <= len(filled) // 2 or filled.str.len().max() > LONGEST_KEYWORD:
        return 0
    fractions = _are_numbers(filled) and not filled.str.fullmatch(r"\s*[0-9]{1,9}\s*").all()
    return 0 if fractions else number


_FLAGS = {"0", "1", "", "0.0", "1.0", "true", "false", "yes", "no", "-1"}
TRUE = {"1", "1.0", "true", "yes"}


def _is_key(cells: pd.Series) -> bool:
    return (
        bool(len(cells)) and not cells.duplicated().any() and bool((cells.str.strip() != "").all())
    )


def label_columns(free: Sequence[str], cells: pd.DataFrame) -> tuple[dict[str, str], list[str]]:
    """The columns of labels → their group, and sentences on those that are not called so."""
    found: dict[str, str] = {}
    told: list[str] = []
    for column in free:
        plain = column.strip().lower()
        numbered = plain.rstrip("0123456789").rstrip("_- .")
        filled = cells[column][cells[column].str.strip() != ""]
        if filled.empty or filled.str.len().quantile(0.9) > LONGEST_KEYWORD:
            continue
        if plain.startswith("pv_") or plain in LABEL or plain.endswith(("_label", "_labels")):
            found[column] = plain
        elif numbered in LABEL and numbered != plain:
            found[column] = numbered
        else:
            different = filled.nunique()
            few = different <= min(FEW, MOST_KEYWORDS) and different <= max(2, len(filled) // 2)
            few = few and different < len(filled)
            if few and not _are_numbers(filled) and different > 1:
                found[column] = plain
                told.append(f"{column}: labels, for it has {different} different values")
    return found, told


def _are_numbers(cells: pd.Series) -> bool:
    return bool(pd.to_numeric(cells, errors="coerce").notna().all())


class FileNames(dict[str, str]):
    """What a table may call each file → its path."""

    @cached_property
    def by_any_case(self) -> dict[str, str]:
        """The same in small letters; nothing that two files share by then."""
        found: dict[str, str] = {}
        shared = set()
        for name, file in self.items():
            if found.setdefault(name.casefold(), file) != file:
                shared.add(name.casefold())
        return {name: file for name, file in found.items() if name not in shared}


def names_of_files(files: Sequence[str]) -> FileNames:
    """What a table may call each file → its path: the path and its ends, with and without the
    extension, unless two files share it."""
    found: dict[str, str | None] = {}
    for name in files:
        parts = name.split("/")
        for start in range(len(parts)):
            tail = "/".join(parts[start:])
            for each in (tail, str(PurePosixPath(tail).with_suffix(""))):
                if found.setdefault(each, name) != name:
                    found[each] = None
    exact = {name: name for name in files}
    return FileNames({**{name: file for name, file in found.items() if file is not None}, **exact})


def file_named(cell: str, files: FileNames, folder: str = "") -> str:
    """The file that a cell names: below the table's folder, or by the end of its path, at last
    whatever the case of its letters; empty where there is none, or the name is that of several."""
    plain = cell.strip().replace("\\", "/").removeprefix("./").removeprefix("file://")
    if folder and (own := files.get(f"{folder}/{plain}")):
        return own
    parts = [part for part in plain.split("/") if part]
    tails = ["/".join(parts[start:]) for start in range(len(parts))]
    if folder and plain:
        tails.insert(0, f"{folder}/{plain}")
    for tail in tails:
        if found := files.get(tail) or files.by_any_case.get(tail.casefold()):
            return found
    return ""


def _matching(cells: pd.Series, files: FileNames, folder: str) -> float:
    """The share of some cells that name files; of the first 1,000."""
    some = [cell for cell in cells.head(1_000) if cell.strip()]
    return sum(bool(file_named(cell, files, folder)) for cell in some) / max(1, len(some))


def check_columns(columns: Mapping[str, str], tables: Sequence[SourceTable]) -> None:
    """Raise DataError for a column that the caller names and no table has."""
    there = dict.fromkeys(
        str(c) for table in tables for c in [*table.cells.columns, *table.vectors]
    )
    pairs = [(ours, theirs) for ours, theirs in columns.items() if ours != LEFT_OUT]
    for ours, theirs in [*pairs, *((LEFT_OUT, each) for each in left_out(columns))]:
        if theirs not in there:
            wanted = f"a column of the source ({listed(there) or 'it has no table'})"
            raise DataError("--map", f"{ours}={theirs}", wanted)
