"""Many pages: the limit of open files is raised, a short one is said, the log stays short without
any left, and closed pages give back what they held."""

from __future__ import annotations

import resource
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser.conftest import GARBAGE

REPOSITORY = Path(__file__).parents[2]
IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"
RAISED = "from dashboard.views.server.open_files import raise_limit; print(raise_limit())"
LIMIT = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])"


@pytest.mark.parametrize(("hard", "raised"), [(1024, 1024), (8192, 8192)])
def test_the_limit_is_raised_and_one_that_is_too_low_is_said(hard: int, raised: int) -> None:
    known = subprocess.run(
        [sys.executable, "-c", f"{RAISED}; {LIMIT}"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (512, hard)),
    )
    *sentence, soft = known.stdout.splitlines()
    assert int(soft) == raised
    assert ("Only 1,024 files" in sentence[0]) == (hard == 1024)


@pytest.fixture(scope="module")
def url(serve: Callable[..., str]) -> str:
    return serve(REPOSITORY / "app.py", **GARBAGE)


def open_files(process: int) -> list[str]:
    """What each descriptor of a process leads to."""
    found = []
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        try:
            found.append(str(descriptor.readlink()))
        except FileNotFoundError:
            continue
    return found


@pytest.mark.slow
def test_closed_pages_give_back_their_descriptors(
    serve: Callable[..., str], url: str, new_page: Callable
) -> None:
    process = serve.running[url][0].pid

    def loops() -> int:
        return sum("eventpoll" in place for place in open_files(process))

    page = new_page(fresh=True)
    page.goto(f"{url}/collections")
    page.locator(IDLE).wait_for()
    one = loops()
    others = [new_page() for _ in range(4)]
    for other in others:
        other.goto(f"{url}/collections")
        other.locator(IDLE).wait_for()
    assert loops() == one + 4
    for other in others:
        other.goto("about:blank")
    end = time.monotonic() + 40
    while loops() > one and time.monotonic() < end:
        page.wait_for_timeout(500)
    assert loops() == one
    others[0].go_back()  # within two minutes: the session is found again and works
    others[0].locator(IDLE).wait_for()
    others[0].get_by_role("link", name="Compare").click()
    others[0].get_by_role("heading", name="Compare").wait_for()
    assert "session-owned" not in serve.log(url)


@pytest.mark.slow
def test_without_a_descriptor_left_the_log_stays_short_and_the_server_comes_back(
    serve: Callable[..., str], url: str
) -> None:
    process = serve.running[url][0].pid
    there = len(open_files(process)) + 20
    resource.prlimit(process, resource.RLIMIT_NOFILE, (there, there))
    with ExitStack() as pages:
        for _ in range(60):
            door = socket.create_connection(("127.0.0.1", urlsplit(url).port))
            pages.enter_context(door)
        time.sleep(4)
        log = serve.log(url)
        assert "out of system resource" in log and log.count("Traceback") <= 10
        assert len(log) < 50_000
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=5) as answer:
                assert answer.status == 200
                return
        except OSError:
            time.sleep(0.5)
    pytest.fail("the server does not answer any more")
