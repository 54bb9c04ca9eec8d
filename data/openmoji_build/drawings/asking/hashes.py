"""Which pictures are queries, gallery and training part, and the type of each pair."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from drawings.sources import Drawing

QUERY, TRAIN, REST = "query", "train", "rest"
FEWEST = 6
"""Drawings that a subgroup must have before one of them may be a query."""


@dataclass(frozen=True)
class Classed:
    """A picture with its classes: `coarse` may be empty."""

    item_id: str
    fine: str
    coarse: str
    part: str


def grade(query: Classed, item: Classed) -> int:
    """2 for type 1 (same fine class), 1 for type 2 (same coarse class), 0 for type 3.

    >>> cat, dog = Classed("c", "cat", "animal", QUERY), Classed("d", "dog", "animal", TRAIN)
    >>> grade(cat, cat), grade(cat, dog), grade(cat, Classed("7", "7", "", TRAIN))
    (2, 1, 0)
    """
    if query.fine == item.fine:
        return 2
    return int(bool(query.coarse) and query.coarse == item.coarse)


def classed_drawings(drawings: Sequence[Drawing], count: int, seed: int) -> list[Classed]:
    """The drawings with their part: half of them train, `count` queries are among the others."""
    rng = random.Random(seed)
    train = set(rng.sample([drawing.hexcode for drawing in drawings], len(drawings) // 2))
    sizes = Counter(drawing.subgroup for drawing in drawings)
    others = [d for d in drawings if d.hexcode not in train and sizes[d.subgroup] >= FEWEST]
    asked = {drawing.hexcode for drawing in rng.sample(others, count)}

    def part(drawing: Drawing) -> str:
        if drawing.hexcode in asked:
            return QUERY
        return TRAIN if drawing.hexcode in train else REST

    return [Classed(d.hexcode, d.subgroup, d.group, part(d)) for d in drawings]


def classed_digits(labels: Sequence[int], each: int, seed: int) -> list[Classed]:
    """The digits with their part: `each` queries of every digit, half of the others train."""
    rng = random.Random(seed)
    parts = [REST] * len(labels)
    for digit in sorted(set(labels)):
        places = [place for place, label in enumerate(labels) if label == digit]
        rng.shuffle(places)
        half = (len(places) - each) // 2
        for place in places[:each]:
            parts[place] = QUERY
        for place in places[each : each + half]:
            parts[place] = TRAIN
    return [
        Classed(f"d{place:04d}", str(label), "", part)
        for place, (label, part) in enumerate(zip(labels, parts, strict=True))
    ]
