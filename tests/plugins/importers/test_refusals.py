"""Choices that decide numbers: refused with nothing made, and the line to type works as typed."""

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dashboard.__main__ import main
from tests.plugins.importers.sources import Answer, init, make_source, measure
from tests.plugins.importers.test_formats import LABELS, PICTURES, QRELS, RUN, TWO, VECTORS
from tests.plugins.importers.test_more_formats import FASHION

COLUMNS = "id,scene,part,annotator,worker,day,score\n" + "".join(
    f"i{at},{'park' if at % 2 else 'road'},{'train' if at % 3 else 'val'},a{at % 2}@b.org,"
    f"{'ann' if at % 2 else 'bob'},2026-01-0{at % 2 + 1},0.{at}\n" for at in range(8)
)  # fmt: skip
REFUSED: dict[str, tuple[dict[str, Any], list[str], str]] = {
    "vectors without ids": (
        {"labels.csv": LABELS, "items.npy": VECTORS},
        ["--by-position"], "4 vectors without ids for 4 items"),
    "grades under another name": (
        {"book.csv": "id,query,docid,Ann,Bo\n1,q1,a,1,1\n2,q1,b,0,0\n3,q2,b,1,1\n", "x.run": RUN},
        [f"--map query_id=query,item_id=docid,grade={e}" for e in ("Ann", "Bo", "Ann+Bo")]
        + ["--relevance none"], "queries in the column query, items in docid, and columns that",
    ),
    "distances": (
        {"x.csv": "query,docid,distance\nq1,a,.5\nq1,b,1.5\nq2,a,.5\n", "qrels.txt": QRELS},
        [f"--map query_id=query,item_id=docid,{e}=distance" for e in ("rank", "score")]
        + ["--relevance none"], "grades, scores (the highest first) or ranks",
    ),
    "items under another name": (
        {"x.csv": "query,thing,score\nq1,a,2\nq1,b,1\n", "qrels.txt": QRELS},
        ["--map item_id=thing", "--relevance none"], "in the column query and columns",
    ),
    "bytes": (
        {"labels.csv": LABELS, "v1.npy": np.array([[9], [9], [7], [8]], dtype=np.uint8),
         "v1.txt": "a\nb\nc\nd\n"},
        ["--codes packed", "--codes none"], "may be codes of 8 bits, eight in a byte",
    ),
    "judgements that contradict": (
        {"qrels.a.txt": QRELS, "qrels.b.txt": "q1 0 a 0\n", "x.run": RUN},
        ["--judgements qrels.a.txt", "--judgements qrels.b.txt", "--disagreements mean",
         "--disagreements majority"],
        "(1 in qrels.a.txt and 0 in qrels.b.txt for 'q1' and 'a')",
    ),
    "columns that say nothing": (
        {"t.csv": COLUMNS}, ["--relevance scene", "--relevance none"], "relevance (scene);",
    ),
    "numbers alone": (
        {"t.csv": "id,year\n" + "".join(f"i{at},{2000 + at % 2}\n" for at in range(8))},
        ["--relevance year", "--relevance none"], "relevance (year);",
    ),
    "files that could decide": (
        {"im/a.png": 1, "gnd.pkl": b"\x80", "scene.json": [{"token": "t", "name": "x"}],
         "im/readme.txt": "none"},
        ["--relevance none"], "nothing that decides relevance. scene.json: found the columns",
    ),
    "tables that contradict": (
        {"a.csv": LABELS, "b.csv": LABELS.replace("c,dog", "c,cat")},
        ["--judgements a.csv", "--judgements b.csv", "--disagreements majority"],
        "b.csv: found another label for c than in a.csv",
    ),
    "numbers beside results": (
        {"x.csv": "query_id,item_id,position,gain\nq1,a,1,9\nq1,b,2,3\n"}, ["--relevance none"],
        "may be grades (gain)"),
    "words that two scales have": (
        {"x.csv": "query,docid,verdict\nq1,a,perfect\nq1,b,partial\nq2,a,relevant\n", "x.run": RUN},
        ["--map N=perfect,N=partial,N=relevant"], "grades in words (perfect, partial, relevant)",
    ),
    "labels of pairs in words": (
        {"x.csv": "query_id,item_id,label\nq1,a,wow\nq1,b,meh\nq2,a,meh\n", "x.run": RUN},
        ["--map query_id=query_id,item_id=item_id,grade=label,N=wow,N=meh", "--relevance none"],
        "queries in the column query_id, items in item_id, and columns",
    ),
    "pairs that people scored": (
        {"x.csv": "image,caption,match\na,one,yes\na,two,no\nb,one,no\nb,two,yes\n"},
        ["--map query_id=caption,item_id=image,grade=match", "--relevance captions"], "(match)"),
    "square matrix": (
        TWO | {"c.csv": "image,caption\np1.png,one\np2.png,two\n", "text_embeds.npy": PICTURES},
        ["--rows item", "--rows text", "--by-position"], "shape (2, 2)",
    ),
    "square matrix with ids": (
        TWO | {"c.csv": "image,caption\np1.png,one\np2.png,two\n", "x.npz": lambda path: np.savez(
            path, image_ids=["p1", "p2"], text_ids=["one", "two"], sims=PICTURES)},
        ["--rows item", "--rows text"], "as many texts as items",
    ),
    "two galleries": (
        {f"captions/cap.{name}.val.json": FASHION for name in ("dress", "shirt")},
        ["--judgements captions/cap.dress.val.json", "--judgements captions/cap.shirt.val.json"],
        "2 files of queries, each with a gallery of its own",
    ),
    "a list for tests beside all texts": (
        {"all.csv": "image,caption\na,one\na,two\nb,six\n",
         "test.csv": "image,caption\na,one\nb,six\n"},
        ["--judgements all.csv", "--judgements test.csv"], "a part of the texts of another file"),
    "two columns of items that texts ask for, and one of numbers": (
        {"x.csv": "query_id,query,video_id,relevant,target\n1,a van,a,a;b,1\n2,red,b,c,0\n",
         "v1.npy": VECTORS, "v1.txt": "a\nb\n1\n0\n"},
        ["--relevance video_id", "--relevance relevant", "--relevance none"], "x.csv: found what"),
    "an item of each text, and a mark": (
        {"x.csv": "query_id,query,video_id,match\n1,a van,a,1\n2,red,b,0\n",
         "v1.npy": VECTORS, "v1.txt": "a\nb\n1\n0\n"},
        ["--map query_id=query_id,item_id=video_id,grade=match", "--relevance none"],
        "columns that may be grades"),
    "captions and classes": (
        {"t.csv": "file,label,caption\n" + "".join(
            f"{name}.png,{label},{name} {at}\n"
            for name, label in zip("abc", "xxy", strict=True) for at in (1, 2))},
        ["--relevance label", "--relevance captions", "--relevance none"], "(label, captions)",
    ),
}  # fmt: skip


