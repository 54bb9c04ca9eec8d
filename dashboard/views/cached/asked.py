"""What numbers depend on: all that a view asks for, beside the versions and the metrics."""

from __future__ import annotations

from typing import NamedTuple

from dashboard.views.cached.alike import pictures_state
from dashboard.views.cached.opened import opened, text_model_state
from dashboard.views.cached.submitted import Submitted, submitted
from dashboard.views.view import View

NO_CUT = -1.0
"""The least similarity that leaves all results in, whatever the scale of their scores."""


class Question(NamedTuple):
    """All that numbers depend on, beside the versions and the metrics.

    With `text`, `item` or `picture` it is about this one query (its query_id is TYPED), else about
    the collection's stored queries of the kind `queries`. picture: the fingerprint of an uploaded
    one; a text beside it says what it should find and is not searched with. submissions: versions
    that a link adds to the collection's. pictures: the state of those that copies are found by,
    where these are left out. text_model: the state of the model that encodes a typed text, and
    the picture where a version sees with it.
    """

    collection: str
    digest: str
    protocol: str
    groups: tuple[str, ...]
    mapping_threshold: float
    min_similarity: float
    queries: str
    text: str = ""
    item: str = ""
    copies: str = "counted"
    submissions: tuple[Submitted, ...] = ()
    pictures: str = ""
    text_model: str = ""
    picture: str = ""

    @property
    def live(self) -> bool:
        """Whether it is about what is searched with, not about stored queries."""
        return bool(self.text or self.item or self.picture)


def question(view: View, *, live: bool = False) -> Question:
    """What this view's numbers depend on; `live` for what is searched with."""
    name, digest = view.collection, opened(view.collection).digest
    return Question(
        name,
        digest,
        view.protocol,
        view.groups,
        view.mapping_threshold,
        view.min_similarity,
        view.queries,
        view.text if live else "",
        view.item if live and not view.text and not view.picture else "",
        view.copies,
        submitted(view),
        pictures_state(name, digest) if view.copies == "left_out" else "",
        text_model_state() if live and (view.text or view.picture) else "",
        view.picture if live else "",
    )
