"""What reviewers do on a page in review mode, one act a press: saved, taken back, read again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from dashboard.experiment import judging
from dashboard.experiment.collection import collections
from dashboard.experiment.collection.collections import opened
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.memory import remembered
from dashboard.experiment.protocols import context_study
from dashboard.experiment.reviews import keyword_changes
from dashboard.experiment.reviews.keyword_changes import Reviewed
from dashboard.experiment.reviews.people import signed
from dashboard.storage.collection.collection import Collection
from dashboard.storage.reviews import reviews
from dashboard.storage.reviews.review_keys import key_of
from dashboard.storage.reviews.rights import NotAllowed as NotAllowed

UNDO = "undo"
PREFERENCES = reviews.VALUES[reviews.PREFERENCE]
CAUSES = reviews.CAUSES
SEARCHED = ("text:", "item:", "picture:")
"""What begins the name of a query that is not one of the collection's."""
AGE = 0.5
"""Seconds for which all who look share one look at the store."""


@dataclass(frozen=True)
class Act:
    """One press: a verdict on a result, a preference between two versions, a rating of a list
    (`list`: its id, or `own_list` of a version), a correction of a keyword of an item or of what a
    query's words mean, or a step back.

    once: the name of the press, made where it was made. query: what names it in reviews. seen: the
    verdict that a cause or a note is added to, as in `reviews.append`. The rest is as in
    `reviews.Review`.
    """

    once: str
    kind: str
    collection: str
    query: str
    author: str
    item: str = ""
    value: str = ""
    cause: str = ""
    note: str = ""
    run: str = ""
    against: str = ""
    group: str = ""
    keyword: str = ""
    list: str = ""
    seen: str = ""


@dataclass(frozen=True)
class Undone:
    """What a step back took back: the query and the item, or none of a preference."""

    query: str
    item: str


def save(act: Act) -> Undone | None:
    """Save what a reviewer did; it is on the disk when this returns. Sent again under the same name
    it is saved only once. Returns what a step back took back.

    Raises ValueError for what cannot be saved, and for what is added to a verdict that is no longer
    the one that was seen; DataError where the store cannot be written.
    """
    collection, author = opened(act.collection), signed(act.author)
    if not act.once or len(act.once) > reviews.LONGEST_NAME:
        raise ValueError("this press has no name. Reload the page.")
    if act.kind == UNDO:
        if not author.strip():
            raise ValueError("Enter your name.")
        undone = reviews.undo(key_of(collection, saying=True), author, act.once)
        if undone is None:
            return None
        return Undone(undone.query_id or act.query, undone.item_id)  # a keyword is of no query
    if act.kind in (reviews.KEYWORD, reviews.MAPPING):
        subject = act.item if act.kind == reviews.KEYWORD else act.query
        keyword_changes.save(
            collection, act.kind, subject, act.group, act.keyword, act.value, author, act.once
        )
        return None
    if act.kind not in (reviews.VERDICT, reviews.PREFERENCE, reviews.RATING):
        raise ValueError(f"{act.kind[:40]!r} is nothing that a page saves.")
    _check_query(collection, act.query)
    if act.kind == reviews.VERDICT and not (collection.items["item_id"] == act.item).any():
        raise ValueError("this item is no longer in the collection. Reload the page.")
    if act.kind == reviews.RATING:
        _check_list(collection, act)
    review = reviews.Review(
        act.kind,
        key_of(collection, saying=True),
        act.value,
        author,
        query_id=act.query,
        list_id=act.list,
        item_id=act.item,
        run=act.run,
        note=act.note,
        cause=act.cause,
        against=act.against,
    )
    reviews.append(review, act.once, act.seen)
    return None


def own_list(version: str) -> str:
    """What names the list of a version's own results in ratings, beside ids of viewed lists."""
    return f"results of {version}"


def _check_list(collection: Collection, act: Act) -> None:
    own = act.run in collection.versions and act.list == own_list(act.run)
    if not own and not (context_study.list_ids(collection.name) == act.list).any():
        raise ValueError("this list is no longer in the collection. Reload the page.")


def _check_query(collection: Collection, query: str) -> None:
    if query.startswith(SEARCHED) or (collection.queries["query_id"] == query).any():
        return
    raise ValueError("this query is no longer in the collection. Reload the page.")


class ToCorrect(NamedTuple):
    """The keywords of an item or query with what reviewers say, and all that could be one's, by
    group."""

    keywords: list[Reviewed]
    offered: dict[str, list[str]]


def keywords_to_correct(experiment: Experiment, query: str, item: str) -> ToCorrect | None:
    """The keywords of an item, or with no item those that a query's words mean; None where the
    collection has no keywords, or no such query with words.

    Raises DataError where reviews cannot be read.
    """
    collection = experiment.collection
    offered = keyword_changes.keywords_by_group(str(collection.folder), collection.digest)
    if not offered:
        return None
    if item:
        of_item = collections.keywords_of(collection, [item]).get(item, [])
        given = [(group, keyword, "") for group, keyword in of_item]
        kind, subject = reviews.KEYWORD, item
    else:
        if not (judging.is_query(experiment, query) and judging.is_mapped(experiment, query)):
            return None
        mapped = judging.mapped_of(experiment, query)
        given = [(each.group, each.keyword, each.ngram) for each in mapped]
        kind, subject = reviews.MAPPING, query
    rows = keyword_changes.reviewed_keywords(collection, kind, subject, given)
    return ToCorrect(rows, offered)


@remembered(1, seconds=AGE)
def newest() -> int:
    """The number of the last review in the store as it was a moment ago; 0: none. All who ask share
    one look. Raises DataError where the store cannot be read."""
    return reviews.newest()


def of_query(collection: str, query: str) -> tuple[int, list[dict[str, str]]]:
    """The number of the last review in the store, and the last verdict and preference of each
    reviewer on this query: see `reviews.of_query`."""
    return reviews.of_query(_key(collection), query)


@remembered(256)
def of_query_until(collection: str, query: str, number: int) -> tuple[int, list[dict[str, str]]]:
    """The same, read once for all who ask when the store has come to a number."""
    return of_query(collection, query)


def judged_queries(collection: str, author: str) -> list[str]:
    """The queries of which a reviewer has judged a result or a list, or compared the versions."""
    mine = (
        reviews.latest(_key(collection), kind, author=author)["query_id"]
        for kind in (reviews.VERDICT, reviews.PREFERENCE, reviews.RATING)
    )
    return sorted(set().union(*mine))


def judged_results(collection: str, author: str) -> frozenset[tuple[str, str]]:
    """Query and item of each result that a reviewer has judged."""
    mine = reviews.latest(_key(collection), reviews.VERDICT, author=author)
    return frozenset(zip(mine["query_id"], mine["item_id"], strict=True))


@remembered(64, seconds=2)
def _key(collection: str) -> str:
    """The key of a collection's reviews, which a page that looks every second need not look up
    each time."""
    return key_of(opened(collection))
