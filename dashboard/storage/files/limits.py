"""How much a file may ask for. What is far beyond anybody's data is refused with its line, before
it takes the memory and the time that a few bytes can stand for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

import pandas as pd

from dashboard.tables import DataError

LONGEST_ID = 1_000  # characters of an id
LONGEST_KEYWORD = 200  # characters of a keyword, or of other words for it
MOST_IN_CELL = 500  # keywords of an item in a group, or other words for one keyword
MOST_KEYWORDS = 10_000  # different keywords of a collection
_BETWEEN = "[;|,]"
_ONE_OF = f"one keyword of at most {LONGEST_KEYWORD:,} characters"


def check_ids(ids: pd.Series, name: str) -> None:
    """Raise DataError with the line of the first id that is too long. ids: indexed by line."""
    long = ids.index[ids.str.len() > LONGEST_ID]
    if len(long):
        found = f"{ids.name} of {len(ids[long[0]]):,} characters"
        raise DataError(name, found, f"at most {LONGEST_ID:,}", line=int(long[0]))


def check_cells(cells: pd.Series, name: str) -> None:
    """Raise DataError with the line of the first cell with too many keywords, or one too long."""
    many = cells.index[cells.str.count(_BETWEEN) >= MOST_IN_CELL]
    if len(many):
        number = len(re.findall(_BETWEEN, cells[many[0]])) + 1
        found = f"{number:,} keywords in a cell of {cells.name}"
        raise DataError(name, found, f"at most {MOST_IN_CELL:,}", line=int(many[0]))
    for line, cell in cells[cells.str.len() > LONGEST_KEYWORD].items():
        longest = max(map(len, re.split(_BETWEEN, cell)))
        if longest > LONGEST_KEYWORD:
            found = f"a keyword of {longest:,} characters in {cells.name}"
            raise DataError(name, found, _ONE_OF, line=int(str(line)))


def check_words(keyword: str, words: Collection[str], name: str) -> None:
    """Raise DataError for a keyword of a vocabulary that is too long, or has too many other
    words."""
    longest = max(map(len, (keyword, *words)))
    if longest > LONGEST_KEYWORD:
        shown = f"words of {longest:,} characters at {keyword[:40]!r}"
        raise DataError(name, shown, f"at most {LONGEST_KEYWORD:,}")
    if len(words) > MOST_IN_CELL:
        found = f"{len(words):,} other words for {keyword!r}"
        raise DataError(name, found, f"at most {MOST_IN_CELL:,}")


def check_number(keywords: Iterable[str], name: str) -> None:
    """Raise DataError for more different keywords than a collection may have."""
    number = len(set(keywords))
    if number > MOST_KEYWORDS:
        cure = "Are these texts rather than keywords?"
        found = f"{number:,} different keywords"
        raise DataError(name, found, f"at most {MOST_KEYWORDS:,}", cure=cure)
