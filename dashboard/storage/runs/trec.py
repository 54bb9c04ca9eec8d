"""TREC's lines of fields between blanks, in every form: exact about the line when one is wrong.

A run is `query Q0 item rank score tag`, judgements are `query 0 item grade`. As trec_eval has it,
a line that begins with # is a comment, unless it has all fields, which is said; and in a run
whatever follows the tag is not read. A million lines never become a million Python strings: queries
become codes, items stay as Arrow read them.
"""

from __future__ import annotations

import codecs
import io
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from dashboard import ids
from dashboard.storage.files.contents import UTF16, check_file, decode, read_bytes
from dashboard.storage.runs.pieces import (
    COMMENT,
    GRADE,
    Columns,
    Irregular,
    read_columns,
    read_plain,
)
from dashboard.tables import DataError, Findings, counted

RUN_FIELDS = ("query", "Q0", "item", "rank", "score", "tag")
QRELS_FIELDS = ("query", "iteration", "item", "grade")
COMMENT_LINE = re.compile(rb"^ *" + COMMENT + rb"[^\n]*", re.MULTILINE)
FURTHER_WORDS = re.compile(rb"^((?:[^ \n]+ ){5}[^ \n]+) [^\n]+", re.MULTILINE)
PLAIN_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
HEADER_WORDS = {"query", "query_id", "query-id", "qid", "topic", "topic_id", "query_number"}


@dataclass(frozen=True, eq=False)
class Codes:
    """A column of ids: `codes[row]` says which of `names` stands in that row."""

    codes: npt.NDArray[np.int32]
    names: pd.Index


@dataclass(frozen=True, eq=False)
class Pairs:
    """The rows of a run or of judgements in the file's order.

    `items` are texts, `keys` their numbers (see ids.py); `values` are scores or grades; `line(row)`
    is the line of the file a row stood in; `unsure`: the rows among which a pair could stand twice
    (None: all).
    """

    queries: Codes
    items: pd.Series
    values: npt.NDArray[np.float64]
    line: Callable[[int], int]
    keys: ids.Keys
    unsure: npt.NDArray[np.int64] | None = None


def read_file(path: Path, fields: Sequence[str], name: str, findings: Findings) -> Pairs | None:
    """The pairs in a file of TREC lines in their plain form; None where it has another."""
    check_file(path, name)
    try:
        columns = read_plain(path, fields, _value(fields))
    except (Irregular, OSError):
        return None
    return _pairs(columns, name, findings, lambda row: _line_of(read_bytes(path, name), row))


def read_lines(data: bytes, fields: Sequence[str], name: str, findings: Findings) -> Pairs:
    """The pairs in TREC lines with these `fields`; the value is the field `score` or `grade`.

    Raises DataError naming the first line that has another number of fields or a value that is no
    number.
    """
    data = _without_comments(_readable(data, name, findings), fields, name, findings)
    data, before = _without_header(data, fields, name, findings)
    value = _value(fields)
    try:
        columns = read_columns(io.BytesIO(data), fields, value)
    except Irregular:
        data = _single_blanks(data)
        if "tag" in fields:
            data = _without_further_words(data, before, name, findings)
        try:
            columns = read_columns(io.BytesIO(data), fields, value)
        except Irregular as error:
            raise _first_wrong_line(data, before, fields, value, name) from error
    return _pairs(columns, name, findings, lambda row: before + _line_of(data, row))


def _value(fields: Sequence[str]) -> str:
    return "score" if "score" in fields else "grade"


def _pairs(columns: Columns, name: str, findings: Findings, line: Callable[[int], int]) -> Pairs:
    _note_tags(columns.tags, name, findings)
    found = columns.queries.combine_chunks().dictionary_encode()
    codes = found.indices.to_numpy()
    unsure = None
    if columns.distinct:
        # within one stretch of a query no item stands twice: only those in several are left
        several = np.bincount(codes)[codes] > 1
        unsure = np.flatnonzero(np.repeat(several, columns.lengths))
    names = pd.Index(found.dictionary.to_pandas(), dtype="str")
    return Pairs(
        Codes(np.repeat(codes, columns.lengths), names),
        ids.texts(columns.items),
        columns.values,
        line,
        columns.keys,
        unsure,
    )


def _readable(data: bytes, name: str, findings: Findings) -> bytes:
    """`data` as UTF-8 with blanks for tabs and a plain end at each line."""
    if data.startswith(UTF16) or b"\0" in data:
        data = decode(data, name, findings).encode()
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data.replace(b"\t", b" ") if b"\t" in data else data


def _single_blanks(data: bytes) -> bytes:
    """`data` with one blank between fields and none around a line."""
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


