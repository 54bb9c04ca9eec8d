"""What every number depends on, beside versions and metrics: one frozen value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.evaluation.protocols import Protocol, protocol_of, trec
from dashboard.experiment.collection.collections import (
    collection_in,
    encodes_stored_texts,
    text_model_state,
)
from dashboard.experiment.collection.near_duplicates import LEFT_OUT, pictures_state
from dashboard.experiment.memory import remembered
from dashboard.experiment.protocols.submissions import Submitted
from dashboard.experiment.reviews.corrections import CORRECTED, GIVEN, State, state_of
from dashboard.retrieval.one_query import TYPED as TYPED
from dashboard.retrieval.runs import Which as Which
from dashboard.storage.collection.collection import Collection

NO_CUT = -1.0
"""The least similarity that leaves all results in, whatever the scale of their scores."""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A collection in one state with the choices that numbers depend on. Equal experiments have
    equal numbers.

    With `text`, `item` or `picture` it is about this one query (its query_id is TYPED), else about
    the stored queries of the kind `queries`: text, item or all.

    picture          the fingerprint of an uploaded picture; a text beside it says what it should
                     find and is not searched with
    copies           near-duplicates: counted or left_out
    min_similarity   results with a lower score are left out
    submissions      versions that stand beside the collection's
    scale, level     of the protocol trec: credit is grade ÷ scale, and the least relevant grade
    pictures         state of the pictures that near-duplicates are found by, where these are left
                     out
    text_model       state of the model that encodes a typed text, stored texts without vectors, and
                     the picture where a version sees with it
    exact            versions with an index are searched exactly all the same
    corrections      the state of the reviewers' corrections where labels count with them
    """

    folder: str
    digest: str
    protocol: str
    groups: tuple[str, ...]
    mapping_threshold: float
    queries: Which
    min_similarity: float = NO_CUT
    copies: str = "counted"
    text: str = ""
    item: str = ""
    picture: str = ""
    submissions: tuple[Submitted, ...] = ()
    scale: float | None = None
    level: float | None = None
    pictures: str = ""
    text_model: str = ""
    exact: bool = False
    corrections: State | None = None

    @classmethod
    def of(
        cls,
        collection: Collection,
        *,
        protocol: str,
        groups: Sequence[str],
        mapping_threshold: float,
        queries: Which,
        min_similarity: float = NO_CUT,
        copies: str = "counted",
        text: str = "",
        item: str = "",
        picture: str = "",
        submissions: tuple[Submitted, ...] = (),
        scale: float | None = None,
        level: float | None = None,
        labels: str = GIVEN,
    ) -> Experiment:
        """The experiment on an opened collection; of picture, text and item the first one is
        searched with. labels: as given, or corrected by reviewers; a search that is no stored
        query has them as given.

        Raises ValueError for a protocol whose labels verdicts do not correct.
        """
        folder, digest = str(collection.folder), collection.digest
        live = bool(text or item or picture)
        encodes = bool(text or picture) if live else encodes_stored_texts(collection)
        return cls(
            folder=folder,
            digest=digest,
            protocol=protocol,
            groups=tuple(groups),
            mapping_threshold=mapping_threshold,
            queries=queries,
            min_similarity=min_similarity,
            copies=copies,
            text=text,
            item=item if not text and not picture else "",
            picture=picture,
            submissions=submissions,
            scale=scale,
            level=level,
            pictures=pictures_state(folder, digest) if copies == LEFT_OUT else "",
            text_model=text_model_state() if encodes else "",
            corrections=(
                state_of(collection, protocol) if labels == CORRECTED and not live else None
            ),
        )

    @property
    def collection(self) -> Collection:
        """The opened collection. Raises DataError where its files have changed since."""
        return collection_in(self.folder, self.digest)

    @property
    def rules(self) -> Protocol:
        """The protocol that judges, with the collection's cutoffs."""
        return _rules(self.folder, self.digest, self.protocol, self.scale, self.level)

    @property
    def live(self) -> bool:
        """Whether it is about what is searched with, not about stored queries."""
        return bool(self.text or self.item or self.picture)

    @property
    def fleeting(self) -> bool:
        """Whether its results may not outlive the process: of one search, of what is named by the
        times of files only, of a model that may have failed to encode its texts today, or with
        corrections."""
        return self.live or bool(self.submissions or self.text_model or self.corrections)

    @property
    def leaves_copies_out(self) -> bool:
        """Whether of several near-duplicates only the first in a list counts."""
        return self.copies == LEFT_OUT


@remembered(64)
def _rules(
    folder: str, digest: str, name: str, scale: float | None, level: float | None
) -> Protocol:
    if scale is not None or level is not None:
        return trec.with_options(scale, level)
    return protocol_of(collection_in(folder, digest), name)
