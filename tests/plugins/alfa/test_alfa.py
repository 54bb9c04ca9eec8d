"""Keywords, the mapping of queries, and relevance by all keywords."""

from pathlib import Path

import numpy as np
import pytest

from dashboard.__main__ import main
from dashboard.plugins.alfa.judge import NO_ITEM_KEYWORD, NO_KEYWORD
from dashboard.plugins.alfa.keywords import Candidate, Keyword, keep_best
from dashboard.storage.collection import open_collection
from dashboard.study.choices import resolve
from dashboard.study.study import open_study
from tests.plugins.worlds import open_world


def find_judgement(world: Path, **given: str):
    collection = open_collection(world)
    return open_study(collection, resolve(collection, given)).given_judgement


def test_keywords_are_read(world: Path) -> None:
    tables = open_collection(world).tables["alfa"]
    assert tables.groups == ("pv_object_type", "pv_ego_behavior")
    assert [each.name for each in tables.index] == ["car", "bus", "turning", "stopped"]
    assert tables.annotated.tolist() == [True, True, True, False]


def test_grades(world: Path) -> None:
    judged = find_judgement(world)
    np.testing.assert_equal(judged.grades(0), [1, 1, 0, np.nan])  # q1: car
    np.testing.assert_equal(judged.grades(1), [1, 0, 0, np.nan])  # q2: car and bus
    np.testing.assert_equal(judged.grades(2), [np.nan, 0, 0, np.nan])  # q3: as a; not itself
    assert judged.find_rows(1).sum(axis=0).tolist() == [2, 1, 1, 0]
    assert judged.unscorable == {2: "no relevant item", 3: NO_KEYWORD}


def test_groups_threshold_and_an_item_without_keywords(world: Path) -> None:
    behaviour = find_judgement(world, groups="pv_ego_behavior")
    assert behaviour.unscorable == {0: NO_KEYWORD, 1: NO_KEYWORD, 3: NO_KEYWORD}
    np.testing.assert_equal(behaviour.grades(2), [np.nan, 1, 0, np.nan])
    assert 3 not in find_judgement(world, mapping_threshold="0.3").unscorable
    text = (world / "queries.csv").read_text().replace("q3,,a", "q3,,d")
    (world / "queries.csv").write_text(text)
    assert find_judgement(world).unscorable[2] == NO_ITEM_KEYWORD


def test_a_result_outside_the_collection_has_no_ticks(world: Path) -> None:
    """The last item of the gallery, a, has what q1 asks for."""
    (world / "items.csv").write_text("item_id\nb\nc\nd\na\n")
    (world / "runs").mkdir()
    (world / "runs" / "r.trec").write_text("q1 Q0 c 1 2 t\nq1 Q0 outside 2 1 t\n")
    told = [(row["matched"], row["ticks"]) for row in open_world(world).query("q1", ["r"]).rows]
    assert told == [(0, [False]), (None, [False])]


def test_a_word_serves_one_candidate() -> None:
    long = Candidate("small car", Keyword("g", "car"), 0.8)
    short = Candidate("car", Keyword("g", "bus"), 0.82)
    exact = Candidate("car", Keyword("g", "auto"), 1.0)
    assert keep_best([short, long], 0.5) == [long]
    assert keep_best([short, long, exact], 0.5) == [short, exact]
    near = Candidate("car on road", Keyword("g", "x"), 0.99)
    assert keep_best([near, exact], 0.5) == [exact], "a longer one that is no better"
    assert keep_best([long], 0.9) == []


@pytest.mark.parametrize("mark", ["; ", " | ", " ;  "])
def test_separators(world: Path, mark: str) -> None:
    rows = f"a,x,car{mark}bus\nb,x,Car{mark}van\nc,x,bus\n"
    (world / "unified_annotation.csv").write_text(f"slice_id,object_type,pv_object_type\n{rows}")
    tables = open_collection(world).tables["alfa"]
    assert [each.name for each in tables.index] == ["car", "bus", "van"]
    assert tables.has.tolist()[0] == [True, True, False, False]


