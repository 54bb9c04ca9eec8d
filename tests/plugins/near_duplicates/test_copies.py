"""Items that count as one, in a world of six worked by hand, and beside a slow computation.

a and a2 are the same picture, b and b2 nearly so; c and d are alone. To q, the items rank a2, a, c,
b, b2, d; a2 (grade 2), b and b2 (grade 1) are relevant, c is not.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dashboard.evaluation.judgement import find_relevant
from dashboard.plugins.near_duplicates.choice import list_ways
from dashboard.plugins.near_duplicates.groups import Groups, MergedRanking, find_groups
from dashboard.plugins.reviews.verdicts import Verdict, save_verdict
from dashboard.retrieval.gallery import SortedRanking
from dashboard.storage.collection import open_collection
from dashboard.study.study import Study
from tests.core.test_screens import draw
from tests.plugins.worlds import call, measure_values, open_world, write_world

ITEMS = {
    "a": [1.0, 0, 0], "a2": [1.0, 0, 0], "c": [0.9, 0, 0.5], "b": [0, 1.0, 0], "b2": [0, 1, 0.01],
    "d": [-1.0, 0, 0],
}  # fmt: skip
QRELS = "q 0 a2 2\nq 0 b 1\nq 0 b2 1\nq 0 c 0\ni 0 a2 1\ni 0 c 1\n"
SETTINGS = 'title = "Six"\nprotocols = ["trec"]\n'


def write_six(folder: Path, table: str = "", vectors: Any = None) -> Path:
    items = table or "item_id\n" + "".join(f"{name}\n" for name in ITEMS)
    queries, asked = "query_id,text,item_id\nq,six,\ni,,a\n", {"q": [1, 0.3, 0.1]}
    vectors = ITEMS if vectors is None else vectors
    return write_world(folder / "data" / "six", SETTINGS, items, queries, vectors, asked, QRELS)


@pytest.fixture
def six(tmp_path: Path) -> Path:
    return write_six(tmp_path)


def open_once(folder: Path) -> Study:
    return open_world(folder, copies="once", queries="all")


def name_groups(folder: Path) -> list[list[str]]:
    collection = open_collection(folder)
    groups, ids = find_groups(collection, list_ways(collection)[0]), collection.items.ids
    return [
        [ids[item] for item in groups.members if groups.first[item] == first]
        for first in np.unique(groups.first[groups.members])
    ]


def check(folder: Path) -> list[tuple[str, str]]:
    code, rows, _ = call("check", folder)
    assert code == 0
    return [(row["level"], row["found"]) for row in rows if row["file"] == "items.csv"]


def test_numbers(six: Path) -> None:
    """Once, q has a (grade 2), c, b and d, and two relevant items: a and b."""
    given = {"queries": "text"}
    metrics = "P@1 P@3 R@3 R AP nDCG@2 num_rel num_ret"
    counted = measure_values(six, metrics, **given)
    found = [counted[name][0] for name in ("P@3", "R", "num_rel", "num_ret")]
    assert found == pytest.approx([1 / 3, 1, 3, 6])
    once = measure_values(six, metrics, copies="once", **given)
    gain = 2 / (2 + 1 / np.log2(3))
    expected = [1, 2 / 3, 1, 1, (1 + 2 / 3) / 2, gain, 2, 4]
    assert [values[0] for values in once.values()] == pytest.approx(expected, abs=1e-9)


def test_the_own_item(six: Path) -> None:
    """A query that is a leaves a2 out as well; of its two relevant items only c is one then."""
    given = {"queries": "item"}
    assert measure_values(six, "P@1 num_rel num_ret", **given) == {
        "P@1": [1], "num_rel": [2], "num_ret": [5],
    }  # fmt: skip
    once = measure_values(six, "P@1 num_rel num_ret AP", copies="once", **given)
    assert once == {"P@1": [1], "num_rel": [1], "num_ret": [3], "AP": [1]}


def test_notes_and_chip(six: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = open_once(six).query("q", ["v1"], 5, "P@1")
    noted = [(row["item_id"], *row.get("notes", ())) for row in shown.rows]
    assert noted == [("a", "copies: a2"), ("c",), ("b", "copies: b2"), ("d",)]
    assert shown.relevant == 2 and [row["hit"] for row in shown.rows] == [True, False, True, None]
    drawn = draw(six, monkeypatch, "query", collection="six", query="q", copies="once")
    assert not drawn.exception and r"Copies\: once by v1 ✕" in [each.label for each in drawn.button]
    assert drawn.query_params["copies"] == "once by v1"
    drawn = draw(six, monkeypatch, "query", collection="six", query="q", copies="counted")
    assert not drawn.exception and not drawn.error and "copies" not in drawn.query_params


def test_check(six: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Groups, "add_members", None)  # it looks at all items, for each group
    (row,) = check(six)
    assert row == ("note", "2 groups of near-duplicates, 4 items (a = a2, b = b2)")


def test_what_a_team_states_wins(tmp_path: Path) -> None:
    folder = write_six(tmp_path, "item_id,copy_of\na,\na2,\nc,d\nb,gone\nb2,c\nd,\n")
    assert name_groups(folder) == [["c", "b2", "d"]]
    warning, note = check(folder)
    assert warning == ("warning", "1 cells of copy_of that name no item (gone)")
    assert note == ("note", "1 groups of near-duplicates, 3 items (c = b2 = d)")


def test_one_version_defines_the_groups(six: Path) -> None:
    """A further version, which tells b and b2 apart, changes nothing; it can be named."""
    before = measure_values(six, "P@3 AP", copies="once", queries="text")
    (six / "runs").mkdir()
    (six / "runs" / "r.trec").write_text("q Q0 b2 1 2 t\nq Q0 a2 2 1 t\nq Q0 a 3 0 t\n")
    add_version(six, "v2", [*list(ITEMS.values())[:4], [0, 0, 1], ITEMS["d"]])
    (six / "collection.toml").write_text(f'{SETTINGS}default_baseline = "v1"\n')
    add_version(six, "a0", [[0, 1, 0], *list(ITEMS.values())[1:]])
    assert measure_values(six, "P@3 AP", copies="once", queries="text") == before
    assert name_groups(six) == [["a", "a2"], ["b", "b2"]]
    assert measure_values(six, "num_ret", copies="once by v2", queries="text") == {"num_ret": [5]}
    (found,) = open_once(six).measure(["r"], "P@1 P@2 num_ret")
    assert found.values[:, 0].tolist() == [1, 1, 2]


def add_version(folder: Path, name: str, vectors: Any) -> None:
    (folder / "models" / name).mkdir()
    for stem, ids, rows in (("items", ITEMS, vectors), ("queries", ["q"], np.ones((1, 3)))):
        np.save(folder / "models" / name / f"{stem}.npy", np.array(rows, dtype=float))
        (folder / "models" / name / f"{stem}.txt").write_text("\n".join(ids))


def test_identical_files(tmp_path: Path) -> None:
    """C and d are files with the same content; b is another part of the file that a is."""
    rows = ["a,a.mp4,", "a2,b.mp4,", "c,c.mp4,", "b,a.mp4,2", "b2,,", "d,d.mp4,"]
    table = "item_id,file,span_start\n" + "".join(f"{row}\n" for row in rows)
    folder = write_six(tmp_path, table, {"a": [1.0, 0, 0], "c": [0, 1, 0], "d": [0, 0, 1]})
    (folder / "media").mkdir()
    for name, content in (("a", b"1"), ("b", b"222"), ("c", b"333"), ("d", b"333")):
        (folder / "media" / f"{name}.mp4").write_bytes(content)
    assert name_groups(folder) == [["c", "d"]]


def test_a_query_that_is_a_picture_with_a_text(tmp_path: Path) -> None:
    """A copy of its picture can be what it asks for; the picture itself cannot."""
    folder = write_world(
        tmp_path / "data" / "three", SETTINGS, "item_id\na\nb\nc\n",
        "query_id,text,image\nq,the same by night,a\n",
        {"a": [1.0, 0], "b": [1.0, 0], "c": [0.0, 1]}, {"q": [1.0, 0.1]}, "q 0 b 1\n",
    )  # fmt: skip
    found = measure_values(folder, "P@1 num_ret num_rel", copies="once", queries="all")
    assert found == {"P@1": [1], "num_ret": [2], "num_rel": [1]}


def test_values(six: Path) -> None:
    for folder, words, said in (
        (six, ("--copies", "left_out"), "There are: counted, once by v1."),
        ("openmoji_captions", ("--copies", "once"), "left out under the protocol crossmodal"),
        (six, ("--threshold", "0.7"), "six has no keywords, so no words are mapped"),
    ):
        code, _, errors = call("measure", folder, *words)
        assert code == 2 and said in errors


def test_corrected_labels_count_once(six: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A grade that somebody gave a copy is its group's: merging follows all amendments."""
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(six.parent / "said"))
    collection = open_collection(six)
    save_verdict(collection, Verdict(author="eva", query_id="q", item_id="b2", value="2"))
    merged = open_world(six, copies="once", labels="corrected").judgement
    place = collection.items.index
    assert find_relevant(merged, 0).tolist() == [place["a"], place["b"]]
    assert merged.grades(0)[place["b"]] == 2


@pytest.mark.parametrize("seed", range(30))
def test_beside_a_slow_computation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    number = int(rng.integers(1, 14))
    first = np.arange(number)
    for item in range(number):
        if rng.random() < 0.5:
            first[item] = first[rng.integers(0, item + 1)]
    members = np.flatnonzero(np.bincount(first, minlength=number)[first] > 1)
    groups = Groups(first, members, np.array([-1]), np.array([False]))
    items, scores = rng.permutation(number), -np.sort(-rng.integers(0, 4, number) / 4)
    left_out = rng.integers(0, number, rng.integers(0, 2))
    wanted, depth, least = rng.integers(0, number, 2), int(rng.integers(0, 6)), 0.5
    kept: list[tuple[int, float]] = []
    for item, score in zip(items.tolist(), scores.tolist(), strict=True):
        if item not in left_out and first[item] not in [each for each, _ in kept]:
            kept.append((int(first[item]), score))
    slow = SortedRanking(np.array([i for i, _ in kept], int), np.array([s for _, s in kept], float))
    expected = slow.find(depth, first[wanted], least)
    found = MergedRanking(SortedRanking(items, scores), groups, left_out).find(depth, wanted, least)
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one, other)
