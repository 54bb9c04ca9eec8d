"""What operators read of a server: its health and its figures, without a name or a text."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from dashboard.experiment.memory import remembered
from dashboard.storage.collection import collection as stored
from dashboard.views.server import figures
from dashboard.views.server.allowed_hosts import AllowedHosts

SITE = Starlette(routes=figures.routes(), middleware=[Middleware(AllowedHosts)])


def client() -> TestClient:
    return TestClient(SITE, base_url="http://localhost")


def sample(name: str, **labels: str) -> float:
    """A figure as Prometheus reads it; 0 where it is not there yet."""
    families = text_string_to_metric_families(client().get("/metrics").text)
    values = [
        each.value
        for family in families
        for each in family.samples
        if each.name == name and each.labels == labels
    ]
    return values[0] if values else 0.0


def test_a_server_that_reads_its_data_is_healthy() -> None:
    answer = client().get("/healthz")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "collections": len(stored.names())}
    assert answer.headers["cache-control"] == "no-store"


def test_without_its_data_a_server_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "COLLECTIONS", tmp_path / "gone")
    answer = client().get("/healthz")
    assert answer.status_code == 503
    assert answer.json()["problem"].startswith("the data folder: found no such folder; wanted")
    assert str(tmp_path) not in answer.text


def test_data_that_cannot_be_read_are_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret-name").mkdir()
    (tmp_path / "secret-name" / "collection.toml").touch()
    monkeypatch.setattr(stored, "COLLECTIONS", tmp_path)
    assert client().get("/healthz").json() == {"status": "ok", "collections": 1}

    def refuse(self: Path, *_: object, **more: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    answer = client().get("/healthz")
    assert (answer.status_code, "Permission denied" in answer.text) == (503, True)
    assert "secret" not in answer.text


def test_figures_count_steps_and_remembered_results() -> None:
    @remembered(4)
    def double(number: int) -> int:
        return 2 * number

    hits, misses, steps = (
        sample("dashboard_results_total", remembered="yes"),
        sample("dashboard_results_total", remembered="no"),
        sample("dashboard_step_seconds_count", screen="Query"),
    )
    for number in (1, 2, 1, 1):
        double(number)
    with pytest.raises(RuntimeError), figures.STEPS.labels("Query").time():
        raise RuntimeError("as a screen that stops does")
    assert sample("dashboard_results_total", remembered="yes") == hits + 2
    assert sample("dashboard_results_total", remembered="no") == misses + 2
    assert sample("dashboard_step_seconds_count", screen="Query") == steps + 1
    assert sample("process_resident_memory_bytes") > 10_000_000
    assert sample("dashboard_sessions") == 0


@pytest.mark.parametrize("path", ["healthz", "metrics"])
def test_strange_hosts_get_no_figures(path: str) -> None:
    assert client().get(f"/{path}", headers={"host": "elsewhere.example"}).status_code == 403