def test_lists_in_cells(world: Path) -> None:
    cells = ["\"['car', 'bus, red']\"", '"{""choices"": [""car""]}"', "bus"]
    rows = "\n".join(f"{item},{cell}" for item, cell in zip("abc", cells, strict=True))
    (world / "unified_annotation.csv").write_text(f"slice_id,pv_object_type\n{rows}\n")
    tables = open_collection(world).tables["alfa"]
    assert [each.name for each in tables.index] == ["car", "bus, red", "bus"]
    assert tables.has.tolist()[0] == [True, True, False, False]


@pytest.mark.parametrize("score", ["nan", "1_0", "high"])
def test_score_or_threshold_that_is_none(world: Path, score: str) -> None:
    row = f"q1,car,pv_object_type,car,{score}"
    (world / "query_keywords.csv").write_text(f"query_id,ngram,group,keyword,score\n{row}\n")
    assert f"line 2: found score '{score}'" in str(open_collection(world).unread["alfa"])
    with (world / "collection.toml").open("a") as file:
        file.write("mapping_threshold = 60.0\n")
    problem = open_collection(world).unread["alfa"]
    assert str(problem).startswith("collection.toml: found mapping_threshold = 60.0; expected a n")


def test_broken_annotation_does_not_hide_the_rest(world: Path) -> None:
    (world / "unified_annotation.csv").write_text("slice,x\n")
    (world / "qrels.txt").write_text("q1 0 a 1\n")
    collection = open_collection(world)
    assert "a column slice_id" in str(collection.unread["alfa"])
    assert resolve(collection, {})["protocol"] == "trec"


def test_rows_have_ticks(world: Path) -> None:
    found = open_world(world).query("q2", ["v1"], 2, "P@2")
    assert found.asked["required"] == ["car", "bus"]
    ticks = [(row["item_id"], row["matched"], row["ticks"], row["hit"]) for row in found.rows]
    assert ticks == [("b", 1, [True, False], False), ("d", 0, [False, False], None)]
    assert [(row["item_id"], row["rank"], row["runs"]) for row in found.missed] == [("a", 3, [])]
    assert found.values == {"v1": 0.0}
    found = open_world(world).query("q1", ["v1", "v2"], 2, "P@2")
    missed = [(row["item_id"], row["rank"], row["runs"]) for row in found.missed]
    assert missed == [("b", 2, ["v2"])], "v2 shows it"
    found = open_world(world, min_similarity="0.5").query("q1", ["v1"], 4, "P@2")
    assert [(row["item_id"], row["rank"], row["runs"]) for row in found.missed] == [("b", 3, [])]


@pytest.mark.filterwarnings("default")
def test_typed_text(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A version with a projection finds what a text asks for; one without says why it cannot."""
    folder = world / "models" / "v1"
    (folder / "model.toml").write_text('encoder = "minilm+projection"\n')
    np.save(folder / "text_projection.npy", np.zeros((384, 2), dtype=np.float32))
    np.save(folder / "text_bias.npy", np.array([0.0, 1.0], dtype=np.float32))
    code = main(["search", str(world), "two buses", "--format", "csv", "-k", "2"])
    out, err = capsys.readouterr()
    assert out.splitlines()[1:] == ["v1,1,b,1.0,False,0,1", "v1,2,d,1.0,,0,1"]
    assert code == 2 and "v2: models/v2/model.toml: found no encoder" in err


def test_what_the_mapping_has_and_is_not_read(world: Path) -> None:
    """QRY-15 and its like: one warning for all rows of a kind, with the first line."""
    path = world / "query_keywords.csv"
    head, *rows = path.read_text().splitlines()
    rows += ["q8,x,pv_object_type,car,1", "q9,x,pv_object_type,car,1", "q1,x,pv_odd,car,1"]
    path.write_text("\n".join([f"{head},kept", *(f"{row},False" for row in rows)]))
    opened = open_collection(world)
    said = [(each.line, each.found) for each in opened.findings if each.level == "warning"]
    assert said == [
        (None, "1 columns that are not read (kept)"),
        (7, "rows of 2 unknown queries (q8, q9)"),
        (9, "rows of 1 unknown groups (pv_odd)"),
    ]
