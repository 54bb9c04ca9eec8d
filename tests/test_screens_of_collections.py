"""The chooser of collections: a card each, broken ones with their sentence, none opened for it."""

import shutil

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.experiment.collection import catalogue, collections
from dashboard.storage.collection import collection as stored
from dashboard.storage.collection import shelf as stored_shelf
from dashboard.storage.media import covers
from dashboard.tables import DataError
from tests.test_screens import no_text_model, opened, said  # noqa: F401


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two collections of their own to break: small tables, no media."""
    source = stored.COLLECTIONS / "openmoji_context"
    for name in ("one", "two"):
        shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("media", "lists*"))
    monkeypatch.setattr(stored, "COLLECTIONS", tmp_path)
    return tmp_path


def settings(folder, name, **changes):
    """Write a collection.toml anew."""
    lines = [f"{key} = {value!r}".replace("'", '"') for key, value in changes.items()]
    (folder / name / "collection.toml").write_text("\n".join(lines))


def test_every_collection_has_a_card_with_what_it_is():
    app = opened("collections")
    assert not app.exception and not app.error
    told = said(app)
    for name in stored.names():
        known = stored.open_collection(name)
        assert f"**{known.title}**" in told
        assert known.about in told and f"Licence: {known.licence}" in told
        assert f"Versions: {known.versions[0]}" in told
        assert all(PROTOCOLS[protocol].title in told for protocol in known.protocols)
        assert app.button(key=f"open-{name}").label == "Open"
    assert "190 clips · 113 text queries · 190 clip queries" in told
    assert "400 pictures and 2,000 texts" in told
    drawn = [html.proto.body for html in app.get("html")]
    pictures = [body for body in drawn if "covers/" in body]
    assert len(pictures) == len(stored.names())
    assert all(body.count('<img src="covers/') == 4 for body in pictures)


def test_a_card_opens_its_collection_with_its_own_defaults():
    app = opened("collections", collection="driving", metric="nDCG@3")
    app.button(key="open-openmoji_composed").click().run()
    assert not app.exception and not app.error
    assert app.query_params["collection"] == "openmoji_composed"
    assert app.query_params["metric"] == "AP(annotated)"
    assert app.query_params["runs"] == ["v0.1", "v0.2", "v0.3"]
    assert app.title[0].value == "Overview"


def test_nothing_is_opened_for_the_cards(monkeypatch, folder):
    def never(*args, **kwargs):
        raise AssertionError("opened")

    monkeypatch.setattr(stored, "open_collection", never)
    known = catalogue.glance("one")
    assert known.words.gallery == "655 pictures" and len(known.items) == 4
    assert known.versions == ("by-name", "v0.1", "v0.2", "v0.3")
    assert list(catalogue.titles()) == ["one", "two"]


BROKEN = {
    "no TOML": (lambda f: (f / "two/collection.toml").write_text("title = "), "found no TOML"),
    "another type": (lambda f: settings(f, "two", title=3), "title = '3'; wanted title as text"),
    "unknown protocol": (
        lambda f: settings(f, "two", protocols=["beauty"]),
        "collection.toml: found the protocols beauty; wanted one of alfa, composed",
    ),
    "no items": (lambda f: (f / "two/items.csv").unlink(), "items.csv: found no such file"),
    "an item twice": (
        lambda f: (f / "two/items.csv").write_text("item_id,caption\na,x\na,y\n"),
        "items.csv, line 3: found item_id 'a' again (lines 2 and 3)",
    ),
}


@pytest.mark.parametrize("mistake", BROKEN)
def test_a_broken_collection_is_listed_with_its_sentence(folder, mistake):
    plant, sentence = BROKEN[mistake]
    plant(folder)
    app = opened("collections", collection="one")
    assert not app.exception
    assert "two cannot be opened: " in said(app) and sentence in said(app)
    assert app.button(key="open-one").label == "Open"
    with pytest.raises(KeyError):
        app.button(key="open-two")


def test_queries_that_cannot_be_read_are_said_on_the_card(folder):
    (folder / "two/queries.csv").write_text("id\na\n")
    app = opened("collections", collection="one")
    assert "queries.csv, line 1: found the columns id; wanted a column query_id" in said(app)
    assert "655 pictures · no queries" in said(app)
    assert app.button(key="open-two").label == "Open"


def test_the_chooser_stands_where_the_links_collection_is_broken_or_gone(folder):
    (folder / "one/collection.toml").write_text("title = ")
    for asked in ({}, {"collection": "one"}, {"collection": "gone"}):
        app = opened("collections", **asked)
        assert not app.exception
        assert app.error, "the link's own problem"
        assert "one cannot be opened" in said(app)
        assert app.button(key="open-two").label == "Open"


def test_a_collection_that_only_seems_whole_is_said_when_it_is_opened(folder):
    settings(folder, "two", title="Two", protocols=["context"], groups=["x"], cutoffs=[0])
    assert "cutoffs = [0]" in said(opened("collections", collection="one"))


def test_no_collection_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "COLLECTIONS", tmp_path)
    app = opened("collections")
    assert not app.exception
    assert "There is no collection here" in said(app) and "DASHBOARD_DATA" in said(app)


def test_collections_of_several_folders_have_cards_and_a_hidden_one_a_sentence(folder, monkeypatch):
    shutil.copytree(folder / "one", folder / "more" / "one")
    (folder / "two").rename(folder / "more" / "two")
    monkeypatch.setattr(stored, "FURTHER", [folder / "more"])
    app = opened("collections", collection="two")
    assert not app.exception and not app.error
    assert app.button(key="open-one").label == app.button(key="open-two").label == "Open"
    assert "more/one is not listed" in said(app)
    drawn = [getattr(each, "key", None) or each.type for each in app.main]
    assert drawn.index("warning") < drawn.index("open-one"), "above the cards"


def test_what_a_collection_says_of_itself_is_text(folder):
    hostile = "**bold** <img src=x> :smile: [link](http://x)"
    settings(folder, "two", title=hostile, about=hostile, licence=hostile, protocols=["context"])
    app = opened("collections", collection="one")
    assert not app.exception
    assert all(
        r"\*\*bold\*\*" in text.value
        for text in (*app.caption, *app.markdown)
        if "bold" in text.value
    )
    assert not any("bold" in html.proto.body for html in app.get("html"))


def test_the_state_changes_with_what_a_card_shows(folder):
    before = stored_shelf.state("one")
    assert stored_shelf.state("one") == before
    (folder / "one/models/v9").mkdir()
    after = stored_shelf.state("one")
    assert after != before and "v9" in catalogue.glance("one").versions
    settings(folder, "one", title="New", protocols=["context"])
    assert stored_shelf.state("one") != after
    assert catalogue.titles()["one"] == catalogue.glance("one").title == "New"


@pytest.mark.parametrize("name", ["..", ".", "", "../one", "one/..", "/etc", "one\0", "gone"])
def test_no_name_leads_out_of_the_folder_of_collections(folder, name):
    (folder.parent / "collection.toml").write_text("")
    for look in (stored_shelf.state, stored_shelf.shelved):
        with pytest.raises(DataError, match="no such collection"):
            look(name)


def test_covers_are_served_for_the_cards_items_only():
    client = TestClient(Starlette(routes=covers.routes(catalogue.glance)))
    known = catalogue.glance("driving")
    addresses = catalogue.cover_pictures(known)
    assert len(addresses) == 4 == len(set(addresses))
    answered = client.get(f"/{addresses[0]}")
    assert answered.status_code == 200 and answered.headers["content-type"] == "image/webp"
    assert answered.headers["x-content-type-options"] == "nosniff"
    another = next(
        item
        for item in collections.opened("driving").items["item_id"]
        if item not in set(known.items["item_id"])
    )
    for path in (f"driving?item={another}", "driving", "..?item=x", "gone?item=x"):
        assert client.get(f"/covers/{path}").status_code == 404
