"""`prepare` computes what the screens show first: after it they compute nothing that is dear."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE, Popen

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.__main__ import main
from dashboard.experiment import measuring, memory, preparing
from dashboard.storage.collection import collection as stored
from tests.storage.tiny import make_collection
from tests.test_screens import no_text_model

__all__ = ["no_text_model"]
MAIN = Path(stored.__file__).parents[2] / "main.py"


@pytest.fixture
def collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A tiny collection that the screens show, and an empty cache folder."""
    folder = make_collection(tmp_path / "data" / "tiny")
    monkeypatch.setattr(stored, "COLLECTIONS", folder.parent)
    monkeypatch.setenv("DASHBOARD_CACHE", str(tmp_path / "cache"))
    memory.forget()
    yield folder
    memory.forget()


def prepared(collection: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, pd.DataFrame]:
    code = main(["prepare", str(collection), "--format", "json"])
    return code, pd.DataFrame(json.loads(capsys.readouterr().out))


def test_screens_compute_nothing_dear_after_it(
    collection: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, table = prepared(collection, capsys)
    assert code == 0 and preparing.COMPUTED in set(table["state"])
    memory.forget()
    monkeypatch.setattr(measuring, "measured_parts", None)  # nothing is ranked to be measured
    monkeypatch.setattr(measuring.comparing, "compare", None)
    monkeypatch.setattr(measuring.comparing, "compare_all", None)
    monkeypatch.setattr(measuring, "overlapping", None)
    for screen in ("overview", "compare", "slices"):
        app = AppTest.from_file(str(MAIN), default_timeout=100)
        app.query_params["collection"] = "tiny"
        app.switch_page(f"screens/{screen}.py").run()
        assert not app.exception and not app.error, screen
        assert app.title[0].value.lower() == screen


def test_a_second_call_finds_all_there_and_one_that_was_stopped_goes_on(
    collection: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compute, calls = measuring.measuring.measure_parts, []

    def stopped(*arguments: object) -> pd.DataFrame:
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return compute(*arguments)

    monkeypatch.setattr(measuring.measuring, "measure_parts", stopped)
    assert main(["prepare", str(collection)]) == 2
    assert "stopped; the same command goes on where it was" in capsys.readouterr().err
    memory.forget()
    code, table = prepared(collection, capsys)
    assert code == 0
    assert (table["state"] == preparing.THERE).sum() == 1, "what was computed before the stop"
    memory.forget()
    code, table = prepared(collection, capsys)
    assert code == 0 and set(table["state"]) == {preparing.THERE}


@pytest.mark.slow
def test_a_killed_call_leaves_whole_files_only(collection: Path, tmp_path: Path) -> None:
    call = [sys.executable, "-m", "dashboard", "prepare", str(collection)]
    env = {**os.environ, "DASHBOARD_CACHE": str(tmp_path / "cache")}
    child = Popen(call, env=env, stdout=PIPE, stderr=PIPE)
    results = tmp_path / "cache" / "posters"
    # a step of all metrics of a version writes fewer
    while len(list(results.glob("*/*.result"))) < 24 and child.poll() is None:
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    again = Popen(call, env=env, stdout=PIPE, stderr=PIPE, text=True)
    out, err = again.communicate()
    assert again.returncode == 0 and preparing.THERE in out, err


def test_a_folder_that_cannot_be_written_is_a_finding(
    collection: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASHBOARD_CACHE_MB", "0")
    code, table = prepared(collection, capsys)
    assert code == 1 and preparing.UNWRITTEN in set(table["state"])


def test_a_version_that_cannot_be_read_is_said_and_the_others_are_prepared(
    collection: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vectors = collection / "models" / "v0.2" / "items.npy"
    vectors.write_bytes(vectors.read_bytes()[:-7])
    code = main(["prepare", str(collection)])
    out, err = capsys.readouterr()
    assert code == 2 and "models/v0.2/items.npy" in err
    assert "v0.1: " in out and "v0.2: " not in out


def test_what_is_drawn_in_front_of_a_terminal_says_how_far_it_is(
    collection: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert main(["prepare", str(collection)]) == 0
    drawn = capsys.readouterr().err
    assert "alfa comparison" in drawn and "100%" in drawn
