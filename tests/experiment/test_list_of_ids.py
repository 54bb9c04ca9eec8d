"""A collection without files: its items are texts; none is called missing."""

from __future__ import annotations

from pathlib import Path

from dashboard.experiment.collection import media
from dashboard.storage.collection import collection as stored
from tests.storage.tiny import make_collection


def test_where_no_item_names_a_file_items_are_their_words(tmp_path: Path) -> None:
    folder = make_collection(tmp_path / "list")
    table = folder / "items.csv"
    some = stored.open_collection(folder, allow_path=True)
    assert set(media.media_of(some, ["v00", "v01"])["problem"]) == {"missing"}

    bare = "item_id,file,kind,caption\nv00,,,a car\nv01,,video,\nv02,,,\nv03,,,\n"
    table.write_text(bare, encoding="utf-8")
    none = stored.open_collection(folder, allow_path=True)
    shown = media.media_of(none, ["v00", "v01", "gone"]).set_index("item_id")
    assert shown["kind"].tolist() == ["text", "text", ""]
    assert shown["caption"].tolist() == ["a car", "v01", ""]
    assert shown["problem"].tolist() == ["", "", "not in the collection"]
    assert media.pictures_of(none, ["item_v00"])["problem"].tolist() == [""]
