"""The SQLite file of reviews: made once, whole or not at all, and never in place of an older one.

On a full or read-only disk it is still read. A file that is empty, damaged or gone is an error; it
is left as it is, and no new file takes its place.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path

from sqlalchemy import Connection, Engine, NullPool, create_engine, event, exc

from dashboard.storage.reviews.review_tables import VERSION
from dashboard.tables import DataError

_PATIENCE = 5.0  # seconds to wait while another process writes
_OFTEN = 64_000_000  # bytes; a larger file is looked through at its first opening only
_ROOM = 100_000  # bytes without which a disk is full
_BEGAN = "reviews.began"
_ABOUT_BEGAN = (
    "Reviews are kept in reviews.sqlite beside this file, which says that there was one.\n"
    "To begin anew, stop the dashboard and move the whole folder away.\n"
)
_CURE = "DASHBOARD_REVIEWS names its folder."
_UNTOUCHED = f"It is left as it is: put a whole copy in its place. {_CURE}"
_GONE = (
    "Put it back, or connect its disk; to begin anew, stop the dashboard and move the folder away."
)
_FIRST = "kind collection query_id list_id item_id run value note author time"
_TEXTS = ", ".join(f"{column} TEXT NOT NULL" for column in _FIRST.split())
_KEPT = "BEGIN SELECT RAISE(ABORT, 'reviews are kept as they were said'); END"
_MADE = (
    f"CREATE TABLE review (number INTEGER PRIMARY KEY AUTOINCREMENT, {_TEXTS},"
    " said_once TEXT UNIQUE) STRICT",
    "CREATE INDEX review_of ON review (collection, kind)",
    f"CREATE TRIGGER never_changed BEFORE UPDATE ON review {_KEPT}",
    f"CREATE TRIGGER never_removed BEFORE DELETE ON review {_KEPT}",
    "PRAGMA user_version = 1",
)
# The place and content of each collection, to recognise it: read and written by `review_keys`.
_SIGNS = (
    "CREATE TABLE known (number INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL,"
    " folder TEXT NOT NULL, inode TEXT NOT NULL, content TEXT NOT NULL) STRICT",
    "PRAGMA user_version = 2",
)
# An older file recorded no content: its reviewed items stand for it, and its place may be empty.
_HELD = "(SELECT json_group_array(DISTINCT item_id) FROM review WHERE item_id <> '' AND"
_LIKENESS = (
    "ALTER TABLE known DROP COLUMN inode",
    "ALTER TABLE known ADD COLUMN items TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE known ADD COLUMN queries TEXT NOT NULL DEFAULT ''",
    "INSERT INTO known (collection, folder, content) SELECT DISTINCT collection, '', ''"
    " FROM review WHERE collection NOT IN (SELECT collection FROM known)",
    f"UPDATE known SET items = {_HELD} review.collection = known.collection)",
    "PRAGMA user_version = 3",
)
_ASSIGNED = (
    *(
        f"ALTER TABLE review ADD COLUMN {column} TEXT NOT NULL DEFAULT ''"
        for column in ("cause", "against", "assignment")
    ),
    "CREATE TABLE assignment (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL,"
    " definition TEXT NOT NULL, author TEXT NOT NULL, time TEXT NOT NULL) STRICT",
    "PRAGMA user_version = 4",
)
_OWN_NUMBER = "number INTEGER PRIMARY KEY AUTOINCREMENT"
_AUDITED = (
    f"CREATE TABLE audit ({_OWN_NUMBER}, time TEXT NOT NULL, name TEXT NOT NULL, identity TEXT"
    " NOT NULL, role TEXT NOT NULL, action TEXT NOT NULL, collection TEXT NOT NULL,"
    " about TEXT NOT NULL) STRICT",
    f"CREATE TRIGGER audit_never_changed BEFORE UPDATE ON audit {_KEPT}",
    f"CREATE TRIGGER audit_never_removed BEFORE DELETE ON audit {_KEPT}",
    f"CREATE TABLE share_link ({_OWN_NUMBER}, id TEXT NOT NULL, digest TEXT NOT NULL,"
    " definition TEXT NOT NULL, author TEXT NOT NULL, time TEXT NOT NULL) STRICT",
    f"CREATE TABLE visit ({_OWN_NUMBER}, link TEXT NOT NULL, digest TEXT NOT NULL,"
    " name TEXT NOT NULL, time TEXT NOT NULL) STRICT",
    "CREATE INDEX visit_of ON visit (digest)",
    "PRAGMA user_version = 5",
)
_STEPS = {0: _MADE, 1: _SIGNS, 2: _LIKENESS, 3: _ASSIGNED, 4: _AUDITED}
"""The statements that turn a file of each version into one of the next; a new file has 0."""
_SEEN: dict[Path, object] = {}
"""The files that exist since the start, each with its size and time when it was last checked."""


def folder() -> Path:
    """Where reviews are kept: `DASHBOARD_REVIEWS`, else a folder below the user's data folder."""
    named = os.environ.get("DASHBOARD_REVIEWS")
    if named:
        return Path(named)
    user = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(user) / "search-quality-dashboard" / ".reviews"


