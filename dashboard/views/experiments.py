"""The experiment that a view is about: the one way from an address to its numbers."""

from __future__ import annotations

from typing import cast

from dashboard.experiment.collections import Collection, opened
from dashboard.experiment.experiment import Experiment, Which
from dashboard.experiment.submissions import Scored, Submission, Submitted, score
from dashboard.views.view import View


def experiment_of(view: View, *, live: bool = False) -> Experiment:
    """What a view's numbers depend on; `live` for what is searched with."""
    return Experiment.of(
        opened(view.collection),
        protocol=view.protocol,
        groups=view.groups,
        mapping_threshold=view.mapping_threshold,
        queries=cast(Which, view.queries),
        min_similarity=view.min_similarity,
        copies=view.copies,
        text=view.text if live else "",
        item=view.item if live else "",
        picture=view.picture if live else "",
        submissions=submitted_of(view),
    )


def submitted_of(view: View) -> tuple[Submitted, ...]:
    """The submissions of a view, each in the state that its files are in."""
    texts = getattr(view, "submissions", None) or ()
    return tuple(Submitted.of(Submission.of(text)) for text in texts)


def versions_of(view: View) -> tuple[str, ...]:
    """All versions of a view: those of its collection, then its submissions."""
    return (*opened(view.collection).versions, *(each.name for each in submitted_of(view)))


def outcome_of(collection: Collection, text: str) -> Scored:
    """What becomes of the submission that a text names, such as `mine=gallery.npy,queries.npy`.

    Raises ValueError where the text names none, DataError where its files are not there.
    """
    submitted = Submitted.of(Submission.of(text))
    return score(str(collection.folder), collection.digest, submitted)
