"""The last review of each thing counts, nothing is lost, odd ones are refused; in a file and in a
database alike."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import pytest

from dashboard.storage.reviews import audit, reviews
from dashboard.storage.reviews.reviews import (
    RATING,
    VERDICT,
    Review,
    append,
    history,
    latest,
    state,
    undo,
)

pytestmark = pytest.mark.usefixtures("review_store")


def verdict(value: str, author: str = "Ada", item: str = "i1", **more: str) -> Review:
    return Review(VERDICT, "tiny", value, author, query_id="q1", item_id=item, **more)


def values(found) -> list[str]:
    return found["value"].tolist()


def test_the_last_word_of_each_reviewer_on_each_thing_counts() -> None:
    for each in (
        verdict("relevant"),
        verdict("not", author="Bob"),
        verdict("unsure", item="i2"),
        verdict("not", note="the cyclist stands\nstill"),
    ):
        append(each)
    found = latest("tiny", VERDICT)
    assert found[["author", "item_id", "value"]].values.tolist() == [
        ["Bob", "i1", "not"],
        ["Ada", "i2", "unsure"],
        ["Ada", "i1", "not"],
    ]
    assert found["note"].tolist() == ["", "", "the cyclist stands\nstill"]
    assert values(history("tiny", VERDICT, author="Ada")) == ["relevant", "unsure", "not"]


def test_what_is_taken_back_is_no_word_but_stays_in_the_history() -> None:
    append(verdict("relevant"))
    append(verdict(reviews.TAKEN_BACK))
    assert latest("tiny", VERDICT).empty
    assert values(history("tiny", VERDICT)) == ["relevant", ""]


def test_undo_brings_back_what_was_before_one_step_at_a_time() -> None:
    append(verdict("relevant"))
    append(verdict("not", cause="label"))
    append(verdict("unsure", author="Bob"))
    append(verdict("not", item="i2"))

    def ada() -> list[tuple[str, str, str]]:
        found = latest("tiny", VERDICT, author="Ada")
        return list(zip(found["item_id"], found["value"], found["cause"], strict=True))

    for after, taken in (
        ([("i1", "not", "label")], "i2"),
        ([("i1", "relevant", "")], "i1"),
        ([], "i1"),
    ):
        undone = reviews.undo("tiny", "Ada")
        assert undone is not None and undone.item_id == taken and ada() == after
    assert reviews.undo("tiny", "Ada") is None
    assert values(latest("tiny", VERDICT)) == ["unsure"], "another's stays"
    assert len(history("tiny", VERDICT)) == 7, "a step back is appended, too"


def test_what_is_added_to_a_verdict_is_refused_where_that_one_has_changed() -> None:
    append(verdict("relevant", note="it stands"), once="first")
    append(verdict("not", author="Bob"))  # another's changes nothing of hers
    seen = '["relevant", "", "it stands"]'
    for _ in range(2):  # the answer was lost: the same is sent again, and saved once
        append(verdict("relevant", cause="model", note="it stands"), "cause", seen)
    before = len(history("tiny", VERDICT))
    for stale in (seen, '["relevant", "model", ""]', "null", "[" * 9_999):
        with pytest.raises(ValueError, match="has changed meanwhile, in another tab"):
            append(verdict("relevant", note="a thought"), seen=stale)
    assert len(history("tiny", VERDICT)) == before
    append(verdict(reviews.TAKEN_BACK))
    with pytest.raises(ValueError, match="has changed meanwhile"):
        append(verdict("relevant", cause="label"), seen='["relevant", "model", "it stands"]')


def test_a_step_back_that_is_sent_twice_is_one() -> None:
    append(verdict("relevant"), once="undo me")
    append(verdict("not"))
    assert reviews.undo("tiny", "Ada", once="click") is not None
    assert reviews.undo("tiny", "Ada", once="click") is None
    assert values(latest("tiny", VERDICT)) == ["relevant"]
    append(verdict("unsure"))
    assert reviews.undo("tiny", "Ada", once="another") is not None
    assert values(latest("tiny", VERDICT)) == ["relevant"]


def test_grades_causes_and_preferences_are_kept() -> None:
    append(verdict("3", cause="mapping"))
    append(Review(reviews.PREFERENCE, "tiny", "better", "Ada", "q1", run="v3", against="v2"))
    append(Review(reviews.PREFERENCE, "tiny", "same", "Ada", "q1", run="v3", against="v1"))
    assert latest("tiny", VERDICT)[["value", "cause"]].values.tolist() == [["3", "mapping"]]
    liked = latest("tiny", reviews.PREFERENCE)
    assert liked[["value", "run", "against"]].values.tolist() == [
        ["better", "v3", "v2"],
        ["same", "v3", "v1"],
    ]


def test_ratings_of_lists_and_other_collections_stand_apart() -> None:
    append(verdict("relevant"))
    append(Review(RATING, "tiny", "4", "Ada", query_id="q1", list_id="l7", run="v2"))
    append(Review(RATING, "other", "1", "Ada", list_id="l7"))
    found = latest("tiny", RATING, list_id="l7")
    assert found[["list_id", "run", "value"]].values.tolist() == [["l7", "v2", "4"]]
    assert latest("tiny", RATING, list_id="l8").empty


def test_the_state_changes_with_each_word_of_its_kind_and_collection() -> None:
    assert state("tiny", VERDICT) == ("", 0)
    first = append(verdict("relevant"))
    before = state("tiny", VERDICT)
    assert before[1] == first
    append(Review("rating", "tiny", "3", "Ada", list_id="l1"))
    append(Review(VERDICT, "other", "not", "Ada", item_id="i1"))
    assert state("tiny", VERDICT) == before and state("tiny", "rating")[1] == first + 1
    assert append(verdict("not")) == state("tiny", VERDICT)[1] == first + 3


def test_what_counted_at_a_state_is_read_again_whatever_was_said_since() -> None:
    append(verdict("relevant"))
    until = state("tiny", VERDICT)[1]
    append(verdict("not"))
    assert values(latest("tiny", VERDICT, until=until)) == ["relevant"]
    assert values(latest("tiny", VERDICT)) == ["not"]


def test_ids_come_back_byte_for_byte() -> None:
    odd = ["007", "NA", "1e5", " é e\u0301 ", "a'b\"c;--", "%s", "🚲/..", "=1+1"]
    for item in odd:
        append(verdict("relevant", item=item))
    assert latest("tiny", VERDICT)["item_id"].tolist() == odd


def test_a_click_that_is_sent_twice_is_kept_once() -> None:
    first = append(verdict("relevant"), once="click 1")
    assert append(verdict("relevant"), once="click 1") == first
    assert append(verdict("relevant"), once="click 2") != first
    assert len(history("tiny", VERDICT)) == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"value": "perhaps"}, "'perhaps' is no verdict: relevant, not, unsure are."),
        ({"kind": "grade"}, "'grade' is no kind of review"),
        ({"kind": RATING, "value": "6"}, "'6' is no rating: 1, 2, 3, 4, 5 are."),
        ({"author": "  "}, "Enter your name"),
        ({"value": "100"}, "'100' is no verdict"),
        ({"cause": "weather"}, "'weather' is no cause: model, label, mapping"),
        ({"kind": "preference", "value": "same", "run": "v2"}, "between two versions"),
        ({"item_id": ""}, "of an item or of a list"),
        ({"note": "x" * 2001}, "The note has 2,001 characters; 2,000 are kept."),
        ({"author": "a" * 81}, "The author has 81 characters"),
        ({"item_id": "a\0b"}, "characters that cannot be kept"),
        ({"note": "\ud800"}, "characters that cannot be kept"),
    ],
)
def test_what_cannot_be_kept_is_refused_in_a_sentence(change: dict[str, str], said: str) -> None:
    usual = {"kind": VERDICT, "collection": "t", "value": "not", "author": "A", "item_id": "i"}
    with pytest.raises(ValueError, match=said.replace(".", r"\.")):
        Review(**(usual | change))


def test_a_clock_that_goes_back_changes_no_order(monkeypatch: pytest.MonkeyPatch) -> None:
    hours = iter(range(20, 0, -1))

    class Backwards(datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 1, 1, next(hours), tzinfo=tz)

    for module in (reviews, audit):
        monkeypatch.setattr(module, "datetime", Backwards)
    states = [state("tiny", VERDICT)]
    for value in ("relevant", "not", "unsure"):
        append(verdict(value))
        states.append(state("tiny", VERDICT))
    assert len(set(states)) == 4 and values(latest("tiny", VERDICT)) == ["unsure"]
    undo("tiny", "Ada")
    assert values(latest("tiny", VERDICT)) == ["not"]
    assert values(history("tiny", VERDICT)) == ["relevant", "not", "unsure", "not"]
    assert audit.rows()["action"].tolist() == ["save", "save", "save", "take back"]
    times = history("tiny", VERDICT)["time"].tolist()
    assert times == sorted(times, reverse=True), "as the clock had it"


def test_many_at_once_lose_nothing() -> None:
    with ThreadPoolExecutor(8) as many:
        numbers = list(many.map(lambda n: append(verdict("not", item=f"i{n}")), range(80)))
    assert len(set(numbers)) == 80
    assert latest("tiny", VERDICT)["number"].tolist() == sorted(numbers)


def test_two_processes_lose_nothing() -> None:
    script = (
        "import sys; from dashboard.storage.reviews.reviews import *\n"
        "for n in range(15): append(Review(VERDICT, 'tiny', 'not', sys.argv[1], item_id=str(n)))"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", script, name], env=os.environ)
        for name in ("Ada", "Bob")
    ]
    assert [each.wait(60) for each in writers] == [0, 0]
    assert latest("tiny", VERDICT)["author"].value_counts().to_dict() == {"Ada": 15, "Bob": 15}


def test_what_stands_of_a_query_is_read_with_the_number_of_the_last_review() -> None:
    assert reviews.newest() == 0 and reviews.of_query("tiny", "q1") == (0, [])
    for value, author in (("not", "Ada"), ("unsure", "Bob"), ("relevant", "Ada")):
        append(verdict(value, author))
    last = append(verdict(reviews.TAKEN_BACK, "Bob"))
    number, standing = reviews.of_query("tiny", "q1")
    assert number == last == reviews.newest()
    assert [(each["author"], each["value"]) for each in standing] == [("Ada", "relevant")]
    assert reviews.of_query("tiny", "q2") == reviews.of_query("other", "q1") == (last, [])
