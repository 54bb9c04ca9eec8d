"""Scripts that cannot be fetched while the server is away: the page comes back by itself."""

from __future__ import annotations

from collections.abc import Callable

from tests.browser.conftest import move

CHART = "**/static/js/ArrowVegaLiteChart*"
HEALTH = "**/_stcore/health"
LOST = "dynamically imported"


def at_a_page_without_charts(dashboard: str, new_page: Callable):
    page = new_page()
    page.route(CHART, lambda route: route.abort())
    page.goto(f"{dashboard}/collections")
    page.get_by_role("heading", name="Collections").wait_for()
    page.evaluate("window.stays = true")
    return page


def test_a_page_that_lost_a_script_is_loaded_anew_once_the_server_answers(
    dashboard: str, new_page: Callable
) -> None:
    page = at_a_page_without_charts(dashboard, new_page)
    page.route(HEALTH, lambda route: route.abort())
    move(page, f"{dashboard}/compare?collection=driving&outcome=worse")
    page.get_by_text(LOST).first.wait_for()
    page.wait_for_timeout(2500)
    assert page.evaluate("window.stays"), "nobody answers yet"
    page.unroute(CHART)
    page.unroute(HEALTH)
    page.locator("svg.marks").first.wait_for()
    assert "outcome=worse" in page.url and page.get_by_text(LOST).count() == 0
    assert not page.evaluate("window.stays")


def test_a_script_that_never_comes_loads_the_page_once(dashboard: str, new_page: Callable) -> None:
    page = at_a_page_without_charts(dashboard, new_page)
    move(page, f"{dashboard}/compare?collection=driving")
    page.wait_for_function("() => !window.stays")
    page.get_by_text(LOST).first.wait_for()
    page.evaluate("window.stays = true")
    page.wait_for_timeout(2500)
    assert page.evaluate("window.stays")
