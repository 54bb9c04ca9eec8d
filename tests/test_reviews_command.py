"""`reviews`: copies, what is wrong with the store, and what reviewers said, on the command line."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dashboard.__main__ import main
from dashboard.storage.collection.collection import open_collection
from dashboard.storage.reviews.review_file import review_file
from dashboard.storage.reviews.review_keys import key_of
from dashboard.storage.reviews.reviews import RATING, VERDICT, Review, append
from tests.storage.tiny import make_collection


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A collection with two verdicts, the first one replaced, and a rating."""
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "said"))
    made = make_collection(tmp_path / "tiny")
    key = key_of(open_collection(made, allow_path=True), saying=True)
    for value in ("relevant", "not"):
        append(Review(VERDICT, key, value, "Ada", query_id="q1", item_id="v00", note="=1+1"))
    append(Review(RATING, key, "4", "Ada", query_id="q1", list_id="l1", run="v2"))
    return made


def answer(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main(["reviews", *map(str, words)])
    out, err = capsys.readouterr()
    return code, out, err


def test_reviews_are_exported_with_or_without_what_was_replaced(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = answer(capsys, "export", folder, "--format", "json")
    assert code == 0
    assert [(row["kind"], row["value"]) for row in json.loads(out)] == [
        ("verdict", "not"),
        ("rating", "4"),
    ]
    code, out, _ = answer(capsys, "export", folder, "--history", "--format", "csv")
    assert code == 0 and len(out.splitlines()) == 4
    assert "'=1+1" in out, "a spreadsheet computes nothing"


def test_a_copy_is_written_checked_and_read_back(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    copy = tmp_path / "copy.sqlite"
    code, out, _ = answer(capsys, "backup", copy, "--format", "json")
    assert code == 0 and json.loads(out) == [{"file": str(copy), "reviews": 3}]
    assert answer(capsys, "verify", copy)[0] == answer(capsys, "verify")[0] == 0
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "fresh"))
    assert answer(capsys, "restore", copy)[0] == 0
    code, _, err = answer(capsys, "restore", copy)
    assert code == 2 and "found 3 reviews; wanted an empty store" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["backup"], "reviews backup needs the new file"),
        (["export"], "reviews export needs a collection"),
        (["verify", "--history"], "--history is of export"),
        (["restore", "/nowhere/copy"], "copy: found no such file"),
        (["verify", "/nowhere/copy"], "copy: found no such file"),
    ],
)
def test_a_wrong_call_is_one_sentence(
    folder: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = answer(capsys, *words)
    assert (code, out) == (2, "") and said in err and err.count("\n") == 1


def test_a_store_with_something_wrong_is_a_finding(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(review_file())) as file:
        file.execute("DROP TRIGGER never_changed")
    code, out, _ = answer(capsys, "verify")
    assert code == 1 and "no trigger never_changed" in out
