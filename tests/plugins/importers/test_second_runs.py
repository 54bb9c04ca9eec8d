"""`init --update` keeps what people made; tables with unusual names of columns are no items."""

import shlex
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from dashboard.__main__ import main
from tests.plugins.importers.sources import Files, init, make_source, measure
from tests.plugins.importers.test_formats import LABELS, VECTORS
from tests.plugins.importers.test_options import GOOD

OWN = ("notes.md", "posters/own.txt", "media/mine.png", "submissions/notes.txt", ".git/config",
       "models/v1/notes.md", "vocabulary.toml")  # fmt: skip


def test_files_of_people(source: Path) -> None:
    """They stay, once and again; files that `init` wrote for what is gone do not."""
    pictures = {f"{name}.png": at for at, name in enumerate("abcd", 1)}
    made = init(make_source(source, GOOD | pictures))
    for name in OWN:
        (made.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (made.folder / name).write_text(name)
    (made.folder / "link").symlink_to(source)
    described = made.folder / "models" / "v1" / "model.toml"
    described.write_text(f'note = "first"\nencoder = "m:f"\n{described.read_text()}')
    (source / "d.png").unlink()
    (made.folder / "media" / "a.png").unlink()
    (made.folder / "media" / "a.png").write_text("another one")
    assert "found 1 files with other contents (media/a.png)" in init(source, "--update").said
    for _ in range(2):
        made = init(source, "--update")
        assert made.code == 0, made.said
        assert [(made.folder / name).read_text() for name in OWN] == [*OWN]
        assert 'note = "first"\nencoder = "m:f"\n' in described.read_text()
        assert (made.folder / "link" / "labels.csv").is_file()
        assert sorted(p.name for p in (made.folder / "media").iterdir()) == [
            "a.png", "b.png", "c.png", "mine.png"]  # fmt: skip
    (made.folder / ".init.json").write_text('{"files": []}')
    (source / "labels.csv").write_text(LABELS.replace("b,cat", "b,dog"))
    assert "or use for your own (v1)" in (said := init(source, "--update").said)
    assert "items.csv: found 1 rows unlike the source's; expected a record" in said
    assert "type python -m dashboard remove made --yes, and init again" in said


def test_settings_of_people(source: Path) -> None:
    """A changed class, its comment and column stay until --relevance says otherwise."""
    rows = "id,class,colour\na,cat,red\nb,dog,red\nc,cat,blue\nd,dog,blue\n"
    made = init(make_source(source, {"x.csv": rows}), "--relevance", "class")
    settings, items = (made.folder / name for name in ("collection.toml", "items.csv"))
    lines = zip(items.read_text().splitlines(), ["breed", *"1221"], strict=True)
    items.write_text("".join(f"{line},{cell}\n" for line, cell in lines))
    told = settings.read_text().replace('label = "class"', 'label = "breed"  # of the breeders')
    settings.write_text(told)
    make_source(source, {"x.csv": "id,class\na,cat\nb,dog\nc,cat\ne,dog\n"})
    made = init(source, "--update")
    assert made.read("items.csv", "item_id breed") == ["a|1", "b|2", "c|2", "e|"], made.said
    assert "colour" not in items.read_text()
    assert 'class_label = "breed"  # of the breeders\n' in settings.read_text()
    assert made.block[0].endswith("but collection.toml says class_label = 'breed', which counts")
    assert "which counts" not in init(source, "--update", "--relevance", "class").block[0]
    assert 'class_label = "class"  # of the breeders\n' in settings.read_text()


JUDGED = {"x.csv": "item_id\na\nb\n", "qrels.csv": "query_id,item_id,grade\na,b,1\nb,a,1\n"}


@pytest.mark.parametrize(
    ("files", "mine"),
    [(GOOD, "query_id,item_id,text,scene\nb,b,,s\nc,c,,s\nd,d,,s\nt1,,red,s\n"),
     (JUDGED, "query_id,text,scene\nb,b,s\nt1,red,s\n")],
)  # fmt: skip
def test_rows_of_people(source: Path, files: Files, mine: str) -> None:
    """A query by hand and its judgements stay, and one that was deleted, a, stays away."""
    folder = init(make_source(source, files)).folder
    queries, qrels = (folder / name for name in ("queries.csv", "qrels.csv"))
    queries.write_text(mine)
    if qrels.is_file():
        qrels.write_text(qrels.read_text() + "t1,x,1\n")
    for _ in range(2):
        made = init(source, "--update")
        assert made.code == 0 and "1 that you deleted stay away" in made.said, made.said
        assert queries.read_text() == mine
        assert not qrels.is_file() or qrels.read_text().splitlines()[1:] == ["b,a,1", "t1,x,1"]
        assert not qrels.is_file() or "Items: 2 of x.csv; judged: 1" in made.block


def test_cells_of_people(source: Path) -> None:
    """A cell that people changed stays, a correction of another one arrives; a lost one is said."""
    rows = "id,label,caption,pv_x\na,cat,one,1\nb,dog,two,1\nc,cat,three,1\nd,dog,four,1\n"
    made = init(make_source(source, {"x.csv": rows}))
    items, keywords = (made.folder / n for n in ("items.csv", "unified_annotation.csv"))
    items.write_text(items.read_text().replace("a,cat,one", "a,cow,one"))
    keywords.write_text(keywords.read_text().replace("a,1", "a,2"))
    make_source(source, {"x.csv": rows.replace("cat,one", "cat,uno")})
    for _ in range(2):
        made = init(source, "--update")
        assert "a,2\nb,1" in keywords.read_text()
        found = made.read("items.csv", "item_id label caption")
        assert found[:2] == ["a|cow|uno", "b|dog|two"], made.said
    assert "1 rows of yours stay" in made.said
    make_source(source, {"x.csv": rows.replace("a,cat,one,1\nb,dog,two,1\n", "")})
    made = init(source, "--update")
    assert "found 1 rows that you changed (a)" in made.said
    assert made.block[1] == "Items: 2 of x.csv; judged: 2"
    make_source(source, {"x.csv": rows.replace("label", "class").replace("pv_x", "pv_y")})
    items.write_text(items.read_text().replace("c,cat", "c,cow"))
    assert "columns that the source has no more (label)" in init(source, "--update").said


def test_versions_of_people(source: Path) -> None:
    """A version of one's own is not lost to a new one of the source, but by the line to type."""
    folder = init(make_source(source, GOOD)).folder
    np.savez(source.parent / "x.npz", ids=list("abcd"), rows=VECTORS)
    assert main(["add", "made", "v2", "--items", str(source.parent / "x.npz")]) == 0
    before = (folder / "models" / "v2" / "items.npy").read_bytes()
    make_source(source, {"v2.npy": VECTORS[::-1].copy(), "v2.txt": "a\nb\nc\nd\n"})
    made = init(source, "--update")
    assert made.code == 0 and "or use for your own (v2)" in made.said, made.said
    line = "python -m dashboard remove made --version v2 --yes"
    assert "v2 (kept)" in made.block[2] and line.replace("v2", "NAME") in made.said
    assert (folder / "models" / "v2" / "items.npy").read_bytes() == before
    assert main(shlex.split(line)[3:]) == 0
    for _ in range(2):
        made = init(source, "--update")
        assert made.code == 0 and "v2 (4 items of v2.npy)" in made.block[2], made.said
    assert main(shlex.split(line)[3:]) == 0
    for _ in range(2):
        made = init(source, "--update")
        assert "names that you removed" in made.said and "v2" not in made.block[2], made.said
    assert main(["add", "made", "v2", "--items", str(source.parent / "x.npz")]) == 0
    assert "v2 (kept)" in init(source, "--update").block[2]
    assert (folder / "models" / "v2" / "items.npy").read_bytes() == before
    assert main(shlex.split(line)[3:]) == 0 and "of v2.npy" in init(source, "--update").block[2]


def test_stale_indexes(source: Path) -> None:
    """They are left out with the line that builds them again; one that still fits stays."""
    init(make_source(source, GOOD))
    np.savez(source.parent / "x.npz", ids=list("abcd"), rows=VECTORS)
    assert main(["add", "made", "v2", "--items", str(source.parent / "x.npz")]) == 0
    for name in ("v1", "v2"):
        assert main(["index", "made", "--version", name, "--factory", "Flat"]) == 0
    settings = source.parent / "data" / "made" / "collection.toml"
    settings.write_text(settings.read_text() + 'default_candidate = "v2 (index)"\n')
    made = init(source, "--update")
    assert made.code == 0 and "v2 (index) (kept)" in made.block[2], made.said
    assert (made.folder / "models" / "v1" / "index.faiss").is_file()
    (source / "labels.csv").write_text(LABELS.replace("d,dog\n", ""))
    made = init(source, "--update")
    assert made.code == 0, made.said
    for name in ("v1", "v2"):
        assert not (made.folder / "models" / name / "index.faiss").exists()
        typed = f"python -m dashboard index made --version {name} --factory Flat"
        assert "left out" in made.said and typed in made.said
    assert "default_candidate" not in settings.read_text()
    assert main(["check", "made"]) == 0


def test_unusual_columns(source: Path) -> None:
    """Texts t1, t2 of a and t3, t4 of b; t1, t2, t3 are nearest to a, t4 to b. P@1 is 3/4."""
    near = [[1.0, 0.1], [1.0, 0.2], [1.0, 0.3], [0.1, 1.0]]
    texts = [f"t{at}" for at in range(1, 5)]
    rows = [f"{name},text {name},{item}.png" for name, item in zip(texts, "aabb", strict=True)]
    judged = [f"{name},{item},2" for name, item in zip(texts, "aabb", strict=True)]
    made = init(make_source(source, {
        "a.png": 1, "b.png": 2,
        "captions.csv": "\n".join(["sentence_key,sentence,pic", *rows]),
        "judged.csv": "\n".join(["q_key,thing,how_good", *judged]),
        "picture_vectors.npy": np.eye(2, dtype=np.float32), "picture_vectors.txt": "a\nb\n",
        "text_vectors.parquet": pa.table({"sentence_key": texts, "vector": near}),
        "other.npy": np.eye(2, dtype=np.float32), "other.txt": "x\ny\n",
    }))  # fmt: skip
    assert "2 ids with a second q_key" in made.said
    chosen = "query_id=q_key,item_id=thing,grade=how_good"
    made = init(source, "--update", "--map", chosen)
    assert made.code == 0 and "have no id" not in made.said, made.said
    assert made.read("queries.csv", "query_id text")[0] == "t1|text t1"
    assert made.read("items.csv", "item_id") == ["a.png", "b.png"]
    assert "other.npy: found 2 vectors of unknown items" in made.said
    assert measure("P@1") == {"v1 P@1": 0.75}
    table = pa.table({"sentence_key": texts, "tongue": ["en", "fr"] * 2, "vector": near})
    make_source(source, {"text_vectors.parquet": table})
    made = init(source, "--update", "--map", chosen)
    assert made.read("items.csv", "item_id") == ["a.png", "b.png"]
    assert measure("P@1") == {"v1 P@1": 0.75}
    table = table.rename_columns(["which", "tongue", "vector"])
    made = init(make_source(source, {"text_vectors.parquet": table}), "--update", "--map", chosen)
    assert "4 vectors that come again or have no id" in made.said
