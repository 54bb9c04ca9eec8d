"""A table on stdout: aligned for people, CSV for spreadsheets, JSON for programs; null, never
NaN."""

from __future__ import annotations

import json
from typing import Any, Literal

import pandas as pd

from dashboard.storage.files.delimited import neutral, own_type

Format = Literal["table", "csv", "json"]


def printed(frame: pd.DataFrame, form: Format) -> str:
    """The table as text, without a last line end."""
    columns = {str(column): [own_type(cell) for cell in frame[column]] for column in frame.columns}
    if form == "json":
        return _json(columns)
    if form == "csv":
        safe = pd.DataFrame(columns, dtype=object)
        safe = safe.map(lambda cell: neutral(cell) if isinstance(cell, str) else cell)
        return safe.to_csv(index=False, lineterminator="\n").rstrip("\n")
    return _aligned(columns)


def one_line(text: object) -> str:
    """A complaint in one line, whatever stands in it."""
    return " ".join(str(text).split())


def _json(columns: dict[str, list[Any]]) -> str:
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    if not rows:
        return "[]"
    lines = (json.dumps(row, allow_nan=False, ensure_ascii=False) for row in rows)
    return "[\n" + ",\n".join(lines) + "\n]"


def _aligned(columns: dict[str, list[Any]]) -> str:
    texts = {name: [_short(cell) for cell in cells] for name, cells in columns.items()}
    right = {name: not any(isinstance(cell, str) for cell in columns[name]) for name in columns}
    widths = {name: max(map(len, [name, *cells])) for name, cells in texts.items()}

    def line(cells: dict[str, str]) -> str:
        padded = (
            cells[name].rjust(width) if right[name] else cells[name].ljust(width)
            for name, width in widths.items()
        )
        return "  ".join(padded).rstrip()

    rows = [dict(zip(texts, cells, strict=True)) for cells in zip(*texts.values(), strict=True)]
    return "\n".join([line({name: name for name in texts}), *map(line, rows)])


def _short(cell: Any) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.4f}"
    return one_line(cell)[:120]
