"""Files of judgements (qrels) and of ranked results (runs), as TREC or CSV."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from dashboard.next.errors import DataError
from dashboard.next.tables import FloatArray, IntArray, Table, read_table

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


def read_qrels(path: Path, name: str) -> Pairs:
    """Read judgements: TREC's four fields a line, or CSV with query_id, item_id and grade."""
    return _read_pairs(path, name, "grade", fields=4, item=2, value=3)


def read_run(path: Path, name: str) -> Pairs:
    """Read results: TREC's six fields a line, or CSV with query_id, item_id and score."""
    return _read_pairs(path, name, "score", fields=6, item=2, value=4)


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


def _read_pairs(path: Path, name: str, number: str, fields: int, item: int, value: int) -> Pairs:
    if not path.is_file():
        raise DataError(name, "no such file", f"lines of query, item and {number}")
    if path.suffix == ".csv":
        found = _read_csv(path, name, number)
    else:
        found = _read_trec(path, name, fields, item, value)
    queries: list[str] = []
    items: list[str] = []
    values: list[float] = []
    first: dict[tuple[str, str], int] = {}
    for line, query, each, text in found:
        pair = (query, each)
        if pair in first:
            twice = f"query {query!r} and item {each!r} a second time (first in line {first[pair]})"
            raise DataError(name, twice, "each pair once", line=line)
        first[pair] = line
        queries.append(query)
        items.append(each)
        values.append(_read_number(text, name, number, line))
    if not queries:
        raise DataError(name, "no rows", f"lines of query, item and {number}")
    return Pairs(tuple(queries), tuple(items), np.array(values))


def _read_csv(path: Path, name: str, number: str) -> Iterator[tuple[int, str, str, str]]:
    table = read_table(path, name, ("query_id", "item_id", number), unique=False)
    columns = (table["query_id"], table["item_id"], table[number])
    yield from zip(table.lines, *columns, strict=True)


def _read_trec(
    path: Path, name: str, fields: int, item: int, value: int
) -> Iterator[tuple[int, str, str, str]]:
    with path.open(encoding="utf-8-sig") as file:
        try:
            for line, text in enumerate(file, start=1):
                parts = text.split()
                if not parts or (text.startswith("#") and len(parts) != fields):
                    continue
                if len(parts) < fields:
                    raise DataError(name, f"{len(parts)} fields", f"{fields} fields", line=line)
                yield line, parts[0], parts[item], parts[value]
        except UnicodeDecodeError as error:
            raise DataError(name, "bytes that are not UTF-8", "a UTF-8 file") from error


def _read_number(text: str, name: str, number: str, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DataError(name, f"{number} {text!r}", "a finite number", line=line)
    return value
