"""What can be searched with: only what some version has a vector, an encoder or results for."""

from __future__ import annotations

from pathlib import Path

from dashboard.retrieval.searchable import searchable
from dashboard.storage.collection.collection import Collection, open_collection

TEXTS = ("car", "person crossing", "cyclist entering ego lane")


def opened(folder: Path) -> Collection:
    return open_collection(folder, allow_path=True)


def can_encode(folder: Path, version: str) -> None:
    (folder / f"models/{version}/model.toml").write_text('encoder = "sentence-transformers"\n')


def test_vectors_alone_search_with_stored_texts_and_items(tiny: Collection) -> None:
    can = searchable(tiny, ["v0.1", "v0.2"])
    assert (can.encode, can.others) == ((), ())
    assert can.texts == TEXTS
    assert tuple(can.items) == ("v00", "v01", "v02", "v03")


def test_an_encoder_counts_where_its_version_is_shown(folder: Path) -> None:
    can_encode(folder, "v0.2")
    assert searchable(opened(folder), ["v0.1", "v0.2"]).encode == ("v0.2",)
    elsewhere = searchable(opened(folder), ["v0.1"])
    assert (elsewhere.encode, elsewhere.others) == ((), ("v0.2",))


def test_what_has_no_vector_is_not_offered(folder: Path) -> None:
    for stem, name in (("queries", "q2"), ("items", "v01")):
        path = folder / f"models/v0.1/{stem}.txt"
        path.write_text(path.read_text().replace(name, "other"))
    can = searchable(opened(folder), ["v0.1"])
    assert can.texts == (TEXTS[0], TEXTS[2])
    assert tuple(can.items) == ("v00", "v02", "v03")
    assert searchable(opened(folder), ["v0.1", "v0.2"]).texts == TEXTS


def test_words_about_a_picture_are_no_text(folder: Path) -> None:
    (folder / "queries.csv").write_text("query_id,text,image\nq1,car,v00\nq2,person crossing,\n")
    assert searchable(opened(folder), ["v0.1"]).texts == ("person crossing",)


def test_a_file_of_results_searches_with_stored_queries(folder: Path) -> None:
    (folder / "runs").mkdir()
    (folder / "runs" / "system.trec").write_text("q1 Q0 v00 1 0.5 x\n")
    can = searchable(opened(folder), ["system"])
    assert (can.encode, can.texts, tuple(can.items)) == ((), TEXTS, ("v00", "v01"))
    (folder / "queries.csv").write_text("query_id,item_id\nitem_v01,v01\n")
    can = searchable(opened(folder), ["system", "features that were submitted"])
    assert (can.texts, tuple(can.items)) == ((), ("v01",))
