"""Reviewing in Chromium: keys, two clips in step, rows, the cut, what is sent and served."""

from __future__ import annotations

import csv
import hashlib
import re
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from dashboard.storage.cache import disk_cache
from tests.browser import review_world
from tests.browser.conftest import open_more

IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"
SCREENS = (
    "/?collection=driving",
    "/compare?collection=driving",
    "/slices?collection=driving",
    "/query?collection=driving&query=q001&also=v0.1",
    "/search?collection=driving&item=urban_bicyclist_entering_001",
    "/reviews?collection=driving",
)
OTHERS = tuple(
    f"/{screen}?collection=openmoji_{name}"
    for screen in ("", "query")
    for name in ("captions", "composed", "context", "hashes")
)
EVERYTHING = """
    const inside = root => [...root.querySelectorAll('*')].flatMap(
        node => [node, ...(node.shadowRoot ? inside(node.shadowRoot) : [])]);
"""


@pytest.fixture(scope="module")
def streets(made_up: SimpleNamespace) -> tuple[str, Path]:
    """A served collection with copies and hostile files: its address and its folder."""
    return made_up.url, made_up.data / "streets"


@pytest.fixture
def visit(page_at: Callable) -> Callable:
    """Opens an address and waits until it is drawn."""

    def opened(url: str, **options: object):
        page = page_at(url, **options)
        settled(page)
        return page

    return opened


@pytest.fixture
def visit_noting(new_page: Callable) -> Callable:
    """The same with a page of its own, which notes what is asked and received."""

    def opened(url: str):
        page = new_page(fresh=True, reduced_motion="no-preference")
        page.requested, page.received = [], []
        page.on("request", lambda request: page.requested.append(request.url))
        page.on("websocket", lambda s: s.on("framereceived", lambda f: page.received.append(f)))
        page.goto(url)
        settled(page)
        return page

    return opened


def settled(page) -> None:
    page.get_by_role("heading", level=1).wait_for()  # a page is idle before its first drawing, too
    page.locator(IDLE).wait_for()


def chosen(page, key: str) -> str:
    return parse_qs(urlsplit(page.url).query).get(key, [""])[-1]


def pressed(page, key: str, changes: str) -> str:
    """The choice of the address after a key that changes it."""
    before = chosen(page, changes)
    page.keyboard.press(key)
    page.wait_for_url(lambda url: parse_qs(urlsplit(url).query).get(changes, [""])[-1] != before)
    settled(page)
    return chosen(page, changes)


def row(page, name: str):
    return page.locator(f"section[aria-label='{name}']")


def test_j_and_k_step_through_the_queries_and_n_through_those_that_became_worse(
    dashboard: str, visit: Callable
) -> None:
    page = visit(dashboard + "/query?collection=driving&queries=text")
    page.locator(".card").first.wait_for()
    first = pressed(page, "j", "query")
    second = pressed(page, "j", "query")
    assert pressed(page, "k", "query") == first != second
    assert pressed(page, "n", "query") == second, "the order begins with what became worse"
    assert pressed(page, "Shift+N", "query") == first


def test_no_key_steps_while_somebody_types(dashboard: str, visit: Callable) -> None:
    page = visit(dashboard + "/search?collection=driving&text=cyclist+entering+ego+lane")
    page.locator(".card").first.wait_for()
    page.get_by_role("textbox", name="Text").click()
    page.keyboard.type("jknN?c")
    assert page.get_by_role("textbox", name="Text").input_value().endswith("jknN?c")
    assert page.locator("dialog[open]").count() == 0
    page.close()  # with what was typed


def test_the_list_of_keys_opens_and_closes_by_key(dashboard: str, visit: Callable) -> None:
    page = visit(dashboard + "/query?collection=driving&query=q001")
    page.locator(".card").first.wait_for()
    page.keyboard.press("?")
    keys = page.locator("dialog.keys[open]")
    keys.wait_for()
    words = keys.inner_text()
    for part in ("next and previous query", "previous worse query", "play", "Esc"):
        assert part in words
    query = chosen(page, "query")
    page.keyboard.press("j")
    page.keyboard.press("Escape")
    keys.wait_for(state="hidden")
    assert chosen(page, "query") == query
    page.get_by_role("button", name="Keys").click()
    keys.wait_for()
    page.keyboard.press("?")
    keys.wait_for(state="hidden")


PAIR = """() => { const videos = window.videos; return videos.map(
    video => ({time: video.currentTime, paused: video.paused, length: video.duration})) }"""


