"""Reviews: verdicts on results, ratings of lists, preferences between two versions, corrections of
keywords and decisions of a curator, in a store apart from the collections.

Reviews are only ever added: a reviewer who thinks again adds a new one, and the last one counts, by
its number and not by a clock. No metric reads verdicts.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from uuid import uuid4

import pandas as pd
from sqlalchemy import Connection, func, insert, select

from dashboard.storage.reviews import audit, rights, store
from dashboard.storage.reviews.review_tables import REVIEW
from dashboard.tables import REVIEWS

VERDICT, RATING, PREFERENCE, DECISION = "verdict", "rating", "preference", "decision"
KEYWORD, MAPPING = "keyword", "mapping"
MACHINE, FAILED = "machine", "failed"
KEYWORD_DECISION, MAPPING_DECISION = "keyword decision", "mapping decision"
DECISIONS = {VERDICT: DECISION, KEYWORD: KEYWORD_DECISION, MAPPING: MAPPING_DECISION}
"""Of each kind on which reviewers can differ the kind of a curator's decision."""
_JUDGED = ("relevant", "not", "unsure")
VALUES = {
    VERDICT: _JUDGED,
    RATING: ("1", "2", "3", "4", "5"),
    PREFERENCE: ("much better", "better", "same", "worse", "much worse", "cannot judge"),
    DECISION: _JUDGED,
    KEYWORD: ("add", "remove"),
    MAPPING: ("remove",),
    KEYWORD_DECISION: ("add", "remove"),
    MAPPING_DECISION: ("remove",),
    MACHINE: (*_JUDGED, FAILED),
}
"""The values of each kind; a verdict or a decision may be a grade instead, from 0 to 99, and a
mapping is added with the words that mean the keyword: `add at night`. What a machine says is of
a kind of its own, so that no reader of verdicts takes it for a person's; `run` is its fingerprint,
`against` the model that answered."""
CAUSES = ("model", "label", "mapping", "look-alike", "duplicate")
"""What a reviewer may hold to be the cause of a wrong result."""
_UNDO = "undo "  # begins the names of reviews that take one back
TAKEN_BACK = ""  # a value of every kind: the reviewer withdraws the last review
LONGEST_NOTE, LONGEST_NAME, LONGEST_ID = 2_000, 80, 2_000  # characters
_SUBJECT = ["kind", "collection", "query_id", "list_id", "item_id", "run", "against", "assignment"]
_GRADE = re.compile("[0-9]|[1-9][0-9]")


@dataclass(frozen=True)
class Review:
    """One reviewer's review of a result, a list, two versions, or a keyword of an item (KEYWORD) or
    of a query's words (MAPPING), which `list_id` names: group and keyword, a list in JSON. `run`
    names the version, if there is one, and `against` the other one.

    collection: the key of the collection (`review_keys.key_of`). value: a preference is about `run`
    in comparison with `against`. cause: one of CAUSES, or none. assignment: the id of the
    assignment that the reviewer was at.

    Raises ValueError, in a sentence for the reviewer, for a value that the kind does not have, a
    name that is missing, and texts that are too long or hold control characters.
    """

    kind: str
    collection: str
    value: str
    author: str
    query_id: str = ""
    list_id: str = ""
    item_id: str = ""
    run: str = ""
    note: str = ""
    cause: str = ""
    against: str = ""
    assignment: str = ""

    def __post_init__(self) -> None:
        if self.kind not in VALUES:
            raise ValueError(f"{self.kind!r} is no kind of review: {', '.join(VALUES)} are.")
        graded = self.kind in (VERDICT, DECISION) and _GRADE.fullmatch(self.value)
        mapped = self.kind in (MAPPING, MAPPING_DECISION) and self.value.startswith("add ")
        if self.value not in (*VALUES[self.kind], TAKEN_BACK) and not (graded or mapped):
            known = ", ".join(VALUES[self.kind])
            raise ValueError(f"{self.value[:40]!r} is no {self.kind}: {known} are.")
        if not self.author.strip():
            raise ValueError("Enter your name.")
        if self.cause not in ("", *CAUSES):
            raise ValueError(f"{self.cause[:40]!r} is no cause: {', '.join(CAUSES)} are.")
        if self.kind == PREFERENCE:
            if not (self.query_id and self.run and self.against) or self.run == self.against:
                raise ValueError("A preference is of a query between two versions.")
        elif not (self.item_id or self.list_id):
            raise ValueError("A review is of an item or of a list; none is named.")
        for each in fields(self):
            check_text(each.name, getattr(self, each.name))


