"""Choices: labels as given or corrected by people who judged, judging, and a list to judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dashboard.study.choices import Choice, Values

if TYPE_CHECKING:
    from dashboard.evaluation.judgement import Judgement
    from dashboard.storage.collection import Collection

GIVEN = "given"
CORRECTED = "corrected"
PART = "review"
"""Key of the address that names the list that is open on Reviews, or another part of it."""
NO_TASK = {PART: "", "list": "", "judge": ""}
"""Keys of an address that shows a query to somebody who does not judge it."""
LEFT_ALONE = ("crossmodal", "hashing", "context")
"""Protocols whose labels are no grades of single results; verdicts do not correct them."""


@dataclass(frozen=True)
class CorrectedLabels:
    """Labels with corrections, in one state of the store.

    The text of the value is `corrected`. The state belongs to the value, so that a Study, which
    is kept by its choices, is computed anew when somebody has saved a verdict.

    Attributes:
        key: The collection's key in the store.
        store: What tells the store from another one.
        number: Last row that counts.
    """

    key: str
    store: str
    number: int

    def __str__(self) -> str:
        return CORRECTED


class LabelsChoice(Choice):
    """The choice of labels, which looks up the state of the store."""

    def read(self, given: str, collection: Collection, before: Values) -> Any:
        """Return the labels of a name.

        Raises:
            ChoiceError: If there are no such labels, or the protocol takes labels as given.
            DataError: If the store cannot be read.
        """
        if super().read(given, collection, before) != CORRECTED:
            return given
        from dashboard.plugins.reviews.verdicts import read_state

        return CorrectedLabels(*read_state(collection.folder))


def _explain_lack(given: str, collection: Collection, before: Values) -> str:
    is_lacking = given != GIVEN and before["protocol"] in LEFT_ALONE
    return f"the protocol {before['protocol']} takes labels as given" if is_lacking else ""


CHOICES = (
    LabelsChoice(
        key="labels",
        noun="kind of labels",
        meaning="given, or corrected: by decisions, else by what most people who judged say (one "
        "is enough)",
        default=GIVEN,
        explain_lack=_explain_lack,
        allowed=lambda collection, before: (GIVEN, CORRECTED),
        changes_numbers=True,
    ),
    Choice(
        key="judge",
        noun="value of judge",
        meaning="whether the results of a query are judged: no or yes",
        default="no",
        allowed=lambda collection, before: ("no", "yes"),
    ),
    Choice(key="list", meaning="list whose pairs are judged (default: all results)"),
    Choice(key=PART, meaning="list that is open on Reviews, or one of its parts"),
)


def amend_judgement(collection: Collection, choices: Values, judgement: Judgement) -> Judgement:
    """Return a judgement with corrections, where the choice of labels asks for them."""
    labels = choices["labels"]
    if labels == GIVEN:
        return judgement
    from dashboard.plugins.reviews.corrections import correct
    from dashboard.plugins.reviews.verdicts import list_history

    rows = [row for row in list_history(labels.key) if row.number <= labels.number]
    return correct(collection, judgement, rows)
