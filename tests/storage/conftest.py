"""The tiny collection in a fresh folder, and what spoils it; a database server for reviews."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dashboard.storage.reviews import review_database
from tests.storage import postgres
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


@pytest.fixture(scope="session")
def database_server() -> Iterator[postgres.Server]:
    """A PostgreSQL server, where this machine has one."""
    try:
        server = postgres.Server()
    except postgres.Missing as reason:
        pytest.skip(str(reason))
    try:
        yield server.start()
    finally:
        server.close()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def review_store(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """An empty store of reviews of each kind: what DASHBOARD_REVIEWS says."""
    named = str(tmp_path / "said")
    if request.param == "postgresql":
        named = request.getfixturevalue("database_server").address()
    monkeypatch.setenv("DASHBOARD_REVIEWS", named)
    yield named
    review_database.disconnect()
