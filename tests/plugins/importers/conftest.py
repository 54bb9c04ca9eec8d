"""A data folder of its own for each test."""

from pathlib import Path

import pytest


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder beside the data folder."""
    monkeypatch.setenv("DASHBOARD_DATA", str(tmp_path / "data"))
    (tmp_path / "source").mkdir()
    return tmp_path / "source"
