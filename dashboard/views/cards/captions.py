"""How much of a caption is sent: a part with each card, all of it with the item that is open."""

from __future__ import annotations

import json

from dashboard.views.texts import shown

CAPTIONS = 40_000  # letters that all cards share
LEAST = 280  # letters that each card has at least
WHOLE = 60_000  # bytes of the one caption whose item is open


def longest(items: int) -> int:
    """How many letters of its caption each of so many items has."""
    return max(LEAST, CAPTIONS // max(items, 1))


def cut(text: str, longest: int) -> list[str]:
    """A text and, where it is cut, how much of it that is.

    >>> cut("abcdef", 4), cut("abcd", 4)
    (['abc…', 'the first 3 of 6 letters'], ['abcd', ''])
    """
    few = f"the first {longest - 1:,} of {len(text):,} letters" if len(text) > longest else ""
    return [shown(text, longest), few]


def whole(caption: str, items: int) -> list[str]:
    """The caption that one of so many items shares with them in part: whole, or as much as WHOLE
    bytes hold, as `cut` gives it; an empty list where the part is all."""
    if len(caption) <= longest(items):
        return []
    share = min(1.0, WHOLE / len(json.dumps(caption)))
    return cut(caption, int(len(caption) * share))
