"""The palette: Ctrl K, words, and where Enter goes."""

import re

from playwright.sync_api import Page, expect


def open_palette(page: Page, words: str) -> None:
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.get_by_role("button", name="Go to Ctrl K").wait_for()  # it obeys the keys from then on
    page.keyboard.press("Control+k")
    expect(page.get_by_role("textbox", name="Go to")).to_be_focused()
    page.keyboard.type(words)


def test_where_it_goes(page: Page, shipped: str) -> None:
    """To a query with the versions that are compared, a text, another collection, a first step."""
    page.goto(f"{shipped}/?collection=driving&baseline=v0.1")
    open_palette(page, "VAN the road")
    option = (
        page.get_by_role("dialog").get_by_role("option").filter(has_text="van crossing the road")
    )
    expect(option).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/query.*baseline=v0.1.*query="))
    expect(page.get_by_role("article").first).to_be_visible()
    open_palette(page, "no such <b>query</b>")
    expect(page.get_by_role("dialog").get_by_role("option")).to_have_count(1)
    expect(page.get_by_role("dialog").get_by_role("option")).to_contain_text(
        "“no such <b>query</b>”"
    )
    page.keyboard.press("Escape")
    expect(page.locator("dialog.palette")).to_have_count(0)
    open_palette(page, "digits")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/\?collection=digits_hashes"))
    page.get_by_role("button", name="Go to Ctrl K").click()
    page.keyboard.type("simulated driving clips")
    expect(page.get_by_role("option").first).to_contain_text("Simulated driving clips")
    page.keyboard.press("Escape")
    open_palette(page, "")
    expect(page.get_by_role("dialog").get_by_role("option").first).to_contain_text("First steps")
    page.get_by_text("Which queries got worse, and why?").click()
    page.wait_for_url(re.compile(r"/compare\?collection=digits_hashes"))
    page.locator(".queries li button").first.focus()
    open_palette(page, "slices")
    page.keyboard.press("Enter")  # which does not press the button that gets the focus back
    page.wait_for_url("**/slices?**")
    assert "query=" not in page.url
