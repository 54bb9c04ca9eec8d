"""The declared files: their examples open as one collection, and `check` says all that is missing
at once, in order, with them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dashboard.experiment.collection.checking import check
from dashboard.storage.collection.collection import open_collection
from dashboard.storage.collection.declared_files import FILES, example_of
from dashboard.storage.lists.lists import read_lists
from dashboard.storage.runs.run_record import read_record
from dashboard.storage.runs.similarities import read_similarities
from dashboard.tables import Findings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The collection of all examples."""
    for each in FILES:
        path = tmp_path / each.name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".npy":
            subprocess.run([sys.executable, "-c", each.example], cwd=tmp_path, check=True)
        else:
            path.write_text(each.example, encoding="utf-8")
    (tmp_path / "media").mkdir()
    for name in ("a", "b"):
        Image.new("RGB", (4, 4)).save(tmp_path / "media" / f"{name}.jpg")
    np.save(tmp_path / "models" / "v1" / "queries.npy", np.eye(2, dtype="float32")[:1])
    (tmp_path / "models" / "v1" / "queries.txt").write_text("q1\n")
    return tmp_path


def test_the_examples_are_a_whole_collection(folder: Path) -> None:
    collection = open_collection(folder, allow_path=True)
    levels = collection.findings[collection.findings["level"] == "error"]
    assert levels.empty and not collection.refused, collection.findings
    assert (len(collection.items), len(collection.queries)) == (2, 2)
    assert set(collection.keywords["keyword"]) == {"car", "tram", "urban", "rainy"}
    assert collection.vocabulary.set_index("keyword").loc["car", "words"] == ("vehicle",)
    assert collection.query_keywords["keyword"].tolist() == ["car"]
    assert collection.qrels is not None and len(collection.qrels) == 1
    assert collection.versions == ("v1", "v2", "v3")
    record = read_record(folder / "runs" / "v2.csv")
    assert record is not None and (record.answered, record.p95_ms) == (2, 4.2)
    matrix = read_similarities(folder / "runs" / "v3.npy", "runs/v3.npy", Findings())
    assert matrix.values[:1].tolist() == [[0.9, 0.2]]
    assert collection.models["v1"].note == "the first training"
    seen = read_lists(collection)
    assert seen is not None and not (seen.findings["level"] == "error").any()


@pytest.mark.parametrize("each", [each for each in FILES if each.table], ids=lambda each: each.name)
def test_an_example_has_every_needed_column(each) -> None:
    there = each.example.splitlines()[0].split(",")
    names = [name for name, *_ in each.columns()]
    needed = [name for name, _, must, _ in each.columns() if must]
    if each.name != "unified_annotation.csv":
        assert set(needed) <= set(there) <= set(names)


def test_check_says_at_once_all_that_is_missing_in_order(tmp_path: Path) -> None:
    (tmp_path / "collection.toml").touch()
    findings = check(str(tmp_path))
    files = ["items.csv", "unified_annotation.csv", "queries.csv", "models"]
    assert findings["file"].tolist() == files
    for name, wanted in zip(files[:3], findings["wanted"], strict=False):
        assert example_of(name) in wanted


def test_check_warns_where_nothing_judges(folder: Path) -> None:
    (folder / "collection.toml").write_text('protocols = ["context"]\n')
    for name in ("qrels.csv", "relevance.csv", "unified_annotation.csv"):
        assert "no query with a value" not in str(check(str(folder))["found"].tolist())
        (folder / name).unlink()
    for name in ("lists.csv", "satisfaction.csv"):
        (folder / name).unlink()
    findings = check(str(folder))
    (row,) = findings[findings["file"] == "qrels.csv"].to_dict("records")
    assert row["level"] == "warning" and "no query with a value under context" in row["found"]


def test_judgements_and_runs_name_items_and_queries(tmp_path: Path) -> None:
    (tmp_path / "collection.toml").write_text('protocols = ["trec"]\n')
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    (tmp_path / "runs").mkdir()
    for version in ("v1", "v2"):
        (tmp_path / "runs" / f"{version}.trec").write_text("q1 Q0 d3 1 0.5 x\n")
    collection = open_collection(tmp_path, allow_path=True)
    assert collection.items["item_id"].tolist() == ["d1", "d2", "d3"]
    assert collection.queries["text"].tolist() == ["q1", "q2"]
    findings = check(str(tmp_path))
    assert set(findings["level"]) == {"note"}, "lists of ids are not warned of pictures"
