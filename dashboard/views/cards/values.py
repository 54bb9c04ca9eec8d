"""Cells of a table → values that JSON can hold: no NaN, no scalars of numpy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

Record = Mapping[Any, Any]


class Once:
    """Values that many cards share, each sent once; the cards have their numbers.

    >>> kept = Once()
    >>> [kept.places(value) for value in ("a", "b", "", "a")], kept.values
    ([[0], [1], [], [0]], ['a', 'b'])
    """

    def __init__(self) -> None:
        self.values: list[Any] = []

    def places(self, value: Any) -> list[int]:
        """The number of a value, in a list; an empty list for an empty value."""
        if not value:
            return []
        if value not in self.values:
            self.values.append(value)
        return [self.values.index(value)]


def list_of(record: Record, column: str) -> list[Any]:
    value = record.get(column)
    return list(value) if isinstance(value, list | tuple) else []


def text_of(record: Record, column: str) -> str:
    value = record.get(column)
    return value if isinstance(value, str) else ""


def number_of(value: Any, digits: int = 5) -> float | None:
    if value is None or value is pd.NA or not math.isfinite(value):
        return None
    return round(float(value), digits)


def whole_of(value: Any) -> int | None:
    number = number_of(value)
    return None if number is None else int(number)


def flag_of(value: Any) -> bool | None:
    return None if value is None or value is pd.NA or value != value else bool(value)
