"""Lists that people saw, in Chromium: the grid, the banner that stays, a rating, a click on a
point."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest

from tests.browser.conftest import unfold

QUERY = "/query?collection=openmoji_context&query=w31&list=l001&rows=5&metric=CAG(DCG)@50"


def opened(page_at: Callable, url: str, width: int = 1280):
    page = page_at(url, width=width)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    return page


def places(page) -> list[dict]:
    """Where the pictures of the list stand, and what is said of them."""
    page.wait_for_selector(".places .place")
    return page.eval_on_selector_all(
        ".places .place",
        """(all) => all.map((place) => {
            const box = place.getBoundingClientRect();
            const image = place.querySelector("img");
            return {
                x: Math.round(box.x), y: Math.round(box.y), said: place.innerText,
                alt: image?.alt, inside: place.querySelectorAll("script, [onerror]").length,
            };
        })""",
    )


@pytest.mark.parametrize("width", [1280, pytest.param(420, marks=pytest.mark.slow)])
def test_pictures_stand_in_the_lists_own_rows_and_columns(page_at, made_up, width) -> None:
    page = opened(page_at, made_up.url + QUERY, width)
    found = places(page)
    assert len(found) == 25
    assert len({place["x"] for place in found}) == len({place["y"] for place in found}) == 5
    assert [place["x"] for place in found[:5]] == sorted(place["x"] for place in found[:5])
    assert "0.140" in found[1]["said"] and "picture 1 is better" in found[1]["said"]
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    around = page.locator(".list").evaluate(
        "node => [node.scrollWidth - node.clientWidth, node.clientHeight]"
    )
    assert around[0] == 0 and around[1] <= 600, "whole rows; what is longer is scrolled to"


@pytest.mark.slow
def test_a_hostile_caption_is_text(page_at, made_up) -> None:
    page = opened(page_at, made_up.url + QUERY)
    first = places(page)[0]
    assert first["alt"].startswith("<img src=x onerror=") and "\u202e" not in first["alt"]
    assert first["inside"] == 0 and page.title() != "1"


@pytest.mark.slow
def test_the_banner_of_simulated_satisfaction_cannot_be_closed(page_at, made_up) -> None:
    page = opened(page_at, made_up.url + QUERY)
    banner = page.locator("[data-testid=stAlert]", has_text="Simulated by a browsing model")
    banner.first.wait_for()
    assert banner.locator("button").count() == 0
    page.keyboard.press("Escape")
    assert banner.first.is_visible()


@pytest.mark.slow
def test_a_click_on_a_point_puts_its_list_into_the_link(page_at, made_up) -> None:
    page = opened(page_at, f"{made_up.url}/?collection=openmoji_context&rows=5")
    unfold(page.locator("details", has_text="Mean and deviation of relevance"))
    page.get_by_text("Figure 3a").scroll_into_view_if_needed()
    point = page.locator("path[aria-roledescription=circle]").nth(20)
    point.click(force=True)
    page.wait_for_url("**list=l*")
    link = page.get_by_role("link", name="picture by picture")
    link.wait_for()
    link.click()
    page.wait_for_url("**/query?**list=l*")
    assert len(places(page)) >= 20


def test_a_rating_is_on_the_disk_and_takes_the_banners_place(page_at, made_up) -> None:
    page = opened(page_at, made_up.url + QUERY)
    places(page)
    page.get_by_label("Your name").fill("Ivy")
    page.get_by_role("radiogroup", name="From 1 to").get_by_role("radio", name="4").click()
    page.get_by_text("Ratings: Ivy 4.").wait_for()
    with closing(sqlite3.connect(made_up.reviews / "reviews.sqlite")) as file:
        stored = file.execute("SELECT kind, value, author FROM review WHERE list_id = 'l001'")
        assert stored.fetchall() == [("rating", "4", "Ivy")]
    assert page.get_by_text("Simulated by a browsing model").count() == 0
    assert page.get_by_text("1 rating of 1 list by 1 reviewer").count() == 1
