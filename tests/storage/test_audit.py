"""The audit log: each act with who and by what, in its own transaction; rows stay as they are."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest
from sqlalchemy import exc, text

from dashboard.storage.reviews import assignments, audit, copies, review_database, reviews, store
from dashboard.storage.reviews.reviews import DECISION, TAKEN_BACK, VERDICT, Review, append
from dashboard.storage.reviews.rights import Actor, NotAllowed, acting
from dashboard.tables import DataError
from tests.storage.test_rights import CALLS, OF_TINY, review
from tests.storage.tiny import make_collection

pytestmark = pytest.mark.usefixtures("review_store")
ADMIN = Actor("Root", "admin", checked=True)


@pytest.fixture(autouse=True)
def nobody_was_refused() -> None:
    audit._denied.clear()


def acts() -> list[tuple[str, ...]]:
    table = audit.rows()[["name", "identity", "role", "action", "collection"]]
    return [tuple(row) for row in table.itertuples(index=False)]


def test_every_act_is_recorded_with_who_and_by_what(tmp_path: Path) -> None:
    append(review(), once="a click")
    append(review(), once="a click")
    with acting(Actor("Ada", "curator", checked=True)):
        append(Review(DECISION, "tiny", "not", "Ada", query_id="q1", item_id="i1", note="secret"))
        append(Review(VERDICT, "tiny", TAKEN_BACK, "Ada", query_id="q1", item_id="i1"))
        reviews.undo("tiny", "Ada")
        assignments.close(assignments.create(OF_TINY, "Ada"), "Ada")
    with acting(Actor("Eve", "viewer", checked=True, by="proxy")):
        for _ in range(3):
            with pytest.raises(NotAllowed):
                append(review(author="Eve"))
    ada = ("Ada", "login", "curator")
    assert acts() == [
        ("Ada", "nobody checked", "admin", "save", "tiny"),
        (*ada, "decide", "tiny"),
        (*ada, "take back", "tiny"),
        (*ada, "take back", "tiny"),
        (*ada, "create review", "tiny"),
        (*ada, "close review", "tiny"),
        ("Eve", "proxy", "viewer", "denied", ""),
    ]
    about = [json.loads(each) for each in audit.rows()["about"]]
    saved = {"kind": "verdict", "query_id": "q1", "item_id": "i1", "value": "relevant"}
    assert about[0] == saved | {"review": "1"}
    assert about[-1] == {"right": "review", "found": "the role viewer"}
    assert "secret" not in str(about)
    with acting(ADMIN):
        copies.backup(tmp_path / "copy.sqlite")
    with closing(sqlite3.connect(tmp_path / "copy.sqlite")) as file:
        copied = [action for (action,) in file.execute("SELECT action FROM audit ORDER BY number")]
    assert copied == audit.rows()["action"].tolist(), "a copy has the log"


def test_no_function_of_the_store_changes_a_row(tmp_path: Path, review_store: str) -> None:
    folder = make_collection(tmp_path / "tiny")
    append(review())
    before = audit.rows()
    for _, call in CALLS.values():
        with suppress(Exception):  # whatever it does, it is called
            call(folder)
    assert audit.rows().head(len(before)).equals(before) and len(audit.rows()) > len(before)
    for change in ("UPDATE audit SET name = 'Eve'", "DELETE FROM audit"):
        refused = pytest.raises((DataError, exc.DBAPIError), match="kept as they were said")
        with refused, store.opened(writing=True) as connection:
            connection.execute(text(change))
    assert audit.rows().head(len(before)).equals(before)
    assert {row["check"]: row["state"] for row in copies.verify()}["rows of audit"] == "ok"


def test_only_an_admin_reads_it_and_from_a_moment_on() -> None:
    assert audit.rows().empty, "looking makes no store"
    append(review())
    with acting(Actor("Ada", "curator", checked=True)), pytest.raises(NotAllowed):
        audit.rows()
    assert len(audit.rows("2020-01-01")) == 2 and audit.rows("2999-01-01T08:00+02:00").empty
    assert len(audit.rows(most=1)) == 1
    assert len(audit.rows(person="ad")) == 2 and audit.rows(person="a%").empty
    with pytest.raises(ValueError, match="'yesterday' is no moment"):
        audit.rows("yesterday")


OF_VERSION_4 = ("audit", "share_link", "visit")


def test_a_store_of_the_version_before_is_taken_over(review_store: str) -> None:
    append(review())
    before = reviews.history("tiny", VERDICT)
    drops = [f"DROP TABLE {table}" for table in OF_VERSION_4]
    if review_store.startswith("postgresql"):
        with store.opened(writing=True) as connection:
            for statement in (*drops, "UPDATE review_version SET version = 4"):
                connection.execute(text(statement))
        review_database.disconnect()
    else:
        with closing(sqlite3.connect(Path(review_store) / "reviews.sqlite")) as file:
            file.executescript(";".join((*drops, "PRAGMA user_version = 4")))
    assert reviews.history("tiny", VERDICT).equals(before)
    append(review(author="Bob"))
    assert acts() == [("Bob", "nobody checked", "admin", "save", "tiny")]
    assert all(row["state"] == "ok" for row in copies.verify())
