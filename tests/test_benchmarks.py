"""Every benchmark runs the way its docstring says, at a tiny size."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks import bench_load

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "tests" / "benchmarks"
TINY = {
    "bench_bombs": ["a cell of 10,000 keywords"],
    "bench_collections": ["--collections", "2"],
    "bench_crossmodal": ["--images", "40", "--turns", "1"],
    "bench_files": ["20", "20", "--turns", "1", "--ranx", ""],
    "bench_judging_order": ["--metrics", "P@1", "--seeds", "1"],
    "bench_kills": ["--kills", "1"],
    "bench_load": ["--judging", "--readers", "2", "--steps", "2", "--think", "0"],
    "bench_metrics": ["20", "5"],
    "bench_pages": ["--pages", "3", "--drawn", "1", "--after-close", "1"],
    "bench_scale": ["--items", "500", "--queries", "5", "--keywords", "--width", "8"],
    "bench_statistics": ["--experiments", "4", "--queries", "12"],
    "bench_submission": ["--gallery", "200", "--queries", "3", "--annotated", "5"],
    "oracle_table": ["--queries", "30"],
}
IN_A_BROWSER = {"bench_review", "bench_screens"}  # tests/browser/test_benchmarks.py runs them
OF_ANOTHER_PYTHON = {"peer_ranx"}  # started by bench_files in an environment that has ranx
PART = {"behind_nginx", "reviewers"}  # of bench_load; behind nginx: test_several_processes.py, too


def test_every_benchmark_is_run_here_or_in_the_browsers_tests() -> None:
    there = {path.stem for path in FOLDER.glob("*.py")}
    assert there == {*TINY, *IN_A_BROWSER, *OF_ANOTHER_PYTHON, *PART}


@pytest.mark.parametrize("name", sorted({*TINY, *IN_A_BROWSER}))
def test_a_docstring_says_how_it_is_run(name: str) -> None:
    said = ast.get_docstring(ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))) or ""
    assert f"python -m tests.benchmarks.{name}" in said
    assert not re.search(r"python tests/", said)


@pytest.mark.slow
@pytest.mark.parametrize("name", TINY)
def test_a_benchmark_runs_as_its_docstring_says(name: str) -> None:
    command = [sys.executable, "-m", f"tests.benchmarks.{name}", *TINY[name]]
    plain = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(command, cwd=ROOT, env=plain, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_what_a_team_waits_for_is_worked_out_with_steps_of_unequal_length() -> None:
    """One reader waits for nobody: of exponential lengths one in twenty is above ln 20 times the
    mean. Readers who never wait use the core for their steps alone, and waiting grows with them."""
    alone, _ = bench_load.on_paper(1, 8.0, 0.05)
    assert alone == pytest.approx(0.05 * 2.996, rel=0.25)
    few, busy = bench_load.on_paper(20, 8.0, 0.05)
    assert busy == pytest.approx(20 * 0.05 / (8.0 + 0.05), rel=0.05)
    assert few < bench_load.on_paper(50, 8.0, 0.05)[0] < bench_load.on_paper(100, 8.0, 0.05)[0]
    assert 50 < bench_load.busiest(200, 4) < 70
