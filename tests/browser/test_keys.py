"""Arrow keys in Chromium: from the page to the cards, and never away from what uses them itself."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest

IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"
PLACE = """() => { let node = document.activeElement;
    while (node.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
    const card = node.closest('.card');
    return card && [card.closest('section').ariaLabel,
        [...card.parentElement.children].indexOf(card) + 1] }"""

ACTIVE = """() => document.getElementById('sq-palette').shadowRoot.querySelector('input')
    .getAttribute('aria-activedescendant')"""

PRESS_J = """() => new Promise(done => {
    const host = [...document.querySelectorAll('*')].find(
        node => node.shadowRoot?.querySelector('.card'));
    const cards = () => [...host.shadowRoot.querySelectorAll('[data-role=version] .card')]
        .map(card => card.item.id).join();
    const before = cards();
    document.body.dispatchEvent(
        new KeyboardEvent('keydown', {key: 'j', bubbles: true, composed: true}));
    const look = () => cards() === before ? requestAnimationFrame(look)
        : done(host.hasAttribute('data-behind'));
    look(); })"""
"""Press j and wait for other cards; whether they came before the server followed."""

FAINTEST = """() => { window.faintest = 1; const look = () => {
    let node = document.querySelector('.st-key-cards');
    for (let all = 1; node; node = node.parentElement) {
        all *= Number(getComputedStyle(node).opacity);
        window.faintest = Math.min(window.faintest, all);
    }
    setTimeout(look, 20); }; look(); }"""


@pytest.fixture
def query(dashboard: str, page_at: Callable) -> Callable:
    """Opens a query and waits until its cards are drawn."""

    def opened(more: str = "", **options: object):
        address = f"{dashboard}/query?collection=driving&baseline=v0.1&candidate=v0.2{more}"
        page = page_at(address, **options)
        page.locator(".card").first.wait_for()
        page.locator(IDLE).wait_for()
        while not page.runs:  # what drew the cards may be told to the test after they are there
            page.wait_for_timeout(20)
        return page

    return opened


def chosen(page, key: str) -> str:
    return parse_qs(urlsplit(page.url).query).get(key, [""])[-1]


def walked(page, *keys: str) -> object:
    for key in keys:
        page.keyboard.press(key)
    return page.evaluate(PLACE)


@pytest.mark.slow
def test_an_arrow_leads_from_the_page_to_the_first_card(query: Callable) -> None:
    page = query(height=1400)
    for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
        page.evaluate("document.activeElement.blur()")
        assert walked(page) is None
        assert walked(page, key) == ["v0.1", 1], key
        assert walked(page, "ArrowRight", "ArrowDown") == ["v0.2", 2], key


def test_a_step_brings_less_than_30_kilobytes(query: Callable) -> None:
    """Of what a browser has already, the server sends the name alone."""
    page = query()
    for _ in range(2):
        before, sent = page.drawings, page.sent
        page.evaluate(PRESS_J)
        while page.drawings == before:
            page.wait_for_timeout(20)
        page.locator(IDLE).wait_for()
        assert 1_000 < page.sent - sent < 30_000


@pytest.mark.slow
def test_what_was_clicked_and_has_no_use_for_arrows_lets_them_through(query: Callable) -> None:
    page = query("&query=q002", height=1400)
    page.locator("[data-testid=stMain]").click(position={"x": 12, "y": 700})
    assert walked(page, "ArrowRight") == ["v0.1", 1]
    before = page.url
    page.get_by_role("button", name="Next query").click()
    page.wait_for_url(lambda url: url != before)
    page.locator(IDLE).wait_for()
    assert walked(page) is None
    assert walked(page, "ArrowDown") == ["v0.1", 1]


@pytest.mark.slow
def test_the_first_card_is_the_first_in_sight(query: Callable) -> None:
    page = query(height=700)
    page.locator("section[aria-label='v0.2'] .open").first.evaluate(
        "card => card.scrollIntoView({block: 'start'})"
    )
    assert walked(page, "ArrowRight") == ["v0.2", 1]


@pytest.mark.slow
def test_where_no_card_is_in_sight_up_and_down_scroll(query: Callable) -> None:
    page = query(height=320)
    main = page.locator("[data-testid=stMain]")
    main.evaluate("main => { main.scrollTop = main.scrollHeight }")
    assert walked(page, "ArrowUp") is None
    assert walked(page, "ArrowRight") == ["v0.1", 1]


@pytest.mark.slow
def test_arrows_stay_with_what_uses_them_itself(query: Callable) -> None:
    page = query("&query=q002", height=1400)
    page.get_by_text("All metrics of this query").click()
    using = (
        page.locator("[data-testid=stSidebar] [role=combobox]").first,
        page.locator("[role=toolbar] button").first,
        page.locator("[role=radio]").first,
        page.locator("summary").first,
        page.locator("input[type=range]").first,
    )
    for widget in using:
        widget.evaluate("node => node.focus()")
        for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
            assert walked(page, key) is None, widget
        page.keyboard.press("Escape")


def test_arrows_with_another_key_are_the_browsers(query: Callable) -> None:
    page = query(height=1400)
    for key in ("Shift+ArrowRight", "Control+ArrowRight", "Alt+ArrowDown", "Home", "End"):
        assert walked(page, key) is None, key


@pytest.mark.slow
def test_the_list_of_keys_names_the_steps_only_where_there_are_any(
    query: Callable, dashboard: str
) -> None:
    page = query()
    page.keyboard.press("?")
    assert "next and previous query" in page.locator("dialog.keys[open]").inner_text()
    page.goto(f"{dashboard}/search?collection=driving&item=urban_bicyclist_entering_001")
    page.locator(".card").first.wait_for()
    page.keyboard.press("?")
    words = page.locator("dialog.keys[open]").inner_text()
    assert "from card to card" in words and "next and previous query" not in words


@pytest.mark.slow
def test_g_and_a_letter_go_to_a_screen_with_all_choices(query: Callable, dashboard: str) -> None:
    page = query("&query=q002")
    page.keyboard.press("?")
    listed = page.locator("dialog.keys[open]").inner_text()
    for letter, screen in (("c", "Compare"), ("l", "Collections"), ("o", "Overview")):
        assert f"g{letter}\n{screen}" in listed
        page.keyboard.press("g")
        page.keyboard.press(letter)
        page.locator("h1", has_text=screen).wait_for()
        page.locator(IDLE).wait_for()
        assert (chosen(page, "candidate"), chosen(page, "query")) == ("v0.2", "q002")
    page.keyboard.press("?")
    assert "next and previous query" not in page.locator("dialog.keys[open]").inner_text()
    page.keyboard.press("?")
    assert not page.locator("dialog[open]").count()


def found(page, letters: str) -> None:
    page.keyboard.type(letters)
    page.locator("[role=option]", has_text=letters).first.wait_for()


def test_the_palette_finds_a_query_by_its_words_and_closes_where_one_was(query: Callable) -> None:
    page = query()
    page.locator("section[aria-label='v0.2'] .open").nth(1).focus()
    page.keyboard.press("/")
    found(page, "van crosses")
    assert page.evaluate(ACTIVE) == page.locator("[role=option]").first.get_attribute("id")
    page.keyboard.press("Escape")
    assert page.evaluate(PLACE) == ["v0.2", 2]
    page.keyboard.press("Control+k")
    found(page, "v0.3")
    page.keyboard.press("Enter")
    page.wait_for_url("**candidate=v0.3**")
    page.locator(IDLE).wait_for()
    page.get_by_role("button", name="Find").click()
    page.keyboard.type("van crosses")  # and Enter before anything is found
    page.keyboard.press("Enter")
    page.wait_for_url("**query=q049**")
    page.locator(IDLE).wait_for()


@pytest.mark.slow
def test_j_in_the_player_shows_the_result_at_the_same_place_of_the_next_query(
    query: Callable,
) -> None:
    page = query()
    page.locator("section[aria-label='v0.2'] .open").nth(1).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**clip=**")
    page.locator(IDLE).wait_for()
    first = chosen(page, "query")
    page.keyboard.press("j")
    page.wait_for_url(lambda url: f"query={first}" not in url and "clip=" in url)
    page.wait_for_function("!document.querySelector('[data-behind]')")
    page.locator(IDLE).wait_for()
    title = page.locator("dialog.player[open] h2").inner_text()
    page.keyboard.press("Escape")
    page.wait_for_url(lambda url: "clip=" not in url)
    second = page.locator("section[aria-label='v0.2'] .card").nth(1)
    assert second.evaluate("card => card.item.name") == title
    assert page.evaluate(PLACE) == ["v0.2", 2]
    page.close()  # with its steps


@pytest.mark.slow
def test_after_a_reload_the_focus_is_on_the_same_card(query: Callable) -> None:
    page = query("&query=q002")
    page.locator("section[aria-label='v0.2'] .open").nth(2).focus()
    page.reload()
    page.locator(".card").first.wait_for()
    page.wait_for_function("document.activeElement !== document.body")
    assert page.evaluate(PLACE) == ["v0.2", 3]


@pytest.mark.slow
def test_space_in_the_player_plays_also_after_a_click_beside_the_clip(query: Callable) -> None:
    page = query(reduced_motion="no-preference")
    page.locator(".card .open").first.click()
    page.locator("dialog.player .about").click(position={"x": 5, "y": 5})
    video = page.locator("dialog.player video")
    page.wait_for_function("node => !node.paused", arg=video.element_handle())
    page.keyboard.press("Space")
    assert video.evaluate("node => node.paused")


@pytest.mark.usefixtures("alone")
def test_a_step_keeps_the_place_of_the_focus_and_the_cards_can_be_read_all_the_time(
    query: Callable,
) -> None:
    page = query()
    page.locator("section[aria-label='v0.1'] .open").nth(2).focus()
    first = chosen(page, "query")
    assert first, "the address names the query though the link did not"
    page.evaluate(FAINTEST)
    page.keyboard.press("j")
    page.wait_for_url(lambda url: f"query={first}" not in url)
    page.locator(IDLE).wait_for()
    page.wait_for_timeout(500)
    assert page.evaluate(PLACE) == ["v0.1", 3]
    assert page.evaluate("window.faintest") == 1
    page.go_back()
    page.wait_for_url(lambda url: f"query={first}" in url)
    assert page.evaluate("history.length") == 3, "naming the query was no step"


@pytest.mark.slow
def test_all_that_was_missed_is_reached_by_its_buttons(query: Callable) -> None:
    page = query("&shown=5")
    row = page.locator("section[data-role=missed]")
    first = row.locator(".card").first.inner_text()
    row.get_by_role("button", name="next").click()
    row.get_by_text("showing 6 to").wait_for()
    page.wait_for_url("**missed=6**")
    assert row.locator(".card").first.inner_text() != first
    assert page.evaluate("document.activeElement.shadowRoot.activeElement.textContent") in (
        "next",
        "previous",
    )
    row.get_by_role("button", name="previous").click()
    row.get_by_text("showing 1 to 5").wait_for()


def test_presses_are_counted_and_back_steps_back_one_query_at_a_time(query: Callable) -> None:
    page = query()
    place = page.locator(".steps output")
    assert place.inner_text() == "1 / 113"
    steps = page.evaluate("history.length")
    for _ in range(10):
        page.keyboard.press("j")
    assert place.inner_text() == "11 / 113", "at once, wherever the server is"
    assert page.evaluate("history.length") == steps + 10
    eleventh = chosen(page, "query")
    page.wait_for_function("!document.querySelector('[data-behind]')")
    assert chosen(page, "query") == eleventh, "the server follows and changes nothing"
    assert page.evaluate("history.length") == steps + 10
    for number in (10, 9):
        page.go_back()
        page.locator(".steps output", has_text=f"{number} / 113").wait_for()
    page.wait_for_function("!document.querySelector('[data-behind]')")
    assert place.inner_text() == "9 / 113"
    page.close()  # with its many steps


@pytest.mark.slow
def test_a_step_leaves_what_belonged_to_the_query_that_was_open(
    dashboard: str, page_at: Callable
) -> None:
    page = page_at(f"{dashboard}/query?collection=openmoji_context&query=w01&list=l001")
    page.locator(".card").first.wait_for()
    page.locator(IDLE).wait_for()
    page.keyboard.press("j")
    assert chosen(page, "query") not in ("", "w01") and not chosen(page, "list")


def test_the_cards_of_the_next_query_are_there_before_the_server_follows(
    dashboard: str, new_page: Callable
) -> None:
    page, fetched = new_page(), []
    page.on("requestfinished", lambda r: fetched.append(r.url) if "/neighbour?" in r.url else 0)
    page.goto(f"{dashboard}/query?collection=driving&baseline=v0.1&candidate=v0.2")
    page.locator(".card").first.wait_for()
    while len(fetched) < 2:  # as many as are fetched ahead of the first query
        page.wait_for_timeout(50)
    assert page.evaluate(PRESS_J), "drawn from what was fetched"
    page.wait_for_function("!document.querySelector('[data-behind]')")


@pytest.mark.parametrize(
    ("path", "highest"),
    [
        ("query?", 260),
        # below the field to search with; the count and what is said beside it stand whole
        pytest.param("search?item=urban_bicyclist_entering_001&", 290, marks=pytest.mark.slow),
    ],
)
def test_on_a_phone_the_first_card_and_the_form_are_near_the_top(
    dashboard: str, page_at: Callable, path: str, highest: int
) -> None:
    page = page_at(f"{dashboard}/{path}collection=driving", width=390, height=844)
    page.locator(".card").first.wait_for()
    page.locator(IDLE).wait_for()
    assert page.locator(".card").first.bounding_box()["y"] <= highest
    bar = page.get_by_role("link", name="Compare").bounding_box()
    assert bar["y"] < 60, "beside the button of the side bar"
    last = page.get_by_role("link", name="Collections").bounding_box()
    assert last["x"] + 30 < 390, "all screens are in sight"
    find = page.get_by_role("button", name="Find", exact=True).bounding_box()
    assert find["x"] + find["width"] <= 375, "and the button of the palette, whole"
    for width in (390, 360):
        page.set_viewport_size({"width": width, "height": 844})
        copy = page.get_by_role("button", name="Copy link").bounding_box()
        assert copy["x"] + copy["width"] <= width - 15, "and the one that copies the link"
    page.set_viewport_size({"width": 390, "height": 844})
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("main => main.scrollWidth <= main.clientWidth"), "nothing lies sideways"
    if path.startswith("query"):
        page.locator(".card .open").first.click()
        page.wait_for_url("**clip=**")
        form = page.locator("dialog.player form").bounding_box()
        assert form["y"] + form["height"] < 844
