"""The server's memory over 200 views of the Query screen.

One browser steps through the queries by key. Prints megabytes of resident memory after the first
20 views, in which everything is opened once, then after each 60 more, and how much it grew.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

REPOSITORY = Path(__file__).parents[2]
PORT = 8799
FIRST, VIEWS, STEP = 20, 200, 60
IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"


def memory(process: int) -> float:
    """Resident megabytes of a process."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def ready() -> None:
    """Wait until the server answers."""
    for _ in range(300):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/_stcore/health", timeout=2).close()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the app did not start")


def look(page, process: int) -> list[float]:
    """Step through the queries; the memory after each STEP."""
    found = []
    for view in range(1, VIEWS + 1):
        before = page.url
        page.keyboard.press("j" if view <= VIEWS // 2 else "k")
        page.wait_for_url(lambda url: url != before)  # noqa: B023 (waited for at once)
        page.locator(IDLE).wait_for()
        if view == FIRST or (view - FIRST) % STEP == 0 and view > FIRST:
            found.append(memory(process))
            print(f"after {view:3d} views: {found[-1]:6.1f} MB", flush=True)
    return found


def main() -> None:
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={PORT}"]
    server = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL)
    try:
        ready()
        with sync_playwright() as playwright:
            path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{PORT}/query?collection=driving")
            page.locator(".card").first.wait_for(timeout=60_000)
            time.sleep(20)  # the text model is loaded in the background
            found = look(page, server.pid)
            browser.close()
        print(f"grew by {found[-1] - found[0]:+.1f} MB")
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
