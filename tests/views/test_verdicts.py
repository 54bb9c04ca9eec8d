"""Verdicts from the player: kept or refused in a sentence, in words on the cards, in no metric."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
import streamlit as st

from dashboard.experiment import judging, measuring, memory
from dashboard.experiment.collection import collections
from dashboard.experiment.experiment import Experiment
from dashboard.storage.collection import collection as stored
from dashboard.storage.reviews import review_file, reviews
from dashboard.storage.reviews.reviews import VERDICT, Review
from dashboard.views.address import view_of
from dashboard.views.cards import payload
from dashboard.views.cards import verdicts as page
from dashboard.views.cards.query_results import QueryResults
from tests.storage.tiny import make_collection


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> QueryResults:
    """The query q1 of the tiny collection, of which nothing is known but its name."""
    make_collection(tmp_path / "data" / "tiny")
    monkeypatch.setattr(stored, "COLLECTIONS", tmp_path / "data")
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "said"))
    monkeypatch.setattr(st, "session_state", {})
    experiment = Experiment.of(
        collections.opened("tiny"),
        protocol="alfa",
        groups=("pv_object_type",),
        mapping_threshold=0.6,
        queries="text",
    )
    return QueryResults(experiment, "q1", {}, {}, {}, (), (), {})


def verdict(value: str = "not", item: str = "v01", author: str = "Ada", **more: str) -> dict:
    said = {"item": item, "value": value, "author": author, "note": "", "once": "1"}
    return {**said, "about": ["tiny", "q1"], **more}


def test_a_verdict_is_kept_and_stands_on_its_card(found: QueryResults) -> None:
    page.save_verdict(found, verdict(note="  she stands \n"))
    assert page.save_outcome() == ["1", "", ""]
    kept = page.latest_verdicts(found)
    assert kept[["item_id", "value", "author", "note"]].values.tolist() == [
        ["v01", "not", "Ada", "she stands"]
    ]
    words, last = page.verdicts_by_item(kept.to_dict("records"))["v01"]
    assert words == "not relevant"
    assert last == [["Ada", "not relevant", "she stands", kept["time"].iloc[0][:10]]]


def test_a_note_is_added_to_the_verdict_that_the_form_saved_and_to_no_newer_one(
    found: QueryResults,
) -> None:
    page.save_verdict(found, verdict())
    page.save_verdict(found, verdict(note="a thought", once="2", seen='["not","",""]'))
    assert page.save_outcome() == ["2", "", ""]
    page.save_verdict(found, verdict("unsure", once="another tab"))
    page.save_verdict(found, verdict(note="more", once="3", seen='["not","","a thought"]'))
    assert "Not saved: your verdict on this result has changed" in page.save_outcome()[1]
    assert page.latest_verdicts(found)["value"].tolist() == ["unsure"]


def test_the_cause_of_a_verdict_stays_when_the_form_saves_the_same_one_again(
    found: QueryResults,
) -> None:
    given = Review(VERDICT, "tiny", "not", "Ada", "q1", item_id="v01", cause="model")
    reviews.append(given)
    reviews.append(replace(given, author="Bob", cause="label"))
    reviews.append(replace(given, item_id="v02", cause="duplicate"))
    page.save_verdict(found, verdict(note="a thought"))
    assert page.save_outcome() == ["1", "", "model"]
    seen = '["not","model","a thought"]'  # as the form has it now
    page.save_verdict(found, verdict(note="another", once="2", seen=seen))
    kept = page.latest_verdicts(found).set_index(["item_id", "author"])
    assert kept.loc[("v01", "Ada"), ["cause", "note"]].tolist() == ["model", "another"]
    page.save_verdict(found, verdict("relevant", once="3"))
    assert page.save_outcome() == ["3", "", ""], "another verdict has no cause yet"


def test_the_table_to_save_has_the_words_of_the_screen(found: QueryResults) -> None:
    for value in ("not", "unsure"):
        page.save_verdict(found, verdict(value, once=value))
        view, _ = view_of({"collection": ["tiny"]})
        assert page.exported_verdicts(view)["value"].tolist() == [page.WORDS[value]]


def test_a_verdict_that_comes_when_another_query_is_open_is_not_kept_for_that_one(
    found: QueryResults,
) -> None:
    for names in (["tiny", "q2"], ["other", "q1"], None):
        page.save_verdict(found, {**verdict(), "about": names})
        assert "another query is open" in page.save_outcome()[1]
    assert page.latest_verdicts(found).empty


def test_several_reviewers_are_counted_and_the_last_ones_named(found: QueryResults) -> None:
    for number in range(7):
        value = "relevant" if number < 5 else "unsure"
        page.save_verdict(found, verdict(value, author=f"R{number}", once=str(number)))
    words, last = page.verdicts_by_item(page.latest_verdicts(found).to_dict("records"))["v01"]
    assert words == "relevant 5, unsure 2"
    assert [row[0] for row in last] == ["R6", "R5", "R4", "R3", "R2"]


def test_reviews_that_stay_with_a_namesake_are_spoken_of(
    found: QueryResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(st, "caption", told.append)
    page.save_verdict(found, verdict())
    view, _ = view_of({"collection": ["tiny"]})
    page.draw_verdicts(view, found, page.latest_verdicts(found))
    assert len(told) == 1
    items = stored.COLLECTIONS / "tiny" / "items.csv"
    items.write_text("item_id,file,kind\ni1,i1.mp4,video\ni2,i2.mp4,video\n")
    page.draw_verdicts(view, found, page.latest_verdicts(found))
    assert told[-1].startswith("Another collection named tiny has reviews here")
    assert told[-1].endswith("saved under tiny \\(2\\)\\.")


def test_what_is_taken_back_leaves_the_card(found: QueryResults) -> None:
    page.save_verdict(found, verdict())
    page.save_verdict(found, verdict("", once="2"))
    assert page.verdicts_by_item(page.latest_verdicts(found).to_dict("records")) == {}


@pytest.mark.parametrize(
    ("told", "problem"),
    [
        (verdict(item="gone"), "this item is no longer in the collection"),
        (verdict("perhaps"), "'perhaps' is no verdict"),
        (verdict(author=" "), "Enter your name"),
        (verdict(note="x" * 3_000), "3,000 characters"),
        ({}, "another query is open"),
        (verdict(item=["v01"], value={"a": 1}), "no longer in the collection"),
    ],
)
def test_what_cannot_be_kept_is_told_back(found: QueryResults, told: dict, problem: str) -> None:
    page.save_verdict(found, told)
    assert problem in page.save_outcome()[1] and page.save_outcome()[1].startswith("Not saved: ")
    assert page.latest_verdicts(found).empty


def test_a_store_that_is_broken_is_told_back(found: QueryResults, tmp_path: Path) -> None:
    (tmp_path / "said").mkdir()
    (tmp_path / "said" / "reviews.sqlite").write_text("no database" * 99)
    page.save_verdict(found, verdict())
    assert "found file is not a database" in page.save_outcome()[1]


def test_typed_texts_and_chosen_items_have_their_own_verdicts(found: QueryResults) -> None:
    typed = replace(found, experiment=replace(found.experiment, text="a car"))
    chosen = replace(found, experiment=replace(found.experiment, item="v00"))
    for number, each in enumerate((found, typed, chosen)):
        words = verdict(author=f"R{number}", once=str(number), about=page.names_of_query(each))
        page.save_verdict(each, words)
    names = [page.latest_verdicts(each)["author"].tolist() for each in (found, typed, chosen)]
    assert names == [["R0"], ["R1"], ["R2"]]


def test_no_metric_and_no_judgement_changes_with_verdicts(found: QueryResults) -> None:
    def numbers() -> str:
        memory.forget()
        values = measuring.measurements(found.experiment, ("v0.1", "v0.2"), "P@3 nDCG@3")
        return values.to_csv() + judging.judgement(found.experiment).qrels.to_csv()

    before, digest = numbers(), collections.opened("tiny").digest
    for number, item in enumerate(("v00", "v01", "v02", "v03")):
        page.save_verdict(found, verdict("relevant", item, once=str(number)))
    assert numbers() == before and collections.opened("tiny").digest == digest


def test_the_card_is_told_texts_of_data_as_texts(found: QueryResults) -> None:
    reviews.append(
        Review(VERDICT, "tiny", "not", "A\N{RIGHT-TO-LEFT OVERRIDE}", item_id="v01", query_id="q1")
    )
    items = pd.DataFrame({"item_id": ["v01", "v02"]})
    items["reviewed"] = items["item_id"].map(
        page.verdicts_by_item(page.latest_verdicts(found).to_dict("records"))
    )
    told = payload([], items)
    assert told["items"][0]["reviewed"][1][0][0] == "A⟨U+202E⟩"
    assert "reviewed" not in told["items"][1]
    with sqlite3.connect(review_file.review_file()) as file:
        assert file.execute("SELECT count(*) FROM review").fetchone() == (1,)
    file.close()
