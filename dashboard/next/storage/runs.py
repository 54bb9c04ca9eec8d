"""Files of judgements (qrels) and of ranked results (runs), as TREC or CSV."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dashboard.next.errors import DataError, Finding
from dashboard.next.tables import FloatArray, IntArray, read_table, read_text


@dataclass(frozen=True, eq=False)
class Pairs:
    """Rows of a file: a query, an item and a number (a score or a grade).

    Attributes:
        queries: Queries that the file names, each once.
        items: Items that the file names, each once.
        query: Place of each row's query in `queries`.
        item: Place of each row's item in `items`.
        values: Number of each row.
    """

    queries: tuple[str, ...]
    items: tuple[str, ...]
    query: IntArray
    item: IntArray
    values: FloatArray


def read_qrels(path: Path, name: str, findings: list[Finding]) -> Pairs:
    """Read judgements: TREC's four fields a line, or CSV with query_id, item_id and grade."""
    return _read_pairs(path, name, "grade", findings, fields=4, item=2, value=3)


def read_run(path: Path, name: str, findings: list[Finding]) -> Pairs:
    """Read results: TREC's six fields a line, or CSV with query_id, item_id and score."""
    return _read_pairs(path, name, "score", findings, fields=6, item=2, value=4)


def _read_pairs(
    path: Path, name: str, number: str, findings: list[Finding], fields: int, item: int, value: int
) -> Pairs:
    if not path.is_file():
        raise DataError(name, "no such file", f"lines of query, item and {number}")
    if path.suffix == ".csv":
        found = _read_csv(path, name, number, findings)
    else:
        found = _read_trec(path, name, findings, fields, item, value)
    values: dict[tuple[str, str], float] = {}
    first: dict[tuple[str, str], int] = {}
    repeated: list[int] = []
    for line, query, each, text in found:
        pair, read = (query, each), _read_number(text, name, number, line)
        if pair in first and values[pair] != read:
            twice = f"query {query!r} and item {each!r} a second time (first in line {first[pair]})"
            raise DataError(name, twice, f"one {number} for each pair", line=line)
        if pair in first:
            repeated.append(line)
        first.setdefault(pair, line)
        values[pair] = read
    if not values:
        raise DataError(name, "no rows", f"lines of query, item and {number}")
    if repeated:
        said = f"{len(repeated):,} lines that say the same again"
        findings.append(Finding("note", name, repeated[0], said, "each pair once; they count once"))
    queries, rows_of_queries = _number([pair[0] for pair in values])
    items, rows_of_items = _number([pair[1] for pair in values])
    numbers = np.array(list(values.values()))
    return Pairs(queries, items, rows_of_queries, rows_of_items, numbers)


def _number(names: list[str]) -> tuple[tuple[str, ...], IntArray]:
    """Return each name once, and the place of each among these."""
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return tuple(places), np.array([places[name] for name in names])


def _read_csv(
    path: Path, name: str, number: str, findings: list[Finding]
) -> Iterator[tuple[int, str, str, str]]:
    table = read_table(path, name, ("query_id", "item_id", number), findings, unique=False)
    columns = (table["query_id"], table["item_id"], table[number])
    yield from zip(table.lines, *columns, strict=True)


def _read_trec(
    path: Path, name: str, findings: list[Finding], fields: int, item: int, value: int
) -> Iterator[tuple[int, str, str, str]]:
    for line, text in enumerate(read_text(path, name, findings).split("\n"), start=1):
        parts = text.split()
        is_comment = text.startswith("#") and (parts[0] == "#" or len(parts) != fields)
        if not parts or is_comment:
            continue
        if len(parts) < fields:
            raise DataError(name, f"{len(parts)} fields", f"{fields} fields", line=line)
        yield line, parts[0], parts[item], parts[value]


def _read_number(text: str, name: str, number: str, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DataError(name, f"{number} {text!r}", "a finite number", line=line)
    return value
