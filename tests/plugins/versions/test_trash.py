"""`remove` and `restore`: nothing is deleted, and everything comes back where it was."""

import shutil
from pathlib import Path

import pytest

from dashboard.__main__ import main
from dashboard.storage.settings import list_collections


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DASHBOARD_DATA", str(tmp_path))
    for name in ("small", "other"):
        (tmp_path / name / "models" / "v1").mkdir(parents=True)
        (tmp_path / name / "models" / "v1" / "model.toml").write_text('note = "first"')
        (tmp_path / name / "items.csv").write_text("item_id\na\n")
        (tmp_path / name / "runs").mkdir()
        for ending in ("npy", "rows.txt", "columns.txt"):
            (tmp_path / name / "runs" / f"v2.{ending}").write_text("a")
    return tmp_path


def test_versions(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["remove", "small", "--version", "v1"]) == 2
    assert "Add --yes" in capsys.readouterr().err
    assert main(["remove", "small", "--version", "v1", "--yes"]) == 0
    assert main(["remove", "small", "v2", "--yes"]) == 0
    assert not [*(data / "small").glob("*/*")]
    assert main(["restore", "small/runs/v2.rows.txt"]) == 0
    assert len([*(data / "small").glob("*/*")]) == 3
    assert main(["restore", "small/models/v1"]) == 0
    assert (data / "small" / "models" / "v1" / "model.toml").is_file()
    assert (data / "small" / "runs" / "v2.rows.txt").is_file()
    assert not (data / ".trash").exists()
    for wrong in ("v9", ""):
        assert main(["remove", "small", "--version", wrong, "--yes"]) == 2
    assert "no version 'v9'" in capsys.readouterr().err


def test_the_last_of_a_name_comes_back(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    note = data / "small" / "models" / "v1" / "model.toml"
    for number in range(12):
        note.parent.mkdir(exist_ok=True)
        note.write_text(f'note = "{number}"')
        assert main(["remove", "small", "--version", "v1", "--yes"]) == 0
    assert main(["restore", "small"]) == 0
    assert note.read_text() == 'note = "11"'
    assert main(["restore", "small"]) == 2, "an older one would take its place"
    assert "something new in its place" in capsys.readouterr().err


def test_collections(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file manager calls a copy `small (2)`; it is not the second `small`."""
    shutil.copytree(data / "small", data / "small (2)")
    (data / "small (2)" / "items.csv").write_text("item_id\nb\n")
    for name in ("small", "small (2)"):
        assert main(["remove", name, "--yes"]) == 0
    assert list_collections() == ["other"]
    assert main(["restore", "none"]) == 2
    assert "there are: small, small (2)" in capsys.readouterr().err
    assert main(["restore", "small"]) == 0
    assert list_collections() == ["other", "small"]
    assert (data / "small" / "items.csv").read_text() == "item_id\na\n"
    assert main(["restore", "small (2)"]) == 0
    assert list_collections() == ["other", "small", "small (2)"]
