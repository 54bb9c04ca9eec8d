"""How quick the dashboard feels on the driving collection, in Chromium and at the server.

`python -m tests.benchmarks.bench_screens [--clicks N] [--text TEXT]` prints the time to the first
page, from a click to the new pictures, of a text search with its embedding at the server, and the
server's memory with the text model loaded (for a stored text, without it, and nothing is embedded).
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

REPOSITORY = Path(__file__).parents[2]
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")
CLICKS = 20
TEXT = "a lorry cuts in"
CARDS = "section[aria-label] .card"
SHOWN = "all => all[0]?.complete && all[0].naturalWidth ? all.map(each => each.src).join() : ''"


def main() -> None:
    """Start a server, measure, print."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--clicks", type=int, default=CLICKS)
    asked.add_argument("--text", default=TEXT)
    call = asked.parse_args()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"]
    server = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL)
    try:
        _up(f"http://127.0.0.1:{port}/_stcore/health")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            measure(page, f"http://127.0.0.1:{port}", server.pid, call.clicks, call.text)
            browser.close()
    finally:
        server.terminate()
        server.wait()
    if call.text == TEXT:
        search(call.clicks)


def measure(page: Page, address: str, pid: int, number: int, text: str) -> None:
    """What a reader waits for, in the browser."""
    start = time.perf_counter()
    page.goto(address)
    page.get_by_role("heading", name="Overview").wait_for()
    page.locator("table").first.wait_for()
    print(f"first page, from the request to its table: {time.perf_counter() - start:.2f} s")
    page.goto(f"{address}/search?{urlencode({'text': text})}")
    page.locator(CARDS).first.wait_for(timeout=180_000)  # the text model is loaded from here on
    page.goto(f"{address}/query")
    page.locator(CARDS).first.wait_for()
    clicks = [next_query(page) for _ in range(number + 3)][3:]
    print(
        f"from a click on Next to the next query's pictures: median "
        f"{1000 * statistics.median(clicks):.0f} ms, worst of {number} {1000 * max(clicks):.0f} ms"
    )
    print(f"server memory after the search: {_memory(pid):.0f} MB")


def next_query(page: Page) -> float:
    """Seconds from a click to other cards than before, the first with its poster loaded."""
    before = shown(page)
    start = time.perf_counter()
    page.get_by_role("button", name="Next query").click()
    while shown(page) in ("", before):
        if time.perf_counter() - start > 60:
            raise TimeoutError("no other pictures within a minute")
        time.sleep(0.005)
    return time.perf_counter() - start


def shown(page: Page) -> str:
    """The addresses of the pictures on the cards; empty until the first of them is there."""
    return page.locator(f"{CARDS} img").evaluate_all(SHOWN)


def search(number: int) -> None:
    """A text search at the server, its embedding included; no text is searched twice."""
    from dashboard.retrieval import runs
    from dashboard.retrieval.language_models import sentence_vectors
    from dashboard.storage.collection.collection import open_collection

    driving = open_collection("driving")
    sentence_vectors(["warm"])
    times = []
    for place in range(number):
        start = time.perf_counter()
        runs.text_run(driving, driving.versions[-1], f"{TEXT} number {place}", 10)
        times.append(time.perf_counter() - start)
    print(f"text search with its embedding: median {1000 * statistics.median(times):.0f} ms")


def _up(health: str) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(health, timeout=1)
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError("the server did not start")


def _memory(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


if __name__ == "__main__":
    main()
