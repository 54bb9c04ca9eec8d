"""A click that comes while a server which was started again has not drawn the page: the script that
lets it wait, on a page of one button that says what Streamlit's page says of its server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "dashboard/views/palette/component/early_clicks.js"
ADDRESS = "http://page.test/"
PAGE = """<!doctype html><script type=module>
import { holdEarlyClicks } from "/early_clicks.js";
holdEarlyClicks();
window.say = (connection, script) => {
    const app = document.querySelector("[data-testid=stApp]") ?? document.createElement("main");
    app.dataset.testid = "stApp";
    app.dataset.testConnectionState = connection;
    app.dataset.testScriptState = script;
    if (app.isConnected) return;
    app.innerHTML = "<button onclick='this.textContent++'>0</button>";
    document.body.append(app);
};
</script>"""
UP, DOWN = "CONNECTED", "PINGING_SERVER"
RUNS, RESTS, BEGINS = "running", "notRunning", "initial"

FIRST = {
    "stands there while it is drawn": [(UP, RUNS), (UP, RESTS)],
    "is told that it is drawn": [(UP, BEGINS), (UP, RUNS), (UP, RESTS)],
    "stands there before it finds its server": [("INITIAL", BEGINS), (UP, RUNS), (UP, RESTS)],
    "stands there drawn": [(UP, RESTS)],
    "loses its server while it is drawn": [(UP, RUNS)],
}


@pytest.fixture
def page(new_page: Callable):
    page = new_page()
    page.route(
        ADDRESS + "**",
        lambda route: (
            route.fulfill(path=SCRIPT, content_type="text/javascript")
            if route.request.url.endswith(".js")
            else route.fulfill(body=PAGE, content_type="text/html")
        ),
    )
    page.goto(ADDRESS)
    return page


def say(page, *states: tuple[str, str]) -> None:
    """Each in a turn of its own."""
    for state in states:
        page.evaluate("state => window.say(...state)", list(state))


def clicks(page) -> int:
    """How many the button has counted when the next turns have passed."""
    page.evaluate("() => new Promise(done => setTimeout(done, 20))")
    return int(page.locator("button").inner_text())


@pytest.mark.parametrize("first", FIRST.values(), ids=FIRST)
def test_it_waits_until_the_page_is_drawn_again_however_it_was_drawn_first(page, first) -> None:
    say(page, *first, (DOWN, RESTS), (UP, RESTS))
    page.locator("button").click()
    assert clicks(page) == 0, "before it draws"
    say(page, (UP, RUNS))
    page.locator("button").click()
    assert clicks(page) == 0, "while it draws"
    say(page, (UP, RESTS))
    assert clicks(page) == 1, "the last one, once"
    page.locator("button").click()
    assert clicks(page) == 2


def test_it_is_done_at_once_in_the_first_drawing_and_without_a_server(page) -> None:
    say(page, ("INITIAL", BEGINS), (UP, RUNS))
    page.locator("button").click()
    assert clicks(page) == 1
    say(page, (UP, RESTS), (UP, RUNS))
    page.locator("button").click()
    assert clicks(page) == 2
    say(page, (DOWN, RESTS))
    page.locator("button").click()
    assert clicks(page) == 3


def test_it_waits_through_a_second_break_and_for_a_drawing_of_less_than_a_turn(page) -> None:
    say(page, (UP, RUNS), (DOWN, RESTS), (UP, RESTS), (UP, RUNS))
    page.locator("button").click()
    say(page, (DOWN, RUNS), (UP, RESTS))
    assert clicks(page) == 0
    page.evaluate(
        "() => { window.say('CONNECTED', 'running'); window.say('CONNECTED', 'notRunning') }"
    )
    assert clicks(page) == 1
