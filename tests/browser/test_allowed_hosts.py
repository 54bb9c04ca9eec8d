"""Who may ask a served app: its own names and no other, no frame, no page from elsewhere."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import socket
from urllib.parse import urlsplit

import pytest

POSTER = "/posters/driving?item=highway_small_vehicle_entering_004"
PATHS = ("/", "/compare", "/_stcore/health", "/_stcore/host-config", POSTER, "/nosuchpage")
STRANGE = ("evil.example", "evil.example:8501", "127.0.0.1.evil.example", "me@localhost", "", "[x]")


@pytest.fixture(scope="module")
def url(dashboard: str) -> str:
    return dashboard  # it is started with HOSTS


def asked(url: str, path: str, host: str) -> tuple[int, dict[str, str], str]:
    server = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    with contextlib.closing(server):
        server.putrequest("GET", path, skip_host=True)
        server.putheader("Host", host)
        server.putheader("Accept", "text/html,*/*")
        server.endheaders()
        answer = server.getresponse()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, headers, answer.read().decode("utf-8", "replace")


def connected(url: str, host: str, origin: str) -> str:
    """The status line of a live connection that is asked for."""
    place = urlsplit(url)
    lines = [
        "GET /_stcore/stream HTTP/1.1",
        f"Host: {host}",
        *([f"Origin: {origin}"] if origin else []),
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {base64.b64encode(bytes(16)).decode()}",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Protocol: streamlit",
    ]
    with socket.create_connection((place.hostname, place.port), timeout=30) as line:
        line.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return line.recv(200).decode().splitlines()[0]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("host", STRANGE)
def test_a_strange_host_gets_a_sentence_and_nothing_else(url: str, path: str, host: str) -> None:
    status, headers, said = asked(url, path, host)
    assert status in (400, 403)
    if status == 403:  # what is no host at all may be refused before
        assert headers["content-type"].startswith("text/plain")
        assert "DASHBOARD_HOSTS" in said and "Who may connect" in said
        assert host in said or "(no host)" in said


def test_own_and_added_names_are_answered(url: str) -> None:
    port = urlsplit(url).port
    own = (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}", "LOCALHOST.", "127.8.8.8")
    for host in (*own, "search.example.org", "a.lab.example.org:443"):
        assert asked(url, "/_stcore/health", host)[0] == 200, host
    for host in ("lab.example.org.evil.example", "notlab.example.org"):
        assert asked(url, "/_stcore/health", host)[0] == 403, host


def test_every_answer_refuses_frames_and_guesses(url: str) -> None:
    here = urlsplit(url).netloc
    for path in (*PATHS, "/static/nosuch.js", "/uploads/kept?item=x"):
        _, headers, _ = asked(url, path, here)
        assert headers["x-frame-options"] == "DENY", path
        assert headers["x-content-type-options"] == "nosniff", path
        assert "frame-ancestors 'none'" in headers["content-security-policy"], path
    assert "default-src 'none'" in asked(url, POSTER, here)[1]["content-security-policy"]
    assert asked(url, "/", "evil.example")[1]["x-frame-options"] == "DENY"


def test_no_origin_elsewhere_may_steer_the_page(url: str) -> None:
    said = asked(url, "/_stcore/host-config", urlsplit(url).netloc)[2]
    assert json.loads(said)["allowedOrigins"] == []


def test_live_connections_are_those_of_own_pages(url: str) -> None:
    here = urlsplit(url).netloc
    assert " 101 " in connected(url, here, f"http://{here}")
    assert " 101 " in connected(url, "search.example.org", "https://search.example.org")
    assert " 101 " in connected(url, here, "")
    for host, origin in (
        ("evil.example", "http://evil.example"),
        (here, "http://evil.example"),
        (here, "null"),
        (here, "http://localhost:3000"),
    ):
        assert " 403 " in connected(url, host, origin), (host, origin)


def test_a_page_opens_with_its_cards_and_pictures_and_in_no_frame(url: str, new_page) -> None:
    page = new_page()
    page.goto(f"{url}/query")
    page.locator(".card img").first.evaluate("picture => picture.decode()")
    framing = new_page()
    framing.set_content(f"<iframe src='{url}/'></iframe>")
    framing.wait_for_timeout(1_500)
    inside = framing.frames[1]
    assert inside.url.startswith("chrome-error") or not inside.query_selector("#root")
