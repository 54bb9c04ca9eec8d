"""Another host, served on this machine: honest files, and all that a host can do wrong."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Host:
    """What a host serves: path → content; what it was asked: (method, path, Range)."""

    files: dict[str, bytes]
    elsewhere: str = "http://192.0.2.1/"
    seconds: float = 30.0
    url: str = ""
    asked: list[tuple[str, str, str]] = field(default_factory=list)


@contextmanager
def served(files: dict[str, bytes]) -> Iterator[Host]:
    """Serves `files` on a free port of 127.0.0.1, with parts, ETag and date, and odd paths."""
    host = Host(files)

    class Handler(_Handler):
        told = host

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    host.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield host
    server.shutdown()
    server.server_close()


class _Handler(BaseHTTPRequestHandler):
    told: Host
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:  # noqa: N802 (the name that http.server calls)
        self._answer(False)

    def do_GET(self) -> None:  # noqa: N802
        self._answer(True)

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _answer(self, body: bool) -> None:
        host, path = self.told, self.path.partition("?")[0]
        host.asked.append((self.command, path, self.headers.get("Range", "")))
        if path.startswith(("/away", "/around")):
            self._send(302, b"", Location=host.elsewhere if "away" in path else "/clip.mp4")
        elif path.startswith("/slow"):
            time.sleep(host.seconds)
            self.close_connection = True
        elif path.startswith("/lazy") and "Range" in self.headers:
            time.sleep(0.2)
            self._file(path, host.files[path], body)
        elif path.startswith("/big"):
            self._send(200, b"", **{"Content-Length": str(3_000_000_000)})
        elif path.startswith("/unsized"):
            self._send(200, b"", **{"Transfer-Encoding": "chunked", "Content-Length": ""})
            self.wfile.write(b"0\r\n\r\n" if body else b"")
        elif path.startswith("/forbidden"):
            self._send(403, b"")
        elif path.startswith("/broken"):
            self._send(500, b"")
        elif path.startswith("/endless") and "Range" in self.headers or path.startswith("/endless"):
            self._send(200, b"", **{"Content-Length": str(1_900_000_000)})
            self.close_connection = True
        elif path not in host.files:
            self._send(404, b"")
        else:
            self._file(path, host.files[path], body)

    def _file(self, path: str, content: bytes, body: bool) -> None:
        headers = {"ETag": f'"{hash(content)}"', "Last-Modified": "Sat, 21 Nov 2026 10:00:00 GMT"}
        if path.startswith("/heedless/untagged"):
            headers["ETag"] = ""
        heeds = not path.startswith("/heedless")
        if heeds and self.headers.get("If-Match", headers["ETag"]) != headers["ETag"]:
            self._send(412, b"")
            return
        asked = self.headers.get("Range", "")
        if not asked or path.startswith("/whole"):
            self._send(200, content, body, **headers)
            return
        first, _, last = asked.removeprefix("bytes=").partition("-")
        part = content[int(first) : int(last) + 1]
        said = f"bytes {first}-{int(first) + len(part) - 1}/{len(content)}"
        self._send(206, part, body, **headers, **{"Content-Range": said})

    def _send(self, status: int, content: bytes, body: bool = True, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        if body and self.command == "GET":
            self.wfile.write(content)
