"""The real Milvus server 2.3.5, in a network namespace of its own, for it listens everywhere.

It is skipped where such a namespace, or the server, is not to be had. To have it:
`python -m venv V`, `V/bin/pip install milvus==2.3.5 setuptools`, and MILVUS_PYTHON=V/bin/python.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECONDS = 240  # a minute on a quiet machine

pytestmark = pytest.mark.slow


def reason_to_skip() -> str:
    python = os.environ.get("MILVUS_PYTHON", "")
    if not python:
        return "MILVUS_PYTHON names no Python with the server: pip install milvus==2.3.5 setuptools"
    if not shutil.which("unshare"):
        return "no program unshare, which makes a network namespace"
    made = subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False)
    if made.returncode:
        return "no network namespace may be made here"
    there = subprocess.run([python, "-c", "import milvus"], capture_output=True, check=False)
    return f"{python} has no package milvus" if there.returncode else ""


def test_a_real_server_that_is_away_slow_killed_and_started_again(tmp_path: Path) -> None:
    if reason := reason_to_skip():
        pytest.skip(reason)
    call = [sys.executable, "-m", "tests.retrieval.milvus_server"]
    done = subprocess.run(
        ["unshare", "--net", *call, os.environ["MILVUS_PYTHON"], str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    steps = {row["step"]: row["of"] for row in map(json.loads, done.stdout.splitlines())}
    assert not done.returncode, f"{steps}\n{done.stderr[-2_000:]}"
    assert "no server that answers" in steps["not there"]
    assert "no such collection" in steps["no collection"]
    assert "Type: python -m dashboard index tiny --version v0.2 --to" in steps["no collection"]
    assert steps["copied"] == 400
    assert steps["lists"] is True  # those of exact search, scores and order to the last bit
    assert steps["hnsw"] > 0.8 and steps["deep"] is True
    assert steps["found by the index alone"] < 0.8
    assert "found the index M = 2, efConstruction = 2; wanted M = 16" in steps["other index"]
    assert "no answer within 4 seconds" in steps["slow"] and steps["seconds"] < 12
    assert steps["goes on"] is True
    assert "no server that answers" in steps["killed"]
    assert steps["again"] is True
