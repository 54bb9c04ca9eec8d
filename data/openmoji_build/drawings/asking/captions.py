"""Five texts for a drawing, all of them written by people, and which drawings are held out."""

from __future__ import annotations

import random
from collections.abc import Sequence

from drawings.sources import Drawing, distinct

FIVE = 5
FEWEST_KEYWORDS = 6
HELD_OUT = 400


def texts(drawing: Drawing, deal: int = 0) -> list[str]:
    """The name, a vendor's shortcode that says it otherwise, and all keywords dealt into lists.

    Five texts where there are keywords enough, fewer where not. Another `deal` deals the keywords
    otherwise.
    """
    name = drawing.name.lower()
    codes = [c for c in drawing.shortcodes if _letters(c) != _letters(name)][:1]
    words = [w for w in distinct(drawing.keywords + drawing.tags) if w not in (name, *codes)]
    random.Random(f"{drawing.hexcode}/{deal}").shuffle(words)
    hands = FIVE - 1 - len(codes)
    lists = [", ".join(words[hand::hands]) for hand in range(hands)]
    return [name, *codes, *(dealt for dealt in lists if dealt)]


def has_five(drawing: Drawing) -> bool:
    """Whether a drawing has five texts, with two keywords or so in each list."""
    words = distinct(drawing.keywords + drawing.tags)
    return len(texts(drawing)) == FIVE and len(words) >= FEWEST_KEYWORDS


def split(
    drawings: Sequence[Drawing], seed: int
) -> tuple[list[Drawing], list[Drawing], list[Drawing]]:
    """The 400 drawings with five texts, all that are held out (these among them), and the rest.

    Variants of one drawing, such as the man and the woman in a role, stay on one side. No text
    belongs to two of the 400.
    """
    families: dict[str, list[Drawing]] = {}
    for drawing in drawings:
        families.setdefault(drawing.family, []).append(drawing)
    names = sorted(families)
    random.Random(seed).shuffle(names)
    asked: list[Drawing] = []
    held: set[str] = set()
    used: set[str] = set()
    for name in names:
        new = _without_clashes(families[name], used)
        if len(asked) == HELD_OUT:
            break
        if len(asked) + len(new) <= HELD_OUT:
            asked += new
            held |= {drawing.hexcode for drawing in families[name]}
            used |= {text for drawing in new for text in texts(drawing)}
    chosen = {drawing.hexcode for drawing in asked}
    return (
        [d for d in drawings if d.hexcode in chosen],
        [d for d in drawings if d.hexcode in held],
        [d for d in drawings if d.hexcode not in held],
    )


def _without_clashes(family: Sequence[Drawing], used: set[str]) -> list[Drawing]:
    kept: list[Drawing] = []
    said = set(used)
    for drawing in family:
        own = texts(drawing)
        if has_five(drawing) and len(set(own)) == FIVE and said.isdisjoint(own):
            kept.append(drawing)
            said |= set(own)
    return kept


def _letters(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())
