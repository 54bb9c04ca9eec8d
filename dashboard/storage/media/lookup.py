"""The rows of a collection's tables by id, for the routes: remembered for a few seconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Generic, TypeVar

import pandas as pd

_REMEMBERED = 10.0  # seconds
_FEW = 8  # collections at once; with all their vectors they may fill the memory
Row = Mapping[Hashable, Any]
Known = TypeVar("Known")


class Lookup(Generic[Known]):
    """Finds a collection and one of its rows by their names."""

    def __init__(
        self, open_collection: Callable[[str], Known], rows: Callable[[Known], dict[str, Row]]
    ) -> None:
        self._open, self._rows = open_collection, rows
        self._known: dict[str, tuple[float, Known, dict[str, Row]]] = {}
        self._one_at_a_time = threading.Lock()

    def find(self, name: str, row_id: str) -> tuple[Known, Row]:
        """The collection and the row; LookupError or DataError when there is none."""
        with self._one_at_a_time:
            if name not in self._known or self._known[name][0] < time.monotonic():
                self._forget(name)
                collection = self._open(name)
                until = time.monotonic() + _REMEMBERED
                self._known[name] = (until, collection, self._rows(collection))
            _, collection, rows = self._known[name]
        return collection, rows[row_id]

    def _forget(self, name: str) -> None:
        """Let go of what is out of date, of `name`, and of the oldest where there are many."""
        now = time.monotonic()
        kept = [known for known, (until, *_) in self._known.items() if until >= now]
        kept = [known for known in kept if known != name][-(_FEW - 1) :]
        self._known = {known: self._known[known] for known in kept}


def rows_of(table: pd.DataFrame, key: str, ids: Iterable[str] | None = None) -> dict[str, Row]:
    """The rows of a table by the text in the column `key`: of all, or of some."""
    if ids is not None:
        table = table[table[key].isin(list(ids))]
    return {str(row[key]): row for row in table.to_dict("records")}


def text_of(row: Row, column: str) -> str:
    """The text in a cell; empty where there is none."""
    value = row.get(column, "")
    return value if isinstance(value, str) else ""
