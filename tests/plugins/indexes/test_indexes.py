"""Approximate indexes in a world of two cells of directions in a plane, worked by hand.

Items a0 to a4 stand at 0 to 4 degrees, b0 to b4 at 86 to 90, counted from -45 degrees on. An index
of two cells that looks into one of them finds for a query at 44.2 degrees a4, a3, a2; exact search
finds a4, a3, b0.
"""

import json
from pathlib import Path

import faiss
import numpy as np
import pytest

from dashboard.errors import DataError
from dashboard.plugins.indexes.faiss_file import compute_recalls, read_index_file
from dashboard.retrieval.encoders import ENCODERS
from dashboard.retrieval.gallery import SortedRanking
from dashboard.retrieval.sources import RunFileSource
from dashboard.storage.collection import open_collection
from dashboard.study.choices import resolve
from dashboard.texts import compute_digest
from tests.core.test_screens import draw
from tests.plugins.indexes.conftest import ANGLES, point
from tests.plugins.worlds import call

ONE_CELL = ["--factory", "IVF2,Flat", "--parameters", "nprobe=1"]


def test_recall_by_hand(folder: Path) -> None:
    """Of q1's first three 2 are found, of q2's and q3's all: (2/3 + 1 + 1) / 3."""
    code, built, err = call("index", folder, "--version", "v1", *ONE_CELL, "-k", 3)
    assert code == 0 and "v1 (index) is a version" in err
    path = folder / "models" / "v1" / "index.faiss"
    assert built[0]["bytes"] == path.stat().st_size and faiss.read_index(str(path)).ntotal == 10
    code, rows, _ = call("index", folder, "--version", "v1", "--evaluate", "-k", 3)
    assert [row["recall"] for row in rows] == [row["recall"] for row in built]
    approximate, flat = rows
    assert (code, approximate["index"], flat["index"]) == (0, "IVF2,Flat nprobe=1", "Flat")
    assert approximate["recall"] == pytest.approx(8 / 9, abs=1e-6)
    assert approximate["low"] == pytest.approx(2 / 3, abs=1e-6) and approximate["high"] == 1
    assert (flat["recall"], flat["low"], flat["high"], flat["bytes"]) == (1, 1, 1, 80)
    assert all(0 < row["p50_ms"] <= row["p95_ms"] and row["build_s"] >= 0 for row in rows)


def test_a_version_of_its_own(folder: Path) -> None:
    """What the index does not return is not ranked: q1's b0 is third, or nowhere."""
    assert "baseline=v1&candidate=v1+%28" in call("index", folder, "--version", "v1", *ONE_CELL)[2]
    _, rows, _ = call("measure", folder, "--queries", "all", "--metrics", "RR R@100", "--by-query")
    values = {(row["run"], row["query_id"], row["metric"]): row["value"] for row in rows}
    assert values["v1", "q1", "RR"] == pytest.approx(1 / 3)
    assert values["v1 (index)", "q1", "RR"] == 0 == values["v1 (index)", "q1", "R"]
    for name in ("v1", "v1 (index)"):
        assert (values[name, "q2", "RR"], values[name, "q3", "RR"]) == (1, 1), "a0 is left out"
    _, rows, _ = call("search", folder, "--item", "b4", "--model", "v1 (index)", "-k", 9)
    assert [row["item_id"] for row in rows] == ["b3", "b2", "b1", "b0"]
    _, rows, _ = call("compare", folder, "--baseline", "v1", "--candidate", "v1 (index)",
        "--metrics", "R@3",
    )  # fmt: skip
    assert rows[0]["delta"] == pytest.approx(-1 / 2) and rows[0]["worse"] == 1


