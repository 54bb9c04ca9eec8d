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
    assert not answer["typed"]  # no version embeds a text
    assert answer["queries"][:2] == [["q1", "a car"], ["q2", "a car and a bus"]]
    (world / "items.csv").unlink()
    (world.parent / "other").mkdir()
    (world.parent / "other" / "collection.toml").write_text("")
    for name, others in (("world", ["other"]), ("other", ["world"]), ("", ["other", "world"])):
        found = client.get(f"/palette/{name}").json()  # neither can be used
        assert not found["queries"] and [row[0] for row in found["collections"]] == others
