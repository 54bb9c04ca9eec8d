"""What the palette finds by its words, also among many queries."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from dashboard.experiment.collection import from_screens
from dashboard.experiment.reviews import people
from dashboard.tables import DataError
from dashboard.views import address
from dashboard.views.palette import first_steps, matches
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


def test_first_steps_lead_to_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    told = first_steps.first_steps()
    assert "Simulated driving clips" in told["about"]
    pages = []
    for step in told["steps"]:
        page, _, query = step["address"].partition("?")
        view, problems = address.view_of(parse_qs(query))
        assert view.collection == "driving" and not problems
        pages.append((page, view.judging, view.text))
    assert pages == [
        ("query", "no", ""),
        ("search", "no", "cyclist entering ego lane"),
        ("query", "yes", ""),
    ]
    assert "drop files" not in told["more"]
    monkeypatch.setenv(from_screens.VARIABLE, "1")
    with people.acting(people.Actor("Ann", "viewer", checked=True)):
        told = first_steps.first_steps()
    assert "drop files" in told["more"]
    assert "compare" in told["steps"][2]["address"], "who may not review compares"


def test_first_steps_where_no_two_versions_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_steps.catalogue, "glance", _broken)
    assert [step["address"] for step in first_steps.first_steps()["steps"]] == ["collections"]


def _broken(name: str) -> None:
    raise DataError("collection.toml", "nothing", "something")
