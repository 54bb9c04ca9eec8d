"""The main job in Chromium: open a link, see ticks, play a clip, go to the worst query, go back."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import move, open_more, unfold

IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"


@pytest.fixture
def visit(dashboard: str, page_at: Callable) -> Callable:
    """Opens the dashboard at a path and waits until it is drawn."""

    def opened(path: str, **options: object):
        page = page_at(dashboard + path, **options)
        settled(page)
        return page

    return opened


@pytest.fixture
def load(dashboard: str, new_page: Callable) -> Callable:
    """The same with a page that is loaded, and notes what it asks of other hosts."""

    def opened(path: str):
        page = new_page()
        page.asked_elsewhere = []
        page.on("request", lambda r: _elsewhere(page, r.url, dashboard))
        page.goto(dashboard + path)
        settled(page)
        return page

    return opened


def _elsewhere(page, url: str, address: str) -> None:
    if urlsplit(url).netloc not in ("", urlsplit(address).netloc):
        page.asked_elsewhere.append(url)


def settled(page) -> None:
    page.get_by_role("heading", level=1).wait_for()  # a page is idle before its first drawing, too
    page.locator(IDLE).wait_for()


def choices(page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def row(page, name: str):
    return page.locator(f"section[aria-label='{name}']")


def test_first_steps_are_shown_to_who_comes_without_a_link_until_they_are_dismissed(
    dashboard: str, new_page: Callable
) -> None:
    page = new_page(fresh=True)
    page.goto(f"{dashboard}/search")
    settled(page)
    steps = page.locator("aside.first-steps")
    assert not steps.count(), "a link says where to begin"
    page.goto(dashboard)
    steps.get_by_role("link").first.wait_for()
    settled(page)
    assert "#" not in page.url
    assert page.evaluate("document.activeElement === document.body")
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    outside = [rule for rule in axe.run(page).response["violations"] if rule["id"] == "region"]
    assert outside == [], "the link to the content is the first one of the page"
    box = steps.bounding_box()
    assert box["x"] > 640 and box["y"] + box["height"] <= 900
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the first link
    page.locator(".card").first.wait_for()
    assert urlsplit(page.url).path == "/query"
    page.keyboard.press("Escape")
    steps.wait_for(state="hidden")
    page.goto(dashboard)
    settled(page)
    page.get_by_role("button", name="Find").click()
    assert not steps.is_visible()
    page.keyboard.type("first st")
    page.keyboard.press("Enter")
    steps.get_by_role("button", name="Copy").wait_for()


def test_ticks_and_crosses_stand_on_every_card_of_a_linked_query(visit: Callable) -> None:
    page = visit("/query?collection=driving&query=q001&baseline=v0.1&candidate=v0.2")
    for version in ("v0.1", "v0.2"):
        cards = row(page, version).locator(".card")
        cards.first.wait_for()
        assert cards.count() == 10
        for card in cards.all():
            words = card.inner_text()
            assert "bicyclist" in words and "entering ego path" in words
            assert words.count("✓") + words.count("✕") >= 3
        cards.first.hover()
        rest = page.locator(".more")
        rest.wait_for()
        words = rest.inner_text()
        assert "of 2 keywords" in words and "object type" in words
        assert cards.first.evaluate("card => card.item.caption") in words


def test_a_clip_plays_in_its_player_and_the_link_opens_it_again(visit: Callable) -> None:
    link = "/query?collection=driving&query=q001&baseline=v0.1&candidate=v0.2"
    page = visit(link, reduced_motion="no-preference")
    row(page, "v0.2").locator(".card .open").first.click()
    video = page.locator("dialog[open] video")
    video.wait_for()
    page.wait_for_function(
        "() => { const find = root => [...root.querySelectorAll('*')].flatMap(node =>"
        " [node, ...(node.shadowRoot ? find(node.shadowRoot) : [])]);"
        " return find(document).some(node => node.tagName == 'VIDEO' && node.currentTime > 0.3) }"
    )
    page.wait_for_url("**clip=*")
    colleague = visit(page.url.removeprefix(page.evaluate("location.origin")))
    colleague.locator("dialog[open] video").wait_for()
    page.keyboard.press("Escape")
    page.locator("dialog[open]").wait_for(state="hidden")
    page.wait_for_url(lambda url: "clip=" not in url)


def test_from_the_overview_to_the_worst_query_and_back_and_reload(visit: Callable) -> None:
    page = visit("/")
    page.get_by_role("link", name="Compare").click()
    page.get_by_role("heading", name="Compare").wait_for()
    page.get_by_test_id("stDataFrame").first.wait_for()
    settled(page)
    page.get_by_test_id("stDataFrame").first.scroll_into_view_if_needed()
    box = page.get_by_test_id("stDataFrame").first.bounding_box()
    page.mouse.click(box["x"] + 15, box["y"] + 52)
    page.get_by_role("heading", name="Query", exact=True).wait_for()
    page.locator(".card").first.wait_for()
    settled(page)
    asked = choices(page)["query"]
    shown = page.locator("h2").first.inner_text()
    page.reload()
    settled(page)
    page.locator(".card").first.wait_for()
    assert choices(page)["query"] == asked
    assert page.locator("h2").first.inner_text() == shown
    page.go_back()
    page.get_by_role("heading", name="Compare").wait_for()
    assert urlsplit(page.url).path == "/compare"


def test_the_address_holds_the_whole_view_and_a_choice_is_one_step_that_back_undoes(
    load: Callable,
) -> None:
    page = load("/")
    view = choices(page)
    assert view["collection"] == ["driving"]
    assert view["baseline"] and view["candidate"] and view["metric"] == ["P@5"]
    assert page.evaluate("history.length") == 2, "the blank page and this one"
    open_more(page)
    page.get_by_text("Standard", exact=True).click()
    page.wait_for_url("**names=standard**")
    page.get_by_text("P@5 (hits", exact=False).first.wait_for()
    assert page.evaluate("history.length") == 3
    page.go_back()
    page.wait_for_url("**names=source**")
    page.get_by_text("Recall@5", exact=False).first.wait_for()


def test_every_chart_is_drawn_with_its_marks_and_nothing_is_asked_of_another_host(
    load: Callable,
) -> None:
    page = load("/?collection=driving")
    for path, charts in (
        ("", 3),
        ("compare", 3),
        ("slices", 1),
        ("query?query=q001", 0),
        ("search?text=cyclist+entering+ego+lane", 0),
    ):
        if path:
            move(page, f"/{path}")
        drawn = page.get_by_test_id("stVegaLiteChart")
        if not path:  # most charts of the Overview are drawn when their part is opened
            unfold(page.locator("details", has_text="Recall@5 by"))
        if charts:
            drawn.nth(charts - 1).locator("svg").wait_for()
            for chart in drawn.all():
                assert chart.locator("svg .mark-group path").count() > 0
        page.wait_for_timeout(300)  # what is asked for later
    assert page.asked_elsewhere == []


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(each, marks=pytest.mark.slow)
        for each in ("/", "/compare", "/slices", "/query?query=q001", "/search")
    ],
)
def test_a_phone_shows_every_screen_without_sideways_scrolling(visit: Callable, path: str) -> None:
    page = visit(path, width=420, height=900)
    page.wait_for_timeout(800)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    main = "document.querySelector('[data-testid=stMain]')"
    assert page.evaluate(f"{main}.scrollWidth <= {main}.clientWidth")
