"""Choices that look alike: each has a label of its own, and a click opens what was clicked."""

import json

import pytest

from dashboard.storage.collection import collection as collections
from dashboard.views.labels import distinct_labels
from tests.test_screens import no_text_model, opened, queries_to_step_through  # noqa: F401

TITLE = "Night drives"
VERSIONS = ("v\u200e1", "v⟨U+200E⟩1", "**v2**")
"""The first two look alike where marks of direction are made visible."""
QUERIES = """query_id,text,weather,pv_weather
q1,a car,rain,rain
q2,a car,sun,rain
q3,a bus,sun,sun
"""
QRELS = "query_id,item_id,grade\nq1,a,1\nq2,b,1\nq3,c,1\n"


@pytest.fixture
def alike(tmp_path, monkeypatch):
    """Two collections with one title, whose queries, columns and versions look alike."""
    for name in ("first", "second"):
        folder = tmp_path / name
        (folder / "runs").mkdir(parents=True)
        settings = f'title = "{TITLE}"\nprotocols = ["trec", "context"]\n'
        (folder / "collection.toml").write_text(settings, encoding="utf-8")
        (folder / "items.csv").write_text("item_id\na\nb\nc\n", encoding="utf-8")
        (folder / "queries.csv").write_text(QUERIES, encoding="utf-8")
        (folder / "qrels.csv").write_text(QRELS, encoding="utf-8")
        for version in VERSIONS:
            rows = [f"{q} 0 {i} 1 {1 - n / 9} x" for q in ("q1", "q2", "q3") for n, i in
                    enumerate("abc")]  # fmt: skip
            (folder / f"runs/{version}.trec").write_text("\n".join(rows) + "\n", encoding="utf-8")
    monkeypatch.setattr(collections, "COLLECTIONS", tmp_path)
    return tmp_path


def choices(app):
    """Every control that offers options, with what it offers."""
    groups = [group for group in app.get("button_group")]
    found = {box.key: box.options for box in (*app.selectbox, *app.radio)}
    return found | {group.key: [o.content for o in group.proto.options] for group in groups}


@pytest.mark.parametrize("screen", ["overview", "compare", "slices", "query", "search"])
def test_no_two_options_of_a_choice_look_alike(alike, screen):
    found = choices(opened(screen, collection="first"))
    assert {"choice-collection", "choice-baseline", "choice-slice", "choice-metric"} <= set(found)
    for key, options in found.items():
        assert len(set(options)) == len(options), f"{key}: {options}"


@pytest.mark.parametrize("name", ["first", "second"])
def test_of_two_collections_with_one_title_the_chosen_one_opens(alike, name):
    other = {"first": "second", "second": "first"}[name]
    app = opened(collection=other)
    app.selectbox(key="choice-collection").set_value(name).run()
    assert not app.exception and app.query_params["collection"] == name
    app.selectbox(key="choice-baseline").set_value(VERSIONS[1]).run()
    assert app.query_params["collection"] == name, "another choice leaves the collection open"
    assert app.query_params["baseline"] == VERSIONS[1]
    assert not app.exception and not app.error


def test_the_cards_of_two_collections_with_one_title_say_which_is_which(alike):
    told = "\n".join(line.value for line in opened("collections").markdown)
    assert "Night drives \\(first\\)" in told and "Night drives \\(second\\)" in told


def test_of_two_queries_with_one_text_the_chosen_one_opens(alike):
    listed = queries_to_step_through(opened("query", collection="first", query="q1"))
    assert {"q1", "q2"} <= {query for _, query, _, _ in listed}
    for query in ("q2", "q1"):
        drawn = opened("query", collection="first", query=query).get("bidi_component")[2]
        assert json.loads(drawn.proto.json)["query"] == query


def test_versions_beside_a_search_keep_their_letters_and_are_no_markdown(alike):
    labels = choices(opened("query", collection="first", also="**v2**"))["choice-also"]
    assert len(labels) == 1 and "**" not in labels[0]


def test_labels_differ_where_even_names_and_keys_look_alike():
    labels = distinct_labels(["a\u200e", "a⟨U+200E⟩", "b"], lambda key: "x")
    assert len(set(labels.values())) == 3
    taken = distinct_labels(["a", "b", "c"], {"a": "x", "b": "x", "c": "x (a)"}.__getitem__)
    assert len(set(taken.values())) == 3
    long = distinct_labels(["k1", "k2"], lambda key: "y" * 400)
    assert len(set(long.values())) == 2 and all(len(label) <= 300 for label in long.values())
