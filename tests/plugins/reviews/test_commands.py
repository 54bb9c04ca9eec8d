"""Rows, files and sentences of the command `reviews`."""

import csv
import getpass
from collections.abc import Callable
from functools import partial
from io import StringIO
from pathlib import Path

import pytest

from dashboard.__main__ import main
from tests.plugins import worlds

Say = Callable[..., int]
Call = Callable[..., tuple[int, list[dict], str]]


@pytest.fixture
def call() -> Call:
    return partial(worlds.call, "reviews")


def test_lists(graded: Path, call: Call, say: Say) -> None:
    """Made, worked through, shown and closed by who made it."""
    options = ("--title", "Drops", "--choose", "worst", "--metric", "Success@1", "--author", "eva")
    code, (made,), _ = call("create", graded, *options, "--number", 2)
    assert (code, made["title"], made["pairs"], made["state"]) == (0, "Drops", 2, "open")
    assert made["chosen"] == "worst regressions by Success@1"
    found = {"list_id": made["list_id"], "query_id": "q1", "item_id": "a", "judged": 0, "pairs": 2}
    assert call("next", graded, "--author", "kim")[1] == [found]
    say("kim", "q1", "a", "not")
    _, (row,), _ = call("next", graded, "--author", "kim")
    assert (row["item_id"], row["judged"]) == ("c", 1)
    say("kim", "q1", "c", "relevant")
    told = f"nothing is left to judge of {made['list_id']}: kim has judged all 2"
    assert call("next", graded, "--author", "kim") == (0, [], f"note: {told}\n")
    code, rows, said = call("show", graded)
    assert [row["values"] for row in rows] == ["not 1", "relevant 1"]
    assert said == "note: kim judged 2 of 2 pairs\n"
    code, _, said = call("close", graded, "--list", made["list_id"], "--author", "kim")
    assert code == 2 and "who alone can close it" in said
    code, (row,), _ = call("close", graded, "--list", made["list_id"], "--owner", "eva")
    assert (code, row["state"], row["judged"], row["people"]) == (0, "closed", 2, 1)
    assert call("list", graded)[1] == [row]
    assert "No list is open" in call("next", graded)[2]
    blind = ("--title", "Blind", "--compare", "--choose", "doubtful", "--metric", "AP")
    assert call("create", graded, *blind)[1][0]["chosen"] == "lists that differ most, all there are"
    assert call("next", graded)[1][0]["item_id"] is None
    assert "it is closed" in call("next", graded, "--list", made["list_id"])[2]


def test_pairs_that_are_gone(graded: Path, call: Call, say: Say) -> None:
    """Of q2 d, a, b, without the item d, two are asked; an undecided pair of d is left out."""
    options = ("--title", "S", "--choose", "slice", "--slice", "scene=s2")
    _, (made,), _ = call("create", graded, *options)
    assert (made["chosen"], made["author"]) == ("scene=s2, all there are", getpass.getuser())
    for author, value in (("eva", "not"), ("kim", "relevant")):
        say(author, "q2", "d", value)
    (graded / "items.csv").write_text("item_id\na\nb\nc\n")
    _, (row,), said = call("next", graded, "--author", "eva")
    assert (row["item_id"], row["judged"], row["pairs"]) == ("a", 0, 2)
    assert "gone from the collection: 1 of 3 pairs" in said
    _, (row,), _ = call("list", graded)
    assert (row["judged"], row["pairs"]) == (0, 2)
    assert call("disagreements", graded)[1] == []


def test_export(graded: Path, call: Call, say: Say) -> None:
    """The columns of the interface; the last word of each, or all with --history."""
    options = ("--title", "S", "--choose", "slice", "--slice", "scene=s1")
    _, (made,), _ = call("create", graded, *options)
    within = {"run": "v1", "list_id": made["list_id"]}
    say("eva", "q1", "b", "not", cause="label", note="a\nb", **within)
    say("eva", "q1", "b", "relevant", **within)
    code, rows, _ = call("export", graded)
    assert code == 0 and len(rows) == 1 and rows[0].pop("time").endswith("+00:00")
    assert rows == [
        {"query_id": "q1", "item_id": "b", **within, "kind": "verdict",
         "value": "relevant", "cause": "", "note": "", "author": "eva"}
    ]  # fmt: skip
    assert [row["value"] for row in call("export", graded, "--history")[1]] == ["not", "relevant"]


def test_export_without_the_version_and_the_collection(graded: Path, call: Call, say: Say) -> None:
    say("eva", "q1", "b", "not", run="v1")
    (graded / "runs" / "v1.trec").unlink()
    assert [row["run"] for row in call("export", graded)[1]] == ["v1"]
    (graded / "items.csv").unlink()
    assert len(call("export", graded)[1]) == 1
    graded.rename(graded.with_name("gone"))
    assert len(call("export", graded)[1]) == 1
    code, rows, said = call("export", graded.with_name("never"))
    assert (code, rows) == (2, []) and "no such folder" in said


