"""Options of `init`: an update, a plan only, queries of classes, names of columns."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from dashboard.__main__ import main
from tests.plugins.importers.sources import init, make_source, measure
from tests.plugins.importers.test_formats import LABELS, RUN, VECTORS
from tests.plugins.worlds import call

GOOD = {"labels.csv": LABELS, "v1.npy": VECTORS, "v1.txt": "a\nb\nc\nd\n"}


def test_update(source: Path) -> None:
    """The next item has the class of a, b and d by v1, of b by v2, which was added and stays.

    Nothing has a vector of e, which is left out, so that no item has the class of c.
    """
    made = init(make_source(source, GOOD))
    settings = made.folder / "collection.toml"
    settings.write_text(settings.read_text().replace('"made"', '"Ours"') + 'licence = "MIT"\n')
    added = source.parent / "v2.npz"
    np.savez(added, ids=list("abcd"), rows=VECTORS[::-1])
    assert main(["add", "made", "v2", "--items", str(added)]) == 0
    assert (made.folder / "models" / "v1" / "made_for.json").is_file()
    (source / "labels.csv").write_text(LABELS.replace("d,dog", "d,cat").replace("c,", "e,dog\nc,"))
    made = init(source, "--update")
    assert made.code == 0, made.said
    assert "note: items.csv: found 1 rows that are new or changed, and 0 that are gone" in made.said
    assert "found 1 further files and versions (models/v2)" in made.said
    assert 'title = "Ours"' in settings.read_text() and 'licence = "MIT"' in settings.read_text()
    assert measure("P@1") == {"v1 P@1": 1.0, "v2 P@1": 1 / 3}


def test_update_keeps_names_of_rows(source: Path) -> None:
    """A file whose name comes a second time gets its folder; ids of before stay."""
    rows = "image,label\ny/a.jpg,cat\ny/b.jpg,cat\ny/c.jpg,dog\n"
    make_source(source, {"x.csv": rows})
    assert init(source).read("items.csv", "item_id") == ["a.jpg", "b.jpg", "c.jpg"]
    (source / "x.csv").write_text(rows + "x/a.jpg,dog\n")
    made = init(source, "--update")
    assert made.read("items.csv", "item_id") == ["a.jpg", "b.jpg", "c.jpg", "x/a.jpg"]


def test_dry_run(source: Path) -> None:
    made = init(make_source(source, GOOD), "--dry-run")
    assert made.code == 0 and made.address == "Nothing was made: --dry-run."
    assert [row["file"] for row in made.rows][:2] == ["items.csv", "queries.csv"]
    assert not any((source.parent / "data").iterdir())
    assert init(source).code == init(source, "--dry-run", "--update").code == 0
    assert [path.name for path in (source.parent / "data").iterdir()] == ["made"]


def test_people_who_disagree(source: Path) -> None:
    """Grades 2, 2 and 0 of one pair, 1 and 0 of another one."""
    rows = [("q1", "a", 2), ("q2", "b", 1), ("q1", "a", 2), ("q1", "a", 0), ("q2", "b", 0)]
    make_source(source, {"qrels.txt": "".join(f"{q} 0 {i} {g}\n" for q, i, g in rows)})
    ways = [line.partition("--disagreements ")[2] for line in init(source).lines]
    assert ways == ["mean", "majority"] and not (source.parent / "data" / "made").exists()
    for how, grades in (("mean", ["1.33333", "0.5"]), ("majority", ["2", "0"])):
        made = init(source, "--disagreements", how, "--update")
        assert made.read("qrels.csv", "grade") == grades
        assert f"; 2 pairs with different grades: the {how} of each" in made.block[0]


def test_scale_of_relevance(source: Path) -> None:
    """A scale up to 4 is set, and said; what people set instead stays."""
    rows = "query_id,item_id,relevance\nq1,a,{}\nq1,b,0\n"
    settings = source.parent / "data" / "made" / "collection.toml"
    for most, line in (("60", ""), ("4", "relevance_scale = 4.0")):
        made = init(make_source(source, {"relevance.csv": rows.format(most)}), "--update")
        assert (f"relevance up to {most}" in made.said) == bool(line)
        assert ("relevance_scale" in settings.read_text()) == bool(line)
    assert line in settings.read_text()
    settings.write_text(settings.read_text().replace("= 4.0", "= 5.0"))
    init(source, "--update")
    assert "relevance_scale = 5.0" in settings.read_text()


@pytest.mark.parametrize("form", ["tasks", "rows"])
def test_annotators_who_disagree(form: str, source: Path) -> None:
    """The first one counts, and that is said; or the answers of more than half of them."""
    answers = {"a": ["cat", "dog", "dog"], "b": ["dog"], "c": ["cat", "dog"], "d": ["cat"]}
    tasks = [{"data": {"image": f"{n}.png"}, "annotations": [
        {"result": [{"value": {"choices": [each]}}]} for each in own]}
        for n, own in answers.items()]  # fmt: skip
    rows = [(n, each, at) for n, own in answers.items() for at, each in enumerate(own)]
    table = "id,image,label,annotator,lead_time\n"
    table += "".join(f'{n},{n}.png,"[""{each}""]",{at},{at}.5\n' for n, each, at in rows)
    own = {"x.json": tasks} if form == "tasks" else {"x.csv": table}
    make_source(source, own | {f"{n}.png": 1 for n in answers})
    made = init(source)
    assert made.read("items.csv", "label") == ['["cat"]', '["dog"]', '["cat"]', '["cat"]']
    assert "found 2 ids with a second label" in made.said
    assert "--disagreements majority" in made.said
    made = init(source, "--disagreements", "majority", "--update")
    assert made.read("items.csv", "label") == ['["dog"]', '["dog"]', "", '["cat"]']


def test_queries_of_classes(source: Path) -> None:
    np.savez(make_source(source, GOOD) / "v1_text.npz", ids=["cat", "dog"], emb=VECTORS[[0, 2]])
    for options in (["--queries-from", "keywords"], ["--update"]):  # which takes them again
        assert init(source, *options).read("queries.csv", "text label") == ["cat|cat", "dog|dog"]
    assert measure("AP") == {"v1 AP@None": pytest.approx((1 + 1) / 2)}
    made = init(source, "--update", "--queries-from", "none")
    assert made.read("queries.csv", "item_id") == list("abcd")
    make_source(source, {"v2.npy": VECTORS})
    assert init(source, "--update", "--by-position").code == init(source, "--update").code == 0
    assert init(source, "--update", "--no-by-position").code == 2


def test_classes_are_counted_and_not_lists_of_them(source: Path) -> None:
    rows = 'id,label\na,"cat, red"\nb,"cat, dog"\nc,"dog, red"\n'
    assert "same label, 3 classes" in init(make_source(source, {"t.csv": rows})).block[0]
    made = init(make_source(source, {"t.csv": rows.replace("label", "class")}), "--update")
    assert made.block[0].endswith("(t.csv); before: class_label = 'label'")
    assert "same class, 3" in init(make_source(source, {"u.csv": rows}), "--update").block[0]


def test_map(source: Path) -> None:
    rows = "name,what\nx,one\ny,two\n"
    made = init(make_source(source, {"t.csv": rows}), "--map", "item_id=name,caption=what")
    assert made.read("items.csv", "item_id caption") == ["x|one", "y|two"]
    for wrong in ("", "item_id=name,file=nothing", "item_id", "item_id=name,x=what"):
        assert init(source, "--update", "--map", wrong).code == 2


@pytest.mark.parametrize("names", [("a.csv", "b.csv"), ("b.csv", "a.csv")])
def test_ids_beside_files(names: tuple[str, str], source: Path) -> None:
    """Items have the ids of one table, whichever comes first."""
    rows = ("file,label\nx.png,cat\ny.png,dog\n", "sku,file\nS1,x.png\nS2,y.png\n")
    make_source(source, dict(zip(names, rows, strict=True)) | {"x.png": 1, "y.png": 2})
    assert init(source).read("items.csv", "item_id label file") == ["S1|cat|x.png", "S2|dog|y.png"]


def test_places(source: Path) -> None:
    """None in its source, in a folder of other things, or under a hidden name; else said how."""
    make_source(source, GOOD)
    (source.parent / "data" / "other").mkdir(parents=True)
    (source.parent / "data" / "other" / "x").touch()
    for name in (str(source / "in"), str(source.parent), "other", ".x", ""):
        assert main(["init", name, "--from", str(source)]) == 2
    assert {p.name for p in source.parent.rglob("*")} == {"data", "other", "x", "source", *GOOD}
    _, _, said = call("init", source.parent / "out" / "made", "--from", source)
    assert f"DASHBOARD_DATA={source.parent}/out streamlit run app.py" in said
    said = init(make_source(source.parent / "own", {"labels.csv": LABELS})).said
    assert "  python -m dashboard embed made --version v1 --encoder all-MiniLM-L6-v2\n" in said


@pytest.mark.parametrize(
    ("own", "names"), [(("new_x", "old_x"), ("new/x.run", "old/x.run")),
                       (("input@input.1.gz", "input@input.2"), ("input.1.gz", "input.2"))]
)  # fmt: skip
def test_runs_of_one_name(own: tuple[str, str], names: tuple[str, str], source: Path) -> None:
    runs = {name: gzip.compress(RUN.encode()) if name.endswith("gz") else RUN for name in names}
    made = init(make_source(source, {"qrels.txt": "q1 0 a 1\nq2 0 b 1\n"} | runs))
    told = [f"{each} (3 results of {n})" for each, n in zip(own, names, strict=True)]
    assert made.block[2] == f"Versions: {'; '.join(told)}"
    assert made.address.endswith("/compare?collection=made")
