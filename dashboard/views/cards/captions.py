"""How much of a text is sent: of a caption a part with each card, all with the open item."""

from __future__ import annotations

import json
from collections.abc import Collection

from dashboard.views.texts import shown

CAPTIONS = 40_000  # letters that all cards share
LABEL = 120  # letters of a name, a note
WORDS = 60_000  # letters of all keywords; each has at least as many as a name
LEAST = 280  # letters that each card has at least
WHOLE = 60_000  # bytes of the one caption whose item is open


def short(group: str) -> str:
    """The short name of a semantic group: `pv_object_type` is `object type`."""
    return shown(group.removeprefix("pv_").replace("_", " "), LABEL)


def words(pairs: Collection[tuple[str, str]]) -> list[list[str]]:
    """Keywords with the short names of their groups; they share what there is of letters."""
    most = max(LABEL, WORDS // max(len(pairs), 1))
    return [[short(group), shown(keyword, most)] for group, keyword in pairs]


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
