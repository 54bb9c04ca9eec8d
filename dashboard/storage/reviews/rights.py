"""Who may do what with reviews. Every function of the store that reads or writes them asks here.

Who acts is what `identify_by` was given to find out: on the command line, and on a page that only
this machine can open, whoever it is, under any name; behind a login, whom the login names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from dashboard.tables import DataError

ROLES = ("nobody", "viewer", "reviewer", "curator", "admin")
"""From no right to all: each has the rights of those before it."""
READ, REVIEW, DECIDE, ASSIGN, KEEP = "read", "review", "decide", "assign", "keep"
LEAST = {READ: "viewer", REVIEW: "reviewer", DECIDE: "curator", ASSIGN: "curator", KEEP: "admin"}
"""The least role that has each right: to read reviews; to save and take back one's own; to decide
where reviewers differ; to make a review and close it; to copy and check the whole store."""
_WORDS = {
    READ: "to read reviews",
    REVIEW: "to review",
    DECIDE: "to decide where reviewers differ",
    ASSIGN: "to make or close a review",
    KEEP: "to copy or check the store",
}


LOGIN, PROXY, LINK, UNCHECKED = "login", "proxy", "share link", "nobody checked"


@dataclass(frozen=True)
class Actor:
    """Who acts. checked: a login vouches for the name, so that no other can be used; by: what
    vouches, PROXY or LINK where it is not the login.

    collection, review: a guest of a share link has rights for nothing else: the name of the
    collection's folder and, of a link to one review, its id; key: of the collection's reviews.
    """

    name: str
    role: str
    checked: bool = False
    by: str = ""
    collection: str = ""
    key: str = ""
    review: str = ""

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise ValueError(f"{self.role[:40]!r} is no role: {', '.join(ROLES)} are")

    @property
    def identity(self) -> str:
        """What vouches for the name."""
        return self.by or (LOGIN if self.checked else UNCHECKED)

    def may(self, right: str) -> bool:
        """Whether the role has a right."""
        return ROLES.index(self.role) >= ROLES.index(LEAST[right])


class NotAllowed(DataError):
    """The role lacks the right, or the name is another's. Nothing was read or written."""


ANYBODY = Actor("", "admin")
"""Whoever sits at this machine: all rights, and a name that nobody checks."""
_identify: list[Callable[[], Actor]] = [lambda: ANYBODY]
_record: list[Callable[[Actor, str, str], None]] = []
_acting: ContextVar[Actor | None] = ContextVar("acting", default=None)


def identify_by(find: Callable[[], Actor]) -> None:
    """Sets how it is found out who acts."""
    _identify[0] = find


@contextmanager
def acting(actor: Actor) -> Iterator[None]:
    """A block in which an actor is known already, such as by a request."""
    before = _acting.set(actor)
    try:
        yield
    finally:
        _acting.reset(before)


def actor() -> Actor:
    """Who acts."""
    return _acting.get() or _identify[0]()


def record_refusals_by(record: Callable[[Actor, str, str], None]) -> None:
    """Sets what records who was refused which right, and in which words."""
    _record[:] = [record]


def require(
    right: str, author: str = "", *, collection: str | None = None, review: str | None = None
) -> Actor:
    """Who acts, if they have a right; author: the name that a review stands under; collection: the
    key that the call is about; review: the id of the assignment, empty for none.

    Raises NotAllowed otherwise: for a name that the login does not vouch for, and for what a share
    link is not about. A refusal is recorded.
    """
    who = actor()
    refused = _refusal(who, right, author, collection, review)
    if refused is not None:
        for record in _record:
            record(who, right, refused.found)
        raise refused
    return who


def _refusal(
    who: Actor, right: str, author: str, collection: str | None, review: str | None
) -> NotAllowed | None:
    if not who.may(right):
        cure = f"Ask an admin for the role {LEAST[right]}."
        wanted = f"{LEAST[right]} {_WORDS[right]}"
        return NotAllowed("reviews", f"the role {who.role}", wanted, cure=cure)
    if who.checked and author and author != who.name:
        return NotAllowed("reviews", f"the name {author[:80]!r}", f"your own, {who.name[:80]!r}")
    if who.key and collection not in (None, who.key):
        return NotAllowed("reviews", "another collection", f"that of your link, {who.key}")
    if who.review and review not in (None, who.review):
        return NotAllowed("reviews", "something else", "the review that your link is for")
    return None
