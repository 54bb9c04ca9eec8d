"""How quick the dashboard feels on the driving collection, in Chromium and at the server.

`python -m tests.benchmarks.bench_screens [--rounds N] [--text TEXT]` prints, as medians beside what
is wanted, how long a reader waits for a link, for `j`, for another choice, the player and another
collection, with how far the page jumps and what a step sends. The yardstick is measured in the same
run: `streamlit hello` from the request to its text; on a busy machine only ratios to it count. Then
a text search at the server, and its memory (for a stored text without the model).
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import IDLE, _count_runs, move
from tests.browser.test_keys import PRESS_J

REPOSITORY = Path(__file__).parents[2]
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")
ROUNDS, TEXT = 9, "a lorry cuts in"
CARDS = "section[aria-label] .card"
VIEW = {"collection": "driving", "baseline": "v0.2", "candidate": "v0.3"}
CHANGES = {
    "another metric": {"metric": "nDCG@5"},
    "another candidate": {"candidate": "v0.1"},
    "another group": {"groups": "pv_object_type"},
    "another threshold": {"mapping_threshold": "0.7"},
}
DRAWN = """() => { const host = [...document.querySelectorAll('*')].find(
    node => node.shadowRoot?.querySelector('.card'));
    const first = host?.shadowRoot.querySelector('.card img');
    return Boolean(first?.complete && first.naturalWidth); }"""
JUMPS = """() => { window.jumped = 0; new PerformanceObserver(list => list.getEntries().forEach(
    each => { if (!each.hadRecentInput) window.jumped += each.value; }
)).observe({type: 'layout-shift', buffered: true}); }"""


def main() -> None:
    """Start the servers, measure, print."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rounds", type=int, default=ROUNDS)
    asked.add_argument("--text", default=TEXT)
    call = asked.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        with _server("hello") as (hello, _):
            yardstick = statistics.median(_hello(browser, hello) for _ in range(call.rounds))
        print(f"{'':42}{'median':>10}{'wanted':>10}{'÷ hello':>9}")
        _tell("streamlit hello, request to text", 1000 * yardstick, "", yardstick)
        with _server("run", "app.py") as (address, pid):
            measure(browser, address, call.rounds, call.text, yardstick)
            print(f"server memory after the search: {_memory(pid):.0f} MB")
        browser.close()
    if call.text == TEXT:
        search(call.rounds)


def measure(browser: Browser, address: str, rounds: int, text: str, yardstick: float) -> None:
    """What a reader waits for, in the browser."""
    page = _page(browser)
    page.goto(f"{address}/search?{urlencode({'text': text})}")
    page.locator(CARDS).first.wait_for(timeout=180_000)  # the text model is loaded from here on
    query = f"{address}/query?{urlencode(VIEW)}"
    _open(page, query)  # what the server remembers from then on is there for all readers

    def tell(what: str, times: list[float], wanted: str) -> None:
        _tell(what, 1000 * statistics.median(times), wanted, yardstick)

    tell("a link to its first picture", [_open(page, query) for _ in range(rounds)], "1,200 ms")
    jumped = page.evaluate("window.jumped")
    tell("j to the next query's cards", [_next(page) for _ in range(rounds)], "100 ms")
    sizes = [_size_of(page, lambda: _next(page)) for _ in range(3)]
    for what, change in CHANGES.items():
        there = [f"{query}&", f"{address}/query?{urlencode({**VIEW, **change})}"]
        for place in there:
            _to(page, place)
        tell(what, [_to(page, there[n % 2]) for n in range(rounds)], "300 ms")
    tell("the player", [_player(page) for _ in range(rounds)], "150 ms")
    others = [f"{address}/?collection={name}" for name in ("openmoji_captions", "driving")]
    for place in others:
        _to(page, place, "table")
    tell("another collection", [_to(page, others[n % 2], "table") for n in range(rounds)], "700 ms")
    _open(page, query)
    before, after = _ten(page)
    print(f"ten presses of j, 100 ms apart: from query {before} to {after}")
    print(f"layout shift of a link that is opened: {jumped:.3f} (wanted: below 0.02)")
    print(f"a step sends {statistics.median(sizes) / 1000:.1f} KB (wanted: below 30)")
    page.close()


