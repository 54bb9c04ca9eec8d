"""The route that names queries."""

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dashboard.plugins.palette.panel import ROUTES


def test_queries_of_a_collection(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASHBOARD_DATA", str(world.parent))
    client = TestClient(Starlette(routes=ROUTES))
    assert [row[:3] for row in client.get("/palette/world").json()][:2] == [
        ["Query", "a car", "query"],
        ["Query", "a car and a bus", "query"],
    ]
    assert client.get("/palette/other").status_code == 404
    (world / "queries.csv").unlink()
    assert client.get("/palette/world").status_code in (200, 409)
