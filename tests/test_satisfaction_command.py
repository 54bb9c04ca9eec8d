"""`check` and `satisfaction` on lists that people saw: what is complained about, and how."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from dashboard.__main__ import main
from dashboard.storage.reviews import reviews
from dashboard.storage.reviews.reviews import RATING, Review
from tests.storage.tiny import make_collection

LISTS = """\
list_id,participant,query_id,row,column,item_id
l1,ann,q1,1,1,v00
l1,ann,q1,1,2,v01
l2,ann,q2,1,1,v02
l2,ann,q2,1,2,v03
l3,ann,q3,1,1,v01
l3,ann,q3,1,2,v00
"""
RELEVANCE = """\
query_id,item_id,worker,relevance
q1,v00,w1,100
q1,v01,w1,50
q2,v02,w1,20
q2,v03,w1,0
q3,v01,w1,60
q3,v00,w1,-1
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "reviews"))
    made = make_collection(tmp_path / "tiny")
    (made / "lists.csv").write_text(LISTS)
    (made / "relevance.csv").write_text(RELEVANCE)
    (made / "satisfaction.csv").write_text(
        "list_id,participant,satisfaction_simulated\nl1,ann,5\nl2,ann,1\nl3,ann,2\n"
    )
    return made


def asked(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main([*map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def gain(capsys: pytest.CaptureFixture[str], folder: Path) -> dict:
    """The row of CG, of lists of one row."""
    code, out, _ = asked(capsys, "satisfaction", folder, "--rows", 1, "--format", "json")
    assert code == 0
    return next(row for row in json.loads(out) if row["discount"] == "CG")


def test_the_little_collection_agrees_as_a_person_counts(capsys, folder) -> None:
    row = gain(capsys, folder)
    # means .75, .1, .6 against satisfaction 1, 0, .25: the same order
    assert (row["answers"], row["n"], row["r_original"]) == ("simulated", 3, 1)


def test_simulated_answers_carry_their_warning_in_every_form(capsys, folder) -> None:
    _, out, err = asked(capsys, "satisfaction", folder, "--rows", 1, "--format", "csv")
    assert all(line.startswith("simulated,") for line in out.splitlines()[1:])
    assert "these support no conclusion" in err


def test_reviewers_ratings_take_the_place_of_simulated_answers(capsys, folder) -> None:
    for list_id, value in (("l1", "1"), ("l2", "4")):
        reviews.append(Review(RATING, "tiny", value, "eve", list_id=list_id))
    row = gain(capsys, folder)
    assert (row["answers"], row["n"], row["r_original"]) == ("reviewers", 0, None)  # two lists
    reviews.append(Review(RATING, "tiny", "2", "eve", list_id="l3"))
    row = gain(capsys, folder)
    assert (row["answers"], row["n"], row["r_original"]) == ("reviewers", 3, -1)
    for list_id in ("l1", "l3"):
        reviews.append(Review(RATING, "tiny", "4", "eve", list_id=list_id))
    assert gain(capsys, folder)["r_original"] is None  # always the same answer


def test_without_answers_that_is_said_and_nothing_is_zero(capsys, folder) -> None:
    (folder / "satisfaction.csv").unlink()
    _, _, err = asked(capsys, "satisfaction", folder, "--rows", 1)
    assert "found no answers" in err
    assert gain(capsys, folder)["r_context"] is None
    _, out, _ = asked(capsys, "satisfaction", folder, "--table", "spread", "--rows", 1)
    assert out.count("none") == 3


WRONG = {
    "relevance 400": ("relevance.csv", "v00,w1,100", "v00,w1,400", "line 2: found relevance 400"),
    "satisfaction 9": ("satisfaction.csv", "l2,ann,1", "l2,ann,9", "line 3: found satisfaction"),
    "a place twice": ("lists.csv", "l2,ann,q2,1,2", "l2,ann,q2,1,1", "line 5: found list_id 'l2'"),
    "a missing column": ("lists.csv", ",row", ",line", "lists.csv, line 1: found the columns"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_mistake_is_said_by_check_and_refused_with_exit_code_2(capsys, folder, case) -> None:
    name, old, new, sentence = WRONG[case]
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1))
    code, out, err = asked(capsys, "satisfaction", folder)
    assert (code, out) == (2, "")
    assert sentence in err.splitlines()[-1]
    code, out, _ = asked(capsys, "check", folder, "--format", "json")
    said = [(row["level"], row["file"]) for row in json.loads(out)]
    assert code == 1 and said.count(("error", name)) == 1


def test_what_is_left_out_is_complained_about(capsys, folder) -> None:
    (folder / "lists.csv").write_text(LISTS.replace("q3,1,1,v01", "q3,1,1,v99"))
    _, _, err = asked(capsys, "satisfaction", folder)
    assert "warning: lists.csv, line 6: found 1 place with unknown items (v99)" in err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--list", "l9"], "found no list 'l9'"),
        (["--rows", "0"], "not a whole number from 1"),
        (["--divide", "k"], "invalid choice"),
    ],
)
def test_a_wrong_call_is_one_line(capsys, folder, arguments, sentence) -> None:
    try:
        code, _, err = asked(capsys, "satisfaction", folder, *arguments)
    except SystemExit as stopped:
        code, err = stopped.code, capsys.readouterr().err
    assert code == 2 and sentence in err.splitlines()[-1]


def test_a_collection_without_lists_says_so(capsys, folder) -> None:
    (folder / "lists.csv").unlink()
    code, _, err = asked(capsys, "satisfaction", folder)
    assert code == 2 and "found no lists.csv" in err
    shutil.rmtree(folder)