def check_nothing(made: Answer) -> None:
    """Check that a refused call left nothing."""
    assert made.code == 2
    assert not made.folder.exists()
    assert not made.folder.parent.exists() or not any(made.folder.parent.iterdir())


@pytest.mark.parametrize("name", REFUSED)
def test_refusal(name: str, source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files, lines, said = REFUSED[name]
    made = init(make_source(source, files))
    check_nothing(made)
    assert said in made.said
    typed = [line.partition(f"{source} ")[2] for line in made.lines]
    assert [each.partition("  #")[0] for each in typed] == lines
    assert main(["init", "made", "--from", str(source)]) == 2
    assert capsys.readouterr().out == ""  # no header of a table without rows
    words = shlex.split(made.lines[0].replace("N=", "1="), comments=True)
    assert main(words[3:]) == 0, capsys.readouterr().err
    assert main(["check", "made"]) == 0


def test_relevance_as_typed(source: Path) -> None:
    """Neighbours share their label and no keyword: P@1 is 1 by the one and 0 by the other."""
    rows = 'id,label,keywords,emb\na,x,1,"[1.0, 0]"\nb,x,2,"[1.0, .1]"\nc,y,1,"[0.0, 1]"\n'
    make_source(source, {"v1.csv": rows + 'd,y,2,"[.1, 1.0]"\n'})
    for column, value in (("label", 1.0), ("keywords", 0.0)):
        made = init(source, "--relevance", column, "--update")
        assert made.block[0].startswith(f"Relevant: same {column}, 2 classes (v1.csv)"), made.said
        assert init(source, "--update").block == made.block, "it decides as before"
        assert measure("P@1") == {"v1 P@1": value}
    make_source(source, {"q.txt": "a 0 b 1\n"})
    assert "judgements, 1 pairs" in init(source, "--update", "--judgements", "q.txt").block[0]


def test_lines_keep_what_was_chosen(source: Path) -> None:
    """A second choice is asked for with the first one in the line to type."""
    rows = "id,label,category\na,x,1\nb,x,2\nc,y,1\nd,y,2\n"
    asked = init(make_source(source, {"t.csv": rows, "v1.npy": VECTORS})).lines
    assert [line.rpartition(" ")[2] for line in asked] == ["label", "category", "none"]
    (line,) = init(source, "--relevance", "category").lines
    assert line.endswith(f"--from {source} --relevance category --by-position")
    assert main(shlex.split(line)[3:]) == 0
