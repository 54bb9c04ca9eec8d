"""The experiment that a view is about: the one way from an address to its numbers."""

from __future__ import annotations

from dataclasses import fields

from dashboard.experiment.collection.collections import opened
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.protocols.submissions import Submission, Submitted
from dashboard.views.address.choices import CHOICES, View

LIVE = {"text", "item", "picture"}
"""Keys that count only for what is searched with."""
KEYS = {field.name for field in fields(Experiment)} & set(CHOICES) - {"submissions"}
"""Keys of the address that are fields of the experiment as they are."""


def experiment_of(view: View, *, live: bool = False) -> Experiment:
    """What a view's numbers depend on; `live` for what is searched with."""
    values = {key: getattr(view, key) for key in (KEYS if live else KEYS - LIVE)}
    return Experiment.of(
        opened(view.collection), **values, submissions=submitted_of(view), labels=view.labels
    )


def submitted_of(view: View) -> tuple[Submitted, ...]:
    """The submissions of a view, each in the state that its files are in."""
    texts = getattr(view, "submissions", None) or ()
    return tuple(Submitted.of(Submission.of(text)) for text in texts)


def versions_of(view: View) -> tuple[str, ...]:
    """All versions of a view: those of its collection, then its submissions."""
    return (*opened(view.collection).versions, *(each.name for each in submitted_of(view)))
