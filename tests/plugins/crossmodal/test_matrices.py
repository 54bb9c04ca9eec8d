"""Matrices of similarities as versions: both directions, what rows are, and what is refused."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dashboard.storage.collection import open_collection
from dashboard.study.new_query import search
from tests.plugins.crossmodal.test_crossmodal import write
from tests.plugins.worlds import open_world

ITEMS = (
    "item_id,file,kind,caption\np1,p1.png,image,\np2,p2.png,image,\n"
    "t1,,text,red\nt2,,text,blue\nt3,,text,sky\n"
)
MATRIX = np.array([[0.9, 0.8, 0.1], [0.2, 0.7, 0.6]])
"""Pictures by texts; t1 belongs to p1, t2 and t3 to p2."""
METRICS = "i2t_R@1 t2i_R@1"
VALUES = {"i2t_R@1": [1, 1, None, None, None], "t2i_R@1": [None, None, 1, 0, 1]}


def write_matrix(folder: Path, matrix: np.ndarray, rows: str = "", columns: str = "") -> Path:
    if not folder.is_dir():
        write(folder, items=ITEMS)
    (folder / "runs").mkdir(exist_ok=True)
    np.save(folder / "runs" / "m.npy", matrix)
    for axis, ids in (("rows", rows), ("columns", columns)):
        if ids:
            (folder / "runs" / f"m.{axis}.txt").write_text("\n".join(ids.split()))
    return folder


def measure(folder: Path) -> dict[str, list[float | None]]:
    study = open_world(folder)
    assert not study.collection.broken, study.collection.broken
    (found,) = study.measure(["m"], METRICS)
    values = [[None if v != v else v for v in row] for row in found.values.tolist()]
    return {str(each): row for each, row in zip(found.measures, values, strict=True)}


@pytest.mark.parametrize("dtype", ["f2", "f8"])
@pytest.mark.parametrize(
    ("turn", "sides"),
    [(np.ascontiguousarray, "items × texts"), (np.asfortranarray, "items × texts"),
     (np.transpose, "texts × items")],
)  # fmt: skip
def test_one_matrix_serves_both_directions(
    tmp_path: Path, turn: Callable[[np.ndarray], np.ndarray], sides: str, dtype: str
) -> None:
    """Both pictures find a text first; t1 finds p1 and t3 p2, t2 the wrong one."""
    folder = write_matrix(tmp_path / "w", turn(MATRIX.astype(dtype)))
    assert measure(folder) == VALUES
    (said,) = [f for f in open_collection(folder).findings if f.file == "runs/m.npy"]
    assert said.level == "note" and sides in said.wanted


def test_a_matrix_of_texts_that_are_no_items(tmp_path: Path) -> None:
    """Pictures can find none of them, and are not run; texts find their pictures."""
    values = measure(write_matrix(write(tmp_path / "w"), MATRIX, "p1 p2", "s1 s2 s3"))
    assert values == {**VALUES, "i2t_R@1": [None] * 5}


def test_texts_with_the_same_words_are_told_by_their_pictures(tmp_path: Path) -> None:
    """The queries of t1 and t2 say the same, and stand in the other order than their texts."""
    folder = tmp_path / "w"
    items = ITEMS.replace("blue", "red")
    queries = "query_id,text,item_id\ni1,,p1\ni2,,p2\ns2,red,\ns1,red,\ns3,sky,\n"
    write(folder, items=items, queries=queries)
    write_matrix(folder, MATRIX)
    assert measure(folder)["t2i_R@1"] == [None, None, 0, 1, 1]  # of s2, s1 and s3


@pytest.mark.parametrize(
    ("rows", "columns"),
    [("p2 p1", "t3 t2 t1"), ("i2 i1", "s3 s2 s1"), ("t3 t2 t1", "p2 p1"), ("s3 s2 s1", "i2 p1")],
)
def test_ids_of_items_or_queries_beside(tmp_path: Path, rows: str, columns: str) -> None:
    matrix = MATRIX[::-1, ::-1]
    folder = write_matrix(
        tmp_path / "w", matrix.T if len(columns.split()) == 2 else matrix, rows, columns
    )
    assert measure(folder) == VALUES


def test_a_square_matrix_needs_a_statement(tmp_path: Path) -> None:
    """Rows as pictures: p2 finds t1, wrongly; columns as pictures: p2 finds t2."""
    folder = write(tmp_path / "w", items=ITEMS.replace("t3,,text,sky\n", ""))
    write_matrix(folder, np.array([[0.9, 0.1], [0.8, 0.7]]))
    error = open_collection(folder).broken["m"]
    assert str(error).startswith("runs/m.npy: found the shape (2, 2) without ids, which is items")
    assert 'matrix_rows = "item" or matrix_rows = "text" in collection.toml' in str(error)
    assert "runs/m.rows.txt" in str(error)
    for rows, found in (("item", 0), ("text", 1)):
        settings = f'protocols = ["crossmodal"]\nmatrix_rows = "{rows}"\n'
        (folder / "collection.toml").write_text(settings)
        assert measure(folder)["i2t_R@1"] == [1, found, None, None, None]


@pytest.mark.parametrize(
    ("matrix", "rows", "columns", "said"),
    [
        (MATRIX * [[1], [np.nan]], "", "", "found nan in row 1, column 0 (from 0); expected finit"),
        (np.zeros((2, 4)), "", "", "found the shape (2, 4) without ids; expected (2, 3), items ×"),
        (np.zeros(6), "", "", "found the shape (6,); expected rows and columns"),
        (
            MATRIX,
            "p1 p2",
            "",
            "runs/m.columns.txt: found no such file; expected the ids of runs/m.npy",
        ),
        (MATRIX, "t1 t2 t3", "p1 p2", "found 2 rows and 3 ids in runs/m.rows.txt"),
        (
            MATRIX,
            "p1 p1",
            "t1 t2 t3",
            "m.rows.txt, line 2: found the id 'p1' a second time (first in line 1)",
        ),
        (MATRIX, "a b", "c d e", "found no query of the collection in rows or columns"),
    ],
)
def test_what_is_refused(
    tmp_path: Path, matrix: np.ndarray, rows: str, columns: str, said: str
) -> None:
    collection = open_collection(write_matrix(tmp_path / "w", matrix, rows, columns))
    assert list(collection.broken) == ["m"] and list(collection.versions) == ["v1"]
    assert said in str(collection.broken["m"])


def test_unknown_ids_are_left_out_and_said(tmp_path: Path) -> None:
    matrix = np.vstack([MATRIX, np.ones(3)])
    folder = write_matrix(tmp_path / "w", matrix, "p1 p2 p3", "t1 t2 t3")
    assert measure(folder) == VALUES
    (said,) = [f for f in open_collection(folder).findings if f.file == "runs/m.npy"]
    assert said.found == "1 rows that are no items (p3)"


def test_equal_scores_keep_gallery_order_or_are_by_id(tmp_path: Path) -> None:
    folder = write_matrix(tmp_path / "w", np.zeros((2, 3)), "p2 p1", "t3 t1 t2")
    rows = open_world(folder).query("i1", ["m"], 9).rows
    assert [row["item_id"] for row in rows] == ["t1", "t2", "t3"]
    rows = open_world(folder, protocol="trec", queries="all").query("i1", ["m"], 9).rows
    assert [row["item_id"] for row in rows] == ["t3", "t2", "t1"]


def test_a_query_that_the_matrix_or_the_collection_lacks(tmp_path: Path) -> None:
    folder = write_matrix(tmp_path / "w", MATRIX[:, 1:], "p1 p2", "t2 t3")
    assert measure(folder)["t2i_R@1"] == [None, None, None, 0, 1]
    result = open_world(folder).query("s1", ["m"])
    assert result.problems == {"m": "m has no row or column of this query"}
    folder = write_matrix(tmp_path / "all", MATRIX)
    (folder / "queries.csv").write_text("query_id,text,item_id\ni1,,p1\ns1,red,\n")
    rows = search(open_world(folder), ["m"], item="p2").rows
    assert [row["item_id"] for row in rows] == ["t2", "t3", "t1"]
