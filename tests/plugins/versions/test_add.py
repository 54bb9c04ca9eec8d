"""`add` and `add_version`: vectors and results become a version, whole or not at all."""

import shlex
import shutil
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import faiss
import h5py
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from safetensors.numpy import save_file

import dashboard
from dashboard.__main__ import main
from dashboard.errors import DataError
from dashboard.storage.array_files import read_arrays, read_named_vectors
from dashboard.storage.collection import open_collection
from dashboard.storage.drafts import DRAFT, write_draft
from dashboard.storage.new_versions import NamedVectors, Stated, add_vectors, replace_queries
from dashboard.study.choices import resolve
from tests.core.test_screens import draw
from tests.plugins.worlds import call, open_world, write_world

ITEMS = "item_id\na\nb\nc\n"
ASKED = "query_id,text,item_id\nq1,one,\nq2,two,\nq3,,a\n"
PLANE = {"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [1.0, 1.0]}
QRELS = "q1 0 a 1\nq2 0 b 1\n"
ROWS = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], dtype=np.float32)
"""Vectors of a, b and c: q1 asks for a and finds b first."""
TEXTS = np.array([[1.0, 0.0], [0.0, 1.0]], dtype=np.float32)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DASHBOARD_DATA", str(tmp_path / "data"))
    folder = tmp_path / "data" / "small"
    return write_world(folder, "", ITEMS, ASKED, PLANE, {"q1": [1, 0], "q2": [0, 1]}, QRELS)


def write(path: Path, rows: Any, ids: list[str]) -> Path:
    """Write vectors with their ids inside, in the form that the ending names."""
    if path.suffix == ".npy":
        np.save(path, rows)
        path.with_suffix(".txt").write_text("\n".join(ids))
    elif path.suffix == ".npz":
        np.savez(path, vectors=rows, filenames=np.array(ids))
    elif path.suffix == ".parquet":
        table = {"id": ids, "embedding": [row.tolist() for row in rows]}
        parquet.write_table(pa.table(table), path)
    elif path.suffix == ".h5":
        with h5py.File(path, "w") as file:
            file["sets/vectors"], file["sets/ids"] = rows, ids
    elif path.suffix == ".faiss":
        index = faiss.IndexIDMap(faiss.IndexFlatIP(rows.shape[1]))
        index.add_with_ids(rows, np.arange(len(rows)) + 7)
        faiss.write_index(index, str(path))
        path.with_suffix(".csv").write_text("label,id\n" + "".join(f"x,{name}\n" for name in ids))
    else:
        save_file({"vectors": rows}, path)
        path.with_suffix(".txt").write_text("\n".join(ids))
    return path


def find_first(name: str) -> list[list[Any]]:
    """Return P@1 of q1 and q2, the text queries that are judged."""
    return dashboard.open("small").measure("P@1", name, by_query=True)["value"].tolist()


@pytest.mark.parametrize("ending", [".npy", ".npz", ".parquet", ".safetensors", ".h5"])
def test_files(world: Path, tmp_path: Path, ending: str) -> None:
    """The ids decide, in any order: c, b, a here."""
    items = write(tmp_path / f"v{ending}", ROWS[::-1].copy(), ["c", "b", "a"])
    queries = write(tmp_path / f"q{ending}", TEXTS, ["q1", "q2"])
    words = ("add", "small", "new", "--items", items, "--queries", queries)
    code, rows, said = call(*words, "--note", "why")
    written = [f"{row['file']} {row['rows']}" for row in rows]
    assert code == 0 and written == ["models/new/items.npy 3", "models/new/queries.npy 2"]
    assert "compare?collection=small&baseline=v1&candidate=new" in said
    assert find_first("new") == [0.0, 0.0] and find_first("v1") == [1.0, 1.0]


def test_both_sides_in_one_file(world: Path, tmp_path: Path) -> None:
    """Arrays of items and of queries, each with its ids, on the command line and in Python."""
    file, ids = tmp_path / "v.npz", {"item_ids": list("abc"), "query_ids": ["q2", "q1"]}
    np.savez(file, items=ROWS, queries=TEXTS, **ids)
    assert call("add", "small", "new", "--items", file)[0] == 0
    dashboard.open("small").add_version("other", file)
    assert find_first("new") == find_first("other") == [1.0, 1.0]


