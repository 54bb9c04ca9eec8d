"""Copies of the store of reviews: written while reviewers go on, read back into an empty store, and
checked."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, insert, select, text

from dashboard.storage.reviews import audit, review_file, rights, store
from dashboard.storage.reviews.review_tables import METADATA, REVIEW
from dashboard.storage.reviews.reviews import Review
from dashboard.tables import DataError

_AT_ONCE = 5_000  # rows
_SIGNS = {
    "sqlite": (
        "never_changed",
        "never_removed",
        "audit_never_changed",
        "audit_never_removed",
    ),
    "postgresql": ("never_changed", "audit_never_changed"),
}


def backup(path: Path) -> int:
    """Write all reviews of the store, as they are at one moment, to a new file; how many.

    Raises DataError where there is no store, or where the file exists or cannot be written.
    """
    rights.require(rights.KEEP)
    if path.exists():
        raise DataError(path.name, "a file", "a new one", cure="Name another, or move it away.")
    if not store.exists():
        raise DataError(store.name(), "no reviews", "a store to copy")
    try:
        with tempfile.TemporaryDirectory(prefix=".backup-", dir=path.parent) as place:
            draft = Path(place) / path.name
            with store.opened(writing=False) as source, review_file.opened_copy(draft, True) as to:
                number = _copy(source, to)
            found = [line for line in verify(draft) if line["state"] != "ok"]
            if found:
                raise DataError(path.name, str(found[0]["found"]), "a whole copy")
            with draft.open("rb") as written:
                os.fsync(written.fileno())
            draft.rename(path)
    except OSError as error:
        raise DataError(path.name, str(error.strerror), "a file that can be written") from error
    return number


def restore(path: Path) -> int:
    """Read a copy back into the store, which has to be empty; how many reviews.

    Numbers, times and names stay. All of it is there afterwards, or nothing. Raises DataError where
    the copy is damaged or the store has reviews, which are never replaced.
    """
    who = rights.require(rights.KEEP)
    with _copied(path) as source, store.opened(writing=True) as to:
        for table in (REVIEW, *METADATA.sorted_tables):
            number = to.execute(select(func.count()).select_from(table)).scalar_one()
            if number:
                cure = "Move its folder away, or name another by DASHBOARD_REVIEWS."
                found = f"{number:,} reviews" if table is REVIEW else f"rows of {table.name}"
                raise DataError(store.name(), found, "an empty store", cure=cure)
        number = _copy(source, to)
        if to.dialect.name == "postgresql":
            for table in METADATA.sorted_tables:
                to.execute(text(_COUNT_ON.format(table.name)))
        audit.add(to, who, audit.RESTORE, file=path.name, reviews=number)
    return number


_COUNT_ON = (
    "SELECT setval(pg_get_serial_sequence('{0}', 'number'),"
    " coalesce(max(number), 0) + 1, false) FROM {0}"
)


def verify(path: Path | None = None) -> list[dict[str, Any]]:
    """What is right and wrong with the store, or with a copy: rows of check, state (ok, or what is
    wrong: damaged, missing, odd, unsafe) and found.

    Raises DataError where it cannot be opened at all.
    """
    rights.require(rights.KEEP)
    if path is None and not store.exists():
        return [{"check": "store", "state": "ok", "found": "no reviews yet"}]
    with store.opened(writing=False) if path is None else _copied(path) as connection:
        rows = [_content(connection), _triggers(connection), _readable(connection)]
        for table in METADATA.sorted_tables:
            number = connection.execute(select(func.count()).select_from(table)).scalar_one()
            rows.append({"check": f"rows of {table.name}", "state": "ok", "found": f"{number:,}"})
    return rows


@contextmanager
def _copied(path: Path) -> Iterator[Connection]:
    if not path.is_file():
        raise DataError(path.name, "no such file", "a copy written by `reviews backup`")
    with review_file.opened_copy(path, False) as connection:
        yield connection


def _copy(source: Connection, to: Connection) -> int:
    """Copies the rows of all tables with their numbers; how many reviews."""
    copied = 0
    for table in METADATA.sorted_tables:
        rows = source.execute(select(table).order_by(table.c.number))
        while some := rows.fetchmany(_AT_ONCE):
            to.execute(insert(table), [dict(row._mapping) for row in some])
            copied += len(some) if table is REVIEW else 0
    return copied


def _content(connection: Connection) -> dict[str, Any]:
    """What the database itself says about its files, or about how it writes them."""
    if connection.dialect.name == "sqlite":
        found = str(connection.execute(text("PRAGMA integrity_check(1)")).scalar_one())
        return {"check": "file", "state": "ok" if found == "ok" else "damaged", "found": found}
    off = [
        name
        for name in ("fsync", "full_page_writes", "synchronous_commit")
        if connection.execute(text(f"SHOW {name}")).scalar_one() == "off"
    ]
    found = f"{', '.join(off)} off: a crash of the machine may lose reviews" if off else "durable"
    return {"check": "server", "state": "unsafe" if off else "ok", "found": found}


def _triggers(connection: Connection) -> dict[str, Any]:
    """Whether the database refuses to change and to remove reviews and rows of the audit log."""
    names = {
        "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
        "postgresql": "SELECT tgname FROM pg_trigger WHERE tgenabled <> 'D'"
        " AND tgrelid IN ('review'::regclass, 'audit'::regclass)",
    }[connection.dialect.name]
    there = set(connection.execute(text(names)).scalars())
    gone = [name for name in _SIGNS[connection.dialect.name] if name not in there]
    found = f"no trigger {', '.join(gone)}" if gone else "reviews cannot be changed or removed"
    return {"check": "triggers", "state": "missing" if gone else "ok", "found": found}


def _readable(connection: Connection) -> dict[str, Any]:
    """Whether each row is a review that could have been saved."""
    columns = [REVIEW.c[name] for name in Review.__dataclass_fields__]
    odd, first = 0, ""
    for row in connection.execute(select(REVIEW.c.number, *columns)):
        number, *values = row
        try:
            Review(*values)
        except ValueError as problem:
            odd, first = odd + 1, first or f"review {number}: {problem}"
    found = f"{odd:,} that no reviewer can have saved, first {first}" if odd else "all readable"
    return {"check": "reviews", "state": "odd" if odd else "ok", "found": found}
