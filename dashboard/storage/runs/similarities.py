"""A matrix of similarities in a `.npy` file, read from there by blocks, and its ids beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.storage.vectors.npy import laid_out
from dashboard.storage.vectors.rows import FileColumns, FileRows
from dashboard.storage.vectors.vectors import LARGEST, read_ids
from dashboard.tables import RUN, DataError, Findings

Ties = Literal["gallery", "trec"]
Places = npt.NDArray[np.int64]
Matrix = FileRows | FileColumns
SUFFIX = ".npy"
AXES = ("rows", "columns")
BLOCK = 1 << 22
"""Cells that are in memory at a time."""
MOST_RESULTS = 12_000_000
"""A plain file of more results than these would not fit in memory as a run."""


@dataclass(frozen=True)
class Similarities:
    """A matrix as stored, in its file; `ids` of its rows and columns where they stand beside it;
    largest: the largest size of a number in it."""

    name: str
    values: Matrix
    ids: tuple[tuple[str, ...], tuple[str, ...]] | None
    largest: float


def ids_beside(path: Path) -> tuple[Path, Path]:
    """The files of the ids of rows and of columns: of `a.npy` they are `a.rows.txt` and
    `a.columns.txt`."""
    rows, columns = (path.with_name(f"{path.stem}.{axis}.txt") for axis in AXES)
    return rows, columns


def read_similarities(path: Path, name: str, findings: Findings) -> Similarities:
    """The matrix in a file. Raises DataError for anything but finite real numbers in rows and
    columns, for one that is too large, and for ids that are not as many as rows or columns."""
    if not path.is_file():
        raise DataError(name, "no such file", "a .npy file of rows and columns")
    with path.open("rb") as file:
        start, shape, kind, order = laid_out(file, name)
        if len(shape) != 2 or not math.prod(shape):
            raise DataError(name, f"the shape {shape}", "rows and columns of similarities")
        if kind.kind not in "fiu" or kind.itemsize > 8:
            raise DataError(name, f"values of type {kind}", "float32, float16 or float64")
        if math.prod(shape) * 8 > LARGEST:
            wanted = f"at most {LARGEST // 8:,} similarities"
            raise DataError(name, f"the shape {shape}", wanted)
        by_row = order == "C"
        there = (shape[0], shape[1]) if by_row else (shape[1], shape[0])
        rows_of = FileRows.of(file, name, start, there, kind)
    matrix = rows_of if by_row else rows_of.T
    largest = _largest(matrix, name)
    beside = [place for place in ids_beside(path) if place.is_file()]
    if len(beside) == 1:
        missing = next(place for place in ids_beside(path) if place not in beside)
        raise DataError(f"{Path(name).parent / missing.name}", "no such file", f"the ids of {name}")
    if not beside:
        return Similarities(name, matrix, None, largest)
    rows, columns = (read_ids(p, f"{Path(name).parent / p.name}", findings) for p in beside)
    for axis, ids, number in zip(AXES, (rows, columns), matrix.shape, strict=True):
        if len(ids) != number:
            found = f"{number:,} {axis} and {len(ids):,} ids in {Path(name).stem}.{axis}.txt"
            raise DataError(name, found, f"an id for each of the {axis}, in the same order")
    return Similarities(name, matrix, (rows, columns), largest)


def _largest(matrix: Matrix, name: str) -> float:
    """The largest size of a number. Raises DataError naming row and column of one that is none."""
    largest, step = 0.0, max(1, BLOCK // matrix.shape[1])
    for start in range(0, len(matrix), step):
        block = matrix[start : start + step]
        part = np.abs(np.asarray(block, dtype="float64"))
        wrong = np.argwhere(~np.isfinite(part))
        if len(wrong):
            row, column = map(int, wrong[0])
            found = f"{block[row, column]} in row {start + row:,}, column {column:,} (from 0)"
            raise DataError(name, found, "finite similarities")
        largest = max(largest, float(part.max()))
    return largest


def ranked(
    matrix: Matrix, asking: Places, found: Places, depth: int, places: int | None
) -> Iterator[tuple[Places, npt.NDArray[np.float64]]]:
    """For some rows at a time the best columns of each, and their scores, both [row, depth].

    asking: the rows; found: the columns that can be found, in the order in which equal scores
    stand; places: to how many the scores are rounded (None: they are compared as float32).
    """
    step = max(1, BLOCK // max(matrix.shape[1], 1))
    for start in range(0, len(asking), step):
        rows = np.asarray(matrix[asking[start : start + step]])[:, found]
        scores = rows.astype("float32").astype("float64")
        if places is not None:
            scores = rows.astype("float64").round(places) + 0.0
        order = np.argsort(-scores, axis=1, kind="stable")[:, :depth]
        yield found[order], np.take_along_axis(scores, order, axis=1)


def plain_run(known: Similarities) -> pd.DataFrame:
    """Both directions of a matrix with ids beside as the table RUN: rows ask for columns, and
    columns for rows; scores as float32, equal ones by item id descending, as trec_eval puts them.

    Raises DataError without ids, for one that stands on both sides, and for too many results.
    """
    if known.ids is None:
        wanted = " and ".join(f"{Path(known.name).stem}.{axis}.txt" for axis in AXES)
        raise DataError(known.name, "no ids beside the matrix", f"{wanted}, an id a line")
    rows, columns = known.ids
    both = set(rows) & set(columns)
    if both:
        found = f"{sorted(both)[0]!r} among the ids of rows and of columns"
        raise DataError(known.name, found, "ids that tell the two apart")
    results = 2 * math.prod(known.values.shape)
    if results > MOST_RESULTS:
        found = f"the shape {known.values.shape}: {results:,} results both ways"
        raise DataError(known.name, found, f"at most {MOST_RESULTS:,}; or a collection of its own")
    parts = [
        _one_way(known.values, rows, columns),
        _one_way(known.values.T, columns, rows),
    ]
    return pd.concat(parts, ignore_index=True).astype({"query_id": "category"})


def _one_way(matrix: Matrix, asking: Sequence[str], found: Sequence[str]) -> pd.DataFrame:
    order = np.array(sorted(range(len(found)), key=found.__getitem__, reverse=True))
    blocks = list(ranked(matrix, np.arange(len(asking)), order, len(found), None))
    places = np.concatenate([block for block, _ in blocks])
    return pd.DataFrame(
        {
            "query_id": pd.Series(asking, dtype="str").repeat(len(found)).array,
            "item_id": pd.Series(found, dtype="str").take(places.ravel()).array,
            "score": np.concatenate([scores for _, scores in blocks]).ravel(),
            "rank": np.tile(np.arange(1, len(found) + 1), len(asking)),
        }
    )[list(RUN.columns)]