def test_vectors_without_ids_are_not_taken_by_position(world: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", ROWS)
    np.save(tmp_path / "q.npy", TEXTS)
    arrays = ("--items", tmp_path / "v.npy", "--queries", tmp_path / "q.npy")
    code, _, said = call("add", "small", "new", *arrays)
    assert code == 2 and "--by-position" in said
    assert not list((world / "models").glob("*new*"))
    code, _, said = call("add", "small", "new", *arrays, "--by-position")
    assert code == 0 and "in the order of items" in said
    assert "by_position = true" in (world / "models" / "new" / "model.toml").read_text()
    assert find_first("new") == [0.0, 0.0]
    assert call("add", "small", "v1", *arrays[2:], "--by-position")[0] == 0
    assert (world / "models" / "v1" / "model.toml").read_text() == "by_position = true\n"


def test_codes(world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bytes are asked for, and the line that answers works as typed; 0 and 1 become signs."""
    bits = np.array([[0] * 7 + [1], [1] * 8, [1] + [0] * 7], dtype=np.uint8)
    packed = write(tmp_path / "p.npz", bits * np.uint8(9), ["a", "b", "c"])
    assert main(["add", "small", "p", "--items", str(packed), "--note", "of ours"]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("  ")]
    ways = [line.partition("--codes ")[2] for line in lines]
    assert ways == ["packed", "none  # vectors of whole numbers"]
    folder = world / "models"
    for name, line in zip(("p", "n"), lines, strict=True):
        words = shlex.split(line, comments=True)[3:]
        assert main([words[0], words[1], name, *words[3:]]) == 0
    assert "bits = 64" in (folder / "p" / "model.toml").read_text()
    assert 'note = "of ours"' in (folder / "n" / "model.toml").read_text()
    assert np.load(folder / "n" / "items.npy").dtype == np.float32
    asked = {"q1": bits[0], "q2": bits[1]}
    rows = dict(zip("abc", bits, strict=True))
    dashboard.open("small").add_version("bits", rows, queries=asked)
    assert np.array_equal(np.load(folder / "bits" / "items.npy"), bits.astype(int) * 2 - 1)


def test_vectors_without_text_queries_are_welcome(world: Path) -> None:
    with pytest.warns(UserWarning, match="no vector for 2 of 2"):
        dashboard.open("small").add_version("new", dict(zip("abc", ROWS, strict=True)))
    assert find_first("new") == [None, None]
    file = write(world / "q.npz", TEXTS, ["q1", "q2"])
    assert call("add", "small", "new", "--queries", file)[0] == 0 and find_first("new") == [0, 0]
    file = write(world / "b.npz", np.vstack([TEXTS, ROWS]), ["q1", "q2", "a", "b", "c"])
    assert call("add", "small", "both", "--items", file)[1] == [
        {"file": "models/both/items.npy", "rows": 3, "digest": ANY},
        {"file": "models/both/queries.npy", "rows": 2, "digest": ANY},
    ]
    queries = write(world / "q.npz", TEXTS, ["q3", "q4"])  # q3 asks by the item a
    for words in (("new",), ("other", "--items", write(world / "v.npz", ROWS, ["a", "b", "c"]))):
        code, _, said = call("add", "small", *words, "--queries", queries)
        assert code == 2 and "ids of queries without a text (q3, q4)" in said


@pytest.mark.parametrize("by_position", [False, True])
def test_texts_that_are_items(tmp_path: Path, by_position: bool) -> None:
    """A picture finds its text: vectors of text queries are those of the items with their id."""
    items = "item_id,kind,caption\na,image,\nb,image,\ns,text,one\nt,text,two\n"  # files elsewhere
    asked = "query_id,text,item_id\na,,a\nb,,b\ns,one,\nt,two,\nu,one,\n"
    qrels = "a 0 s 1\nb 0 t 1\ns 0 a 1\nt 0 b 1\n"
    folder = tmp_path / "w"
    write_world(folder, 'protocols = ["crossmodal"]\n', items, asked, {"a": [1, 0]}, {}, qrels)
    rows = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], dtype=np.float32)
    files = [tmp_path / "v.npy", tmp_path / "q.npy"]
    for path, ids in zip(files, ("ab", "stu"), strict=True):
        np.save(path, rows[: len(ids)])
        if not by_position:
            path.with_suffix(".txt").write_text("\n".join(ids))
    words = ("add", folder, "new", "--items", files[0], "--queries", files[1])
    code, written, said = call(*words, *["--by-position"] * by_position)
    assert code == 0 and [row["rows"] for row in written] == [4, 3], said
    assert "2 text queries that are items, too" in said
    assert (folder / "models" / "new" / "items.txt").read_text().split() == ["a", "b", "s", "t"]
    assert np.nanmean(open_world(folder).values("new", "i2t_R@1")) == 1


def test_the_newest_is_the_candidate(world: Path) -> None:
    """Where all versions have a date; names count where one has none, or they are the same."""
    for name in ("a10", "a9"):
        shutil.copytree(world / "models" / "v1", world / "models" / name)
    described = world / "models" / "v1" / "model.toml"
    for date, compared in (
        ("", ("a9", "v1")), ("soon", ("a9", "v1")), ("2020-01-01", ("v1", "a10")),
    ):  # fmt: skip
        described.write_text(f'date = "{date}"\n')
        for name, day in (("a9", "2026-11-01"), ("a10", "2026-11-02 10:00:00")):
            (world / "models" / name / "model.toml").write_text(f'date = "{day}"\n')
        assert resolve(open_collection(world), {}).compared == compared
    for place in (world / "models").iterdir():
        (place / "model.toml").write_text('date = "2026-11-01"\n')
    assert resolve(open_collection(world), {}).compared == ("a9", "v1")


def test_items_that_changed_since(world: Path) -> None:
    """`check` names versions whose items or queries are other ones; a note in the table is none."""
    asked = dict(zip(["q1", "q2"], TEXTS, strict=True))
    dashboard.open("small").add_version("new", dict(zip("abc", ROWS, strict=True)), queries=asked)
    (world / "items.csv").write_text("item_id,caption,note\na,,x\nb,,\nc,,\nd,,\n")
    code, rows, _ = call("check", "small")
    assert code == 0 and not [row for row in rows if "changed since" in row["found"]]
    (world / "items.csv").write_text("item_id,caption\na,a boat\nb,\nc,\n")
    (world / "queries.csv").write_text(ASKED.replace("two", "2"))
    changed = [row for row in call("check", "small")[1] if "changed since" in row["found"]]
    assert [row["file"] for row in changed] == ["models/new/items.npy", "models/new/queries.npy"]
    assert "embed small new --what queries" in changed[1]["wanted"]
    (world / "items.csv").write_text("item_id,caption\na,a boat\nb,\n")  # c is gone, too
    opened, given = open_collection(world), NamedVectors(TEXTS, ["q1", "q2"], "texts")
    replace_queries(opened, opened.versions["new"], given, [])
    (changed,) = [row for row in call("check", "small")[1] if "changed since" in row["found"]]
    assert changed["found"].startswith("1 items") and "(a)" in changed["found"]


def test_results(world: Path, tmp_path: Path) -> None:
    run = tmp_path / "x.trec"
    run.write_text("q1 Q0 a 1 0.9 x\nq2 Q0 a 1 0.9 x\n")
    assert call("add", "small", "--run", run)[0] == 2
    assert call("add", "small", "--version", "lists", "--run", run)[0] == 0
    assert find_first("lists") == [1.0, 0.0]
    run.write_text("q8 Q0 a 1 0.9 x\n")
    code, _, said = call("add", "small", "others", "--run", run)
    assert code == 2 and "no query of the collection" in said


@pytest.mark.parametrize(
    ("items", "ids", "said"),
    [
        (ROWS[:2], ["a", "b", "c"], "2 vectors and 3 ids"),
        (ROWS, ["x", "y", "z"], "no item of the collection"),
        (ROWS * np.nan, ["a", "b", "c"], "NaN"),
        (ROWS[0], ["a", "b"], "a vector a row"),
        (ROWS, ["a", "", "c"], "an id in one line"),
    ],
)
def test_what_cannot_be_used_leaves_nothing(
    world: Path, items: Any, ids: list[str], said: str
) -> None:
    opened = dashboard.open("small")
    with pytest.raises(DataError, match=said):
        opened.add_version("new", items, item_ids=ids)
    assert [path.name for path in (world / "models").iterdir()] == ["v1"]


def test_names(world: Path) -> None:
    """Those of vectors, results and submissions are taken; what is before the dot of one is not."""
    (world / "runs").mkdir()
    (world / "runs" / "v5.2.trec").write_text("q1 Q0 a 1 0.9 x\n")
    (world / "submissions" / "v6").mkdir(parents=True)
    opened = dashboard.open("small")
    for name in ("v1", "v5.2", "v6", "../x", ".x", "a/b", "", "x" * 101):
        with pytest.raises(DataError, match="already|1 to 100 letters"):
            opened.add_version(name, ROWS, by_position=True)
    opened.add_version("v5", ROWS, queries=TEXTS, by_position=True)


def test_types_stay_as_they_are(tmp_path: Path) -> None:
    """bfloat16 is the upper half of float32: 0x3F80 is 1, 0xC040 is -3."""
    halves = np.array([0x3F80, 0xC040], dtype="<u2")
    header = b'{"v":{"dtype":"BF16","shape":[1,2],"data_offsets":[0,4]}}'
    tensors = tmp_path / "b.safetensors"
    tensors.write_bytes(len(header).to_bytes(8, "little") + header + halves.tobytes())
    assert read_named_vectors(tensors, None, []).rows.tolist() == [[1.0, -3.0]]
    lists = tmp_path / "bits.parquet"
    bits = pa.array([[255, 1], [0, 2]], pa.list_(pa.uint8()))
    parquet.write_table(pa.table({"id": ["a", "b"], "tags": [["x"], []], "code": bits}), lists)
    found = read_named_vectors(lists, None, [])
    assert found.rows.dtype == np.uint8 and found.rows.tolist() == [[255, 1], [0, 2]]


def test_an_index_has_its_own_ids_or_those_that_are_given(world: Path, tmp_path: Path) -> None:
    given = write(tmp_path / "v.faiss", ROWS, ["a", "b", "c"])
    assert read_named_vectors(given, None, []).ids == ["7", "8", "9"]
    found = read_named_vectors(given, tmp_path / "v.csv", [])
    assert found.ids == ["a", "b", "c"] and found.rows.tolist() == ROWS.tolist()


def test_no_other_file_is_read(tmp_path: Path) -> None:
    """Links and data sets of HDF5 that lead into other files are none of this one."""
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["secret"] = ROWS
    (tmp_path / "raw.bin").write_bytes(ROWS.tobytes())
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file["link"] = h5py.ExternalLink("other.h5", "secret")
        file.create_dataset("apart", (3, 2), "f4", external=[(tmp_path / "raw.bin", 0, 24)])
        layout = h5py.VirtualLayout((3, 2), "f4")
        layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "secret", (3, 2))
        file.create_virtual_dataset("virtual", layout)
    assert not read_arrays(tmp_path / "v.h5", "v.h5")
    with h5py.File(tmp_path / "huge.h5", "w") as file:
        file.create_dataset("v", (10**9, 512), "f4", chunks=(1000, 512))
    with pytest.raises(DataError, match="huge.h5: found 512,000,000,000 values in a file of"):
        read_arrays(tmp_path / "huge.h5", "huge.h5")


@pytest.mark.parametrize("odd", [None, [], [1.0]])
def test_a_list_of_another_length_is_named(tmp_path: Path, odd: list[float] | None) -> None:
    rows = pa.array([[1.0, 2.0], odd, [3.0, 4.0]], pa.list_(pa.float32()))
    parquet.write_table(pa.table({"id": ["a", "b", "c"], "e": rows}), tmp_path / "e.parquet")
    with pytest.raises(DataError, match="e.parquet, line 2: found a list of [01] numbers in e"):
        read_named_vectors(tmp_path / "e.parquet", None, [])


def test_a_draft_of_a_killed_process_is_removed(world: Path, tmp_path: Path) -> None:
    """The draft of a process that still writes stays."""
    (world / "models" / f"{DRAFT}dead").mkdir()
    (world / "models" / f"{DRAFT}dead" / "items.npy").write_bytes(b"x" * 1000)
    with write_draft(world, "models", "v7") as draft:
        assert not (world / "models" / f"{DRAFT}dead").exists()
        with write_draft(world, "models", "v8"):
            assert draft.is_dir()
    assert not list((world / "models").glob(".*"))


def test_python_takes_what_callers_have(world: Path) -> None:
    import pandas as pd
    import torch

    opened = dashboard.open("small")
    half = torch.tensor(ROWS, requires_grad=True).to(torch.bfloat16)
    opened.add_version("tensor", half, None, TEXTS, item_ids="abc", query_ids=["q1", "q2"])
    asked = {"q1": TEXTS[0], "q2": TEXTS[1]}
    opened.add_version("frame", pd.DataFrame(ROWS, index=list("abc")), queries=asked)
    opened.add_version("apart", ["a", "b", "c"], ROWS, TEXTS, query_ids=["q1", "q2"])
    assert find_first("tensor") == find_first("frame") == find_first("apart") == [0.0, 0.0]
    found = {"query_id": ["q1", "q2"], "item_id": ["a", "a"], "score": [1.0, 1.0]}
    opened.add_version("lists", run=pd.DataFrame(found))
    with pytest.raises(ValueError, match="needs items="):
        opened.add_version("noted", run=pd.DataFrame(found), note="lost")
    assert find_first("lists") == [1.0, 0.0]


def test_a_matrix_is_added_with_its_ids(world: Path, tmp_path: Path) -> None:
    """Texts by pictures: q1 finds b first, q2 finds b first."""
    np.save(tmp_path / "m.npy", np.array([[0.1, 0.9], [0.2, 0.8]]))
    words = ("add", "small", "cross", "--run", tmp_path / "m.npy")
    code, _, said = call(*words)
    assert code == 2 and "m.rows.txt: found no such file" in said
    (tmp_path / "m.rows.txt").write_text("q1\nq2\n")
    for ids, told in (("8\n9\n", "found no item"), ("a\nb\nx\n", "cross")):
        (tmp_path / "m.columns.txt").write_text(ids)
        code, _, said = call(*words)
        assert code == 2 and told in said and not [*world.glob("runs/*")]
    (tmp_path / "m.columns.txt").write_text("a\nb\n")
    assert call(*words)[0] == 0
    assert find_first("cross") == [0.0, 1.0]
    for ending in ("rows.txt", "columns.txt"):
        shutil.copy(tmp_path / f"m.{ending}", tmp_path / f"my_dist.{ending}")
    for numbers, first in (([[-3, 1], [8, 2]], None), ([[9, 1], [8, 2]], [0.0, 1.0])):
        np.save(tmp_path / "my_dist.npy", np.array(numbers, np.int8))
        code, _, said = call("add", "small", "far", "--run", tmp_path / "my_dist.npy")
        assert ("the sign of all" in said) == (code == 0) == bool(first), said
    assert find_first("far") == first


def test_files_that_are_dropped(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page adds the version and leads to the comparison."""
    page = draw(world, monkeypatch, "search", collection="small")
    page.switch_page("plugins/versions/add_screen.py").run()
    assert not page.exception
    page.text_input[0].set_value("new")
    np.save(tmp_path / "v.npy", ROWS)
    page.file_uploader[0].set_value([("v.npy", (tmp_path / "v.npy").read_bytes(), "")])
    page.button[-1].click().run()
    said = "3 vectors without ids, for 3 items; expected the id of each vector"
    assert said in page.error[0].value.replace("\\", "") and "--" not in page.error[0].value
    page.file_uploader[0].set_value(
        [("v.npy", (tmp_path / "v.npy").read_bytes(), ""), ("v.txt", b"a\nb\nc\n", "")]
    )
    page.text_input[0].set_value("new")
    page.button[-1].click().run().button[-1].click().run()  # the second click adds nothing
    assert not page.exception and "new is a version" in page.success[0].value
    assert (world / "models" / "new" / "items.npy").is_file()
    page.file_uploader[0].set_value([("v.trec", b"q1 Q0 a 1 1.0 t\n", "")])
    page.text_input[1].set_value("a note")
    page.button[-1].click().run()
    assert "which take no note" in page.error[0].value
    ids = [("v.rows.txt", b"a\nb\nc\n", ""), ("v.columns.txt", b"q1\nq2\n", "")]
    page.file_uploader[0].set_value([("v.npy", (tmp_path / "v.npy").read_bytes(), ""), *ids])
    page.text_input[0].set_value("cross")
    page.text_input[1].set_value("")
    page.button[-1].click().run()
    assert "cross is a version" in page.success[0].value


def test_others_can_read_the_files_of_a_version(world: Path, tmp_path: Path) -> None:
    network = tmp_path / "mine.onnx"
    network.touch(0o600)
    collection = open_collection(world)
    given = NamedVectors(np.eye(len(collection.items)), list(collection.items.ids), "mine")
    add_vectors(collection, "mine", given, None, Stated(files={"picture.onnx": network}), [])
    assert (world / "models" / "mine" / "picture.onnx").stat().st_mode & 0o044 == 0o044
