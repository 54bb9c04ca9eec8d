"""What the palette finds by its words, also among many queries."""

from __future__ import annotations

import pytest

from dashboard.views.palette import matches
from dashboard.views.palette.matches import MOST, queries_with

DRIVING = {"collection": ["driving"], "baseline": ["v0.2"], "candidate": ["v0.3"]}


def found(words: str, **more: list[str]) -> dict[str, list]:
    return dict(matches({**DRIVING, **more}, words)["kinds"])


@pytest.mark.parametrize("words", ["van crosses", "CROSSES  van", "q049"])
def test_a_query_is_found_by_its_words_or_its_id(words: str) -> None:
    assert found(words)["Queries"] == [["van crosses in front", "q049", {"query": "q049"}]]


def test_a_query_that_is_not_in_view_opens_among_all() -> None:
    assert found("q049", queries=["item"])["Queries"][0][2] == {"query": "q049", "queries": "all"}


def test_without_words_choices_are_listed_but_no_query() -> None:
    kinds = found("")
    assert set(kinds) == {"Versions", "Metrics", "Collections"}
    assert ["v0.1", "as candidate", {"candidate": "v0.1"}] in kinds["Versions"]
    assert ["v0.3", "as candidate", {"candidate": "v0.3"}] not in kinds["Versions"]


def test_nothing_and_no_collection_are_answers_too() -> None:
    assert matches(DRIVING, "zzzz <b>") == {"kinds": [], "queries": 0}
    assert dict(matches({"collection": ["gone"]}, "")["kinds"])["Collections"]


def test_of_many_queries_the_first_are_listed_and_all_counted() -> None:
    rows = [(f"q{n:05}", f"a car {n}", f"a car {n} q{n:05}") for n in range(20_000)]
    first, total = queries_with("car", rows)
    assert (len(first), total) == (MOST, 20_000)
    assert queries_with("01999 car", rows) == ([("q01999", "a car 1999")], 1)
    two = [("q1", "the red car", "the red car q1"), ("q2", "Red car", "red car q2")]
    assert [id_ for id_, _ in queries_with("RED car", two)[0]] == ["q2", "q1"]