def review_file() -> Path:
    """The path of the file of reviews, whether it exists or not."""
    return folder() / "reviews.sqlite"


@contextlib.contextmanager
def opened_copy(path: Path, writing: bool) -> Iterator[Connection]:
    """One transaction on a copy of a file of reviews; to be written, it is made. Raises DataError
    where it cannot be used."""
    with _in_sentences(path, writing):
        if writing:
            _make(path)
        with _engine(path, writing).begin() as connection:
            yield connection


def exists() -> bool:
    """Whether there are reviews. Raises DataError where there were some and the file is gone."""
    path = review_file()
    with _in_sentences(path, writing=False):
        # asked before the file: another thread or process may make it between the two looks
        kept = path in _SEEN or path.with_name(_BEGAN).exists()
        if path.exists():
            _SEEN.setdefault(path, None)
            return True
        if kept:
            found = "no such file, though reviews were kept in it"
            raise DataError(path.name, found, "the reviews", cure=f"{_GONE} {_CURE}")
    return False


@contextlib.contextmanager
def opened(writing: bool) -> Iterator[Connection]:
    """One transaction on the file of reviews, which is made where there never was one. Raises
    DataError where it cannot be used.

    To be read on a disk that cannot be written, it is copied into memory.
    """
    path = review_file()
    with _in_sentences(path, writing):
        if not exists():
            _make(path)
        if writing:
            _note_beginning(path)
        with _engine(path, writing).begin() as connection:
            before = path.stat().st_ino
            yield connection
        if writing and (not path.exists() or path.stat().st_ino != before):
            found = "no such file any more: it was taken away while it was written"
            raise DataError(path.name, found, "the reviews", cure=_GONE)


def identity() -> str:
    """The file's path and what tells it from another one there."""
    path = review_file()
    with _in_sentences(path, writing=False):
        return f"{path} {path.stat().st_ino}"


@lru_cache(8)
def _engine(path: Path, writing: bool) -> Engine:
    """Opens the file anew for each transaction, so that one that is damaged or gone is noticed."""
    engine = create_engine(
        "sqlite://", poolclass=NullPool, creator=partial(_connected, path, writing)
    )
    # the driver begins nothing by itself: two that read before they write would lose a review
    begin = "BEGIN IMMEDIATE" if writing else "BEGIN"
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
    return engine


@contextlib.contextmanager
def _in_sentences(path: Path, writing: bool) -> Iterator[None]:
    """Turns errors of SQLite and the disk into a DataError with the reason."""
    try:
        yield
    except (sqlite3.Error, exc.DBAPIError) as raised:
        error = raised.orig if isinstance(raised, exc.DBAPIError) else raised
        if not isinstance(error, sqlite3.Error):
            raise
        # errors of Python itself, as for a text that is no UTF-8, have no name: the file is damaged
        name = getattr(error, "sqlite_errorname", "") or ""
        whole = name not in ("", "SQLITE_CORRUPT", "SQLITE_NOTADB")
        raise _refusal(path, error, writing, _CURE if whole else _UNTOUCHED) from error
    except OSError as error:
        raise _refusal(path, error, writing, _CURE) from error


def _refusal(path: Path, error: Exception, writing: bool, cure: str) -> DataError:
    wanted = "a file of reviews that can be " + ("written" if writing else "read")
    return DataError(path.name, _reason(error, path), wanted, cure=cure)


def _reason(error: Exception, path: Path) -> str:
    """Why a file cannot be read or written, in a few words."""
    if isinstance(error, OSError):
        said, code = str(error.strerror), errno.errorcode.get(error.errno or 0, "")
    else:
        said, code = str(error), str(getattr(error, "sqlite_errorname", "") or "")
    if "locked" in said or "busy" in said:
        return "another process still writing"
    if code in ("SQLITE_FULL", "ENOSPC", "EDQUOT"):
        return "a full disk"
    if code == "EROFS":
        return "a read-only disk"
    if code.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_IOERR", "EACCES")):
        said = _state_of_disk(path) or said
    return said.splitlines()[0][:200] if said else type(error).__name__


def _state_of_disk(path: Path) -> str:
    """Why a disk cannot be written; empty where it can."""
    try:
        disk = os.statvfs(path.parent)
    except OSError as error:
        return f"a folder that cannot be reached ({error.strerror})"
    if disk.f_flag & os.ST_RDONLY:
        return "a read-only disk"
    if disk.f_bavail * disk.f_frsize < _ROOM or (disk.f_files and not disk.f_favail):
        return "a full disk"
    there = [each for each in (path, path.parent) if each.exists()]
    return "" if all(os.access(each, os.W_OK) for each in there) else "no right to write it"


