"""Screens of a collection with no version, with one, and with a version as its own baseline."""

import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.study.changes import list_changes
from tests.core.test_screens import draw
from tests.plugins.worlds import open_world


def list_said(drawn: AppTest) -> list[str]:
    assert not drawn.exception and not drawn.error
    return [each.value.replace("\\", "") for each in (*drawn.info, *drawn.header)]


@pytest.mark.parametrize("screen", ["overview", "compare", "slices", "query", "search"])
def test_no_version(world: Path, monkeypatch: pytest.MonkeyPatch, screen: str) -> None:
    shutil.rmtree(world / "models")
    drawn = draw(world, monkeypatch, screen)
    assert list_said(drawn)[0].startswith("world has no version yet. This screen needs one.")
    assert "embed world --version v1 --encoder module:function" in drawn.code[0].value
    assert "input-candidate" not in [each.key for each in drawn.selectbox]


@pytest.mark.parametrize("screen", ["compare", "slices"])
def test_version_is_not_compared_with_itself(world: Path, monkeypatch, screen: str) -> None:
    drawn = draw(world, monkeypatch, screen, baseline="v2", candidate="v2")
    said = "v2 is the baseline, too. Choose another version to compare it with."
    assert list_said(drawn) == [said]
    shutil.rmtree(world / "models" / "v2")
    drawn = draw(world, monkeypatch, screen)
    (said,) = list_said(drawn)
    assert said.startswith("world has one version, v1. A comparison needs another one.")
    assert "add world v2 --items" in drawn.code[0].value


def test_screens_of_one_version(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(world / "models" / "v2")
    drawn = draw(world, monkeypatch, "overview", metric="AP")
    # of the 3 texts, q1 and q2 can be scored: 5/6 for a, c, b and 1/3 for b, d, a
    assert list_said(drawn) == ["v1: AP 0.583 (2 of 3 queries scored)."]
    (table,) = [each.proto.body for each in drawn.get("html") if "<table>" in each.proto.body]
    assert "v1 − v1" not in table and "cannot tell" not in table and "★" not in table
    markdown = [each.value for each in drawn.markdown]
    assert "**Worst queries** – 3 of 3" in markdown and "Report" not in markdown
    for screen in ("query", "search"):
        assert list_said(draw(world, monkeypatch, screen)) == []


def test_lowest_values_come_first(world: Path) -> None:
    """AP of q1 is 5/6 and that of q2 1/3; the third text has none."""
    rows = list_changes(open_world(world), "v1", "v1", "AP")
    assert [row["candidate"] and row["query_id"] for row in rows] == ["q2", "q1", None]


def test_texts_are_asked_where_they_can_be_embedded(world: Path, monkeypatch) -> None:
    (world / "models" / "v1" / "model.toml").write_text('encoder = "none"\n')
    drawn = draw(world, monkeypatch, "search")
    drawn.session_state["recent"] = ["typed elsewhere", "a car"]
    assert not drawn.run().text_input
    assert "typed elsewhere" not in [each.label for each in drawn.button]
    for name in ("v1", "v2"):
        (world / "models" / name / "model.toml").write_text('encoder = "minilm+projection"\n')
    assert [each.label for each in draw(world, monkeypatch, "search").text_input] == ["Text"]
