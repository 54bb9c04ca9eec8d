"""A connection that breaks: the server is started again, or the browser is offline and its session
forgotten. What is clicked next is done, and what is written is kept or said to be not."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from tests.browser import review_world, upload_world
from tests.browser.conftest import PAINTED, open_more
from tests.browser.test_upload import file_of, first_cards, upload
from tests.browser.test_verdicts import say

REPOSITORY = Path(__file__).parents[2]
IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"
CONNECTED = "[data-testid=stApp][data-test-connection-state=CONNECTED]"
NOT_SAVED = "Not saved: no connection"
RATED = "/query?collection=openmoji_context"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(
    serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SimpleNamespace]:
    """A server that can be stopped and started again at its address, and forgets sessions fast."""
    place = tmp_path_factory.mktemp("lost")
    review_world.build(place / "data" / "streets")
    upload_world.build(place / "data" / "plain")
    shutil.copytree(REPOSITORY / "data" / "openmoji_context", place / "data" / "openmoji_context")
    names = {"DASHBOARD_DATA": "data", "DASHBOARD_CACHE": "cache", "DASHBOARD_REVIEWS": "said"}
    settings = {name: str(place / folder) for name, folder in names.items()}
    settings["STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL"] = "1"
    known = SimpleNamespace(reviews=place / "said" / "reviews.sqlite")

    def start(port: int = 0) -> None:
        known.url = serve(REPOSITORY / "app.py", port=port, **settings)

    start()
    known.stop = lambda: serve.stop(known.url)
    known.start = lambda: start(urlsplit(known.url).port)
    known.runs = lambda: known.url in serve.running
    yield known


@pytest.fixture
def app(server: SimpleNamespace) -> SimpleNamespace:
    """The server, which runs; `notes` are those of this test."""
    if not server.runs():
        server.start()

    def notes() -> list[str]:
        if not server.reviews.exists():
            return []
        with closing(sqlite3.connect(server.reviews)) as file:
            return [note for (note,) in file.execute("SELECT note FROM review ORDER BY number")]

    def again() -> None:
        server.stop()
        server.start()

    before = len(notes())
    return SimpleNamespace(
        url=server.url,
        stop=server.stop,
        start=server.start,
        again=again,
        notes=lambda: notes()[before:],
    )


ITEMS = iter([f"street_{number:02d}" for number in range(2, 30)])
"""Each test says its verdict on another one."""


@pytest.fixture
def player(app: SimpleNamespace, new_page: Callable):
    """The player of one result, open."""
    page = new_page(fresh=True)
    page.goto(f"{app.url}/query?query=like1&collection=streets&clip={next(ITEMS)}&shown=50")
    page.locator("dialog[open] .say").wait_for(timeout=60_000)  # the first page of a new server
    whole(page)
    return page


def whole(page) -> None:
    """Wait until a page has all its scripts: one that loses some with its server loads itself anew,
    and then has its sections as they are at first."""
    page.locator(IDLE).wait_for()
    page.wait_for_function("() => !document.querySelector('[data-testid=stSkeleton]')")


def connected(page) -> None:
    """Wait until the page has found its server again, and is drawn by it."""
    page.locator(CONNECTED).wait_for(timeout=60_000)
    until = time.monotonic() + 60
    while not page.runs:  # it stands there before its script runs, as it stood
        assert time.monotonic() < until, "the new server has drawn nothing"
        page.wait_for_timeout(20)
    page.locator(IDLE).wait_for()
    page.evaluate(PAINTED)
    page.locator(IDLE).wait_for()


def test_the_first_save_after_the_server_was_started_again_is_kept(app, player) -> None:
    app.again()
    connected(player)
    say(player, "relevant", "after a break")
    player.get_by_text("Saved.", exact=True).wait_for()
    assert app.notes() == ["after a break"]


def test_a_save_while_the_server_is_away_is_said_to_be_lost_and_kept_later(app, player) -> None:
    app.stop()
    say(player, "relevant", "while it was away")
    player.get_by_text(NOT_SAVED).wait_for()
    app.start()
    connected(player)
    assert player.get_by_label("Note").input_value() == "while it was away"
    player.get_by_role("button", name="Save verdict").click()
    player.get_by_text("Saved.", exact=True).wait_for()
    assert app.notes() == ["while it was away"]


def test_an_answer_that_does_not_come_is_asked_for_again_under_the_same_name(app, player) -> None:
    lost: list[str] = []

    def lose(route) -> None:
        server = route.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            if b"at once" in message and not lost:  # the first time that it is said
                lost.append("the verdict")
            else:
                server.send(message)

        route.on_message(pass_on)

    player.route_web_socket("**/_stcore/stream", lose)
    player.reload()
    player.locator("dialog[open] .say").wait_for()
    player.locator(IDLE).wait_for()
    say(player, "relevant", "at once")
    player.get_by_text("Saving …").wait_for()
    player.get_by_text("Saved.", exact=True).wait_for()
    assert lost and app.notes() == ["at once"]


def test_what_was_not_saved_is_there_after_a_reload_until_it_is_kept(app, player) -> None:
    player.context.set_offline(True)
    say(player, "not relevant", "offline for a while")
    player.get_by_text(NOT_SAVED).wait_for()
    player.wait_for_timeout(1500)  # the server forgets the session
    player.context.set_offline(False)
    player.reload()
    player.locator("dialog[open] .say").wait_for()
    player.locator(IDLE).wait_for()
    assert player.get_by_label("Note").input_value() == "offline for a while"
    assert player.get_by_role("radio", name="not relevant", exact=True).is_checked()
    player.get_by_text(NOT_SAVED).wait_for()
    player.get_by_role("button", name="Save verdict").click()
    player.get_by_text("Saved.", exact=True).wait_for()
    assert app.notes() == ["offline for a while"]
    player.reload()
    player.locator("dialog[open] .say").wait_for()
    assert player.get_by_label("Note").input_value() == ""


def test_words_that_were_typed_and_not_sent_are_there_after_a_reload(app, player) -> None:
    player.get_by_label("Note").fill("half a thought")
    player.reload()
    player.get_by_text("Draft, not saved yet.").wait_for()
    assert player.get_by_label("Note").input_value() == "half a thought"


def test_a_page_that_was_offline_is_drawn_again_and_saves_at_the_first_click(app, player) -> None:
    player.context.set_offline(True)
    player.wait_for_timeout(3000)
    player.context.set_offline(False)
    player.wait_for_timeout(1000)
    connected(player)
    say(player, "unsure", "back again")
    player.get_by_text("Saved.", exact=True).wait_for(timeout=30_000)
    assert app.notes() == ["back again"]


def test_every_control_works_at_the_first_click_after_the_server_was_started_again(
    app: SimpleNamespace, new_page: Callable
) -> None:
    choice, picture, missed, words = (new_page(fresh=True) for _ in range(4))
    choice.goto(f"{app.url}/compare?collection=streets")
    picture.goto(f"{app.url}/search?collection=plain&baseline=v1&candidate=v2")
    missed.goto(f"{app.url}/query?collection=streets&query=like1&shown=5")
    words.goto(f"{app.url}/query?collection=streets&query=like1")
    for page in (choice, picture, missed, words):
        page.get_by_role("heading", level=1).wait_for()
        whole(page)
    missed.locator("section[data-role=missed] .card").first.wait_for()
    words.locator("[data-step=next]").wait_for()
    app.again()
    connected(choice)
    open_more(choice)
    choice.locator("[data-testid=stSidebar]").get_by_text("Standard", exact=True).click()
    choice.wait_for_url("**names=standard**")
    connected(picture)
    upload(picture, file_of((250, 5, 5)))
    picture.get_by_role("heading", name="Like your picture").wait_for()
    assert first_cards(picture, "v1")[:2] == ["all red", "all yellow"]
    connected(missed)
    missed.locator("section[data-role=missed]").get_by_role("button", name="next").click()
    missed.wait_for_url("**missed=6**")
    connected(words)
    words.locator("[data-step=next]").click()
    words.wait_for_url(lambda url: "query=like1" not in url)
    with choice.expect_download() as saved:
        choice.get_by_role("link", name="Queries as CSV").click()
    assert Path(saved.value.path()).read_text(encoding="utf-8").startswith("query_id")


def test_a_click_while_the_new_server_draws_the_page_for_the_first_time_is_done(
    app: SimpleNamespace, new_page: Callable
) -> None:
    page = new_page(fresh=True)
    page.goto(f"{app.url}/compare?collection=streets")
    page.get_by_role("heading", level=1).wait_for()
    whole(page)
    open_more(page)
    app.stop()
    page.locator(CONNECTED).wait_for(state="detached")
    app.start()
    page.locator(CONNECTED).wait_for(timeout=60_000)  # and no longer: nothing is drawn yet
    page.locator("[data-testid=stSidebar]").get_by_text("Standard", exact=True).click()
    page.wait_for_url("**names=standard**")


def test_a_rating_is_kept_at_the_first_click_after_the_server_was_started_again(
    app: SimpleNamespace, new_page: Callable
) -> None:
    page = new_page(fresh=True)
    page.goto(app.url + RATED)
    name = page.get_by_role("textbox", name="Your name")
    name.fill("Ada")
    name.press("Enter")
    whole(page)
    app.again()
    connected(page)
    assert name.input_value() == "Ada"
    stars = page.get_by_role("radiogroup", name="From 1 to")
    stars.get_by_role("radio", name="4", exact=True).click()
    page.get_by_text("Ratings: Ada 4.").wait_for()
