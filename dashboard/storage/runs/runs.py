"""Runs and judgements from TREC lines, CSV, JSON lines or Parquet, gzip too. The order of a run is
decided here, once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import floor, log10
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from dashboard import ids
from dashboard.storage.files.contents import read_bytes, suffix
from dashboard.storage.files.near_names import unmatched
from dashboard.storage.files.tables import READERS, named_columns, read_frame
from dashboard.storage.runs import trec
from dashboard.storage.runs.order import Ties, categorical, ordered
from dashboard.storage.runs.pieces import GRADE
from dashboard.storage.runs.similarities import SUFFIX, plain_run, read_similarities
from dashboard.storage.runs.trec import Codes, Pairs
from dashboard.tables import DataError, Findings, counted, listed

PLACES = 6


def read_run(
    path: Path,
    ties: Ties = "gallery",
    gallery: Sequence[str] | None = None,
    *,
    name: str = "",
    findings: Findings | None = None,
) -> pd.DataFrame:
    """The run in a file as the table RUN, in its final order; a rank in the file is ignored.

    Query ids are categorical; item ids are categories of a `gallery`, before those of results that
    are not in it, and texts without one.
    `ties="gallery"`: scores rounded to 6 places (more where all are below 0.1: engines differ
    behind that), descending, equal ones in the order of `gallery` or of their ids; results outside
    it keep their rank, counted, and stand behind their equals. `ties="trec"`: scores as float32,
    equal ones by item id descending, as trec_eval does. Raises DataError naming the line: a pair
    twice, a score that is not finite. Of a `.npy` file, a matrix with ids beside, both directions.
    """
    name, findings = name or path.name, findings if findings is not None else Findings()
    if suffix(path) == SUFFIX:
        return plain_run(read_similarities(path, name, findings))
    pairs = _pairs(path, "score", trec.RUN_FIELDS, name, findings)
    _check_finite(pairs, "score", name)
    _check_unique(pairs, name)
    if gallery is not None:
        pairs = _with_gallery(pairs, gallery, name, findings)
    if ties == "trec":
        scores = pairs.values.astype("float32").astype("float64")
    else:
        scores = pairs.values.round(decimals(pairs.values))
    return ordered(pairs, scores, ties)


def decimals(scores: npt.NDArray[np.float64]) -> int:
    """To how many places engines agree: 6 for similarities, more where all scores are small.

    >>> decimals(np.array([0.93, 0.2])), decimals(np.array([3e-7, -1e-7]))
    (6, 12)
    """
    largest = float(np.abs(scores).max(initial=0.0))
    return PLACES + max(0, -1 - floor(log10(largest))) if largest > 0 else PLACES


TYPE, GRADES = "type", {"1": "2", "2": "1", "3": "0"}
"""The column that may stand in place of grades, and the grade that each type of pair stands for."""


def read_qrels(path: Path, *, name: str = "", findings: Findings | None = None) -> pd.DataFrame:
    """The judgements in a file as the table QRELS, in the file's order, query ids categorical.

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
    frame = pd.DataFrame(
        {"query_id": categorical(pairs.queries), "item_id": pairs.items, "grade": pairs.values}
    )
    if repeated:
        row = repeated[0][0]
        found = counted(len(repeated), "repeated judgement")
        findings.note(name, found, "each once; kept once", pairs.line(row))
        frame = frame.drop(index=[row for row, _ in repeated]).reset_index(drop=True)
    return frame


def line_of_judgement(path: Path, query_id: str, item_id: str) -> int | None:
    """The first line in which a file judges an item for a query; None where none does."""
    pairs = _pairs(path, "grade", trec.QRELS_FIELDS, path.name, Findings())
    code = pairs.queries.names.get_indexer(pd.Index([query_id], dtype="str"))[0]
    rows = np.flatnonzero((pairs.queries.codes == code) & (pairs.items == item_id).to_numpy())
    return pairs.line(int(rows[0])) if code >= 0 and len(rows) else None


def _pairs(path: Path, value: str, fields: Sequence[str], name: str, findings: Findings) -> Pairs:
    if suffix(path) not in READERS:
        plain = trec.read_file(path, fields, name, findings)
        if plain is not None:
            return plain
        data = read_bytes(path, name)
        if not _looks_like_csv(data):
            return trec.read_lines(data, fields, name, findings)
    return _pairs_of_table(path, value, name, findings)


def _pairs_of_table(path: Path, value: str, name: str, findings: Findings) -> Pairs:
    needed = ["query_id", "item_id", value]
    known = [*needed, *([TYPE] if value == "grade" else [])]
    frame = named_columns(read_frame(path, needed, name, findings), known, name, findings)
    if value == "grade" and TYPE in frame.columns:
        frame = _graded(frame, name, findings)
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
    if value == "grade" and suffix(path) != ".parquet":  # whose numbers are not written
        _check_written(frame["grade"], name)
    items = frame["item_id"].astype("str").reset_index(drop=True)
    return Pairs(
        _factorized(frame["query_id"]),
        items,
        numbers,
        lambda row: int(lines[row]),
        ids.keys(ids.arrow(items)),
    )


