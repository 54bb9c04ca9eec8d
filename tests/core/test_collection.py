"""What opening refuses, leaves out and notes."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from dashboard.errors import DataError
from dashboard.storage.collection import open_collection, open_files


def replace_text(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_world_is_whole(world: Path) -> None:
    opened = open_collection(world)
    assert (opened.findings[0].level, len(opened.findings)) == ("note", 1)  # d has no keyword
    assert list(opened.versions) == ["v1", "v2"]
    assert open_collection(world) is opened


def test_changed_file_is_read_again(world: Path) -> None:
    before = open_collection(world)
    replace_text(world / "queries.csv", "a car and a bus", "a bus and a car")
    after = open_collection(world)
    assert after.queries["text"][1] == "a bus and a car"
    assert after.digest != before.digest


@pytest.mark.parametrize(
    ("file", "old", "new", "sentence"),
    [
        ("items.csv", "b,b.mp4", "a,b.mp4", "items.csv, line 3: found item_id 'a' a second time"),
        ("items.csv", "b,b.mp4", "b,,", "items.csv, line 3: found 3 cells; expected 2"),
        ("items.csv", "b,b.mp4", ",b.mp4", "items.csv, line 3: found an empty item_id"),
        ("items.csv", "item_id", "id", "items.csv, line 1: found the columns id, file"),
        ("queries.csv", "q2,", "q1,", "queries.csv, line 3: found query_id 'q1' a second time"),
        ("collection.toml", '"World"', "1", "collection.toml: found title = '1'; expected text"),
        ("collection.toml", '"World"', '"', "collection.toml, line 1: found no TOML"),
    ],
)
def test_refused(world: Path, file: str, old: str, new: str, sentence: str) -> None:
    replace_text(world / file, old, new)
    with pytest.raises(DataError) as caught:
        open_collection(world)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize("file", ["items.csv", "queries.csv"])
def test_missing_table(world: Path, file: str) -> None:
    (world / file).unlink()
    with pytest.raises(DataError, match=f"{file}: found no such file"):
        open_collection(world)


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        open_collection(tmp_path / "none")


def save(world: Path, name: str, array: np.ndarray) -> None:
    np.save(world / "models" / "v1" / name, array)


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (np.full((4, 2), np.nan), "models/v1/items.npy: found NaN or infinity in row 0 (a)"),
        (np.zeros((4, 2)), "models/v1/items.npy: found only zeros in row 0 (a)"),
        (np.ones((3, 2)), "models/v1/items.npy: found 3 vectors and 4 ids in items.txt"),
        (np.ones((4, 2, 2)), "models/v1/items.npy: found the shape (4, 2, 2)"),
        (np.ones((4, 3)), "models/v1/queries.npy: found query vectors of 2 dimensions"),
        (np.array([["a", "b"]] * 4), "models/v1/items.npy: found numbers of type <U1"),
    ],
)
def test_broken_vectors(world: Path, array: np.ndarray, sentence: str) -> None:
    save(world, "items.npy", array)
    opened = open_collection(world)
    assert str(opened.broken["v1"]).startswith(sentence)
    assert list(opened.versions) == ["v2"]
    with pytest.raises(DataError):
        opened.find_version("v1")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a\na\nc\nd\n", "models/v1/items.txt, line 2: found 'a' again"),
        ("a\n\nc\nd\n", "models/v1/items.txt, line 2: found an empty line"),
        ("w\nx\ny\nz\n", "models/v1/items.npy: found no vector of any of the 4 items"),
        (
            "a.mp4\na\nc\nd\n",
            "models/v1/items.npy: found vectors for 'a' under two names (a.mp4,",
        ),
    ],
)
def test_broken_ids(world: Path, text: str, sentence: str) -> None:
    (world / "models" / "v1" / "items.txt").write_text(text)
    assert str(open_collection(world).broken["v1"]).startswith(sentence)


def test_missing_files_of_a_version(world: Path) -> None:
    (world / "models" / "v1" / "items.npy").unlink()
    (world / "models" / "v2" / "queries.npy").unlink()
    opened = open_collection(world)
    assert str(opened.broken["v1"]).startswith("models/v1/items.npy: found no such file")
    found = [each.found for each in opened.findings if each.file == "models/v2/queries.npy"]
    assert found == ["no vector for 3 of 3 (q1, q2, q4)"]


def test_unknown_ids_are_left_out(world: Path) -> None:
    replace_text(world / "models" / "v1" / "items.txt", "d", "z")
    replace_text(world / "queries.csv", "q3,,a", "q3,,zz")
    opened = open_collection(world)
    assert opened.queries.ids == ("q1", "q2", "q4")
    found = {(each.file, each.line, each.found) for each in opened.findings}
    assert ("queries.csv", 4, "q3 names the unknown item 'zz'") in found
    assert ("models/v1/items.npy", None, "1 vectors of unknown ids (z)") in found
    assert ("models/v1/items.npy", None, "no vector for 1 of 4 (d)") in found


def test_scaled_vectors_are_noted(world: Path) -> None:
    save(world, "items.npy", np.array([[3.0, 0], [0, 3], [3, 0], [0, 3]]))
    findings = [each for each in open_collection(world).findings if "length" in each.found]
    assert [each.level for each in findings] == ["note"]


def test_unknown_default_version(world: Path) -> None:
    (world / "collection.toml").write_text('default_baseline = "v9"\n')
    errors = [each.found for each in open_collection(world).findings if each.level == "error"]
    assert errors == ["default_baseline = 'v9', which is not there"]


def test_judged_item_outside_the_gallery_counts(world: Path) -> None:
    (world / "qrels.txt").write_text("q1 0 a 1\nq1 0 outside 1\n")
    opened = open_collection(world)
    assert opened.items.ids[-1] == "outside"
    assert any("1 judged items outside" in each.found for each in opened.findings)


@pytest.mark.parametrize(
    ("qrels", "run", "sentence"),
    [
        ("q 0 a\n", "q Q0 a 1 1 t\n", "found 3 fields; expected 4"),
        ("q 0 a x\n", "q Q0 a 1 1 t\n", "found grade 'x'"),
        ("q 0 a 1\n", "q Q0 a 1 nan t\n", "found score 'nan'"),
        ("q 0 a 1\n", "q Q0 a 1 1 t\nq Q0 a 2 0 t\n", "query 'q' and item 'a' a second time"),
        ("", "q Q0 a 1 1 t\n", "found no rows"),
    ],
)
def test_broken_pairs(tmp_path: Path, qrels: str, run: str, sentence: str) -> None:
    (tmp_path / "q.txt").write_text(qrels)
    (tmp_path / "r.trec").write_text(run)
    with pytest.raises(DataError, match=sentence):
        open_files(tmp_path / "q.txt", [tmp_path / "r.trec"])


def test_equal_stems_are_refused(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("q 0 a 1\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "r.trec").write_text("q Q0 a 1 1 t\n")
    shutil.copy(tmp_path / "r.trec", tmp_path / "other" / "r.trec")
    with pytest.raises(DataError, match="a second run 'r'"):
        open_files(tmp_path / "q.txt", [tmp_path / "r.trec", tmp_path / "other" / "r.trec"])