def append(review: Review, once: str | None = None, seen: str = "") -> int:
    """Save a review and return its number. It is on the disk when this returns.

    once: a name for this review; a second one of the same name (a click that was sent twice) is not
    saved. seen: of a cause or a note that is added to a verdict the value, cause and note that were
    on the screen, a list in JSON. Raises ValueError where another one has taken their place since,
    DataError where it cannot be saved, NotAllowed where it may not be.
    """
    right = rights.DECIDE if review.kind in DECISIONS.values() else rights.REVIEW
    about = {"collection": review.collection, "review": review.assignment}
    who = rights.require(right, review.author, **about)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    named = once or uuid4().hex
    named = f"-{named}" if named.startswith(_UNDO) else named
    row = asdict(review) | {"time": now, "said_once": named}
    try:
        return _add(row, review, who, seen)
    except store.Interrupted:  # it may be there or not: under its name it is added once
        return _add(row, review, who, seen)


def _add(row: dict[str, str], review: Review, who: rights.Actor, seen: str) -> int:
    before = select(REVIEW.c.number).where(REVIEW.c.said_once == row["said_once"])
    with store.opened(writing=True) as connection:
        number = connection.execute(before).scalar()
        if number is None:
            if seen:
                _check_seen(connection, review, seen)
            added = insert(REVIEW).values(row).returning(REVIEW.c.number)
            number = connection.execute(added).scalar_one()
            action = audit.DECIDE if review.kind in DECISIONS.values() else audit.SAVE
            action = action if review.value != TAKEN_BACK else audit.TAKE_BACK
            _audit(connection, who, action, review, number)
    return int(number)


def _check_seen(connection: Connection, review: Review, seen: str) -> None:
    """Raises ValueError where its author's verdict is not the one that was on the screen."""
    columns = [REVIEW.c[name] for name in REVIEWS.columns]
    same = [
        REVIEW.c[name] == getattr(review, name)
        for name in ("collection", "kind", "query_id", "item_id", "author")
    ]
    rows = connection.execute(select(*columns).where(*same).order_by(REVIEW.c.number)).all()
    last = [[each["value"], each["cause"], each["note"]] for each in _last_of_each(rows)][-1:]
    try:
        unchanged = [json.loads(seen)] == last
    except (ValueError, RecursionError):
        unchanged = False
    if not unchanged:
        raise ValueError(
            "your verdict on this result has changed meanwhile, in another tab or window. "
            "What you typed is kept: look at the verdict, choose again, and save again."
        )


def _audit(
    connection: Connection, who: rights.Actor, action: str, review: Review, number: int
) -> None:
    audit.add(
        connection,
        who,
        action,
        name=review.author,
        collection=review.collection,
        review=number,
        **audit.describe(review),
    )


def undo(collection: str, author: str, once: str | None = None) -> Review | None:
    """Take back an author's last review of a collection: what was before it is appended, so that it
    counts again. Returns what was taken back; None where nothing is left, or where this was done.

    once: a name for this step back, as in `append`. Raises DataError where it cannot be saved,
    NotAllowed where it may not be.
    """
    who = rights.require(rights.REVIEW, author, collection=collection, review="")
    mine = (REVIEW.c.collection == collection) & (REVIEW.c.author == author)
    if not who.may(rights.DECIDE):  # who was a curator takes no decision back
        mine &= REVIEW.c.kind.not_in(DECISIONS.values())
    names = [each.name for each in fields(Review)]
    asked = select(*(REVIEW.c[name] for name in [*names, "said_once"])).where(mine)
    named = _UNDO + (once or uuid4().hex)
    with store.opened(writing=True) as connection:
        said = connection.execute(asked.order_by(REVIEW.c.number)).all()
        done: list[tuple[Review, Review]] = []  # each review that is not taken back, and the former
        last: dict[tuple[str, ...], Review] = {}
        for *row, name in said:
            review = Review(**dict(zip(names, row, strict=True)))
            subject = tuple(getattr(review, column) for column in _SUBJECT)
            if name == named:
                return None
            if (name or "").startswith(_UNDO):
                done.pop()
            else:
                done.append((review, last.get(subject, replace(review, value=TAKEN_BACK))))
            last[subject] = review
        if not done:
            return None
        review, former = done[-1]
        now = datetime.now(UTC).isoformat(timespec="seconds")
        row_of = asdict(former) | {"time": now, "said_once": named}
        added = insert(REVIEW).values(row_of).returning(REVIEW.c.number)
        number = connection.execute(added).scalar_one()
        _audit(connection, who, audit.TAKE_BACK, review, number)
    return review


