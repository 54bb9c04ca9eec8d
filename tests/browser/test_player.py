"""The player in Chromium: zoom, odd media, spans, the browser's history, and what is offered."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from PIL import Image

from tests.browser.cards_world import world
from tests.browser.conftest import IDLE, move

pytestmark = pytest.mark.usefixtures("alone")

BOX = """node => { const {x, y, width, height} = node.getBoundingClientRect();
    return [x, y, width, height] }"""


def percent(page) -> float:
    return float(page.locator(".zoom output").first.inner_text().rstrip(" %"))


def picture_of(page):
    picture = page.locator(".stage img").first
    picture.wait_for()
    page.locator(".zoom output").first.filter(has_text="%").wait_for()
    return picture


def test_a_tall_picture_can_be_read(cards_at: Callable) -> None:
    page = cards_at("clip=tower")
    picture, frame = picture_of(page), page.locator(".view")
    fit = percent(page)
    assert picture.evaluate(BOX)[3] == pytest.approx(frame.evaluate(BOX)[3], abs=1)
    frame.dblclick()
    assert percent(page) == 100 and picture.evaluate(BOX)[2] == pytest.approx(200, abs=1)
    before = picture.evaluate(BOX)[1]
    left, top, width, height = frame.evaluate(BOX)
    page.mouse.move(left + width / 2, top + 40)
    page.mouse.down()
    page.mouse.move(left + width / 2, top + 140, steps=4)
    page.mouse.up()
    assert picture.evaluate(BOX)[1] == pytest.approx(before + 100, abs=1)
    page.keyboard.press("0")
    assert percent(page) == fit
    assert urlsplit(page.url).query.startswith("clip=tower&visit=")
    page.get_by_text("This item is not in the rows on this page.").wait_for()


def test_the_wheel_keeps_what_is_under_the_pointer(cards_at: Callable) -> None:
    page = cards_at("clip=still")
    picture, frame = picture_of(page), page.locator(".view")
    left, top, width, height = frame.evaluate(BOX)
    across, down = left + width * 0.8, top + height * 0.3

    def under() -> tuple[float, float]:
        x, y, wide, high = picture.evaluate(BOX)
        return (across - x) / wide, (down - y) / high

    before, size = under(), percent(page)
    page.mouse.move(across, down)
    page.mouse.wheel(0, -400)
    page.wait_for_timeout(100)
    assert percent(page) > 1.8 * size
    assert under() == pytest.approx(before, abs=0.01)
    page.mouse.wheel(0, 4_000)
    page.wait_for_timeout(100)
    assert percent(page) == size


def test_keys_and_buttons_zoom_and_have_names(cards_at: Callable) -> None:
    page = cards_at("clip=drawing")
    picture_of(page)
    page.get_by_role("button", name="100 %").click()
    for press, now in (("+", 125), ("-", 100), ("=", 125)):
        page.keyboard.press(press)
        assert percent(page) == now
    page.get_by_role("button", name="Zoom in").click()
    assert percent(page) == 156
    page.get_by_role("button", name="Zoom out").click()
    frame = page.get_by_role("group", name=re.compile("^A drawing"))
    for _ in range(8):
        page.keyboard.press("+")
    before = page.locator(".stage img").evaluate(BOX)[0]
    frame.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".stage img").evaluate(BOX)[0] == before - 60
    assert "drawing" in page.locator("dialog.player h2").inner_text()
    page.get_by_role("button", name="Fit").click()
    assert page.locator(".view.larger").count() == 0


def test_by_touch_two_fingers_pinch_and_compare_is_seen(cards_at: Callable) -> None:
    page = cards_at("clip=still", width=420, has_touch=True, is_mobile=True)
    picture_of(page)
    assert page.get_by_role("link", name="More like this").count() == 0, "no version knows it"
    button = page.locator(".card .beside").first
    assert button.evaluate("node => getComputedStyle(node).opacity") == "1"
    columns = page.locator(".stage").evaluate(
        """stage => {
            stage.classList.add("two"); // as where two are compared
            const { gridTemplateColumns } = getComputedStyle(stage);
            stage.classList.remove("two");
            return gridTemplateColumns.split(" ").length;
        }"""
    )
    assert columns == 1, "one stands below the other"
    (_, above, _, high), (_, first, _, tall) = (
        page.locator(place).first.evaluate(BOX) for place in (".card .beside", ".card .picture")
    )
    assert first < above and above + high <= first + tall, "it covers no text of the card"
    left, top, width, height = page.locator(".view").evaluate(BOX)
    size, touch = percent(page), page.context.new_cdp_session(page)

    def send(kind: str, apart: float) -> None:
        middle, down = left + width / 2, top + height / 2
        points = [{"x": middle + side * apart, "y": down, "id": side} for side in (-1, 1)]
        touch.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [] if kind == "touchEnd" else points},
        )

    send("touchStart", 30)
    for apart in (40, 50, 60, 75, 90):
        send("touchMove", apart)
    send("touchEnd", 0)
    page.wait_for_timeout(200)
    assert 2.4 * size < percent(page) < 3.6 * size


def pixel(page, locator, across: float, down: float) -> tuple[int, int, int]:
    shot = Image.open(io.BytesIO(locator.screenshot())).convert("RGB")
    return shot.getpixel((int(shot.width * across), int(shot.height * down)))


def violations(page) -> list:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page.wait_for_timeout(500)
    return [
        (rule["id"], node["target"][0], node["failureSummary"])
        for rule in axe.run(page).response["violations"]
        for node in rule["nodes"]
        if isinstance(node["target"][0], list)  # a path through the component's shadow
    ]


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_a_drawing_stands_on_white(cards_at: Callable, scheme: str) -> None:
    page = cards_at("clip=drawing&odd=1")
    page.emulate_media(color_scheme=scheme)
    picture = picture_of(page)
    assert pixel(page, picture, 0.1, 0.1) == (255, 255, 255)
    assert pixel(page, picture, 0.5, 0.5) == (0, 0, 0)
    assert violations(page) == []
    page.keyboard.press("Escape")
    card = page.locator(".card").filter(has_text="A drawing").locator(".picture")
    card.scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    assert min(pixel(page, card, 0.5, 0.15)) > 250 and max(pixel(page, card, 0.5, 0.5)) < 10
    page.emulate_media(color_scheme="light")


def test_odd_media_have_their_word_on_the_cards(cards_at: Callable) -> None:
    page = cards_at("odd=1&k=1", width=2400)
    row = page.locator("section[aria-label='odd media']")
    row.scroll_into_view_if_needed()
    row.get_by_text("damaged", exact=True).wait_for()
    row.get_by_text("HEIC pictures are not shown by most browsers").wait_for()
    tiny = row.locator(".card").nth(world.ODD_MEDIA.index("tiny")).locator("img.squares")
    tiny.wait_for()
    assert tiny.evaluate("image => getComputedStyle(image).imageRendering") == "pixelated"
    for item_id, word in (("beyond", "outside its clip"), ("heard", "sound only")):
        card = row.locator(".card").nth(world.ODD_MEDIA.index(item_id))
        card.locator(".picture").hover()
        card.get_by_text(word).wait_for()
        card.locator("video").wait_for(state="detached")
    upright = row.locator(".card").nth(world.ODD_MEDIA.index("upright"))
    upright.locator(".picture").hover()
    upright.locator("video.on").wait_for()
    fits = upright.locator("img, video").evaluate_all(
        "nodes => nodes.map(node => getComputedStyle(node).objectFit)"
    )
    assert fits == ["contain", "contain"]
    moving = row.locator(".card").nth(world.ODD_MEDIA.index("moving"))
    moving.locator(".picture").hover()
    moving.locator("img[src*='clips/']").wait_for()


def test_odd_media_have_their_word_in_the_player(cards_at: Callable) -> None:
    page = cards_at("odd=1&k=1&clip=half")
    said = page.locator(".stage")
    said.get_by_text("The file is damaged; the preview may be incomplete.").wait_for()
    page.keyboard.press("ArrowRight")  # the upright clip
    for words in (
        "No media: its span lies outside its clip.",
        "No media: sound only, no picture.",
        "No media: HEIC pictures are not shown by most browsers.",
    ):
        page.keyboard.press("ArrowRight")
        said.get_by_text(words).wait_for()
        assert said.get_by_role("link", name="Download the file").count() == 1
        assert page.locator(".stage video").count() == 0
    page.keyboard.press("ArrowLeft")
    said.get_by_text("No media: sound only, no picture.").wait_for()


def test_an_animation_waits_where_less_motion_is_wanted(cards_at: Callable) -> None:
    page = cards_at("clip=moving", reduced_motion="reduce")
    assert "posters/" in picture_of(page).get_attribute("src")
    page.get_by_role("button", name="Play the animation").click()
    assert "clips/" in page.locator(".stage img").get_attribute("src")


def test_controls_cannot_leave_the_span(cards_at: Callable) -> None:
    page = cards_at("clip=span", reduced_motion="reduce")
    video = page.locator(".stage video")
    page.get_by_text("Plays 1 s to 1.6 s of the file.").wait_for()
    page.wait_for_timeout(500)
    for wanted in (0.2, 2.7):
        video.evaluate(
            """(video, at) => new Promise(done => { video.currentTime = at;
            setTimeout(done, 400) })""",
            wanted,
        )
        assert 0.95 <= video.evaluate("video => video.currentTime") <= 1.65


def test_a_file_that_is_as_long_as_its_span_is_shown_whole(cards_at: Callable) -> None:
    """How long a WebM file is, the browser learns first."""
    page = cards_at("clip=cut", reduced_motion="reduce")
    video = page.locator(".stage video")
    page.get_by_text("of the file.").wait_for(state="detached")
    assert video.evaluate("video => [video.loop, video.currentTime < 0.1]") == [False, True]
    video.evaluate(
        """video => new Promise(done => { video.currentTime = 0.6; setTimeout(done, 400) })"""
    )
    assert 0.5 < video.evaluate("video => video.currentTime") < 0.7


def test_back_and_esc_close_the_player_from_any_neighbour(cards_at: Callable) -> None:
    page = cards_at()
    player = page.locator("dialog.player[open]")
    start = page.evaluate("history.length")
    for leave in (page.go_back, lambda: page.keyboard.press("Escape")):
        page.locator(".card .open").first.click()
        page.wait_for_url(re.compile(f"clip={world.PLAIN[0]}"))
        for number in (1, 2):
            page.get_by_label("Next result").click()
            page.wait_for_url(re.compile(f"clip={world.PLAIN[number]}"))
        page.get_by_text("told: ").filter(has_text=world.PLAIN[2]).wait_for()
        page.wait_for_timeout(300)
        assert page.evaluate("history.length") == start + 1
        leave()
        player.wait_for(state="hidden")
        page.wait_for_url(re.compile(r"/(\?|$)(?!.*clip=)"))
        page.wait_for_timeout(700)
        assert player.count() == 0 and "clip=" not in page.url
    page.go_forward()
    player.wait_for()
    assert world.PLAIN[2] in player.locator("video").get_attribute("src")


def test_a_slow_answer_does_not_write_a_clip_behind_a_closed_player(cards_at: Callable) -> None:
    """A run that began before Esc may end after it: its address comes when that has been left."""
    page = cards_at()
    page.locator(".card .open").first.click()
    page.get_by_text("told: ").filter(has_text=world.PLAIN[0]).wait_for()
    page.locator(IDLE).wait_for()
    page.locator("dialog.player[open]").evaluate(
        """dialog => new Promise((done) => {
            const late = () => {
                const { pathname, search } = location;
                const address = pathname + (search ? `${search}&` : "?") + "clip=late";
                history.pushState(history.state, "", address);
                done();
            };
            addEventListener("popstate", late, { once: true });
            dialog.close();
        })"""
    )
    page.wait_for_url(lambda url: "clip=" not in url)


def test_a_key_there_and_back_is_told_once_and_the_player_closed_for_good(
    cards_at: Callable,
) -> None:
    page = cards_at(f"clip={world.PLAIN[0]}")
    page.locator(IDLE).wait_for()
    page.locator("dialog.player[open]").evaluate(
        """dialog => ["Right", "Right", "Left"].forEach((way) =>
            dialog.dispatchEvent(new KeyboardEvent("keydown", { key: `Arrow${way}` })))"""
    )
    page.wait_for_url(f"**clip={world.PLAIN[1]}**")
    told = page.get_by_text("told: ")
    told.filter(has_text=world.PLAIN[1]).wait_for()
    page.locator(IDLE).wait_for()
    page.keyboard.press("Escape")
    page.wait_for_url(lambda url: "clip=" not in url, timeout=4000)
    told.filter(has_text=f"told: ['{world.PLAIN[1]}', '']").wait_for()


def test_the_player_is_closed_for_good_where_an_earlier_key_has_no_answer(
    cards_address: str, new_page: Callable
) -> None:
    """A script that draws what the page shows already sends nothing: here it is never asked."""
    page, lost = new_page(), []

    def lose(route) -> None:
        server = route.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            if world.PLAIN[2].encode() in message and not lost:
                lost.append(message)
            else:
                server.send(message)

        route.on_message(pass_on)

    page.route_web_socket("**/_stcore/stream", lose)
    page.goto(f"{cards_address}/?clip={world.PLAIN[1]}&k=3&visit=lost")
    page.locator("dialog.player[open]").wait_for()
    page.locator(IDLE).wait_for()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    page.locator("dialog.player[open]").wait_for(state="hidden")
    page.wait_for_url(lambda url: "clip=" not in url, timeout=20_000)
    page.get_by_text("told: ['']").wait_for()
    assert lost


def test_a_link_offers_a_search_and_is_closed_where_it_is(cards_at: Callable) -> None:
    page = cards_at(f"clip={world.PLAIN[1]}&k=2")
    link = page.get_by_role("link", name="More like this")
    link.wait_for()
    move(page, page.url.replace("k=2", "k=3"))  # the same item in another view
    page.locator(".card").nth(2).wait_for()
    address = urlsplit(link.get_attribute("href"))
    choices = parse_qs(address.query)
    assert choices.pop("visit") and address.path == "/search"
    assert choices == {"k": ["3"], "item": [world.PLAIN[1]]}
    before = page.evaluate("history.length")
    page.keyboard.press("Escape")
    page.locator("dialog.player[open]").wait_for(state="hidden")
    page.wait_for_timeout(700)
    assert "clip=" not in page.url and page.evaluate("history.length") == before


@pytest.mark.slow
def test_the_colours_of_versions_stay_where_colours_are_forced(cards_at: Callable) -> None:
    page = cards_at(forced_colors="active")
    shade = page.locator(".swatch").first.evaluate("node => getComputedStyle(node).backgroundColor")
    assert shade == "rgb(0, 114, 178)"
