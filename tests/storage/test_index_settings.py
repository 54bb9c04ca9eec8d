"""The table `index` of a `model.toml`: what is taken, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dashboard.storage.collection.collection import Collection, open_collection
from dashboard.tables import DataError
from tests.storage.tiny import make_collection


def opened(folder: Path, table: str, items: int = 4) -> Collection:
    make_collection(folder)
    described = folder / "models" / "v0.2" / "model.toml"
    described.write_text(described.read_text() + "\n" + table)
    return open_collection(folder, allow_path=True)


def test_without_the_table_search_is_exact(tmp_path: Path) -> None:
    assert opened(tmp_path / "a", "").models["v0.2"].index is None
    assert opened(tmp_path / "b", '[index]\nkind = "exact"\n').models["v0.2"].index is None


def test_an_index_is_in_words_with_its_parameters(tmp_path: Path) -> None:
    index = (
        opened(tmp_path / "a", '[index]\nkind = "hnsw"\nM = 8\ndepth = 50\n').models["v0.2"].index
    )
    assert index is not None
    assert str(index) == "hnsw (M = 8, ef_construction = 200, ef_search = 64)"
    assert index.depth == 50


def test_each_setting_of_an_index_is_another_state_of_the_version(tmp_path: Path) -> None:
    tables = [
        "",
        '[index]\nkind = "hnsw"\n',
        '[index]\nkind = "hnsw"\ndepth = 99\n',
        '[index]\nkind = "hnsw"\nef_search = 65\n',
        '[index]\nkind = "sq8"\n',
    ]
    opened_all = [opened(tmp_path / str(number), table) for number, table in enumerate(tables)]
    assert len({each.models["v0.2"].digest for each in opened_all}) == len(tables)
    assert len({each.digest for each in opened_all}) == len(tables)
    assert len({each.models["v0.1"].digest for each in opened_all}) == 1


# after 'encoder', 'dimension' and an empty line, [index] stands in line 4
REFUSED = {
    "kind of no index": ('kind = "hsnw"', 5, "one of exact, hnsw, ivf, sq8, pq", 'kind = "hnsw"'),
    "kind of no text": ("kind = 3", 5, "wanted text", 'Write kind = "exact"'),
    "depth too deep": ('kind = "hnsw"\ndepth = 20000', 6, "1 to 16,384", "Write depth = 16384"),
    "depth of nothing": ('kind = "hnsw"\ndepth = 0', 6, "1 to 16,384", "Write depth = 1"),
    "depth in words": ('kind = "hnsw"\ndepth = "all"', 6, "1 to 16,384", "Write depth = 100"),
    "a yes for a number": ('kind = "hnsw"\nM = true', 6, "2 to 2,048", "Write M = 16"),
    "another kind's": ('kind = "hnsw"\n\nnlist = 4', 7, "(M, ef_construction", "Remove the line"),
    "more cells than items": ('kind = "ivf"\nnlist = 5', 6, "at most 4", "Remove the line"),
    "parts that do not divide": ('kind = "pq"\npq_m = 3', 6, "the dimension, 8", "Write pq_m = 2"),
    "more parts than numbers": ('kind = "pq"\npq_m = 99', 6, "dimension, 8", "Write pq_m = 8"),
    "codes for too few": ('kind = "pq"', 4, "2 to the power of it", 'Write kind = "exact"'),
    "an odd name": (
        'kind = "ivf"\nserver = "http://localhost:19530"\ncollection = "a;b"', 7, "letters", "Such"
    ),
    "no such kind there": (
        'kind = "pq"\nserver = "http://localhost:19530"', 5, "on a server", "Write kind"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_used_is_refused_with_its_line_and_what_to_write(
    tmp_path: Path, case: str
) -> None:
    table, line, wanted, cure = REFUSED[case]
    collection = opened(tmp_path / "tiny", f"[index]\n{table}\n")
    problem = collection.broken["v0.2"]
    assert (problem.file, problem.line) == ("models/v0.2/model.toml", line)
    assert wanted in str(problem)
    assert cure in problem.cure
    assert "v0.1" in collection.models


def test_hash_codes_have_no_index(tmp_path: Path) -> None:
    folder = make_collection(tmp_path / "tiny")
    place = folder / "models" / "v0.2"
    for stem in ("items", "queries"):
        codes = np.sign(np.load(place / f"{stem}.npy")).astype("int8")
        np.save(place / f"{stem}.npy", codes)
    (place / "model.toml").write_text('[index]\nkind = "hnsw"\n')
    problem = open_collection(folder, allow_path=True).broken["v0.2"]
    assert isinstance(problem, DataError)
    assert "hash codes are searched exactly" in str(problem)
