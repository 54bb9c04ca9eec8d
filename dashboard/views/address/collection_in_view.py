"""A collection with the protocol and the submissions that an address names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dashboard.experiment.protocols.submissions import PROTOCOL, Submission, Submitted, score
from dashboard.tables import DataError

MOST = 8
"""So many submissions stand beside each other: each is checked and scored for whoever opens it."""


class CollectionInView:
    """A collection whose defaults follow the protocol that an address names, and whose versions
    are joined by the submissions that it names; all else is the collection's own."""

    def __init__(self, collection: Any, protocol: str | None, submitted: Sequence[str]) -> None:
        self._collection, self._protocol, self._submitted = collection, protocol, submitted

    def __getattr__(self, name: str) -> Any:
        return getattr(self._collection, name)

    @property
    def protocols(self) -> tuple[str, ...]:
        """The collection's protocols, the one that judges first."""
        first = [self._protocol] if self._protocol else []
        return tuple(dict.fromkeys([*first, *self._collection.protocols]))

    @property
    def versions(self) -> tuple[str, ...]:
        """The collection's versions, then the submissions' names."""
        return (*self._collection.versions, *self._submitted)

    @property
    def default_baseline(self) -> str:
        """The collection's; where it has no version of its own the first submission, if any."""
        return self._usual("default_baseline", 0)

    @property
    def default_candidate(self) -> str:
        """The collection's; where it has no version of its own the last submission, if any."""
        return self._usual("default_candidate", -1)

    def _usual(self, role: str, place: int) -> str:
        if self._collection.versions:
            return str(getattr(self._collection, role))
        return self._submitted[place] if self._submitted else ""


def read_submissions(texts: Sequence[str], collection: Any) -> tuple[str, ...]:
    """The submissions that an address names, each checked and scored.

    Raises ValueError with the sentence for the first one that cannot be used.
    """
    texts, found = list(filter(None, texts)), dict[str, str]()
    if len(texts) > MOST:
        raise ValueError(f"asks for {len(texts):,} submissions; at most {MOST} fit")
    for text in texts:
        try:
            named = Submission.of(text)
        except ValueError as error:
            raise ValueError(f"asks for the submission {text[:80]!r}: {error}") from None
        if named.name in found or named.name in collection.versions:
            raise ValueError(f"names two versions {named.name!r}; rename one")
        if PROTOCOL not in collection.protocols:
            raise ValueError(f"asks for submissions, which need the protocol {PROTOCOL}")
        try:
            folder, digest = str(collection.folder), collection.digest
            problem = score(folder, digest, Submitted.of(named)).problem
        except DataError as error:
            problem = str(error)
        if problem:
            raise ValueError(f"asks for the submission {named.name!r}: {problem}")
        found[named.name] = str(named)
    return tuple(found.values())
