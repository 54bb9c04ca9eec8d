"""Reviews that somebody makes for others: which queries of which versions, who is wanted, and
whether the versions' names are hidden. They are only ever added; the last row of an id counts."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any

from sqlalchemy import Row, insert, select

from dashboard.storage.reviews import audit, rights, store
from dashboard.storage.reviews.review_tables import ASSIGNMENT
from dashboard.storage.reviews.reviews import LONGEST_NAME, LONGEST_NOTE
from dashboard.tables import DataError

MOST_QUERIES = 10_000
_OWN_COLUMNS = ("id", "author", "time")


@dataclass(frozen=True, kw_only=True)
class Sample:
    """What results a review draws, for an estimate of a metric.

    results: query, item, stratum (its place in `strata`), whether it was drawn (1 or 0), and what
    it adds to the metric of baseline and candidate if it is relevant. sure: what labels already
    add. queries: how many the mean is over. every: labelled results were drawn from, too. Of a
    metric that divides by what is relevant, the last two of a result are its ranks, and relevant is
    query and ranks of each result that labels already make so.
    """

    metric: str
    seed: int
    strata: tuple[str, ...]
    results: tuple[tuple[str, str, int, int, float, float], ...]
    sure: tuple[float, float]
    queries: int
    every: bool
    relevant: tuple[tuple[str, int, int], ...] = ()

    @property
    def drawn(self) -> tuple[tuple[str, str], ...]:
        """Query and item of each result that was drawn, in the order in which they are judged."""
        return tuple((query, item) for query, item, _, drawn, *_ in self.results if drawn)


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A machine that judged a review's results: model, prompt and settings (JSON) as they were
    sent, the address without secrets, frames of each clip; fingerprint: of all but the address."""

    fingerprint: str
    model: str
    prompt: str
    settings: str
    place: str
    frames: int


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """What reviewers are wanted to judge.

    collection: its key among reviews. queries: their ids in the order in which they are judged;
    chosen: how they were chosen, in words. people: who is wanted; nobody: whoever has the link.
    blind: versions and earlier answers are hidden until one's own is given. content: the
    fingerprint of the collection when it was made. seed: what shuffles the sides; never shown.
    sample: the results that are judged one by one; None: the two versions are compared by query.
    machines: those that were asked, too.

    Raises ValueError, in a sentence, for what cannot be reviewed.
    """

    collection: str
    title: str
    baseline: str
    candidate: str
    protocol: str
    queries: tuple[str, ...]
    chosen: str = ""
    instruction: str = ""
    people: tuple[str, ...] = ()
    blind: bool = True
    content: str = ""
    closed: bool = False
    sample: Sample | None = None
    machines: tuple[Machine, ...] = ()
    seed: str = ""
    id: str = ""
    author: str = ""
    time: str = ""

    def __post_init__(self) -> None:
        if not self.title.strip():
            raise ValueError("Enter a title.")
        if len(self.title) > LONGEST_NAME or len(self.instruction) > LONGEST_NOTE:
            raise ValueError(
                f"A title has at most {LONGEST_NAME} characters, an instruction {LONGEST_NOTE:,}."
            )
        if not self.queries:
            raise ValueError("No query was chosen. Choose others.")
        if len(self.queries) > MOST_QUERIES:
            raise ValueError(f"{len(self.queries):,} queries; at most {MOST_QUERIES:,} fit.")
        if self.baseline == self.candidate:
            raise ValueError("A review compares two versions. Choose another candidate.")
        if any(len(name) > LONGEST_NAME for name in self.people):
            raise ValueError(f"A name has at most {LONGEST_NAME} characters.")


def create(assignment: Assignment, author: str) -> Assignment:
    """Save a new review; it is on the disk when this returns, and has an id of its own.

    Raises NotAllowed without the right, DataError where it cannot be saved.
    """
    who = rights.require(rights.ASSIGN, author, collection=assignment.collection)
    if not author.strip():
        raise ValueError("Enter your name.")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    made = replace(assignment, id=token_hex(6), seed=token_hex(16), author=author, time=now)
    _add(made, who, audit.CREATE)
    return made


def close(assignment: Assignment, author: str) -> Assignment:
    """Save that a review takes no more answers; raises as `create`."""
    who = rights.require(rights.ASSIGN, author, collection=assignment.collection)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    stored = named(assignment.id) or assignment  # a machine may have been added meanwhile
    closed = replace(stored, closed=True, author=author, time=now)
    _add(closed, who, audit.CLOSE)
    return closed


def add_machine(assignment: Assignment, machine: Machine, author: str) -> Assignment:
    """Save that a machine is asked, unless it was before; raises as `create`."""
    who = rights.require(rights.ASSIGN, author, collection=assignment.collection)
    stored = named(assignment.id) or assignment
    if machine.fingerprint in {each.fingerprint for each in stored.machines}:
        return stored
    now = datetime.now(UTC).isoformat(timespec="seconds")
    added = replace(stored, machines=(*stored.machines, machine), author=author, time=now)
    _add(added, who, audit.ASK)
    return added


def _add(assignment: Assignment, who: rights.Actor, action: str) -> None:
    values = asdict(assignment)
    own = {name: values.pop(name) for name in _OWN_COLUMNS}
    row = {**own, "definition": json.dumps(values, ensure_ascii=False)}
    with store.opened(writing=True) as connection:
        connection.execute(insert(ASSIGNMENT).values(row))
        named = {"name": assignment.author, "collection": assignment.collection}
        audit.add(connection, who, action, **named, id=assignment.id, title=assignment.title)


def named(id: str) -> Assignment | None:
    """The review of an id, as it is now; None where there is none."""
    return next((each for each in _all() if each.id == id), None)


def of_collection(collection: str) -> list[Assignment]:
    """All reviews of a collection, the newest first."""
    return [each for each in _all() if each.collection == collection][::-1]


def _all() -> list[Assignment]:
    """The last row of each id that the actor may read, in the order in which they were made."""
    who = rights.require(rights.READ)
    if not store.exists():
        return []
    columns = (ASSIGNMENT.c[name] for name in (*_OWN_COLUMNS, "definition"))
    with store.opened(writing=False) as connection:
        rows = connection.execute(select(*columns).order_by(ASSIGNMENT.c.number)).all()
    every = {row.id: _read(row) for row in rows}.values()
    mine = [each for each in every if who.key in ("", each.collection)]
    return [each for each in mine if who.review in ("", each.id)]


def _read(row: Row[Any]) -> Assignment:
    try:
        values = json.loads(row.definition)
        names = {each.name for each in fields(Assignment)}
        known = {name: values[name] for name in values if name in names}
        known |= {name: tuple(known[name]) for name in ("queries", "people")}
        if known.get("sample"):
            known["sample"] = _sample(known["sample"])
        known["machines"] = tuple(Machine(**each) for each in known.get("machines", ()))
        return Assignment(**known, **{name: getattr(row, name) for name in _OWN_COLUMNS})
    except (ValueError, TypeError, KeyError) as problem:
        found = f"a review {row.id[:40]!r} that cannot be read ({problem})"
        raise DataError(store.name(), found, "one that this program wrote") from None


def _sample(values: dict[str, Any]) -> Sample:
    """The sample of a definition, which JSON made lists of."""
    results = tuple(tuple(row) for row in values["results"])
    lists = {name: tuple(values[name]) for name in ("strata", "sure")}
    relevant = tuple(tuple(row) for row in values.get("relevant", ()))
    return Sample(**{**values, **lists, "results": results, "relevant": relevant})
