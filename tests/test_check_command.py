"""`check` finds what `measure` would refuse or misread: labels, protocols, pictures, spans."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from dashboard.__main__ import main
from tests.retrieval.networks import mean_colours, see, weighted
from tests.storage.test_media import clip
from tests.storage.tiny import make_collection

SPANS = (("v00", 20, 21), ("v01", 20, 40))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_collection(tmp_path / "tiny")


def found(capsys: pytest.CaptureFixture[str], folder: Path, word: str) -> dict:
    """The one row whose `found` holds `word`."""
    main(["check", str(folder), "--format", "json"])
    rows = [row for row in json.loads(capsys.readouterr().out) if word in row["found"]]
    assert len(rows) == 1, rows
    return dict(rows[0])


def judged(folder: Path, protocol: str, labels: str) -> None:
    settings = (folder / "collection.toml").read_text().replace('"alfa"', f'"{protocol}"')
    (folder / "collection.toml").write_text(settings)
    (folder / "qrels.csv").write_text(f"query_id,item_id,grade\n{labels}\n")


def test_where_nothing_is_wrong_a_sentence_says_so(capsys) -> None:
    assert main(["check", "openmoji_hashes", "--format", "json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == [] and "nothing is missing" in printed.err


@pytest.mark.parametrize(
    ("protocol", "labels", "word"),
    [
        ("hashing", "q1,v00,5", "grade 5 for the query 'q1'"),
        ("composed", "q1,v00,2", "label 2 for item 'v00'"),
        ("hashing", "item_v00,v01,2", "of the gallery among the queries"),
        ("context", "q1,v00,101", "grade 101"),
    ],
)
def test_labels_that_measuring_refuses_are_errors(capsys, folder, protocol, labels, word) -> None:
    judged(folder, protocol, labels)
    assert found(capsys, folder, word)["level"] == "error"
    assert main(["measure", str(folder), "--queries", "all"]) == 2


def test_each_further_protocol_judges_too(capsys, folder: Path) -> None:
    judged(folder, 'alfa", "composed', "q1,v00,2")
    assert found(capsys, folder, "label 2")["level"] == "error"


def test_an_unknown_protocol_is_an_error_that_lists_the_known(capsys, folder: Path) -> None:
    judged(folder, "compose", "q1,v00,1")
    row = found(capsys, folder, "compose")
    assert (row["level"], row["file"]) == ("error", "collection.toml")
    assert "composed" in row["wanted"]


def test_a_missing_query_picture_is_said_with_its_line(capsys, folder: Path) -> None:
    (folder / "media").mkdir()
    Image.new("RGB", (4, 4)).save(folder / "media" / "there.png")
    told = "query_id,text,item_id,image\nq1,car,,there.png\nq2,person,,gone.png\n"
    (folder / "queries.csv").write_text(told)
    row = found(capsys, folder, "picture is not shown")
    assert (row["level"], row["file"], row["line"]) == ("warning", "queries.csv", 3)
    assert "1 of 2 queries" in row["found"] and "(q2)" in row["found"]


def test_spans_that_are_none_are_said_with_their_line(capsys, folder: Path) -> None:
    spans = {"v00": "0,2.5", "v01": "-1,2", "v02": "3,2", "v03": ","}
    told = ["item_id,file,span_start,span_end"]
    told += [f"{item},{item}.mp4,{span}" for item, span in spans.items()]
    (folder / "items.csv").write_text("\n".join(told))
    row = found(capsys, folder, "before 0")
    assert (row["level"], row["file"], row["line"]) == ("warning", "items.csv", 3)
    row = found(capsys, folder, "does not end after its start")
    assert row["line"] == 4 and "1 of 4 items" in row["found"]


def test_a_span_outside_its_clip_is_said_where_its_length_is_known(capsys, folder: Path) -> None:
    (folder / "media").mkdir(exist_ok=True)
    clip(folder / "media" / "second.mp4")  # of one second
    told = "item_id,file,span_start,span_end\nv00,second.mp4,50,60\nv01,second.mp4,0.5,2\n"
    (folder / "items.csv").write_text(f"{told}v02,second.mp4,0.8,0.2\nv03,second.mp4,,\n")
    row = found(capsys, folder, "its span lies outside its clip")
    assert row["level"] == "warning" and "1 of 4 items" in row["found"] and "(v00)" in row["found"]
    found(capsys, folder, "does not end after its start")


@pytest.mark.parametrize("file", ["items.csv", "unified_annotation.csv"])
@pytest.mark.parametrize("cut", ["auto", "no"])
def test_a_span_that_ends_after_its_file_is_noted(capsys, folder: Path, file: str, cut: str):
    (folder / "media").mkdir(exist_ok=True)
    clip(folder / "media" / "second.mp4")  # of one second
    ends = {"v00": "1.0", "v01": "1.02", "v02": "1.3"}  # 1.02 is within a frame
    head = {"items.csv": "item_id,file", "unified_annotation.csv": "slice_id,video_path"}[file]
    rows = [f"{item},second.mp4,0.5,{end},car" for item, end in ends.items()]
    text = "\n".join([f"{head},span_start,span_end,object_type", *rows])
    (folder / "items.csv").unlink()
    (folder / file).write_text(f"{text}\n")
    settings = (folder / "collection.toml").read_text()
    (folder / "collection.toml").write_text(f'cut_beforehand = "{cut}"\n{settings}')
    row = found(capsys, folder, "ends after their file")
    assert (row["level"], row["file"], row["line"]) == ("note", file, 4)
    assert row["found"].startswith("1 of 3 items") and "0.30 s (v02)" in row["found"]
    assert "played to the end" in row["wanted"]


def test_clips_that_were_cut_beforehand_are_said_and_shown(capsys, folder: Path) -> None:
    """A public annotation names files like drive_0020_0040.mp4 with the span 20 to 40."""
    (folder / "media").mkdir(exist_ok=True)
    for item in ("v00", "v01"):
        clip(folder / "media" / f"{item}_0020_0021.mp4")
    told = "slice_id,video_path,span_start,span_end,object_type\n"
    told += "".join(f"{i},/x/{i}_0020_0021.mp4,{b},{e},car\n" for i, b, e in SPANS)
    (folder / "unified_annotation.csv").write_text(told)
    (folder / "items.csv").unlink()
    (folder / "vocabulary.toml").unlink()
    row = found(capsys, folder, "cut to their span")
    assert row["level"] == "note" and "1 of 2 items" in row["found"] and "(v00)" in row["found"]
    assert 'cut_beforehand = "no"' in row["wanted"]
    row = found(capsys, folder, "its span lies outside its clip")
    assert "(v01)" in row["found"] and 'cut_beforehand = "yes"' in row["wanted"]
    settings = (folder / "collection.toml").read_text()
    (folder / "collection.toml").write_text('cut_beforehand = "perhaps"\n' + settings)
    assert '"auto"' in found(capsys, folder, "cut_beforehand = 'perhaps'")["wanted"]


def test_a_cell_that_says_neither_yes_nor_no_is_quoted(capsys, folder: Path) -> None:
    items = pd.read_csv(folder / "items.csv", dtype="str")
    items["cut_beforehand"] = ["maybe", "yes", *[""] * (len(items) - 2)]
    items.to_csv(folder / "items.csv", index=False)
    row = found(capsys, folder, "cut_beforehand 'maybe'")
    assert "of 1 item" in row["found"] and row["wanted"].startswith("yes, no, or nothing")


def test_each_network_is_run_on_a_grey_picture(capsys, folder: Path) -> None:
    """v0.1 has one that fits, v0.2 a pointer in its place; then the shared one is damaged."""
    width = np.load(folder / "models/v0.1/items.npy").shape[1]
    mean_colours(folder / "networks/means.onnx", 3)
    for version in ("v0.1", "v0.2"):
        weighted(folder / f"models/{version}/picture.onnx", np.ones((3, width)))
        see(folder, version, 'before = "means.onnx"\nsize = [2, 2]\nmean = 127\n')
    main(["check", str(folder), "--format", "json"])
    assert "onnx" not in capsys.readouterr().out
    own = folder / "models/v0.2/picture.onnx"
    own.write_text("version https://git-lfs.github.com/spec/v1\n")
    row = found(capsys, folder, "git LFS")
    assert (row["level"], row["file"]) == ("error", "models/v0.2/picture.onnx")
    weighted(own, np.ones((3, width + 1)))
    row = found(capsys, folder, f"a picture's vector of {width + 1:,} numbers")
    assert (row["level"], row["file"]) == ("error", "models/v0.2/model.toml")
    (folder / "networks/means.onnx").write_bytes(b"damaged")
    row = found(capsys, folder, "cannot be loaded")
    assert (row["level"], row["file"]) == ("error", "networks/means.onnx")


def test_long_advice_stands_whole_in_the_table(capsys, folder: Path) -> None:
    """It wraps within its column; the words are those that programs get."""
    judged(folder, "hashing", "q1,v00,5")
    row = found(capsys, folder, "grade 5")
    main(["check", str(folder)])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) < 250
    told = " ".join(" ".join(lines).split())
    long = max((row["found"], row["wanted"]), key=len)
    assert all(word in told for word in long.split())
