"""Files of judgements (qrels) and of ranked results (runs), as TREC or CSV."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from dashboard.next.errors import DataError, Finding
from dashboard.next.tables import FloatArray, IntArray, Table, read_table, read_text

Ties = Literal["gallery", "trec"]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Rows of a file: a query, an item and a number (a score or a grade)."""

    queries: tuple[str, ...]
    items: tuple[str, ...]
    values: FloatArray


@dataclass(frozen=True, eq=False)
class RunFile:
    """Ranked results: items (-1 for one that the collection lacks) and scores of each query."""

    ranked: Mapping[int, tuple[IntArray, FloatArray]]


def read_qrels(path: Path, name: str, findings: list[Finding]) -> Pairs:
    """Read judgements: TREC's four fields a line, or CSV with query_id, item_id and grade."""
    return _read_pairs(path, name, "grade", findings, fields=4, item=2, value=3)


def read_run(path: Path, name: str, findings: list[Finding]) -> Pairs:
    """Read results: TREC's six fields a line, or CSV with query_id, item_id and score."""
    return _read_pairs(path, name, "score", findings, fields=6, item=2, value=4)


def order_run(pairs: Pairs, queries: Table, items: Table, ties: Ties) -> RunFile:
    """Return the results of each known query, best first.

    Equal scores keep the order of the items; with ties "trec" scores are compared as float32 and
    equal ones stand by id, descending, as trec_eval has it.
    """
    by_query: dict[int, list[int]] = {}
    for row, query in enumerate(pairs.queries):
        if query in queries.index:
            by_query.setdefault(queries.index[query], []).append(row)
    return RunFile({query: _order(pairs, rows, items, ties) for query, rows in by_query.items()})


def _order(pairs: Pairs, rows: list[int], items: Table, ties: Ties) -> tuple[IntArray, FloatArray]:
    if ties == "trec":
        rows = sorted(rows, key=pairs.items.__getitem__, reverse=True)
        scores = pairs.values[rows].astype(np.float32).astype(np.float64)
        place = np.arange(len(rows))
    else:
        scores = pairs.values[rows]
        place = items.find(pairs.items[row] for row in rows)
        place[place < 0] = len(items)
    order = np.lexsort((place, -scores))
    return items.find(pairs.items[row] for row in rows)[order], scores[order]


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
    queries, items = zip(*values, strict=True)
    return Pairs(queries, items, np.array(list(values.values())))


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
