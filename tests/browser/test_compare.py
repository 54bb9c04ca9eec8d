"""Compare at a glance: the verdict, the queries and the charts above the fold, a click from each
query."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from xml.etree import ElementTree

import pytest

from tests.browser.conftest import move
from tests.browser.proxy import Proxy

IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"
CELLS = ".st-key-queries-by-difference [data-testid=data-grid-canvas]"


def at_compare(page_at: Callable, dashboard: str):
    page = page_at(f"{dashboard}/compare?collection=driving", 1440, 900)
    page.locator(CELLS).wait_for()
    page.locator(IDLE).wait_for()
    return page


def test_the_verdict_the_queries_and_a_chart_stand_above_the_fold(
    dashboard: str, page_at: Callable
) -> None:
    page = at_compare(page_at, dashboard)
    page.locator("svg.marks").first.wait_for()
    verdict = page.locator(".st-key-verdict").bounding_box()
    rows = page.locator(CELLS).bounding_box()
    charts = page.locator("svg.marks").first.bounding_box()
    report = page.get_by_role("link", name="Report").bounding_box()
    assert verdict["height"] <= 150 and report["y"] < verdict["y"]
    assert rows["y"] + 6 * 33 < 900 and charts["y"] + charts["height"] < 900
    assert rows["x"] + rows["width"] < charts["x"], "queries at the left, charts at the right"


def test_a_click_anywhere_in_a_row_opens_its_query(dashboard: str, page_at: Callable) -> None:
    page = at_compare(page_at, dashboard)
    cells = page.locator(CELLS).bounding_box()
    page.mouse.click(cells["x"] + cells["width"] / 2, cells["y"] + 33 * 2.5)  # the second row
    page.wait_for_url("**/query?**query=**")
    page.go_back()
    page.locator(CELLS).wait_for()


def test_a_part_of_the_bar_lists_its_queries_without_loading_the_page_again(
    dashboard: str, page_at: Callable
) -> None:
    page = at_compare(page_at, dashboard)
    page.evaluate("window.stays = true")
    page.locator(".verdict .counts").get_by_role("link", name="worse").click()
    page.wait_for_url("**outcome=worse**")
    page.get_by_text("17 of 113 queries.").wait_for()
    page.locator(".verdict .lowest").get_by_role("link").click()
    page.wait_for_url("**slice=**")
    page.locator(".verdict .lowest").wait_for(state="detached")  # a slice is in view now
    assert page.evaluate("window.stays")


def test_each_chart_is_saved_as_svg_or_png(dashboard: str, page_at: Callable) -> None:
    page = at_compare(page_at, dashboard)
    charts = page.locator("[data-testid=stFullScreenFrame]", has=page.locator("svg.marks"))
    page.locator("svg.marks").nth(2).wait_for()
    assert charts.count() == 3
    for chart in charts.all():
        chart.hover()
        assert chart.get_by_role("button", name="Download as PNG").count() == 1
        with page.expect_download() as saved:
            chart.get_by_role("button", name="Download as SVG").click()
        title = chart.locator("[aria-roledescription=visualization]").get_attribute("aria-label")
        words = re.sub("[^a-z0-9]+", "-", title.lower()).strip("-")
        assert saved.value.suggested_filename == f"{words[:80]}.svg"
        root = ElementTree.parse(saved.value.path()).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg" and root[0].get("fill")
        assert float(root.get("width")) > 100 and title.split()[0] in "".join(root.itertext())
        marks = "svg.marks [role=graphics-symbol]"
        symbols = [part for part in root.iter() if part.get("role") == "graphics-symbol"]
        assert len(symbols) == chart.locator(marks).count() > 0


def test_a_filter_brings_less_than_30_kilobytes_and_all_queries_again_their_name_alone(
    dashboard: str, page_at: Callable
) -> None:
    page = at_compare(page_at, dashboard)
    sizes = []
    for outcome in ("worse", "all", "worse"):
        page.locator(IDLE).wait_for()
        sent = page.sent
        move(page, f"{dashboard}/compare?collection=driving&outcome={outcome}")
        sizes.append(page.sent - sent)
    assert 1_000 < sizes[0] < 30_000 and 1_000 < sizes[1] < 15_000 and sizes[2] < 15_000


def test_another_metric_brings_less_than_30_kilobytes_over_the_line(
    dashboard: str, new_page: Callable
) -> None:
    line, page = Proxy(dashboard, "line"), new_page()
    with closing(line):
        page.goto(f"{line.url}/compare?collection=driving")
        page.locator("svg.marks").nth(2).wait_for()
        page.wait_for_load_state("networkidle")
        page.locator(IDLE).wait_for()
        before, sent = line.brought, page.sent
        move(page, f"{line.url}/compare?collection=driving&metric=nDCG@5")
        assert 1_000 < line.brought - before < 30_000 < page.sent - sent


@pytest.mark.slow
def test_one_click_copies_the_link_and_says_so(dashboard: str, new_page: Callable) -> None:
    page = new_page(width=1440, permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"{dashboard}/compare?collection=driving")
    page.locator(CELLS).wait_for()
    for title, done, wanted in (
        ("Copy link", "Link copied", page.url.split("?")[0]),
        ("Copy as Markdown", "Markdown copied", "▲ v0"),
    ):
        page.get_by_role("button", name=title).click()
        page.get_by_role("button", name=done).wait_for()
        assert page.evaluate("navigator.clipboard.readText()").startswith(wanted)
