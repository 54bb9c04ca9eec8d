"""The report in Chromium: opened from a file, it asks nobody, runs nothing and fits the screen."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from dashboard.__main__ import main
from tests.views.report_world import make_report_world

ODD = " <img src=http://127.0.0.1:8699/t.png onerror=alert(1)><script>window.__pwn=1</script>"
DRAWN = """address => new Promise(done => {
    const picture = new Image();
    picture.onload = () => done(picture.naturalWidth);
    picture.onerror = () => done(0);
    picture.src = address;
})"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("report")
    world, page = make_report_world(folder / "world", ODD), folder / "report.html"
    pair = ["--baseline", "a", "--candidate", "b", "--queries", "all"]
    assert main(["report", str(world), *pair, "-o", str(page)]) == 0
    return page.as_uri()


@pytest.fixture
def opened(new_page: Callable, file: str) -> Callable:
    def at(**options: object):
        page = new_page(**options)
        page.asked, page.said = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("console", lambda message: page.said.append(message.text))
        page.goto(file)
        return page

    return at


def test_it_opens_from_a_file_and_asks_nobody(opened: Callable, file: str) -> None:
    page = opened()
    page.mouse.wheel(0, 50_000)
    page.wait_for_timeout(200)
    assert [url for url in page.asked if not url.startswith("data:")] == [file]
    assert page.said == [], "no complaint of the content security policy, nothing blocked"
    assert page.evaluate("window.__pwn") is None
    assert page.locator("script, img, iframe").count() == 0
    assert page.get_by_text("<script>window.__pwn=1</script>").count() > 5


def test_its_policy_would_stop_what_it_does_not_hold(opened: Callable) -> None:
    page = opened()
    width = page.evaluate(DRAWN, page.locator("image").first.get_attribute("href"))
    assert 0 < width <= 160, "pictures inside the page are drawn"
    assert page.evaluate(DRAWN, "http://127.0.0.1:8699/t.png") == 0
    assert any("Content Security Policy" in line for line in page.said)


def luminance(colour: str) -> float:
    """Of a colour as `rgb(…)`, as WCAG 2 computes it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 420])
def test_it_fits_light_dark_and_a_phone(opened: Callable, scheme: str, width: int) -> None:
    page = opened(width=width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    colours = page.evaluate("(s => [s.backgroundColor, s.color])(getComputedStyle(document.body))")
    light = ["rgb(255, 255, 255)", "rgb(23, 32, 43)"]
    assert (colours == light) == (scheme == "light")
    brightest, darkest = sorted(map(luminance, colours), reverse=True)
    assert (brightest + 0.05) / (darkest + 0.05) >= 4.5, "contrast as WCAG wants it of text"
    smallest = page.locator("article .thumb").evaluate_all(
        "them => Math.min(...them.map(each => each.getBoundingClientRect().width))"
    )
    assert smallest >= 110
    cut = page.locator("article ol.line > li").evaluate_all(
        "them => them.filter(each => each.scrollWidth > each.clientWidth).length"
    )
    assert cut == 0, "no text of a card goes beyond its edge"
    ends = page.locator(".chart").evaluate_all(
        "them => them.map(each => each.getBoundingClientRect().right)"
    )
    assert len(ends) == 4 and max(ends) <= width, "no chart is cut off"
    cards = page.locator("article ol.line").first.locator(":scope > li")
    tops = cards.evaluate_all("them => them.map(each => each.getBoundingClientRect().top)")
    assert len(set(tops)) == (1 if width == 1280 else 3), "five side by side, two on a phone"


def test_its_tables_can_be_saved(opened: Callable) -> None:
    page = opened()
    with page.expect_download() as saving:
        page.get_by_role("link", name="metrics.csv").click()
    assert saving.value.suggested_filename == "metrics.csv"
    assert Path(saving.value.path()).read_text().startswith("metric,cutoff,baseline,candidate")


def test_it_prints_black_on_white_even_from_the_dark(opened: Callable) -> None:
    page = opened(width=700, color_scheme="dark")  # A4 without its margins
    closed = page.locator("details:not([open]) > :not(summary)").first
    assert not closed.is_visible()
    page.emulate_media(media="print")
    assert closed.is_visible(), "paper has no parts that open"
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_two_queries_stand_on_a_printed_page(new_page: Callable, tmp_path: Path) -> None:
    world, file = make_report_world(tmp_path / "world", ""), tmp_path / "report.html"
    pair = ["--baseline", "a", "--candidate", "b", "--queries", "all"]
    assert main(["report", str(world), *pair, "-o", str(file)]) == 0
    page = new_page(width=703, height=1000)  # a page 186 mm wide between its margins
    page.goto(file.as_uri())
    page.emulate_media(media="print")
    heights = page.locator("article").evaluate_all("all => all.map(each => each.offsetHeight)")
    half = 255 / 25.4 * 96 / 2  # mm, of the shorter of the usual papers, in pixels
    assert heights and max(heights) < half
