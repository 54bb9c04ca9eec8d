"""The tables of a report as CSV and JSON, for a folder and for links inside the page."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from dashboard.letters import neutral
from dashboard.tables import own_type

TYPES = {"csv": "text/csv", "json": "application/json"}


def files(tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
    """File name → content, each table as CSV and as JSON."""
    found = {}
    for name, frame in tables.items():
        found[f"{name}.csv"] = as_csv(frame)
        found[f"{name}.json"] = as_json(frame)
    return found


def as_csv(frame: pd.DataFrame) -> str:
    """Comma-separated; a text that a spreadsheet would take for a formula gets an apostrophe."""
    columns = {_safe(str(name)): [_safe(cell) for cell in _cells(frame[name])] for name in frame}
    return pd.DataFrame(columns, dtype=object).to_csv(index=False, lineterminator="\n")


def as_json(frame: pd.DataFrame) -> str:
    """One array of objects; null for missing, never NaN."""
    columns = {str(column): _cells(frame[column]) for column in frame}
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    return json.dumps(rows, allow_nan=False, ensure_ascii=False, indent=0) + "\n"


def _cells(column: pd.Series) -> list[Any]:
    """Cells in types of Python's own; a cutoff is a whole number, also where others have none."""
    cells = [own_type(cell) for cell in column]
    if column.name != "cutoff":
        return cells
    return [int(cell) if isinstance(cell, float) else cell for cell in cells]


def links(contents: Mapping[str, str]) -> dict[str, str]:
    """For each file an address that holds all of it, for a link inside a page."""
    return {name: _address(name, content) for name, content in contents.items()}


def _address(name: str, content: str) -> str:
    kind = TYPES[name.rpartition(".")[2]]
    packed = base64.b64encode(content.encode("utf-8", "replace")).decode("ascii")
    return f"data:{kind};charset=utf-8;base64,{packed}"


def _safe(cell: Any) -> Any:
    return neutral(cell) if isinstance(cell, str) else cell
