"""Reviews for others on a small collection: queries, sides, answers, outcome, and the commands."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from dashboard.__main__ import main
from dashboard.experiment.reviews import assigned_reviews as assigned
from dashboard.experiment.reviews.assigned_reviews import ANSWERS, Assignment
from dashboard.storage.collection.collection import open_collection
from tests.storage.tiny import make_collection

TEN = tuple(f"q{number}" for number in range(40))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "said"))
    made = make_collection(tmp_path / "tiny")
    (made / "qrels.txt").write_text("q1 0 v00 1\nq2 0 v01 1\nq3 0 v02 1\n")
    settings = (made / "collection.toml").read_text().replace('["alfa"]', '["trec"]')
    (made / "collection.toml").write_text(settings)
    return made


def answer(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, list, str]:
    code = main(["reviews", *map(str, words), "--format", "json"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else [], err


def made(capsys: pytest.CaptureFixture[str], folder: Path, *more: object) -> Assignment:
    words = ("create", folder, "--baseline", "v0.1", "--candidate", "v0.2", "--title", "Night")
    code, rows, err = answer(capsys, *words, "--choose", "random", "--author", "Ada", *more)
    assert code == 0, err
    found = assigned.review_named(rows[0]["id"])
    assert found is not None and rows[0]["link"] == f"reviews?review={found.id}"
    return found


def test_sides_are_shuffled_by_query_and_stay_for_a_person() -> None:
    blind = Assignment(
        collection="c", title="t", baseline="a", candidate="b", protocol="trec", queries=TEN,
        seed="s", id="i",
    )  # fmt: skip
    turned = [assigned.sides(blind, query, "Ada") for query in TEN]
    assert turned == [assigned.sides(blind, query, "Ada") for query in TEN]
    assert 8 < turned.count(("a", "b")) < 32, "neither version is always on one side"
    assert turned != [assigned.sides(blind, query, "Bob") for query in TEN]
    other_seed = Assignment(**(vars(blind) | {"seed": "u"}))
    assert turned != [assigned.sides(other_seed, query, "Ada") for query in TEN], "the seed decides"
    named = Assignment(**(vars(blind) | {"blind": False}))
    assert {assigned.sides(named, query, "Ada") for query in TEN} == {("a", "b")}


def test_an_answer_about_sides_is_saved_as_one_about_versions(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    review = made(capsys, folder)
    assert set(review.queries) == {"q1", "q2", "q3"} and review.chosen == "at random, seed 1"
    for author in ("Ada", "Bob", "Eve"):
        for query in review.queries:
            first, _ = assigned.sides(review, query, author)
            side = "A better" if first == "v0.2" else "B better"
            value = assigned.save_answer(review, query, author, side, "", f"{author}{query}")
            assert value == "better"
    given = assigned.answers(review)
    assert len(given) == 9 and set(given["run"]) == {"v0.2"}
    found = assigned.outcome(given)
    assert (found.better, found.worse, found.same, found.p) == (3, 0, 0, 0.25)
    code, rows, err = answer(capsys, "show", review.id)
    assert code == 0 and "v0.2 better on 3, v0.1 on 0" in err and "p = 0.25 (sign test)" in err
    assert [(row["reviewer"], row["answered"], row["queries"]) for row in rows] == [
        ("Ada", 3, 3), ("Bob", 3, 3), ("Eve", 3, 3),
    ]  # fmt: skip


def test_each_answer_is_the_opposite_one_where_the_sides_are_turned(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    review = made(capsys, folder)
    query, authors = review.queries[0], [f"person {number}" for number in range(9)]
    for answer_given, score in ANSWERS.items():
        for author in authors:
            value = assigned.save_answer(
                review, query, author, answer_given, "", f"{author}{answer_given}"
            )
            turned = assigned.sides(review, query, author)[0] == "v0.1"
            wanted = {None: "cannot judge", 0: "same"}.get(score)
            if wanted is None:
                wanted = "better" if (score > 0) != turned else "worse"  # type: ignore[operator]
                wanted = f"much {wanted}" if abs(score) == 2 else wanted  # type: ignore[arg-type]
            assert value == wanted


def test_two_reviews_of_the_same_queries_are_two(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = made(capsys, folder), made(capsys, folder, "--named")
    assigned.save_answer(one, "q1", "Ada", "Same", "", "1")
    assigned.save_answer(other, "q1", "Ada", "A better", "", "2")
    assert assigned.answers(one)["value"].tolist() == ["same"]
    assert assigned.answers(other)["value"].tolist() == ["worse"], "side A is the baseline"
    code, rows, _ = answer(capsys, "list", folder)
    assert code == 0 and [(row["id"], row["blind"]) for row in rows] == [
        (other.id, "no"), (one.id, "yes"),
    ]  # fmt: skip


def test_a_closed_review_and_a_stranger_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    review = made(capsys, folder, "--people", "Ada")
    with pytest.raises(ValueError, match="this review is for Ada"):
        assigned.save_answer(review, "q1", "Bob", "Same", "", "1")
    with pytest.raises(ValueError, match="this query is not in the review"):
        assigned.save_answer(review, "q9", "Ada", "Same", "", "1")
    code, rows, _ = answer(capsys, "close", review.id, "--author", "Ada")
    assert code == 0 and rows[0]["state"] == "closed"
    with pytest.raises(ValueError, match="this review is closed"):
        assigned.save_answer(review, "q1", "Ada", "Same", "", "1")


@pytest.mark.parametrize(
    ("words", "queries"),
    [
        (("--choose", "words", "--wanted", "LANE cyclist"), ("q3",)),
        (("--choose", "random", "--number", "2", "--seed", "3"), None),
        (("--choose", "slice", "--wanted", "query length=4-7 words"), ("q3",)),
    ],
)
def test_queries_are_chosen(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], queries
) -> None:
    review = made(capsys, folder, *words)
    assert review.queries == queries if queries else len(review.queries) == 2


def test_a_curator_decides_where_reviewers_differ(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("decide", folder, "--query", "q3", "--item", "v03", "--author", "Cleo")
    assert answer(capsys, *words, "--value", "relevant")[0] == 0
    code = answer(capsys, "export", folder, "--qrels", folder.parent / "new.txt")[0]
    assert code == 0 and "q3 0 v03 1\n" in (folder.parent / "new.txt").read_text()
    code, _, err = answer(capsys, *words, "--value", "perhaps")
    assert code == 2 and "'perhaps' is no decision" in err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["show", "nothing"], "no review 'nothing': reviews list COLLECTION has their ids"),
        (["show"], "reviews show needs the id of a review"),
        (["create", "{}", "--title", "x"], "needs --baseline VERSION --candidate VERSION"),
        (["create", "{}", "--baseline", "v0.1", "--candidate", "v0.2"], "Enter a title."),
        (["create", "{}", "--baseline", "v9", "--candidate", "v0.2"], "no version 'v9'"),
        (["create", "{}", "--baseline", "v0.1", "--candidate", "v0.2", "--title", "x", "--choose",
          "words", "--wanted", "zzz"], "No query was chosen."),
        (["create", "{}", "--baseline", "v0.2", "--candidate", "v0.2", "--title", "x"],
         "a review compares two versions, and both are v0.2"),
        (["decide", "{}"], "reviews decide needs --query ID --item ID"),
        (["decide", "{}", "--query", "x", "--item", "v00", "--value", "not"], "no query 'x'"),
    ],
)  # fmt: skip
def test_a_wrong_call_is_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    code, _, err = answer(capsys, *(word.format(folder) for word in words))
    assert code == 2 and sentence in err.splitlines()[-1] and "Traceback" not in err
    assert assigned.all_reviews_of(open_collection(folder, allow_path=True)) == []


def test_the_agreement_of_answers_is_on_queries_that_two_could_judge() -> None:
    rows = [
        ("q1", "Ada", "much better"),
        ("q1", "Bob", "much better"),
        ("q2", "Ada", "worse"),
        ("q2", "Bob", "much worse"),
        ("q3", "Ada", "same"),
        ("q3", "Bob", "cannot judge"),
        ("q4", "Ada", "same"),
    ]
    given = pd.DataFrame(rows, columns=["query_id", "author", "value"]).assign(item_id="")
    sentence = assigned.agreement(given)
    assert "on 2 queries that two or more judged (few); the same in 50.0 %" in sentence
    assert float(sentence.split()[2]) > 0.5, "answers are ordered: next to each other is near"
    assert assigned.agreement(given[given["author"] == "Ada"]) == ""
