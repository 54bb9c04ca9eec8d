"""`python -m dashboard index`: indexes are built beforehand, and what they cost is a table."""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dashboard.__main__ import main

DATA = Path(__file__).parents[1] / "data"
AWAY = shutil.ignore_patterns("media", "posters", "networks")


def copy_of_driving(place: Path) -> Path:
    """The collection without its pictures."""
    return Path(shutil.copytree(DATA / "driving", place / "driving", ignore=AWAY))


def give_index(folder: Path, settings: str, version: str = "v0.2") -> None:
    with (folder / "models" / version / "model.toml").open("a") as described:
        described.write(f"\n[index]\n{settings}\n")


@pytest.fixture(scope="module")
def driving(tmp_path_factory) -> str:
    folder = copy_of_driving(tmp_path_factory.mktemp("indexed"))
    give_index(folder, 'kind = "ivf"\nnprobe = 2\ndepth = 20')
    return str(folder)


def rows(capsys, *arguments: str) -> list[dict[str, object]]:
    assert main(["index", *arguments, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_an_index_is_built_and_said_to_be(driving: str, capsys) -> None:
    (row,) = rows(capsys, driving)
    assert (row["version"], row["index"], row["depth"]) == ("v0.2", "ivf (nprobe = 2)", 20)
    assert row["items"] == 190 and row["megabytes"] > 0


FIXED = {"index", "k", "recall", "low", "high", "p50_ms", "p95_ms", "bytes", "build_s"}


def test_what_an_index_costs_is_a_row_for_each_k_it_answers(driving: str, capsys) -> None:
    found = rows(capsys, driving, "--evaluate", "--version", "v0.2")
    assert [row["k"] for row in found] == [1, 10]  # it answers 20
    assert all(set(row) >= FIXED for row in found) and "part" not in found[0]
    row = found[1]
    assert (row["version"], row["index"]) == ("v0.2", "ivf (nprobe = 2)")
    assert 0.3 < row["low"] < row["recall"] < row["high"] < 1
    assert 0 < row["alone_p50_ms"] < row["p50_ms"] <= row["p95_ms"]
    assert row["vectors_bytes"] == 190 * 128 * 4 < row["bytes"] and row["build_s"] > 0


def test_parts_of_a_difference_are_rows_of_their_own(driving: str, capsys) -> None:
    found = rows(capsys, driving, "--evaluate", "--baseline", "v0.1", "--metrics", "P@5 AP")
    assert [row["k"] for row in found] == [1, 10] + 8 * [None]
    value = {(row["metric"], row["part"]): row["value"] for row in found[2:]}
    parts = [value["P", part] for part in ("model", "index of the candidate")]
    assert value["P", "difference"] == pytest.approx(sum(parts))
    assert value["P", "index of the baseline"] == 0
    assert value["AP", "difference"] is None
    assert {(row["baseline"], row["version"]) for row in found[2:]} == {("v0.1", "v0.2")}


def test_a_sample_says_how_many_of_all_queries_it_has(driving: str, capsys) -> None:
    found = rows(capsys, driving, "--evaluate", "--sample", "20")
    assert found[0]["queries"] <= 20 and found[0]["total"] == 113


def test_a_collection_without_an_index_says_what_to_write(capsys) -> None:
    assert main(["index", "driving"]) == 2
    assert "no version has an index; write" in capsys.readouterr().err
    assert main(["index", "driving", "--version", "v0.1"]) == 2
    assert "v0.1 has no index; write" in capsys.readouterr().err
    assert main(["index", "driving", "--version", "v9"]) == 2
    assert "--version: no version 'v9'; there are v0.1, v0.2, v0.3" in capsys.readouterr().err


def test_a_version_whose_index_cannot_be_is_refused_with_the_reason(tmp_path: Path, capsys) -> None:
    folder = copy_of_driving(tmp_path)
    give_index(folder, 'kind = "pq"\npq_m = 7')
    for further in ([], ["--to", "http://127.0.0.1:9"]):
        assert main(["index", str(folder), "--version", "v0.2", *further]) == 2
        last = capsys.readouterr().err.strip().splitlines()[-1]
        assert "index.pq_m = 7; wanted a number that divides the dimension, 128" in last


def test_vectors_are_copied_to_a_server_and_searched_there(
    tmp_path: Path, capsys, monkeypatch
) -> None:
    pytest.importorskip("milvus_lite", reason="pip install pymilvus milvus-lite")
    folder, address = copy_of_driving(tmp_path), str(tmp_path / "lite.db")
    monkeypatch.setenv("DASHBOARD_MILVUS", address)
    (row,) = rows(capsys, str(folder), "--version", "v0.2", "--to", address)
    assert row["collection"] == "c_driving_v0_2"
    assert (row["rows"], row["copied"], row["checked"]) == (190, 190, 190)
    give_index(folder, f'server = "{address}"')
    call = ["measure", "--queries", "all", "--metrics", "P@5 nDCG@10 AP", "--format", "json"]
    assert main([*call, str(folder)]) == 0
    there = json.loads(capsys.readouterr().out)
    assert main([*call, str(DATA / "driving")]) == 0
    here = json.loads(capsys.readouterr().out)
    for one, other in zip(there, here, strict=True):
        known = one["run"] != "v0.2" or one["metric"] != "AP"
        assert one == (other if known else other | {"mean": None, "scored": 0})


def test_a_version_on_a_server_says_how_its_index_is_built(tmp_path: Path, capsys) -> None:
    folder = copy_of_driving(tmp_path)
    give_index(folder, 'server = "http://127.0.0.1:9"', "v0.1")
    give_index(folder, 'kind = "sq8"')
    assert main(["index", str(folder)]) == 0
    err = capsys.readouterr().err
    assert "v0.1: nothing was built" in err and "--version v0.1 --to ADDRESS" in err
    assert "v0.2: nothing" not in err


def test_a_file_that_another_process_has_open_is_a_sentence_and_others_are_measured(
    tmp_path: Path, capsys, monkeypatch
) -> None:
    pytest.importorskip("milvus_lite", reason="pip install pymilvus milvus-lite")
    folder, address = copy_of_driving(tmp_path), str(tmp_path / "lite.db")
    monkeypatch.setenv("DASHBOARD_MILVUS", address)
    monkeypatch.setenv("DASHBOARD_CACHE", str(tmp_path / "cache"))
    copied = [sys.executable, "-m", "dashboard", "index", str(folder), "--version", "v0.2"]
    subprocess.run([*copied, "--to", address], check=True, capture_output=True)
    give_index(folder, f'server = "{address}"')
    measure = [sys.executable, "-m", "dashboard", "measure", str(folder), "--metrics", "P@5"]
    subprocess.run(measure, check=True, capture_output=True)  # so its numbers are remembered
    with (Path(address) / "LOCK").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ended = subprocess.run(measure, check=False, capture_output=True, text=True)
    assert ended.returncode == 2
    assert [line[:4] for line in ended.stdout.splitlines()] == ["run ", "v0.1", "v0.3"]
    (complaint,) = [line for line in ended.stderr.splitlines() if "lite.db" in line]
    assert "another process may have it open; wanted one process at a time" in complaint
    assert "Traceback" not in ended.stderr


def test_a_copy_names_its_version(driving: str, capsys) -> None:
    assert main(["index", driving, "--to", "http://127.0.0.1:9"]) == 2
    assert "--version V" in capsys.readouterr().err
