"""A served dashboard and a page of Chromium."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

APP = Path(__file__).parents[2] / "app.py"
CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
TIMEOUT_MS = 30_000


def find_port() -> int:
    """Return a port that is free."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@contextmanager
def _serve(data: Path, port: int = 0, **settings: str) -> Iterator[str]:
    """Serve the collections of a folder; the value is the address."""
    port = port or find_port()
    call = [sys.executable, "-m", "streamlit", "run", str(APP), "--server.headless", "true"]
    call += ["--server.port", str(port), "--server.fileWatcherType", "none"]
    environment = os.environ | {"DASHBOARD_DATA": str(data), **settings}
    server = subprocess.Popen(call, env=environment, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    for line in server.stdout:
        if "URL" in line:
            break
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.communicate()


@pytest.fixture(scope="session")
def serve() -> Callable[..., AbstractContextManager[str]]:
    """Serve the collections of a folder while a block runs."""
    return _serve


@pytest.fixture(scope="session")
def shipped() -> Iterator[str]:
    """Serve the shipped collections; the value is the address."""
    with _serve(APP.parent / "data") as address:
        yield address


@pytest.fixture
def page() -> Iterator[Page]:
    """Open a page of 1440 x 900 pixels."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        opened = browser.new_page(viewport={"width": 1440, "height": 900})
        opened.set_default_timeout(TIMEOUT_MS)
        expect.set_options(timeout=TIMEOUT_MS)
        yield opened
        browser.close()