def state(collection: str, kind: str) -> tuple[str, int]:
    """A value that changes with every review of a kind: the store, and the number of the last
    review (0: none). Costs one look into the index, however many reviews there are.

    Raises DataError where the store cannot be read.
    """
    rights.require(rights.READ, collection=collection, review="")
    if not store.exists():
        return "", 0
    mine = (REVIEW.c.collection == collection) & (REVIEW.c.kind == kind)
    last = select(REVIEW.c.number, REVIEW.c.time).where(mine)
    with store.opened(writing=False) as connection:
        row = connection.execute(last.order_by(REVIEW.c.number.desc()).limit(1)).first()
        number, time = (int(row[0]), str(row[1])) if row else (0, "")
        return f"{store.identity()} {time}", number


def newest() -> int:
    """The number of the last review in the store, of whatever collection; 0 where there is none.

    Costs one look at the end of the table. Raises DataError where the store cannot be read.
    """
    rights.require(rights.READ)
    if not store.exists():
        return 0
    with store.opened(writing=False) as connection:
        return int(connection.execute(select(func.max(REVIEW.c.number))).scalar() or 0)


def latest(collection: str, kind: str, *, until: int | None = None, **about: str) -> pd.DataFrame:
    """The last review of each thing by each reviewer, oldest first: the table REVIEWS.

    about: narrows it by query_id="q7", list_id=…, item_id=…, run=…, author=…. Withdrawn reviews are
    left out, and so are those with a number above `until`. Empty without a store; raises DataError
    where the store cannot be read.
    """
    said = history(collection, kind, until=until, **about)
    last = said.drop_duplicates([*_SUBJECT, "author"], keep="last")
    return last[last["value"] != TAKEN_BACK].reset_index(drop=True)


def of_query(collection: str, query_id: str) -> tuple[int, list[dict[str, str]]]:
    """The number of the last review in the store, and of one query the last verdict, preference and
    rating of each reviewer on each thing, oldest first: the columns of REVIEWS, as text.

    In one short transaction, for pages that look every second. Raises DataError where the store
    cannot be read.
    """
    rights.require(rights.READ, collection=collection, review="")
    columns = [REVIEW.c[name] for name in REVIEWS.columns]
    mine = (REVIEW.c.collection == collection) & (REVIEW.c.query_id == query_id)
    asked = select(*columns).where(mine & REVIEW.c.kind.in_((VERDICT, PREFERENCE, RATING)))
    if not store.exists():
        return 0, []
    with store.opened(writing=False) as connection:
        number = connection.execute(select(func.max(REVIEW.c.number))).scalar() or 0
        rows = connection.execute(asked.order_by(REVIEW.c.number)).all()
    return int(number), _last_of_each(rows)


def _last_of_each(rows: Iterable[Sequence[object]]) -> list[dict[str, str]]:
    """Of rows of REVIEWS, oldest first, the last of each thing by each reviewer, without those that
    were withdrawn."""
    last: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        review = {name: str(value) for name, value in zip(REVIEWS.columns, row, strict=True)}
        subject = tuple(review[name] for name in (*_SUBJECT, "author"))
        last.pop(subject, None)
        last[subject] = review
    return [review for review in last.values() if review["value"] != TAKEN_BACK]


def history(collection: str, kind: str, *, until: int | None = None, **about: str) -> pd.DataFrame:
    """All reviews, oldest first, with those that were replaced or withdrawn."""
    rights.require(rights.READ, collection=collection, review=about.get("assignment", ""))
    unknown = set(about) - set(REVIEWS.columns)
    if unknown:
        raise ValueError(f"reviews have no {', '.join(sorted(unknown))}")
    wanted = {"collection": collection, "kind": kind, **about}
    asked = select(*(REVIEW.c[column] for column in REVIEWS.columns)).order_by(REVIEW.c.number)
    for column, value in wanted.items():
        asked = asked.where(REVIEW.c[column] == value)
    if until is not None:
        asked = asked.where(REVIEW.c.number <= until)
    if not store.exists():
        return REVIEWS.empty()
    with store.opened(writing=False) as connection:
        rows = connection.execute(asked).all()
    return REVIEWS.check(pd.DataFrame(rows, columns=list(REVIEWS.columns)), store.name())


def check_text(name: str, text: str) -> None:
    """Raises ValueError, with a sentence for the reviewer, for a text that cannot be saved."""
    longest = {"note": LONGEST_NOTE, "author": LONGEST_NAME}.get(name, LONGEST_ID)
    if len(text) > longest:
        raise ValueError(f"The {name} has {len(text):,} characters; {longest:,} are kept.")
    odd = {"Cc", "Cs"} if name != "note" else {"Cs"}
    if "\0" in text or any(unicodedata.category(letter) in odd for letter in text):
        raise ValueError(f"The {name} holds characters that cannot be kept.")
