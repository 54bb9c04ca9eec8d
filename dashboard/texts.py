"""Text of files in their encodings, numbers in texts, and cells that hold several texts."""

import ast
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from dashboard.errors import DataError, Findings, add_finding, explain_errors


def read_text(path: Path, name: str, findings: Findings) -> str:
    """Return the text of a file in UTF-8, in UTF-16 with its mark, or else in Windows-1252.

    Lines end with a line feed, whatever ends them in the file.

    Args:
        path: The file.
        name: Its name in messages.
        findings: Gains a note if the file is not UTF-8, or holds NULs; they are removed.

    Raises:
        DataError: If the file is missing, cannot be read, holds bytes of no such encoding, or more
            NULs than lines, as a file that is no text does.
    """
    return decode_text(read_bytes(path, name), name, findings)


def read_bytes(path: Path, name: str) -> bytes:
    """Return the content of a file.

    Raises:
        DataError: If it is missing or cannot be read.
    """
    require_file(path, name, "a text file")
    with explain_errors(name, "a file that cannot be read", "a text file that this user may read"):
        return path.read_bytes()


def decode_text(raw: bytes, name: str, findings: Findings) -> str:
    """Return the text of a file's content; see `read_text`."""
    for encoding in (
        ["utf-16"] if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else ["utf-8-sig", "cp1252"]
    ):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if many := text.count("\0"):
            line, found = text.count("\n", 0, text.index("\0")) + 1, f"{many:,} NUL bytes"
            if many > text.count("\n"):
                found, do = f"a file that is no text ({found})", "Save it as text in UTF-8."
                raise DataError(name, found, "text", line=line, do=do)
            add_finding(findings, name, found, "text; they are removed", "note", line)
            text = text.replace("\0", "")
        if encoding != "utf-8-sig":
            shown = "UTF-16" if encoding == "utf-16" else "Windows-1252"
            add_finding(findings, name, f"text in {shown}", "UTF-8; read as it is", "note")
        return text.replace("\r\n", "\n").replace("\r", "\n")
    raise DataError(name, "bytes that are not UTF-8", "a UTF-8 file")


def require_file(path: Path, name: str, expected: str) -> None:
    """Raise a DataError if there is no such file."""
    if not path.is_file():
        raise DataError(name, "a folder" if path.is_dir() else "no such file", expected)


MARKS = (";", "|", ",")
BRACKETS = ("[]", "{}")


def split_cells(cells: Iterable[str]) -> dict[str, list[str]]:
    """Return the parts of each different cell.

    A cell that is a list or an object of JSON or Python has its values, those inside them too;
    other cells are separated by the mark that most of them have, and brackets around them are no
    part.

    >>> split_cells(["car, bus", '["bus, red", "car"]', '{"choices": ["car"]}'])["car, bus"]
    ['car', 'bus']
    """
    counts = Counter(cells)
    lists = {cell: _read_values(cell) for cell in counts if cell.strip()[:1] in "[{("}
    bare = {cell: cell.strip() for cell in counts if not lists.get(cell)}
    bare = {cell: t[1:-1] if t[:1] + t[-1:] in BRACKETS else t for cell, t in bare.items()}
    mark = max(MARKS, key=lambda each: sum(counts[cell] for cell in bare if each in bare[cell]))
    parts = {cell: text.split(mark) for cell, text in bare.items()} | {
        cell: values for cell, values in lists.items() if values
    }
    return {cell: [part.strip() for part in each if part.strip()] for cell, each in parts.items()}


def _read_values(cell: str) -> list[str]:
    """Return the values of a cell that is a list or an object; none if it is neither."""
    for read in (json.loads, ast.literal_eval):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            return list(_flatten(read(cell.strip())))
    return []


def _flatten(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple, set)):
        for each in value:
            yield from _flatten(each)
    elif value is not None:
        yield str(value)


def split_names(text: str, separator: str, known: Collection[str]) -> list[str]:
    """Return the names in a text, each once; a known one may hold the separator.

    Args:
        text: The names.
        separator: Text between them; a blank stands for any white space.
        known: Names that there are.

    >>> split_names("a=R & B & b=x", " & ", ["a=R & B", "b=x"])
    ['a=R & B', 'b=x']
    """
    parts = [part.strip() for part in text.split(separator if separator.strip() else None)]
    longest = max((name.count(separator) for name in known), default=0) + 1
    names = []
    place = 0
    while place < len(parts):
        ends = range(min(place + longest, len(parts)), place, -1)
        joined = (separator.join(parts[place:end]) for end in ends)
        names.append(next((name for name in joined if name in known), parts[place]))
        place += names[-1].count(separator) + 1
    return list(dict.fromkeys(filter(None, names)))


def make_natural(name: str) -> list[Any]:
    """Return a key that sorts names as people do: texts and numbers by turns.

    >>> sorted(["v0.10", "v0.2"], key=make_natural)
    ['v0.2', 'v0.10']
    """
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name)]


def write_number(value: float, sign: str = "", decimals: int = 3) -> str:
    """Return a number with some decimals; a smaller one with two digits; only 0 is written as 0.

    >>> write_number(0.0654), write_number(-0.0000157), write_number(0.38, "+"), write_number(0.0)
    ('0.065', '-0.000016', '+0.380', '0.000')
    >>> write_number(0.0000000064), write_number(3e-12, "+")
    ('0.0000000064', '+3.0e-12')
    """
    if 0 < abs(value) < 1e-9:
        return f"{value:{sign}.1e}"
    first = next((p for p in range(decimals, 10) if abs(value) >= 10.0**-p), decimals)
    rounded = round_half(value, first + (first > decimals))
    if first > decimals:
        return f"{rounded:{sign}.{first + 1}f}".rstrip("0")
    return f"{rounded:{sign}.{decimals}f}" if rounded else "0.000"


def round_half(value: float, decimals: int) -> float:
    """Return a number rounded, a half away from zero, even if its binary form lies below a half.

    >>> round_half(0.0625, 3), round_half(0.0075, 3), round_half(-0.0125, 3)
    (0.063, 0.008, -0.013)
    """
    return round(value + math.copysign(1e-12, value), decimals)


def count_things(number: int, one: str) -> str:
    """Return a number and what it counts.

    >>> count_things(1, "query"), count_things(1_200, "query"), count_things(2, "near miss")
    ('1 query', '1,200 queries', '2 near misses')
    """
    many = f"{one[:-1]}ies" if one.endswith("y") else f"{one}{'es' if one.endswith('s') else 's'}"
    return f"{number:,} {one if number == 1 else many}"


def parse_number(text: str) -> float:
    """Return the finite number that a text is; NaN if it is none.

    >>> parse_number("-1.5e3"), parse_number("1_0"), parse_number("inf")
    (-1500.0, nan, nan)
    """
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def require_number(text: str, name: str, column: str, line: int) -> float:
    """Return the finite number of a cell; raise DataError if it is none."""
    value = parse_number(text)
    if math.isnan(value):
        raise DataError(name, f"{column} {text[:80]!r}", "a finite number", line=line)
    return value


def digest_text(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8."""
    return sha256(text.encode()).hexdigest()


def compute_digest(path: Path, size: int | None = None) -> str:
    """Return the SHA-256 of a file, or of as many of its first bytes."""
    digest = sha256()
    left = path.stat().st_size if size is None else max(0, size)
    with path.open("rb") as file:
        while block := file.read(min(left, 1 << 20)):
            digest.update(block)
            left -= len(block)
    return digest.hexdigest()
