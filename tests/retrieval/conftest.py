"""The tiny collection for searches."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.storage.collection.collection import Collection, open_collection
from tests.storage.tiny import make_collection


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_collection(tmp_path / "tiny")


@pytest.fixture
def tiny(folder: Path) -> Collection:
    return open_collection(folder, allow_path=True)
