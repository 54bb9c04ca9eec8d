"""Tables in blocks of rows: CSV and its relatives, JSON, JSON lines, Parquet, Arrow and Excel."""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice, pairwise, takewhile
from pathlib import PurePosixPath
from statistics import fmean
from typing import Any, NamedTuple

from dashboard.errors import DataError, explain_errors, list_names
from dashboard.plugins.importers.json_rows import (
    MAX_WORDS,
    VECTOR_WORDS,
    NumberedRow,
    is_header,
    read_lines,
    read_objects,
)
from dashboard.plugins.importers.pieces import (
    MIN_WIDE,
    find_labels,
    holds_objects,
    join_wide,
    list_inside,
    make_text,
    part_results,
    write_list,
)
from dashboard.plugins.importers.source import Columns, Source, find_plain
from dashboard.storage.array_files import fill_rows
from dashboard.storage.media import EXTENSION
from dashboard.storage.vector_ids import Arrays
from dashboard.tables import MAX_CELL_CHARACTERS, AnyArray, Names
from dashboard.texts import parse_number

COLUMNAR = (".parquet", ".arrow", ".feather")
ENDINGS = (".csv", ".tsv", ".tab", ".jsonl", ".jsonlines", ".ndjson", ".manifest", ".json",
           *COLUMNAR, ".xlsx")  # fmt: skip
ROWS = 16_384
"""Rows of a block."""
MAX_TITLES = 10
"""Lines among which the header is looked for."""
OUTLINES = re.compile("segment|polygon|outline|points|box|contour|mask|times|scores", re.I)
"""Words in the names of columns of as many fractions that are no vectors."""
CODED = re.compile(r"\[|[\w+/]{24,}=*$")
"""The beginning of a list, or numbers as base64."""
UNLABELLED = re.compile(rf"{EXTENSION.pattern}|^[-+]?\d*[.]\d+$", re.I)
"""A file or a fraction, which are no labels."""
FRACTION = re.compile(r"[-+]?\d*[.]\d+(e[-+]?\d+)?", re.I)
SHEET = re.compile(r"sheet ?\d*", re.I)
"""Names that programs give to sheets."""


class Block(NamedTuple):
    """Some rows of a table.

    Attributes:
        lines: Line, or number of the row from 1, of each.
        columns: Cells as texts, by column.
        vectors: Columns of vectors. [rows, dimension].
        contents: Columns of pictures inside the table; a path beside one is the column itself.
        classes: Names of the classes of some columns in the order of their numbers, as the file
            declares them.
    """

    file: str
    lines: Sequence[int]
    columns: Columns
    vectors: Mapping[str, AnyArray] = {}
    contents: Mapping[str, Sequence[bytes | None]] = {}
    classes: Columns = {}


def read_blocks(source: Source, name: str) -> Iterator[Block]:
    """Yield the rows of a table; those that are left out are said.

    Raises:
        DataError: If the file is no table; rows before a damaged part have been yielded by then.
    """
    small = find_plain(name)
    if small.endswith(COLUMNAR):
        from dashboard.plugins.importers.columnar import read_columnar

        yield from read_columnar(source, name)
        return
    ending = PurePosixPath(small).suffix
    if ending == ".xlsx":
        sheets = _open_sheets(source, name)
    else:
        sheets = {name: READERS.get(ending, _read_delimited)(source, name)}
    for own, found in sheets.items():
        rows = ((line, each) for line, row in found for each in part_results(row))
        while block := list(islice(rows, ROWS)):
            yield make_block(source, own, block)


