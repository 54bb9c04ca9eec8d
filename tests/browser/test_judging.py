"""Judging on the screen Query in Chromium: keys, a lost line, what is hidden, phones, lists."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dashboard.plugins.reviews.judging_lists import JudgingList, close_list, create_list
from dashboard.plugins.reviews.verdicts import Verdict, list_history, save_verdict
from dashboard.storage.collection import open_collection
from tests.browser.conftest import check_visits

OTHER = Verdict(author="Eva", query_id="q1", item_id="a", value="not", note="<b>no</b>")
ROUTES = "**/reviews/*"


@pytest.fixture
def address(pictured: str) -> str:
    return f"{pictured}/query?collection=world&judge=yes"


def begin(page: Page, address: str) -> None:
    """Open a query and give a name."""
    page.goto(address)
    page.get_by_placeholder("Your name").fill("Ada")
    expect(page.get_by_text("Names are not verified.")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".thumb").first).to_be_visible()
    expect(page.get_by_placeholder("Your name")).to_have_count(0)  # it has the keys until then


def count(page: Page, told: str) -> None:
    expect(page.locator(".counts span")).to_have_text(re.compile(told))


def cut_line(page: Page) -> None:
    page.route(ROUTES, lambda route: route.abort())


def list_said(*names: str) -> list[tuple[str, ...]]:
    return [tuple(getattr(row, name) for name in names) for row in list_history("world")]


def test_keys_a_lost_line_and_two_tabs(address: str, page: Page) -> None:
    """Everything is stored once and in order, whatever was given without a line."""
    begin(page, f"{address}&query=q1")
    state = page.locator(".state")
    page.keyboard.press("y")
    expect(state).to_have_text("Saved")
    cut_line(page)
    page.keyboard.press("x")
    page.keyboard.press("c")
    page.keyboard.press("2")
    page.keyboard.press("s")
    expect(state).to_contain_text("Waiting: 3 kept in this browser.")
    expect(page.locator(".thumb.waiting")).to_have_count(2)
    second = page.context.new_page()
    cut_line(second)
    second.goto(f"{address}&query=q2")
    expect(second.locator(".thumb").first).to_be_visible()
    second.keyboard.press("y")
    page.reload()
    expect(state).to_contain_text("Waiting: 4")
    count(page, "^3 of 4 results · 0 of 3 queries$")
    for tab in (second, page):  # the second one sends all rows
        tab.unroute(ROUTES)
        expect(tab.locator(".thumb.waiting")).to_have_count(0)
    page.keyboard.press("y")
    expect(page.get_by_text("All results of this query are judged.")).to_be_visible()
    count(page, "^4 of 4 results · 1 of 3 queries$")
    page.keyboard.press("ArrowLeft")  # the button of the next query has the keys
    expect(page.locator(".thumb").nth(2)).to_have_class(re.compile("front"))
    page.keyboard.press("Enter")
    page.wait_for_url("**query=q2**")
    count(page, "^1 of 4 results · 1 of 3 queries$")
    assert list_said("query_id", "value", "cause") == [
        ("q1", "relevant", ""), ("q1", "not", ""), ("q1", "not", "label"), ("q1", "unsure", ""),
        ("q2", "relevant", ""), ("q1", "relevant", ""),
    ]  # fmt: skip
    items = [item for query, item in list_said("query_id", "item_id") if query == "q1"]
    assert items[1] == items[2] and set(items) == set("abcd")


def test_undo_without_a_line(address: str, page: Page) -> None:
    """It is shown at once, also after a reload, and sent once, in order."""
    begin(page, f"{address}&query=q1")
    state = page.locator(".state")
    cut_line(page)
    for key in "yxu":
        page.keyboard.press(key)
    expect(state).to_contain_text("Taken back: not relevant · Waiting: 3 kept in this browser.")
    count(page, "^1 of 4 results")
    page.reload()
    expect(state).to_contain_text("Waiting: 3")
    count(page, "^1 of 4 results")
    for key in "suu":
        page.keyboard.press(key)
    expect(state).to_contain_text("Taken back: relevant · Waiting: 6 kept in this browser.")
    count(page, "^0 of 4 results")
    page.unroute(ROUTES)
    expect(state).to_have_text("Taken back: relevant")
    count(page, "^0 of 4 results")
    assert list_said("value") == [("relevant",), ("not",), ("",), ("unsure",), ("",), ("",)]
    page.keyboard.press("u")
    expect(state).to_have_text("There is nothing to take back.")


def test_undo_of_what_another_tab_said(address: str, world: Path, page: Page) -> None:
    """The server takes back the last word of the person; what this tab had guessed stands again."""
    begin(page, f"{address}&query=q1")
    state = page.locator(".state")
    page.keyboard.press("y")
    expect(state).to_have_text("Saved")
    second = page.context.new_page()
    second.goto(f"{address}&query=q1")
    count(second, "^1 of 4 results")
    second.keyboard.press("y")
    count(page, "^2 of 4 results")
    second.keyboard.press("u")
    count(page, "^1 of 4 results")
    other = Verdict(author="Ada", query_id="q2", item_id="b", value="not")
    save_verdict(open_collection(world), other)
    page.keyboard.press("u")
    expect(state).to_contain_text("Taken back: not relevant, of ")
    count(page, "^1 of 4 results")
    assert list_said("query_id", "value")[-1] == ("q2", "")


def test_other_screens_send_what_waits(address: str, page: Page) -> None:
    """A verdict that was given without a line is shown and sent where nobody judges."""
    begin(page, f"{address}&query=q1")
    cut_line(page)
    page.keyboard.press("y")
    expect(page.locator(".state")).to_contain_text("Waiting: 1 kept in this browser.")
    waiting = page.locator(".waiting:visible")
    for screen in ("query", "reviews", "compare"):
        page.goto(address.replace("/query", f"/{screen}").replace("&judge=yes", ""))
        expect(waiting).to_contain_text("Waiting: 1 kept in this browser.")
    assert list_said("value") == []
    page.unroute(ROUTES)
    expect(waiting).to_have_count(0)
    assert list_said("query_id", "value") == [("q1", "relevant")]


def test_a_login_that_has_ended(address: str, page: Page) -> None:
    """The answer of the login is no JSON; it is said, and the verdict is sent later."""
    begin(page, f"{address}&query=q1")
    page.route(ROUTES, lambda route: route.fulfill(status=401, body="Log in first.\n"))
    page.keyboard.press("y")
    state = page.locator(".state")
    expect(state).to_have_text("Waiting: 1 kept in this browser. Log in again in another tab.")
    page.unroute(ROUTES)
    expect(state).to_have_text("Saved")
    assert list_said("query_id", "value") == [("q1", "relevant")]


def test_hidden_until_the_own_verdict(address: str, world: Path, page: Page) -> None:
    save_verdict(open_collection(world), OTHER)
    begin(page, f"{address}&query=q1")
    drawn = page.locator(".judging")
    expect(drawn.locator(".big img")).to_have_js_property("naturalWidth", 320)
    order = drawn.locator(".thumb img").evaluate_all("all => all.map(each => each.src)")
    html = drawn.inner_html()
    for told in ("v1", "v2", "label:", "Label:", "#", "Eva", "caption of", "✓ car"):
        assert told not in html.replace("Relevant", "").replace("&#", ""), told
    place = next(at for at, source in enumerate(order) if "/a?" in source)
    drawn.locator(".thumb").nth(place).click()
    page.keyboard.press("y")
    facts = drawn.locator(".facts")
    for told in ("you said relevant", "Label: relevant", "#1 in v1", "caption of a"):
        expect(facts).to_contain_text(told)
    expect(facts.locator(".other")).to_have_text("Eva: not relevant · <b>no</b>")
    page.reload()
    count(page, "^1 of 4 results")
    again = drawn.locator(".thumb img").evaluate_all("all => all.map(each => each.src)")
    assert again == order
    page.keyboard.press("h")
    expect(drawn.locator(".given", has_text="label:")).to_have_count(4)


def test_undo_and_note(address: str, page: Page) -> None:
    """A half-typed note survives a reload; each undo takes one row back and shows its card."""
    begin(page, f"{address}&query=q1")
    page.keyboard.press("x")
    page.keyboard.press("e")
    page.locator("dialog textarea").fill("half")
    page.reload()
    count(page, "^1 of 4 results")
    page.locator(".thumb.not").click()
    page.keyboard.press("e")
    expect(page.locator("dialog textarea")).to_have_value("half")
    page.keyboard.press("Enter")
    expect(page.locator(".facts .note")).to_have_text("half")
    page.keyboard.press("u")
    expect(page.locator(".facts .note")).to_have_count(0)
    expect(page.locator(".state")).to_have_text("Taken back: the note")
    count(page, "^1 of 4 results")
    page.keyboard.press("u")
    count(page, "^0 of 4 results")
    expect(page.locator(".state")).to_have_text("Taken back: not relevant")
    page.keyboard.press("u")
    expect(page.locator(".state")).to_have_text("There is nothing to take back.")
    assert list_said("value", "note") == [("not", ""), ("not", "half"), ("not", ""), ("", "")]


def test_phone(address: str, page: Page) -> None:
    """One whole card, three buttons of 48 pixels in the window, and a swipe."""
    page.set_viewport_size({"width": 390, "height": 844})
    begin(page, f"{address}&query=q1")
    expect(page.locator(".narrow .big img")).to_be_visible()
    buttons = page.locator(".buttons button")
    boxes = [each.bounding_box() for each in [*buttons.all(), page.locator(".big")]]
    assert len(boxes) == 4
    for box in boxes:
        assert box and box["height"] >= 48 and box["x"] >= 0 and box["x"] + box["width"] <= 390
        assert box["y"] + box["height"] <= 844
    assert boxes[3] and boxes[3]["width"] > 350
    buttons.filter(has_text="Unsure").dblclick()
    touch = page.context.new_cdp_session(page)
    for way in (1, -1, 1, -1):  # the last one finds a result that is judged
        for kind, far in (("Start", [0]), ("Move", [60]), ("Move", [120]), ("End", [])):
            points = [{"x": 195 + way * each, "y": 250} for each in far]
            touch.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
    count(page, "^4 of 4 results")
    expect(page.locator(".state")).to_have_text("Saved")
    assert list_said("value") == [("unsure",), ("relevant",), ("not",), ("relevant",)]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_list(address: str, world: Path, page: Page) -> None:
    """Only its pairs, without the row that names versions; nothing once it is closed."""
    pairs = (("q2", "b"), ("q1", "c"), ("q1", "a"))
    made = create_list(world, JudgingList(
        title="Drops", baseline="v1", candidate="v2", protocol="alfa", pairs=pairs, author="Eva",
    ))  # fmt: skip
    begin(page, f"{address}&list={made.id}")
    expect(page.locator(".st-key-choices")).to_be_hidden()
    expect(page.get_by_label("Hide labels")).to_be_disabled()
    count(page, "^0 of 1 result · 0 of 2 queries$")
    page.keyboard.press("y")
    expect(page.locator(".state")).to_have_text("Saved")
    page.keyboard.press("j")
    count(page, "^0 of 2 results · 1 of 2 queries$")
    close_list(made, "Eva")
    page.keyboard.press("x")
    expect(page.locator(".state")).to_contain_text("Not saved: The list 'Drops' is closed")
    expect(page.locator(".thumb.refused")).to_have_count(1)
    count(page, "^0 of 2 results")
    page.reload()
    expect(page.get_by_role("button", name="Relevant", exact=True)).to_be_disabled()
    assert list_said("item_id", "list_id") == [("b", made.id)]
    page.keyboard.press("v")
    expect(page.locator("article.card").first).to_be_visible()
    page.go_back()  # one step
    expect(page.locator(".thumb").first).to_be_visible()


def test_visits_leave_nothing_behind(address: str, page: Page) -> None:
    """The key turns judging on and off."""
    begin(page, f"{address}&query=q1")

    def visit() -> None:
        for shown in ("article.card", ".thumb"):
            page.keyboard.press("v")
            expect(page.locator(shown).first).to_be_visible()
            idle = re.compile("notRunning", re.IGNORECASE)
            expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", idle)

    check_visits(page, visit)
