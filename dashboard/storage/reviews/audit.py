"""Who did what with reviews, when, and what vouched for the name: rows that are only ever added, in
the transaction of the act itself. They hold no note and no secret."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from threading import Lock
from typing import Any

import pandas as pd
from cachetools import TTLCache, cached
from sqlalchemy import Connection, func, insert, select

from dashboard.storage.reviews import rights, store
from dashboard.storage.reviews.review_tables import AUDIT
from dashboard.storage.reviews.rights import Actor
from dashboard.tables import DataError

SAVE, TAKE_BACK, DECIDE = "save", "take back", "decide"
CREATE, CLOSE, RESTORE, DENIED = "create review", "close review", "restore", "denied"
ASK = "ask machine"
CREATE_LINK, OPEN_LINK, REVOKE_LINK = "create link", "open link", "revoke link"
COLUMNS = ("number", "time", "name", "identity", "role", "action", "collection", "about")
AGAIN = 60.0
"""Seconds after which the same refusal of the same person is recorded again."""
_LONGEST = 200  # characters of a name or an id: whoever is refused chooses them
_denied: TTLCache[Any, None] = TTLCache(1_000, AGAIN)


def add(
    connection: Connection,
    who: Actor,
    action: str,
    *,
    name: str = "",
    collection: str = "",
    **about: object,
) -> None:
    """Add a row in the transaction of the act; name: under which it stands, by default the
    actor's."""
    named = {key: str(value)[:_LONGEST] for key, value in about.items() if value not in ("", None)}
    row = {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "name": (name or who.name)[:_LONGEST],
        "identity": who.identity,
        "role": who.role,
        "action": action,
        "collection": collection,
        "about": json.dumps(named, ensure_ascii=False),
    }
    connection.execute(insert(AUDIT).values(row))


def rows(since: str = "", most: int | None = None, person: str = "") -> pd.DataFrame:
    """The rows in order, as COLUMNS; about: JSON.

    since: a day or moment (ISO 8601, UTC where it names no zone). most: the last so many. person:
    only of names that hold these letters. Raises ValueError for what is no moment, NotAllowed for
    whoever is no admin.
    """
    rights.require(rights.KEEP)
    wanted = select(*(AUDIT.c[name] for name in COLUMNS)).order_by(AUDIT.c.number.desc())
    if since:
        wanted = wanted.where(AUDIT.c.time >= _moment(since))
    if person:
        wanted = wanted.where(func.lower(AUDIT.c.name).contains(person.lower(), autoescape=True))
    if not store.exists():
        return pd.DataFrame(columns=list(COLUMNS))
    with store.opened(writing=False) as connection:
        found = connection.execute(wanted if most is None else wanted.limit(most)).all()
    return pd.DataFrame(found[::-1], columns=list(COLUMNS))


def _moment(text: str) -> str:
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        wanted = "write a day or a moment such as 2026-11-23 or 2026-11-23T08:00"
        raise ValueError(f"{text[:40]!r} is no moment: {wanted}") from None
    read = read if read.tzinfo else read.replace(tzinfo=UTC)
    return read.astimezone(UTC).isoformat(timespec="seconds")


@cached(_denied, lock=Lock())
def _record_refusal(who: Actor, right: str, found: str) -> None:
    """Add that somebody was refused a right, at most once a minute for the same; a store that does
    not exist is not made for it."""
    try:
        if store.exists():
            with store.opened(writing=True) as connection:
                add(connection, who, DENIED, right=right, found=found)
    except DataError as problem:
        logging.getLogger(__name__).warning("A refusal was not recorded: %s", problem)


def describe(review: Any) -> dict[str, str]:
    """What a row tells of a review: all that names it, and its value; not its note."""
    names = ("kind", "query_id", "list_id", "item_id", "run", "against", "assignment", "value")
    return {name: getattr(review, name) for name in names}


rights.record_refusals_by(_record_refusal)
