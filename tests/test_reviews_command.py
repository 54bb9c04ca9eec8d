"""`reviews`: copies, what is wrong with the store, and what reviewers said, on the command line."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
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
    mapped = [("q1", "car", "small vehicle"), ("q2", "person", "pedestrian")]
    lines = [f"{query},{word},pv_object_type,{keyword},0.9" for query, word, keyword in mapped]
    head = "query_id,ngram,group,keyword,score"
    (made / "query_keywords.csv").write_text("\n".join([head, *lines]) + "\n")
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
    code, out, _ = answer(capsys, "audit", "--since", "2026-01-01", "--format", "json")
    assert code == 0
    assert [row["action"] for row in json.loads(out)] == ["save", "save", "save", "restore"]
    code, _, err = answer(capsys, "restore", copy)
    assert code == 2 and "found 3 reviews; wanted an empty store" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["backup"], "reviews backup needs the new file"),
        (["export"], "reviews export needs a collection"),
        (["verify", "--history"], "--history is of export"),
        (["verify", "--since", "2026-01-01"], "--since is of audit"),
        (["audit", "--since", "yesterday"], "'yesterday' is no moment"),
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


@pytest.fixture(params=["csv", pytest.param("trec", marks=pytest.mark.slow)])
def judged(request: pytest.FixtureRequest, folder: Path) -> Path:
    """The collection with a file of judgements, two of which reviewers correct."""
    rows = [("q1", "v00", 1), ("q1", "v01", 0), ("q2", "v01", 1), ("q3", "v02", 1)]
    if request.param == "csv":
        lines = ["query_id,item_id,grade,by", *(f'{q},"{i}",{g},Zoë' for q, i, g in rows)]
        (folder / "qrels.csv").write_bytes("\r\n".join(lines).encode())
    else:
        (folder / "qrels.txt").write_text("".join(f"{q} 0 {i} {g}\n" for q, i, g in rows))
    settings = (folder / "collection.toml").read_text().replace('["alfa"]', '["trec"]', 1)
    (folder / "collection.toml").write_text(settings)
    key = key_of(open_collection(folder, allow_path=True), saying=True)
    append(Review(VERDICT, key, "relevant", "Bob", query_id="q3", item_id="v03"))
    append(Review(VERDICT, key, "relevant", "Bob", query_id="q2", item_id="v00"))
    append(Review(VERDICT, key, "not", "Eve", query_id="q2", item_id="v00"))
    return folder


def values(capsys: pytest.CaptureFixture[str], *words: object) -> dict[tuple[str, str], float]:
    usual = () if "--metrics" in words else ("--metrics", "P@3 AP")
    assert main(["measure", *map(str, words), *usual, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    return {(row["run"], row["metric"]): row["mean"] for row in rows}


def test_a_patch_is_what_labels_with_corrections_measure(
    judged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ada says that v00 is not relevant to q1, Bob that v03 is to q3; on q2 they are divided."""
    before = {path: path.read_bytes() for path in judged.rglob("*") if path.is_file()}
    patch, qrels = tmp_path / "fix.patch", tmp_path / "all.csv"
    given = values(capsys, judged)
    corrected = values(capsys, judged, "--labels", "corrected")
    assert given != corrected
    words = ("--metrics", "P@3 AP", "--patch", patch, "--qrels", qrels, "--format", "json")
    code, out, err = answer(capsys, "export", judged, *words)
    assert code == 0 and "reviewers change 2 labels of tiny; its files stay as they are" in err
    for row in json.loads(out):
        name = (row["run"], row["metric"])
        assert (row["given"], row["corrected"]) == (given[name], corrected[name])
        assert row["change"] == pytest.approx(corrected[name] - given[name], abs=1e-9)
    assert {path: path.read_bytes() for path in before} == before, "the app changes no data"
    text = patch.read_bytes().decode()
    assert text.count("\n+") - text.count("\n+++") == 2 + (judged / "qrels.csv").exists()
    applied = subprocess.run(
        ["git", "apply", "--unsafe-paths", "--whitespace=nowarn", str(patch)],
        cwd=judged,
        capture_output=True,
        env=os.environ | {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)},
    )
    assert applied.returncode == 0, applied.stderr
    assert values(capsys, judged) == corrected
    assert values(capsys, judged, "--labels", "corrected") == corrected, "nothing is left to change"
    assert qrels.read_text().splitlines()[0] == "query_id,item_id,grade"
    assert sorted(qrels.read_text().splitlines()[1:]) == [
        "q1,v00,0",
        "q1,v01,0",
        "q2,v01,1",
        "q3,v02,1",
        "q3,v03,1",
    ]
    code, _, err = answer(capsys, "export", judged, "--patch", patch)
    assert code == 2 and "fix.patch: found a file; wanted a new one" in err


