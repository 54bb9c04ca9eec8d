"""Style and types are checked like everything else: ruff on all files, mypy strictly on the whole
program."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(*command):
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_ruff_finds_nothing():
    found = run("ruff", "check", "--no-cache", "--output-format", "concise", ".")
    assert found.returncode == 0, found.stdout


@pytest.mark.slow
def test_the_whole_program_has_strict_types():
    found = run("mypy")  # what it learned of files that have not changed is in .mypy_cache
    assert found.returncode == 0, found.stdout