def _tell(what: str, median: float, wanted: str, yardstick: float) -> None:
    print(f"{what:42}{median:7.0f} ms{wanted:>10}{median / 1000 / yardstick:9.2f}", flush=True)


def _page(browser: Browser) -> Any:
    """A page that counts the runs of its script, as the tests in a browser do, and what it gets."""
    page: Any = browser.new_page(viewport={"width": 1440, "height": 900})
    _count_runs(page)
    page.add_init_script(f"({JUMPS})()")
    return page


def _hello(browser: Browser, address: str) -> float:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    start = time.perf_counter()
    page.goto(address)
    page.get_by_text("Welcome to Streamlit").first.wait_for()
    taken = time.perf_counter() - start
    page.close()
    return taken


def _open(page: Page, address: str) -> float:
    """Seconds from the request to the first picture."""
    start = time.perf_counter()
    page.goto(address)
    page.wait_for_function(DRAWN, polling="raf")
    taken = time.perf_counter() - start
    page.locator(IDLE).wait_for()
    page.wait_for_timeout(1500)  # the neighbours' cards come
    return taken


def _next(page: Page) -> float:
    """Seconds from `j` to other cards."""
    took = "async () => { const t = performance.now(); await (%s)(); return performance.now() - t }"
    taken = page.evaluate(took % PRESS_J) / 1000
    page.wait_for_timeout(1000)
    page.locator(IDLE).wait_for()
    return float(taken)


def _ten(page: Page) -> tuple[str, str]:
    """The number of the query before and after ten presses of `j`."""
    output = page.locator(".steps output")
    before = output.inner_text()
    for _ in range(10):
        page.keyboard.press("j")
        page.wait_for_timeout(100)
    page.wait_for_timeout(300)
    return before, output.inner_text()


def _to(page: Page, address: str, drawn: str = CARDS) -> float:
    """Seconds until another choice, as in the address, is drawn with its pictures."""
    start = time.perf_counter()
    move(page, address)
    page.locator(drawn).first.wait_for()
    if drawn == CARDS:
        page.wait_for_function(DRAWN, polling="raf")
    return time.perf_counter() - start


PRESSED = """() => { window.opened = null; addEventListener('click', event => {
    const look = () => [...document.querySelectorAll('*')].some(
            node => node.shadowRoot?.querySelector('dialog.player[open]'))
        ? requestAnimationFrame(now => { window.opened = now - event.timeStamp; })
        : requestAnimationFrame(look);
    look(); }, {capture: true, once: true}); }"""
"""Times, by the page's own clock, from a press of the mouse to the frame after the player is open:
Playwright's click waits until nothing moves, which is no wait of the reader."""


def _player(page: Page) -> float:
    """Seconds from a click on a card to the player; it is closed again."""
    page.evaluate(PRESSED)
    page.locator(CARDS).first.click()
    page.wait_for_function("window.opened !== null")
    taken = float(page.evaluate("window.opened")) / 1000
    page.keyboard.press("Escape")
    page.locator("dialog.player[open]").wait_for(state="hidden")
    page.wait_for_timeout(500)
    return taken


def _size_of(page: Any, step: Callable[[], object]) -> int:
    """Bytes that the live connection brings for a step, unpacked."""
    page.sent = 0
    step()
    return int(page.sent)


@contextmanager
def _server(*command: str) -> Iterator[tuple[str, int]]:
    """A Streamlit server on a free port: its address and its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = [f"--server.port={port}", "--server.headless=true"]
    server = subprocess.Popen(
        [sys.executable, "-m", "streamlit", *command, *options],
        cwd=REPOSITORY,
        stdout=subprocess.DEVNULL,
    )
    try:
        _up(f"http://127.0.0.1:{port}/_stcore/health")
        yield f"http://127.0.0.1:{port}", server.pid
    finally:
        server.terminate()
        server.wait()


def search(number: int) -> None:
    """A text search at the server, its embedding included; no text is searched twice."""
    from dashboard.retrieval import one_query
    from dashboard.retrieval.encoders.language_models import sentence_vectors
    from dashboard.storage.collection.collection import open_collection

    driving = open_collection("driving")
    sentence_vectors(["warm"])
    times = []
    for place in range(number):
        start = time.perf_counter()
        one_query.text_run(driving, driving.versions[-1], f"{TEXT} number {place}", 10)
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
