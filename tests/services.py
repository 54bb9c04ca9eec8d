"""A small HTTP server of a test: a function answers each request, on a free port of it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class Asked:
    """A request as the server got it."""

    path: str
    params: dict[str, list[str]]
    headers: dict[str, str]
    body: Any


@dataclass
class Server:
    url: str
    asked: list[Asked] = field(default_factory=list)


Answering = Callable[[Asked], tuple[int, Any]]
"""A request → the status, and the JSON, or the bytes, of the answer; where it leads to another
address, that address."""


@contextmanager
def served(answer: Answering) -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            parts = urlsplit(self.path)
            body = json.loads(content) if content else None
            asked = Asked(parts.path, parse_qs(parts.query), dict(self.headers), body)
            server.asked.append(asked)
            status, found = answer(asked)
            sent = found if isinstance(found, bytes) else json.dumps(found).encode()
            try:
                self.send_response(status)
                if 300 <= status < 400:
                    self.send_header("Location", found)
                self.send_header("Content-Length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)
            except OSError:
                pass  # whoever asked has left

        do_GET = do_POST

        def log_message(self, *_: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server = Server(f"http://127.0.0.1:{http.server_port}")
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
