"""Tables of the store of reviews, for SQLite and PostgreSQL. Rows are only ever added.

The database itself refuses changed and removed rows. Stores of the first edition are brought up.
"""

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    inspect,
)

from dashboard.errors import DataError

VERSION = 6
"""Version of the tables that this program reads and writes."""
METADATA = MetaData()


def _make_table(name: str, texts: str, *more: Column[str] | Index) -> Table:
    number = Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    columns = [Column(each, Text, nullable=False) for each in texts.split()]
    return Table(
        name, METADATA, number, *columns, *more, sqlite_autoincrement=True, sqlite_strict=True
    )


REVIEW = _make_table(
    "review",
    "kind collection query_id list_id item_id run value note author time cause against assignment",
    Column("said_once", Text, unique=True),
    Index("review_of", "collection", "kind"),
)
"""Verdicts and other rows; `said_once` is the client's own id of a row."""
KNOWN = _make_table("known", "collection folder content items queries")
"""Folder of each collection; of several rows of one collection the last one counts."""
ASSIGNMENT = _make_table("assignment", "id definition author time")
"""Lists to judge, as JSON; of several rows of one id the last one counts."""

_KEPT = "reviews are kept as they were said"


def _forbid_changes(connection: Connection) -> None:
    """Make the database refuse changed and removed reviews."""
    changes = {"changed": "UPDATE", "removed": "DELETE"}
    create = "CREATE TRIGGER IF NOT EXISTS"
    act = f"BEGIN SELECT RAISE(ABORT, '{_KEPT}'); END"
    if connection.dialect.name != "sqlite":
        changes["emptied"] = "TRUNCATE"
        create = "CREATE OR REPLACE TRIGGER"
        body = f"BEGIN RAISE EXCEPTION '{_KEPT}'; END"
        connection.exec_driver_sql(
            "CREATE OR REPLACE FUNCTION keep_reviews() RETURNS trigger LANGUAGE plpgsql AS "
            f"$${body}$$"
        )
        act = "FOR EACH STATEMENT EXECUTE FUNCTION keep_reviews()"
    for name, change in changes.items():
        connection.exec_driver_sql(f"{create} never_{name} BEFORE {change} ON {REVIEW.name} {act}")


def _add_causes(connection: Connection) -> None:
    for column in ("cause", "against", "assignment"):
        connection.exec_driver_sql(
            f"ALTER TABLE review ADD COLUMN {column} TEXT NOT NULL DEFAULT ''"
        )
    ASSIGNMENT.create(connection)


MIGRATIONS = {
    3: _add_causes,
    4: lambda connection: None,  # tables of the first edition, which nothing reads any more
    5: _forbid_changes,  # a file has always refused them
}
"""Steps from the tables of each version to those of the next."""


def make_tables(connection: Connection) -> None:
    """Make all tables in an empty database."""
    METADATA.create_all(connection)
    _forbid_changes(connection)
    if connection.dialect.name != "sqlite":
        connection.exec_driver_sql("CREATE TABLE review_version (version INTEGER NOT NULL)")
        connection.exec_driver_sql("INSERT INTO review_version VALUES (0)")
    _write_version(connection, VERSION)


def has_tables(connection: Connection) -> bool:
    """Return whether reviews are kept in a database."""
    return inspect(connection).has_table(REVIEW.name)


def read_version(connection: Connection) -> int:
    """Return the version of the tables."""
    is_file = connection.dialect.name == "sqlite"
    query = "PRAGMA user_version" if is_file else "SELECT max(version) FROM review_version"
    return int(connection.exec_driver_sql(query).scalar() or 0)


def _write_version(connection: Connection, version: int) -> None:
    is_file = connection.dialect.name == "sqlite"
    command = "PRAGMA user_version =" if is_file else "UPDATE review_version SET version ="
    connection.exec_driver_sql(f"{command} {version}")


def migrate(connection: Connection, name: str) -> None:
    """Turn older tables into those of VERSION, in the transaction of the connection.

    Raises:
        DataError: If they are newer, or older than the first of MIGRATIONS.
    """
    version = read_version(connection)
    while version in MIGRATIONS:
        MIGRATIONS[version](connection)
        version += 1
        _write_version(connection, version)
    if version != VERSION:
        raise DataError(
            name,
            f"version {version} of the tables of reviews",
            f"version {min(MIGRATIONS)} to {VERSION}",
            do="Update the dashboard." if version > VERSION else "Put a copy of a newer one there.",
        )
