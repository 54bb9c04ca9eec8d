"""Verdicts in Chromium: said in the player, kept, shown to a colleague, taken back."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.browser.conftest import unfold

IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"
HOSTILE = '<img src=x onerror="window.__pwn=1"> **b** =1+1'


@pytest.fixture
def player(made_up: SimpleNamespace, page_at: Callable) -> Callable:
    """Opens the player of one result of a query."""

    def opened(item: str):
        choices = f"collection=streets&query=like7&clip={item}&shown=50"
        page = page_at(f"{made_up.url}/query?{choices}")
        page.locator("dialog[open] .say").wait_for()
        return page

    return opened


def say(page, value: str, note: str = "", name: str = "Grace") -> None:
    page.get_by_role("radio", name=value, exact=True).check()
    page.get_by_label("Note").fill(note)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Save verdict").click()


SAID_OF = """item => [...document.querySelectorAll('*')]
    .flatMap(node => [...(node.shadowRoot?.querySelectorAll('.card') ?? [])])
    .filter(card => card.item?.id === item)
    .flatMap(card => [...card.querySelectorAll('.own-verdict, .reviewed')])
    .map(node => node.textContent.trim())"""
"""What the cards of an item say that reviewers said."""


def drawn_anew(page, act: Callable[[], object]) -> None:
    """Do what makes the script run, and wait until it has run."""
    page.locator(IDLE).wait_for()
    before, until = page.drawings, time.monotonic() + 60
    act()
    while page.drawings == before:  # a run may be so short that the page never shows that it runs
        assert time.monotonic() < until, "nothing was drawn"
        page.wait_for_timeout(20)
    page.locator(IDLE).wait_for()


@pytest.mark.slow
def test_a_verdict_is_kept_and_a_colleague_sees_it(player: Callable) -> None:
    page = player("street_02")
    say(page, "not relevant", HOSTILE)
    page.get_by_text("Saved.", exact=True).wait_for()
    page.locator("dialog .verdicts").get_by_text(HOSTILE).wait_for()
    assert page.get_by_label("Note").input_value() == ""
    page.keyboard.press("Escape")
    page.wait_for_function(f"({SAID_OF})('street_02').length")
    assert set(page.evaluate(SAID_OF, "street_02")) == {"✕ you: not relevant"}  # said once
    page.get_by_text("Reviews of these results: 1 verdict").wait_for()
    colleague = player("street_02")
    assert HOSTILE in colleague.locator("dialog .verdicts").inner_text()
    say(colleague, "relevant", name="Hal")
    colleague.get_by_role(
        "heading", name="Reviewed: relevant 1, not relevant 1", exact=True
    ).wait_for()
    colleague.keyboard.press("Escape")
    colleague.wait_for_function(f"({SAID_OF})('street_02').includes('✓ you: relevant')")
    both = {"✓ you: relevant", "reviewed: relevant 1, not relevant 1"}
    assert set(colleague.evaluate(SAID_OF, "street_02")) == both
    assert colleague.evaluate("window.__pwn") is None
    assert colleague.locator("dialog .verdicts img, dialog .verdicts b").count() == 0


@pytest.mark.slow
def test_a_verdict_can_be_changed_and_taken_back_and_the_name_is_remembered(
    player: Callable,
) -> None:
    page = player("street_03")
    say(page, "unsure", name="Cleo")
    page.get_by_role("heading", name="Reviewed: unsure", exact=True).wait_for()
    say(page, "relevant", name="Cleo")
    page.get_by_role("heading", name="Reviewed: relevant", exact=True).wait_for()
    assert page.locator("dialog .verdicts li").count() == 1
    page.get_by_role("button", name="Remove my verdict").click()
    page.locator("dialog .verdicts").wait_for(state="detached")
    again = player("street_04")
    assert again.get_by_label("Your name").input_value() == "Cleo"


def test_what_is_missing_is_said_and_keys_that_are_typed_do_nothing_else(player: Callable) -> None:
    page = player("street_05")
    page.get_by_label("Your name").fill("")
    page.get_by_role("button", name="Save verdict").click()
    page.get_by_text("Choose relevant, not relevant or unsure.").wait_for()
    page.get_by_role("radio", name="unsure").check()
    page.get_by_role("button", name="Save verdict").click()
    page.get_by_text("Enter your name").wait_for()
    address = page.url
    page.get_by_label("Note").click()
    page.keyboard.type("j n? c")
    page.keyboard.press("ArrowLeft")
    assert page.get_by_label("Note").input_value() == "j n? c"
    assert page.url == address and page.locator("dialog.keys[open]").count() == 0


def test_every_verdict_can_be_saved_as_a_table_that_is_safe_to_open(player: Callable) -> None:
    page = player("street_06")
    drawn_anew(page, lambda: say(page, "relevant", "=1+1"))
    page.get_by_role("heading", name="Reviewed: relevant", exact=True).wait_for()
    drawn_anew(page, lambda: page.keyboard.press("Escape"))
    unfold(page.locator("details", has_text="Reviews of these results"))
    with page.expect_download() as saved:
        page.get_by_role("link", name="Download all verdicts (CSV)").click()
    lines = Path(saved.value.path()).read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("number,kind,collection,query_id")
    assert any("street_06" in line and "'=1+1" in line for line in lines)


@pytest.mark.slow
def test_a_table_is_saved_by_a_click_while_the_page_is_drawn_again(player: Callable) -> None:
    page = player("street_07")
    drawn_anew(page, lambda: page.keyboard.press("Escape"))
    unfold(page.locator("details", has_text="Reviews of these results"))
    links = page.get_by_test_id("stLinkButton").locator("a")
    button = links.filter(has_text="Download all verdicts (CSV)")  # behind the open player
    button.wait_for()
    page.locator(".card .open").first.click()

    def save_and_download(value: str) -> None:
        say(page, value)
        with page.expect_download() as saved:
            button.dispatch_event("click")
        assert Path(saved.value.path()).read_text(encoding="utf-8").startswith("number,kind,")

    for value in ["relevant", "not relevant", "unsure"] * 2:
        drawn_anew(page, partial(save_and_download, value))
