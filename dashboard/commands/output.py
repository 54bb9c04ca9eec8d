"""A table on stdout: aligned for people, CSV for spreadsheets, JSON for programs; null, never
NaN."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Literal

import pandas as pd

from dashboard.evaluation.digits import chance, number, signed
from dashboard.letters import (
    escaped,
    escaped_lines,
    json_escaped,
    neutral,
    without_controls,
)
from dashboard.tables import own_type

Format = Literal["table", "csv", "json"]
_WRITTEN = {
    **dict.fromkeys(("p", "p_holm", "p_t", "p_original", "p_context"), chance),
    **dict.fromkeys(("delta", "difference"), signed),
}
"""Columns of numbers that are written in a way of their own."""
_BOUNDS = dict.fromkeys(("low", "high"), signed)
"""Bounds, where they are of a difference."""


def printed(frame: pd.DataFrame, form: Format, *, on_terminal: bool = False) -> str:
    """The table as text, without a last line end.

    Nothing in it can act on a terminal or hide there: a table for people shows such letters as
    `\\u200b`, JSON escapes them in its own way, which programs read back as the same data. CSV is
    data as they are, without control characters; on a terminal it is escaped as a table is.
    """
    columns = {str(column): [own_type(cell) for cell in frame[column]] for column in frame.columns}
    if form == "json":
        return _json(columns)
    if form == "csv":
        safe = pd.DataFrame(columns, dtype=object)
        safe = safe.map(lambda cell: neutral(cell) if isinstance(cell, str) else cell)
        written = safe.to_csv(index=False, lineterminator="\n").rstrip("\n")
        return escaped_lines(written) if on_terminal else without_controls(written)
    return _aligned(columns)


def one_line(text: object) -> str:
    """A complaint in one line, whatever stands in it, as a terminal may have it."""
    return escaped(re.sub("[ \\t\\r\\n]+", " ", str(text)).strip())


def _json(columns: dict[str, list[Any]]) -> str:
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    if not rows:
        return "[]"
    lines = (json_escaped(json.dumps(row, allow_nan=False, ensure_ascii=False)) for row in rows)
    return "[\n" + ",\n".join(lines) + "\n]"


def _aligned(columns: dict[str, list[Any]]) -> str:
    columns = {one_line(name): cells for name, cells in columns.items()}
    written = _WRITTEN | (_BOUNDS if {"delta", "difference"} & set(columns) else {})
    texts = {
        name: [_short(cell, written.get(name, number)) for cell in cells]
        for name, cells in columns.items()
    }
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


def _short(cell: Any, write_number: Callable[[Any], str]) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return write_number(cell)
    return one_line(cell)[:120]
