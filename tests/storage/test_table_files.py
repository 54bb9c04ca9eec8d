"""One file for each table: never two, never one that only looks like it."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from dashboard.storage.collection import collection, shelf
from dashboard.storage.collection.collection import Collection, open_collection
from dashboard.tables import DataError

QRELS = "query_id,item_id,grade\nq1,v00,1\n"


def opened(folder: Path) -> Collection:
    return open_collection(folder, allow_path=True)


def said(folder: Path) -> list[tuple[str, str, str]]:
    table = opened(folder).findings
    return list(zip(table["level"], table["file"], table["found"], strict=True))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("qrels.csv", "qrels.txt"),
        ("qrels.trec", "qrels.txt.gz"),
        ("unified_annotation.csv", "unified_annotation.parquet"),
        ("queries.csv", "queries.csv.gz"),
        ("queries.csv", "queries.jsonl"),
    ],
)
def test_two_files_of_one_table_are_an_error_that_names_both(
    one: str, other: str, tiny: Path
) -> None:
    for name in (one, other):
        if not (tiny / name).exists():
            (tiny / name).write_text(QRELS)
    found = opened(tiny)
    assert ("error", one, f"{one} and {other}") in said(tiny)
    with pytest.raises(DataError, match="one of them"):
        found.check_evidence()


def test_two_galleries_are_no_collection(tiny: Path) -> None:
    shutil.copy(tiny / "items.csv", tiny / "items.jsonl")
    with pytest.raises(DataError, match=r"items\.csv and items\.jsonl"):
        opened(tiny)


def test_the_shelf_of_collections_says_so_too(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collection, "COLLECTIONS", tiny.parent)
    before = shelf.state("tiny")
    shutil.copy(tiny / "queries.csv", tiny / "queries.jsonl")
    assert shelf.state("tiny") != before
    assert "queries.csv and queries.jsonl" in shelf.shelved("tiny").problem


def test_two_files_of_a_models_vectors_leave_it_out(tiny: Path) -> None:
    place = tiny / "models" / "v0.1"
    np.savez(place / "items.npz", a=np.load(place / "items.npy"))
    found = opened(tiny)
    assert list(found.models) == ["v0.2"]
    assert ("error", "models/v0.1/items.npy", "items.npy and items.npz") in said(tiny)


@pytest.mark.parametrize(
    "name",
    ["qrels.bak", "qrels.csv.bak", "qrels.old.csv", "qrels.csv~", "queries.xlsx", "items.csv.orig"],
)
def test_what_only_looks_like_a_table_is_left_alone_and_said(name: str, tiny: Path) -> None:
    before = opened(tiny)
    (tiny / name).write_text("not what anybody wants to read")
    after = opened(tiny)
    assert after.digest == before.digest and after.qrels is None and not after.refused
    assert ("note", name, "a file of another kind") in said(tiny)


@pytest.mark.parametrize(
    "name", ["qrels.CSV", "qrels.txt", "qrels.tsv", "qrels.qrels", "qrels.csv"]
)
def test_every_format_of_judgements_is_read(name: str, tiny: Path) -> None:
    cells = [line.split(",") for line in QRELS.splitlines()]
    text = QRELS
    if not name.lower().endswith("csv"):
        blank = "\t" if name.endswith("tsv") else " "
        text = "q1 0 v00 1\n" if blank == " " else "\n".join(map(blank.join, cells))
    (tiny / name).write_text(text)
    qrels = opened(tiny).qrels
    assert qrels is not None and qrels["item_id"].tolist() == ["v00"]
