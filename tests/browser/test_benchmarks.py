"""The benchmarks that drive a browser run the way their docstrings say, with few steps and without
the text model, whose part tests/retrieval/test_keywords.py runs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.browser.conftest import NO_TEXT_MODEL, REPOSITORY, chromium

STORED = "cyclist entering ego lane"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "few", "said"),
    [
        ("bench_screens", ["--rounds", "1", "--text", STORED], "memory after the search"),
        ("bench_review", ["--views", "4", "--rest", "0"], "grew by"),
        (
            "bench_load",
            ["--judging", "--readers", "1", "--browsers", "1", "--steps", "2", "--think", "0"],
            "0 faults []; 2 acknowledged, 2 of them stored\n1 in Chromium, 2 saves",
        ),
    ],
)
def test_a_benchmark_runs_as_its_docstring_says(name, few, said, browser) -> None:
    plain = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    plain |= {"CHROMIUM": chromium() or "", **NO_TEXT_MODEL}
    command = [sys.executable, "-m", f"tests.benchmarks.{name}", *few]
    done = subprocess.run(command, cwd=REPOSITORY, env=plain, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