def test_labels_from_keywords_are_corrected_and_have_no_file_to_patch(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert values(capsys, folder) != values(capsys, folder, "--labels", "corrected")
    code, _, err = answer(capsys, "export", folder, "--patch", tmp_path / "fix.patch")
    assert code == 2 and "no file of judgements" in err and "--qrels FILE" in err
    code, _, err = answer(capsys, "export", folder, "--qrels", tmp_path / "all.txt")
    assert code == 0 and "q1 0 v00 0\n" in (tmp_path / "all.txt").read_text()


def test_a_new_verdict_counts_at_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = values(capsys, folder, "--labels", "corrected")
    key = key_of(open_collection(folder, allow_path=True), saying=True)
    append(Review(VERDICT, key, "", "Ada", query_id="q1", item_id="v00"))
    assert values(capsys, folder, "--labels", "corrected") == values(capsys, folder) != before


PAIR = ("--baseline", "v0.1", "--candidate", "v0.2")


def test_what_to_judge_next_ends_in_a_decision(
    judged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each result of the queue is judged relevant where only the candidate has it, until the
    sentence says that nothing can turn any more; then the measured values agree with it."""
    words = ("next", judged, *PAIR, "--metrics", "P@1", "--labels", "corrected", "--format", "json")
    key = key_of(open_collection(judged, allow_path=True), saying=True)
    for _ in range(12):
        code, out, err = answer(capsys, *words)
        assert code == 0 and "note: P@1: " in err
        table = json.loads(out)
        if not table:
            break
        first = table[0]
        value = "relevant" if first["rank_candidate"] == 1 else "not"
        ids = {"query_id": first["query_id"], "item_id": first["item_id"]}
        append(Review(VERDICT, key, value, "Ada", **ids))
    assert not table and "decided: " in err and "remaining" not in err
    measured = values(capsys, judged, "--labels", "corrected", "--metrics", "P@1")
    ahead = measured["v0.2", "P"] - measured["v0.1", "P"]
    assert ("v0.2 is ahead" in err) == (ahead > 0) and ("equal" in err) == (ahead == 0)


def test_suspects_agreement_and_disagreements_are_tables(
    judged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = answer(capsys, "disagreements", judged, "--format", "json")
    assert code == 0 and json.loads(out) == [
        {
            "kind": "verdict",
            "query_id": "q2",
            "item_id": "v00",
            "group": None,
            "keyword": None,
            "reviewers": 2,
            "minority": 0.5,
            "values": "not 1, relevant 1",
        }
    ]
    decision = ("--query", "q2", "--item", "v00", "--value", "relevant", "--author", "Dan")
    assert answer(capsys, "decide", judged, *decision)[0] == 0
    code, out, err = answer(capsys, "disagreements", judged, "--format", "json")
    assert code == 0 and json.loads(out) == []
    assert "note: 1 result left out: a curator has decided" in err
    code, out, _ = answer(capsys, "agreement", judged, "--format", "json")
    rows = json.loads(out)
    assert code == 0 and [row["measure"] for row in rows] == ["alpha", "kappa"]
    assert {(row["pairs"], row["few"]) for row in rows} == {(1, True)}
    code, out, _ = answer(capsys, "suspects", judged, *PAIR, "--format", "json")
    assert code == 0 and [(r["query_id"], r["item_id"]) for r in json.loads(out)] == [("q1", "v01")]


def test_keywords_on_which_reviewers_differ_are_listed_until_a_curator_decides(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vehicle, person = "pv_object_type=small vehicle", "pv_object_type=pedestrian"
    for author, change in (("Ada", "--add"), ("Bob", "--remove"), ("Cleo", "--add")):
        words = ("correct", folder, "--item", "v00", change, vehicle, "--author", author)
        assert answer(capsys, *words)[0] == 0
    words = ("correct", folder, "--query", "q1", "--author")
    assert answer(capsys, *words, "Ada", "--add", person, "--words", "car")[0] == 0
    assert answer(capsys, *words, "Bob", "--remove", person)[0] == 0
    code, out, _ = answer(capsys, "disagreements", folder, "--format", "json")
    about = ["kind", "query_id", "item_id", "group", "keyword", "reviewers", "minority", "values"]
    assert code == 0 and [[row[name] for name in about] for row in json.loads(out)] == [
        ["mapping", "q1", None, *person.split("="), 2, 0.5, "add car 1, remove 1"],
        ["keyword", None, "v00", *vehicle.split("="), 3, pytest.approx(1 / 3), "add 2, remove 1"],
    ]
    words = ("decide", folder, "--item", "v00", "--add", vehicle, "--author", "Dan")
    assert answer(capsys, *words)[0] == 0
    code, out, _ = answer(capsys, "disagreements", folder, "--format", "csv")
    assert [line.split(",")[0] for line in out.splitlines()[1:]] == ["mapping"]


@pytest.mark.parametrize("seed", ["-1", "4294967296", "two"])
def test_a_seed_is_one_that_generators_begin_with(
    folder: Path, seed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        answer(capsys, "create", folder, *PAIR, "--title", "x", "--seed", seed)
    sentence = f"argument --seed: {seed!r} is not a whole number from 0 to 4294967295"
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["next"], "reviews next needs --baseline VERSION --candidate VERSION"),
        (["next", *PAIR, "--metrics", "P@1 AP"], "reviews next is about one metric"),
        (["next", *PAIR, "--metrics", "AP"], "AP reads whole lists; name a cutoff, such as AP@10"),
        (["next", *PAIR, "--metrics", "ERR@5"], "has no bounds: P, DCG, RBP"),
        (["next", *PAIR[:3], "v9"], "v9"),
        (["suspects", *PAIR[:3], PAIR[1]], "reviews suspects is about two versions, and both are"),
    ],
)
def test_a_wrong_call_about_two_versions_is_one_sentence(
    folder: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = answer(capsys, words[0], folder, *words[1:])
    assert (code, out) == (2, "") and said in err.splitlines()[-1]
