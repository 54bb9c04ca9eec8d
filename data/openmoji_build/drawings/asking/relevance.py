"""How relevant a drawing is to a word, from 0 to 100: what five sources say about the drawing.

The sources stand in for the workers of a study. They are five lists of words that people wrote for
other ends; nobody was asked how relevant anything is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from drawings.sources import Drawing

WORKERS = ("name", "cldr", "tags", "codes", "group")
"""CLDR name; CLDR keywords; OpenMoji's tags; vendors' shortcodes; subgroup and group."""
EXACT, WORD, STEM, NOTHING = 100, 70, 50, 0
SILENT, UNREADABLE = -1, -2
"""The source has no words for the drawing; an answer that was made invalid on purpose."""
WORDS = (
    "animal", "food", "face", "person", "sport", "travel", "music", "love", "clothing", "plant",
    "building", "smile", "woman", "fruit", "water", "ocean", "money", "tool", "weather", "bird",
    "celebration", "car", "drink", "game", "hand", "sad", "happy", "night", "flower", "book",
    "fire", "sweet", "vegetable", "party", "office", "light", "hair", "ball", "computer", "sky",
    "kiss", "hat", "time", "family", "health", "work", "transport", "cat", "fish", "sun", "home",
    "meal", "vehicle", "angry", "winter", "magic", "dance", "nature", "writing", "heart",
)  # fmt: skip
STEM_LETTERS = 4


def said_by(drawing: Drawing) -> dict[str, tuple[str, ...]]:
    """The words of each source about a drawing."""
    return {
        "name": (drawing.name,),
        "cldr": drawing.keywords,
        "tags": drawing.tags,
        "codes": drawing.shortcodes,
        "group": (drawing.subgroup.replace("-", " "), drawing.group.replace("-", " ")),
    }


def relevance(word: str, said: Sequence[str]) -> int:
    """100 where a source says just the word, 70 where it is one of its words, 50 by the stem.

    >>> relevance("rain", ["rain"]), relevance("rain", ["cloud with rain"])
    (100, 70)
    >>> relevance("rain", ["rainbow"]), relevance("rain", ["sun"]), relevance("rain", [])
    (50, 0, -1)
    """
    if not said:
        return SILENT
    stem = word[: max(STEM_LETTERS, len(word) - 2)]
    best = NOTHING
    for term in said:
        parts = re.findall(r"\w+", term.lower())
        if term.lower() == word:
            return EXACT
        if word in parts:
            best = WORD
        elif best < STEM and any(part.startswith(stem) for part in parts):
            best = STEM
    return best


def answers(word: str, drawing: Drawing) -> list[int]:
    """The five answers, in the order of WORKERS."""
    said = said_by(drawing)
    return [relevance(word, said[worker]) for worker in WORKERS]


def mean(given: Sequence[int]) -> float:
    """The mean of the valid answers, -1 without any, to two decimals: as the made-up people see it.

    >>> mean([100, -1, 50]), mean([-1, -2])
    (75.0, -1)
    """
    valid = [answer for answer in given if answer >= 0]
    return round(sum(valid) / len(valid), 2) if valid else SILENT
