"""Pages that wait for the text model take nothing from its loading, and go on by themselves; then
both versions answer a text that is typed. Pages that wait for numbers say so."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import GARBAGE, OUR_TEXT_MODEL

WORLD = Path(__file__).parent / "waiting_world.py"
MEASURED = Path(__file__).parent / "measured_world.py"
IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"
ON_TOP = "(node, [x, y]) => node.contains(document.elementFromPoint(x, y))"
PAGES = 3

pytestmark = pytest.mark.slow


def test_pages_that_wait_run_no_script_and_go_on_when_the_text_model_is_there(
    serve: Callable[..., str], new_page: Callable, tmp_path: Path
) -> None:
    released = tmp_path / "released"
    url = serve(WORLD, RELEASED=str(released), **OUR_TEXT_MODEL, **GARBAGE)
    pages = []
    for number in range(PAGES):
        page = new_page()
        page.goto(f"{url}/search?collection=driving&text=a+lorry+cuts+in+{number}")
        page.get_by_text("Loading the text model").wait_for()
        pages.append(page)
    pages[-1].wait_for_timeout(1500)
    rounds = serve.log(url).count("collected")
    pages[-1].wait_for_timeout(6000)
    more = serve.log(url).count("collected") - rounds  # the end of the run that drew each, if late
    assert more <= PAGES, "scripts ran while the model was loaded"

    left = pages.pop()  # who does not want to wait goes on
    left.get_by_role("link", name="Overview").click()
    left.get_by_role("heading", name="Overview").wait_for()
    released.touch()
    for page in pages:
        page.locator(".card").first.wait_for(timeout=300_000)  # torch is loaded
    typed = pages[0]
    box = typed.get_by_role("textbox", name="Text")
    box.fill("a lorry cuts in")
    box.press("Enter")
    typed.wait_for_url(lambda url: parse_qs(urlsplit(url).query)["text"] == ["a lorry cuts in"])
    typed.get_by_role("heading", name="a lorry cuts in", exact=True).wait_for()
    typed.locator(IDLE).wait_for()
    assert typed.locator("section[aria-label]").filter(has=typed.locator(".card")).count() >= 2
    assert "large vehicle" in typed.locator(".card").first.inner_text()


@pytest.mark.parametrize("width", [1280, 390])
def test_what_is_worked_on_how_far_and_how_long_still_can_be_read(
    serve: Callable[..., str], new_page: Callable, tmp_path: Path, width: int
) -> None:
    """In the part of the page that the side bar leaves, while the rest is drawn."""
    released = tmp_path / "released"
    url = serve(MEASURED, RELEASED=str(released), DASHBOARD_CACHE=str(tmp_path))
    page = new_page(width=width)
    page.goto(f"{url}/?collection=driving")
    told = page.locator(".st-key-waiting")
    words = [told.get_by_text("Measuring v"), told.get_by_text(re.compile("ranks, .* left"))]
    for each in words:
        each.wait_for()
        box = each.bounding_box()
        middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        assert each.evaluate(ON_TOP, middle), "nothing lies over it"
    page.get_by_text("text queries").wait_for()  # what is there is drawn
    released.touch()
    page.get_by_role("heading", name="Versions by metrics").wait_for()
    page.locator(IDLE).wait_for()
    assert not words[0].is_visible()
