"""A served app and a browser for the tests that look at pages as a person does."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from filelock import FileLock
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

collect_ignore_glob = ["*_world*"]  # pages that the tests serve, not tests

REPOSITORY = Path(__file__).parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome")
NO_TEXT_MODEL, OUR_TEXT_MODEL = {"DASHBOARD_TEXT_MODEL": "none"}, {"DASHBOARD_TEXT_MODEL": ""}
GARBAGE = {"STREAMLIT_RUNNER_POST_SCRIPT_GC": "true"}
PLAIN = {**NO_TEXT_MODEL, "STREAMLIT_RUNNER_POST_SCRIPT_GC": "false"}
HOSTS = {"DASHBOARD_HOSTS": "Search.Example.org, *.lab.example.org"}
NO_BROWSER = (
    "These tests need Chromium and Playwright: install the package `chromium` of your system (or "
    "name a browser in the variable CHROMIUM) and `pip install -r tests/requirements.txt`."
)
IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"
MOVE = """to => {
    document.activeElement?.blur();
    document.querySelector('[data-testid=stMain]')?.scrollTo(0, 0);
    history.pushState({}, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
}"""
"""Go to an address of the same app."""
WHOLE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
"""How a run ends that was not broken off for another one."""
VISITS = count(1)
PAINTED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
STILL = """async node => {
    const running = () =>
        node.getAnimations({ subtree: true }).filter(each => each.playState === 'running');
    while (running().length) await Promise.allSettled(running().map(each => each.finished));
}"""
"""Wait until nothing moves. What another movement takes over ends with a broken promise."""
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Each window would prepare two pages for what is typed into the address bar.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
)


def chromium() -> str | None:
    """The path of the browser: `CHROMIUM`, else the first of the usual names."""
    named = [os.environ["CHROMIUM"]] if os.environ.get("CHROMIUM") else list(NAMES)
    return next((path for name in named if (path := shutil.which(name))), None)


def _without_browser() -> None:
    if os.environ.get("CI"):
        pytest.fail(NO_BROWSER)
    pytest.skip(NO_BROWSER)


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """A headless Chromium that all tests share."""
    path = chromium()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        _without_browser()
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def contexts(browser) -> Iterator[dict]:
    """Browser profiles by their options: pages of all modules share what the browser has cached."""
    kept: dict = {}
    yield kept
    for context in kept.values():
        context.close()


@pytest.fixture
def motion(request) -> dict[str, str]:
    """Nothing moves by itself, whose drawing sixty times a second would take more than the page,
    but in tests that look at movements and have the browser `alone`."""
    return {"reduced_motion": "no-preference" if "alone" in request.fixturenames else "reduce"}


def _new_context(browser, options: dict):
    context = browser.new_context(**options)
    context.set_default_timeout(60_000)  # ends what hangs
    return context


def _new_page(browser, contexts: dict, options: dict):
    name = str(options)
    if name not in contexts:
        contexts[name] = _new_context(browser, options)
    return contexts[name].new_page()


@pytest.fixture
def new_page(browser, contexts: dict, motion: dict) -> Iterator[Callable]:
    """Opens pages (`fresh`: nothing is cached); at the end no script of theirs may have failed."""
    pages, own, errors = [], [], []

    def opened(width: int = 1280, height: int = 900, fresh: bool = False, **options: object):
        options = {**motion, **options, "viewport": {"width": width, "height": height}}
        if fresh:
            own.append(_new_context(browser, options))
            page = own[-1].new_page()
        else:
            page = _new_page(browser, contexts, options)
        page.on("pageerror", lambda error: errors.append(str(error)))
        _count_runs(page)
        pages.append(page)
        return page

    yield opened
    for each in [*pages, *own]:
        each.close()
    assert not errors


@pytest.fixture(scope="module")
def left() -> Iterator[dict[str, list]]:
    """Pages that tests of a module have left open, by app and options."""
    pages: dict[str, list] = {}
    yield pages
    for page in (page for of in pages.values() for page in of):
        page.close()


def _count_runs(page) -> None:
    """Count in `page.runs` the runs of the script that have ended since the page found its server,
    as that says so, in `page.drawings` those of a part of it, too, and in `page.sent` the bytes
    that came."""

    def connected(line) -> None:
        page.runs = page.drawings = page.sent = 0
        line.on("framereceived", partial(_count, page))

    page.runs = page.drawings = page.sent = 0
    page.on("websocket", connected)


def _count(page, message: bytes | str) -> None:
    page.sent += len(message)
    if not isinstance(message, bytes):
        return
    said = ForwardMsg.FromString(message)
    if said.WhichOneof("type") == "script_finished":
        page.runs += said.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
        page.drawings += said.script_finished in WHOLE


def move(page, address: str) -> None:
    """Go to another address of the app, and wait until its script has run and is drawn. A run may
    be so short that the page never shows that it runs."""
    before, until = page.runs, time.monotonic() + 60
    page.evaluate(MOVE, address)
    while page.runs == before:
        assert time.monotonic() < until, f"nothing was drawn at {address}"
        page.wait_for_timeout(20)
    page.locator(IDLE).wait_for()
    page.evaluate(PAINTED)


def open_more(page) -> None:
    """Open *More* in the side bar."""
    unfold(page.locator("[data-testid=stSidebar] details"))


def unfold(section) -> None:
    """Open a part of the page where it is not, and wait until it is open: while it grows, what it
    holds moves away between the press and the release of a click."""
    if not section.evaluate("node => node.open"):
        section.locator("summary").click()
    section.page.evaluate(PAINTED)
    section.evaluate(STILL)
    assert section.evaluate("node => node.open")


@pytest.fixture
def page_at(browser, contexts: dict, left: dict, motion: dict) -> Iterator[Callable]:
    """Opens an address of the app on a page that an earlier test of the module has left, if there
    is one: it goes there as if by Back, which costs a third of a page that is loaded. For tests
    that start from what the address says, and leave no page with a half-typed word behind; at the
    end no script may have failed."""
    taken = []

    def opened(address: str, width: int = 1280, height: int = 900, **options: object):
        options = {**motion, **options, "viewport": {"width": width, "height": height}}
        kind = f"{options} {urllib.parse.urlsplit(address).netloc}"
        if left.get(kind):
            page = left[kind].pop()
            page.mouse.move(0, 0)
            page.locator(IDLE).wait_for()  # it may still draw what the earlier test did last
            move(page, address)
        else:
            page = _new_page(browser, contexts, options)
            page.failed = []
            page.on("pageerror", lambda error: page.failed.append(str(error)))
            _count_runs(page)
            page.goto(address)
        taken.append((kind, page))
        return page

    yield opened
    for kind, page in taken:
        if page.is_closed() or page.locator("dialog[open]").count():
            page.close()
        else:
            left.setdefault(kind, []).append(page)
    assert not [error for _, page in taken for error in page.failed]


@pytest.fixture
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """For what measures moments, movements and jumps: no other worker does so at the same time."""
    with FileLock(tmp_path_factory.getbasetemp().parent / "measuring.lock"):
        yield


class Servers:
    """Runs `streamlit run FILE` on free ports, until it is told to stop."""

    def __init__(self, folder: Callable[[], Path]) -> None:
        self.folder = folder
        self.running: dict[str, tuple[subprocess.Popen, Path]] = {}

    def __call__(self, file: Path, *, port: int = 0, **environment: str) -> str:
        """Start one; gives its address, with STREAMLIT_SERVER_BASE_URL_PATH the one below that.

        It has no text model, whose loading takes longer than all else, and looks for no garbage
        after each run of a page, but where it is told to.
        """
        if chromium() is None:
            _without_browser()
        port = port or _free_port()
        log = self.folder() / "log.txt"
        with log.open("w") as output:
            server = subprocess.Popen(
                _command(file, port),
                cwd=REPOSITORY,
                env={**os.environ, **PLAIN, "PYTHONPATH": str(REPOSITORY), **environment},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        base = environment.get("STREAMLIT_SERVER_BASE_URL_PATH", "")
        url = f"http://127.0.0.1:{port}/{base}".rstrip("/")
        self.running[url] = server, log
        _wait(url, server, log)
        return url

    def log(self, url: str) -> str:
        """What the one at an address has logged so far."""
        return self.running[url][1].read_text(encoding="utf-8")

    def stop(self, url: str) -> None:
        """Stop the one at an address."""
        server, _ = self.running.pop(url)
        server.terminate()
        server.wait(timeout=60)  # ends what hangs


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Starts `streamlit run FILE` on a free port, gives its address; stops it after the module."""
    servers = Servers(lambda: tmp_path_factory.mktemp("server"))
    yield servers
    for url in list(servers.running):
        servers.stop(url)


@pytest.fixture(scope="session")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the dashboard as it is, for all modules that only look at its collections."""
    servers = Servers(lambda: tmp_path_factory.mktemp("dashboard"))
    url = servers(REPOSITORY / "app.py", **HOSTS)
    yield url
    servers.stop(url)


@pytest.fixture(scope="session")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """A server of collections that are made for tests, `streets`, `plain` and a spoilt copy of
    `openmoji_context`, for all modules that review them: its `url`, the folders `data`, `cache` and
    `reviews`, and `stop` and `start`, which keep the address."""
    from tests.browser import lists_world, review_world, upload_world

    place = tmp_path_factory.mktemp("made_up")
    review_world.build(place / "data" / "streets")
    upload_world.build(place / "data" / "plain")
    lists_world.build(place / "data" / "openmoji_context")
    folders = {name: place / name for name in ("data", "cache", "reviews")}
    settings = {f"DASHBOARD_{name.upper()}": str(folder) for name, folder in folders.items()}
    servers = Servers(lambda: tmp_path_factory.mktemp("server"))
    app = REPOSITORY / "app.py"
    url = servers(app, **settings)
    port = urllib.parse.urlsplit(url).port or 0
    yield SimpleNamespace(
        url=url,
        stop=lambda: servers.stop(url),
        start=lambda: servers(app, port=port, **settings),
        **folders,
    )
    servers.stop(url)


def _command(file: Path, port: int) -> list[str]:
    options = {
        "server.port": port,
        "server.address": "127.0.0.1",
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
    }
    command = [sys.executable, "-m", "streamlit", "run", str(file)]
    return command + [f"--{name}={value}" for name, value in options.items()]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(url: str, server: subprocess.Popen, log: Path, seconds: float = 180) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.1)
    pytest.fail(f"The app did not start:\n{log.read_text(encoding='utf-8')[-3000:]}")


@pytest.fixture(scope="session")
def cards_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a page with nothing but cards, of items good and odd."""
    from tests.browser.cards_world import world

    folder = tmp_path_factory.mktemp("cards")
    world.build(folder / "world")
    page, cache = Path(__file__).parent / "cards_world" / "app.py", str(folder / "cache")
    servers = Servers(lambda: folder)
    url = servers(page, CARDS_WORLD=str(folder / "world"), DASHBOARD_CACHE=cache)
    yield url
    servers.stop(url)


@pytest.fixture
def cards_at(cards_address: str, page_at: Callable) -> Iterator[Callable]:
    """Opens the page of cards at `?…`, on a page that an earlier test has left: a visit of its own
    number, of which the page says that it is drawn and what it was told. `page.requested` is what
    was asked for since then."""
    visited = []

    def opened(query: str = "", **options: object):
        number = next(VISITS)
        page = page_at(f"{cards_address}/?{query}&visit={number}", **options)
        visited.append(page)
        if not hasattr(page, "requested"):
            page.on("request", lambda request: page.requested.append(request.url))
        page.requested = []
        page.get_by_text(f"visit {number}", exact=True).wait_for()
        page.locator(".card").first.wait_for()
        page.evaluate(PAINTED)
        return page

    yield opened
    for page in visited:
        if page.locator("dialog[open]").count():
            page.locator(IDLE).wait_for()  # it may still write the clip of the last key
            page.keyboard.press("Escape")
            page.locator("dialog[open]").wait_for(state="hidden")
            page.wait_for_url(lambda url: "clip=" not in url)
