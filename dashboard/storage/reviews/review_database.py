"""The PostgreSQL database of reviews, for several app servers. Its password appears nowhere.

The tables are made by the first server that opens the database, whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, exc, make_url, text

from dashboard.storage.reviews.review_tables import METADATA, VERSION
from dashboard.tables import DataError

if TYPE_CHECKING:
    import psycopg  # which SQLAlchemy imports where there is such a database

_OURS = 7_305_116  # the advisory lock that whoever writes holds
_SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")
_PATIENCE = 5  # seconds to wait for the server, and while another server writes
_WANTED = "a folder, or postgresql://user:password@host/database"
_CURE = "DASHBOARD_REVIEWS names the database."
_SETTINGS = (
    "SET synchronous_commit = on",  # a saved review survives a crash of the server
    f"SET lock_timeout = '{_PATIENCE}s'",
    f"SET statement_timeout = '{4 * _PATIENCE}s'",
    f"SET idle_in_transaction_session_timeout = '{4 * _PATIENCE}s'",
)
_AUDIT_STAYS = (
    "CREATE TRIGGER audit_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON audit"
    " FOR EACH STATEMENT EXECUTE FUNCTION review_stays()"
)
_MADE = (
    "CREATE TABLE review_version (version INTEGER NOT NULL)",
    f"INSERT INTO review_version VALUES ({VERSION})",
    "CREATE FUNCTION review_stays() RETURNS trigger LANGUAGE plpgsql AS"
    " $$BEGIN RAISE EXCEPTION 'reviews are kept as they were said'; END$$",
    "CREATE TRIGGER never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON review"
    " FOR EACH STATEMENT EXECUTE FUNCTION review_stays()",
    _AUDIT_STAYS,
)
_STEPS = {
    3: (
        *(
            f"ALTER TABLE review ADD COLUMN {column} TEXT NOT NULL DEFAULT ''"
            for column in ("cause", "against", "assignment")
        ),
        "CREATE TABLE assignment (number BIGSERIAL PRIMARY KEY, id TEXT NOT NULL,"
        " definition TEXT NOT NULL, author TEXT NOT NULL, time TEXT NOT NULL)",
    ),
    4: (
        "CREATE TABLE audit (number BIGSERIAL PRIMARY KEY, time TEXT NOT NULL, name TEXT NOT NULL,"
        " identity TEXT NOT NULL, role TEXT NOT NULL, action TEXT NOT NULL,"
        " collection TEXT NOT NULL, about TEXT NOT NULL)",
        _AUDIT_STAYS,
        "CREATE TABLE share_link (number BIGSERIAL PRIMARY KEY, id TEXT NOT NULL,"
        " digest TEXT NOT NULL, definition TEXT NOT NULL, author TEXT NOT NULL,"
        " time TEXT NOT NULL)",
        "CREATE TABLE visit (number BIGSERIAL PRIMARY KEY, link TEXT NOT NULL,"
        " digest TEXT NOT NULL, name TEXT NOT NULL, time TEXT NOT NULL)",
        "CREATE INDEX visit_of ON visit (digest)",
    ),
}
"""The statements that turn tables of each version into those of the next."""
_SEEN: set[URL] = set()
"""The databases whose tables this process has looked at."""
_ENGINES: dict[URL, Engine] = {}
"""The pools of connections of this process."""
_LOCK = Lock()
_REASONS = {
    "53100": "a full disk",
    "25006": "a read-only database",
    "42501": "no right to use the tables",
    "42P01": "no tables, though reviews were kept in them",
    "55P03": "another server still writing",
    "57014": "no answer in time",
    "XX001": "a damaged table",
    "XX002": "a damaged index",
}


class Interrupted(DataError):
    """The connection broke: what was being written is there whole or not at all."""


def address() -> URL | None:
    """The database's address; None where reviews are in a file.

    Raises DataError for an address of another kind, or one that cannot be read.
    """
    named = os.environ.get("DASHBOARD_REVIEWS", "")
    if "://" not in named:
        return None
    scheme = named.partition("://")[0]
    if scheme not in _SCHEMES:
        raise DataError("DASHBOARD_REVIEWS", f"an address of {scheme[:40]!r}", _WANTED)
    try:
        return make_url(named).set(drivername="postgresql+psycopg")
    except (exc.ArgumentError, ValueError):  # their words would repeat the password
        found = "an address that cannot be read"
        cure = "Write letters such as / @ : # in a password as %2F %40 %3A %23."
        raise DataError("DASHBOARD_REVIEWS", found, _WANTED, cure=cure) from None


def name_of(address: URL) -> str:
    """The database in a sentence: host and database, without user and password."""
    host = address.host or str(address.query.get("host", "")) or "localhost"
    port = f":{address.port}" if address.port else ""
    return f"reviews at {host}{port}/{address.database or ''}"


def exists(address: URL) -> bool:
    """Whether there are reviews."""
    if address in _SEEN:
        return True
    with _in_sentences(address, False), _engine(address).connect() as connection:
        return _version(connection) is not None


@contextmanager
def opened(address: URL, writing: bool) -> Iterator[Connection]:
    """One transaction, in which nobody else writes if `writing`; the tables are made where there
    are none. Raises DataError where the database cannot be used, Interrupted where it went away.
    """
    with _in_sentences(address, writing), _engine(address).begin() as connection:
        if address not in _SEEN:
            _make(connection, address)
            _SEEN.add(address)
        if writing:
            # so numbers are in the order of commits: who has read up to one has missed none
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_OURS})"))
        yield connection


def disconnect() -> None:
    """Closes all connections; the next use makes new ones and looks at the tables again."""
    with _LOCK:
        for engine in _ENGINES.values():
            engine.dispose()
        _ENGINES.clear()
        _SEEN.clear()


def _engine(address: URL) -> Engine:
    with _LOCK:
        if address not in _ENGINES:
            _ENGINES[address] = _pool(address)
        return _ENGINES[address]


def _pool(address: URL) -> Engine:
    engine = create_engine(
        address,
        pool_size=4,
        max_overflow=12,
        pool_timeout=_PATIENCE,
        pool_pre_ping=True,
        pool_recycle=600,
        hide_parameters=True,
        connect_args={"connect_timeout": _PATIENCE, "application_name": "dashboard"},
    )

    @event.listens_for(engine, "connect")
    def _set(connection: psycopg.Connection[Any], _: object) -> None:
        for setting in _SETTINGS:
            connection.execute(setting)
        connection.commit()

    return engine


def _make(connection: Connection, address: URL) -> None:
    """Makes the tables where there are none; raises DataError for those of a later version."""
    version = _version(connection)
    if version is None:
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_OURS})"))
        version = _version(connection)  # another server may have been first
    if version is None:
        encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
        if encoding != "UTF8":
            cure = "Make it with: createdb --encoding UTF8 --template template0 NAME"
            found = f"a database in {encoding}"
            raise DataError(name_of(address), found, "a database in UTF8", cure=cure)
        METADATA.create_all(connection)
        for statement in _MADE:
            connection.execute(text(statement))
        return
    while version in _STEPS:
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_OURS})"))
        if _version(connection) == version:
            for statement in (
                *_STEPS[version],
                f"UPDATE review_version SET version = {version + 1}",
            ):
                connection.execute(text(statement))
        version = _version(connection)
    if version != VERSION:
        found = f"version {version} of the table of reviews"
        raise DataError(name_of(address), found, f"version {VERSION}", cure="Update the dashboard.")


def _version(connection: Connection) -> int | None:
    """The version of the tables; None where there are none."""
    # not by to_regclass: what that did not find, a session goes on not to find for a while
    there = (
        "SELECT 1 FROM pg_catalog.pg_tables WHERE tablename = 'review_version'"
        " AND schemaname = ANY (current_schemas(false))"
    )
    if connection.execute(text(there)).scalar() is None:
        return None
    return connection.execute(text("SELECT max(version) FROM review_version")).scalar()


@contextmanager
def _in_sentences(address: URL, writing: bool) -> Iterator[None]:
    """Turns errors of PostgreSQL into a DataError with the reason."""
    wanted = "a database of reviews that can be " + ("written" if writing else "read")
    try:
        yield
    except exc.DBAPIError as error:
        kind = Interrupted if _is_broken(error) else DataError
        raise kind(name_of(address), _reason(error, address), wanted, cure=_CURE) from None
    except exc.TimeoutError:
        found = "too many connections in use"
        raise DataError(name_of(address), found, wanted, cure="Try again.") from None


def _is_broken(error: exc.DBAPIError) -> bool:
    return error.connection_invalidated or isinstance(error, exc.OperationalError)


def _reason(error: exc.DBAPIError, address: URL) -> str:
    """Why the database cannot be used, in a few words and without its password."""
    reason = _REASONS.get(str(getattr(error.orig, "sqlstate", "") or ""))
    if reason:
        return reason
    lines = [line for line in str(error.orig).splitlines() if line.strip()]
    said = (lines[0] if lines else type(error.orig).__name__).strip()
    if address.password:
        said = said.replace(str(address.password), "…")
    return f"no connection to the server ({said[:200]})" if _is_broken(error) else said[:200]
