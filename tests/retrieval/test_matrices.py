"""A matrix of similarities is a run: both directions of it, with ids or in order, never guessed."""

import numpy as np
import pandas as pd
import pytest

from dashboard.__main__ import main
from dashboard.retrieval import runs
from dashboard.retrieval.comparable import unlike
from dashboard.storage.collection.collection import open_collection
from dashboard.storage.runs.runs import read_run
from dashboard.tables import DataError

PICTURES, TEXTS = ["p1", "p2", "p3"], ["a1", "a2", "b1", "c1"]
OWNER = {"a1": "p1", "a2": "p1", "b1": "p2", "c1": "p3"}
WORDS = {"a1": "a cat", "a2": "a dog", "b1": "a cat", "c1": "a bus"}
S = np.array([[0.9, 0.2, 0.9, 0.1], [0.3, 0.8, 0.7, 0.1], [0.3, 0.1, 0.2, 0.6]])


def write(folder, matrix=S, rows=None, columns=None, texts_are_items=True, name="sims"):
    """A collection of three pictures and four texts, two of which have the same words."""
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    (folder / "collection.toml").write_text('protocols = ["crossmodal"]\n')
    items = [f"{p},image," for p in PICTURES]
    items += [f"{t},text,{WORDS[t]}" for t in TEXTS] if texts_are_items else []
    (folder / "items.csv").write_text("\n".join(["item_id,kind,caption", *items]) + "\n")
    asked = [f"q_{p},,{p}" for p in PICTURES] if texts_are_items else []
    asked += [f"q_{t},{WORDS[t]}," for t in TEXTS]
    (folder / "queries.csv").write_text("\n".join(["query_id,text,item_id", *asked]) + "\n")
    right = [f"q_{p},{t},1" for t, p in OWNER.items()] if texts_are_items else []
    right += [f"q_{t},{p},1" for t, p in OWNER.items()]
    (folder / "qrels.csv").write_text("\n".join(["query_id,item_id,grade", *right]) + "\n")
    np.save(folder / f"runs/{name}.npy", matrix)
    for axis, ids in (("rows", rows), ("columns", columns)):
        if ids:
            (folder / f"runs/{name}.{axis}.txt").write_text("\n".join(ids) + "\n")
    return open_collection(folder, allow_path=True)


def lists(run):
    return {q: of["item_id"].tolist() for q, of in run.astype(str).groupby("query_id")}


ROW_1, COLUMN_1 = ["a1", "b1", "a2", "c1"], ["p1", "p2", "p3"]


def test_both_directions_come_from_one_matrix_in_the_order_of_the_items(tmp_path):
    known = write(tmp_path)
    assert known.versions == ("sims",)
    found = lists(runs.run_of(known, "sims"))
    assert len(found) == 7
    assert found["q_p1"] == ROW_1, "equal scores in the order of the gallery"
    assert found["q_a1"] == COLUMN_1 and found["q_b1"] == ["p1", "p2", "p3"]
    assert found["q_a2"] == ["p2", "p1", "p3"], "of two texts with the same words each its own"
    notes = runs.check_runs(known)
    assert "pictures × texts, in the order of items.csv" in notes["wanted"].iloc[0]


@pytest.mark.parametrize("prefix", ["", "q_"])
def test_ids_beside_it_may_be_of_items_or_of_queries_in_any_order(tmp_path, prefix):
    rows, columns = [2, 0, 1], [3, 1, 0, 2]
    plain = lists(runs.run_of(write(tmp_path / "plain"), "sims"))
    known = write(
        tmp_path / "named",
        S[rows][:, columns],
        [prefix + PICTURES[n] for n in rows],
        [prefix + TEXTS[n] for n in columns],
    )
    assert known.versions == ("sims",), "files of ids are no runs"
    assert lists(runs.run_of(known, "sims")) == plain
    assert runs.check_runs(known).empty


def test_rows_and_columns_that_nobody_knows_are_left_out_and_said(tmp_path):
    known = write(tmp_path, S, ["p1", "p2", "zz"], TEXTS)
    found = lists(runs.run_of(known, "sims"))
    assert "q_p3" not in found and found["q_a1"] == ["p1", "p2"]
    assert "1 unknown id (zz)" in runs.check_runs(known)["found"].iloc[0]


def test_texts_that_only_ask_are_columns_and_queries_times_items_is_a_run(tmp_path):
    only = write(tmp_path / "one", texts_are_items=False)
    assert lists(runs.run_of(only, "sims"))["q_a2"] == ["p2", "p1", "p3"]
    turned = write(tmp_path / "two", S.T, texts_are_items=False)
    assert lists(runs.run_of(turned, "sims"))["q_a2"] == ["p2", "p1", "p3"]


