"""Compare in Chromium: the list of queries, its links, keys and filters."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

APP = Path(__file__).parents[3] / "dashboard" / "next" / "app.py"
DATA = APP.parents[2] / "data"
CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Serve the shipped collections."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    call = [sys.executable, "-m", "streamlit", "run", str(APP), "--server.headless", "true"]
    call += ["--server.port", str(port), "--server.fileWatcherType", "none"]
    environment = os.environ | {"DASHBOARD_DATA": str(DATA)}
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
        opened.set_default_timeout(30_000)
        expect.set_options(timeout=30_000)
        yield opened
        browser.close()


def test_list_opens_links_and_filters(address: str, page: Page) -> None:
    page.goto(f"{address}/compare?collection=driving")
    rows = page.locator(".queries li")
    expect(rows).to_have_count(25)
    expect(rows.first.locator(".strip").first).to_have_attribute(
        "aria-label", "v0.2: hits at ranks 1, 5 of the first 10"
    )

    rows.nth(1).locator("button").focus()
    page.keyboard.press("Enter")
    expect(rows.nth(1).locator(".peek h4")).to_contain_text(["v0.2", "v0.3", "Fell out"])
    expect(rows.nth(1).locator(".peek .card .mark").nth(10)).to_have_text("3 → 9")
    expect(rows.nth(1).locator("button")).to_be_focused()
    shared = rows.nth(1).locator("button").get_attribute("data-id")
    page.wait_for_url(f"**query={shared}**")
    page.reload()
    expect(rows.nth(1).locator(".peek")).to_be_visible()

    with page.context.expect_page() as other:
        rows.first.locator("a").click(modifiers=["Control"])
    assert "query=q025" in other.value.url and "/query?" in other.value.url

    page.get_by_role("radio", name="Worse 17").click()
    expect(rows).to_have_count(17)
    page.locator("[data-testid=stVegaLiteChart]").first.locator(".mark-rect path").first.click()
    expect(rows).to_have_count(5)
    rows.first.locator("a").click()
    page.wait_for_url("**/query?**query=q025**")


def test_list_is_whole_on_a_phone(address: str, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}/compare?collection=driving")
    page.locator(".queries li button").first.click()
    expect(page.locator(".peek")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = "all => all.filter(each => each.getBoundingClientRect().right > 390).length"
    assert page.locator(".queries *").evaluate_all(wide) == 0


def test_cell_of_two_slices_lists_its_queries(address: str, page: Page) -> None:
    page.goto(f"{address}/slices?collection=driving")
    cells = page.locator("[data-testid=stVegaLiteChart]").nth(1).locator(".mark-rect path")
    expect(cells).to_have_count(36)  # six pairs share no query
    cells.nth(9).click(force=True)
    expect(page.locator(".queries li")).to_have_count(3)
    page.get_by_text("Use as slice in Compare").click()
    verdict = "3 of 3 queries scored). Slice: pv_object_type=small vehicle & pv_actor_behavior="
    expect(page.locator("h3")).to_contain_text(verdict)


@pytest.mark.parametrize("secure", [True, False])
def test_copy_buttons(address: str, page: Page, secure: bool) -> None:
    """They work without navigator.clipboard, too, which a page has over HTTPS only."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    if not secure:
        page.add_init_script("navigator.clipboard.writeText = undefined")
    page.goto(f"{address}/compare?collection=driving")
    markdown, link = page.locator(".copy button").first, page.locator(".copy button").last
    expect(page.locator(".queries li")).to_have_count(25)
    for button, start in ((markdown, "## Simulated driving clips"), (link, address)):
        width = button.bounding_box()["width"]
        button.click()
        expect(button).to_have_class("done")
        assert button.bounding_box()["width"] == width
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith(start)
    assert len(copied) <= 160 and "candidate=v0.3" in copied
    expect(link).to_have_class("idle")
