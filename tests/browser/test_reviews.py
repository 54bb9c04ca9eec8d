"""Reviews in Chromium: lists compared blind with keys, and decisions with keys."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dashboard.plugins.reviews.figures import shuffle_sides
from dashboard.plugins.reviews.judging_lists import JudgingList, close_list, create_list
from dashboard.plugins.reviews.verdicts import Verdict, list_history, save_verdict
from dashboard.storage.collection import open_collection

DATA = Path(__file__).parents[2] / "data"
DRIVING = DATA / "driving"
MADE = JudgingList(
    title="Lorries", baseline="v0.2", candidate="v0.3", protocol="alfa", author="eva",
    pairs=(("q025", ""), ("q001", ""), ("q002", "")),
)  # fmt: skip
SMALL_OR_OUTSIDE = """all => all.filter(each => {
  const box = each.getBoundingClientRect();
  const isInside = box.top >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
  return box.height < 90 || box.left < 0 || !isInside;
}).length"""


@pytest.fixture
def address(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    serve: Callable[[Path], AbstractContextManager[str]],
) -> Iterator[str]:
    """Serve the shipped collections with a store of their own."""
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path))
    with serve(DATA) as served:
        yield f"{served}/reviews?collection=driving&review="


def list_answers(id: str) -> dict[str, str]:
    """Return the last value of each query of a list."""
    return {row.query_id: row.value for row in list_history("driving") if row.list_id == id}


def test_lists_are_compared_blind_with_keys(address: str, page: Page) -> None:
    made = create_list(DRIVING, MADE)
    page.goto(address + made.id)
    page.get_by_placeholder("Your name").fill("kim")
    page.keyboard.press("Enter")
    pictures, state = page.locator(".sides img"), page.locator("footer .state")
    expect(state).to_be_visible()
    other = page.context.new_page()
    other.goto(address + create_list(DRIVING, replace(MADE, title="Vans")).id)
    expect(other.locator("footer .state")).to_have_text("0 of 3 queries")
    other.keyboard.press("?")
    expect(other.locator("footer .state")).to_contain_text("0 of 3 queries · Keys: ← left")
    page.bring_to_front()
    expect(pictures).to_have_count(12)
    expect(page.get_by_placeholder("Your name")).to_have_count(0)  # it has the keys until then
    for place in range(12):
        expect(pictures.nth(place)).not_to_have_js_property("naturalWidth", 0)
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        assert pictures.evaluate_all(SMALL_OR_OUTSIDE) == 0
    text = page.locator("body").inner_text() + page.url
    assert not [word for word in ("v0.2", "v0.3", "Overview", "relevant") if word in text]

    first = page.locator("h1").inner_text()
    page.get_by_role("button", name="Left").dblclick()  # the second click answers nothing
    expect(page.locator("h1")).not_to_have_text(first)
    page.keyboard.press("u")
    expect(page.locator("h1")).to_have_text(first)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(state).to_contain_text("2 of 3 queries")
    page.reload()
    expect(state).to_contain_text("2 of 3 queries")
    page.keyboard.press("u")
    expect(state).to_contain_text("1 of 3 queries · Taken back: the answer to")
    page.keyboard.press("ArrowDown")
    expect(state).to_contain_text("2 of 3 queries")
    page.keyboard.press("s")
    expect(state).to_have_text("3 of 3 queries · Saved")
    expect(other.locator("footer .state")).to_contain_text("0 of 3 queries")
    right = shuffle_sides(made, "q025", "kim")[1]
    wins = "better" if right == "v0.3" else "worse"
    assert list_answers(made.id) == {"q025": wins, "q001": "same", "q002": "cannot judge"}

    expect(page.get_by_role("button", name="Show the result")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"{right} won 1 of 1 query")).to_be_visible()
    expect(page.get_by_placeholder("Your name")).to_have_value("kim")
    page.locator("td a").first.click()
    page.wait_for_url("**/query?**query=**")


def test_a_list_closed_meanwhile_refuses_an_answer(address: str, page: Page) -> None:
    made = create_list(DRIVING, MADE)
    page.goto(address + made.id)
    page.get_by_placeholder("Your name").fill("kim")
    page.keyboard.press("Enter")
    expect(page.locator(".sides img")).to_have_count(12)
    expect(page.get_by_placeholder("Your name")).to_have_count(0)  # it has the keys until then
    close_list(made, "eva")
    page.keyboard.press("ArrowLeft")
    told = page.locator("footer .state")
    expect(told).to_contain_text("0 of 3 queries · Not saved: The list 'Lorries' is closed")
    assert list_answers(made.id) == {}


def test_disagreements_are_decided_with_keys(address: str, page: Page) -> None:
    collection = open_collection(DRIVING)
    items = collection.items.ids[:3]
    for author, value in (("eva", "relevant"), ("kim", "not")):
        for item in items:
            note = "<b>bold</b>" if item == items[0] else ""
            save_verdict(collection, Verdict(query_id="q025", item_id=item, value=value,
                                             author=author, note=note))  # fmt: skip
    page.context.add_cookies([{"name": "dashboard-reviewer", "value": "an%C3%AFs", "url": address}])
    page.goto(address)
    page.get_by_role("radio", name="Disagreements 3").click()  # nothing lies above its middle
    rows, state = page.locator("article.row"), page.locator(".head .state")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("eva ✓ relevant “<b>bold</b>”")
    rows.first.get_by_role("button", name="✓ Relevant").dblclick()  # the next row comes under it
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(rows).to_have_count(1)
    page.keyboard.press("u")
    expect(state).to_contain_text("Taken back: not relevant, of ")
    expect(rows).to_have_count(2)
    expect(rows.nth(1)).to_have_class("row framed")
    page.keyboard.press("n")
    expect(state).to_have_text("2 decided, 1 left · Saved")
    page.reload()
    expect(state).to_have_text("2 decided, 1 left")
    rows = list_history("driving", kind="decision")
    assert [(row.item_id, row.value) for row in rows] == [
        (items[0], "relevant"), (items[2], "not"), (items[2], ""), (items[2], "keep"),
    ]  # fmt: skip