def two_videos(page):
    page.wait_for_function(
        f"""() => {{ {EVERYTHING}
        window.videos = inside(document).filter(node => node.matches('.stage video'));
        return window.videos.length == 2 && window.videos.every(
            video => video.readyState > 2 && video.currentTime > 0.2) }}"""
    )
    return lambda: page.evaluate(PAIR)


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_two_clips_play_stop_and_seek_in_step(streets, visit: Callable) -> None:
    url, _ = streets
    page = visit(f"{url}/query?collection=streets&query=like1&clip=street_03&beside=street_00")
    state = two_videos(page)
    first, second = state()
    assert (first["length"], second["length"]) == (2, 3), "they end at different times"
    assert abs(first["time"] - second["time"]) < 0.25 or first["time"] > 1.9
    page.evaluate("window.videos[1].currentTime = 0.5")
    page.wait_for_function("Math.abs(window.videos[0].currentTime - 0.5) < 0.45")
    page.evaluate("window.videos[0].pause()")
    page.wait_for_function("window.videos.every(video => video.paused)")
    page.evaluate("window.videos[0].currentTime = 1.2")
    page.wait_for_function("Math.abs(window.videos[1].currentTime - 1.2) < 0.05")
    page.evaluate("window.videos[1].play()")
    page.wait_for_function("window.videos.every(video => !video.paused)")
    page.wait_for_function("window.videos[0].ended && window.videos[1].currentTime > 2.3")
    page.wait_for_function("window.videos.every(video => video.currentTime < 1 && !video.paused)")


@pytest.mark.slow
def test_a_marked_card_plays_beside_the_next_one_opened_and_the_link_says_so(
    streets, visit: Callable
) -> None:
    url, _ = streets
    page = visit(f"{url}/query?collection=streets&query=like1")
    cards = row(page, "v1").locator(".card")
    cards.first.wait_for()
    cards.nth(2).locator(".open").focus()
    page.keyboard.press("c")
    page.locator(".card.marked").first.wait_for()
    marked = cards.nth(2).evaluate("card => card.item.id")
    steps = page.evaluate("history.length")
    cards.nth(0).locator(".open").click()
    page.locator("dialog .stage.two figure").nth(1).wait_for()
    page.wait_for_url(lambda at: parse_qs(urlsplit(at).query).get("beside") == [marked])
    page.wait_for_url("**clip=**")
    colleague = visit(page.url)
    assert marked in colleague.locator("dialog figcaption").nth(1).inner_text()
    page.keyboard.press("Escape")
    page.wait_for_url(lambda at: "beside=" not in at and "clip=" not in at)
    assert page.evaluate("history.length") == steps + 1, "opening is one step, closing goes back"
    cards.nth(2).locator(".open").focus()
    page.keyboard.press("c")  # else the next test's card would open beside it, too
    page.locator(".card.marked").first.wait_for(state="detached")


@pytest.mark.slow
def test_another_versions_result_at_the_same_rank_can_be_put_beside(streets, visit) -> None:
    url, _ = streets
    page = visit(f"{url}/query?collection=streets&query=like1")
    row(page, "v1").locator(".card .open").nth(3).click()
    page.locator(".besides select").select_option(index=1)
    page.locator("dialog .stage.two").wait_for()
    other = row(page, "v2").locator(".card").nth(3).evaluate("card => card.item.name")
    assert other in page.locator("dialog figcaption").nth(1).inner_text()
    page.locator(".besides select").select_option(index=0)
    page.locator("dialog .stage.two").wait_for(state="hidden")


@pytest.mark.slow
def test_copies_are_marked_and_left_out_if_the_reader_chooses(streets, visit: Callable) -> None:
    url, _ = streets
    page = visit(f"{url}/query?collection=streets&query=like1&shown=50")
    copy = row(page, "v1").locator(".card .twins[title='street_00']")
    copy.first.wait_for()
    open_more(page)
    page.get_by_role("radio", name="Left out").click()
    page.get_by_text("of 37 items are near-duplicates").wait_for()
    settled(page)
    row(page, "v1").get_by_text("near-duplicates removed").wait_for()
    ids = row(page, "v1").locator(".card").evaluate_all("cards => cards.map(c => c.item.id)")
    assert len({"street_00", review_world.COPY} & set(ids)) == 1
    own = visit(f"{url}/query?collection=streets&query=like0&shown=50")
    first = row(own, "v1").locator(".card").first
    assert "near-duplicate of the query's own item" in first.inner_text()


