"""20,000 queries and items in Chromium: little is sent, and what is typed finds the rest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, unquote_plus, urlsplit

import pytest

from tests.browser import large_world

REPOSITORY = Path(__file__).parents[2]
IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("large")
    large_world.build(folder / "large")
    return serve(REPOSITORY / "app.py", DASHBOARD_DATA=str(folder))


@pytest.fixture
def visit(address: str, new_page: Callable) -> Callable:
    """Opens a screen, waits until it is drawn, notes what is received."""

    def opened(path: str):
        page = new_page()
        page.set_default_timeout(90_000)
        page.received = []
        page.on("websocket", lambda s: s.on("framereceived", lambda f: page.received.append(f)))
        page.goto(address + path)
        settled(page)
        return page

    return opened


def settled(page) -> None:
    page.get_by_role("heading", level=1).wait_for()
    page.locator(IDLE).wait_for()


def chosen(page, key: str) -> str:
    return parse_qs(urlsplit(page.url).query).get(key, [""])[-1]


@pytest.mark.parametrize("path", ["/query?query=q00007", "/search", "/compare", "/slices"])
def test_a_screen_sends_less_than_250_kilobytes(visit: Callable, path: str) -> None:
    page = visit(path)
    page.wait_for_timeout(1500)
    assert 10_000 < sum(map(len, page.received)) < 250_000


def test_words_find_a_query_and_the_order_has_only_what_they_find(visit: Callable) -> None:
    page = visit("/query?query=q00007")
    page.get_by_text("/ 20,000").wait_for()
    page.get_by_test_id("stPopoverButton").click()
    field = page.get_by_role("textbox", name="Find queries")
    field.fill("NUMBER 1234 that")
    field.press("Enter")
    page.wait_for_url("**find=**")
    settled(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Next query").click()
    page.wait_for_url("**query=q01234**")
    page.get_by_text("1 / 1", exact=True).wait_for()


def test_letters_find_a_stored_text_to_search_with(visit: Callable) -> None:
    """There are ranked results of the stored queries, and nothing to search other texts with."""
    page = visit("/search")
    field = page.get_by_role("textbox", name="Find a text (20,000)")
    field.fill("number 7")
    field.press("Enter")
    page.get_by_text("1,111 matches, the first 200 listed.").wait_for()
    field.fill("number 777 that")
    field.press("Enter")
    page.get_by_text("1 match.").wait_for()
    settled(page)
    page.get_by_role("combobox", name="Text of a stored query").click()
    page.get_by_role("option", name="number 777 that").click()
    page.wait_for_url(lambda url: "number 777 that" in unquote_plus(url))
    settled(page)
    page.get_by_role("heading", name="number 777 that").wait_for()
