"""`add` puts a version in its place whole or not at all, and a bad one is refused in a sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dashboard.__main__ import main
from dashboard.commands.collections import adding
from dashboard.experiment.collection.collections import opened_in
from tests.storage.tiny import ITEMS, TEXTS, make_collection

ROOT = Path(__file__).parents[1]


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return make_collection(tmp_path / "tiny")


def save(path: Path, rows: np.ndarray, ids: tuple[str, ...] | None = None) -> Path:
    np.save(path, rows)
    if ids is not None:
        path.with_suffix(".txt").write_text("\n".join(ids) + "\n")
    return path


def vectors(rows: int, width: int = 8, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, width)).astype("float32")


def test_added_vectors_are_a_version_with_its_record(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items, queries = save(tmp_path / "i.npy", vectors(4)), save(tmp_path / "q.npy", vectors(3))
    call = ["add", str(tiny), "--version", "v1", "--vectors", str(items), "--queries", str(queries)]
    assert main([*call, "--note", 'a "new" one \N{SNOWMAN}', "--format", "json"]) == 0
    printed = capsys.readouterr()
    rows = json.loads(printed.out)
    assert [(row["file"], row["rows"]) for row in rows] == [
        ("models/v1/items.npy", 4),
        ("models/v1/queries.npy", 3),
        ("models/v1/model.toml", None),
    ]
    assert "taken in the order of the items" in printed.err and "candidate=v1" in printed.err
    collection = opened_in(tiny)
    model = collection.models["v1"]
    assert model.note == 'a "new" one \N{SNOWMAN}' and model.items.ids == ITEMS
    assert model.queries is not None and model.queries.ids == TEXTS
    assert all(model.settings[f"{key}_digest"] for key in ("gallery", "queries", "vectors"))
    assert not (tiny / ".drafts").exists() and main(["digests", str(tiny)]) in (0, 1)


def test_ids_beside_or_inside_decide_which_row_is_whose(tiny: Path, tmp_path: Path) -> None:
    rows = vectors(4)
    turned = save(tmp_path / "turned.npy", rows[::-1], ITEMS[::-1])
    queries = save(tmp_path / "q.npy", vectors(3))
    call = ["add", str(tiny), "a", "--items", str(turned), "--queries", str(queries)]
    assert main(call) == 0
    table = pd.DataFrame({"item_id": ITEMS[::-1], "vector": list(rows[::-1])})
    table.to_parquet(tmp_path / "inside.parquet")
    call[2:5] = ["b", "--items", str(tmp_path / "inside.parquet")]
    assert main(call) == 0
    models = opened_in(tiny).models
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    for name in ("a", "b"):
        assert models[name].items.ids == ITEMS
        np.testing.assert_allclose(models[name].items.matrix, unit, atol=1e-6)


def test_the_address_of_a_new_version_names_another_as_baseline(tiny: Path) -> None:
    collection = opened_in(tiny)
    address = adding.where_to_look(collection, "service")
    assert address.endswith("/compare?v=1&collection=tiny&baseline=v0.1&candidate=service")
    first = adding.where_to_look(replace(collection, models={}), "v1")
    assert first.endswith(": http://localhost:8501/?v=1&collection=tiny")


def test_an_added_run_is_a_version(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("query_id,item_id,score\nq1,v00,2\nq2,v01,1\n")
    assert main(["add", str(tiny), "bm25", "--run", str(tmp_path / "r.csv")]) == 0
    assert "bm25" in opened_in(tiny).versions


NAN = vectors(4)
NAN[2, 3] = np.nan
BAD = [
    ("a row that is not finite", NAN, None, "NaN or infinity in row 2 (v02)"),
    ("only zeros", np.zeros((4, 8), "float32"), None, "only zeros"),
    ("too few rows", vectors(3), None, "3 vectors without ids, and 4 items"),
    ("an id twice", vectors(4), ("v00", "v01", "v01", "v03"), "'v01' again"),
    ("ids of others", vectors(2), ("x", "y"), "no vector for any of the 4 items"),
    ("fewer ids than rows", vectors(4), ("v00", "v01"), "4 vectors and 2 ids"),
    ("another width than the queries", vectors(4, 5), None, "query vectors of 8 dimensions"),
    ("one dimension", np.ones(4, "float32"), None, "the shape (4,)"),
]


@pytest.mark.parametrize(("rows", "ids", "sentence"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_vectors_are_refused_and_nothing_is_left(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], rows, ids, sentence: str
) -> None:
    items, queries = save(tmp_path / "i.npy", rows, ids), save(tmp_path / "q.npy", vectors(3))
    before = sorted(path.name for path in tiny.rglob("*"))
    assert main(["add", str(tiny), "v1", "--items", str(items), "--queries", str(queries)]) == 2
    assert sentence in capsys.readouterr().err
    assert sorted(path.name for path in tiny.rglob("*")) == before


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("v0.1", "already"),
        ("../out", "letters, digits"),
        (".hidden", "letters, digits"),
        ("", "letters, digits"),
        ("a\x1b[31m", "\\x1b"),
    ],
)
def test_a_name_that_is_taken_or_leads_elsewhere_is_refused(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, sentence: str
) -> None:
    items = save(tmp_path / "i.npy", vectors(4))
    assert main(["add", str(tiny), "--version", name, "--items", str(items)]) == 2
    error = capsys.readouterr().err
    assert sentence in error and "\x1b" not in error


@pytest.mark.parametrize(
    ("rest", "sentence"),
    [
        (["--items", "nowhere.npy"], "no such file"),
        (["--items", "pickled.pkl"], "a file '.pkl'"),
        (["--run", "nowhere.trec"], "no such file"),
        (["--run", "page.html"], "an unknown kind of file"),
        ([], "one of them"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_sentence(
    tiny: Path, capsys: pytest.CaptureFixture[str], rest: list[str], sentence: str
) -> None:
    assert main(["add", str(tiny), "v1", *rest]) == 2
    assert sentence in capsys.readouterr().err


def test_queries_without_vectors_need_a_text_model(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = save(tmp_path / "i.npy", vectors(4))
    assert main(["add", str(tiny), "v1", "--items", str(items)]) == 2
    assert "3 queries need a vector" in capsys.readouterr().err
    assert not (tiny / "models" / "v1").exists()


@pytest.mark.slow
def test_killed_at_any_moment_leaves_no_half_version(tiny: Path, tmp_path: Path) -> None:
    items, queries = save(tmp_path / "i.npy", vectors(4)), save(tmp_path / "q.npy", vectors(3))
    call = ["add", str(tiny), "v1", "--items", str(items), "--queries", str(queries)]
    loop = [sys.executable, "-m", "tests.kills", str(tiny), *call, "--format", "json"]
    every_third = {**os.environ, "KILLS_STEP": "3"}
    ended = subprocess.run(
        loop, cwd=ROOT, capture_output=True, text=True, check=True, env=every_third, timeout=400
    )
    states = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith('{"killed')]
    assert len(states) > 5 and not states[-1]["killed"]
    whole = [state for state in states if "v1" in state["there"]]
    assert whole and set(whole[0]["there"]) == {"v0.1", "v0.2", "v1"}
    assert opened_in(tiny).models["v1"].items.ids == ITEMS
    assert not opened_in(tiny).broken


@pytest.mark.parametrize("kind", ["faiss", "faiss with ids", "safetensors", "two tensors"])
def test_indexes_and_safetensors_are_added_with_the_ids_in_them(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    rows = vectors(4)
    if kind.startswith("faiss"):
        import faiss

        index, path = faiss.IndexFlatIP(8), tmp_path / "gallery.faiss"
        if kind == "faiss with ids":
            index = faiss.IndexIDMap(index)
            index.add_with_ids(rows, np.arange(4))
            path.with_suffix(".txt").write_text("\n".join(ITEMS[::-1]) + "\n")
        else:
            index.add(rows)
        faiss.write_index(index, str(path))
    else:
        from safetensors.numpy import save_file

        path = tmp_path / "gallery.safetensors"
        more = {"more": rows} if kind == "two tensors" else {}
        save_file({"gallery": rows, **more}, path)
    call = ["add", str(tiny), "v3", "--items", str(path)]
    call += ["--queries", str(save(tmp_path / "q.npy", vectors(3, seed=2), TEXTS))]
    if kind == "two tensors":
        assert main(call) == 2 and "gallery, more" in capsys.readouterr().err
        assert not (tiny / "models" / "v3").exists()
        return
    assert main(call) == 0
    stored = opened_in(tiny).models["v3"].items
    expected = rows[::-1] if kind == "faiss with ids" else rows
    unit = expected / np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.allclose(stored.rows(list(ITEMS)).matrix, unit, atol=1e-6)
