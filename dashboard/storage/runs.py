"""Files of judgements (qrels) and of ranked results (runs), as TREC or CSV."""

from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dashboard.errors import DataError, Findings, count_odd
from dashboard.tables import FloatArray, IntArray, Names, number_names, read_table
from dashboard.texts import decode_text, read_bytes, require_file, require_number

ODD = (b"\t", b"\r", b"\0")
"""Marks of files that need a closer look; blanks too many make fields too many for Arrow."""
BEIR = "query-id corpus-id score"
"""Header of the judgements of BEIR, whose lines have three fields."""
Pair = tuple[str, str]
"""Query and item."""
Line = tuple[int, str, str, str]
"""Its number, query, item, and the number that both have."""


class Pairs(NamedTuple):
    """Rows of a file: a query, an item and a number (a score or a grade).

    Attributes:
        queries: Queries that the file names, each once.
        items: Items that the file names, each once.
        query: Place of each row's query in `queries`.
        item: Place of each row's item in `items`.
        values: Number of each row.
    """

    queries: Names
    items: Names
    query: IntArray
    item: IntArray
    values: FloatArray


def read_qrels(path: Path, name: str, findings: Findings) -> Pairs:
    """Read judgements: TREC's four fields a line, BEIR's three, or CSV.

    The columns of CSV are query_id, item_id and grade.
    """
    return _read_pairs(path, name, findings, ("query", "iteration", "item", "grade"))


def read_run(path: Path, name: str, findings: Findings) -> Pairs:
    """Read results: TREC's six fields a line, or CSV with query_id, item_id and score."""
    return _read_pairs(path, name, findings, ("query", "Q0", "item", "rank", "score", "tag"))


def _read_pairs(path: Path, name: str, findings: Findings, fields: Names) -> Pairs:
    number = "grade" if "grade" in fields else "score"
    require_file(path, name, f"lines of query, item and {number}")
    if path.suffix == ".csv":
        table = read_table(path, name, ("query_id", "item_id", number), findings, unique=False)
        rows = zip(table.lines, table["query_id"], table["item_id"], table[number], strict=True)
        return _collect(rows, name, number, findings)
    raw = read_bytes(path, name)
    is_plain = raw.isascii() and not any(each in raw for each in ODD)
    if is_plain and (pairs := _parse_trec(raw, fields, number)):
        return pairs
    text = decode_text(raw, name, findings).replace("\t", " ")
    while "  " in text:
        text = text.replace("  ", " ")
    text = text.replace(" \n", "\n").replace("\n ", "\n").strip(" ")  # one blank between fields
    if text.startswith(BEIR):
        text, fields = f"# {text}", ("query", "item", number)
    pairs = _parse_trec(text.encode(), fields, number)
    return pairs or _collect(_split_lines(text, name, fields, number), name, number, findings)


def list_pairs(pairs: Pairs) -> Iterator[tuple[Pair, float]]:
    """Yield query and item of each row, and its number."""
    columns = (pairs.query.tolist(), pairs.item.tolist(), pairs.values.tolist())
    for query, item, value in zip(*columns, strict=True):
        yield (pairs.queries[query], pairs.items[item]), value


def make_pairs(values: Mapping[Pair, float]) -> Pairs:
    """Return pairs, of which there is at least one, with their numbers."""
    (queries, query), (items, item) = map(number_names, zip(*values, strict=True))
    return Pairs(queries, items, query, item, np.array(list(values.values())))


def _parse_trec(text: bytes, fields: Names, number: str) -> Pairs | None:
    """Return the rows of a text; None if a line has to be looked at more closely."""
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyarrow import csv

    try:
        table = csv.read_csv(
            pa.py_buffer(text),
            csv.ReadOptions(column_names=fields, use_threads=False),
            csv.ParseOptions(delimiter=" ", quote_char=False),
            csv.ConvertOptions(
                include_columns=["query", "item", number],
                column_types={"query": pa.string(), "item": pa.string(), number: pa.float64()},
                null_values=[],
            ),
        )
    except pa.ArrowInvalid:
        return None
    columns = [table[name].dictionary_encode().combine_chunks() for name in ("query", "item")]
    queries, items = (tuple(column.dictionary.to_pylist()) for column in columns)
    query, item = (np.from_dlpack(each.indices).astype(int) for each in columns)
    values = np.from_dlpack(table[number].combine_chunks()).astype(float)
    del table, columns
    pa.default_memory_pool().release_unused()  # else no other part can use it
    keys = query * len(items) + item
    keys.sort()
    is_odd = not (len(keys) and np.isfinite(values).all()) or (keys[1:] == keys[:-1]).any()
    has_comment = b"#" in text and (text.startswith(b"#") or b"\n#" in text)
    return None if is_odd or has_comment else Pairs(queries, items, query, item, values)


def _collect(rows: Iterable[Line], name: str, number: str, findings: Findings) -> Pairs:
    """Return the pairs of some rows; rows that say the same again count once."""
    values: dict[Pair, float] = {}
    first: dict[Pair, int] = {}
    repeated = []
    for line, query, item, text in rows:
        pair, value = (query, item), require_number(text, name, number, line)
        if values.setdefault(pair, value) != value:
            raise DataError(
                name,
                f"query {query!r} and item {item!r} a second time (first in line {first[pair]})",
                f"one {number} for each pair",
                line=line,
                do="Remove one of the two lines.",
            )
        if first.setdefault(pair, line) != line:
            repeated.append(line)
    if not values:
        raise DataError(name, "no rows", f"lines of query, item and {number}")
    wanted = "each pair once; they count once"
    findings += count_odd(name, repeated, "lines that say the same again", wanted, "note")
    return make_pairs(values)


def _split_lines(text: str, name: str, fields: Names, number: str) -> Iterator[Line]:
    pick = itemgetter(*map(fields.index, ("query", "item", number)))
    for line, content in enumerate(text.split("\n"), start=1):
        parts = content.split(" ")
        is_comment = content.startswith("#") and (parts[0] == "#" or len(parts) != len(fields))
        if not content or is_comment:
            continue
        if len(parts) != len(fields):
            raise DataError(
                name, f"{len(parts)} fields", f"{len(fields)} fields: {' '.join(fields)}", line=line
            )
        yield line, *pick(parts)
