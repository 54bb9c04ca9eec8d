"""Lists of pictures, relevance per worker, satisfaction: what is read, left out and refused."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from dashboard.storage.lists.lists import NONE, REAL, SIMULATED, Lists, read_lists
from dashboard.storage.lists.raters import REVIEWERS, answers, ratings_of
from dashboard.storage.reviews import reviews

FILES = {
    "lists.csv": """\
list_id,participant,query_id,version,row,column,item_id
l1,ann,q1,v1,1,2,b
l1,ann,q1,v1,1,1,a
l1,ann,q1,v1,2,1,c
l2,bob,q2,v1,1,1,a
""",
    "relevance.csv": """\
query_id,item_id,worker,relevance
q1,a,w1,100
q1,a,w2,50
q1,b,w1,-1
q1,c,w1,-2
q2,a,w1,0
""",
    "satisfaction.csv": "list_id,participant,satisfaction\nl1,ann,5\nl2,bob,1\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def read(folder: Path, qrels: pd.DataFrame | None = None) -> Lists:
    found = read_lists(
        SimpleNamespace(
            folder=folder,
            items=pd.DataFrame({"item_id": ["a", "b", "c"]}),
            queries=pd.DataFrame({"query_id": ["q1", "q2"]}),
            qrels=qrels,
        )
    )
    assert found is not None
    return found


def spoil(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1))


def rated(*rows: tuple[str, str, str]) -> pd.DataFrame:
    """Reviewers' ratings: list, author, value."""
    return pd.DataFrame(rows, columns=["list_id", "author", "value"], dtype="str")


def test_places_are_in_reading_order_and_nothing_is_complained_about(folder: Path) -> None:
    found = read(folder)
    assert found.findings.empty and not found.refused
    assert found.places["item_id"].tolist() == ["a", "b", "c", "a"]
    assert found.places["session"].tolist() == [""] * 4
    assert found.relevance["relevance"].tolist() == [100, 50, -1, -2, 0]
    assert (found.kind, found.said["satisfaction"].tolist()) == (REAL, [5, 1])


def test_a_collection_without_lists_has_none(tmp_path: Path) -> None:
    nothing = SimpleNamespace(folder=tmp_path, items=None, queries=None, qrels=None)
    assert read_lists(nothing) is None


def test_relevance_that_is_already_averaged_stands_in_the_qrels(folder: Path) -> None:
    (folder / "relevance.csv").unlink()
    qrels = pd.DataFrame({"query_id": ["q1"], "item_id": ["a"], "grade": [75.0]})
    found = read(folder, qrels)
    assert found.relevance.to_numpy().tolist() == [["q1", "a", "", 75.0]]
    assert "averaged in qrels.csv" in str(read(folder).refused["relevance"])