BAD = {
    "turned": (S.T, "found the shape (4, 3); wanted (3, 4): pictures × texts"),
    "NaN": (np.where(S == 0.6, np.nan, S), "found nan in row 2, column 3 (from 0); wanted finite"),
    "infinite": (np.where(S == 0.6, -np.inf, S), "found -inf in row 2, column 3"),
    "flat": (S.ravel(), "found the shape (12,); wanted rows and columns"),
    "cube": (S[None], "found the shape (1, 3, 4)"),
    "empty": (np.empty((0, 4)), "found the shape (0, 4)"),
    "text": (S.astype("U4"), "found values of type <U4"),
    "complex": (S.astype(complex), "found values of type complex128"),
    "objects": (S.astype(object), "nothing is unpickled"),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_matrix_of_similarities_is_refused(tmp_path, kind):
    matrix, sentence = BAD[kind]
    known = write(tmp_path, matrix)
    with pytest.raises(DataError) as refused:
        runs.run_of(known, "sims")
    assert "runs/sims.npy: found" in str(refused.value) and sentence in str(refused.value)
    found = runs.check_runs(known)
    assert found["level"].tolist() == ["error"]


def test_a_header_that_promises_more_than_the_file_holds_takes_no_memory(tmp_path):
    known = write(tmp_path)
    path = tmp_path / "runs/sims.npy"
    np.lib.format.open_memmap(path, "w+", "float64", (3, 4))[:] = S
    path.write_bytes(path.read_bytes().replace(b"(3, 4)", b"(9999999, 99999999)"))
    with pytest.raises(DataError, match="no complete array"):
        runs.run_of(known, "sims")


def test_ids_that_do_not_fit_or_stand_alone_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"3 rows and 2 ids in sims\.rows\.txt"):
        runs.run_of(write(tmp_path / "few", S, ["p1", "p2"], TEXTS), "sims")
    with pytest.raises(DataError, match=r"runs/sims\.columns\.txt: found no such file"):
        runs.run_of(write(tmp_path / "half", S, PICTURES), "sims")


def test_ids_enter_the_fingerprint_and_a_long_ranking_is_cut_and_said(tmp_path, monkeypatch):
    first = write(tmp_path, S, PICTURES, TEXTS).digests["runs/sims"]
    again = write(tmp_path, S, PICTURES[::-1], TEXTS)
    assert again.digests["runs/sims"] != first
    whole = lists(runs.run_of(again, "sims"))
    monkeypatch.setattr(runs, "MOST_RESULTS", 1)
    monkeypatch.setattr(runs, "LEAST_DEPTH", 2)
    cut = runs.run_of(again, "sims")
    assert cut.attrs["cut"] == 2 and cut.attrs["whole"] == 4
    assert lists(cut) == {query: items[:2] for query, items in whole.items()}


def test_a_matrix_and_the_vectors_that_it_was_made_of_are_alike(tmp_path):
    write(tmp_path)
    model = tmp_path / "models/v1"
    model.mkdir(parents=True)
    (model / "model.toml").write_text('encoder = "none"\n')
    vectors = np.random.default_rng(0).normal(size=(7, 5)).astype("float32")
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    np.save(model / "items.npy", vectors)
    (model / "items.txt").write_text("\n".join(PICTURES + TEXTS) + "\n")
    np.save(model / "queries.npy", vectors[3:])
    (model / "queries.txt").write_text("\n".join(f"q_{t}" for t in TEXTS) + "\n")
    known = write(tmp_path, vectors[:3].astype(float) @ vectors[3:].astype(float).T)
    assert lists(runs.run_of(known, "sims")) == lists(runs.run_of(known, "v1"))
    assert unlike(known, "v1", "sims") == []


def test_plain_files_take_a_matrix_with_ids_as_the_qrels_have_them(tmp_path, capsys):
    write(tmp_path)
    qrels, path = tmp_path / "plain.csv", tmp_path / "runs/sims.npy"
    pairs = [(p, t) for t, p in OWNER.items()] + list(OWNER.items())
    qrels.write_text("query_id,item_id,grade\n" + "".join(f"{q},{i},1\n" for q, i in pairs))
    assert main(["measure", "--qrels", str(qrels), "--run", str(path)]) == 2
    assert "sims.rows.txt and sims.columns.txt, an id a line" in capsys.readouterr().err
    for axis, ids in {"rows": PICTURES, "columns": TEXTS}.items():
        (tmp_path / f"runs/sims.{axis}.txt").write_text("\n".join(ids) + "\n")
    run = read_run(path, "trec")
    assert isinstance(run, pd.DataFrame) and len(run) == 24
    assert lists(run)["p1"] == ["b1", "a1", "a2", "c1"], "ties as trec_eval has them"
    call = ["measure", "--qrels", str(qrels), "--run", str(path), "--metrics", "Success@1"]
    assert main([*call, "--by-query", "--format", "csv"]) == 0
    values = dict(row.split(",")[1::3] for row in capsys.readouterr().out.split()[1:])
    hits = {"p1": 0, "p2": 0, "p3": 1, "a1": 1, "a2": 0, "b1": 0, "c1": 1}
    assert {query: float(value) for query, value in values.items()} == hits
