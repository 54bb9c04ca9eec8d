"""The screen Query in Chromium: cards, keys and wrong links."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.conftest import APP, check_visits
from tests.core.test_media import BLUE, RED, write_clip

FIND = """const find = (selector) => [...document.querySelectorAll("*")]
    .flatMap(each => each.shadowRoot ? [...each.shadowRoot.querySelectorAll(selector)] : []);
    const isCut = (each) => each.scrollWidth > each.clientWidth + 1;"""
"""Finds elements of components, which the document's own search does not."""
Serve = Callable[[Path], AbstractContextManager[str]]


def find_front(page: Page) -> str:
    return page.locator("article.card[tabindex='0']").get_attribute("aria-label") or ""


def test_cards_keys_and_wrong_links(pictured: str, page: Page) -> None:
    page.goto(f"{pictured}/query?collection=world&query=q1")
    cards = page.locator("article.card")
    expect(cards.first.locator(".verdict")).to_contain_text("relevant")
    expect(cards.first.locator(".keyword")).to_have_text("✓car")
    expect(cards.first.locator("img")).to_have_js_property("naturalWidth", 320)
    expect(page.locator(".row h2")).to_have_text(["v1", "v2", "Ideal order"])

    page.keyboard.press("j")
    expect(cards.first.locator(".keyword")).to_have_text(["✓car", "✕bus"])
    page.wait_for_url("**query=q2**")
    assert find_front(page).startswith("v1, rank 1.")

    page.keyboard.press("ArrowRight")
    assert find_front(page).startswith("v1, rank 2.")
    page.keyboard.press("ArrowDown")
    assert find_front(page).startswith("v2, rank 2.")
    page.keyboard.press("z")
    expect(page.locator("dialog .facts")).to_contain_text("rank 2")
    page.keyboard.press("ArrowLeft")  # keys act as without it
    expect(page.locator("dialog .facts")).to_contain_text("rank 1")
    page.keyboard.press("Escape")
    expect(page.locator("article.card[tabindex='0']")).to_be_focused()
    assert find_front(page).startswith("v2, rank 1.")
    page.keyboard.press("z")
    page.keyboard.press("v")
    expect(page.get_by_placeholder("Your name")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("How this value is computed").click()
    expect(page.get_by_text("the sum of").first).to_be_visible()
    page.keyboard.press("k")  # the switch has the focus
    expect(cards.first.locator(".keyword")).to_have_text("✓car")

    page.goto(f"{pictured}/query?collection=world&query=__proto__")
    expect(page.get_by_text("There is no query '__proto__'.")).to_be_visible()
    expect(page.locator("article.card")).to_have_count(0)
    expect(page.get_by_role("navigation").get_by_role("link")).to_have_count(8)
    page.get_by_role("button", name="Open without this").click()
    expect(page.locator("article.card").first).to_be_visible()


SCRIPT_STATE = "data-test-script-state"


def test_metric_chosen_after_the_sheet(pictured: str, page: Page) -> None:
    """The inputs of the closed sheet do not send their old values again."""
    page.goto(f"{pictured}/query?collection=world&query=q1")
    more = page.get_by_role("button", name="More")
    page.locator("nav a").first.wait_for()  # its script moves the keys into what opens
    more.press("Enter")
    expect(page.get_by_test_id("stPopoverBody").locator(":focus")).to_have_count(1)
    more.click(force=True)
    expect(page.get_by_label("Mapping threshold", exact=True)).to_have_count(0)
    for metric in ("AP", "P@3"):  # the usual one is not named
        # a script that ends while somebody types takes what was typed
        expect(page.get_by_test_id("stApp")).to_have_attribute(SCRIPT_STATE, "notRunning")
        row = page.get_by_label("Metric", exact=True)
        row.fill(metric)
        expect(page.get_by_role("option", name=metric, exact=True)).to_be_visible()
        row.press("Enter")
        page.wait_for_url("**metric=AP**" if metric == "AP" else "**query=q1")
    page.go_back()
    page.wait_for_url("**metric=AP**")
    page.go_back()
    page.wait_for_url("**query=q1")


FIRST_CARD = {390: (844, 180), 768: (1024, 165), 1440: (900, 132)}
"""Height of a window and the highest place of the first card, by width."""


@pytest.mark.parametrize("width", FIRST_CARD)
def test_room_for_cards(pictured: str, page: Page, width: int) -> None:
    height, top = FIRST_CARD[width]
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{pictured}/query?collection=world&query=q2")
    expect(page.locator("article.card").first.locator("img")).to_be_visible()
    page.wait_for_function(
        f"""([width, top]) => {{
            {FIND}
            const first = find("article.card")[0].getBoundingClientRect();
            const labels = find(".keyword, .foot, .verdict, .badge");
            return document.documentElement.scrollWidth <= width && first.top <= top
              && labels.length > 4 && !labels.some(isCut);
        }}""",
        arg=[width, top],
    )


def test_links_are_links(pictured: str, page: Page) -> None:
    page.goto(f"{pictured}/query?collection=world&query=q1&min_similarity=0.1")
    expect(page.locator("article.card").first).to_be_visible()
    links = page.get_by_role("navigation").get_by_role("link")
    expect(links.first).to_be_visible()
    assert min(link.bounding_box()["height"] for link in links.all()) >= 24
    expect(page.locator("nav [aria-current=page]")).to_have_text("Query")
    expect(links.filter(has_text="Compare")).to_have_attribute("href", re.compile("min_sim"))
    links.filter(has_text="Collections").click()
    page.wait_for_url("**/collections?**min_similarity=0.1**")
    expect(page.get_by_role("button", name="Min similarity: 0.1 ✕")).to_be_visible()


def test_visits_leave_nothing_behind(pictured: str, page: Page) -> None:
    page.goto(f"{pictured}/query?collection=world&query=q1")

    def visit() -> None:
        page.locator("nav a", has_text="Query").click()
        expect(page.locator("article.card").first).to_be_visible()
        page.keyboard.press("j")
        page.locator("nav a", has_text="Collections").click()
        expect(page.locator("article.card")).to_have_count(0)
        expect(page.get_by_text("Your own data")).to_be_visible()

    check_visits(page, visit)


def test_two_clips_play_in_step(world: Path, page: Page, serve: Serve) -> None:
    """Clips count from their own first frame: one begins at 0, the other at 5 seconds."""
    (world / "media").mkdir()
    rows = ["item_id,file,poster"]
    for name, first in zip("abcd", (0.0, 5.0, 0.0, 5.0), strict=True):
        write_clip(world / "media" / f"{name}.webm", [RED, BLUE], first, "libvpx")
        Image.new("RGB", (160, 90)).save(world / "media" / f"{name}.png")
        rows.append(f"{name},{name}.webm,{name}.png")
    (world / "items.csv").write_text("\n".join(rows))
    settings = 'title = "World"\nprotocols = ["alfa"]\nposters_root = "media"\n'
    (world / "collection.toml").write_text(settings)
    with serve(world.parent) as address:
        page.goto(f"{address}/query?collection=world&query=q1")
        page.locator("article.card").nth(1).focus()  # c in v1, b in v2
        page.keyboard.press(" ")
        videos = page.locator("article.card video")
        expect(videos).to_have_count(2)
        expect(videos.nth(1)).to_have_js_property("paused", False)
        page.wait_for_function(
            f"""() => {{
                {FIND}
                const [first, second] = find("article.card video").map(each => each.currentTime);
                return first > 0.2 && Math.abs(second - 5 - first) < 0.4;
            }}"""
        )
        page.keyboard.press(" ")
        expect(videos.first).to_have_js_property("paused", True)
        page.keyboard.press("z")
        enlarged = page.locator("dialog video")
        for is_paused in (False, True):
            expect(enlarged).to_have_js_property("paused", is_paused)
            page.keyboard.press(" ")


@pytest.mark.parametrize(
    "keys", ["queries=text", "queries=item&groups=pv_object_type+pv_actor_behavior+pv_scene_type"]
)
def test_keywords_are_whole(page: Page, shipped: str, keys: str) -> None:
    """No label of the shipped clips is wider than its box, at any width."""
    whole = f"""() => {{
        {FIND}
        const labels = find(".keyword, .keyword span, .cell, .foot, .verdict, .chip");
        return labels.length > 9 && !labels.some(isCut);
    }}"""
    page.goto(f"{shipped}/query?collection=driving&{keys}")
    for width, height in ((390, 844), (768, 1024), (1440, 900), (1920, 1080), (2560, 1300)):
        page.set_viewport_size({"width": width, "height": height})
        for _ in range(4):
            expect(page.locator(".keyword, .cell").first).to_be_visible()
            page.wait_for_function(whole)
            count = page.locator(".query output").text_content()
            page.keyboard.press("j")
            expect(page.locator(".query output")).not_to_have_text(count or "")


def test_room_for_pictures(page: Page, shipped: str) -> None:
    """At least 26 pictures of a query are whole, at 1440 × 900; lines wait for a choice."""
    page.goto(f"{shipped}/query?collection=driving")
    expect(page.locator(".card.lit").first).to_be_attached()
    page.wait_for_function(
        f"""() => {{
            {FIND}
            const whole = find("article.card .media").map(each => each.getBoundingClientRect())
              .filter(box => box.bottom <= 900 && box.right <= 1440 && box.left >= 0);
            const pixels = whole.reduce((sum, box) => sum + box.width * box.height, 0);
            return whole.length >= 26 && pixels >= 0.4 * 1440 * 900;
        }}"""
    )
    assert page.locator(".track svg line").count() == 0
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".track svg line")).to_have_count(1)  # none crosses a row


