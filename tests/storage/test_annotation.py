"""Annotation files as teams have them: every form gives the same keywords, or is refused with its
line."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from dashboard.letters import neutral
from dashboard.storage.collection import annotation
from dashboard.storage.collection.annotation import read_annotation
from dashboard.storage.collection.collection import open_collection
from dashboard.storage.files.listings import elements
from dashboard.tables import DataError, Findings

NAME = "unified_annotation.csv"
CLEAN = """\
slice_id,pv_object_type,pv_actor_behavior
v00,small vehicle,stationary
v01,pedestrian,straight crossing path
v02,"bicyclist, small vehicle",entering ego path
v03,small vehicle,
"""


def labels(tiny: Path, content: str | bytes) -> tuple[str, pd.DataFrame]:
    """The fingerprint of the labels with this annotation, and the findings."""
    data = content.encode() if isinstance(content, str) else content
    (tiny / NAME).write_bytes(data)
    collection = open_collection(tiny, allow_path=True)
    collection.check_evidence()
    return collection.digests["labels"], collection.findings


SAME: dict[str, tuple[Callable[[str], str | bytes], str]] = {
    "byte order mark": (lambda t: b"\xef\xbb\xbf" + t.encode(), ""),
    "UTF-16 with mark": (lambda t: t.encode("utf-16"), "UTF-16"),
    "Windows line ends": (lambda t: t.replace("\n", "\r\n"), ""),
    "old Mac line ends": (lambda t: t.replace("\n", "\r"), ""),
    "no last line end": (lambda t: t.rstrip("\n"), ""),
    "tabs": (lambda t: t.replace('"', "").replace(", ", "|").replace(",", "\t"), "tabs"),
    "semicolons and pipes": (
        lambda t: t.replace('"', "").replace(", ", "|").replace(",", ";"),
        "semicolons",
    ),
    "keywords by semicolon": (lambda t: t.replace(", ", ";"), "separated by ;"),
    "newline inside quotes": (lambda t: t.replace("bicyclist, ", "bicyclist,\n"), ""),
    "case and blanks": (lambda t: t.replace("pedestrian", "  Pedestrian "), ""),
    "two spellings": (lambda t: t.replace("small vehicle,stat", "SMALL Vehicle,stat"), "spellings"),
    "keyword twice in a cell": (
        lambda t: t.replace("bicyclist,", "bicyclist, Bicyclist,"),
        "repeated",
    ),
    "row twice": (lambda t: t + "v00,small vehicle,stationary\n", "again with the same keywords"),
    "comments and blank lines": (lambda t: f"# by a tool\n\n{t}\n\n", "before the header"),
    "NUL bytes": (lambda t: t.replace("urb", "ur\0b").replace("pedestrian", "pede\0strian"), "NUL"),
    "no prefix": (lambda t: t.replace("pv_", ""), ""),
    "header in capitals": (lambda t: t.replace("slice_id", " Slice_ID "), "Slice_ID"),
    "ids with extension": (lambda t: t.replace("v00,", "v00.mp4,"), ""),
    "ids as other people's paths": (lambda t: t.replace("v01,", "/home/x/clips/v01.mp4,"), ""),
    "columns in another order": (
        lambda t: pd.read_csv(io.StringIO(t)).iloc[:, [2, 0, 1]].to_csv(index=False),
        "",
    ),
    "commas at each line's end": (lambda t: t.replace("\n", ",\n"), ""),
}


@pytest.mark.parametrize("form", SAME)
def test_every_form_of_the_file_gives_the_same_labels(tiny: Path, form: str) -> None:
    spoil, said = SAME[form]
    clean, nothing = labels(tiny, CLEAN)
    assert nothing[nothing["level"] != "note"]["file"].tolist() == ["query_keywords.csv"]
    changed, findings = labels(tiny, spoil(CLEAN))
    assert changed == clean
    assert findings["found"].str.contains(said).any()


REFUSED: dict[str, tuple[Callable[[str], str | bytes], int | None, str]] = {
    "Latin-1": (
        lambda t: t.replace("pedestrian", "caf\xe9").encode("latin-1"),
        3,
        "0xe9 at position",
    ),
    "Windows quotes": (lambda t: t.encode().replace(b"pedestrian", b"\x93ped\x94"), 3, "not UTF-8"),
    "quote never closed": (lambda t: t.replace('vehicle",', "vehicle,"), 4, "never closed"),
    "too many fields": (lambda t: t.replace("v01,", "v01,x,y,"), 3, "5 fields"),
    "column twice": (lambda t: t.replace("pv_actor_behavior", "pv_object_type"), 1, "twice"),
    "group twice": (lambda t: t.replace("pv_actor_behavior", "object_type"), 1, "in two columns"),
    "id twice, other keywords": (lambda t: t + "v00,pedestrian,\n", 6, "lines 2 and 6"),
    "empty id": (lambda t: t.replace("v01,", " ,"), 3, "empty slice_id"),
    "empty file": (lambda t: "", None, "an empty file"),
    "only a mark": (lambda t: b"\xef\xbb\xbf", None, "an empty file"),
    "only a header": (lambda t: t.split("\n")[0] + "\n", None, "no rows"),
    "no slice_id": (lambda t: t.replace("slice_id", "clip"), 1, "the columns clip"),
    "no group": (
        lambda t: t.replace("pv_object", "object kind").replace("pv_actor", "act"),
        1,
        "columns",
    ),
    "a negative span": (
        lambda t: "slice_id,pv_object_type,span_start\nv00,car,-1\n",
        2,
        "span_start",
    ),
}


@pytest.mark.parametrize("form", REFUSED)
def test_a_broken_file_is_refused_with_its_line(tiny: Path, form: str) -> None:
    spoil, line, said = REFUSED[form]
    content = spoil(CLEAN)
    (tiny / NAME).write_bytes(content.encode() if isinstance(content, str) else content)
    collection = open_collection(tiny, allow_path=True)
    problem = collection.refused["annotation"]
    assert (problem.file, problem.line) == (NAME, line)
    assert said in problem.found
    assert str(tiny) not in str(problem)
    assert "error" in set(collection.findings["level"])


def test_words_for_missing_are_words(tiny: Path) -> None:
    text = CLEAN.replace("stationary", "None").replace("straight crossing path", "NA")
    (tiny / NAME).write_text(text)
    keywords = open_collection(tiny, allow_path=True).keywords
    assert {"None", "NA"} <= set(keywords["keyword"])
    assert "nan" not in set(keywords["keyword"].str.lower())


def test_composed_and_decomposed_accents_are_one_keyword(tiny: Path) -> None:
    text = CLEAN.replace("v00,small vehicle", "v00,caf\u00e9").replace(
        "v03,small vehicle", "v03,cafe\u0301"
    )
    (tiny / NAME).write_text(text)
    keywords = open_collection(tiny, allow_path=True).keywords
    assert set(keywords.loc[keywords["item_id"].isin(["v00", "v03"]), "keyword"]) >= {"caf\u00e9"}
    assert not keywords["keyword"].str.contains("\u0301").any()


def test_quoted_commas_stay_where_semicolons_separate(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_text('slice_id,pv_object_type\na,"car, red;""big"" one"\nb,car;bus\n')
    keywords = read_annotation(path).keywords
    assert keywords.loc[keywords["item_id"] == "a", "keyword"].tolist() == ["car, red", '"big" one']


def test_formulas_and_markup_are_keywords_letter_for_letter(tmp_path: Path) -> None:
    words = [
        "=HYPERLINK('x')",
        "+1",
        "-2",
        "@SUM(1)",
        "**car**",
        "<b>x</b>",
        ":red[a]",
        "\U0001f6b4",
    ]
    path = tmp_path / NAME
    path.write_text(f"slice_id,pv_object_type\na,{';'.join(words)}\n")
    assert read_annotation(path).keywords["keyword"].tolist() == words


def test_what_an_export_made_safe_is_read_as_it_was(tmp_path: Path) -> None:
    words = ["=1+1", "-2", "'=x", "it's", "@a", "plain"]
    path = tmp_path / NAME
    cells = [f'a{i},"{neutral(word)}"' for i, word in enumerate(words)]
    assert [cell[4] for cell in cells] == ["'", "'", "'", "i", "'", "p"]
    path.write_text("\n".join(["slice_id,pv_object_type", *cells]))
    assert read_annotation(path).keywords["keyword"].tolist() == words


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        (";".join(f"k{i}" for i in range(10_000)), "10,000 keywords in a cell of pv_object_type"),
        (f"a;{'y' * 100_000}", "a keyword of 100,000 characters in pv_object_type"),
        (";".join(f"k{i}" for i in range(501)), "501 keywords in a cell"),
        (f"{'y' * 201};b", "a keyword of 201 characters"),
    ],
)
def test_more_than_anybody_annotates_is_refused_with_its_line(
    tmp_path: Path, cell: str, found: str
) -> None:
    path = tmp_path / NAME
    path.write_text(f"slice_id,pv_object_type\na,car\nb,{cell}\n")
    with pytest.raises(DataError, match=f"line 3: found {found}"):
        read_annotation(path)


def test_as_many_and_as_long_keywords_as_may_be_are_read(tmp_path: Path) -> None:
    path = tmp_path / NAME
    most = [*(f"k{i}" for i in range(499)), "y" * 200]
    path.write_text(f"slice_id,pv_object_type\na,{';'.join(most)}\n")
    assert read_annotation(path).keywords["keyword"].tolist() == most


def test_spans_and_paths_of_other_machines_reach_the_items(tiny: Path) -> None:
    (tiny / "items.csv").unlink()
    (tiny / NAME).write_text(
        "slice_id,video_path,gif_path,span_start,span_end,category,object_type\n"
        "v00,/data/a b/long.mp4,C:\\x\\v00.gif,1.5,4,near miss,pedestrian\n"
        "v01,/data/a b/long.mp4,,4,6.5,,bicyclist\n"
    )
    items = open_collection(tiny, allow_path=True).items
    assert items["item_id"].tolist() == ["v00", "v01"]
    assert items["file"].tolist() == ["long.mp4", "long.mp4"]
    assert items["span_start"].tolist() == [1.5, 4.0]
    assert items["category"].tolist() == ["near miss", ""]
    assert items["poster"].tolist() == ["v00.gif", ""]


def test_items_learn_from_the_annotation_only_what_they_do_not_say(tiny: Path) -> None:
    (tiny / NAME).write_text(
        "slice_id,video_path,gif_path,span_start,span_end,object_type\n"
        "v00.mp4,/x/other.mp4,/x/v00.gif,4,1,pedestrian\nv02,/x/y.mp4,,1,2,pedestrian\n"
    )
    collection = open_collection(tiny, allow_path=True)
    items = collection.items.set_index("item_id")
    assert items["file"].tolist() == ["v00.mp4", "v01.mp4", "v02.mp4", "v03.mp4"]
    assert items["poster"].tolist() == ["v00.gif", "", "", ""]
    assert items["span_end"].fillna(-1).tolist() == [-1, -1, 2, -1]
    assert collection.findings["found"].str.contains("ends before it begins in 1 row").any()


def test_two_rows_for_one_item_are_refused(tiny: Path) -> None:
    (tiny / NAME).write_text(CLEAN + "v00.mp4,pedestrian,\n")
    collection = open_collection(tiny, allow_path=True)
    assert "two rows for the item 'v00'" in str(collection.refused["annotation"])
    assert collection.keywords.empty


def test_parquet_tables_are_read_too(tiny: Path) -> None:
    clean = open_collection(tiny, allow_path=True).digests["labels"]
    frame = pd.read_csv(tiny / NAME, dtype="str", keep_default_na=False)
    frame["sensor_video_file"] = "x.mp4"
    (tiny / NAME).unlink()
    frame.to_parquet(tiny / "unified_annotation.parquet")
    assert open_collection(tiny, allow_path=True).digests["labels"] == clean


def test_items_without_keywords_are_not_annotated_and_counted(tiny: Path) -> None:
    text = CLEAN.replace("v03,small vehicle,\n", "v03,,\nv99,pedestrian,\n").replace(
        "v01,ped", "v01x,ped"
    )
    _, findings = labels(tiny, text)
    found = findings.set_index("level")["found"]
    assert "2 of 4 items without a keyword (v01, v03)" in found["note"]
    assert any("2 annotated ids that are no items (v01x, v99)" in text for text in found["warning"])


def test_short_rows_leave_the_item_not_annotated(tiny: Path) -> None:
    _, findings = labels(tiny, CLEAN.replace("v03,small vehicle,", "v03"))
    row = findings[findings["found"].str.contains("too few fields")].iloc[0]
    assert (row["level"], row["line"]) == ("warning", 5)


def test_the_line_is_right_after_a_cell_of_two_lines(tiny: Path) -> None:
    text = CLEAN.replace("v00,small vehicle", 'v00,"small\nvehicle"').replace("v03,", "v03,a,b,")
    (tiny / NAME).write_text(text)
    assert open_collection(tiny, allow_path=True).refused["annotation"].line == 6


def test_a_text_is_read_once_however_many_cells_it_stands_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["small vehicle", "pedestrian, bicyclist", "['bus']", ""]
    rows = [f'v{n},"{texts[n % 4]}","{texts[n // 4 % 4]}"' for n in range(400)]
    path = tmp_path / NAME
    path.write_text("\n".join(["slice_id,pv_object_type,pv_actor_behavior", *rows]))
    read: list[str] = []

    def counted(text: str) -> list[str] | None:
        read.append(text)
        return elements(text)

    monkeypatch.setattr(annotation, "elements", counted)
    keywords = read_annotation(path).keywords
    assert sorted(read) == sorted(texts[:3])
    assert keywords[["group", "keyword"]].value_counts().to_dict() == {
        (group, keyword): 100
        for group in ("pv_object_type", "pv_actor_behavior")
        for keyword in ("small vehicle", "pedestrian", "bicyclist", "bus")
    }


def test_findings_are_a_table_errors_first() -> None:
    findings = Findings()
    findings.note("a", "x", "y")
    findings.warning("b", "x", "y", 3)
    frame = findings.frame()
    assert frame["level"].tolist() == ["warning", "note"]
    assert frame["line"].isna().tolist() == [False, True]