def test_texts_of_people(
    graded: Path, say: Say, capsys: pytest.CaptureFixture[str], call: Call
) -> None:
    """No formula in a spreadsheet, nothing that acts on a terminal; JSON has the text itself."""
    notes = ("=1+1", "+x", "-x", "@x", "\tx", "\x1b[2J<b>", 'a","b')
    for item, note in zip("abcdxab", notes, strict=True):
        say(
            f"p{note[:1] if note[0] not in chr(9) + chr(27) else 'x'}", "q1", item, "not", note=note
        )
    assert [row["note"] for row in call("export", graded, "--history")[1]] == list(notes)
    main(["reviews", "export", str(graded), "--history", "--format", "csv"])
    rows = list(csv.DictReader(StringIO(capsys.readouterr().out)))
    protected = ["'=1+1", "'+x", "'-x", "'@x", "'\tx", "\x1b[2J<b>", 'a","b']
    assert [row["note"] for row in rows] == protected
    main(["reviews", "--format", "csv", "export", str(graded)])
    assert "'=1+1" in capsys.readouterr().out
    main(["reviews", "export", str(graded)])
    printed = capsys.readouterr().out
    assert "\x1b" not in printed and "\N{REPLACEMENT CHARACTER}[2J<b>" in printed


def test_corrected_labels_as_a_file(graded: Path, call: Call, say: Say, tmp_path: Path) -> None:
    """What is written gives the same numbers as the choice of corrected labels."""
    say("eva", "q1", "b", "relevant")
    say("eva", "q2", "d", "2")
    lines, table = tmp_path / "new.txt", tmp_path / "new.csv"
    assert call("export", graded, "--qrels", lines)[0] == 0
    assert lines.read_text() == "q1 0 a 2\nq1 0 b 1\nq2 0 a 1\nq2 0 d 2\n"
    call("export", graded, "--qrels", table)
    assert table.read_text().splitlines()[:3] == ["query_id,item_id,grade", "q1,a,2", "q1,b,1"]
    code, rows, said = call("export", graded, "--qrels", lines)
    assert (code, rows) == (2, []) and "new.txt: found a file; expected a new one" in said
    assert "the file holds corrected ones" in call(
        "export", graded, "--qrels", tmp_path / "c", "--labels", "given")[2]  # fmt: skip
    assert (graded / "qrels.txt").read_text() == "q1 0 a 2\nq1 0 b 0\nq2 0 a 1\n"


def test_ids_with_blanks_need_csv(graded: Path, call: Call, tmp_path: Path) -> None:
    (graded / "items.csv").write_text("item_id\na b\nb\n")
    (graded / "qrels.txt").unlink()
    (graded / "qrels.csv").write_text("query_id,item_id,grade\nq1,a b,1\n")
    code, _, said = call("export", graded, "--qrels", tmp_path / "new.txt")
    assert code == 2 and "Name a file that ends with .csv" in said
    assert not (tmp_path / "new.txt").exists()


def test_disagreement_and_decision(graded: Path, call: Call, say: Say) -> None:
    for author, value in (("eva", "relevant"), ("kim", "not")):
        say(author, "q1", "b", value)
        say(author, "q1", "a", "2")
    code, rows, said = call("agreement", graded)
    assert [(row["measure"], row["value"]) for row in rows[:1]] == [("agreement", 0.5)]
    assert "2 pairs; fewer than 30 say little" in said
    differing = call("disagreements", graded)[1]
    assert [(row["item_id"], row["values"]) for row in differing] == [("b", "not 1, relevant 1")]
    words = ("decide", graded, "--query", "q1", "--item", "b", "--value", "2", "--author", "lea")
    code, (row,), _ = call(*words, "--note", "clear")
    assert (code, row["author"], row["value"], row["number"]) == (0, "lea", "2", 5)
    assert call("disagreements", graded)[1:] == ([], "note: 1 left out, which are decided\n")
    code, rows, said = call("decide", graded, "--query", "q1", "--item", "a", "--value", "9")
    assert (code, rows) == (2, []) and "'9' is no decision." in said
    kinds = [(row["kind"], row["author"]) for row in call("export", graded)[1]]
    assert kinds[-1] == ("decision", "lea")


def test_nothing_said(graded: Path, store: Path, call: Call, tmp_path: Path) -> None:
    assert call("export", graded) == call("disagreements", graded) == (0, [], "")
    assert call("agreement", graded)[2] == "note: no pair was judged by two people\n"
    code, _, said = call("backup", tmp_path / "copy")
    assert code == 2 and "reviews.sqlite: found no reviews" in said
    assert not store.exists()
