"""The choice of a test: the whole gallery, or COCO's tests of a thousand pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.study.choices import Choice, Values

if TYPE_CHECKING:
    from dashboard.storage.collection import Collection
    from dashboard.tables import Names

PROTOCOL = "crossmodal"
WHOLE = "whole"
FOLD = 1_000
"""Pictures of a fold."""
FOLDS = {"1K": 1, "five-fold 1K": 5}
"""Folds of each test."""


def _explain_lack(given: str, collection: Collection, before: Values) -> str:
    if given not in FOLDS or given in _list_tests(collection, before):
        return ""
    if before["protocol"] != PROTOCOL:
        return f"it belongs to the protocol {PROTOCOL}"
    needed = f"it needs {FOLDS[given] * FOLD:,} picture queries"
    return f"{needed}; {collection.name} has {_count_pictures(collection):,}"


def _count_pictures(collection: Collection) -> int:
    return int(
        (~collection.tables[PROTOCOL].list_texts(collection) & (collection.own_items >= 0)).sum()
    )


def _list_tests(collection: Collection, before: Values) -> Names:
    most = _count_pictures(collection) if before["protocol"] == PROTOCOL else 0
    return [WHOLE, *(name for name, folds in FOLDS.items() if most >= folds * FOLD)]


CHOICES = (
    Choice(
        key="test",
        meaning="test of image-text matching: whole (all pictures and texts), 1K (the first 1,000 "
        "pictures and their texts) or five-fold 1K (the mean of five tests of 1,000 pictures)",
        default=WHOLE,
        allowed=_list_tests,
        explain_lack=_explain_lack,
        changes_numbers=True,
    ),
)
