"""The library gives the numbers of the command line as pandas tables."""

import gc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dashboard
from dashboard.errors import ChoiceError, DataError
from dashboard.study.study import Study
from tests.plugins.worlds import call, open_world

ROOT = Path(__file__).parents[2]


def to_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def test_measure(world: Path) -> None:
    opened = dashboard.open(world)
    assert opened.name == "world" and opened.versions == ("v1", "v2")
    for options, words in (
        ({}, ()),
        ({"queries": "all"}, ("--queries", "all")),
        ({"threshold": 0.2, "by_query": True}, ("--threshold", "0.2", "--by-query")),
        ({"groups": ["pv_object_type"]}, ("--groups", "pv_object_type")),
    ):
        told = call("measure", world, "--metrics", "P@1 AP", *words)
        assert told[:2] == (0, to_rows(opened.measure(["P@1", "AP"], **options)))


def test_verdict(world: Path) -> None:
    """Two queries are scored, and v2 finds more for neither with certainty."""
    verdict = dashboard.open(world).verdict("v1", "v2", "P@1")
    compared = dashboard.open(world).compare("v1", "v2", "P@1")
    assert [*compared][4:8] == ["delta", "low", "high", "p"]  # beside each other, as printed
    assert verdict.delta == pytest.approx(compared.iloc[0]["delta"]) and not verdict.clear
    assert verdict.sentence.startswith("v2 is not clearly different from v1: P@1 ")
    assert f"{verdict.scored} of {verdict.total} queries scored" in str(verdict)


def test_shipped_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASHBOARD_DATA", str(ROOT / "data"))
    verdict = dashboard.open("driving").verdict("v0.1", "v0.2")
    assert verdict.metric == "P@5" and verdict.better
    assert verdict.sentence.startswith("v0.2 is better than v0.1: P@5 +0.210, 95 % interval +0.1")


def test_tables(world: Path) -> None:
    opened = dashboard.open(world)
    assert opened.items["item_id"].tolist() == ["a", "b", "c", "d"]
    assert opened.queries["query_id"].tolist() == ["q1", "q2", "q3", "q4"]
    assert list(opened.findings) == ["level", "file", "line", "found", "wanted"]
    assert np.issubdtype(opened.measure("AP")["mean"].dtype, np.floating)
    assert list(opened.measure("AP", versions=[])) == list(opened.measure("AP"))


def test_results_that_are_held_keep_no_study(world: Path) -> None:
    opened = open_world(world)
    study = Study(opened.collection, opened.choices)
    assert study.query("q1", ["v1"]) is study.query("q1", ["v1"])
    seen = weakref.ref(study)
    del study
    gc.collect()
    assert seen() is None


def test_wrong_calls(world: Path) -> None:
    opened = dashboard.open(world)
    with pytest.raises(ChoiceError, match="no choice 'colour'. There are: .*threshold"):
        opened.measure(colour="red")
    with pytest.raises(ChoiceError, match="groups is empty"):
        opened.measure(groups=[])
    with pytest.raises(DataError, match="no version 'v9'"):
        opened.measure(versions=["v9"])
    with pytest.raises(DataError, match=r"Give item_ids=\[…\] or by_position=True."):
        opened.add_version("v3", np.eye(4))
    with pytest.raises(DataError, match='Give codes="packed" or codes="none".'):
        opened.add_version("v3", np.full((4, 2), 7, np.uint8), item_ids=list("abcd"))
    with pytest.raises(DataError, match="no such folder"):
        dashboard.open(world / "none")
