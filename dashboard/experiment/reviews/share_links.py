"""Share links to a collection or to one of its reviews; see `storage.reviews.share_links`."""

from __future__ import annotations

from dashboard.storage.collection.collection import Collection
from dashboard.storage.reviews import share_links
from dashboard.storage.reviews.assignments import of_collection
from dashboard.storage.reviews.review_keys import key_of
from dashboard.storage.reviews.share_links import DAYS as DAYS
from dashboard.storage.reviews.share_links import GUEST as GUEST
from dashboard.storage.reviews.share_links import LONGEST_LABEL as LONGEST_LABEL
from dashboard.storage.reviews.share_links import MOST_DAYS as MOST_DAYS
from dashboard.storage.reviews.share_links import ROLES as ROLES
from dashboard.storage.reviews.share_links import UNKNOWN as UNKNOWN
from dashboard.storage.reviews.share_links import ShareLink as ShareLink
from dashboard.storage.reviews.share_links import guest as guest
from dashboard.storage.reviews.share_links import login_by as login_by
from dashboard.storage.reviews.share_links import open_link as open_link
from dashboard.storage.reviews.share_links import possible as possible
from dashboard.storage.reviews.share_links import revoke as revoke

PAGE = "share"
"""The page that a link leads to; the secret stands behind its #, which no browser sends."""


def create(
    collection: Collection,
    author: str,
    *,
    role: str,
    days: int = DAYS,
    label: str = "",
    review: str = "",
) -> tuple[ShareLink, str]:
    """Save a link to a collection or to one of its reviews; gives it with its address.

    Raises ValueError for what no link is, DataError where it may not or cannot be made.
    """
    key = key_of(collection, saying=True)
    if review and review not in {each.id for each in of_collection(key)}:
        raise ValueError(f"no review {review[:40]!r} of {collection.name}")
    link = ShareLink(
        collection=collection.name, key=key, role=role, until="", review=review, label=label.strip()
    )
    made, secret = share_links.create(link, author, days)
    return made, f"{PAGE}#{secret}"


def of(collection: Collection) -> list[ShareLink]:
    """The links of a collection, the newest first."""
    return share_links.listed(key_of(collection))
