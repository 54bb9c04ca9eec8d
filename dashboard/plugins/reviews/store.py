"""The store of reviews: a SQLite file of this machine, or a PostgreSQL database.

`DASHBOARD_REVIEWS` names a folder for the file, or `postgresql+psycopg://user@host/database`. The
store is made when the first review is saved, and never in place of one that is gone or damaged.
A process has one connection to a file; a saved row costs one flush to the disk.
"""

import errno
import os
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, StaticPool, create_engine, exc, make_url, select
from sqlalchemy.sql.functions import count

from dashboard.errors import DataError
from dashboard.plugins.reviews import schema
from dashboard.storage.drafts import sync

VARIABLE = "DASHBOARD_REVIEWS"
PATIENCE = 10.0
"""Seconds to wait while another process writes."""
MIN_FREE_BYTES = 100_000
"""A disk with less room is full."""
LOCK = 7_305_116
"""Advisory lock that a writer of PostgreSQL holds, so that numbers are in the order of commits."""
_BEGAN = "reviews.began"
_ABOUT_BEGAN = """Reviews are kept in reviews.sqlite beside this file, which says that there
was one. To begin anew, stop the dashboard and move the whole folder away.
"""
_RESTORE = "It is left as it is; put a whole copy in its place."
_GONE = "Put it back; to begin anew, stop the dashboard and move the folder away."


_Opened = tuple[Engine, int]
"""An engine, and the inode of its file."""
_OPENED: dict[tuple[int, str], _Opened] = {}
"""Engines of each process; a forked process opens its own."""
_LOCK = threading.RLock()


def find_store() -> Path | URL:
    """Return the path of the file of reviews, or the address of the database.

    Raises:
        DataError: If the address is of another kind, or cannot be read.
    """
    named = os.environ.get(VARIABLE, "")
    if "://" not in named:
        home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
        return (
            Path(named or Path(home) / "search-quality-dashboard" / ".reviews") / "reviews.sqlite"
        )
    wanted = "a folder, or postgresql+psycopg://user:password@host/database"
    scheme = named.partition("://")[0]
    if scheme not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise DataError(VARIABLE, f"an address of {scheme[:40]!r}", wanted)
    try:
        address = make_url(named).set(drivername="postgresql+psycopg")
        if "@" in (address.database or ""):  # the rest of a password with a slash
            raise ValueError
        return address
    except (exc.ArgumentError, ValueError):  # whose words would repeat the password
        do = "Write letters such as / @ : # in a password as %2F %40 %3A %23."
        raise DataError(VARIABLE, "an address that cannot be read", wanted, do=do) from None


def _name_database(address: URL) -> str:
    """Return the name of a database for a sentence, without user and password."""
    return f"reviews at {address.host or 'localhost'}/{address.database or ''}"


def has_store() -> bool:
    """Return whether there are reviews.

    Raises:
        DataError: If there were some and the file is gone.
    """
    place = find_store()
    if isinstance(place, URL):
        with _open_database(place, writing=False) as connection:
            return schema.has_tables(connection)
    with _explain(place, "read"):
        was_there = place.with_name(_BEGAN).exists() or _key(place) in _OPENED
        if place.exists():
            return True
    if was_there:
        raise DataError(
            place.name, "no such file, though reviews were kept in it", "the reviews", do=_GONE
        )
    return False


def open_store(writing: bool = False) -> AbstractContextManager[Connection]:
    """Return a connection in one transaction, which is on the disk when the block has ended.

    Nobody else writes meanwhile if `writing`; an error in the block undoes all of it. Ask
    `has_store` before reading.

    Raises:
        DataError: If the store cannot be read or written.
    """
    place = find_store()
    return _open_database(place, writing) if isinstance(place, URL) else _open_file(place, writing)


@contextmanager
def _open_file(path: Path, writing: bool) -> Iterator[Connection]:
    with _LOCK, _explain(path, "written" if writing else "read"):
        if not has_store():
            _make_file(path)
        engine, inode = _connect(path, writing)
        with engine.connect() as connection:
            # two that read before they write would lose a review
            connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
            if writing:  # a newer program may have changed the tables since they were opened
                schema.migrate(connection, path.name)
            yield connection
            connection.commit()
        if writing and (not path.exists() or path.stat().st_ino != inode):
            found = "no such file any more: it was taken away while it was written"
            raise DataError(path.name, found, "the reviews", do=_GONE)


def _connect(path: Path, writing: bool) -> _Opened:
    """Return this process's connection to a file; it is checked when it is opened."""
    key = _key(path)
    inode = path.stat().st_ino
    if key in _OPENED:
        if _OPENED[key][1] == inode:
            return _OPENED[key]
        _OPENED.pop(key)[0].dispose()
    try:
        return _OPENED.setdefault(key, (_check(path, "mode=rw"), inode))  # never makes a file
    except (sqlite3.OperationalError, exc.OperationalError):
        beside = path.with_name(f"{path.name}-wal")
        if writing or (beside.exists() and beside.stat().st_size) or not _describe_disk(path):
            raise
        return _check(path, "mode=ro&immutable=1"), inode  # on a read-only disk


def _key(path: Path) -> tuple[int, str]:
    return os.getpid(), str(path.absolute())


def _check(path: Path, mode: str) -> Engine:
    """Return an engine of one connection: its tables are ours, whole, and of VERSION."""
    if path.stat().st_size == 0:
        raise DataError(path.name, "an empty file", "the reviews", do=_RESTORE)
    engine = _make_engine(path, mode)
    try:
        with engine.connect() as connection:
            # a saved review survives a power cut
            connection.exec_driver_sql("PRAGMA synchronous = FULL")
            state = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
            odd = f"a damaged file ({str(state).splitlines()[-1][:120]})" if state != "ok" else ""
            if not schema.has_tables(connection):
                odd = "a database without the table of reviews"
            if odd:
                raise DataError(path.name, odd, "the reviews", do=_RESTORE)
            if schema.read_version(connection) != schema.VERSION:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                schema.migrate(connection, path.name)
                connection.commit()
    except BaseException:
        engine.dispose()
        raise
    return engine


