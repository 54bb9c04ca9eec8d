"""Reviewers who judge at once through the server: how long a verdict takes, and kills.

`python -m tests.benchmarks.fifty_reviewers [--people N] [--seconds N] [--kills N] [--store URL]`
serves the shipped clips; the store is a file, or the database with an address. First each person
saves a verdict a second; printed are the median and the 95th percentile until it is acknowledged.
Then six people judge without pause while the server is killed and started again; it ends with 1 if
an acknowledged verdict is not stored exactly once.
"""

from __future__ import annotations

import http.client
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from dashboard.plugins.reviews import store
from dashboard.plugins.reviews.verdicts import list_history
from tests.benchmarks.measure_large import read_options
from tests.browser.conftest import start_server

ROOT = Path(__file__).parents[2]
PORT = 8655
KILLED = 6
"""People who judge while the server is killed."""


def save(line: http.client.HTTPConnection, author: str, once: str) -> int:
    """Send one verdict over a kept connection; return its number, 0 if it was not acknowledged."""
    row = {"once": once, "query_id": "q001", "item_id": "highway_small_vehicle_entering_004"}
    body = {"collection": "driving", "author": author, "rows": [row | {"value": "not"}]}
    headers = {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"}
    try:
        line.request("POST", "/reviews/verdicts", json.dumps(body | {}), headers)
        answer = line.getresponse()
        found = json.loads(answer.read())
    except (OSError, http.client.HTTPException, ValueError):
        line.close()
        return 0
    if answer.status != 200 or not found["saved"]:
        raise SystemExit(f"status {answer.status}: {found}")
    return int(found["saved"][0]["number"])


def judge(author: str, until: float, pause: float, times: list[float], told: set[str]) -> None:
    """Save verdicts until a time; one that is not acknowledged is sent again."""
    line, number = http.client.HTTPConnection("127.0.0.1", PORT, timeout=10), 0
    while time.monotonic() < until:
        begun = time.perf_counter()
        once = f"{author}-{number}"
        if save(line, author, once):
            times.append(time.perf_counter() - begun)
            told.add(once)
            number += 1
        else:
            time.sleep(0.1)
        time.sleep(max(0.0, pause - (time.perf_counter() - begun)))
    line.close()


def run_people(people: int, seconds: float, pause: float, prefix: str) -> tuple[Any, set[str]]:
    """Start people who judge; return a function that waits for them, and what is acknowledged."""
    times: list[float] = []
    told: set[str] = set()
    until = time.monotonic() + seconds
    threads = [
        threading.Thread(target=judge, args=(f"{prefix}{each}", until, pause, times, told))
        for each in range(people)
    ]
    for thread in threads:
        thread.start()
        time.sleep(pause / people)

    def wait() -> list[float]:
        for thread in threads:
            thread.join()
        return times

    return wait, told


def count_stored() -> Counter[str]:
    """Return how often each verdict is stored, by author and place among the author's."""
    places: Counter[str] = Counter()
    for row in list_history("driving"):
        places[row.author] += 1
    return places


def main() -> int:
    """Print both figures."""
    call = read_options(__doc__, people=50, seconds=60, kills=60, store="")
    with tempfile.TemporaryDirectory() as folder:
        settings = {store.VARIABLE: call.store or folder}
        os.environ |= settings | {"DASHBOARD_DATA": str(ROOT / "data")}
        server = start_server(ROOT / "data", PORT, **settings)
        wait, told = run_people(call.people, call.seconds, 1.0, "a")
        times = sorted(1_000 * each for each in wait())
        middle, late = statistics.median(times), times[int(0.95 * len(times))]
        told_times = f"median {middle:.1f} ms, 95 % {late:.1f} ms"
        print(f"{call.people} people: {len(times):,} verdicts, {told_times}")
        wait, more = run_people(KILLED, 7.0 * call.kills, 0.0, "b")
        for _ in range(call.kills):
            time.sleep(1.0)
            server.kill()
            server.wait()
            server = start_server(ROOT / "data", PORT, **settings)
        wait()
        server.kill()
        server.wait()
        asked = Counter(name.rpartition("-")[0] for name in (*told, *more))
        stored = count_stored()
        lost = sum(max(0, asked[name] - stored[name]) for name in asked)
        twice = sum(max(0, stored[name] - asked[name] - 1) for name in stored)
        print(f"{call.kills} kills: {asked.total():,} acknowledged, {stored.total():,} stored, "
              f"{lost} lost, {twice} twice")  # fmt: skip
    return int(bool(lost or twice))


if __name__ == "__main__":
    sys.exit(main())
