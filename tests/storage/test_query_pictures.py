"""What a query is asked with: an item, a picture of its own inside the folder, or a text item."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dashboard.storage.collection.collection import open_collection
from dashboard.storage.media import query_pictures
from dashboard.storage.media.item_media import media

IMAGES = {
    "own": "own.png",
    "item": "v01",
    "outside": "../secret.png",
    "link": "link.png",
    "missing": "nothing.png",
    "no_picture": "words.png",
}


@pytest.fixture
def pictured(tiny: Path) -> Path:
    """The tiny collection with queries that are pictures, and one item that is a text."""
    (tiny / "media").mkdir(exist_ok=True)
    for place in ("media/own.png", "secret.png", "media/v01.png"):
        Image.new("RGB", (8, 8), "red").save(tiny / place)
    (tiny / "media" / "link.png").symlink_to(tiny / "secret.png")
    (tiny / "media" / "words.png").write_text("no picture")
    rows = [f"{query},,,{image}" for query, image in IMAGES.items()]
    rows += ["text,,v03,", "words,a car,,"]
    (tiny / "queries.csv").write_text("\n".join(["query_id,text,item_id,image", *rows]))
    items = (tiny / "items.csv").read_text().replace("v01.mp4,video", "v01.png,image")
    (tiny / "items.csv").write_text(items.replace("v03.mp4,video", ",text"))
    return tiny


def test_each_query_has_its_picture_or_the_reason_why_not(pictured: Path) -> None:
    collection = open_collection(pictured, allow_path=True)
    found = query_pictures.pictures(collection, collection.queries["query_id"]).set_index(
        "query_id"
    )
    assert found.loc["own", "picture"].startswith("questions/tiny?item=own&v=")
    assert found.loc["item", "item_id"] == "v01"
    assert found.loc["item", "picture"].startswith("posters/tiny?item=v01&v=")
    assert found.loc["text", ["text", "picture"]].tolist() == ["another car", ""]
    assert found.loc["words", ["picture", "text", "problem"]].tolist() == ["", "", ""]
    refused = found.loc[["outside", "link", "missing", "no_picture"]]
    assert (refused["picture"] == "").all()
    assert refused["problem"].map(bool).all()


def test_the_route_serves_pictures_of_queries_inside_the_folder_only(pictured: Path) -> None:
    collection = open_collection(pictured, allow_path=True)
    client = TestClient(Starlette(routes=query_pictures.routes(lambda name: collection)))
    answers = {query: client.get(f"/questions/tiny?item={query}") for query in [*IMAGES, "x"]}
    assert answers["own"].headers["content-type"] == "image/webp"
    for query in ("outside", "link", "missing", "no_picture", "x", "item"):
        assert answers[query].status_code == 404, query


def test_a_text_item_misses_no_file(pictured: Path) -> None:
    collection = open_collection(pictured, allow_path=True)
    shown = media(collection, ["v03", "v00"]).set_index("item_id")
    assert shown.loc["v03", ["kind", "problem", "caption"]].tolist() == ["text", "", "another car"]
    assert shown.loc["v00", "problem"] == "missing"
