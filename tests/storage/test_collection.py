"""Opening a collection: what is used, what is left out and said, what is refused."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pandas as pd
import pytest

from dashboard.__main__ import main
from dashboard.experiment.collection import initializing
from dashboard.storage.collection import collection as collections
from dashboard.storage.collection import digests
from dashboard.storage.collection.collection import Collection, open_collection
from dashboard.tables import DataError
from tests.storage.conftest import Spoil


def opened(folder: Path) -> Collection:
    return open_collection(folder, allow_path=True)


def found(collection: Collection, text: str) -> list[tuple[str, str, int | None]]:
    """(level, file, line) of the findings that say `text`."""
    table = collection.findings
    rows = table[table["found"].str.contains(text, regex=False)]
    lines = [None if pd.isna(line) else int(line) for line in rows["line"]]
    return list(zip(rows["level"], rows["file"], lines, strict=True))


def test_the_tiny_collection_opens_without_complaint(tiny: Path) -> None:
    collection = opened(tiny)
    assert collection.title == "Four clips"
    assert collection.versions == ("v0.1", "v0.2")
    assert (collection.default_baseline, collection.default_candidate) == ("v0.1", "v0.2")
    assert collection.items["item_id"].tolist() == ["v00", "v01", "v02", "v03"]
    assert len(collection.keywords) == 8
    assert collection.cutoffs == (1, 3)
    assert collection.cutoffs_of(collection.protocols[0]) == (1, 3)
    assert collection.cutoffs_of("another") == ()
    assert not collection.broken
    assert not collection.refused
    assert not (collection.findings["level"] == "error").any()


def test_the_same_content_has_the_same_fingerprint(tiny: Path, spoil: Spoil) -> None:
    before = opened(tiny).digest
    for name in ("items.csv", "queries.csv", "unified_annotation.csv"):
        (tiny / name).write_bytes((tiny / name).read_bytes().replace(b"\n", b"\r\n"))
    assert opened(tiny).digest == before
    spoil("unified_annotation.csv", "pedestrian", "bicyclist")
    assert opened(tiny).digest != before


@pytest.mark.parametrize("name", ["../tiny", "a/b", "..", ".", "", "/etc", "nothing", "x\0y"])
def test_a_name_never_leads_out_of_the_data_folder(tiny: Path, name: str, monkeypatch) -> None:
    monkeypatch.setattr(collections, "COLLECTIONS", tiny.parent / "data")
    with pytest.raises(DataError, match="no such collection"):
        open_collection(name)


def test_collections_are_found_by_name_in_natural_order(tiny: Path, monkeypatch) -> None:
    monkeypatch.setattr(collections, "COLLECTIONS", tiny.parent)
    for name in ("set10", "set2"):
        (tiny.parent / name).mkdir()
        (tiny.parent / name / "collection.toml").write_text('title = "x"\n')
    (tiny.parent / "not a collection").mkdir()
    assert collections.names() == ["set2", "set10", "tiny"]
    assert open_collection("tiny").name == "tiny"


OPENED: dict[str, tuple[str, str, str, str, int | None]] = {
    "no items": ("items.csv", "\nv00", "\n#", "no items", 1),
    "an empty id": ("items.csv", "v00,", "  ,", "empty item_id", 2),
    "an id twice": ("items.csv", "v01,v01", "v00,v01", "lines 2 and 3", 3),
    "no item_id": ("items.csv", "item_id,", "number,", "the columns number", 1),
    "a broken TOML": ("collection.toml", '= "Four', '= "Four\n', "no TOML", None),
    "cutoffs in words": ("collection.toml", "[1, 3]", '["one"]', "cutoffs", None),
    "a cutoff of 0": ("collection.toml", "[1, 3]", "[0]", "cutoffs = [0]", None),
    "a title of 3": ("collection.toml", '"Four clips"', "3", "title = '3'", None),
}


@pytest.mark.parametrize("case", OPENED)
def test_a_collection_that_cannot_be_used_says_why(tiny: Path, spoil: Spoil, case: str) -> None:
    name, old, new, said, line = OPENED[case]
    spoil(name, old, new)
    if case == "no items":
        (tiny / name).write_text((tiny / name).read_text().split("\n")[0] + "\n")
    with pytest.raises(DataError) as refused:
        opened(tiny)
    assert (refused.value.file, refused.value.line) == (name, line)
    assert said in refused.value.found


def test_all_empty_ids_are_named_at_once(tiny: Path, spoil: Spoil) -> None:
    spoil("items.csv", "v00,", ",")
    spoil("items.csv", "v02,", "   ,")
    with pytest.raises(DataError, match="lines 2, 4"):
        opened(tiny)


def test_a_row_repeated_word_for_word_is_kept_once(tiny: Path) -> None:
    path = tiny / "items.csv"
    path.write_text(path.read_text() + "v00,v00.mp4,video,a car on a motorway\n")
    collection = opened(tiny)
    assert found(collection, "1 repeated row") == [("note", "items.csv", 6)]
    assert len(collection.items) == 4


def test_unknown_settings_are_warnings(tiny: Path, spoil: Spoil) -> None:
    spoil("collection.toml", "title", 'colour = "red"\ntitle')
    assert found(opened(tiny), "colour") == [("warning", "collection.toml", None)]


@pytest.mark.parametrize(
    "name", ["NA", "null", "None", "nan", "n/a", "007", "1e5", "9007199254740993"]
)
def test_ids_are_text_byte_for_byte(tiny: Path, name: str) -> None:
    before = opened(tiny)
    for path in [*tiny.glob("*.csv"), *tiny.glob("models/*/items.txt")]:
        path.write_text(path.read_text().replace("v00", name))
    after = opened(tiny)
    assert after.items["item_id"].tolist() == [name, "v01", "v02", "v03"]
    assert after.models["v0.1"].items.ids[0] == name
    assert len(after.keywords) == len(before.keywords)
    assert after.queries["item_id"].tolist()[3] == name


QUERIES: dict[str, tuple[str, str, str]] = {
    "no text": ("q1,car", "q1,", "q1 has no text and no item"),
    "blanks nobody sees": ("q1,car", "q1, \u00a0\u200b ", "q1 has no text and no item"),
    "unknown item": (",,v00", ",,v77", "unknown item 'v77'"),
}


@pytest.mark.parametrize("case", QUERIES)
def test_a_query_that_cannot_be_asked_is_left_out_and_listed(
    tiny: Path, spoil: Spoil, case: str
) -> None:
    old, new, said = QUERIES[case]
    spoil("queries.csv", old, new)
    collection = opened(tiny)
    line = 5 if case == "unknown item" else 2
    assert found(collection, said) == [("warning", "queries.csv", line)]
    assert len(collection.queries) == 4


def test_an_overlong_text_is_a_query_by_its_first_letters(tiny: Path, spoil: Spoil) -> None:
    spoil("queries.csv", "q1,car", "q1," + "w " * 100_000)
    collection = opened(tiny)
    told = "q1 has 199,999 characters, more than 1,000"
    assert found(collection, told) == [("warning", "queries.csv", 2)]
    assert len(collection.queries) == 5
    assert collection.queries["text"].iloc[0] == "w " * 499 + "w" + "…"


@pytest.mark.parametrize(
    "text",
    [
        "\U0001f697\U0001f6b4",
        "\u0633\u064a\u0627\u0631\u0629 car \u202eabc",
        "car (red) [x c++ a|b ?",
        "<script>alert(1)</script> **b**",
        "'); DROP TABLE x;-- {{7*7}} ${x} %s {0.__class__}",
    ],
)
def test_odd_texts_are_queries_letter_for_letter(tiny: Path, spoil: Spoil, text: str) -> None:
    spoil("queries.csv", "q1,car", f'q1,"{text}"')
    assert opened(tiny).queries["text"].iloc[0] == text


def test_a_query_id_twice_refuses_the_queries_and_names_both_lines(tiny: Path) -> None:
    path = tiny / "queries.csv"
    path.write_text(path.read_text() + "q1,bus,\n")
    collection = opened(tiny)
    assert "lines 2 and 7" in str(collection.refused["queries"])
    with pytest.raises(DataError, match="queries.csv, line 7"):
        collection.check_evidence()


def test_judgements_of_unknown_queries_are_left_out_and_said(tiny: Path) -> None:
    (tiny / "qrels.txt").write_text("q1 0 v00 1\nq77 0 v00 1\nq1 0 v88 2\n")
    collection = opened(tiny)
    assert collection.qrels is not None
    assert collection.qrels["query_id"].tolist() == ["q1", "q1"]
    assert found(collection, "1 judgement of unknown queries (q77)")
    assert found(collection, "1 judged item outside the gallery (v88)")


def test_an_empty_file_of_judgements_is_refused_and_the_rest_opens(tiny: Path) -> None:
    (tiny / "qrels.txt").write_text("")
    collection = opened(tiny)
    assert collection.qrels is None
    assert "an empty file" in collection.refused["qrels"].found


def test_keywords_take_the_spelling_of_the_vocabulary(tiny: Path, spoil: Spoil) -> None:
    spoil("vocabulary.toml", '"pedestrian"', '"Pedestrian"')
    assert "Pedestrian" in set(opened(tiny).keywords["keyword"])


def test_annotated_keywords_without_an_entry_join_the_vocabulary(tiny: Path, spoil: Spoil) -> None:
    spoil("vocabulary.toml", '"pedestrian"', '"tram"')
    collection = opened(tiny)
    entry = collection.vocabulary[collection.vocabulary["keyword"] == "pedestrian"].iloc[0]
    assert (entry["group"], entry["words"]) == ("pv_object_type", ())
    assert found(collection, "no entry for 1 annotated keyword (pedestrian)")


def test_a_stored_mapping_is_read_and_checked_against_vocabulary_and_queries(
    tiny: Path, spoil: Spoil
) -> None:
    from dashboard.storage.collection.query_keywords import write_mapping
    from dashboard.tables import QUERY_KEYWORDS

    table, collection = QUERY_KEYWORDS.empty(), opened(tiny)
    table.loc[0] = ("q1", "car", "pv_object_type", "small vehicle", 1.0, False)
    table.loc[1] = ("q2", "person", "pv_object_type", "pedestrian", 1.0, False)
    write_mapping(tiny, table, collection.vocabulary, collection.queries, {"threshold": 0.6})
    collection = opened(tiny)
    assert collection.query_keywords.to_numpy().tolist() == table.to_numpy().tolist()
    assert not found(collection, "mapping")
    spoil("queries.csv", "q1,car", "q1,truck")
    collection = opened(tiny)
    assert found(collection, "a mapping of other queries")
    assert collection.query_keywords["query_id"].tolist() == ["q2"]
    spoil("vocabulary.toml", '"car"', '"automobile"')
    assert found(opened(tiny), "a mapping of another vocabulary")


def test_versions_stand_in_natural_order_and_runs_count_as_versions(tiny: Path) -> None:
    (tiny / "models/v0.1").rename(tiny / "models/v0.10")
    (tiny / "runs").mkdir()
    (tiny / "runs/v0.9.trec").write_text("q1 Q0 v00 1 0.5 x\n")
    (tiny / "runs/notes.pdf").write_text("?")
    collection = opened(tiny)
    assert collection.versions == ("v0.2", "v0.9", "v0.10")
    assert found(collection, "an unknown kind of file")


def test_a_collection_that_says_first_comes_before_all_others(tiny: Path, monkeypatch) -> None:
    monkeypatch.setattr(collections, "COLLECTIONS", tiny.parent)
    for name, said in (("set2", "first = true"), ("a", "first = 1")):
        (tiny.parent / name).mkdir()
        (tiny.parent / name / "collection.toml").write_text(said)
    assert collections.names() == ["set2", "a", "tiny"]
    (tiny / "collection.toml").write_text("first = true # now")
    assert collections.names() == ["set2", "tiny", "a"]
    (tiny / "collection.toml").write_text("no TOML")
    assert collections.names() == ["set2", "a", "tiny"]


def test_first_is_true_or_false(tiny: Path) -> None:
    (tiny / "collection.toml").write_text('first = "yes"')
    with pytest.raises(DataError, match="wanted first as true or false"):
        opened(tiny)


def test_a_default_version_that_is_gone_is_an_error_and_another_stands_there(tiny: Path) -> None:
    path = tiny / "collection.toml"
    path.write_text(f'default_baseline = "v0.1"\ndefault_candidate = "v9"\n{path.read_text()}')
    collection = opened(tiny)
    assert (collection.default_baseline, collection.default_candidate) == ("v0.1", "v0.2")
    errors = collection.findings[collection.findings["level"] == "error"]
    assert errors["file"].tolist() == ["collection.toml"]
    assert errors["found"].tolist() == ["default_candidate = 'v9', which is not there"]
    assert "(v0.1, v0.2). Another one stands in its place" in errors["wanted"].iloc[0]
    (tiny / "models/v0.1").rename(tiny / "models/v9")
    assert not (opened(tiny).findings["found"].str.contains("default_candidate")).any()
    assert found(opened(tiny), "default_baseline = 'v0.1', which is not there")


ANSWERS = """\
query_id,item_id,worker,relevance
q1,v00,ann,46
q1,v00,bob,50
q1,v00,eve,75
q1,v01,ann,-1
q1,v01,bob,30
q2,v01,ann,-2
q9,v01,ann,10
q2,gone,ann,80
"""


def test_workers_answers_are_the_judgements_where_there_are_no_others(tiny: Path) -> None:
    (tiny / "relevance.csv").write_text(ANSWERS)
    collection = opened(tiny)
    assert collection.qrels is not None
    assert collection.qrels.to_numpy().tolist() == [
        ["q1", "v00", (46 + 50 + 75) / 3],
        ["q1", "v01", 30.0],  # the invalid answer is left out
        ["q2", "v01", -1.0],  # nobody gave a valid one
        ["q2", "gone", 80.0],
    ]
    name = "relevance.csv"
    assert found(collection, "2 of 7 answers are invalid (-1 or -2)") == [("note", name, 5)]
    assert found(collection, "1 answer for unknown queries (q9)") == [("warning", name, 8)]
    assert found(collection, "1 judged item outside the gallery (gone)")
    (tiny / "qrels.csv").write_text("query_id,item_id,grade\nq1,v00,5\n")
    judged = opened(tiny).qrels
    assert judged is not None
    assert judged["grade"].tolist() == [5]


def test_answers_that_cannot_be_used_are_no_judgements(tiny: Path) -> None:
    (tiny / "relevance.csv").write_text(ANSWERS.replace("75", "175"))
    collection = opened(tiny)
    assert collection.qrels is None
    assert "relevance.csv, line 4: found relevance 175" in str(collection.refused["qrels"])


@pytest.mark.parametrize(
    ("named", "demos", "wanted"),
    [
        ("", "", ["data"]),
        ("", "no", ["data"]),
        ("/a", "", ["a"]),
        ("/a", "yes", ["a", "data"]),
        ("/a:/b", "", ["a", "b", "data"]),
        ("/a:/b:/a", "no", ["a", "b"]),
        ("/a::/b", "0", ["a", "b"]),
    ],
)
def test_several_data_folders_stand_beside_the_demos_unless_told_otherwise(
    named: str, demos: str, wanted: list[str]
) -> None:
    named = named.replace(":", os.pathsep)
    assert [folder.name for folder in collections.data_folders(named, demos)] == wanted


def test_collections_of_several_folders_are_listed_in_the_order_of_the_folders(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = tiny.parent / "one", tiny.parent / "two"
    for place in (first / "x", first / "b10", first / "b9", second / "x", second / "a"):
        shutil.copytree(tiny, place)
    (second / "a" / "collection.toml").write_text("first = true\n")
    monkeypatch.setattr(collections, "COLLECTIONS", first)
    monkeypatch.setattr(collections, "FURTHER", [second, tiny.parent / "gone"])
    assert collections.names() == ["b9", "b10", "x", "a"]
    assert collections.find("x") == first / "x" and collections.find("a") == second / "a"
    assert collections.open_collection("a").folder == second / "a"
    assert collections.unlisted() == [
        f"There is no data folder {tiny.parent / 'gone'}.",
        "two/x is not listed: one/x has the same name. Rename its folder.",
    ]
    main(["check", "x"])
    assert "two/x is not listed: one/x has the same name" in capsys.readouterr().err
    same = tiny.parent / "more" / "one"
    shutil.copytree(tiny, same / "x")
    monkeypatch.setattr(collections, "FURTHER", [same])
    assert collections.hidden_by("x")[0].startswith(f"{same}/x is not listed: {first}/x has")
    assert not collections.hidden_by("b9") and not collections.hidden_by(str(first / "x"))
    monkeypatch.setattr(collections, "FURTHER", [second, tiny.parent / "gone"])
    for name in ("../two/a", "two/a", "..", ".", "", "a\0", ".a", str(second / "a")):
        with pytest.raises(DataError, match="no such collection"):
            collections.find(name)
    with pytest.raises(DataError, match="folders that DASHBOARD_DATA names"):
        collections.check_readable()
    assert initializing.place_of("a") == second / "a", "more is added where it stands"
    assert initializing.place_of("new") == first / "new"


def test_versions_of_one_gallery_hold_its_ids_once_and_another_gallery_its_own(tiny: Path) -> None:
    shutil.copytree(tiny / "models" / "v0.1", tiny / "models" / "v9")
    models = opened(tiny).models
    one, two = models["v0.1"].items, models["v9"].items
    assert one.index is two.index and digests.of_vectors(one) == digests.of_vectors(two)
    assert all(a is b for a, b in zip(one.ids, two.ids, strict=True))
    fewer = one.rows(one.ids[1:])
    assert fewer.index.tolist() == list(one.ids[1:])
    assert digests.of_vectors(fewer) != digests.of_vectors(one)