REFUSED = {
    "relevance 400": (
        "relevance.csv", "q1,a,w2,50", "q1,a,w2,400",
        "relevance.csv, line 3: found relevance 400 of 'a' for 'q1'; wanted 0 to 100, or -1 or -2 "
        "for an invalid answer. The scale is 0 to 100.",
    ),
    "relevance -3": ("relevance.csv", "q1,b,w1,-1", "q1,b,w1,-3", "line 4: found relevance -3"),
    "no relevance": ("relevance.csv", "q1,b,w1,-1", "q1,b,w1,", "found relevance ''; wanted a fin"),
    "a worker twice": (
        "relevance.csv", "q1,a,w2,50", "q1,a,w1,50",
        "line 3: found query_id 'q1' and item_id 'a' and worker 'w1' again (lines 2 and 3)",
    ),
    "no worker": (
        "relevance.csv", "worker", "who",
        "relevance.csv, line 1: found the columns query_id, item_id, who, relevance; "
        "wanted a column worker.",
    ),
    "satisfaction 6": (
        "satisfaction.csv", "bob,1", "bob,6",
        "satisfaction.csv, line 3: found satisfaction '6'; wanted a number from 1 to 5. "
        "Leave the line out where nobody answered.",
    ),
    "satisfaction in words": ("satisfaction.csv", "ann,5", "ann,good", "found satisfaction 'good'"),
    "a list answered twice": (
        "satisfaction.csv", "l2,bob", "l1,bob", "found list_id 'l1' again (lines 2 and 3)"
    ),
    "no satisfaction": (
        "satisfaction.csv", ",satisfaction", ",happiness",
        "satisfaction.csv, line 1: found the columns list_id, participant, happiness; "
        "wanted a column satisfaction or a column satisfaction_simulated.",
    ),
    "a place twice": (
        "lists.csv", "1,1,a", "1,2,a",
        "lists.csv, line 3: found list_id 'l1' and row '1' and column '2' again (lines 2 and 3); "
        "wanted each only once.",
    ),
    "row 0": ("lists.csv", "l2,bob,q2,v1,1,1", "l2,bob,q2,v1,0,1", "line 5: found row 0; wanted r"),
    "row 1.5": ("lists.csv", "v1,2,1,c", "v1,1.5,1,c", "found row '1.5'; wanted a whole number"),
    "no column": ("lists.csv", ",column", ",place", "wanted a column column."),
    "a list of two queries": (
        "lists.csv", "l1,ann,q1,v1,2", "l1,ann,q2,v1,2",
        "line 4: found the query_id 'q2' in list 'l1'; wanted 'q1', as before in this list.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_file_that_cannot_be_used_says_where_and_why(folder: Path, case: str) -> None:
    name, old, new, sentence = REFUSED[case]
    spoil(folder, name, old, new)
    found = read(folder)
    table = name.removesuffix(".csv")
    assert sentence in str(found.refused[table])
    assert found.findings["level"].tolist()[0] == "error"
    assert {"lists": found.places, "relevance": found.relevance, "satisfaction": found.said}[
        table
    ].empty


LEFT_OUT = {
    "an unknown item": (
        "lists.csv", "1,2,b", "1,2,x", 2, "1 place with unknown items (x)",
        {"places": ["a", "x", "c", "a"], "said": ["l1", "l2"]},
    ),
    "a list of a missing query": (
        "lists.csv", "l2,bob,q2", "l2,bob,q9", 5, "1 list of unknown queries (l2 of q9)",
        {"places": ["a", "b", "c"], "said": ["l1"]},
    ),
    "answers for an unknown query": (
        "relevance.csv", "q2,a", "q9,a", 6, "1 answer for unknown queries (q9)",
        {"places": ["a", "b", "c", "a"], "said": ["l1", "l2"]},
    ),
    "satisfaction with an unknown list": (
        "satisfaction.csv", "l2,bob", "l9,bob", 3, "1 answer of unknown lists (l9)",
        {"places": ["a", "b", "c", "a"], "said": ["l1"]},
    ),
    "satisfaction of somebody else": (
        "satisfaction.csv", "l2,bob", "l2,ann", 3, "1 answer of somebody who did not see the list",
        {"places": ["a", "b", "c", "a"], "said": ["l1"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", LEFT_OUT)
def test_what_is_left_out_is_said_with_its_line(folder: Path, case: str) -> None:
    name, old, new, line, sentence, left = LEFT_OUT[case]
    spoil(folder, name, old, new)
    found = read(folder)
    rows = found.findings[found.findings["found"].str.contains(sentence, regex=False)]
    assert rows[["level", "file", "line"]].to_numpy().tolist() == [["warning", name, line]]
    assert found.places["item_id"].tolist() == left["places"]
    assert found.said["list_id"].tolist() == left["said"]


def said_of(found: Lists, name: str) -> list[tuple[str, int]]:
    """(what was found, line) of the warnings on a file."""
    rows = found.findings[(found.findings["file"] == name) & (found.findings["level"] == "warning")]
    return list(zip(rows["found"], rows["line"].astype(int), strict=True))


def test_judgements_that_contradict_the_workers_answers_are_said_with_both_numbers(
    folder: Path,
) -> None:
    grades = [("q1", "a", 5.0), ("q1", "b", 40.0), ("q1", "c", -1.0), ("q2", "a", 0.4)]
    found = read(folder, pd.DataFrame(grades, columns=["query_id", "item_id", "grade"]))
    sentence = (
        "2 of 4 query–picture pairs have another relevance in qrels: 'a' for 'q1' has a mean of 75 "
        "here and 5 there"
    )
    assert said_of(found, "relevance.csv") == [(sentence, 2)]
    assert "rankings are measured by qrels" in found.findings["wanted"].iloc[0]
    # a mean that was rounded does not contradict, and neither does what only one of them knows
    rounded = pd.DataFrame(
        [("q1", "a", 75.3), ("q9", "a", 1.0)], columns=["query_id", "item_id", "grade"]
    )
    assert read(folder, rounded).findings.empty


def test_an_invalid_answer_contradicts_a_relevance(folder: Path) -> None:
    qrels = pd.DataFrame({"query_id": ["q1"], "item_id": ["b"], "grade": [40.0]})
    ((sentence, line),) = said_of(read(folder, qrels), "relevance.csv")
    assert "a mean of -1 (invalid) here and 40 there" in sentence and line == 4


def test_a_hole_in_a_row_is_said_with_its_line(folder: Path) -> None:
    spoil(folder, "lists.csv", "v1,1,2,b", "v1,1,9,b")
    found = read(folder)
    sentence = "1 row with a hole: column 9 in row 1 of list 'l1'"
    assert said_of(found, "lists.csv") == [(sentence, 2)]
    assert found.findings["wanted"].iloc[0].startswith("column 2,")
    assert found.places["item_id"].tolist() == ["a", "b", "c", "a"]


def test_reviewers_take_the_place_of_simulated_answers_only(folder: Path) -> None:
    ratings = rated(("l2", "eve", "2"), ("gone", "eve", "3"))
    assert answers(read(folder), ratings)[1] == REAL
    spoil(folder, "satisfaction.csv", "satisfaction", "satisfaction_simulated")
    assert answers(read(folder), ratings.iloc[:0])[1] == SIMULATED
    table, kind = answers(read(folder), ratings)
    assert kind == REVIEWERS
    assert table["participant"].fillna("-").tolist() == ["-", "eve"]
    assert table["satisfaction"].fillna(0).tolist() == [0, 2]
    (folder / "satisfaction.csv").unlink()
    assert answers(read(folder), ratings)[1] == REVIEWERS
    table, kind = answers(read(folder), ratings.iloc[:0])
    assert (kind, table["satisfaction"].isna().all()) == (NONE, True)


def test_real_answers_count_where_simulated_ones_stand_beside(folder: Path) -> None:
    (folder / "satisfaction.csv").write_text(
        "list_id,participant,satisfaction_simulated,satisfaction\nl1,ann,1,4\n"
    )
    found = read(folder)
    assert (found.kind, found.said["satisfaction"].tolist()) == (REAL, [4])
    assert found.findings["found"].tolist() == ["real and simulated answers"]


def test_the_last_word_of_a_reviewer_counts_whatever_version_it_was_said_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "reviews"))
    for value, run in (("2", "v1"), ("5", "v2")):
        reviews.append(reviews.Review(reviews.RATING, "c", value, "eve", list_id="l1", run=run))
    reviews.append(reviews.Review(reviews.RATING, "c", "1", "bob", list_id="l1"))
    found = ratings_of("c").to_numpy().tolist()
    assert found == [["l1", "eve", "5"], ["l1", "bob", "1"]]
