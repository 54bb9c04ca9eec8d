"""A served dashboard and a page of Chromium."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

APP = Path(__file__).parents[2] / "app.py"
CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
TIMEOUT_MS = 30_000


def find_port() -> int:
    """Return a port that is free."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def start_server(
    data: Path, port: int, script: Path = APP, **settings: str
) -> subprocess.Popen[bytes]:
    """Serve the collections of a folder, and wait until the server answers."""
    call = [sys.executable, "-m", "streamlit", "run", str(script), "--server.headless", "true"]
    call += ["--server.port", str(port), "--server.fileWatcherType", "none"]
    environment = os.environ | {"DASHBOARD_DATA": str(data), **settings}
    server = subprocess.Popen(call, env=environment, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while time.monotonic() < end and server.poll() is None:
        with suppress(OSError), urlopen(f"http://127.0.0.1:{port}/_stcore/health"):
            return server
        time.sleep(0.05)
    server.kill()
    raise OSError(f"no server answers at port {port}")


@contextmanager
def _serve(data: Path, port: int = 0, **settings: str) -> Iterator[str]:
    """Serve the collections of a folder; the value is the address."""
    port = port or find_port()
    server = start_server(data, port, **settings)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.communicate()


@pytest.fixture(scope="session")
def serve() -> Callable[..., AbstractContextManager[str]]:
    """Serve the collections of a folder while a block runs."""
    return _serve


@pytest.fixture
def pictured(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Serve the small world with pictures and a store of its own; the value is the address."""
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "said"))
    (world / "media").mkdir()
    rows = ["item_id,file,caption"]
    for name, colour in zip("abcd", ("red", "green", "blue", "grey"), strict=True):
        Image.new("RGB", (320, 180), colour).save(world / "media" / f"{name}.png")
        rows.append(f"{name},{name}.png,caption of {name}")
    (world / "items.csv").write_text("\n".join(rows))
    with _serve(world.parent) as address:
        yield address


def check_visits(page: Page, visit: Callable[[], None]) -> None:
    """Check that ten visits leave as many listeners and nodes in the tab as three."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    counts = []
    for _ in range(10):
        visit()
        session.send("HeapProfiler.collectGarbage")
        found = session.send("Performance.getMetrics")["metrics"]
        counts.append({each["name"]: each["value"] for each in found})
    for name in ("JSEventListeners", "Nodes"):
        assert counts[-1][name] <= counts[2][name] * 1.1 + 20, [each[name] for each in counts]


@pytest.fixture(scope="session")
def shipped() -> Iterator[str]:
    """Serve the shipped collections; the value is the address."""
    with _serve(APP.parent / "data") as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Chromium for the tests of a file; its event loop is in the way of other tests."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Open a page of 1440 x 900 pixels, without cookies of other tests."""
    expect.set_options(timeout=TIMEOUT_MS)
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        context.set_default_timeout(TIMEOUT_MS)
        yield context.new_page()
