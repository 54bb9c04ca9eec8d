"""What stands above the cards of a query: its words, picture and keywords, and its two values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dashboard.views.texts import shown

LONGEST = 20_000  # letters of a query's words; the head folds what is longer than its lines
KEYWORD = 60


@dataclass(frozen=True, kw_only=True)
class Chip:
    """A keyword of a query. source: the phrase that it was mapped from. counts: whether its group
    decides what is relevant."""

    keyword: str
    source: str = ""
    counts: bool = True


@dataclass(frozen=True, kw_only=True)
class Head:
    """What is said of a query above its cards; all texts as the data holds them.

    title: the query in words. lines: feedback on its picture. quote: the text item that it searches
    with. picture: the address of its picture; problem: why there is none.
    scored: how many items are relevant, or why the query is not scored. notes: sentences that hold
    for all rows.
    measure, values, change: such as nDCG@5, `0.400 → 0.100` and `−0.300`; outcome: better, same or
    worse.
    """

    title: str
    lines: Sequence[str] = ()
    quote: str = ""
    picture: str = ""
    problem: str = ""
    chips: Sequence[Chip] = ()
    scored: str = ""
    notes: Sequence[str] = ()
    measure: str = ""
    values: str = ""
    change: str = ""
    outcome: str = ""

    def record(self) -> dict[str, Any]:
        """The head as values that JSON holds; what is empty is left out."""
        texts = {key: value for key, value in asdict(self).items() if isinstance(value, str)}
        record: dict[str, Any] = {key: shown(value, LONGEST) for key, value in texts.items()}
        record |= {"picture": self.picture, "lines": [shown(line, LONGEST) for line in self.lines]}
        record |= {"notes": [shown(note, None) for note in self.notes]}
        record["chips"] = [
            [shown(chip.keyword, KEYWORD), shown(chip.source, KEYWORD), chip.counts]
            for chip in self.chips
        ]
        return {key: value for key, value in record.items() if value}