def test_link_is_copied(page: Page, shipped: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for screen, button in (("query", ".query button"), ("search", ".copy button"),
                           ("collections", ".copy button")):  # fmt: skip
        page.goto(f"{shipped}/{screen}?collection=driving")
        page.wait_for_url("**candidate=v0.3*")
        page.locator(button).get_by_text("Copy link").click()
        expect(page.locator(button).get_by_text("Copied", exact=True)).to_be_visible()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == page.url and "candidate=v0.3" in copied


def test_every_quick_key_is_a_step(page: Page, shipped: str) -> None:
    page.goto(f"{shipped}/query?collection=driving")
    expect(page.locator("article.card").first).to_be_visible()
    for _ in range(20):
        page.keyboard.press("j")
    expect(page.locator(".query output").first).to_have_text("21 of 113")


def test_view_outlives_values_that_were_overtaken(page: Page) -> None:
    """Streamlit 1.67 calls what a component returned where newer values came while it loaded."""
    module = (APP.parent / "dashboard/views/cards/elements.js").read_text()
    view = "class { update({ data }) { told.push(data); } close() { told.push('closed'); } }"
    told = page.evaluate(
        f"""{{ {module}; const told = []; const draw = keepView({view});
        const parentElement = document.body.appendChild(make("div"));
        const leave = draw({{ parentElement, data: 1 }});
        leave(); draw({{ parentElement, data: 2 }}); parentElement.remove(); leave(); told }}"""
    )
    assert told == [1, 2, "closed"]


def test_item_that_was_searched_with_is_shown(page: Page, shipped: str) -> None:
    page.goto(f"{shipped}/search?collection=driving")
    page.locator(".pick .card").nth(1).click()
    expect(page.locator(".asked")).to_contain_text("_002 · A small vehicle enters")
    expect(page.locator(".asked img")).to_be_visible()


def test_links_fade_where_more_follow(page: Page, shipped: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{shipped}/?collection=driving")
    links = page.locator("nav")
    expect(links).to_have_class("after")
    page.evaluate("document.fonts.ready.then(() => 0)")  # letters of another width move the end
    links.evaluate("nav => nav.scrollTo(nav.scrollWidth, 0)")
    expect(links).to_have_class("before")
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(links).to_have_class("")
