"""Texts as results: the card of an item without a picture shows its text whole."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.plugins.crossmodal.test_crossmodal import ITEMS, QUERIES, write

Serve = Callable[[Path], AbstractContextManager[str]]
LONG = "a man in a red coat leads two dogs over a bridge while three children wave at a boat " * 3

MARKUP = "<b>sky</b>"
TITLE = "Of https://example.com and www.example.com at P@5"


@pytest.fixture
def address(tmp_path: Path, serve: Serve) -> Iterator[str]:
    """Serve two pictures and three texts, one of which is long."""
    rows = [f"{line}," for line in ITEMS.splitlines()[1:]]
    rows[2] += LONG
    items = "item_id,file,kind,caption\n" + "\n".join(rows)
    folder = tmp_path / "data" / "w"
    write(folder, items, QUERIES.replace("sky", MARKUP))
    with (folder / "collection.toml").open("a") as file:
        file.write(f'title = "{TITLE}"\n')
    with serve(tmp_path / "data") as found:
        yield found


@pytest.mark.parametrize("width", [390, 1440])
def test_a_long_text_is_whole(address: str, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{address}/query?collection=w&query=i1")
    words = page.locator("article.card .words").filter(has_text="three children")
    expect(words.first).to_be_visible()
    frames = page.locator("article.card .media")
    assert frames.evaluate_all("all => all.every(e => e.scrollHeight <= e.clientHeight + 1)")
    assert words.evaluate_all("all => all.every(e => e.scrollHeight <= e.clientHeight + 1)")


def test_markup_and_addresses_are_shown_as_text(address: str, page: Page) -> None:
    page.goto(f"{address}/overview?collection=w&metric=t2i_R@1")
    expect(page.get_by_text(MARKUP).first).to_be_visible()
    expect(page.get_by_text("at P@5").first).to_be_visible()
    expect(page.locator("a[href^=http][href*='example.']")).to_have_count(0)