def _without_comments(data: bytes, fields: Sequence[str], name: str, findings: Findings) -> bytes:
    """`data` with an empty line in place of each comment, so that lines keep their numbers.

    A line that has all fields may be meant for a row, as trec_eval 9 reads it, or for a comment, as
    10 does: it is read, and said.
    """
    starts: dict[bool, list[int]] = {True: [], False: []}

    def kept(line: re.Match[bytes]) -> bytes:
        complete = _is_complete(line[0].decode("utf-8", errors="replace").split(), fields)
        starts[complete].append(line.start())
        return line[0] if complete else b""

    cleared = COMMENT_LINE.sub(kept, data)
    if not cleared.strip():
        raise DataError(name, "comments (#) only", "at least one line")
    for complete, places in starts.items():
        if places:
            what = "line that begins with # and has all fields" if complete else "comment line (#)"
            several = what.replace("line", "lines", 1).replace("begins", "begin")
            several = several.replace("has", "have")
            wanted = "read, as by trec_eval 9; 10 takes it for a comment" if complete else ""
            line = data.count(b"\n", 0, places[0]) + 1
            found = counted(len(places), what, several)
            findings.note(name, found, wanted or "none; left out", line)
    return cleared


def _is_complete(cells: Sequence[str], fields: Sequence[str]) -> bool:
    """Whether the cells of a line are a row: of a run with further words, too."""
    right = len(cells) >= len(fields) if "tag" in fields else len(cells) == len(fields)
    return right and _is_number(cells[fields.index(_value(fields))])


def _without_further_words(data: bytes, before: int, name: str, findings: Findings) -> bytes:
    """`data` without the words that follow the tag in a line of a run."""
    first = FURTHER_WORDS.search(data)
    if first is None:
        return data
    line = before + data.count(b"\n", 0, first.start()) + 1
    cut, many = FURTHER_WORDS.subn(rb"\1", data)
    found = f"more than {len(RUN_FIELDS):,} fields in {counted(many, 'line')}"
    wanted = f"{' '.join(RUN_FIELDS)}; what follows was not read, as trec_eval has it"
    findings.note(name, found, wanted, line)
    return cut


def _without_header(
    data: bytes, fields: Sequence[str], name: str, findings: Findings
) -> tuple[bytes, int]:
    """`data` without a first line that names the fields, and how many lines that took away."""
    start = len(data) - len(data.lstrip(b" \n"))
    end = data.find(b"\n", start) + 1 or len(data)
    first = data[start:end].decode("utf-8", errors="replace").split()
    named = len(first) == len(fields) and first[0].lower() in HEADER_WORDS
    if named and not _is_number(first[fields.index(_value(fields))]):
        line = data.count(b"\n", 0, end)
        findings.note(name, f"a header ({' '.join(first)})", "none; it was left out", line or 1)
        return data[end:], line
    return data, 0


def _note_tags(column: pa.ChunkedArray, name: str, findings: Findings) -> None:
    tags = sorted(column.unique().to_pylist())
    if len(tags) > 1:
        found = f"{len(tags):,} run tags ({tags[0]}, {tags[1]} …)"
        findings.note(name, found, "one; the file's name is the run's name")


def _first_wrong_line(
    data: bytes, before: int, fields: Sequence[str], value: str, name: str
) -> DataError:
    place = fields.index(value)
    for line, content in enumerate(data.split(b"\n"), start=before + 1):
        cells = content.split(b" ")
        if content and len(cells) != len(fields):
            wanted = f"{len(fields):,} fields: {' '.join(fields)}"
            return DataError(name, f"{len(cells):,} fields", wanted, line=line)
        if not content:
            continue
        text = cells[place].decode("utf-8", errors="replace")
        if not (_is_number(text) if value == "score" else GRADE.fullmatch(text)):
            wanted, cure = number_wanted(text, value)
            return DataError(name, f"the {value} {text!r}", wanted, line=line, cure=cure)
        try:
            content.decode()
        except UnicodeDecodeError:
            return DataError(name, "bytes that are not UTF-8", "text in UTF-8", line=line)
    return DataError(name, "lines that cannot be read", f"fields {' '.join(fields)}")


def number_wanted(text: str, value: str) -> tuple[str, str]:
    """What stands in place of a score or a grade that is none, and how to write this one."""
    plain = unicodedata.normalize("NFKC", text)
    if plain != text and _is_number(plain):
        return "a number in the digits 0 to 9", f"Write {plain}."
    if value == "grade" and PLAIN_NUMBER.fullmatch(text):
        cure = f"Write {float(text):g}"
        other = re.split("[eE]", text)[0]
        if float(other) != float(text):
            cure += f"; trec_eval would read {other}"
        return "a number without an exponent", f"{cure}."
    return "a number", "Write a decimal point, not a comma." if "," in text else ""


def _is_number(text: str) -> bool:
    """Whether Arrow reads a number here; Python itself would take digits of any script."""
    if PLAIN_NUMBER.fullmatch(text):
        return True
    try:
        pa.scalar(text).cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    return True


def _line_of(data: bytes, row: int) -> int:
    filled = (line for line, content in enumerate(data.split(b"\n"), start=1) if content)
    for _ in range(row):
        next(filled)
    return next(filled)