@pytest.mark.slow
def test_the_grid_has_the_columns_and_rows_that_are_asked_for(dashboard: str, visit) -> None:
    page = visit(
        dashboard + "/query?collection=driving&query=q001&columns=5&metric=P@10&shown=20",
        width=1600,
    )
    cards = row(page, "v0.2").locator(".card")
    cards.nth(19).wait_for()
    tops = [card.bounding_box()["y"] for card in cards.all()]
    assert len(set(tops[:5])) == 1 and tops[5] > tops[0] and len(set(tops)) == 4
    page.get_by_text("counts the first 10 results: 2 rows of 5").wait_for()
    assert row(page, "v0.2").locator(".card.beyond").count() == 10


@pytest.mark.slow
def test_the_cut_changes_the_address_and_the_results(dashboard: str, visit: Callable) -> None:
    page = visit(dashboard + "/query?collection=driving&query=q001&shown=50")
    page.get_by_text("Similarity of relevant and other items").click()
    page.get_by_role("slider", name="Similarity threshold").focus()
    page.keyboard.press("End")
    page.wait_for_url("**min_similarity=1**")
    row(page, "v0.2").get_by_text("all 190 results are below the similarity threshold 1").wait_for()
    page.get_by_text("0 of 190 items remain").first.wait_for()


@pytest.mark.slow
def test_a_rerun_of_fifty_clips_sends_little_and_nothing_moves_before_the_first_hover(
    dashboard: str, visit_noting: Callable
) -> None:
    page = visit_noting(dashboard + "/query?collection=driving&query=q001&shown=50")
    page.locator(".card").nth(99).wait_for()
    page.wait_for_load_state("networkidle")
    pulled = page.evaluate(
        """performance.getEntriesByType('resource').filter(entry =>
        entry.name.includes('/posters/') || entry.name.includes('/clips/') ||
        entry.name.includes('/cards/')).map(entry => entry.transferSize)"""
    )
    assert 0 < sum(pulled) < 1_500_000
    assert not [url for url in page.requested if "/clips/" in url]
    for _ in range(2):
        page.received.clear()
        pressed(page, "j", "query")
        page.wait_for_timeout(1500)
        assert 10_000 < sum(map(len, page.received)) < 60_000, "all messages of one step"
    page.received.clear()
    page.locator(".open").first.click()
    page.wait_for_url("**clip=**")
    page.wait_for_timeout(1500)
    opened = sum(map(len, page.received))
    # What stands in the rows is sent again only where it takes less than 10 KB, as it does here.
    assert 5_000 < opened < 40_000


