"""A small proxy that serves an app below a path of its own, which the app never hears of, and
counts what comes from there."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from urllib.parse import urlsplit

MOST = 65_536  # bytes that are passed on at a time


class Proxy:
    """Answers below `/{path}/` with what the app at `target` answers at its root."""

    def __init__(self, target: str, path: str) -> None:
        self.target = (urlsplit(target).hostname, urlsplit(target).port)
        self.path = path.encode()
        self.brought = 0
        """Bytes that the app has sent so far, as they are on the line."""
        self.door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.door.getsockname()[1]}/{path}"
        threading.Thread(target=self._open, daemon=True).start()

    def close(self) -> None:
        """Take no further connection."""
        self.door.close()

    def _open(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                browser, _ = self.door.accept()
                threading.Thread(target=self._answer, args=(browser,), daemon=True).start()

    def _answer(self, browser: socket.socket) -> None:
        with contextlib.suppress(OSError), browser, socket.create_connection(self.target) as app:
            head = b""
            while b"\r\n\r\n" not in head:
                more = browser.recv(MOST)
                if not more:
                    return
                head += more
            method, place, rest = head.split(b" ", 2)
            below = place.removeprefix(b"/" + self.path)
            if below == place or not below.startswith(b"/"):
                browser.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                return
            if b"\r\nupgrade:" not in rest.lower():  # one request a connection, so one head
                rest = rest.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)
                rest = rest.replace(b"\r\nConnection: keep-alive", b"", 1)
            app.sendall(b" ".join((method, below, rest)))
            threading.Thread(target=_pass_on, args=(browser, app), daemon=True).start()
            _pass_on(app, browser, self._count)

    def _count(self, number: int) -> None:
        self.brought += number


def _pass_on(
    giving: socket.socket, taking: socket.socket, count: Callable[[int], object] = int
) -> None:
    with contextlib.suppress(OSError):
        while piece := giving.recv(MOST):
            count(len(piece))
            taking.sendall(piece)
        taking.shutdown(socket.SHUT_WR)
