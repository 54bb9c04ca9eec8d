"""The choice of a test: the whole gallery, or COCO's tests of a thousand pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dashboard.errors import ChoiceError
from dashboard.study.choices import Choice, Values

if TYPE_CHECKING:
    from dashboard.storage.collection import Collection

PROTOCOL = "crossmodal"
WHOLE = "whole"
FOLD = 1_000
"""Pictures of a fold."""
FOLDS = {"1K": 1, "five-fold 1K": 5}
"""Folds of each test."""


class TestChoice(Choice):
    """The choice of a test, which says why a collection does not have one."""

    def read(self, given: str, collection: Collection, before: Values) -> Any:
        """Return the test of a name.

        Raises:
            ChoiceError: If there is no such test, or the protocol or the collection has it not.
        """
        if given in FOLDS and before["protocol"] != PROTOCOL:
            raise ChoiceError(f"test = {given!r} belongs to the protocol {PROTOCOL}.")
        if given in FOLDS and given not in _list_tests(collection, before):
            needed = f"needs {FOLDS[given] * FOLD:,} picture queries; {collection.name} has"
            raise ChoiceError(f"test = {given!r} {needed} {_count_pictures(collection):,}.")
        return super().read(given, collection, before)


def _count_pictures(collection: Collection) -> int:
    return int(
        (~collection.tables[PROTOCOL].list_texts(collection) & (collection.own_items >= 0)).sum()
    )


def _list_tests(collection: Collection, before: Values) -> Sequence[str]:
    most = _count_pictures(collection) if before["protocol"] == PROTOCOL else 0
    return [WHOLE, *(name for name, folds in FOLDS.items() if most >= folds * FOLD)]


CHOICES = (
    TestChoice(
        key="test",
        meaning="test of image-text matching: whole (all pictures and texts), 1K (the first 1,000 "
        "pictures and their texts) or five-fold 1K (the mean of five tests of 1,000 pictures)",
        default=WHOLE,
        allowed=_list_tests,
        changes_numbers=True,
    ),
)
