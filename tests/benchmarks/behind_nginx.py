"""Several processes of the app behind nginx, set up as the README of the server's room has it."""

from __future__ import annotations

import re
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.benchmarks.bench_pages import ROOT, free_port, started

ROOM = ROOT / "dashboard/views/server/README.md"
PORTS = ("8501", "8502", "8503", "8504")
"""Those of the processes in the example of that file."""


def cookie_of(port: int) -> str:
    """The cookie that a proxy gives to who has none; empty without a proxy."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=60) as answer:
        return str(answer.headers.get("Set-Cookie", "")).partition(";")[0]


@contextmanager
def behind_nginx(folder: Path, number: int) -> Iterator[tuple[int, list[int]]]:
    """So many processes behind nginx, as the README sets four up: the port of nginx, and the ids of
    the processes."""
    with ExitStack() as running:
        ports, processes = [], []
        for place in range(number):
            server, port = started(folder / f"{place}.txt", None)
            running.callback(lambda server=server: (server.terminate(), server.wait(20)))
            ports.append(port)
            processes.append(server.pid)
        front = free_port()
        config = re.search(r"```nginx\n(.*?)```", ROOM.read_text(encoding="utf-8"), re.S)[1]  # type: ignore[index]
        config = config.replace("127.0.0.1:8080", f"127.0.0.1:{front}")
        for place, port in enumerate(PORTS):
            config = config.replace(f"127.0.0.1:{port}", f"127.0.0.1:{ports[place % number]}")
        (folder / "nginx.conf").write_text(
            f"daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.txt;\n"
            + config.replace("http {", f"http {{ access_log {folder}/access.txt;", 1)
        )
        nginx = subprocess.Popen(
            ["nginx", "-p", str(folder), "-e", f"{folder}/nginx.txt", "-c", f"{folder}/nginx.conf"]
        )
        running.callback(lambda: (nginx.terminate(), nginx.wait(20)))
        for _ in range(200):
            try:
                cookie_of(front)
                break
            except OSError:
                time.sleep(0.05)
        yield front, processes
