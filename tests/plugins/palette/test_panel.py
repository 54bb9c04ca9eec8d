"""The route that names collections and queries."""

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dashboard.plugins.palette.panel import ROUTES


def test_queries_of_a_collection(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASHBOARD_DATA", str(world.parent))
    client = TestClient(Starlette(routes=ROUTES))
    answer = client.get("/palette/world").json()
    named = [row[:3] for row in answer["named"]]
    assert not answer["typed"]  # no version embeds a text
    assert named[:2] == [["Query", "a car", "query"], ["Query", "a car and a bus", "query"]]
    (world / "items.csv").unlink()
    (world.parent / "other").mkdir()
    (world.parent / "other" / "collection.toml").write_text("")
    for name, others in (("world", ["other"]), ("other", ["world"]), ("", ["other", "world"])):
        found = client.get(f"/palette/{name}").json()["named"]  # neither can be used
        assert [row[0] for row in found] == ["Collection"] * len(others)
        assert [row[4] for row in found] == others
