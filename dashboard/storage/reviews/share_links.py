"""Share links: a secret that lets whoever has it look at one collection, or answer one review,
until a day, and nothing more. Only digests are stored, so nobody who reads the store can use one.

The secret opens a visit with a secret of its own, which the visitor's browser keeps; each visit has
a name, "guest …", that no other visit and no reviewer has. Where no login is set up there are no
links: whoever reaches the dashboard may do everything, so a link could take nothing away.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from secrets import token_hex, token_urlsafe
from threading import Lock
from typing import Any

from cachetools import TTLCache
from sqlalchemy import Connection, Row, insert, select

from dashboard.storage.reviews import audit, rights, store
from dashboard.storage.reviews.review_tables import REVIEW, SHARE_LINK, VISIT
from dashboard.storage.reviews.reviews import check_text
from dashboard.storage.reviews.rights import LINK, Actor
from dashboard.tables import DataError

ROLES = ("viewer", "reviewer")
DAYS, MOST_DAYS, LONGEST_LABEL = 14, 90, 40
NO_LOGIN = "a dashboard without a login, where whoever reaches it may do everything"
LOGIN = "Set up [auth] in .streamlit/secrets.toml, or DASHBOARD_USER_HEADER with DASHBOARD_PROXIES."
UNKNOWN = "This link is not known here. Copy it whole, or ask for a new one."
REVOKED = "This link was revoked. Ask whoever sent it for a new one."
EXPIRED = "This link has expired. Ask whoever sent it for a new one."
GUEST = "guest"
"""What each name of a visitor begins with."""
_NOTE_EVERY = timedelta(hours=1)  # a visit that goes on is noted so often
_OWN_COLUMNS = ("id", "digest", "author", "time")
_SECRET = 32  # random bytes
_looked: TTLCache[str, Actor | None] = TTLCache(10_000, 1.0)
"""Visitors by the digest of their secret: a revoked link ends within a second."""
_lock = Lock()


@dataclass(frozen=True, kw_only=True)
class ShareLink:
    """What a link is for: collection, the name of its folder; key, of its reviews; review, the id
    of the only one, or empty; label, who it was made for; until, a moment (ISO 8601, UTC).

    used: the last use, and visitors: how many there were. Raises ValueError for what no link is.
    """

    collection: str
    key: str
    role: str
    until: str
    review: str = ""
    label: str = ""
    revoked: bool = False
    id: str = ""
    digest: str = ""
    author: str = ""
    time: str = ""
    used: str = ""
    visitors: int = 0

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise ValueError(f"{self.role[:40]!r} is no role of a link: {', '.join(ROLES)} are.")
        if len(self.label) > LONGEST_LABEL:
            raise ValueError(f"A label has at most {LONGEST_LABEL} characters.")
        check_text("label", self.label)

    @property
    def state(self) -> str:
        """open, revoked or expired."""
        if self.revoked:
            return "revoked"
        return "open" if _now() < self.until else "expired"


def possible() -> bool:
    """Whether a login is set up."""
    return _login_is_set_up[0]()


def login_by(is_set_up: Callable[[], bool]) -> None:
    """Sets how it is found out whether a login is set up."""
    _login_is_set_up[0] = is_set_up


def create(link: ShareLink, author: str, days: int = DAYS) -> tuple[ShareLink, str]:
    """Save a new link; gives it with its secret, which nobody can ever read again.

    Raises ValueError for days out of range, NotAllowed, and DataError without a login.
    """
    who = rights.require(rights.ASSIGN, author, collection=link.key)
    _check_login()
    if not author.strip():
        raise ValueError("Enter your name.")
    if not 1 <= days <= MOST_DAYS:
        raise ValueError(f"A link lives from 1 to {MOST_DAYS} days.")
    secret, until = token_urlsafe(_SECRET), datetime.now(UTC) + timedelta(days=days)
    made = replace(
        link,
        id=token_hex(6),
        digest=digest_of(secret),
        author=author,
        time=_now(),
        until=until.isoformat(timespec="seconds"),
    )
    _add(made, who, audit.CREATE_LINK)
    return made, secret


def revoke(id: str, author: str) -> ShareLink:
    """Save that a link of an id is no longer to be used; raises as `create`, and ValueError for an
    unknown id."""
    who = rights.require(rights.ASSIGN, author)
    found = next((each for each in listed() if each.id == id), None)
    if found is None:
        raise ValueError(f"no share link {id[:40]!r}: links list COLLECTION has their ids")
    revoked = replace(found, revoked=True, author=author, time=_now())
    _add(revoked, who, audit.REVOKE_LINK)
    with _lock:
        _looked.clear()
    return replace(revoked, author=found.author, time=found.time)


def listed(key: str = "") -> list[ShareLink]:
    """All links, or those of a collection's key, the newest first, by whoever made them."""
    rights.require(rights.ASSIGN, collection=key or None)
    if not store.exists():
        return []
    with store.opened(writing=False) as connection:
        rows = connection.execute(select(SHARE_LINK).order_by(SHARE_LINK.c.number)).all()
        visits = connection.execute(select(VISIT.c.link, VISIT.c.digest, VISIT.c.time)).all()
    first: dict[str, Row[Any]] = {}
    for row in rows:
        first.setdefault(row.id, row)
    links = {row.id: _read(row) for row in rows}
    for id, link in links.items():
        mine = [visit for visit in visits if visit.link == id]
        links[id] = replace(
            link,
            author=first[id].author,
            time=first[id].time,
            used=max((str(visit.time) for visit in mine), default=""),
            visitors=len({visit.digest for visit in mine}),
        )
    return [each for each in links.values() if key in ("", each.key)][::-1]


