"""Every refusal says what to do: the file that is missing, what a wrong file really is, the name
that was meant."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dashboard.experiment.collection.checking import check
from dashboard.storage.collection.collection import Collection, open_collection
from dashboard.storage.files.near_names import unmatched
from dashboard.tables import DataError


def opened(folder: Path) -> Collection:
    return open_collection(folder, allow_path=True)


def sentences(collection: Collection) -> str:
    return "\n".join(
        f"{row.level} {row.file}: {row.found}; {row.wanted}"
        for row in collection.findings.itertuples()
    )


def test_a_settings_file_may_be_empty_and_that_of_a_version_may_be_missing(tiny: Path) -> None:
    (tiny / "collection.toml").write_text("")
    (tiny / "models/v0.1/model.toml").write_text("\n")
    (tiny / "models/v0.2/model.toml").unlink()
    collection = opened(tiny)
    assert collection.versions == ("v0.1", "v0.2")
    assert not collection.broken
    assert collection.protocols == ("alfa",)
    assert collection.models["v0.2"].dimension == 8


def test_a_mapping_without_its_settings_is_used_and_the_command_for_them_is_told(
    tiny: Path,
) -> None:
    (tiny / "query_keywords.csv").write_text(
        "query_id,ngram,group,keyword,score\nq1,car,pv_object_type,small vehicle,1\n"
    )
    collection = opened(tiny)
    assert collection.query_keywords["query_id"].tolist() == ["q1"]
    assert "warning query_keywords.toml: no such file beside query_keywords.csv" in sentences(
        collection
    )
    assert "python -m dashboard keywords COLLECTION --write" in sentences(collection)


ROWS = """\
query_id,ngram,group,keyword,score
q1,Car,pv_object_type,small vehicle,1
Q1,car,pv_object_type,small vehicle,1
q1,car,pv_object_type,Small vehicle,1
q2,tram,pv_object_type,pedestrian,0.7
item_v00,car,pv_object_type,small vehicle,1
"""


def test_rows_of_a_mapping_that_do_not_fit_are_counted_with_their_lines_and_what_to_do(
    tiny: Path,
) -> None:
    (tiny / "query_keywords.csv").write_text(ROWS)
    collection = opened(tiny)
    assert collection.query_keywords["ngram"].tolist() == ["Car"]
    checked = check(str(tiny))
    rows = checked[checked["file"] == "query_keywords.csv"]
    assert rows["level"].tolist() == ["warning"] * 3
    assert rows["line"].tolist() == [3, 4, 5]
    assert rows["found"].tolist() == [
        "2 rows of no text query (Q1, item_v00; 'Q1' looks like 'q1') in lines 3, 6",
        "1 row with a keyword that is not in the vocabulary ('Small vehicle' of pv_object_type; "
        "'Small vehicle' looks like 'small vehicle') in line 4",
        "1 row with words that are not in the text of the query ('tram' of q2) in line 5",
    ]
    assert all("left out. Correct the file, or" in each for each in rows["wanted"])
    assert all("keywords COLLECTION --write" in each for each in rows["wanted"])


def test_a_mapping_is_not_blamed_where_its_queries_cannot_be_read(tiny: Path) -> None:
    (tiny / "query_keywords.csv").write_text(ROWS)
    (tiny / "queries.csv").write_text("name\nq1\n")
    said = sentences(opened(tiny))
    assert "error queries.csv" in said and "left out. Correct the file" not in said


def zipped() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("items.csv", "item_id\nv00\n")
    return packed.getvalue()


def parquet() -> bytes:
    table = io.BytesIO()
    pd.DataFrame({"item_id": ["v00"]}).to_parquet(table)
    return table.getvalue()


@pytest.mark.parametrize(
    ("content", "kind", "cure"),
    [
        (zipped(), "a zip archive or an Excel workbook", "Unpack it"),
        (parquet(), "Parquet", "end in .parquet"),
        (b"\x93NUMPY\x01\x00v\x00{'descr'", "a numpy array", "end in .npy"),
        (b"%PDF-1.7 \xe2\xe3", "a PDF", "as CSV"),
        (b"\x80\x04\x95\x10\x00", "a Python pickle", "never opened"),
    ],
)
def test_a_table_that_is_no_text_is_named_for_what_it_is(
    tiny: Path, content: bytes, kind: str, cure: str
) -> None:
    (tiny / "items.csv").write_bytes(content)
    with pytest.raises(DataError) as refused:
        opened(tiny)
    assert f"items.csv: found {kind}; wanted text in UTF-8." in str(refused.value)
    assert cure in str(refused.value)


def test_groups_of_ones_own_that_nobody_named_are_written_out(tiny: Path) -> None:
    (tiny / "collection.toml").write_text('protocols = ["alfa"]\n')
    (tiny / "unified_annotation.csv").write_text("slice_id,colour,Wetter\nv00,red,rain\n")
    said = sentences(opened(tiny))
    assert 'Write there: groups = ["colour", "Wetter"]' in said
    assert "pv_actor_behavior" not in said
    (tiny / "collection.toml").write_text(
        'protocols = ["alfa"]\ngroups = ["colour", "Wetter"]\ndefault_groups = ["colour"]\n'
    )
    assert opened(tiny).keywords["keyword"].tolist() == ["red", "rain"]


def test_ids_that_look_like_known_ones_are_named_beside_them(tiny: Path) -> None:
    (tiny / "qrels.txt").write_text("q1 0 V-00 1\nQ2 0 v01 1\n")
    said = sentences(opened(tiny))
    assert "'V-00' looks like 'v00'" in said
    assert "'Q2' looks like 'q2'" in said


@pytest.mark.parametrize(
    ("unknown", "known", "likeness"),
    [
        ("7", "007", "'7' looks like '007'"),
        ("clips/a_01.mp4", "A-1", "'clips/a_01.mp4' looks like 'A-1'"),
        ("é", "e\u0301", "looks like"),  # two ways to write one letter
        ("10", "1", ""),
        ("abc", "abd", ""),
    ],
)
def test_what_looks_alike(unknown: str, known: str, likeness: str) -> None:
    told = unmatched([unknown], [known])
    assert likeness in told
    assert ("looks like" in told) == bool(likeness)


def test_names_that_are_nearly_those_of_files_are_told(tiny: Path) -> None:
    (tiny / "queries.csv").rename(tiny / "query.csv")
    (tiny / "vocabulary.toml").rename(tiny / "vocabularly.toml")
    (tiny / "notes.txt").write_text("nothing to do with it")
    (tiny / "Runs").mkdir()
    told = sentences(opened(tiny))
    assert "warning query.csv: a name that nothing is read from; perhaps queries; rename it" in told
    assert "warning vocabularly.toml: a name that nothing is read from; perhaps vocabulary" in told
    assert "warning Runs: a name that nothing is read from; perhaps runs; rename it" in told
    assert "notes.txt" not in told


@pytest.mark.parametrize("name", ["item.npy", "embeddings.npy", "Items.npy"])
def test_vectors_under_another_name_are_told(tiny: Path, name: str) -> None:
    place = tiny / "models/v0.1"
    (place / "items.npy").rename(place / name)
    assert f"There is {name!r}: rename it if it is meant." in str(opened(tiny).broken["v0.1"])


def test_media_that_are_missing_are_told_with_their_line(tiny: Path) -> None:
    table = check(str(tiny))
    rows = table[table["found"].str.contains("whose media are not shown")]
    assert rows["file"].tolist() == ["items.csv"]
    assert rows["line"].tolist() == [2]


def test_a_link_to_a_version_whose_file_broke_says_why(tiny: Path, monkeypatch) -> None:
    from dashboard.storage.collection import collection as collections
    from dashboard.views import address

    monkeypatch.setattr(collections, "COLLECTIONS", tiny.parent)
    np.save(tiny / "models/v0.1/items.npy", np.full((4, 8), np.nan, dtype="float32"))
    _, problems = address.view_of({"collection": ["tiny"], "baseline": ["v0.1"]})
    said = next(problem.sentence for problem in problems if problem.key == "baseline")
    assert "asks for the version 'v0.1': models/v0.1/items.npy: found NaN or infinity" in said
    assert "choose" not in said  # as of a version that never was


def test_a_number_that_is_too_long_is_told_with_its_line(tiny: Path) -> None:
    (tiny / "collection.toml").write_text(f'title = "x"\ncutoffs = [{"9" * 6_000}]\n')
    with pytest.raises(DataError, match="found a number of 6,000 digits in line 2"):
        opened(tiny)


def test_rows_that_are_far_too_short_are_refused_before_they_are_filled(tiny: Path) -> None:
    columns = ",".join(["item_id", *(f"c{n}" for n in range(1_000))])
    (tiny / "items.csv").write_text(columns + "\n" + "".join(f"v{n}\n" for n in range(3_000)))
    with pytest.raises(DataError, match="3,000,000 fields too few for 1,001 columns"):
        opened(tiny)


def test_keywords_of_a_mapping_are_read_without_letters_that_nobody_sees(tiny: Path) -> None:
    (tiny / "query_keywords.csv").write_text(
        "query_id,ngram,group,keyword,score\nq1,car,pv_object_type,small\u200b vehicle,1\n",
        encoding="utf-8",
    )
    assert opened(tiny).query_keywords["keyword"].tolist() == ["small vehicle"]


def test_lines_of_json_that_lack_most_keys_are_refused_before_a_table_is_made(tiny: Path) -> None:
    many = json.dumps({"item_id": "v", **{f"k{n}": 1 for n in range(2_000)}})
    rest = "".join(f'{{"item_id": "v{n}"}}\n' for n in range(2_000))
    (tiny / "items.csv").unlink()
    (tiny / "items.jsonl").write_text(f"{many}\n{rest}")
    with pytest.raises(DataError, match="2,001 different keys in .* most of them missing"):
        opened(tiny)
