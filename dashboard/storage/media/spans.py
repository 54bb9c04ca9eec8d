"""Which part of its file an item is: of a longer clip a span, and all of one that was cut to it."""

from __future__ import annotations

from math import isnan, nan
from typing import NamedTuple

import pandas as pd

from dashboard.storage.media.lookup import Row, text_of

OVERRULED = "cut_beforehand"
"""The column of the items, and the setting of the collection, that say so whatever the lengths."""
ANSWERS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
USUAL = "auto"
FRAMES, FRAME = 2, 0.1
"""A file is as long as a span within so many frames; a frame's seconds where nobody says them."""
LEAST, MOST = 0.1, 0.5
"""Seconds that the lengths may differ by in any case, and at most."""


class Part(NamedTuple):
    """Seconds of its file between which an item lies; NaN: from its start, to its end.

    length_decides: the file may be the span, which a length that is not known here would tell.
    """

    begin: float
    end: float
    length_decides: bool = False


WHOLE = Part(nan, nan)


def part_of(row: Row, usual: str, seconds: float | None = None, frame: float | None = None) -> Part:
    """The part of its file that an item is.

    A file that is as long as the item's span was cut to it beforehand, and is shown whole. `usual`
    is what the collection says of that (auto, yes or no), seconds and frame how long the file and
    one frame of it are; None: not known.
    """
    told = Part(_second(row, "span_start"), _second(row, "span_end"))
    cut = ANSWERS.get(text_of(row, OVERRULED).strip().lower(), ANSWERS.get(usual))
    if cut:
        return WHOLE
    if cut is False or isnan(told.end):
        return told
    if seconds is None:
        return told._replace(length_decides=True)
    return WHOLE if is_length_of(told, seconds, frame) else told


def is_length_of(part: Part, seconds: float, frame: float | None = None) -> bool:
    """Whether a file of so many seconds is as long as a span, within a few frames."""
    begin = 0.0 if isnan(part.begin) else part.begin
    most = min(MOST, max(LEAST, FRAMES * (frame or FRAME)))
    return abs(seconds - (part.end - begin)) <= most


def is_told(row: Row) -> bool:
    """Whether an item says that it is a part of its file."""
    return not (isnan(_second(row, "span_start")) and isnan(_second(row, "span_end")))


def _second(row: Row, column: str) -> float:
    """Seconds as a number; NaN for none."""
    value = row.get(column)
    try:
        return nan if value is None or value is pd.NA else float(value)
    except ValueError:
        return nan
