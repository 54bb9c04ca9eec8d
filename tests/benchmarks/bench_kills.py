"""Kills -9 of the app and of PostgreSQL during saves: what was acknowledged, and what is stored.

`python -m tests.benchmarks.bench_kills [--kills N] [--server-kills N] [--store sqlite|postgresql]`:
three clients press keys of review mode by HTTP, one press after another, each sent again under its
name until the app has acknowledged it. Prints how many were acknowledged, how many are stored, and
exits with 1 where one is missing, there twice or out of order.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from http.client import HTTPException
from pathlib import Path

from dashboard.storage.reviews import review_database
from dashboard.storage.reviews.reviews import VERDICT, history
from tests.storage import postgres

REPOSITORY = Path(__file__).parents[2]
COLLECTION = "openmoji_captions"
VALUES = ("relevant", "not", "unsure")


class App:
    """The dashboard in a process of its own, always at the same port."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        call = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={self.port}"]
        self.process = subprocess.Popen(
            call, cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(20)


class Client(threading.Thread):
    """A page in review mode: sends each press until it is acknowledged."""

    def __init__(self, name: str, app: App, query: str, items: list[str]) -> None:
        super().__init__(daemon=True)
        self.client, self.app, self.query, self.items = name, app, query, items
        self.acknowledged: list[tuple[str, str]] = []
        self.refusals = 0
        self.ended = threading.Event()

    def run(self) -> None:
        number = 0
        while not self.ended.is_set():
            item, value = self.items[number % len(self.items)], VALUES[number % len(VALUES)]
            act = {
                "once": f"{self.client}-{number}", "kind": "verdict", "collection": COLLECTION,
                "query": self.query, "author": self.client, "item": item, "value": value,
                "note": str(number),
            }  # fmt: skip
            if self._sent(act):
                self.acknowledged.append((str(number), value))
                number += 1
            else:
                self.refusals += 1
                time.sleep(0.05)

    def _sent(self, act: dict[str, str]) -> bool:
        request = urllib.request.Request(
            f"{self.app.url}/judgements",
            json.dumps({"acts": [act]}).encode(),
            {"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                [result] = json.load(answer)["results"]
        except (OSError, ValueError, HTTPException):  # killed before or during its answer
            return False
        assert result["again"] or not result["problem"], result
        return not result["again"]


def during(clients: list[Client], saves: int) -> None:
    """Wait until so many more are acknowledged, and a moment more or less."""
    before = sum(len(each.acknowledged) for each in clients)
    until = time.monotonic() + 120
    while sum(len(each.acknowledged) for each in clients) < before + saves:
        if time.monotonic() > until:
            raise SystemExit("the app does not come back")
        time.sleep(0.01)
    time.sleep(random.uniform(0, 0.3))


def main() -> None:
    call = argparse.ArgumentParser(description=__doc__)
    call.add_argument("--kills", type=int, default=25)
    call.add_argument("--server-kills", type=int, default=0)
    call.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    wanted = call.parse_args()
    server = postgres.Server().start() if wanted.store == "postgresql" else None
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DASHBOARD_REVIEWS"] = server.address() if server else f"{folder}/said"
        os.environ["DASHBOARD_TEXT_MODEL"] = "none"
        app = App()
        try:
            _kill(app, wanted, server)
        finally:
            if app.process is not None:
                app.kill()
            review_database.disconnect()
            if server is not None:
                server.close()


def _kill(app: App, wanted: argparse.Namespace, server: postgres.Server | None) -> None:
    from dashboard.experiment.collection.collections import opened

    collection = opened(COLLECTION)
    query = str(collection.queries["query_id"].iloc[0])
    items = [str(item) for item in collection.items["item_id"].head(50)]
    clients = [Client(name, app, query, items) for name in ("Ada", "Bob", "Eve")]
    app.start()
    for each in clients:
        each.start()
    for _ in range(wanted.kills):
        during(clients, 20)
        app.kill()
        app.start()
    for _ in range(wanted.server_kills if server else 0):
        during(clients, 20)
        assert server is not None
        server.kill()
        server.start()
    during(clients, 20)
    for each in clients:
        each.ended.set()
    for each in clients:
        each.join(30)
    stored, wrong = history(COLLECTION, VERDICT), 0
    for each in clients:
        mine = stored[stored["author"] == each.client]
        rows = list(zip(mine["note"], mine["value"], strict=True))
        unacknowledged = len(rows) - len(each.acknowledged)  # its answer was lost at the end
        wrong += rows[: len(each.acknowledged)] != each.acknowledged or not 0 <= unacknowledged <= 1
    acknowledged = sum(len(each.acknowledged) for each in clients)
    print(
        f"{wanted.store}: {wanted.kills} kills of the app, {wanted.server_kills} of the server; "
        f"acknowledged {acknowledged}, stored {len(stored)}; "
        f"sent again {sum(each.refusals for each in clients)} times; wrong {wrong}"
    )
    if wrong:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
