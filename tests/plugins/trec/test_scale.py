"""Grades between 0 and 1 are said, and refused where there are no others."""

from pathlib import Path

import pytest

from dashboard.__main__ import main
from dashboard.storage.collection import open_collection
from tests.plugins.worlds import measure_values


def write(folder: Path, qrels: str, settings: str = "") -> Path:
    (folder / "runs").mkdir(parents=True)
    (folder / "qrels.txt").write_text(qrels)
    (folder / "collection.toml").write_text(settings)
    (folder / "runs" / "r.trec").write_text("q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\n")
    return folder


def test_some_grades_below_1_are_said(tmp_path: Path) -> None:
    opened = open_collection(write(tmp_path / "w", "q1 0 a 0.5\nq1 0 b 1\nq1 0 c 0\n"))
    (said,) = [each for each in opened.findings if each.level == "warning"]
    assert said.found == "grades between 0 and 1, such as 0.5 (rows: 1)"


def test_ratings_without_a_0(tmp_path: Path) -> None:
    """Stars of 1 to 5: every judged pair is relevant, which is said, and what changes it."""
    folder = write(tmp_path / "w", "q1 0 a 1\nq1 0 b 5\n")
    (said,) = [each for each in open_collection(folder).findings if each.level == "note"]
    assert said.found == "grades from 1 to 5, so that every judged pair is relevant"
    assert said.wanted.endswith("or relevant_from = 5 in collection.toml")
    (folder / "runs" / "r.trec").rename(folder / "runs" / "v1.trec")
    for given in ({}, {"relevant_from": "5"}):
        assert measure_values(folder, "P@1 R@2", **given) == {"P@1": [not given], "R@2": [1]}
    (folder / "collection.toml").write_text("relevant_from = 5\n")
    assert measure_values(folder, "P@1") == {"P@1": [0]}


@pytest.mark.parametrize("settings", ["", 'protocols = ["trec"]\n'])
def test_a_scale_of_0_to_1_is_refused(
    tmp_path: Path, settings: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path / "w", "q1 0 a 0.5\nq1 0 b 0.9\n", settings)
    assert "trec" in open_collection(folder).unread
    assert main(["measure", str(folder)]) == 2
    assert "such as 0.5 (rows: 2), and none from 1" in capsys.readouterr().err
    call = ["measure", "--qrels", str(folder / "qrels.txt"), "--run", str(folder / "runs/r.trec")]
    assert main(call) == 2
    assert "found grades between 0 and 1" in capsys.readouterr().err


def test_other_protocols_have_other_scales(tmp_path: Path) -> None:
    settings = 'protocols = ["context"]\n'
    opened = open_collection(write(tmp_path / "w", "q1 0 a 0.5\nq1 0 b 90\n", settings))
    assert not opened.unread and not [e for e in opened.findings if e.level == "warning"]
