"""What a call gives: a table on stdout (aligned for people, CSV for spreadsheets, JSON for
programs; null, never NaN), and files, each whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from textwrap import fill, wrap
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
from dashboard.tables import DataError, own_type

Format = Literal["table", "blocks", "csv", "json"]
_WRITTEN = {
    **dict.fromkeys(("p", "p_holm", "p_t", "p_original", "p_context"), chance),
    **dict.fromkeys(("delta", "difference"), signed),
}
"""How the numbers of some columns are written."""
_BOUNDS = dict.fromkeys(("low", "high"), signed)
"""The same for bounds, in tables of differences."""
WIDTH, LONGEST = 72, 2_000
"""The most characters of a line in a cell, and of a cell; CSV and JSON write all of them."""


def printed(frame: pd.DataFrame, form: Format, *, on_terminal: bool = False) -> str:
    """The table as text, without a last line end.

    No letter can act on a terminal or be invisible there: a table for people shows such letters as
    `\\u200b`, JSON has its own escapes, which programs read back as the same data. CSV holds the
    data as they are, without control characters; on a terminal it is escaped like a table.
    """
    columns = {str(column): [own_type(cell) for cell in frame[column]] for column in frame.columns}
    if form == "json":
        return _json(columns)
    if form == "csv":
        # cell by cell before there is a frame: its own `map` makes 62.0 of 62 beside a null
        safe = {
            name: [neutral(cell) if isinstance(cell, str) else cell for cell in cells]
            for name, cells in columns.items()
        }
        written = (
            pd.DataFrame(safe, dtype=object).to_csv(index=False, lineterminator="\n").rstrip("\n")
        )
        return escaped_lines(written) if on_terminal else without_controls(written)
    return _in_blocks(columns) if form == "blocks" else _aligned(columns)


def one_line(text: object) -> str:
    """A message in one line, with all letters escaped that could act on a terminal."""
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
        name: [[name], *(_lines(_text(cell, written.get(name, number))) for cell in cells)]
        for name, cells in columns.items()
    }
    right = [not any(isinstance(cell, str) for cell in cells) for cells in columns.values()]
    widths = [max(len(line) for cell in cells for line in cell) for cells in texts.values()]

    def padded(cells: tuple[str, ...]) -> str:
        each = zip(cells, widths, right, strict=True)
        return "  ".join(c.rjust(w) if to_right else c.ljust(w) for c, w, to_right in each).rstrip()

    rows = zip(*texts.values(), strict=True)
    return "\n".join(padded(line) for row in rows for line in zip_longest(*row, fillvalue=""))


def _in_blocks(columns: dict[str, list[Any]]) -> str:
    """A paragraph for each row, a line for each of its cells: for tables of long texts."""
    width = max(map(len, columns)) + 2
    blocks = []
    for cells in zip(*columns.values(), strict=True):
        lines = [
            fill(
                one_line(cell), 98, initial_indent=name.ljust(width), subsequent_indent=" " * width
            )
            for name, cell in zip(columns, cells, strict=True)
            if cell is not None
        ]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _lines(text: str) -> list[str]:
    """A cell in lines of at most WIDTH characters; words, such as ids and paths, stay whole."""
    kept = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return wrap(kept, WIDTH, break_long_words=False, break_on_hyphens=False) or [""]


def _text(cell: Any, write_number: Callable[[Any], str]) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return write_number(cell)
    return one_line(cell)


WANTED = "a folder that exists and that you may write in"


def write_file(path: Path, text: str) -> int:
    """Write a text as UTF-8 and return its bytes. Raises DataError where that is not possible.

    The file is written beside its place and then moved there, so that nobody reads half of it, even
    after an interruption. A pipe or /dev/stdout is written directly.
    """
    content = text.encode("utf-8", "replace")
    place = path.resolve()  # a link stays a link
    try:
        if place.exists() and not place.is_file():
            path.write_bytes(content)
        else:
            _replace(place, content)
    except OSError as error:
        found = f"a file that cannot be written ({error.strerror})"
        raise DataError(str(path), found, WANTED) from error
    return len(content)


def make_folder(folder: Path) -> None:
    """Make a folder for files, and those above it. Raises DataError where that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        found = f"a folder that cannot be made ({error.strerror})"
        raise DataError(str(folder), found, WANTED) from error


def _replace(path: Path, content: bytes) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(content)
        if path.exists():
            shutil.copymode(path, draft)
        draft.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