def _make_engine(path: Path, mode: str) -> Engine:
    """Return an engine of one connection to a file, which begins no transaction by itself."""
    connect = partial(
        sqlite3.connect, f"{path.absolute().as_uri()}?{mode}", timeout=PATIENCE,
        isolation_level=None, uri=True, check_same_thread=False,
    )  # fmt: skip
    return create_engine("sqlite://", poolclass=StaticPool, creator=connect)


def _make_file(path: Path) -> None:
    """Make a file beside its place and move it there whole; another process may be first."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(prefix="beginning-", dir=path.parent) as place:
        draft = Path(place) / path.name
        engine = _make_engine(draft, "mode=rwc")
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            schema.make_tables(connection)
            connection.commit()
        engine.dispose()
        _put_new(draft, path)
    with suppress(OSError):  # a full disk is said when the review is written
        path.with_name(_BEGAN).write_text(_ABOUT_BEGAN)


def _put_new(draft: Path, path: Path) -> None:
    """Give a file its name, whole and for good, unless another one has it."""
    with suppress(FileExistsError):
        try:
            path.hardlink_to(draft)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP):
                raise
            if not path.exists():  # a disk without such links
                draft.replace(path)
    sync(path.parent)


@contextmanager
def _explain(path: Path, wanted: str) -> Iterator[None]:
    """Turn errors of SQLite and of the disk into a DataError with the reason."""
    try:
        yield
    except (exc.DBAPIError, sqlite3.Error, OSError) as raised:
        raise DataError(
            path.name,
            _find_reason(getattr(raised, "orig", None) or raised, path),
            f"a file of reviews that can be {wanted}",
            do=f"{VARIABLE} names its folder.",
        ) from raised


def _find_reason(error: BaseException, path: Path) -> str:
    """Return why a file cannot be read or written, in a few words."""
    if isinstance(error, OSError):
        said = str(error.strerror)
        code = errno.errorcode.get(error.errno or 0, "")
    else:
        said = str(error)
        code = str(getattr(error, "sqlite_errorname", "") or "SQLITE_CORRUPT")
    if code.startswith("SQLITE_BUSY"):
        return "another process still writing"
    if code in ("SQLITE_FULL", "ENOSPC", "EDQUOT"):
        return "a full disk"
    if code in ("SQLITE_CORRUPT", "SQLITE_NOTADB"):
        return f"a damaged file ({said[:120]})"
    return _describe_disk(path) or said[:200]


def _describe_disk(path: Path) -> str:
    """Return why a disk cannot be written; "" if it can, or its folder is not there."""
    if not path.parent.is_dir():
        return ""
    disk = os.statvfs(path.parent)
    if disk.f_flag & os.ST_RDONLY:
        return "a read-only disk"
    if disk.f_bavail * disk.f_frsize < MIN_FREE_BYTES:
        return "a full disk"
    there = [each for each in (path, path.parent) if each.exists()]
    return "" if all(os.access(each, os.W_OK) for each in there) else "no right to write it"


@contextmanager
def _open_database(address: URL, writing: bool) -> Iterator[Connection]:
    """Yield a connection to PostgreSQL in one transaction; the tables are made to be written."""
    name = _name_database(address)
    key = (os.getpid(), address.render_as_string(False))
    expected = f"a database of reviews that can be {'written' if writing else 'read'}"
    try:
        with _LOCK:
            if key not in _OPENED:
                limits = {"connect_timeout": int(PATIENCE)}
                made = create_engine(
                    address, pool_pre_ping=True, hide_parameters=True, connect_args=limits
                )
                _OPENED[key] = made, 0
        with _OPENED[key][0].begin() as connection:
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{PATIENCE:g}s'")
            if writing:
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")
            if schema.has_tables(connection):
                if not writing and schema.read_version(connection) != schema.VERSION:
                    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")
                schema.migrate(connection, name)
            elif writing:
                schema.make_tables(connection)
            yield connection
    except (exc.DBAPIError, exc.TimeoutError) as error:
        said = str(getattr(error, "orig", error)).strip().partition("\n")[0]
        if address.password:
            said = said.replace(str(address.password), "…")
        raise DataError(name, said[:200], expected, do=f"{VARIABLE} names it.") from None


def back_up(path: Path) -> int:
    """Write a copy of the store, as it is at one moment, to a new file; return its reviews.

    Raises:
        DataError: If there is no store, the file exists or cannot be written, or the store is a
            database with its own tools.
    """
    place = find_store()
    if isinstance(place, URL):
        raise DataError(
            _name_database(place), "a PostgreSQL database", "a SQLite file",
            do=f"Type: pg_dump --format=custom --file={path.name} {place.database}",
        )  # fmt: skip
    if path.exists():
        raise DataError(path.name, "a file", "a new one", do="Name another one.")
    if not has_store():
        raise DataError(place.name, "no reviews", "a store to copy")
    with _explain(path, "written"), tempfile.TemporaryDirectory(dir=path.parent) as folder:
        draft = Path(folder) / path.name
        with _LOCK, _connect(place, writing=False)[0].connect() as connection:
            connection.exec_driver_sql("VACUUM INTO ?", (str(draft),))
        copy = _check(draft, "mode=ro")
        with copy.connect() as connection:
            number = connection.execute(select(count()).select_from(schema.REVIEW)).scalar_one()
        copy.dispose()
        sync(draft)
        _put_new(draft, path)
    return number
