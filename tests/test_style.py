"""Style and types, by the tools that know them."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "words", ["ruff check .", "ruff format --check .", "mypy --no-incremental"]
)
def test_tool_is_content(words: str) -> None:
    call = [sys.executable, "-m", *words.split()]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
