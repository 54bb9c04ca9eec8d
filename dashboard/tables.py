"""The hallway: the columns that every room agrees on, the one error and the list of findings for
readers' files, and how counts and names are written in sentences.

All data walks through the program as long pandas tables with the columns declared here. A table is
checked once, where it enters (storage), and trusted afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

Kind = Literal["text", "number", "integer", "flag"]


def counted(number: int, one: str, several: str = "") -> str:
    """A count in a sentence, its noun in the plural unless it is one.

    >>> counted(1, "note"), counted(2_400, "query", "queries")
    ('1 note', '2,400 queries')
    """
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def between(low: int, high: int) -> str:
    """What a count lies between, or what it is throughout.

    >>> between(5, 5), between(0, 1_000)
    ('5', '0 to 1,000')
    """
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


LONGEST_TEXT = 1_000
"""Letters of a text to search with."""
LISTED = 5
"""So many names stand in a sentence, and how many more there are."""


def listed(names: Iterable[object]) -> str:
    """The first few of `names` in words, and how many more there are.

    >>> listed(["a", "b"])
    'a, b'
    >>> listed(range(8))
    '0, 1, 2, 3, 4 and 3 more'
    """
    every = list(names)
    more = len(every) - LISTED
    return ", ".join(str(name)[:80] for name in every[:LISTED]) + (
        f" and {more:,} more" if more > 0 else ""
    )


def natural(name: str) -> tuple[tuple[int, int | str], ...]:
    """A key that sorts v0.2 before v0.10.

    >>> sorted(["v0.10", "v0.2", "base"], key=natural)
    ['base', 'v0.2', 'v0.10']
    """
    parts = re.findall(r"\d+|\D+", name)
    return tuple((0, int(part)) if part.isdecimal() else (1, part) for part in parts)


def own_type(cell: Any) -> Any:
    """A cell as it is exported: in a type of Python's own, None for missing.

    >>> own_type(pd.NA), own_type(pd.Series([3])[0]), own_type("3")
    (None, 3, '3')
    """
    if isinstance(cell, str):
        return cell
    if pd.isna(cell):
        return None
    return cell.item() if hasattr(cell, "item") else cell


class OfQueries(dict[str, Any]):
    """What `attrs` of a run say of each query. pandas copies `attrs` deeply whenever a table is
    used, 25 ms for 30,000 queries: this it passes on as it is, so nobody may change it."""

    def __deepcopy__(self, memo: dict[int, Any]) -> OfQueries:
        return self


class DataError(Exception):
    """Something in a reader's file that cannot be used: where, found, wanted, and what to do.

    about: the ids of the row in question, for whoever knows the file but no line: of a query, or of
    a query and an item.
    """

    def __init__(
        self,
        file: str,
        found: str,
        wanted: str,
        *,
        line: int | None = None,
        cure: str = "",
        about: tuple[str, ...] = (),
    ) -> None:
        self.file, self.found, self.wanted, self.line, self.cure = file, found, wanted, line, cure
        self.about = about
        super().__init__(str(self))

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}, line {self.line}"
        sentence = f"{where}: found {self.found}; wanted {self.wanted}."
        return f"{sentence} {self.cure}".rstrip()


@dataclass(frozen=True)
class Table:
    """The declaration of one table: its columns with their kinds, and those that make a row unique.

    Columns beyond the declared ones are kept: a collection may carry its own.
    """

    name: str
    columns: dict[str, Kind]
    key: tuple[str, ...] = ()
    optional: frozenset[str] = field(default_factory=frozenset)

    def check(self, frame: pd.DataFrame, file: str) -> pd.DataFrame:
        """Return `frame` with the declared columns first and in their kinds.

        Raises DataError naming `file` and the line (header = line 1) of the first missing column,
        empty key, repeated key, or cell that is not of its kind.
        """
        missing = [c for c in self.columns if c not in frame.columns and c not in self.optional]
        if missing:
            raise DataError(
                file,
                f"the columns {', '.join(map(str, frame.columns)) or '(none)'}",
                f"a column {' and a column '.join(missing)}",
                line=1,
            )
        present = [c for c in self.columns if c in frame.columns]
        checked = frame[present + [c for c in frame.columns if c not in present]].copy()
        for column in present:
            checked[column] = _as_kind(checked[column], self.columns[column], column, file)
        self._check_key(checked, file)
        return checked

    def _check_key(self, frame: pd.DataFrame, file: str) -> None:
        for column in self.key:
            if self.columns[column] != "text":
                continue
            blank = np.flatnonzero((frame[column].str.strip() == "").to_numpy())
            if len(blank):
                raise DataError(file, f"an empty {column}", f"a {column}", line=int(blank[0]) + 2)
        if not self.key:
            return
        repeated = np.flatnonzero(frame.duplicated(list(self.key)).to_numpy())
        if len(repeated):
            second = frame.iloc[int(repeated[0])]
            same = (frame[list(self.key)] == second[list(self.key)]).all(axis=1).to_numpy()
            first = int(np.flatnonzero(same)[0])
            values = " and ".join(f"{c} {second[c]!r}" for c in self.key)
            raise DataError(
                file,
                f"{values} a second time (first in line {first + 2})",
                "each only once",
                line=int(repeated[0]) + 2,
                cure="Remove one of the two lines.",
            )

    def empty(self) -> pd.DataFrame:
        """An empty frame with these columns and kinds."""
        kinds = {"text": "str", "number": "float64", "integer": "int64", "flag": "bool"}
        return pd.DataFrame({c: pd.Series(dtype=kinds[k]) for c, k in self.columns.items()})


def _as_kind(values: pd.Series, kind: Kind, column: str, file: str) -> pd.Series:
    if kind == "text":
        return values.astype("str")
    if kind == "flag":
        return values.astype("bool")
    numbers = pd.to_numeric(values, errors="coerce")
    finite = np.isfinite(numbers.to_numpy(dtype="float64", na_value=np.nan))
    if kind == "integer":
        finite &= np.equal(np.mod(numbers.to_numpy(dtype="float64", na_value=0.5), 1), 0)
    wrong = np.flatnonzero(~finite)
    if len(wrong):
        row = int(wrong[0])
        wanted = "a whole number" if kind == "integer" else "a finite number"
        raise DataError(file, f"{column} {values.iloc[row]!r}", wanted, line=row + 2)
    return numbers.astype("int64" if kind == "integer" else "float64")


QUERIES = Table(
    "queries",
    {"query_id": "text", "text": "text", "item_id": "text", "image": "text"},
    key=("query_id",),
    optional=frozenset({"text", "item_id", "image"}),
)
ITEMS = Table(
    "items",
    {"item_id": "text", "file": "text", "poster": "text", "kind": "text", "caption": "text"},
    key=("item_id",),
    optional=frozenset({"file", "poster", "kind", "caption"}),
)
KEYWORDS = Table(
    "keywords",
    {"item_id": "text", "group": "text", "keyword": "text"},
    key=("item_id", "group", "keyword"),
)
QRELS = Table(
    "qrels",
    {"query_id": "text", "item_id": "text", "grade": "number"},
    key=("query_id", "item_id"),
)
RUN = Table(
    "run",
    {"query_id": "text", "item_id": "text", "score": "number", "rank": "integer"},
    key=("query_id", "item_id"),
)
QUERY_KEYWORDS = Table(
    "query_keywords",
    {
        "query_id": "text",
        "ngram": "text",
        "group": "text",
        "keyword": "text",
        "score": "number",
        "kept": "flag",
    },
    key=("query_id", "ngram", "group", "keyword"),
)
MEASUREMENTS = Table(
    "measurements",
    {"run": "text", "query_id": "text", "metric": "text", "cutoff": "integer", "value": "number"},
)
DELTAS = Table(
    "deltas",
    {
        "query_id": "text",
        "metric": "text",
        "cutoff": "integer",
        "baseline": "number",
        "candidate": "number",
        "delta": "number",
    },
)
FINDINGS = Table(
    "findings",
    {"level": "text", "file": "text", "line": "integer", "found": "text", "wanted": "text"},
)


@dataclass
class Findings:
    """A list that fills while a collection is read; `frame()` is the table of it."""

    rows: list[tuple[str, str, int | None, str, str]] = field(default_factory=list)

    def note(self, file: str, found: str, wanted: str, line: int | None = None) -> None:
        """Something was repaired or is worth knowing; the numbers do not suffer.

        wanted: empty where nothing else was.
        """
        self.rows.append(("note", file, line, found, wanted))

    def warning(self, file: str, found: str, wanted: str, line: int | None = None) -> None:
        """Something was left out; the rest is used."""
        self.rows.append(("warning", file, line, found, wanted))

    def error(self, problem: DataError) -> None:
        """A file was refused."""
        wanted = f"{problem.wanted}. {problem.cure}" if problem.cure else problem.wanted
        self.rows.append(("error", problem.file, problem.line, problem.found, wanted))

    def sentences(self, *levels: str) -> list[str]:
        """What was found, a sentence each; levels: of these alone."""
        return [
            f"{file}: found {found}; wanted {wanted}" if wanted else f"{file}: found {found}"
            for level, file, _, found, wanted in self.rows
            if level in levels or not levels
        ]

    def frame(self) -> pd.DataFrame:
        """The findings as the table FINDINGS, errors first."""
        frame = pd.DataFrame(self.rows, columns=list(FINDINGS.columns))
        frame["line"] = frame["line"].astype("Int64")
        text = [column for column, kind in FINDINGS.columns.items() if kind == "text"]
        frame[text] = frame[text].astype("str")
        severity = frame["level"].map({"error": 0, "warning": 1, "note": 2})
        return frame.iloc[severity.argsort(kind="stable")].reset_index(drop=True)


LISTS = Table(
    "lists",
    {
        "list_id": "text",
        "query_id": "text",
        "row": "integer",
        "column": "integer",
        "item_id": "text",
        "participant": "text",
        "version": "text",
        "session": "text",
    },
    key=("list_id", "row", "column"),
    optional=frozenset({"participant", "version", "session"}),
)
RELEVANCE = Table(
    "relevance",
    {"query_id": "text", "item_id": "text", "worker": "text", "relevance": "number"},
    key=("query_id", "item_id", "worker"),
)
REVIEWS = Table(
    "reviews",
    {
        "number": "integer",
        "kind": "text",
        "collection": "text",
        "query_id": "text",
        "list_id": "text",
        "item_id": "text",
        "run": "text",
        "value": "text",
        "note": "text",
        "author": "text",
        "time": "text",
        "cause": "text",
        "against": "text",
        "assignment": "text",
    },
    key=("number",),
)
