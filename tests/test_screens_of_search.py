"""The screen Search offers what can be searched with, and nothing else."""

import pytest

from dashboard.storage.collection import collection as collections
from tests.storage.tiny import make_collection
from tests.test_screens import cards, no_text_model, opened, plain, said, texts

__all__ = ["no_text_model", "plain"]  # fixtures


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """The tiny collection, none of whose versions encodes text."""
    folder = make_collection(tmp_path / "data" / "tiny")
    monkeypatch.setattr(collections, "COLLECTIONS", tmp_path / "data")
    return folder


def fields(app):
    """The labels of all in the middle that something can be typed or chosen in."""
    return [field.label for field in (*app.main.text_input, *app.main.selectbox)]


@pytest.mark.parametrize(
    "name, can_type", [("openmoji_hashes", False), ("digits_hashes", False), ("driving", True)]
)
def test_a_text_is_typed_only_where_a_version_encodes_it(name, can_type):
    app = opened("search", collection=name)
    assert ("Text" in fields(app)) == can_type
    assert ("encodes text" in texts(app)) == (not can_type)
    assert any("of the collection" in label for label in fields(app))
    assert ("Search by text" in app.info[-1].value) == can_type


def test_items_that_are_texts_are_called_items_beside_a_text_that_is_typed(tiny):
    items = tiny / "items.csv"
    lines = items.read_text(encoding="utf-8").replace(",video,", ",text,")
    items.write_text(lines, encoding="utf-8")
    app = opened("search", collection="tiny")
    assert "Search by stored text or item" in app.info[-1].value


def test_stored_texts_are_offered_where_no_version_encodes_others(tiny):
    app = opened("search", collection="tiny")
    assert fields(app)[0] == "Text of a stored query"
    app.main.selectbox[0].select("person crossing").run()
    assert app.query_params["text"] == "person crossing"
    stored = opened("query", collection="tiny", queries="text", query="q2")
    assert [row["value"] for row in cards(app)["rows"]] == [
        row["value"] for row in cards(stored)["rows"]
    ]


def test_a_linked_text_that_cannot_be_searched_with_says_so_and_loads_nothing(tiny):
    app = opened("search", collection="tiny", text="never asked")
    assert "never asked" in app.warning[0].value and "encodes text" in app.warning[0].value
    assert not app.get("bidi_component") and "Loading the text" not in texts(app)


def test_a_version_that_encodes_text_is_named_where_it_is_not_shown(tiny):
    settings = tiny / "models" / "v0.2" / "model.toml"
    settings.write_text('encoder = "sentence-transformers"\n')
    app = opened("search", collection="tiny", baseline="v0.1", candidate="v0.1")
    assert "Text" not in fields(app)
    assert "Choose v0.2 as baseline or candidate." in said(app)


def test_files_of_results_offer_their_queries_and_no_items(plain):
    app = opened("search", collection="plain")
    assert fields(app) == ["Text of a stored query"]
    (plain / "queries.csv").write_text("query_id,image\nq1,one.png\nq2,two.png\n")
    app = opened("search", collection="plain")
    assert not fields(app)
    assert "Search is not available" in app.info[0].value
