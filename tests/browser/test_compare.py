"""Compare in Chromium: the list of queries, its links, keys and filters."""

import pytest
from playwright.sync_api import Page, expect


def test_list_opens_links_and_filters(shipped: str, page: Page) -> None:
    errors: list[str] = []
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.goto(f"{shipped}/compare?collection=driving")
    rows = page.locator(".queries li")
    expect(rows).to_have_count(25)
    expect(rows.first.locator(".strip").first).to_have_attribute(
        "aria-label", "v0.2: hits at ranks 1, 5 of the first 10"
    )

    rows.nth(1).locator("button").focus()
    page.keyboard.press("Enter")
    expect(rows.nth(1).locator(".peek h3")).to_contain_text(["v0.2", "v0.3", "Fell out"])
    expect(rows.nth(1).locator(".peek .card .mark").nth(10)).to_have_text("3 → 9")
    expect(rows.nth(1).locator("button")).to_be_focused()
    shared = rows.nth(1).locator("button").get_attribute("data-id")
    page.wait_for_url(f"**query={shared}**")
    page.reload()
    expect(rows.nth(1).locator(".peek")).to_be_visible()
    page.go_back()
    expect(page.locator(".peek")).to_have_count(0)

    with page.context.expect_page() as other:
        rows.first.locator("a").click(modifiers=["Control"])
    assert "query=q025" in other.value.url and "/query?" in other.value.url

    expect(page.locator("h1")).to_have_text("Compare")
    page.get_by_role("button", name="Show data").first.focus()
    expect(page.get_by_test_id("stElementToolbar").first).to_have_css("opacity", "1")
    page.get_by_role("radio", name="Worse 17").click()
    expect(rows).to_have_count(17)
    page.locator("[data-testid=stVegaLiteChart]").first.locator(".mark-rect path").first.click()
    expect(rows).to_have_count(5)
    rows.first.locator("a").click()
    page.wait_for_url("**/query?**query=q025**")
    expect(page.locator("article.card").first).to_be_visible()
    page.go_back()  # one step
    expect(rows).to_have_count(5)
    rows.first.locator("a").click()
    expect(page.locator(".query output")).to_have_text("1 of 5")
    outcome = page.get_by_role("button", name="Outcome: worse")
    outcome.click()
    expect(outcome).to_have_count(0)
    page.locator(".st-key-chip-picked button").click()
    expect(page.locator(".query output")).to_have_text("1 of 113")
    assert errors == []


def test_texts_are_whole_at_each_width(shipped: str, page: Page) -> None:
    page.goto(f"{shipped}/?collection=openmoji_hashes")
    charts = page.locator("svg.marks")
    legend = charts.nth(1).locator(".role-legend text").first
    page.locator(".st-key-row-metric input").fill("x" * 99)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text(f"no metric '{'x' * 80}…'. python")
    assert page.get_by_role("alert").bounding_box()["width"] > 1_300
    page.set_viewport_size({"width": 390, "height": 844})
    expect(charts.nth(1)).to_have_attribute("width", "366")
    assert legend.bounding_box()["y"] > charts.nth(1).bounding_box()["y"]
    page.goto(f"{shipped}/compare?collection=driving")
    page.locator(".queries li button").first.click()
    expect(page.locator(".peek")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = "all => all.filter(each => each.getBoundingClientRect().right > 390).length"
    assert page.locator(".queries *").evaluate_all(wide) == 0


def test_cell_of_two_slices_lists_its_queries(shipped: str, page: Page) -> None:
    page.goto(f"{shipped}/slices?collection=driving")
    cells = page.locator("[data-testid=stVegaLiteChart]").nth(1).locator(".mark-rect path")
    expect(cells).to_have_count(36)  # six pairs share no query
    cells.nth(9).click(force=True)
    expect(page.locator(".queries li")).to_have_count(3)
    page.get_by_text("Use as slice in Compare").click()
    verdict = "3 of 3 queries scored). Slice: pv_object_type=small vehicle & pv_actor_behavior="
    expect(page.locator("h2")).to_contain_text(verdict)
    page.go_back()  # one step
    expect(page.locator(".queries li")).to_have_count(3)
    page.go_back()
    expect(page.locator(".queries")).to_have_count(0)
    expect(cells.nth(9)).to_have_attribute("stroke-width", "1")  # the chart of now has no pick
    cells.nth(9).click(force=True)  # the same one again
    expect(page.locator(".queries li")).to_have_count(3)
    page.go_back()
    page.go_back()  # what the address of before lacked is no step
    assert page.url == "about:blank"


@pytest.mark.parametrize("secure", [True, False])
def test_copy_buttons(shipped: str, page: Page, secure: bool) -> None:
    """They work without navigator.clipboard, too, which a page has over HTTPS only."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    if not secure:
        page.add_init_script("navigator.clipboard.writeText = undefined")
    page.goto(f"{shipped}/compare?collection=driving")
    markdown, link = page.locator(".copy button").first, page.locator(".copy button").last
    expect(page.locator(".queries li")).to_have_count(25)
    for button, start in ((markdown, "## Simulated driving clips"), (link, shipped)):
        width = button.bounding_box()["width"]
        button.click()
        expect(button).to_have_class("done")
        assert button.bounding_box()["width"] == width
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith(start)
    assert len(copied) <= 160 and "candidate=v0.3" in copied
    expect(link).to_have_class("idle")