def open_link(secret: str, visitor: str = "") -> tuple[ShareLink, str]:
    """The link of a secret, and the secret of a new visit; visitor: the one that the browser has,
    which goes on where it is of the same link.

    Raises ValueError with the sentence for a link that is unknown, revoked or expired.
    """
    if not (possible() and store.exists()):
        raise ValueError(UNKNOWN)
    with store.opened(writing=True) as connection:
        link = _last(connection, SHARE_LINK.c.digest == digest_of(secret))
        if link is None:
            raise ValueError(UNKNOWN)
        if link.state != "open":
            raise ValueError(REVOKED if link.revoked else EXPIRED)
        before = _visit(connection, visitor) if visitor else None
        if before is not None and before.link == link.id:
            return link, visitor
        visitor, name = token_urlsafe(_SECRET), _free_name(connection, link.label)
        _note(connection, link.id, digest_of(visitor), name)
        guest = _guest(link, name)
        audit.add(connection, guest, audit.OPEN_LINK, collection=link.key, link=link.id)
    return link, visitor


def guest(visitor: str) -> Actor | None:
    """Who has the secret of a visit; None where it is unknown, or its link is revoked or expired.

    What was found is used for a second. Raises DataError where the store cannot be read.
    """
    digest = digest_of(visitor)
    with _lock:
        if digest in _looked:
            return _looked[digest]
    found = _look(visitor) if possible() and store.exists() else None
    with _lock:
        _looked[digest] = found
    return found


def _look(visitor: str) -> Actor | None:
    with store.opened(writing=False) as connection:
        visit = _visit(connection, visitor)
        link = None if visit is None else _last(connection, SHARE_LINK.c.id == visit.link)
    if visit is None or link is None or link.state != "open":
        return None
    if datetime.now(UTC) - datetime.fromisoformat(visit.time) > _NOTE_EVERY:
        try:
            with store.opened(writing=True) as connection:
                _note(connection, visit.link, visit.digest, visit.name)
        except DataError as problem:  # a full disk keeps nobody from reading
            logging.getLogger(__name__).warning("A visit was not noted: %s", problem)
    return _guest(link, visit.name)


def digest_of(secret: str) -> str:
    """What is stored of a secret: 32 random bytes need neither salt nor a slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _guest(link: ShareLink, name: str) -> Actor:
    return Actor(name, link.role, True, LINK, link.collection, link.key, link.review)


def _add(link: ShareLink, who: Actor, action: str) -> None:
    values = asdict(link)
    own = {name: values.pop(name) for name in _OWN_COLUMNS}
    kept = {name: values[name] for name in values if name not in ("used", "visitors")}
    row = {**own, "definition": json.dumps(kept, ensure_ascii=False)}
    about = {"link": link.id, "for": link.role, "review": link.review, "label": link.label}
    with store.opened(writing=True) as connection:
        connection.execute(insert(SHARE_LINK).values(row))
        audit.add(connection, who, action, name=link.author, collection=link.key, **about)


def _note(connection: Connection, link: str, digest: str, name: str) -> None:
    row = {"link": link, "digest": digest, "name": name, "time": _now()}
    connection.execute(insert(VISIT).values(row))


def _visit(connection: Connection, visitor: str) -> Row[Any] | None:
    """The last row of a visit."""
    mine = select(VISIT).where(VISIT.c.digest == digest_of(visitor))
    return connection.execute(mine.order_by(VISIT.c.number.desc()).limit(1)).first()


def _last(connection: Connection, where: Any) -> ShareLink | None:
    """The link of an id or a digest as it is now."""
    mine = select(SHARE_LINK).where(where).order_by(SHARE_LINK.c.number.desc()).limit(1)
    row = connection.execute(mine).first()
    return None if row is None else _read(row)


def _read(row: Row[Any]) -> ShareLink:
    try:
        values = json.loads(row.definition)
        names = {each.name for each in fields(ShareLink)} - set(_OWN_COLUMNS)
        own = {name: getattr(row, name) for name in _OWN_COLUMNS}
        return ShareLink(**{name: values[name] for name in values if name in names}, **own)
    except (ValueError, TypeError, KeyError) as problem:
        found = f"a share link {row.id[:40]!r} that cannot be read ({problem})"
        raise DataError(store.name(), found, "one that this program wrote") from None


def _free_name(connection: Connection, label: str) -> str:
    """A name that no visit has, and under which no review stands."""
    begin = f"{GUEST} {label.strip()}".strip()
    names: Iterator[str] = (begin if n == 1 else f"{begin} {n}" for n in count(1))
    for name in names:
        visits = select(VISIT.c.number).where(VISIT.c.name == name)
        reviews = select(REVIEW.c.number).where(REVIEW.c.author == name)
        if not any(connection.execute(each.limit(1)).first() for each in (visits, reviews)):
            return name
    raise AssertionError("names do not end")


def _check_login() -> None:
    if not possible():
        raise DataError("share links", NO_LOGIN, "a login that a link can do less than", cure=LOGIN)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _is_in_settings() -> bool:
    """Whether the header of a proxy or `[auth]` of secrets.toml is set up: what the app uses."""
    if os.environ.get("DASHBOARD_USER_HEADER", "").strip():
        return True
    for folder in (Path.cwd(), Path.home()):
        try:
            text = (folder / ".streamlit" / "secrets.toml").read_text(encoding="utf-8")
            if tomllib.loads(text).get("auth"):
                return True
        except (OSError, ValueError):
            continue
    return False


_login_is_set_up: list[Callable[[], bool]] = [_is_in_settings]
