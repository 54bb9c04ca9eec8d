"""The choice whether near-duplicates are items of their own, or count once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.study.choices import Choice, Values

if TYPE_CHECKING:
    from dashboard.storage.collection import Collection
    from dashboard.tables import Table

KEY, COUNTED, ONCE = "copies", "counted", "once"
MAX_ITEMS = 20_000
"""Items up to which each is compared with each."""
ALIKE = 0.99
"""Cosine of near-duplicates, in every version that has vectors."""
STATED = "copy_of"
"""Column of items.csv that names the item of which one is a copy."""
LEFT_ALONE = ("crossmodal",)
"""Protocols whose galleries are numbered sets of pairs, in which nothing can be left out."""


def can_be_found(items: Table) -> bool:
    """Return whether the table of items says what the copies are, or is small enough to look."""
    return len(items) <= MAX_ITEMS or any(items.columns.get(STATED, ()))


def _list_values(collection: Collection, before: Values) -> tuple[str, ...]:
    is_open = can_be_found(collection.items) and before["protocol"] not in LEFT_ALONE
    return (COUNTED, ONCE) if is_open else (COUNTED,)


CHOICES = (
    Choice(
        key=KEY,
        noun="value of copies",
        meaning="counted: each item is one; once: near-duplicates count as one, as the column "
        f"{STATED} of items.csv says, or up to {MAX_ITEMS:,} items with identical files, or with a "
        f"cosine from {ALIKE:g} in every version that has vectors",
        default=lambda collection, before: COUNTED,
        allowed=_list_values,
        changes_numbers=True,
    ),
)