STREAMLITS_OWN = ("presentation-role-conflict", True)
"""Its field for files has a role and a name at once; nothing of ours can reach it."""
SCHEMES = ("light", "dark")
# Every screen in both; of other collections' each in one of them, for the time it takes.
LOOKED_AT = [(screen, SCHEMES) for screen in SCREENS]
LOOKED_AT += [(screen, SCHEMES[place // 2 % 2 :][:1]) for place, screen in enumerate(OTHERS)]
FADED_IN = """() => document.getAnimations().every(each =>
    each.playState !== 'running' || each.effect.getComputedTiming().iterations === Infinity)"""


FAST = SCREENS[:1]  # the cards have a page of their own, which test_cards.py looks at
LOOKED_AT = [
    pytest.param(*each, marks=() if each[0] in FAST else pytest.mark.slow) for each in LOOKED_AT
]


@pytest.mark.parametrize(("screen", "schemes"), LOOKED_AT)
def test_axe_finds_nothing(dashboard: str, visit: Callable, screen: str, schemes) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(dashboard + screen, color_scheme="light")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(1000)  # what is drawn anew fades in
        page.wait_for_function(FADED_IN)
        colour = page.locator("[data-testid=stApp]").evaluate("it => getComputedStyle(it).color")
        assert (min(map(int, re.findall(r"\d+", colour)[:3])) > 127) == (scheme == "dark")
        found = [
            (scheme, rule["id"], node["target"][0], node["failureSummary"])
            for rule in axe.run(page).response["violations"]
            for node in rule["nodes"]
            if (rule["id"], 'data-testid="stFileUploaderDropzone"' in node["html"])
            != STREAMLITS_OWN
        ]
        assert found == []


def fetched(url: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(url, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def shown_media(page) -> set[str]:
    """The addresses of every poster and clip that the cards of a page hold."""
    return set(
        page.evaluate(
            f"""() => {{ {EVERYTHING}
            const cards = inside(document).filter(node => node.item);
            const own = cards.flatMap(card => [card.item.poster, card.item.media]);
            const drawn = inside(document).flatMap(node => [node.src, node.poster]);
            return [...own, ...drawn].filter(Boolean)
                .map(address => new URL(address, document.baseURI).href) }}"""
        )
    )


@pytest.mark.slow
def test_every_media_address_on_the_screens_gives_bytes_of_the_collection_only(
    streets, visit_noting: Callable
) -> None:
    url, folder = streets
    addresses, asked = set(), []
    for path in (
        "/query?collection=streets&query=like0&shown=50",
        "/search?collection=streets&item=street_02&shown=50",
    ):
        page = visit_noting(url + path)
        page.locator(".card").nth(30).wait_for()
        page.wait_for_timeout(1000)
        addresses |= shown_media(page)
        asked += page.requested
    assert {urlsplit(at).netloc for at in asked if at.startswith("http")} == {urlsplit(url).netloc}
    with (folder / "items.csv").open(encoding="utf-8") as file:
        ids = [record["item_id"] for record in csv.DictReader(file)]
    direct = {f"{url}/{way}/streets?item={quote(i)}" for way in ("clips", "posters") for i in ids}
    answers = {at: fetched(at) for at in addresses | direct}
    served = {at: content for at, (status, content) in answers.items() if status == 200}
    refused = {(status, content) for status, content in answers.values() if status != 200}
    assert {status for status, _ in refused} == {404, 422}
    words = {content for status, content in refused if status == 422}
    assert words <= {b"damaged", b"not playable"}
    assert len([at for at in addresses if "/clips/" in at and at in served]) >= 12
    _only_allowed(served, folder)


def _only_allowed(served: dict[str, bytes], folder: Path) -> None:
    allowed = {hashlib.sha256(content).digest() for content in review_world.allowed(folder)}
    made = (folder.parents[1] / "cache").rglob("*.webp")
    allowed |= {hashlib.sha256(path.read_bytes()[disk_cache.CHECK :]).digest() for path in made}
    secret = (folder.parent / "outside.png").read_bytes()
    for at, content in served.items():
        if "/clips/" in at or "/posters/" in at:
            assert hashlib.sha256(content).digest() in allowed, at
            assert content != secret and review_world.HIDDEN.encode() not in content


def test_hostile_captions_and_ids_are_letters_in_every_place(streets, visit: Callable) -> None:
    url, _ = streets
    page = visit(f"{url}/query?collection=streets&query=like1&shown=50")
    page.locator(".card").nth(30).wait_for()
    ids = page.locator(".card").evaluate_all("cards => cards.map(card => card.item.id)")
    page.locator(".card .open").nth(ids.index(review_world.ODD_ID)).click()
    page.locator("dialog[open] .stage video").wait_for()
    page.wait_for_url("**clip=**")
    assert chosen(page, "clip") == review_world.ODD_ID
    assert page.evaluate("window.__pwn") is None
    assert page.locator(".cards script, .cards .caption img, .cards bdi b").count() == 0


@pytest.mark.slow
def test_a_new_version_is_announced_on_an_open_page_and_comes_by_its_link(
    streets, new_page: Callable
) -> None:
    url, folder = streets
    page = new_page()
    page.goto(f"{url}/query?collection=streets&query=like1")  # loaded: all choices stand in it
    settled(page)
    notice = page.locator(".arrivals")
    try:
        shutil.copytree(folder / "models" / "v1", folder / "models" / "w9")
        notice.get_by_text("w9 has arrived.").wait_for()
        before = page.url
        notice.get_by_role("button", name="Dismiss").click()
        notice.wait_for(state="hidden")
        shutil.copytree(folder / "models" / "v1", folder / "models" / "w8")
        notice.get_by_text("w8 has arrived.").wait_for()
        link = notice.locator("p", has_text="w9").get_by_role("link", name="Show it")
        assert page.url == before, "nothing moves by itself"
        link.click()
        page.get_by_role("heading", name="w9").wait_for()
        assert [chosen(page, key) for key in ("candidate", "query", "also")] == [
            "v2",
            "like1",
            "w9",
        ]
        notice.wait_for(state="hidden")
    finally:
        for name in ("w8", "w9"):
            shutil.rmtree(folder / "models" / name, ignore_errors=True)