def _check_written(grades: pd.Series, name: str) -> None:
    """Raise DataError for a grade that TREC lines would refuse, such as one with an exponent: a
    judgement is the same in each form of file."""
    other = [cell for cell in grades.unique() if not GRADE.fullmatch(cell.strip())]
    if other:
        wanted, cure = trec.number_wanted(other[0].strip(), "grade")
        line = int(grades.index[grades == other[0]][0])
        raise DataError(name, f"the grade {other[0]!r}", wanted, line=line, cure=cure)


def _graded(frame: pd.DataFrame, name: str, findings: Findings) -> pd.DataFrame:
    """Judgements with the grades that their types stand for; a file that has both keeps grades."""
    if "grade" in frame.columns:
        findings.note(name, "columns type and grade", "one of them; the grade counts", 1)
        return frame
    grades = frame[TYPE].str.strip().map(GRADES)
    wrong = frame.index[grades.isna()]
    if len(wrong):
        found = f"the type {frame.loc[wrong[0], TYPE]!r}"
        raise DataError(name, found, f"one of {', '.join(GRADES)}", line=int(wrong[0]))
    return frame.assign(grade=grades)


def _looks_like_csv(data: bytes) -> bool:
    first = data[:4096].split(b"\n", 1)[0].lower()
    return b"query_id" in first and any(mark in first for mark in (b",", b";"))


def _factorized(column: pd.Series) -> Codes:
    codes, names = pd.factorize(column)
    return Codes(codes.astype("int32"), pd.Index(names, dtype="str"))


def _check_finite(pairs: Pairs, value: str, name: str) -> None:
    wrong = np.flatnonzero(~np.isfinite(pairs.values))
    if len(wrong):
        row = int(wrong[0])
        raise DataError(
            name, f"the {value} {pairs.values[row]}", "a finite number", line=pairs.line(row)
        )


def _repeated(pairs: Pairs) -> list[tuple[int, int]]:
    """(row, its first appearance) for each row whose query and item stood there before."""
    unsure = slice(None) if pairs.unsure is None else pairs.unsure
    queries, keys = pairs.queries.codes[unsure], pairs.keys[unsure]
    numbers = ids.pairs(queries, keys, len(pairs.queries.names))
    ascending = np.sort(numbers)
    again = ascending[1:][ascending[1:] == ascending[:-1]]
    if not len(again):
        return []
    # different ids may share a number: of these few rows the texts are compared
    rows = np.arange(len(pairs.keys))[unsure][np.isin(numbers, again)]
    texts = pd.DataFrame({"query": pairs.queries.codes[rows], "item": pairs.items.take(rows).array})
    first = pd.Series(rows).groupby([texts["query"], texts["item"]]).transform("first").to_numpy()
    return [(int(row), int(same)) for row, same in zip(rows, first, strict=True) if row != same]


def _check_unique(pairs: Pairs, name: str) -> None:
    repeated = _repeated(pairs)
    if repeated:
        row, first = repeated[0]
        raise _twice(pairs, first, row, name)


def _twice(pairs: Pairs, first: int, row: int, name: str) -> DataError:
    query = pairs.queries.names[pairs.queries.codes[row]]
    item = pairs.items[row]
    lines = f"lines {pairs.line(first)} and {pairs.line(row)}"
    found = f"query {query!r} and item {item!r} again ({lines})"
    return DataError(name, found, "each pair only once", line=pairs.line(row))


def _with_gallery(pairs: Pairs, gallery: Sequence[str], name: str, findings: Findings) -> Pairs:
    """The results as categories: the items of the gallery, and behind them what is none of them.

    A result that is no item keeps its place: a system that fills its first places with what cannot
    be found has spent them.
    """
    known = pa.array(gallery, pa.large_string())
    place = pc.index_in(ids.arrow(pairs.items), known).to_numpy()
    beyond, outside = np.isnan(place), []
    if beyond.any():
        names = pairs.items[beyond]
        outside = sorted(names.unique())
        number = {item: len(gallery) + n for n, item in enumerate(outside)}
        place = place.copy()
        place[beyond] = names.map(number).to_numpy()
        found = counted(int(beyond.sum()), "result that is no item", "results that are no items")
        wanted = "items of the collection; others keep their rank and, "
        wanted += "without a judgement, count as not relevant"
        line = pairs.line(int(np.flatnonzero(beyond)[0]))
        findings.warning(name, f"{found} ({unmatched(outside, gallery)})", wanted, line)
    items = pd.Categorical.from_codes(
        place.astype(np.int32), categories=pd.Index([*gallery, *outside], dtype="str")
    )
    return replace(pairs, items=pd.Series(items))
