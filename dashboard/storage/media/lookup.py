"""The rows of a collection's tables by id, for the routes: remembered for a few seconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

import numpy as np
import pandas as pd

from dashboard.ids import shared

_REMEMBERED = 10.0  # seconds
_FEW = 8  # collections at once; with all their vectors they may fill the memory
Row = Mapping[Hashable, Any]
Known = TypeVar("Known")


class Lookup(Generic[Known]):
    """Finds a collection and one of its rows by their names."""

    def __init__(
        self, open_collection: Callable[[str], Known], rows: Callable[[Known], Mapping[str, Row]]
    ) -> None:
        self._open, self._rows = open_collection, rows
        self._known: dict[str, tuple[float, Known, Mapping[str, Row]]] = {}
        self._one_at_a_time = threading.Lock()

    def find(self, name: str, row_id: str) -> tuple[Known, Row]:
        """The collection and the row; LookupError or DataError when there is none."""
        with self._one_at_a_time:
            if name not in self._known or self._known[name][0] < time.monotonic():
                last = self._known.get(name)
                self._forget(name)
                collection = self._open(name)
                same = last is not None and last[1] is collection
                rows = last[2] if last and same else self._rows(collection)
                self._known[name] = (time.monotonic() + _REMEMBERED, collection, rows)
            _, collection, rows = self._known[name]
        return collection, rows[row_id]

    def _forget(self, name: str) -> None:
        """Let go of what is out of date, of `name`, and of the oldest where there are many."""
        now = time.monotonic()
        kept = [known for known, (until, *_) in self._known.items() if until >= now]
        kept = [known for known in kept if known != name][-(_FEW - 1) :]
        self._known = {known: self._known[known] for known in kept}


class RowsById(Mapping[str, Row]):
    """The rows of a table by the text in a column that is different in each. A row becomes a record
    when it is looked up: of a million items a page shows a few."""

    def __init__(self, table: pd.DataFrame, key: str) -> None:
        self._table, self._ids = table, shared(pd.Index(table[key]))

    def __getitem__(self, row_id: str) -> Row:
        (place,) = np.atleast_1d(np.asarray(self._ids.get_loc(row_id)))
        record: Row = self._table.iloc[[int(place)]].to_dict("records")[0]
        return record

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


def rows_of(table: pd.DataFrame, key: str, ids: Iterable[str] | None = None) -> dict[str, Row]:
    """The rows of a table by the text in the column `key`: of all, or of some."""
    if ids is not None:
        table = table[table[key].isin(list(ids))]
    return {str(row[key]): row for row in table.to_dict("records")}


def text_of(row: Row, column: str) -> str:
    """The text in a cell; empty where there is none."""
    value = row.get(column, "")
    return value if isinstance(value, str) else ""