def test_the_usual_candidate_is_exact(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the index is stands where it is compared: 5, 5 of 10 and 4 of 9 are found."""
    assert call("index", folder, "--version", "v1", *ONE_CELL)[0] == 0
    collection = open_collection(folder)
    drawn = draw(folder, monkeypatch, "compare", candidate="v1 (index)")
    (told,) = [
        each.value.replace("\\", "") for each in drawn.caption if "approximate" in each.value
    ]
    assert told.startswith("v1 (index): v1, searched through the approximate index IVF2,Flat npr")
    assert told.endswith("; recall@10 of exact search 0.481 when it was built.")
    assert list(collection.versions) == ["v1", "v1 (index)"]
    assert resolve(collection, {})["candidate"] == "v1"


def test_depth(folder: Path) -> None:
    """It is the number of results, with the item itself: 2, 2 and 1 of five are found."""
    words = ("index", folder, "--version", "v1", "--factory", "Flat", "--depth", 2, "-k", 5)
    assert [row["recall"] for row in call(*words)[1]] == [pytest.approx(1 / 3, abs=1e-6), 1]
    for asked, found in ((("between",), ["a4", "a3"]), (("--item", "a0"), ["a1"])):
        _, rows, _ = call("search", folder, *asked, "--model", "v1 (index)", "-k", 9)
        assert [row["item_id"] for row in rows] == found


def test_ties(folder: Path) -> None:
    """All items are equal: by id, from the last one on, b0 is fifth."""
    np.save(folder / "models" / "v1" / "items.npy", np.tile(point(9), (10, 1)))
    call("index", folder, "--version", "v1", "--factory", "Flat")
    words = ("--protocol", "trec", "--metrics", "RR", "--by-query")
    _, rows, _ = call("measure", folder, *words)
    found = [row["value"] for row in rows if row["query_id"] == "q1"]
    assert found == [pytest.approx(1 / 5)] * 2


def test_recall_of_ties_and_short_lists() -> None:
    """C is as good as b, which is second; of three results two are not found."""
    found = RunFileSource({0: SortedRanking(np.array([2]), np.array([0.5]))}, {})
    exact = RunFileSource({0: SortedRanking(np.arange(3), np.array([0.9, 0.5, 0.5]))}, {})
    assert compute_recalls(found, exact, np.array([-1]), 2).tolist() == [1 / 2]
    assert compute_recalls(found, exact, np.array([-1]), 9).tolist() == [1 / 3]


def test_a_typed_text(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The version's own text side embeds it, and the index searches."""
    call("index", folder, "--version", "v1", *ONE_CELL)
    (folder / "models" / "v1" / "model.toml").write_text('encoder = "fixed"\n')
    for vector, told in (
        (point(44.2), ""),
        ([*point(44.2), 0], "a vector of a text of 3 numbers; expected 2"),
        ([0, 0], "zero or not finite"),
        ([np.nan, 1], "zero or not finite"),
    ):
        monkeypatch.setitem(ENCODERS, "fixed", lambda *given, vector=vector: np.array([vector]))
        code, rows, err = call("search", folder, "anything", "-k", 3)
        found = [row["item_id"] for row in rows]
        assert (code, found) == ((2, []) if told else (0, ["a4", "a3", "b0", "a4", "a3", "a2"]))
        assert told in err


@pytest.mark.parametrize("factory", ["HNSW8", "SQ8", "IVF2,Flat,RFlat", "Flat"])
def test_kinds_that_look_at_everything(folder: Path, factory: str) -> None:
    more = ["--parameters", "nprobe=2"] if "IVF" in factory else []
    words = ("index", folder, "--version", "v1", "--factory", factory, *more, "--evaluate")
    code, rows, _ = call(*words, "-k", 3)
    assert (code, rows[1]["recall"]) == (0, 1) and rows[0]["recall"] > 0.6


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--factory", "nonsense"], "could not parse index string nonsense"),
        (["--factory", "IVF99999999999,Flat"], "the number 99999999999 for 10 vectors"),
        (["--factory", "LSH"], "an error of faiss"),
        (["--factory", "IVF2,Flat", "--parameters", "nprobe=0"], "numbers from 1"),
        (["--parameters", "nprobe=8", "--evaluate"], "need --factory"),
        (["--evaluate"], "no such file"),
        ([], "Give --factory"),
    ],
)
def test_a_call_that_cannot_be(folder: Path, words: list[str], told: str) -> None:
    """A sentence, and nothing is written: neither an index nor half of one."""
    before = sorted(folder.rglob("*"))
    code, rows, err = call("index", folder, "--version", "v1", *words)
    assert (code, rows) == (2, []) and told in err and "Traceback" not in err
    assert sorted(folder.rglob("*")) == before


def test_an_index_stays_when_the_next_one_fails(folder: Path, monkeypatch) -> None:
    call("index", folder, "--version", "v1", *ONE_CELL)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    def fill(index: object, path: str) -> None:
        Path(path).write_bytes(b"half")
        raise OSError(28, "No space left on device", path)

    monkeypatch.setattr(faiss, "write_index", fill)
    code, _, err = call("index", folder, "--version", "v1", "--factory", "Flat")
    assert code == 2 and "No space left" in err
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[40] ^= 255
    path.write_bytes(content)


def change_vectors(path: Path) -> None:
    rows = np.load(path.with_name("items.npy"))
    np.save(path.with_name("items.npy"), rows[::-1])


