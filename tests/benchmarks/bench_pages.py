"""How many descriptors an idle page takes: `python -m tests.benchmarks.bench_pages`.

Opens real sessions over websockets against a server of its own on this machine, lets the first of
them draw the screen Collections, and counts what the server holds open in /proc (Linux). With
`--limit` the server starts with that limit of open files; the log that it writes is counted, too:
`python -m tests.benchmarks.bench_pages --pages 300 --limit 1024`.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect
from websockets.typing import Origin

ROOT = Path(__file__).parents[2]
SETTLED, AFTER_CLOSE = 3.0, 25.0
"""Seconds that the server has to come to rest, and to give back what closed pages held."""


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--pages", type=int, default=50)
    asked.add_argument("--drawn", type=int, default=10, help="how many of them draw a screen")
    asked.add_argument("--limit", type=int, help="of open files of the server, soft and hard")
    asked.add_argument("--after-close", type=float, default=AFTER_CLOSE, metavar="SECONDS")
    call = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as pages:
        log = Path(folder) / "log.txt"
        server, port = started(log, call.limit)
        try:
            with page(port, drawn=True):  # what the first page loads stays
                pass
            time.sleep(call.after_close)
            before = held(server.pid)
            refused = opened(port, call.pages, call.drawn, pages)
            time.sleep(SETTLED)
            there = held(server.pid)
            number = call.pages - sum(refused.values())
            each = (there.total() - before.total()) / max(number, 1)
            kinds = ", ".join(f"{(there - before)[kind] / max(number, 1):.1f} {kind}" for kind in
                              sorted(there - before))  # fmt: skip
            print(f"{number} of {call.pages} pages are open; {before.total()} descriptors before, "
                  f"{there.total()} with them: {each:.1f} a page ({kinds})")  # fmt: skip
            if refused:
                print("refused:", "; ".join(f"{n} × {why}" for why, n in refused.items()))
            pages.close()
            time.sleep(call.after_close)
            print(f"{held(server.pid).total()} descriptors {call.after_close:g} s after closing")
        finally:
            server.terminate()
            server.wait(timeout=20)
        text = log.read_text(encoding="utf-8")
    faults = len(re.findall(r"Traceback|ERROR|WARNING|Only [\d,]+ files", text))
    print(f"log: {len(text):,} bytes, {text.count('Traceback')} tracebacks, {faults} faults")


def started(
    log: Path, limit: int | None, settings: Mapping[str, str] | None = None
) -> tuple[subprocess.Popen[bytes], int]:
    """The app on a free port, once it answers. settings: further variables of its environment."""
    port = free_port()
    options = {
        "port": port, "address": "127.0.0.1", "headless": "true", "fileWatcherType": "none",
    }  # fmt: skip
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    command += [f"--server.{name}={value}" for name, value in options.items()]
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT,
            env={**os.environ, "DASHBOARD_TEXT_MODEL": "none", **(settings or {})},
            preexec_fn=limited(limit),
        )  # fmt: skip
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2):
                return server, port
        except OSError:
            time.sleep(0.1)
    server.kill()
    raise SystemExit(f"The app did not start:\n{log.read_text(encoding='utf-8')[-2000:]}")


def free_port() -> int:
    """A port of this machine that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def limited(limit: int | None) -> Callable[[], None] | None:
    """What sets the limit of open files of a process before it starts."""
    if limit is None:
        return None
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))


def opened(port: int, number: int, drawn: int, pages: ExitStack) -> Counter[str]:
    """Open so many pages, one after the other; gives the refusals."""
    refused: Counter[str] = Counter()
    for place in range(number):
        try:
            pages.enter_context(page(port, drawn=place < drawn))
        except (OSError, WebSocketException) as problem:
            refused[type(problem).__name__] += 1
    return refused


@contextmanager
def page(port: int, *, drawn: bool) -> Iterator[None]:
    """A session that nobody touches, with its screen drawn or before that."""
    address, origin = f"ws://127.0.0.1:{port}/_stcore/stream", f"http://127.0.0.1:{port}"
    ask = BackMsg()
    ask.rerun_script.page_name = "collections"
    with connect(address, origin=Origin(origin), max_size=None) as there:
        if drawn:
            there.send(ask.SerializeToString())
        while drawn:
            message = ForwardMsg.FromString(bytes(there.recv(timeout=60)))  # type: ignore[arg-type]
            if message.WhichOneof("type") == "script_finished":
                break
        yield


def held(process: int) -> Counter[str]:
    """The descriptors of a process by their kind: socket, eventpoll, a file."""
    kinds: Counter[str] = Counter()
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        try:
            place = str(descriptor.readlink())
        except FileNotFoundError:
            continue
        kinds[
            "file" if place.startswith("/") else re.sub(r"anon_inode:|[\[\]]|:.*", "", place)
        ] += 1
    return kinds


if __name__ == "__main__":
    main()
