"""Runs and judgements from TREC lines, CSV, JSON lines or Parquet, gzip too. The order of a run is
decided here, once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.storage.files import trec
from dashboard.storage.files.contents import read_bytes, suffix
from dashboard.storage.files.tables import named_columns, read_frame
from dashboard.storage.files.trec import Codes, Pairs
from dashboard.storage.findings import Findings, listed
from dashboard.tables import DataError

Ties = Literal["gallery", "trec"]
Places = npt.NDArray[np.int64]
PLACES = 6
TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")


def read_run(
    path: Path,
    ties: Ties = "gallery",
    gallery: Sequence[str] | None = None,
    *,
    name: str = "",
    findings: Findings | None = None,
) -> pd.DataFrame:
    """The run in a file as the table RUN, in its final order; a rank in the file is ignored.

    Ids are categorical. `ties="gallery"`: scores rounded to 6 places, descending, equal ones in the
    order of `gallery` (items outside it are left out, counted). `ties="trec"`: scores as float32,
    equal ones by item id descending, as trec_eval does. Raises DataError naming the line: a pair
    twice, a score that is not finite.
    """
    name, findings = name or path.name, findings if findings is not None else Findings()
    pairs = _pairs(path, "score", trec.RUN_FIELDS, name, findings)
    _check_finite(pairs, "score", name)
    _check_unique(pairs, name)
    if gallery is not None:
        pairs = _within(pairs, gallery, name, findings)
    if ties == "trec":
        scores = pairs.values.astype("float32").astype("float64")
        return _ordered(pairs, scores, lambda names: -_alphabetical(names))
    scores = pairs.values.round(PLACES)
    if gallery is None:
        return _ordered(pairs, scores, _alphabetical)
    return _ordered(pairs, scores, pd.Index(gallery).get_indexer)


def read_qrels(path: Path, *, name: str = "", findings: Findings | None = None) -> pd.DataFrame:
    """The judgements in a file as the table QRELS, in the file's order, ids categorical.

    Negative grades stay (judged, not relevant); fractional ones are used as they are, with a note.
    Raises DataError naming the lines where a pair has two different grades, or a grade is no
    number.
    """
    name, findings = name or path.name, findings if findings is not None else Findings()
    pairs = _pairs(path, "grade", trec.QRELS_FIELDS, name, findings)
    _check_finite(pairs, "grade", name)
    if (pairs.values != np.floor(pairs.values)).any():
        row = int(np.flatnonzero(pairs.values != np.floor(pairs.values))[0])
        wanted = "whole grades; fractions are used as gains as they are"
        findings.note(name, f"the grade {pairs.values[row]:g}", wanted, pairs.line(row))
    repeated = _repeated(pairs)
    for row, first in repeated:
        if pairs.values[row] != pairs.values[first]:
            raise _twice(pairs, first, row, name)
    frame = _frame(pairs.queries, pairs.items).assign(grade=pairs.values)
    if repeated:
        row = repeated[0][0]
        found = f"{len(repeated)} repeated judgements"
        findings.note(name, found, "each once; kept once", pairs.line(row))
        frame = frame.drop(index=[row for row, _ in repeated]).reset_index(drop=True)
    return frame


def _pairs(path: Path, value: str, fields: Sequence[str], name: str, findings: Findings) -> Pairs:
    if suffix(path) not in TABLES:
        data = read_bytes(path, name)
        if not _looks_like_csv(data):
            return trec.read_lines(data, fields, name, findings)
    needed = ["query_id", "item_id", value]
    frame = named_columns(read_frame(path, needed, name, findings), needed, name, findings)
    missing = [column for column in needed if column not in frame.columns]
    if missing:
        found, wanted = f"the columns {listed(frame.columns)}", f"columns {', '.join(needed)}"
        raise DataError(name, found, wanted, line=1)
    if frame.empty:
        raise DataError(name, "a header and no rows", "at least one row")
    numbers = pd.to_numeric(frame[value], errors="coerce").to_numpy(dtype="float64")
    lines = frame.index.to_numpy()
    wrong = np.flatnonzero(np.isnan(numbers))
    if len(wrong):
        cell, line = frame[value].iloc[wrong[0]], int(lines[wrong[0]])
        raise DataError(name, f"the {value} {cell!r}", "a finite number", line=line)
    return Pairs(
        _factorized(frame["query_id"]),
        _factorized(frame["item_id"]),
        numbers,
        lambda row: int(lines[row]),
    )


def _looks_like_csv(data: bytes) -> bool:
    first = data[:4096].split(b"\n", 1)[0].lower()
    return b"query_id" in first and any(mark in first for mark in (b",", b";"))


def _factorized(column: pd.Series) -> Codes:
    codes, names = pd.factorize(column)
    return Codes(codes.astype("int32"), pd.Index(names))


def _check_finite(pairs: Pairs, value: str, name: str) -> None:
    wrong = np.flatnonzero(~np.isfinite(pairs.values))
    if len(wrong):
        row = int(wrong[0])
        raise DataError(
            name, f"the {value} {pairs.values[row]}", "a finite number", line=pairs.line(row)
        )


def _keys(pairs: Pairs) -> npt.NDArray[np.int64]:
    return pairs.queries.codes.astype("int64") * len(pairs.items.names) + pairs.items.codes


def _repeated(pairs: Pairs) -> list[tuple[int, int]]:
    """(row, its first appearance) for each row whose query and item stood there before."""
    keys = _keys(pairs)
    ascending = np.sort(keys)
    if not (ascending[1:] == ascending[:-1]).any():
        return []
    series = pd.Series(keys)
    rows = np.flatnonzero(series.duplicated().to_numpy())
    first = series.drop_duplicates()
    place = pd.Series(first.index, index=first.to_numpy())
    return [(int(row), int(place[keys[row]])) for row in rows]


def _check_unique(pairs: Pairs, name: str) -> None:
    repeated = _repeated(pairs)
    if repeated:
        row, first = repeated[0]
        raise _twice(pairs, first, row, name)


def _twice(pairs: Pairs, first: int, row: int, name: str) -> DataError:
    query = pairs.queries.names[pairs.queries.codes[row]]
    item = pairs.items.names[pairs.items.codes[row]]
    lines = f"lines {pairs.line(first)} and {pairs.line(row)}"
    found = f"query {query!r} and item {item!r} again ({lines})"
    return DataError(name, found, "each pair only once", line=pairs.line(row))


def _within(pairs: Pairs, gallery: Sequence[str], name: str, findings: Findings) -> Pairs:
    known = pairs.items.names.isin(gallery)
    keep = known[pairs.items.codes]
    if keep.all():
        return pairs
    unknown = pairs.items.names[~known]
    found = f"{int((~keep).sum())} results that are not items of the collection ({listed(unknown)})"
    findings.warning(name, found, "items of the collection; they were left out")
    rows = np.flatnonzero(keep)
    queries = Codes(pairs.queries.codes[rows], pairs.queries.names)
    items = Codes(pairs.items.codes[rows], pairs.items.names)
    return Pairs(queries, items, pairs.values[rows], lambda row: pairs.line(int(rows[row])))


def _ordered(
    pairs: Pairs, scores: npt.NDArray[np.float64], places: Callable[[pd.Index], Places]
) -> pd.DataFrame:
    """The table RUN: by query, score descending, equal scores by `places(item ids)` ascending.

    A file that is in order already, as most are, is not sorted again; only what ties is.
    """
    queries, items = pairs.queries.codes, pairs.items.codes
    if not _descending(queries, scores):
        rows = np.lexsort((-scores, queries))
        queries, items, scores = queries[rows], items[rows], scores[rows]
    new_query = np.r_[True, queries[1:] != queries[:-1]]
    new_score = new_query | np.r_[True, scores[1:] != scores[:-1]]
    if not new_score.all():
        items = _ties_broken(items, new_score, pairs.items.names, places)
    starts = np.flatnonzero(new_query)
    lengths = np.diff(np.r_[starts, len(queries)])
    return _frame(Codes(queries, pairs.queries.names), Codes(items, pairs.items.names)).assign(
        score=scores, rank=np.arange(1, len(queries) + 1) - np.repeat(starts, lengths)
    )


def _ties_broken(
    items: npt.NDArray[np.int32],
    begins: npt.NDArray[np.bool_],
    names: pd.Index,
    places: Callable[[pd.Index], Places],
) -> npt.NDArray[np.int32]:
    """`items` with each group of ties (a group begins where `begins`) in the order of `places`."""
    tied = np.flatnonzero(~begins | ~np.r_[begins[1:], True])
    codes, which = np.unique(items[tied], return_inverse=True)
    order = np.lexsort((places(names[codes])[which], np.cumsum(begins)[tied]))
    broken = items.copy()
    broken[tied] = items[tied[order]]
    return broken


def _alphabetical(names: pd.Index) -> Places:
    """For each name its place among them in ascending order of their bytes."""
    ascending = np.empty(len(names), dtype="int64")
    ascending[sorted(range(len(names)), key=names.tolist().__getitem__)] = range(len(names))
    return ascending


def _descending(queries: npt.NDArray[np.int32], scores: npt.NDArray[np.float64]) -> bool:
    same, later = queries[1:] == queries[:-1], queries[1:] > queries[:-1]
    return bool((later | same & (scores[1:] <= scores[:-1])).all())


def _frame(queries: Codes, items: Codes) -> pd.DataFrame:
    def column(ids: Codes) -> pd.Categorical:
        return pd.Categorical.from_codes(ids.codes, categories=ids.names)

    return pd.DataFrame({"query_id": column(queries), "item_id": column(items)})
