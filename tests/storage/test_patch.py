"""Files with corrections in them: what is not touched stays byte for byte, whatever the cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.storage.files.editable_table import editable_table
from dashboard.storage.reviews.patch import (
    KeywordChange,
    patch,
    with_grades,
    with_keywords,
    with_mapping,
)
from dashboard.tables import DataError

GROUPS = ("pv_light", "pv_object_type")


def annotation(folder: Path, text: str, *changes: KeywordChange) -> str:
    (folder / "unified_annotation.csv").write_bytes(text.encode())
    ids = ["a", "b", 'c "x", y', "=d", "é"]
    return with_keywords(folder, changes, ids, GROUPS).after.decode()


def adds(item: str, keyword: str) -> KeywordChange:
    return KeywordChange(item, "pv_object_type", keyword, adds=True)


def removes(item: str, keyword: str) -> KeywordChange:
    return KeywordChange(item, "pv_object_type", keyword, adds=False)


HEAD = "Slice_ID ,Object_Type,note\r\n"


@pytest.mark.parametrize(
    ("rows", "change", "after"),
    [
        ("a,car,x\r\n", adds("a", "bus"), 'a,"car,bus",x\r\n'),
        ('a,"car, tram",x\r\n', adds("a", "bus"), 'a,"car, tram, bus",x\r\n'),
        ('a,"car, Tram ,car",x', removes("a", "tram"), 'a,"car, car",x'),
        ("a,car,x\r\nb,,", adds("b", "left, turn"), 'a,car,x\r\nb,"[""left, turn""]",'),
        ("a,['car'],x", adds("a", "bus"), "a,\"['car', 'bus']\",x"),
        ('a,"[""car""]",x', removes("a", "car"), "a,[],x"),
        ("a,car,x", adds("é", "Straße"), "a,car,x\r\né,Straße,\r\n"),
        ('"c ""x"", y",car,"two\nlines"\r\n', removes('c "x", y', "car"), None),
        ("'=d,car,x\r\na,bus,\r\n", removes("=d", "car"), "=d,,x\r\na,bus,\r\n"),
        ("a,car,x\r\na,car,x\r\n", removes("a", "car"), "a,,x\r\na,,x\r\n"),
        ("a,car,x\r\n", adds("a", "CAR"), "a,car,x\r\n"),
        ("\r\na,car\r\n\r\nb,bus,x", removes("b", "bus"), "\r\na,car\r\n\r\nb,,x"),
    ],
)
def test_one_cell_changes_and_the_rest_stays(
    tmp_path: Path, rows: str, change: KeywordChange, after: str | None
) -> None:
    if after is None:
        after = '"c ""x"", y",,"two\nlines"\r\n'
    assert annotation(tmp_path, HEAD + rows, change) == HEAD + after


def test_what_has_no_column_or_no_lines_is_one_sentence(tmp_path: Path) -> None:
    light = KeywordChange("a", "pv_light", "night", adds=True)
    with pytest.raises(DataError, match="wanted a column pv_light. Add the column"):
        annotation(tmp_path, HEAD + "a,car,x", light)
    (tmp_path / "unified_annotation.csv").write_bytes("slice_id,pv_x\ré,b".encode("utf-16"))
    with pytest.raises(DataError, match="another encoding"):
        with_keywords(tmp_path, [light], ["a"], GROUPS)
    (tmp_path / "old.csv").write_bytes(b"slice_id,pv_x\ra,b\r")
    with pytest.raises(DataError, match="one by one"):
        editable_table(tmp_path / "old.csv", ["slice_id"])


def test_a_mapping_loses_all_words_of_a_keyword_and_gains_some(tmp_path: Path) -> None:
    rows = ["query_id,ngram,group,keyword,score", "q1,car,g,car,0.9", "q1,a car,g,car,0.8"]
    (tmp_path / "query_keywords.csv").write_text("\n".join([*rows, "q2,car,g,car,0.7"]))
    changes = [
        KeywordChange("q1", "g", "car", adds=False),
        KeywordChange("q2", "g", "car", adds=True, words="car"),
        KeywordChange("q2", "g", "bus", adds=True, words="a bus"),
    ]
    file = with_mapping(tmp_path, changes)
    assert file.after.decode().splitlines() == [
        rows[0],
        "q2,car,g,car,1.0000",
        "q2,a bus,g,bus,1.0000",
    ]
    assert patch([file]).startswith("--- a/query_keywords.csv\n+++ b/query_keywords.csv\n")


@pytest.mark.parametrize(
    ("name", "text", "after"),
    [
        ("qrels.txt", "q 0 a 1\nq 0 a 1\n", "q 0 a 0\nq 0 a 0\nq 0 b 2\n"),
        ("qrels.csv", "Grade,item_id,query_id\n1,a,q\n1,a,q", "0,a,q\n0,a,q\n2,b,q\n"),
        ("qrels.jsonl", '{"query_id": "q", "item_id": "a", "grade": 1}', None),
    ],
)
def test_a_pair_that_stands_twice_changes_twice(
    tmp_path: Path, name: str, text: str, after: str | None
) -> None:
    (tmp_path / name).write_text(text)
    changed = with_grades(tmp_path, {("q", "a"): 0, ("q", "b"): 2}).after.decode()
    if after is None:
        after = text.replace("1}", "0}\n") + text.replace("1}", "2}\n").replace('"a"', '"b"')
    assert changed.removeprefix("Grade,item_id,query_id\n") == after
