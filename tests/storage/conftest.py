"""The tiny collection in a fresh folder, and what spoils it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.storage.tiny import make_collection

Spoil = Callable[[str, str, str], None]


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """The folder of the tiny collection, to be spoiled by a test."""
    return make_collection(tmp_path / "tiny")


@pytest.fixture
def spoil(tiny: Path) -> Spoil:
    """Replace a text in a file of the tiny collection by another, once."""

    def replace(name: str, old: str, new: str) -> None:
        text = (tiny / name).read_bytes().decode()
        assert old in text, (name, old)
        (tiny / name).write_bytes(text.replace(old, new, 1).encode())

    return replace