def _read_delimited(source: Source, name: str) -> Iterator[NumberedRow]:
    """Yield the rows of a text table; those of another length than the header are left out."""
    text = source.read_text(name)
    if not (first := re.search(r".*[,\t;|].*", text) or re.search(r".*\S.*", text)):
        raise DataError(name, "an empty file", "a table with a header")
    mark = max(",\t;|", key=first[0].count)
    csv.field_size_limit(MAX_CELL_CHARACTERS)
    lines, odd = text.split("\n"), list[int]()
    is_even = len({line.count(mark) for line in lines if line.strip()}) == 1

    def list_rows() -> Iterator[tuple[int, Names]]:
        """Yield line and cells of each row; a broken one is a line if all have as many cells."""
        at = 0
        while at < len(lines):
            first, rest = at, (f"{line}\n" for line in islice(lines, at, None))
            reader = csv.reader(rest, delimiter=mark, strict=True, skipinitialspace=True)
            try:
                for row in reader:
                    yield at + 1, [cell.strip() for cell in row]
                    at = first + reader.line_num
            except csv.Error:
                odd.append(at + 1)
                if is_even:
                    yield at + 1, [cell.strip() for cell in lines[at].split(mark)]
                at += 1

    yield from _name_cells(source, name, list_rows())
    wanted = 'CSV; left out. Write " in a quoted cell as ""'
    wanted = "none; they are parts of the cells" if is_even else wanted
    source.count(name, odd, "rows with stray quotes", wanted, "note" if is_even else "warning")


def _name_cells(
    source: Source, name: str, rows: Iterable[tuple[int, Sequence[Any]]]
) -> Iterator[NumberedRow]:
    """Yield rows by the names in their header, or by those of their kind where there is none.

    Raises:
        DataError: If a name is there twice, or the first row is one of data.
    """
    filled = (row for row in rows if any(cell not in (None, "") for cell in row[1]))
    first = [(at, list(map(make_text, cells))) for at, cells in islice(filled, MAX_TITLES)]
    start = _find_header([cells for _, cells in first])
    source.count(name, [at for at, _ in first[:start]], "lines", "a header; skipped", "note")
    below = first[start:] or [(1, [])]
    line, header = below[0]
    names = _name_bare(source, name, [cells for _, cells in below])
    if names:
        source.say(name, "no header", f"one; its columns are {list_names(names)}", "note", line)
    else:
        below, names = below[1:], [each.lstrip("# ") for each in header]
        twice = [each for each in names if each and names.count(each) > 1]
        shown = [each for each in names if EXTENSION.search(each) or source.find_media(each)]
        if bad := twice or shown * (not is_header(names)):
            raise DataError(
                name,
                f"{'two columns' if twice else 'the column'} {bad[0]!r}",
                "a header above the rows, each column of it once",
                line=line,
            )
    odd = []
    for at, cells in chain(below, filled):
        if len(cells) == len(names):
            yield at, dict(zip(names, cells, strict=True))
        else:
            odd.append(at)
    what = "rows with another number of cells than the header"
    source.count(name, odd, what, f"{len(names)} cells; left out")


def _find_header(rows: Sequence[Names]) -> int:
    """Return the place of the header among the first rows: behind remarks, and narrower titles."""
    notes = len(list(takewhile(lambda cells: cells[0][:1] == "#", rows)))
    if notes and len(rows[notes - 1]) > 1:
        return notes - 1  # AudioSet's
    widths = [len(cells) - cells.count("") for cells in rows]
    named = [at for at, cells in enumerate(rows) if is_header(cells)]
    wide = [at for at, cells in enumerate(rows) if widths[at] > 1 or not cells[0]]
    start = (named or wide or [0])[0]
    is_above = all(
        len(rows[at]) < len(rows[start]) or 2 * widths[at] <= widths[start] for at in range(start)
    )
    return start if is_above else 0


def _name_bare(source: Source, name: str, rows: Sequence[Names]) -> Names:
    """Return names of the columns of a vector or of a file and its class; none below a header."""
    first, *_ = rows
    numbers = [parse_number(each) for each in first if FRACTION.fullmatch(each)]
    if is_header(first):
        return []
    if len(numbers) >= MIN_WIDE and any(a >= b for a, b in pairwise(numbers)):  # no wavelengths
        last = len(first) - 1
        places = (at for cells in rows for at, e in enumerate(cells) if FRACTION.fullmatch(e))
        ends = {0: "item_id", last: "label"} | {at: str(at) for at in places}
        return [ends.get(at, str(at)) for at in range(last + 1)]
    tables = [each for each in source.files if each.endswith((".csv", ".tsv"))]
    is_file = len(first) == 2 and EXTENSION.search(first[0]) and not UNLABELLED.search(first[1])
    if not is_file or tables != [name]:
        return []
    is_long = fmean(len(cells[-1].split()) for cells in rows) > MAX_WORDS
    return ["file", "caption" if is_long else "label"]