def _connected(path: Path, writing: bool) -> sqlite3.Connection:
    try:
        return _looked_through(_plainly(path), path)
    except sqlite3.OperationalError as error:
        if writing or "locked" in str(error) or "busy" in str(error):
            raise
        try:
            return _in_memory(path)
        except (sqlite3.Error, OSError):
            raise error from None


def _plainly(path: Path) -> sqlite3.Connection:
    if path.stat().st_size == 0:
        raise DataError(path.name, "an empty file", "the reviews", cure=_UNTOUCHED)
    where = f"{path.absolute().as_uri()}?mode=rw"  # never makes a file
    return sqlite3.connect(where, timeout=_PATIENCE, isolation_level=None, uri=True)


def _looked_through(file: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    """The connection to a checked file: its tables are there, of our version and not damaged."""
    try:
        _check_ours(file, path)
        _update(file, path)
        seen = path.stat()
        stands = (seen.st_ino, *((seen.st_size, seen.st_mtime_ns) if _is_small(path) else ()))
        if _SEEN.get(path) != stands:
            [found] = file.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                damaged = f"a damaged file ({str(found).splitlines()[-1][:120]})"
                raise DataError(path.name, damaged, "the reviews", cure=_UNTOUCHED)
            _SEEN[path] = stands
    except BaseException:
        file.close()
        raise
    return file


def _is_small(path: Path) -> bool:
    return path.stat().st_size <= _OFTEN


def _check_ours(file: sqlite3.Connection, path: Path) -> None:
    """Raises DataError for a database without our tables, such as another program's: nothing is
    ever written into that."""
    there = file.execute("SELECT 1 FROM sqlite_master WHERE name = 'review'").fetchone()
    if there is None or _version(file) == 0:
        found = "a database without the table of reviews"
        raise DataError(path.name, found, "the reviews", cure=_UNTOUCHED)


def _update(file: sqlite3.Connection, path: Path) -> None:
    """Makes the tables that are missing; raises DataError for what a later version made."""
    file.execute("PRAGMA synchronous = FULL")  # a saved review survives a power cut
    if _version(file) in _STEPS:
        file.execute("BEGIN IMMEDIATE")
        while _version(file) in _STEPS:  # nothing to do where another process was first
            for statement in _STEPS[_version(file)]:
                file.execute(statement)
        file.execute("COMMIT")
    if _version(file) != VERSION:
        found = f"version {_version(file)} of the table of reviews"
        raise DataError(path.name, found, f"version {VERSION}", cure="Update the dashboard.")


def _version(file: sqlite3.Connection) -> int:
    return int(file.execute("PRAGMA user_version").fetchone()[0])


def _in_memory(path: Path) -> sqlite3.Connection:
    """A copy of a file that SQLite cannot open where it lies, as on a read-only disk.

    Reviews that SQLite has not yet moved into the file stand beside it, so both are copied to a
    folder where SQLite can open them.
    """
    beside = path.with_name(f"{path.name}-wal")
    memory = sqlite3.connect(":memory:", isolation_level=None)
    try:
        if beside.exists() and beside.stat().st_size:
            with tempfile.TemporaryDirectory() as place:
                for each in (path, beside):
                    shutil.copyfile(each, Path(place) / each.name)
                with contextlib.closing(sqlite3.connect(Path(place) / path.name)) as copy:
                    copy.backup(memory)
        else:
            where = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
            with contextlib.closing(sqlite3.connect(where, uri=True)) as frozen:
                frozen.backup(memory)
    except BaseException:
        memory.close()
        raise
    return _looked_through(memory, path)


def _make(path: Path) -> None:
    """Makes a new file beside its place and moves it there whole; another process may be first."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(prefix="beginning-", dir=path.parent) as place:
        draft = Path(place) / path.name
        with contextlib.closing(sqlite3.connect(draft, isolation_level=None)) as file:
            file.execute("PRAGMA journal_mode = WAL")
            _update(file, path)
        with contextlib.suppress(FileExistsError):
            try:
                path.hardlink_to(draft)
            except OSError as error:
                if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP):
                    raise
                if not path.exists():  # a disk without such links
                    draft.replace(path)
    _SEEN.setdefault(path, None)
    place_of = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(place_of)
    finally:
        os.close(place_of)


def _note_beginning(path: Path) -> None:
    """Writes beside the file that it exists, so that its loss is noticed."""
    note = path.with_name(_BEGAN)
    if not note.exists():
        with contextlib.suppress(
            OSError
        ):  # a full disk becomes an error when the review is written
            note.write_text(_ABOUT_BEGAN, encoding="utf-8")
