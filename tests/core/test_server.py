"""The server: hosts, headers, media in ranges, health and figures."""

from pathlib import Path
from threading import Event, Semaphore, Thread

import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.testclient import TestClient

from dashboard.views import server
from dashboard.views.media_routes import send_media


@pytest.fixture
def client(world: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setenv("DASHBOARD_DATA", str(world.parent))
    monkeypatch.setenv("DASHBOARD_HOSTS", "search.example.org, *.lab.example.org")
    (world / "media").mkdir()
    (world / "media" / "broken.mp4").write_bytes(b"\0\0\0\x18ftypisom and nothing else")
    Image.new("RGB", (160, 90), "red").save(world / "media" / "a.png")
    (world / "media" / "text.png").write_text("a secret")
    (world / "items.csv").write_text(
        "item_id,file\na,a.png\nb,broken.mp4\nc,../queries.csv\nd,text.png\nx/y,a.png\n"
    )
    routes = [
        Route("/files/{collection}/{kind}/{item:path}", send_media),
        Route("/healthz", server.send_health),
        Route("/metrics", server.send_metrics),
    ]
    app = Starlette(routes=routes, middleware=[Middleware(server.guard)])
    return TestClient(app, base_url="http://localhost", raise_server_exceptions=True)


def test_hosts_that_are_answered(client: TestClient) -> None:
    answered = [
        "localhost", "LOCALHOST:8501", "127.0.0.1", "[::1]:80", "search.example.org",
        "a.lab.example.org", "search.example.org.",
    ]  # fmt: skip
    refused = [
        "evil.example", "localhost.evil.example", "lab.example.org", "search.example.org.evil",
        "xlab.example.org", "evil.example#localhost", "localhost:80:80x", "",
    ]  # fmt: skip
    statuses = {
        host: client.get("/healthz", headers={"Host": host}).status_code
        for host in answered + refused
    }
    assert [statuses[host] for host in answered] == [200] * len(answered)
    assert [statuses[host] for host in refused] == [403] * len(refused)
    assert "DASHBOARD_HOSTS" in client.get("/healthz", headers={"Host": "evil.example"}).text


def test_every_answer_has_security_headers(client: TestClient) -> None:
    for answer in (
        client.get("/healthz"),
        client.get("/gone"),
        client.get("/", headers={"Host": "x"}),
        client.get(f"/static/js/{next(iter(server.SCRIPTS))}"),
    ):
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["X-Frame-Options"] == "DENY"


def test_scripts_are_compressed_for_browsers_that_read_it(client: TestClient) -> None:
    name, path = max(server.SCRIPTS.items(), key=lambda each: each[1].stat().st_size)
    sent = client.get(f"/app/static/js/{name}")
    plain = client.get(f"/static/js/{name}", headers={"Accept-Encoding": "identity"})
    assert (sent.headers["Content-Encoding"], sent.content) == ("gzip", path.read_bytes())
    assert "Content-Encoding" not in plain.headers and plain.content == path.read_bytes()
    asked = [("GET", "../index.html"), ("GET", "none.js"), ("POST", name)]
    found = [client.request(way, f"/static/js/{each}").status_code for way, each in asked]
    assert found == [404, 404, 404]


def test_files_whole_and_in_ranges(client: TestClient, world: Path) -> None:
    stored = (world / "media" / "a.png").read_bytes()
    whole = client.get("/files/world/clip/a")
    part = client.get("/files/world/clip/a", headers={"Range": "bytes=10-19"})
    assert (whole.content, whole.headers["Content-Type"]) == (stored, "image/png")
    assert (part.status_code, part.content) == (206, stored[10:20])
    assert "immutable" in whole.headers["Cache-Control"]
    assert client.get("/files/world/clip/x%2Fy").content == stored
    assert client.get("/files/world/poster/a").headers["Content-Type"] == "image/webp"


def test_a_folder_of_the_working_folder_is_not_served(
    client: TestClient, world: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(world)
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("DASHBOARD_DATA", str(tmp_path / "empty"))
    for name in ("world", ".", "%2e", "data"):
        assert client.get(f"/files/{name}/clip/a").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "world/clip/c", "world/poster/c", "world/clip/d", "world/poster/b", "world/clip/unknown",
        "world/other/a", "gone/clip/a", "..%2Fdata%2Fworld/clip/a", "world/clip/..%2F..%2Fa",
    ],
)  # fmt: skip
def test_nothing_else_is_sent(client: TestClient, path: str) -> None:
    assert client.get(f"/files/{path}").status_code == 404


def test_health_and_figures(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/healthz").json() == {"status": "ok", "collections": 1}
    assert "dashboard_sessions 0.0" in client.get("/metrics").text
    monkeypatch.setenv("DASHBOARD_DATA", str(tmp_path / "gone"))
    answer = client.get("/healthz")
    assert answer.status_code == 503
    assert str(tmp_path) not in answer.text


def test_screens_run_in_turns() -> None:
    """So many at once, and the next one when one of them has ended, by an error too."""
    entered, leave = Semaphore(0), Event()

    def run() -> None:
        with pytest.raises(ValueError), server.measure_step("query"):
            entered.release()
            leave.wait()
            raise ValueError

    threads = [Thread(target=run) for _ in range(2 * server.MOST)]
    for each in threads:
        each.start()
    assert all(entered.acquire(timeout=60) for _ in range(server.MOST))
    assert not entered.acquire(timeout=0.1)
    leave.set()
    for each in threads:
        each.join()
    assert all(entered.acquire(timeout=0) for _ in range(server.MOST))
