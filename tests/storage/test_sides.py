"""The sides of pictures and texts: told by their kind, refused where not, mistyped ones named."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from dashboard.retrieval import runs
from dashboard.storage.collection.collection import Collection, open_collection
from dashboard.storage.collection.sides import usual_queries

KINDS = {"v00": "image", "v01": "image", "v02": "text", "v03": "text"}


@pytest.fixture
def matched(tiny: Path) -> Path:
    """The tiny collection as two pictures and two texts that are to be matched, without sides."""
    folder = tiny
    told = ["item_id,kind", *(f"{item},{kind}" for item, kind in KINDS.items())]
    (folder / "items.csv").write_text("\n".join(told))
    settings = (folder / "collection.toml").read_text().replace("alfa", "crossmodal")
    (folder / "collection.toml").write_text(settings)
    return folder


def opened(folder: Path) -> Collection:
    return open_collection(folder, allow_path=True)


def write(folder: Path, sides: list[str], among: str = "") -> None:
    rows = zip(KINDS, KINDS.values(), sides, strict=True)
    told = ["item_id,kind,side", *(",".join(row) for row in rows)]
    (folder / "items.csv").write_text("\n".join(told))
    if among:
        queries = pd.read_csv(folder / "queries.csv", dtype="str", keep_default_na=False)
        queries.assign(among=among).to_csv(folder / "queries.csv", index=False)


def said(collection: Collection, word: str) -> pd.Series:
    findings = collection.findings
    return findings[findings["found"].str.contains(word, regex=False)].iloc[0]


def test_sides_follow_from_the_kinds_and_a_note_says_so(matched: Path) -> None:
    collection = opened(matched)
    assert collection.items["side"].tolist() == ["pictures", "pictures", "texts", "texts"]
    among = dict(zip(collection.queries["query_id"], collection.queries["among"], strict=True))
    assert among["q1"] == "pictures" and among["item_v00"] == "texts"
    found = runs.run_of(collection, "v0.2")
    of_text = found.loc[found["query_id"] == "q1", "item_id"].astype("str")
    assert set(of_text) == {"v00", "v01"}
    assert said(collection, "2 pictures and 2 texts")["level"] == "note"


def test_texts_search_the_pictures_where_only_the_sides_are_named(matched: Path) -> None:
    write(matched, ["seen", "seen", "read", "read"])
    queries = opened(matched).queries
    assert set(queries.loc[queries["text"] != "", "among"]) == {"seen"}


def test_kinds_that_do_not_tell_the_side_are_an_error(matched: Path) -> None:
    (matched / "items.csv").write_text("item_id,kind\nv00,image\nv01,\nv02,text\nv03,text")
    collection = opened(matched)
    assert "side" not in collection.items
    row = said(collection, "1 of 4 items of no kind")
    assert row["level"] == "error" and "(v01)" in row["found"]


def test_other_protocols_keep_one_gallery(matched: Path) -> None:
    settings = (matched / "collection.toml").read_text().replace("crossmodal", "alfa")
    (matched / "collection.toml").write_text(settings)
    assert "side" not in opened(matched).items


def test_a_mistyped_side_is_named_with_its_line(matched: Path) -> None:
    write(matched, ["pictures", "picture", "texts", "texts"], among="pictures")
    row = said(opened(matched), "'picture'")
    assert (row["level"], row["file"], row["line"]) == ("warning", "items.csv", 3)
    write(matched, ["pictures", "picture", "texts", "texts"])
    queries = pd.read_csv(matched / "queries.csv", dtype="str").drop(columns="among")
    queries.to_csv(matched / "queries.csv", index=False)
    row = said(opened(matched), "among which of 3 sides")
    assert (row["level"], row["file"]) == ("warning", "queries.csv")


def test_an_item_on_no_side_beside_others_is_said(matched: Path) -> None:
    write(matched, ["pictures", "", "texts", "texts"], among="pictures")
    row = said(opened(matched), "1 of 4 items on no side (v01)")
    assert (row["level"], row["line"]) == ("warning", 3)


def test_a_matching_is_opened_with_all_its_queries(matched: Path) -> None:
    (matched / "items.csv").write_text("item_id,kind\nv00,image\nv01,\nv02,text\nv03,text")
    collection = opened(matched)
    assert usual_queries(collection.queries, collection.protocols) == "all"
    assert usual_queries(collection.queries, ["alfa"]) == "text"


def test_items_are_asked_where_no_text_is_mapped_to_words() -> None:
    queries = pd.DataFrame({"query_id": ["t", "i"], "text": ["a car", ""], "item_id": ["", "x"]})
    none, some = (pd.DataFrame({"query_id": found}) for found in ([], ["t"]))
    assert usual_queries(queries, ["alfa"], none) == "item"
    assert usual_queries(queries, ["alfa"], some) == "text"
    assert usual_queries(queries, ["trec"], none) == "text", "judgements need no words"
    assert usual_queries(queries.head(1), ["alfa"], none) == "text", "there are no items to ask"
