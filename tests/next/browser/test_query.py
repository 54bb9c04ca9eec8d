"""The screen Query in Chromium: cards, keys and wrong links."""

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

APP = Path(__file__).parents[3] / "dashboard" / "next" / "app.py"
CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


@pytest.fixture
def address(world: Path) -> Iterator[str]:
    """Serve the small world, whose items are pictures."""
    (world / "media").mkdir()
    rows = ["item_id,file,poster"]
    for name, colour in zip("abcd", ("red", "green", "blue", "grey"), strict=True):
        Image.new("RGB", (160, 90), colour).save(world / "media" / f"{name}.png")
        rows.append(f"{name},{name}.png,")
    (world / "items.csv").write_text("\n".join(rows))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    call = [sys.executable, "-m", "streamlit", "run", str(APP), "--server.headless", "true"]
    call += ["--server.port", str(port), "--server.fileWatcherType", "none"]
    environment = os.environ | {"DASHBOARD_DATA": str(world.parent)}
    server = subprocess.Popen(call, env=environment, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    for line in server.stdout:
        if "URL" in line:
            break
    yield f"http://127.0.0.1:{port}"
    server.terminate()
    server.communicate()


@pytest.fixture
def page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        opened = browser.new_page(viewport={"width": 1440, "height": 900})
        opened.set_default_timeout(20_000)
        expect.set_options(timeout=20_000)
        yield opened
        browser.close()


def find_front(page: Page) -> str:
    return page.locator("article.card[tabindex='0']").get_attribute("aria-label") or ""


def test_cards_keys_and_wrong_links(address: str, page: Page) -> None:
    page.goto(f"{address}/query?collection=world&query=q1")
    cards = page.locator("article.card")
    expect(cards.first.locator(".verdict")).to_contain_text("relevant")
    expect(cards.first.locator(".keyword")).to_have_text("✓car")
    expect(cards.first.locator("img")).to_have_js_property("naturalWidth", 160)
    expect(page.locator(".row h3")).to_have_text(["v1", "v2", "Ideal order"])

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
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_be_hidden()
    assert find_front(page).startswith("v2, rank 2.")

    page.goto(f"{address}/query?collection=world&query=__proto__")
    expect(page.get_by_text("There is no query '__proto__'.")).to_be_visible()
    expect(page.locator("article.card")).to_have_count(0)


def test_metric_chosen_after_the_sheet(address: str, page: Page) -> None:
    """The inputs of the closed sheet do not send their old values again."""
    page.goto(f"{address}/query?collection=world&query=q1")
    more = page.get_by_role("button", name="More")
    more.click()
    expect(page.get_by_label("Mapping threshold", exact=True)).to_be_visible()
    more.click(force=True)
    expect(page.get_by_label("Mapping threshold", exact=True)).to_have_count(0)
    for metric in ("AP", "P@3"):
        row = page.get_by_label("Metric", exact=True)
        row.fill(metric)
        row.press("Enter")
        page.wait_for_url(f"**metric={metric.replace('@', '*')}**")


FIRST_CARD = {390: (844, 180), 768: (1024, 165), 1440: (900, 132)}
"""Height of a window and the highest place of the first card, by width."""


@pytest.mark.parametrize("width", FIRST_CARD)
def test_room_for_cards(address: str, page: Page, width: int) -> None:
    height, top = FIRST_CARD[width]
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{address}/query?collection=world&query=q2")
    first = page.locator("article.card").first
    expect(first.locator("img")).to_be_visible()
    page.wait_for_timeout(500)
    box = first.bounding_box()
    assert box is not None and box["y"] <= top
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    cut = "all => all.filter(each => each.scrollWidth > each.clientWidth + 1).length"
    assert page.locator(".keyword, .foot, .verdict, .badge").evaluate_all(cut) == 0


def test_links_are_links(address: str, page: Page) -> None:
    page.goto(f"{address}/query?collection=world&query=q1&min_similarity=0.1")
    expect(page.locator("article.card").first).to_be_visible()
    links = page.get_by_role("navigation").get_by_role("link")
    assert min(link.bounding_box()["height"] for link in links.all()) >= 24
    expect(page.locator("nav [aria-current=page]")).to_have_text("Query")
    expect(links.filter(has_text="Compare")).to_have_attribute("href", re.compile("min_sim"))
    links.filter(has_text="Collections").click()
    page.wait_for_url("**/collections?**min_similarity=0.1**")
    expect(page.get_by_role("button", name="Min similarity: 0.1 ✕")).to_be_visible()


def test_visits_leave_nothing_behind(address: str, page: Page) -> None:
    """After ten visits of the screen the tab has as many listeners as after two."""
    page.goto(f"{address}/query?collection=world&query=q1")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    counts = []
    for _ in range(10):
        page.locator("nav a", has_text="Query").click()
        expect(page.locator("article.card").first).to_be_visible()
        page.keyboard.press("j")
        page.locator("nav a", has_text="Collections").click()
        expect(page.locator("article.card")).to_have_count(0)
        page.wait_for_timeout(400)
        session.send("HeapProfiler.collectGarbage")
        found = session.send("Performance.getMetrics")["metrics"]
        counts.append({each["name"]: each["value"] for each in found})
    for name in ("JSEventListeners", "Nodes"):
        assert counts[-1][name] <= counts[2][name] * 1.1 + 20, [each[name] for each in counts]