def swap_ids(path: Path) -> None:
    ids = path.with_name("items.txt")
    ids.write_text(ids.read_text().replace("a0\na1", "a1\na0"))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (damage, "damaged"),
        (lambda path: path.write_bytes(b""), "damaged"),
        (lambda path: path.write_bytes(b'x\n{"factory": 1}'), "damaged"),
        (lambda path: faiss.write_index(faiss.IndexFlatIP(2), str(path)), "another program"),
        (change_vectors, "an index of other vectors"),
        (swap_ids, "an index of other vectors"),
    ],
)
def test_an_index_that_does_not_fit(folder: Path, change: object, told: str) -> None:
    """`check` says so, the version itself works, and building the index again mends it."""
    call("index", folder, "--version", "v1", *ONE_CELL)
    change(folder / "models" / "v1" / "index.faiss")
    collection = open_collection(folder)
    assert list(collection.versions) == ["v1"]
    assert told in collection.broken["v1 (index)"].found
    code, rows, _ = call("check", folder)
    (row,) = [row for row in rows if row["file"] == "models/v1/index.faiss"]
    assert code == 1 and "python -m dashboard index" in row["wanted"]
    code, _, err = call("index", folder, "--version", "v1", "--evaluate")
    assert code == 2 and told in err
    assert call("index", folder, "--version", "v1", *ONE_CELL)[0] == 0
    assert list(open_collection(folder).versions) == ["v1", "v1 (index)"]


@pytest.mark.parametrize("metric", [faiss.METRIC_INNER_PRODUCT, faiss.METRIC_L2])
def test_an_index_that_is_another_than_it_says(folder: Path, metric: int) -> None:
    """Its last line is as it should be; what faiss loads has another width, or measures distances.

    The versions themselves are measured all the same when they are named.
    """
    call("index", folder, "--version", "v1", *ONE_CELL)
    path = folder / "models" / "v1" / "index.faiss"
    told = json.loads(path.read_bytes().rpartition(b"\n")[2])
    index = faiss.IndexFlat(2 + (metric == faiss.METRIC_INNER_PRODUCT), metric)
    index.add(np.eye(10, index.d, dtype=np.float32))
    faiss.write_index(index, str(path))
    told |= {"content": compute_digest(path), "parameters": ""}
    path.write_bytes(path.read_bytes() + b"\n" + json.dumps(told).encode())
    code, _, err = call("index", folder, "--version", "v1", "--evaluate")
    assert code == 2 and "10 of 2, by the inner product" in err
    assert call("measure", folder, "--runs", "v1")[0] == 0
    code, _, err = call("measure", folder)
    assert code == 2 and "inner product" in err and "Traceback" not in err


def test_vectors_that_the_protocol_changes(folder: Path) -> None:
    """Signs are compared there, and the index holds other vectors: null, not a wrong number."""
    items = "".join(f"{name},{name[0]}\n" for name in ANGLES)
    (folder / "items.csv").write_text(f"item_id,labels\n{items}")
    (folder / "queries.csv").write_text("query_id,text,labels\nq1,between,b\nq2,low,a\n")
    call("index", folder, "--version", "v1", *ONE_CELL)
    words = ["--protocol", "hashing", "--queries", "all", "--metrics", "AP"]
    code, rows, _ = call("measure", folder, *words)
    assert code == 2, "v1 (index) ran no query"
    assert {row["run"]: row["scored"] for row in rows} == {"v1": 2, "v1 (index)": 0}


def test_versions_without_vectors_of_floats(folder: Path) -> None:
    (folder / "runs").mkdir()
    (folder / "runs" / "r.trec").write_text("q1 Q0 a1 1 1 t\n")
    np.save(folder / "models" / "v1" / "items.npy", np.ones((10, 2), dtype=np.int8))
    for version in ("r", "v1", "none"):
        code, _, err = call("index", folder, "--version", version, "--factory", "Flat")
        assert code == 2 and ("vectors of floats" in err or "no version" in err)


def test_an_index_that_another_call_writes_meanwhile(folder: Path) -> None:
    """Its file is loaded when it is first searched; what its line said is of the one before."""
    assert call("index", folder, "--version", "v1", *ONE_CELL)[0] == 0
    collection = open_collection(folder)
    file = read_index_file(collection, collection.versions["v1"])
    assert call("index", folder, "--version", "v1", "--factory", "Flat")[0] == 0
    with pytest.raises(DataError, match="written meanwhile"):
        file.search(np.ones((1, 2), np.float32))


def test_the_command_that_builds_again_runs_nothing_else(folder: Path) -> None:
    version = (folder / "models" / "v1").rename(folder / "models" / "$(id)")
    (version / "index.faiss").write_bytes(b"")
    (error,) = open_collection(folder).broken.values()
    assert "--version '$(id)' --factory IVF64,Flat" in str(error)
