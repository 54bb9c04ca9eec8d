"""A verdict that a full or a read-only disk does not take: the reason is named, the note stays."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser import review_world
from tests.browser.conftest import REPOSITORY
from tests.browser.test_verdicts import say

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A disk of one megabyte, where this machine lets us mount one."""
    place = tmp_path_factory.mktemp("disk")
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], disk: Path, tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("verdicts")
    review_world.build(folder / "data" / "streets")
    data, cache = str(folder / "data"), str(folder / "cache")
    app = REPOSITORY / "app.py"
    return serve(app, DASHBOARD_DATA=data, DASHBOARD_CACHE=cache, DASHBOARD_REVIEWS=str(disk))


def fill(disk: Path) -> None:
    with (disk / "other").open("wb", buffering=0) as other, pytest.raises(OSError):
        while True:
            other.write(bytes(4_096))


def remount(disk: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", str(disk)], check=True)


def test_the_note_stays_until_it_is_kept_and_verdicts_stay_readable(
    address: str, disk: Path, new_page: Callable
) -> None:
    page = new_page()
    page.goto(f"{address}/query?query=like1&clip=street_02&shown=50")
    page.locator("dialog[open] .say").wait_for()
    say(page, "not relevant", "the first")
    page.get_by_text("Saved.", exact=True).wait_for()
    for spoil, mend, reason in (
        (lambda: fill(disk), lambda: (disk / "other").unlink(), "a full disk"),
        (lambda: remount(disk, "ro"), lambda: remount(disk, "rw"), "a read-only disk"),
    ):
        spoil()
        say(page, "unsure", f"a long note on {reason}")
        page.get_by_text(f"Not saved: reviews.sqlite: found {reason}").wait_for()
        assert page.get_by_label("Note").input_value() == f"a long note on {reason}"
        assert page.get_by_role("radio", name="unsure").is_checked()
        assert page.locator("dialog .verdicts li").count() == 1, "what was said stays readable"
        page.reload()
        page.get_by_text("Draft, not saved yet.").wait_for()  # not that the connection is lost
        assert page.get_by_label("Note").input_value() == f"a long note on {reason}"
        mend()
        page.get_by_role("button", name="Save verdict").click()
        page.get_by_text("Saved.", exact=True).wait_for()
        page.locator("dialog .verdicts").get_by_text(f"a long note on {reason}").wait_for()
        assert page.get_by_label("Note").input_value() == ""
