"""The server's memory over 200 views of the Query screen.

`python -m tests.benchmarks.bench_review [--views N] [--rest SECONDS]`: one browser steps through
the queries by key, after a rest in which the text model is loaded. Prints megabytes of resident
memory after the first tenth of the views, in which everything is opened once, then after each three
tenths more, and how much it grew.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

REPOSITORY = Path(__file__).parents[2]
IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"


def memory(process: int) -> float:
    """Resident megabytes of a process."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def ready(port: int) -> None:
    """Wait until the server answers."""
    for _ in range(300):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2).close()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the app did not start")


def look(page, process: int, views: int) -> list[float]:
    """Step through the queries; the memory after the first tenth and each three tenths more."""
    found = []
    first, step = max(1, views // 10), max(1, 3 * views // 10)
    for view in range(1, views + 1):
        before = page.url
        page.keyboard.press("j" if view <= views // 2 else "k")
        page.wait_for_url(lambda url: url != before)  # noqa: B023 (waited for at once)
        page.locator(IDLE).wait_for()
        if view >= first and (view - first) % step == 0:
            found.append(memory(process))
            print(f"after {view:3d} views: {found[-1]:6.1f} MB", flush=True)
    return found


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--views", type=int, default=200)
    asked.add_argument("--rest", type=float, default=20, metavar="SECONDS")
    call = asked.parse_args()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"]
    server = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL)
    try:
        ready(port)
        with sync_playwright() as playwright:
            path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{port}/query?collection=driving")
            page.locator(".card").first.wait_for(timeout=60_000)
            time.sleep(call.rest)  # the text model is loaded in the background
            found = look(page, server.pid, call.views)
            browser.close()
        print(f"grew by {found[-1] - found[0]:+.1f} MB")
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
