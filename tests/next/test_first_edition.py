"""The first edition still runs until the second takes its place."""

import json
import subprocess
import sys
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.next.test_golden import read

ROOT = Path(__file__).parents[2]


def test_first_edition() -> None:
    call = "measure driving --protocol alfa --queries text"
    words = [*call.split(), "--by-query", "--format", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "dashboard", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    frozen = read("values")[call]["values"]
    for row in json.loads(done.stdout):
        name = row["metric"] if row["cutoff"] is None else f"{row['metric']}@{row['cutoff']}"
        assert row["value"] == frozen[row["run"]][name].pop(0)
    assert not any(values for run in frozen.values() for values in run.values())


def test_first_edition_starts() -> None:
    script = ROOT / "dashboard" / "main.py"
    started = AppTest.from_file(str(script), default_timeout=120).run()
    assert not started.exception
