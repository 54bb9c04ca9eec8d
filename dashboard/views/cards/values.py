"""Cells of a table → values that JSON can hold: no NaN, no scalars of numpy."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

Record = Mapping[Hashable, Any]


def list_of(record: Record, column: str) -> list[Any]:
    value = record.get(column)
    return list(value) if isinstance(value, list | tuple) else []


def text_of(record: Record, column: str) -> str:
    value = record.get(column)
    return value if isinstance(value, str) else ""


def number_of(value: Any) -> float | None:
    if value is None or value is pd.NA or not math.isfinite(value):
        return None
    return round(float(value), 5)


def whole_of(value: Any) -> int | None:
    number = number_of(value)
    return None if number is None else int(number)


def flag_of(value: Any) -> bool | None:
    return None if value is None or value is pd.NA or value != value else bool(value)
