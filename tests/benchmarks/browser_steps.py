"""Steps of a reader in Chromium: a cold Overview beside a three-line app, and the key j.

`python -m tests.benchmarks.browser_steps` serves the shipped clips and prints, for a cold
Overview and for an app of three lines, seconds until it is drawn, seconds of the server's processor
and bytes that were sent; then milliseconds from the key j to the pictures of the next query.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS, start_server

ROOT = Path(__file__).parents[2]
PLAIN = 'import streamlit as st\nst.title("Plain")\nst.write("three lines")\n'
ROUNDS, STEPS = 5, 50
TICKS = os.sysconf("SC_CLK_TCK")
TIME_STEPS = """steps => new Promise(async done => {
  const roots = () => [...document.querySelectorAll("*")].map(e => e.shadowRoot).filter(Boolean);
  const find = (name) => roots().flatMap(root => [...root.querySelectorAll(name)]);
  const frame = () => new Promise(requestAnimationFrame);
  const told = () => find(".query output")[0].textContent;
  const drawn = () => find("article.card img").slice(0, 6).every(e => e.complete && e.naturalWidth);
  const times = [];
  for (let step = 0; step < steps; step += 1) {
    const before = told(), start = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
    while (told() === before || !drawn()) await frame();
    times.push(performance.now() - start);
    await new Promise(resolve => setTimeout(resolve, 400));
  }
  done(times);
})"""


@contextmanager
def serve(script: Path, port: int) -> Iterator[int]:
    """Serve an app on a port; the value is the number of its process."""
    server = start_server(ROOT / "data", port, script)
    try:
        yield server.pid
    finally:
        server.terminate()
        server.communicate()


def read_seconds(process: int) -> float:
    """Return the seconds of processor that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def open_cold(browser: Browser, script: Path, port: int, text: str) -> tuple[float, float, int]:
    """Return seconds until a text is drawn by a new server, its processor, and bytes sent."""
    with serve(script, port) as process:
        page = browser.new_page()
        session, sent = page.context.new_cdp_session(page), [0]

        def add(event: dict[str, Any]) -> None:
            sent[0] += int(event.get("encodedDataLength", 0) or 0)
            sent[0] += len(event.get("response", {}).get("payloadData", ""))

        session.send("Network.enable")
        session.on("Network.dataReceived", add)
        session.on("Network.webSocketFrameReceived", add)
        used, start = read_seconds(process), time.perf_counter()
        page.goto(f"http://127.0.0.1:{port}")
        page.get_by_text(text).first.wait_for()
        taken = time.perf_counter() - start
        page.wait_for_timeout(2_000)
        page.close()
        return taken, read_seconds(process) - used, sent[0]


def main() -> None:
    """Print the table of both pages, and the times of the key."""
    app = ROOT / "app.py"
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as made:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        plain = Path(made) / "plain.py"
        plain.write_text(PLAIN)
        found = []
        for script, text in ((plain, "three lines"), (app, "Worst queries")):
            rounds = [open_cold(browser, script, 8650 + n, text) for n in range(ROUNDS)]
            found.append([statistics.median(column) for column in zip(*rounds, strict=True)])
        for name, own, other in zip(("seconds", "processor", "bytes"), *found, strict=True):
            told = f"{other:12.2f}  plain {own:12.2f}  {other / own:5.2f} x"
            print(f"cold Overview, {name:10} {told}")
        with serve(app, 8649):
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto("http://127.0.0.1:8649/query?collection=driving")
            page.locator("article.card img").first.wait_for()
            times = page.evaluate(TIME_STEPS, STEPS)
            print(f"key j: median {statistics.median(times):.0f} ms, worst {max(times):.0f} ms")


if __name__ == "__main__":
    main()
