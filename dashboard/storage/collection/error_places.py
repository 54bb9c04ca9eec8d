"""Adds file name and line to a DataError that is raised while judging, which sees no files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dashboard.storage.collection.evidence import lines_of_queries
from dashboard.storage.files.table_files import OF_JUDGEMENTS, stored_as
from dashboard.storage.runs.runs import line_of_judgement
from dashboard.tables import DataError


@contextmanager
def placing(folder: Path) -> Iterator[None]:
    """Adds the file in the collection's folder and the line to a DataError raised inside."""
    try:
        yield
    except DataError as problem:
        raise placed(problem, folder) from problem


@contextmanager
def placing_in(judgements: Path) -> Iterator[None]:
    """Adds the file of judgements and the line to a DataError raised inside."""
    try:
        yield
    except DataError as problem:
        raise placed_in(problem, judgements) from problem


def placed(problem: DataError, folder: Path) -> DataError:
    """The error with file and line of the query or judgement that it names, if any."""
    if problem.file == "qrels":
        path = stored_as(folder, "qrels", formats=OF_JUDGEMENTS)
        return placed_in(problem, path) if path else problem
    path = stored_as(folder, "queries") if problem.file == "queries" else None
    if path is None or not problem.about:
        return problem
    return _with(problem, path, lines_of_queries(folder).get(problem.about[0]))


def placed_in(problem: DataError, judgements: Path) -> DataError:
    """The error about a judgement with the judgement's file and line."""
    if problem.file != "qrels" or not problem.about:
        return problem
    return _with(problem, judgements, line_of_judgement(judgements, *problem.about))


def _with(problem: DataError, path: Path, line: int | None) -> DataError:
    return DataError(
        path.name,
        problem.found,
        problem.wanted,
        line=None if line is None else int(line),
        cure=problem.cure,
        about=problem.about,
    )
