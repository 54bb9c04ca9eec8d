"""The cards in Chromium: previews, player, keys, links, hostile texts, and what is fetched."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.cards_world import world
from tests.browser.conftest import PAINTED, move

pytestmark = pytest.mark.usefixtures("alone")

IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"


@pytest.fixture
def grid(cards_address: str, new_page: Callable) -> Callable:
    """Opens the test page at `?…` on a page of its own and waits until the cards are drawn."""

    def opened(query: str = "", **options: object):
        page = new_page(**options)
        page.requested = []
        page.on("request", lambda request: page.requested.append(request.url))
        page.goto(f"{cards_address}/?{query}")
        page.locator(".card").first.wait_for()
        return page

    return opened


def card(page, row: str, rank: int):
    return page.locator(f"section[aria-label='{row}'] .card").nth(rank - 1)


def told(page) -> str:
    return page.get_by_text("told: ").inner_text()


def wait_told(page, ids: list[str]) -> None:
    page.get_by_text(f"told: {ids}", exact=True).wait_for()


def test_ranks_from_a_thousand_on_have_a_thousands_sign_wherever_they_stand(
    cards_at: Callable,
) -> None:
    page = cards_at("deep=182823")
    assert card(page, "v0.1", 1).locator(".rank").inner_text() == "182,824"
    assert (
        card(page, "v0.1", 1)
        .locator(".open")
        .get_attribute("aria-label")
        .startswith("Rank 182,824,")
    )
    assert "#182,826 in v0.1" in card(page, "v0.2", 1).locator(".elsewhere").inner_text()
    card(page, "v0.2", 1).locator(".open").click()
    table = page.locator("dialog[open] table.places").first
    table.wait_for()
    assert "#182,826" in table.inner_text()
    assert not re.search(r"[0-9]{4}", page.locator("dialog[open] .verdict").first.inner_text())


def test_badges_leave_a_square_picture_free_on_a_phone(grid: Callable) -> None:
    page = grid("", width=390)
    badges = page.locator(".picture :is(.rank, .move)")
    page.locator(".move.gone").first.wait_for()
    beyond = """nodes => nodes.map(node => {
        const [badge, picture] = [node, node.parentElement].map(it => it.getBoundingClientRect());
        const middle = picture.left + picture.width / 2;
        const away = Math.max(badge.left - middle, middle - badge.right);
        return away - picture.height / 2;
    })"""
    assert min(badges.evaluate_all(beyond)) > 0, "a square is as wide as the picture is high"


PREVIEW = ".picture video"
PASS_BY = """async (cards) => {
    for (const card of cards) {
        card.dispatchEvent(new PointerEvent('pointerover', {bubbles: true, pointerType: 'mouse'}));
        await new Promise(done => setTimeout(done, 50));
    }
    cards[0].closest('.rows').dispatchEvent(new PointerEvent('pointerleave'));
}"""


@pytest.mark.slow
def test_a_resting_pointer_plays_and_leaving_stops(cards_at: Callable) -> None:
    page = cards_at()
    assert page.locator(PREVIEW).count() == 0
    card(page, "v0.1", 2).hover()
    video = card(page, "v0.1", 2).locator("video")
    playing = video.element_handle()
    over_it = card(page, "v0.1", 2).locator("xpath=..").locator(".beside").first
    assert over_it.evaluate("it => getComputedStyle(it).backgroundColor") != "rgba(0, 0, 0, 0)"
    page.wait_for_function("video => video.currentTime > 0.1", arg=playing)
    first = video.evaluate("video => [video.currentTime, video.muted, video.paused]")
    assert first[1:] == [True, False]
    later = "([video, before]) => video.currentTime > before"
    page.wait_for_function(later, arg=[playing, first[0]])
    page.mouse.move(5, 5)
    video.wait_for(state="detached")


def test_a_pointer_that_passes_by_plays_nothing(cards_at: Callable) -> None:
    page = cards_at()
    before = len([url for url in page.requested if "/clips/" in url])
    cards = [card(page, "v0.1", rank).element_handle() for rank in (1, 2, 3, 4)]
    page.evaluate(PASS_BY, cards)  # by the browser's own clock, however busy the machine is
    page.wait_for_timeout(500)
    assert page.locator(PREVIEW).count() == 0
    assert len([url for url in page.requested if "/clips/" in url]) == before == 0


@pytest.mark.slow
def test_a_span_plays_only_its_span(cards_at: Callable) -> None:
    page = cards_at("clip=span")
    video = page.locator(".stage video")
    video.evaluate(
        """video => { window.seconds = [];
        const note = () => { window.seconds.push(video.currentTime);
        video.requestVideoFrameCallback(note) }; note() }"""
    )
    page.wait_for_timeout(2500)
    seconds = page.evaluate("window.seconds.slice(2)")
    assert min(seconds) >= 0.95 and max(seconds) <= 1.75
    assert any(later < earlier for earlier, later in zip(seconds, seconds[1:], strict=False))


@pytest.mark.slow
def test_reduced_motion_plays_nothing_by_itself(cards_at: Callable) -> None:
    page = cards_at(reduced_motion="reduce")
    card(page, "v0.1", 2).hover()
    page.wait_for_timeout(500)
    assert page.locator(PREVIEW).count() == 0
    card(page, "v0.1", 2).click()
    page.locator(".stage video").wait_for()
    page.wait_for_timeout(500)
    assert page.locator(".stage video").evaluate("video => video.paused")


def test_the_same_item_lights_up_in_the_other_rows(cards_at: Callable) -> None:
    page = cards_at()
    card(page, "v0.1", 3).hover()
    twins = page.locator(".card.twin")
    twins.first.wait_for()
    rows = twins.evaluate_all("cards => cards.map(card => card.closest('section').ariaLabel)")
    assert rows == ["v0.2", "ideal order"]
    page.mouse.move(5, 5)
    page.locator(".card.twin").first.wait_for(state="detached")


def test_keys_walk_over_the_cards_and_open_and_close_the_player(cards_at: Callable) -> None:
    page = cards_at()
    place = """() => { let node = document.activeElement;
        while (node.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
        const card = node.closest('.card');
        return card && [card.closest('section').ariaLabel,
            [...card.parentElement.children].indexOf(card) + 1] }"""
    card(page, "v0.1", 1).locator(".open").focus()
    walked = []
    keys = ["Right", "Right", "Down", "Left", "Up", "End", "Home", "Left", "Up"]
    for key in keys:
        page.keyboard.press(key if key in ("End", "Home") else f"Arrow{key}")
        walked.append(page.evaluate(place))
    first = ["v0.1", 1]
    assert walked[:5] == [["v0.1", 2], ["v0.1", 3], ["v0.2", 3], ["v0.2", 2], ["v0.1", 2]]
    assert walked[5:] == [["v0.1", 5], first, first, first]
    page.keyboard.press("Enter")
    player = page.locator("dialog[open]")
    player.wait_for()
    wait_told(page, [world.PLAIN[0]])
    assert f"clip={world.PLAIN[0]}" in page.url
    page.keyboard.press("Escape")
    player.wait_for(state="hidden")
    page.wait_for_url(re.compile(r"/(?!.*clip=)"))  # back, which the script is not told of
    assert told(page) == f"told: {[world.PLAIN[0]]}"
    assert page.evaluate(place) == first


def test_a_player_that_is_closed_stays_closed_by_what_is_drawn_before_the_page_hears_of_it(
    cards_at: Callable,
) -> None:
    page = cards_at()
    card(page, "v0.1", 1).locator(".open").click()
    player = page.locator("dialog[open]")
    player.wait_for()
    wait_told(page, [world.PLAIN[0]])
    page.locator(IDLE).wait_for()
    dialog = page.locator("dialog.player")
    dialog.evaluate(  # a busy browser tells it late
        "it => it.getRootNode().addEventListener('close', (event) =>"
        " event.stopImmediatePropagation(), { capture: true, once: true })"
    )
    page.keyboard.press("Escape")
    player.wait_for(state="hidden")
    move(page, f"{page.url}&shift=1")
    dialog.evaluate("it => it.dispatchEvent(new Event('close'))")
    page.wait_for_url(re.compile(r"/(?!.*clip=)"))
    assert player.count() == 0


@pytest.mark.slow
def test_a_focused_card_plays_too(cards_at: Callable) -> None:
    page = cards_at()
    page.keyboard.press("Tab")
    card(page, "v0.1", 1).locator(".open").focus()
    page.keyboard.press("ArrowRight")
    card(page, "v0.1", 2).locator("video").wait_for()


def test_every_row_is_one_stop_of_the_tab_key(cards_at: Callable) -> None:
    page = cards_at()
    stops = page.locator("section.row").evaluate_all(
        "rows => rows.map(row => row.querySelectorAll('.open[tabindex=\"0\"]').length)"
    )
    assert stops == [1, 1, 1, 1]


def test_words_of_a_card_can_be_selected_without_opening_it(cards_at: Callable) -> None:
    page = cards_at()
    words = card(page, "v0.1", 1).locator(".facts bdi").first.bounding_box()
    across, down = words["x"] + 1, words["y"] + words["height"] / 2
    page.mouse.move(across, down)
    page.mouse.down()
    page.mouse.move(across + words["width"] / 2, down, steps=3)
    page.mouse.up()
    assert page.evaluate("String(getSelection())")
    assert not page.locator("dialog[open]").count()


def test_of_many_keywords_a_card_names_those_that_it_lacks_and_how_many_more(
    cards_at: Callable,
) -> None:
    found = cards_at().evaluate(
        """async () => {
            const files = performance.getEntriesByType("resource").map(({ name }) => name);
            const { tickList } = await import(files.find((file) => /[/]parts[.]js/.test(file)));
            const required = Array.from({ length: 60 }, (_, n) => ["group", `k${n}`]);
            const ticks = required.map((_, n) => n < 55);
            return [12, undefined].map((most) => tickList({ ticks }, required, most).innerText);
        }"""
    )
    few, all_ = found
    assert [word for word in ("k54", "k55", "k59", "k0", "k6", "k7") if word in few] == [
        "k55", "k59", "k0", "k6",
    ]  # fmt: skip
    assert "and 48 more" in few and "k54" in all_ and "more" not in all_


def test_the_player_tells_all_that_is_known(cards_at: Callable) -> None:
    page = cards_at()
    card(page, "v0.2", 1).locator(".open").click()
    player = page.locator("dialog[open]")
    player.wait_for()
    text = player.inner_text()
    for part in ("v0.1", "#3", "0.848", "v0.2", "#1", "0.870", "daytime", "2 of 3 keywords"):
        assert part in text, part
    video = player.locator("video")
    page.wait_for_timeout(700)
    assert video.evaluate("video => [video.controls, video.muted, video.currentTime > 0.1]") == [
        True,
        True,
        True,
    ]
    player.get_by_label("Next result").click()
    assert player.locator("h2").inner_text().startswith("A bicyclist crosses")
    assert player.locator(".about .id").inner_text() == f"id {world.PLAIN[3]}"
    wait_told(page, world.PLAIN[2:4])


@pytest.mark.slow
def test_a_link_opens_the_player_and_back_closes_it(cards_at: Callable) -> None:
    page = cards_at()
    card(page, "v0.1", 2).locator(".open").click()
    page.wait_for_url(re.compile("clip="))
    page.go_back()
    page.locator("dialog[open]").wait_for(state="hidden")
    page.go_forward()
    page.locator("dialog[open]").wait_for()
    linked = cards_at(urlsplit(page.url).query)
    linked.locator("dialog[open]").wait_for()
    assert world.PLAIN[1] in linked.locator("dialog.player .about .id").inner_text()
    assert told(linked) == "told: []"


def wait_until_it_rests(page, opened: bool) -> None:
    """Wait until address and player have both been open, or closed, for a second and nothing runs:
    on a busy machine the script's answers to earlier steps come seconds after the last one."""
    until, since, state = time.monotonic() + 20, None, ()
    while since is None or time.monotonic() - since < 1:
        assert time.monotonic() < until, state
        idle, player = page.locator(IDLE), page.locator("dialog[open]")
        state = idle.count(), "clip=" in page.url, player.count()
        since = (since or time.monotonic()) if state == (1, opened, opened) else None
        page.wait_for_timeout(50)


@pytest.mark.slow
def test_back_and_forward_in_haste_end_where_the_address_is(grid: Callable) -> None:
    page = grid()
    card(page, "v0.1", 2).locator(".open").click()
    page.wait_for_url(re.compile("clip="))
    page.evaluate(
        """async () => { const gone = () => new Promise(
            done => addEventListener('popstate', done, {once: true}));
        for (let time = 0; time < 5; time++) {
            const back = gone(); history.back(); await back;
            const again = gone(); history.forward(); await again;
        } }"""
    )
    wait_until_it_rests(page, opened=True)
    page.evaluate("history.back()")
    wait_until_it_rests(page, opened=False)


@pytest.mark.slow
def test_closing_that_is_told_late_does_not_close_what_forward_has_opened_again(
    grid: Callable,
) -> None:
    page = grid()
    card(page, "v0.1", 2).locator(".open").click()
    page.wait_for_url(re.compile("clip="))
    page.locator(IDLE).wait_for()
    page.evaluate(
        """() => { const opened = location.href; // a busy page hears of both steps at once
        for (const address of [location.pathname, opened]) {
            history.replaceState(history.state, '', address);
            dispatchEvent(new PopStateEvent('popstate', {state: history.state}));
        } }"""
    )
    wait_until_it_rests(page, opened=True)


@pytest.mark.slow
def test_a_link_to_an_item_that_is_gone_opens_nothing(cards_at: Callable) -> None:
    page = cards_at("clip=nobody")
    page.wait_for_timeout(300)
    assert page.locator("dialog[open]").count() == 0


@pytest.mark.slow
def test_opening_and_closing_in_haste_ends_closed(grid: Callable) -> None:
    page = grid()
    for rank in (1, 2, 3):
        card(page, "v0.1", rank).locator(".open").click()
        page.keyboard.press("Escape")
    page.wait_for_timeout(1500)
    assert page.locator("dialog[open]").count() == 0
    assert "clip=" not in page.url


def test_copying_gives_a_link_that_opens_this_clip(cards_at: Callable) -> None:
    page = cards_at(permissions=["clipboard-read", "clipboard-write"])
    card(page, "v0.1", 3).locator(".open").click()
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Link copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert parse_qs(urlsplit(copied).query)["clip"] == [world.PLAIN[2]]


@pytest.mark.slow
def test_modules_and_a_style_that_do_not_come_at_first_are_asked_for_again(
    cards_address: str, new_page: Callable
) -> None:
    page, asked = new_page(fresh=True), []

    lost = ("cards.css", "parts.js")  # the second is imported by others

    def lose_two(route) -> None:
        asked.append(urlsplit(route.request.url).path.rsplit("/")[-1])
        if asked[-1] in lost and asked.count(asked[-1]) <= 2:
            route.abort()
        else:
            route.continue_()

    page.route("**/cards/*/*", lose_two)
    page.goto(cards_address)
    page.locator(".card").first.wait_for()
    assert asked.count("parts.js") == asked.count("cards.css") == 3
    card(page, "v0.1", 2).locator(".open").click()
    page.locator("dialog[open]").wait_for()


def test_hostile_texts_are_texts(grid: Callable, cards_address: str) -> None:
    page = grid("clip=gone&k=16")
    page.wait_for_timeout(500)
    assert page.evaluate("window.__pwn") is None
    host = urlsplit(cards_address).netloc
    assert {urlsplit(url).netloc for url in page.requested if url.startswith("http")} == {host}
    caption = page.locator(".card .caption").filter(has_text="<img src=x").first.inner_text()
    assert "<script>" in caption and "**b**" in caption
    assert page.locator(".cards script, .cards .caption b, .cards .caption img").count() == 0


@pytest.mark.slow
def test_an_odd_id_opens_plays_and_comes_back_whole(cards_at: Callable) -> None:
    page = cards_at("k=16")
    found = page.locator(".card").filter(has_text="onerror").first
    found.locator(".open").click()
    page.locator(".stage video").wait_for()
    wait_told(page, [world.ODD_ID])
    page.wait_for_timeout(500)
    assert page.locator(".stage video").evaluate("video => video.currentTime > 0")


@pytest.mark.parametrize(
    ("item_id", "words"),
    [
        ("garbage", "No media: not a picture or a clip."),
        pytest.param("gone", "No media: missing.", marks=pytest.mark.slow),
        ("odd", "This browser cannot play the file. codec mp4v"),
    ],
)
def test_what_cannot_be_played_says_so(cards_at: Callable, item_id: str, words: str) -> None:
    page = cards_at(f"clip={item_id}&k=16")
    page.get_by_text(words).wait_for()
    assert page.get_by_text("Download the file").count() == (item_id == "odd")


def test_a_broken_card_has_a_word_and_leaves_the_others_alone(cards_at: Callable) -> None:
    page = cards_at("k=16")
    words = page.locator("section[aria-label='v0.1'] .word").all_inner_texts()
    assert words == ["codec mp4v", "not a picture or a clip", "missing"]
    assert page.locator("section[aria-label='v0.1'] .card").count() == 16


def test_a_picture_is_shown_large(cards_at: Callable) -> None:
    page = cards_at("clip=still")
    page.locator(".zoom output").filter(has_text="%").wait_for()  # it has come
    assert page.locator(".stage img").evaluate("image => image.naturalWidth") == 1600


@pytest.mark.slow
def test_long_captions_are_clamped_until_asked_for(cards_at: Callable) -> None:
    page = cards_at("clip=garbage")
    height = "node => node.getBoundingClientRect().height"
    caption = page.locator("dialog .caption")
    before = caption.evaluate(height)
    page.get_by_role("button", name="show all").click()
    assert before < 120 < caption.evaluate(height)


def test_a_rerun_changes_in_place_and_fetches_nothing_again(grid: Callable) -> None:
    page = grid()
    page.wait_for_load_state("networkidle")
    kept = "() => window.kept.every(node => node.isConnected)"
    page.locator(".picture img").evaluate_all("images => { window.kept = images }")
    seen = len(page.requested)
    page.get_by_role("button", name="rerun").click()
    page.get_by_text("again").wait_for()
    page.wait_for_timeout(300)
    assert page.evaluate(kept)
    assert page.requested[seen:] == []


def test_before_the_first_hover_only_posters_come_and_only_those_in_sight(grid: Callable) -> None:
    page = grid("k=16", height=700, fresh=True)
    page.wait_for_load_state("networkidle")
    assert not [url for url in page.requested if "/clips/" in url]
    sizes = page.evaluate(
        """() => performance.getEntriesByType('resource')
        .filter(entry => entry.name.includes('/posters/')).map(entry => entry.transferSize)"""
    )
    assert 0 < sum(sizes) < 1_500_000


@pytest.mark.slow
def test_posters_do_not_move_the_page_when_they_arrive(
    cards_address: str, new_page: Callable
) -> None:
    page = new_page(fresh=True)
    page.add_init_script(
        """window.shift = 0;
        const inCards = ({node}) => node?.getRootNode() instanceof ShadowRoot;
        new PerformanceObserver(list => { for (const entry of list.getEntries())
            if (entry.sources.some(inCards)) window.shift += entry.value
        }).observe({type: 'layout-shift', buffered: true})"""
    )
    page.goto(cards_address)
    page.locator(".card").first.wait_for()
    page.wait_for_timeout(1000)
    assert page.evaluate("window.shift") < 0.02


@pytest.mark.parametrize(
    "query",
    ["", *(pytest.param(each, marks=pytest.mark.slow) for each in ("columns=5", "clip=garbage"))],
)
@pytest.mark.parametrize("width", [420, pytest.param(2560, marks=pytest.mark.slow)])
def test_no_page_scrolls_sideways(
    cards_address: str, page_at: Callable, query: str, width: int
) -> None:
    page = page_at(f"{cards_address}/?{query}", width=width)
    page.locator(".card").first.wait_for()
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    first, second = (card(page, "v0.1", rank).bounding_box() for rank in (1, 2))
    assert first["y"] == second["y"]
    if width == 420:
        assert second["x"] + second["width"] <= width


def test_a_late_change_of_order_keeps_the_cards(cards_at: Callable) -> None:
    page = cards_at()
    cards = page.locator("section[aria-label='v0.1'] .card")
    cards.evaluate_all("cards => { window.kept = cards }")
    page.evaluate(
        "history.pushState({}, '', '?shift=1'); dispatchEvent(new PopStateEvent('popstate'))"
    )
    page.wait_for_function("window.kept.filter(card => card.isConnected).length === 4")
    names = page.locator("section[aria-label='v0.1'] .rank").all_inner_texts()
    assert names == ["2", "3", "4", "5", "6"]


@pytest.mark.slow
def test_a_row_stays_at_its_beginning_where_its_first_card_moves_on(cards_at: Callable) -> None:
    page = cards_at("k=8", width=700)
    line = page.locator("section[aria-label='v0.1'] .line")
    assert line.evaluate("line => line.scrollWidth > line.clientWidth + 400")
    line.evaluate("line => { window.first = line.firstElementChild }")
    page.evaluate(
        "history.pushState({}, '', '?k=8&turned=3'); dispatchEvent(new PopStateEvent('popstate'))"
    )
    page.wait_for_function("window.first.parentElement.children[3] === window.first")
    page.evaluate(PAINTED)
    assert line.evaluate("line => line.scrollLeft") == 0


@pytest.mark.parametrize(
    "query", ["k=16", pytest.param("clip=garbage&k=16", marks=pytest.mark.slow)]
)
def test_axe_finds_nothing_in_the_cards(cards_at: Callable, query: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = cards_at(query)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(1000)
        colour = page.locator("[data-testid=stApp]").evaluate("it => getComputedStyle(it).color")
        assert (min(map(int, re.findall(r"\d+", colour)[:3])) > 127) == (scheme == "dark")
        found = [
            (scheme, rule["id"], node["target"][0], node["failureSummary"])
            for rule in axe.run(page).response["violations"]
            for node in rule["nodes"]
            if isinstance(node["target"][0], list)  # a path through the component's shadow
        ]
        assert found == []
