"""How many cards can stand side by side in a collection's rows of results."""

from __future__ import annotations

from typing import Any

from dashboard.experiment.protocols import context_study

LINE, COLUMNS = "line", (3, 4, 5, 6, 10)
USUAL, MOST_COLUMNS = 5, 50
"""Columns of a grid where nobody tells how many there were; wider lists are one line."""


def columns_of(collection: Any) -> dict[str, str]:
    """How many cards can stand side by side, in words: the usual numbers, and as many pictures as
    did in the lists that people saw."""
    seen = context_study.side_by_side(collection)
    numbers = sorted({*COLUMNS, *([seen] if 0 < seen <= MOST_COLUMNS else [])})
    return {LINE: "Scroll", **{str(number): str(number) for number in numbers}}


def as_in_lists(collection: Any) -> str:
    """As many columns as the lists had."""
    seen = context_study.side_by_side(collection) or USUAL
    return str(seen) if seen <= MOST_COLUMNS else LINE
