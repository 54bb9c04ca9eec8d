"""The part of the queries that counts: every way to divide them is offered in the side bar."""

import pytest

from dashboard.experiment import measuring
from dashboard.experiment.collection import collections
from tests.test_screens import drawn, no_text_model, opened, texts  # noqa: F401


def offered(app):
    return next(box for box in app.selectbox if box.label == "Query slice")


def said(app):
    return [option.replace("\\", "") for option in offered(app).options]


OPENED_FAST = ("driving", "openmoji_hashes")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in OPENED_FAST else pytest.mark.slow)
        for name in collections.collection_names()
    ],
)
def test_every_slice_that_is_known_can_be_chosen(name):
    known = measuring.slices_of(collections.opened(name))
    assert len(said(drawn("query", collection=name))) == 1 + sum(map(len, known.values()))


@pytest.mark.slow
def test_slices_of_a_collection_without_keywords_are_chosen_in_natural_order():
    app = opened(collection="digits_hashes")
    digits = [option for option in said(app) if option.endswith("(digit)")]
    assert digits == [f"{digit} (digit)" for digit in range(10)]
    offered(app).set_value("digit=3").run()
    assert not app.exception and not app.error
    assert app.query_params["slice"] in ("digit=3", ["digit=3"])
    queries = collections.opened("digits_hashes").queries
    assert f"Means of {(queries['digit'] == '3').sum()} of " in texts(app)


def test_a_column_called_group_is_no_keyword_group():
    told = said(drawn("query", collection="openmoji_hashes"))
    assert "people-body (group)" in told
    assert not [option for option in told if "keyword" in option]


def test_keyword_groups_are_named_as_people_write_them():
    told = said(drawn(collection="driving"))
    assert "object type (keyword group)" in told and "bicyclist (object type)" in told
    assert {"2 (number of keywords)", "text query (kind of query)"} <= set(told)


def test_of_many_slices_few_are_sent_and_letters_find_the_others(monkeypatch):
    every = {"pv_object_type": tuple(f"keyword number {n}" for n in range(2_000))}
    monkeypatch.setattr(measuring, "slices_of", lambda collection: every)
    app = opened(collection="driving")
    assert len(said(app)) == 201
    field = next(box for box in app.text_input if box.label == "Find a slice (2,000)")
    field.input("number 1999").run()
    assert said(app) == ["all", "keyword number 1999 (object type)"]
    assert "1 match." in texts(app)
    app.text_input(key="find-slice").input("no such letters").run()
    assert said(app) == ["all"]
    assert "No matches." in texts(app)