def _open_sheets(source: Source, name: str) -> dict[str, Iterator[NumberedRow]]:
    """Return the rows of each sheet that has some; several have names of their own."""
    import openpyxl  # type: ignore[import-untyped]

    do = "Save it again, or as CSV."
    with explain_errors(name, "a file that is no Excel workbook", ".xlsx", do):
        book = openpyxl.load_workbook(source.find_path(name), read_only=True, data_only=True)
        every = {each.title: each.iter_rows(values_only=True) for each in book.worksheets}
        first = {title: list(islice(rows, MAX_TITLES)) for title, rows in every.items()}
    filled = [title for title, rows in first.items() if any(map(any, rows))] or list(every)[:1]
    plain = list(filter(SHEET.fullmatch, filled))  # the one without a name of its own
    names = {e: name if [e] in (filled, plain) else f"{name}/{e}" for e in filled}
    return {
        own: _name_cells(source, own, enumerate(chain(first[title], every[title]), start=1))
        for title, own in names.items()
    }


READERS = {
    ".jsonl": read_lines,
    ".jsonlines": read_lines,
    ".ndjson": read_lines,
    ".manifest": read_lines,
    ".json": read_objects,
}


def make_block(source: Source, name: str, rows: Sequence[NumberedRow]) -> Block:
    """Return a block of rows, which may lack some columns; lists of numbers are vectors."""
    lines = [line for line, _ in rows]
    flat = [list_inside(row) for _, row in rows]
    table = {column: [row.get(column) for row in flat] for column in dict.fromkeys(chain(*flat))}
    columns: Columns = {}
    vectors: Arrays = {}
    for column, cells in table.items():
        if list in map(type, cells):  # Label Studio's one choice is a text
            cells = [[cell] if isinstance(cell, str) and cell else cell for cell in cells]
        first = next((cell for cell in cells if cell not in (None, "")), None)
        text = make_text(first)
        regions: list[str] = []  # Label Studio's tables have regions and paths as JSON
        if text.startswith(("[{", '[["')):
            with suppress(ValueError):
                found = (json.loads(make_text(cell) or "[]") for cell in cells)
                regions = [write_list(find_labels(each, (), True)) for each in found]
        if is_vector(column, len(_list_numbers(first)), "." in text):
            vectors[column], bad = fill_rows(map(_list_numbers, cells))
            what = f"rows without a whole vector in the column {column}"
            source.count(name, [lines[at] for at in bad], what, "as many numbers in each row")
        elif any(regions):
            columns[column] = regions
        elif holds_objects(first) and any(each.startswith(f"{column}.") for each in table):
            continue
        elif isinstance(first, list) and dict in map(type, first):
            told = f"a column {column} of nested cells"
            source.say(name, told, "texts, numbers or lists of them; left out")
        elif VECTOR_WORDS.search(column) and CODED.match(text):
            cut = " as pandas cuts them" if "..." in text else ""
            told = f"cells in the column {column} that are no vectors{cut}"
            source.say(name, told, "[0.5, 1.0], or Parquet; left out", line=lines[0])
        else:
            columns[column] = list(map(make_text, cells))
    index = columns.pop("", [])  # pandas' index without a name
    if index and "item_id" not in columns and not all(map(str.isdigit, index)):
        columns["item_id"] = index
    return Block(name, lines, columns, vectors | join_wide(columns))


def is_vector(column: str, width: int, is_fractional: bool) -> bool:
    """Return whether a list of so many numbers in a column is a vector, and no labels or boxes."""
    if VECTOR_WORDS.search(column):
        return width > 1
    return width >= MIN_WIDE and is_fractional and not OUTLINES.search(column)


def _list_numbers(cell: Any) -> list[float]:
    """Return the numbers of a list, or of a text that is one; none if it holds other things."""
    if isinstance(cell, str) and cell.strip().startswith("["):
        cell = cell.strip("[] \n").replace(",", " ").split()
    elif not isinstance(cell, list) or not {*map(type, cell)} <= {int, float}:
        return []
    with suppress(ValueError, OverflowError):
        return list(map(float, cell))
    return []
