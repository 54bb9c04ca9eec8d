"""Every screen of every collection that ships, and what each protocol's screens must show."""

import sys
from types import SimpleNamespace

import pytest

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.storage.collection import collection as collections
from dashboard.views import protocols
from tests.test_screens import SCREENS, cards, drawn, no_text_model, texts  # noqa: F401

NAMES = collections.names()
OF_OTHERS = {
    *((name, "overview") for name in NAMES if name != "openmoji_hashes"),
    *((name, "query") for name in NAMES if name not in ("openmoji_hashes", "openmoji_captions")),
}
DRAWN = [
    pytest.param(
        name,
        screen,
        marks=() if name == NAMES[0] or (name, screen) in OF_OTHERS else pytest.mark.slow,
    )
    for name in NAMES
    for screen in SCREENS
]


def needs(name):
    """Skips where a collection was not installed with the others."""
    if name not in NAMES:
        pytest.skip(f"no collection {name}")


@pytest.mark.charts
@pytest.mark.parametrize(("name", "screen"), DRAWN)
def test_a_screen_of_a_collection_is_drawn(name, screen):
    item = collections.open_collection(name).items["item_id"].iloc[1]
    app = drawn(screen, collection=name, **({"item": item} if screen == "search" else {}))
    assert [problem.value for problem in (*app.exception, *app.error)] == []
    assert app.title[0].value


def test_the_driving_clips_are_opened_first():
    assert NAMES[0] == "driving"
    assert "Simulated driving clips" in texts(drawn())


def test_a_composed_query_shows_its_feedback_and_both_rankings():
    needs("openmoji_composed")
    app = drawn("query", collection="openmoji_composed")
    told = cards(app)
    assert [row["role"] for row in told["rows"]][:4] == ["version"] * 2 + ["whole"] * 2
    annotated, whole = told["rows"][0], told["rows"][2]
    assert annotated["judged"] == annotated["number"]
    assert whole["judged"] < whole["number"]
    assert "judged items count" in annotated["note"]
    assert len(told["head"]["lines"]) == 3 and all(told["head"]["lines"])
    assert "openmoji_composed" in told["head"]["picture"]


@pytest.mark.slow
def test_pictures_and_texts_are_both_asked_and_shown():
    needs("openmoji_captions")
    said = texts(drawn("overview", collection="openmoji_captions"))
    assert "Rsum and mR stand with the pictures" in said.replace("\\", "")
    app = drawn("query", collection="openmoji_captions", query="i_1F600")
    kinds = {item.get("kind") for item in cards(app)["items"]}
    assert kinds == {"text"}
    assert all(not item.get("problem") for item in cards(app)["items"])
    assert "posters/openmoji" in cards(app)["head"]["picture"]


@pytest.mark.parametrize(
    "name", ["digits_hashes", pytest.param("openmoji_hashes", marks=pytest.mark.slow)]
)
def test_a_hash_query_shows_its_picture_types_and_bounds(name):
    needs(name)
    app = drawn("query", collection=name)
    notes = {item.get("note", "") for item in cards(app)["items"]}
    assert notes <= {"type 1 (grade 2)", "type 2 (grade 1)", "type 3 (grade 0)"}
    assert f"questions/{name}?item=" in cards(app)["head"]["picture"]
    assert "Queries and gallery share no id" in texts(drawn("overview", collection=name))


def test_a_context_query_shows_relevance_in_rows_of_a_grid():
    needs("openmoji_context")
    told = cards(drawn("query", collection="openmoji_context"))
    assert told["columns"] == 5
    assert any(item["note"].endswith("of 100") for item in told["items"] if item.get("note"))
    said = texts(drawn("overview", collection="openmoji_context")).replace("\\", "")
    assert "2 without a usable judgement." in said
    assert "without a relevant item" not in said  # their formulas have values


def test_an_item_that_is_a_stored_query_is_judged_when_it_is_searched_with():
    needs("openmoji_captions")
    told = cards(drawn("search", collection="openmoji_captions", item="1F600"))
    assert any(item["hit"] for item in told["items"])
    assert all(item["hit"] is not None for item in told["items"])


def test_near_duplicates_go_by_their_names_with_ids_behind_them():
    needs("openmoji_hashes")
    told = cards(drawn("query", collection="openmoji_hashes", query="q_1F60A"))
    captions = collections.open_collection("openmoji_hashes").items.set_index("item_id")["caption"]
    twins = [twin for item in told["items"] for twin in item.get("twins", ())]
    assert twins and all(name == captions[item] for name, _, item in twins)
    own = cards(drawn("search", collection="openmoji_hashes", item="1F600"))
    first = [item["twins"][0] for item in own["items"] if item.get("twins")]
    assert ("the query's own item", "1F600") in [(name, item) for name, _, item in first]


def test_an_item_searched_with_is_no_query_in_the_gallery():
    needs("digits_hashes")
    told = cards(drawn("search", collection="digits_hashes", item="d0003"))
    assert all(item["hit"] is None and not item.get("note") for item in told["items"])


def test_the_section_of_a_protocol_is_a_file_of_its_name(tmp_path, monkeypatch):
    (tmp_path / "new.py").write_text("def overview(view):\n    view.drawn = True\n")
    monkeypatch.setattr(protocols, "__path__", [*protocols.__path__, str(tmp_path)])
    view = SimpleNamespace(protocol="new", drawn=False)
    protocols.overview(view)
    protocols.query(view, "q1")  # it has nothing for a single query
    assert view.drawn
    del sys.modules[f"{protocols.__name__}.new"]


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize("part", ["overview", "query", "alone", "browse"])
def test_what_a_section_holds_can_be_drawn(name, part):
    drawn = protocols._section(name, part)
    assert drawn is None or callable(drawn)
