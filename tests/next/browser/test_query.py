"""The screen Query in Chromium: cards, keys and wrong links."""

import os
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


def test_cards_keys_and_wrong_links(address: str, page: Page) -> None:
    page.goto(f"{address}/query?collection=world&query=q1")
    cards = page.locator("article.card")
    expect(cards.first.locator(".verdict")).to_contain_text("relevant")
    expect(cards.first.locator(".ticks li")).to_have_text("✓ car")
    expect(cards.first.locator("img")).to_have_js_property("naturalWidth", 160)
    expect(page.locator(".row h3")).to_have_text(["v1", "v2", "Ideal order"])

    page.keyboard.press("j")
    expect(cards.first.locator(".ticks li")).to_have_text(["✓ car", "✕ bus"])
    page.wait_for_url("**query=q2**")

    page.goto(f"{address}/query?collection=world&query=__proto__")
    expect(page.get_by_text("There is no query '__proto__'.")).to_be_visible()
    expect(page.locator("article.card")).to_have_count(0)


def test_nothing_is_cut_on_a_phone(address: str, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}/query?collection=world&query=q2")
    expect(page.locator("article.card").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    cut = "all => all.filter(each => each.scrollWidth > each.clientWidth).length"
    assert page.locator(".ticks li").evaluate_all(cut) == 0
