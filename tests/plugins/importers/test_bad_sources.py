"""Damaged and hostile sources: a sentence with file and row, the rest read, nothing half made."""

import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from dashboard import plugins
from dashboard.__main__ import main
from dashboard.plugins.importers import making
from tests.plugins.importers.sources import init, make_source, measure, write_tar
from tests.plugins.importers.test_formats import LABELS, QRELS, RUN, VECTORS
from tests.plugins.importers.test_more_formats import ENTITY, write_hdf5
from tests.plugins.importers.test_refusals import check_nothing

README = Path(plugins.__file__).parent / "importers" / "README.md"
IDS = "a\nb\nc\nd\n"
GOOD = {"labels.csv": LABELS, "items.npy": VECTORS, "items.txt": IDS}
RATED = "query,docid,rating\nred,a,3\nred,b,high\n"
SAID: dict[str, tuple[dict[str, Any], str, int]] = {
    "odd row": ({"labels.csv": LABELS + "e,dog,more\n"},
                "labels.csv, line 6: found 1 rows with another number of cells", 4),
    "cut quote": ({"labels.csv": LABELS + '"e,"dog\nf\n"g",dog\n', "items.npy": np.eye(5),
                   "items.txt": "\n".join("abcdg")}, "line 6: found 1 rows with stray", 5),
    "quotes": ({"labels.csv": LABELS.replace(",", "\t") + 'e\t"dog\nf\t"big" dog\n', "items.npy":
                np.eye(6), "items.txt": "\n".join("abcdef")}, "line 6: found 2 rows with stray", 6),
    "lines in cells": ({"labels.csv": 'id,label,text\na,cat,"x\ny,z,"\nb,cat,"x\ny,z,"\n',
                        "items.npy": np.eye(2), "items.txt": "a\nb"}, "Items: 2 of labels.csv", 2),
    "missing classes": ({"labels.csv": LABELS + "e,none\nf,none\ng,NaN\nh,\ni,unknown\n",
                         "items.npy": np.eye(9), "items.txt": "\n".join("abcdefghi")},
                        "2 classes (labels.csv); no class: none (2), NaN (1), unknown (1)", 9),
    "pickle": ({"x.pkl": b"\x80"}, "a pickle can run programs and is never read", 4),
    "pointer": ({"x.npy": b"version https://git-lfs.github.com/v1\n"}, "git lfs pull puts", 4),
    "cut JSON": ({"x.json": '[{"id": "e"},'}, "x.json, line 1: found a file that is cut", 4),
    "odd line": ({"x.jsonl": '{"id": "e"}\n{"id": \n'}, "x.jsonl, line 2: found 1 lines", 4),
    "entity": ({"x.xml": ENTITY}, "x.xml: found XML that is damaged or defines entities", 4),
    "way out": ({"x.tar": write_tar({"../e.jpg": b"x"})}, "or lead outside (../e.jpg)", 4),
    "euclidean": ({"x.hdf5": write_hdf5}, "true neighbours by the distance euclidean", 8),
    "nested": ({"x.parquet": pa.table({"id": ["e"], "objects": [[{"kind": 1}]]})},
               "x.parquet: found a column objects of nested cells", 4),
    "three axes": ({f"{at}/clip.npz": partial(np.savez, ids=[*"abcd"], x=rows) for at, rows in
                    enumerate((VECTORS, np.stack([VECTORS] * 3, 1)))}, "the shape (4, 3, 2)", 4),
    "arrays of parts": (
        {"x.npz": partial(np.savez, X_train=VECTORS, y_train=[0] * 4, X_test=VECTORS, y_test=[1])},
        "several parts (X_train, X_test)", 4),
    "an array an item": ({"x.npz": partial(np.savez, **{n: [[1, 2]] for n in IDS.split()})},
                         "x.npz: found 4 arrays of an item each", 4),
    "no vectors": ({"y.npy": np.arange(5)}, "Write labels as a table", 4),
    "two names": ({"qrels.txt": "q 0 im/1 1\nq 0 1 1\nq 0 y/2 1\n", "im/1.jpg": 1, "im/2.jpg": 2},
                  "3 judged items outside the gallery (1, im/1, y/2)", 2),
    "result again": ({"qrels.txt": QRELS, "x.run": RUN + "q1 Q0 a 9 0.5 x\n"},
                     "x.run: found 1 results again", 2),
    "another kind": ({"x.json": [{"data": {"image": "e.png"}, "annotations": 3, "result": 0}]},
                     "x.json: found values of another kind (TypeError", 4),
    "grades in words": ({"t.csv": RATED.replace("3", "Exact").replace("high", "Partial")},
                        "t.csv: found grades in words (rating); expected numbers; exact = 3", 2),
    "classes like judgements": ({"list.txt": "a 1 1 1\nb 1 1 1\nc 2 2 1\n"},
                                "1 files that no format reads (list.txt)", 4),
    "unknown query": ({"qrels.txt": QRELS, "x.run": RUN + "q3 Q0 a 1 1 x\n"},
                      "x (4 results of x.run; 1 of its 3 queries are unknown)", 2),
    "odd grade": ({"t.csv": RATED}, "t.csv, line 3: found 1 cells of rating", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_rest_is_read(name: str, source: Path) -> None:
    files, said, items = SAID[name]
    rated = "qrels.txt" in files or "t.csv" in files
    made = init(make_source(source, ({} if rated else GOOD) | files))
    assert made.code == 0, made.said
    assert said in made.said
    assert len(made.read("items.csv", "item_id")) == items
    assert main(["check", "made"]) == 0


@pytest.mark.parametrize("files", [
    {}, {"readme.md": "text"}, {"x.csv": "\n"}, {"x.parquet": b"PAR1"}, {"t.csv": "one,two\n1,2\n"},
    {"qrels.txt": "q1 0 a 1\nq1 0 a 0\n"}, {"queries.tsv": "q1\tred\n"},
    {"l.csv": LABELS, "v2/train.npy": VECTORS[2:], "v2/test.npy": VECTORS[:2]},
    {"c.csv": "video,caption\nv.mp4,one\nw.mp4,two\n", "x.run": RUN.replace(" a", " v")},
    {"c.csv": "video,caption\nv.mp4,one\nv.mp4,two\n", "x.run": "v Q0 v 1 1 x\n"},
    {"c.csv": "video,caption\nv.mp4,one\nw.mp4,two\n", "dist_sims.npy": VECTORS[:2],
     "dist_sims.rows.txt": "one\ntwo\n", "dist_sims.columns.txt": "v\nw\n"},
])  # fmt: skip
def test_nothing_to_make(files: dict[str, Any], source: Path) -> None:
    check_nothing(init(make_source(source, files)))


def test_stopped(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stop at the last step leaves nothing, and the collection that was there as it was."""
    make_source(source, GOOD)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    for there in (False, True):
        if there:
            assert init(source).code == 0
        with monkeypatch.context() as patch:
            patch.setattr(making, "check_draft", stop)
            assert init(source, "--update").code == 2
        left = {path.name for path in (source.parent / "data").iterdir()}
        assert left == ({"made"} if there else set())
    assert "a collection that is there" in init(source).said


def test_large_table(source: Path) -> None:
    """Rows of several blocks, one of them odd; ids and vectors stay together."""
    names = [str(at) for at in range(40_000)]
    rows = np.stack([np.arange(40_000) + 1, np.ones(40_000)], axis=1).astype(np.float32)
    kind = pa.list_(pa.float32())
    names[-2] = "0"
    cells = {"id": names, "label": ["x", "y"] * 20_000, "emb": pa.array([*rows[:-1], None], kind)}
    other = {"v2.npy": rows, "v2.txt": "\n".join(["unknown", *names[1:-2], "no", names[-1]])}
    made = init(make_source(source, {"v1.parquet": pa.table(cells)} | other))
    assert "1 vectors that are not finite (39999)" in made.said
    assert "1 vectors that come again or have no id (0)" in made.said
    kept = {"v1": range(39_998), "v2": [*range(1, 39_998), 39_999]}
    for version, places in kept.items():
        folder = made.folder / "models" / version
        assert np.array_equal(np.load(folder / "items.npy"), rows[places])
        assert (folder / "items.txt").read_text().split() == [names[at] for at in places]
    assert len(made.read("queries.csv", "query_id")) == 5_000


def test_ways_out(source: Path) -> None:
    """Links out of the source, to folders and to themselves are left out, and said.

    No picture is taken from outside of it, whatever a table of queries names.
    """
    make_source(source.parent, {"secret.csv": "id,label\ns,cat\n", "secret.png": 1})
    rows = f"query_id,text,image\nq1,red,../secret.png\nq2,van,{source.parent}/secret.png\n"
    files = {"queries.csv": rows + "q3,bus,a.png\n", "im/a.png": 2, "qrels.txt": QRELS}
    make_source(source, files)
    for name, target in (("out.csv", "../secret.csv"), ("up", ".."), ("self.csv", "self.csv")):
        (source / name).symlink_to(target)
    made = init(source)
    assert made.code == 0 and "im/a.png" in "".join(made.read("items.csv", "item_id")), made.said
    assert [each.name for each in made.folder.rglob("*.png")] == ["a.png"]
    for name in ("out.csv", "up", "self.csv"):
        assert name in made.said


def test_format_of_a_team(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example of the README reads its lists, before every other format."""
    (text,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    file = source.parent / "our_lists.py"
    file.write_text(text)
    monkeypatch.setenv(plugins.VARIABLE, str(file))
    plugins._find_plugins.cache_clear()
    try:
        rows = "".join(
            f"{n}|{c}|{x} {y}\n" for n, c, (x, y) in zip("abcd", "ccdd", VECTORS, strict=True)
        )
        made = init(make_source(source, {"rows.lst": rows, "a.png": 1}))
        assert made.read("items.csv", "item_id class file") == ["a|c|a.png", "b|c|", "c|d|", "d|d|"]
        assert measure("P@1") == {"v1 P@1": 0.75}
    finally:
        monkeypatch.undo()
        plugins._find_plugins.cache_clear()
