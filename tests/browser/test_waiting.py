"""Pages that wait for the text model take nothing from its loading, and go on by themselves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.browser.conftest import OUR_TEXT_MODEL

WORLD = Path(__file__).parent / "waiting_world.py"
PAGES = 3


def test_pages_that_wait_run_no_script_and_go_on_when_the_text_model_is_there(
    serve: Callable[..., str], new_page: Callable, tmp_path: Path
) -> None:
    released = tmp_path / "released"
    url = serve(WORLD, RELEASED=str(released), **OUR_TEXT_MODEL)
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
