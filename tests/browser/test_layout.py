"""What is drawn late has its room: nothing jumps while a screen comes, or from query to query."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import pytest

from tests.browser.conftest import REPOSITORY

pytestmark = pytest.mark.usefixtures("alone")

IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"
WATCH = """window.shifts = [];
    new PerformanceObserver(list => list.getEntries().forEach(
        entry => window.shifts.push([entry.value, entry.hadRecentInput, ...entry.sources.map(
            ({ node, previousRect: was, currentRect: is }) => [
                node?.closest?.('[class*=st-key], [data-testid]')?.className, was.y, is.y])]))
    ).observe({type: 'layout-shift', buffered: true})"""
JUMPED = "window.shifts.filter(([, asked]) => !asked).reduce((sum, [value]) => sum + value, 0)"

COUNTED = "PerformanceObserver.supportedEntryTypes.includes('layout-shift')"


def settled(page) -> None:
    page.get_by_role("heading", level=1).wait_for()
    page.locator(IDLE).wait_for()
    page.wait_for_timeout(2000)


GRID = "&columns=5&shown=20"


OF_A_QUERY = [(1400, ""), (420, ""), (420, GRID), (2560, GRID)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "more"),
    OF_A_QUERY,
)
def test_a_query_comes_without_a_jump(
    dashboard: str, new_page: Callable, width: int, more: str
) -> None:
    def opened():
        page = new_page(width=width, fresh=True)
        page.add_init_script(WATCH)
        page.goto(f"{dashboard}/query?collection=driving&query=q001{more}")
        page.locator(".card").first.wait_for()
        settled(page)
        assert page.evaluate(COUNTED)
        return page

    # What comes first depends on how busy the machine is: a part without room jumps every time.
    page = next(
        (page for page in (opened() for _ in range(3)) if page.evaluate(JUMPED) < 0.1), None
    )
    assert page is not None
    page.evaluate("window.shifts = []")
    page.keyboard.press("j")
    page.wait_for_url(lambda url: "query=q001&" not in f"{url}&")
    settled(page)
    assert page.evaluate(JUMPED) < 0.05


SCREENS = (  # Query has its own test
    "?collection=driving",
    "compare?collection=driving",
    "slices?collection=driving",
    "search?collection=driving&item=urban_bicyclist_entering_008",
    "collections?collection=driving",
    "reviews?collection=driving",
)
DRAWN = """!document.querySelector('[data-testid=stSkeleton]') &&
    [...document.querySelectorAll('[data-testid=stVegaLiteChart], .st-key-found')]
        .every(late => late.querySelector('svg.marks, [data-drawn]'))"""


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1400])
def test_every_screen_comes_without_a_jump(dashboard: str, new_page: Callable, width: int) -> None:
    page = new_page(width=width)
    page.add_init_script(WATCH)
    assert page.evaluate(COUNTED)

    def jumped(address: str) -> float:
        page.goto(f"{dashboard}/{address}")
        page.get_by_role("heading", level=1).wait_for()
        page.locator(IDLE).wait_for(timeout=60_000)
        page.wait_for_function(DRAWN)
        page.wait_for_timeout(300)
        return float(page.evaluate(JUMPED))

    found = {address: jumped(address) for address in SCREENS}
    what = {}
    for _ in range(2):  # what jumps for want of room jumps every time
        for address in (each for each in SCREENS if found[each] >= 0.05):
            found[address] = min(found[address], jumped(address))
            what[address] = page.evaluate("window.shifts")
    assert all(value < 0.05 for value in found.values()), (found, what)


@pytest.mark.slow
def test_on_a_phone_a_verdict_without_slices_keeps_no_room_for_one(
    dashboard: str, new_page: Callable
) -> None:
    page = new_page(width=390)
    page.goto(f"{dashboard}/compare?collection=driving&slice=pv_object_type%3Dbicyclist")
    settled(page)
    drawn, room = page.locator("div.verdict"), page.locator(".st-key-verdict")
    assert (
        page.locator(".verdict .interval:not(.none)").count()
        and not drawn.locator(".lowest").count()
    )
    assert room.bounding_box()["height"] - drawn.bounding_box()["height"] < 40


class Held:
    """Requests of a page that wait until they are released, and those after it do not."""

    def __init__(self, page, addresses: str) -> None:
        self.waiting: list | None = []
        page.route(addresses, lambda route: self._take(route))

    def _take(self, route) -> None:
        if self.waiting is None:
            route.continue_()
        else:
            self.waiting.append(route)

    def release(self) -> None:
        waiting, self.waiting = self.waiting, None
        for route in waiting:
            route.continue_()


@pytest.mark.slow
def test_cards_stand_in_outline_until_they_and_their_posters_come(
    dashboard: str, new_page: Callable
) -> None:
    page = new_page(width=1400, fresh=True)
    script, posters = Held(page, "**/cards/*/cards.js"), Held(page, "**/posters/**")
    page.goto(f"{dashboard}/query?collection=driving&query=q001")
    outline = "getComputedStyle(document.querySelector('.st-key-found'), '::before').content"
    page.locator(".st-key-found .st-key-cards").wait_for(state="attached")
    assert page.evaluate(outline) == '""', "before the script of the cards is there"
    room = page.locator(".st-key-found").bounding_box()
    assert room["height"] >= 640

    script.release()
    page.locator(".card").first.wait_for()
    assert page.evaluate(outline) == "none"
    assert page.locator(".st-key-found").bounding_box()["y"] == room["y"]
    first = page.locator(".picture").first
    pulse = "node => getComputedStyle(node, '::before').animationName"
    assert first.evaluate(pulse) == "waiting", "before the poster is there"
    page.emulate_media(reduced_motion="reduce")
    assert first.evaluate(pulse) == "none"
    height = first.bounding_box()["height"]

    posters.release()
    page.locator(".picture:not(.waiting) img").first.wait_for()
    assert "waiting" not in first.get_attribute("class")
    assert first.bounding_box()["height"] == height


def test_every_page_has_the_style_and_nothing_else_has(dashboard: str) -> None:
    import urllib.error
    import urllib.request

    def fetched(path: str, accept: str = "text/html") -> tuple[str, int, bytes]:
        headers = {"Accept": accept, "Accept-Encoding": "gzip"}
        asked = urllib.request.Request(f"{dashboard}/{path}", headers=headers)
        with urllib.request.urlopen(asked) as answer:
            length = int(answer.headers.get("Content-Length") or -1)
            return answer.headers["Content-Type"], length, answer.read()

    for path in ("", "query", "compare?collection=driving"):
        kind, length, page = fetched(path)
        assert kind.startswith("text/html") and length == len(page)
        assert page.count(b"Room for what") == 1 and page.index(b"</style>") < page.index(
            b"</head>"
        )
    assert fetched("_stcore/health", "*/*")[2] == b"ok"
    with pytest.raises(urllib.error.HTTPError) as refused:
        fetched("report?collection=none")
    assert b"Room for what" not in refused.value.read(), "a report has its own style, and no other"


@pytest.mark.slow
def test_a_metric_and_its_formula_take_one_line_where_there_is_room(
    dashboard: str, new_page: Callable
) -> None:
    page = new_page(width=1440)
    page.goto(f"{dashboard}/?collection=driving")
    page.locator("[class*=st-key-rows-] tbody tr").first.wait_for()
    settled(page)
    rows = page.locator("[class*=st-key-rows-]").first.locator("tr")
    heights = rows.evaluate_all("all => all.map(row => row.getBoundingClientRect().height)")
    assert len(heights) == 10 and max(heights) < 30


def query_on_a_phone(dashboard: str, new_page: Callable, name: str):
    page = new_page(width=390)
    page.goto(f"{dashboard}/query?collection={name}")
    page.locator(".card").first.wait_for()
    settled(page)
    return page


BUTTONS = ".steps button, .mode, .help, .unfold, .st-key-look button"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["driving", "openmoji_composed"])  # of words; with a picture
def test_the_buttons_above_the_cards_stand_apart_on_a_phone(
    dashboard: str, new_page: Callable, name: str
) -> None:
    page = query_on_a_phone(dashboard, new_page, name)
    page.locator(".asked bdi").evaluate("node => { node.textContent = 'word '.repeat(80) }")
    page.locator(".unfold").wait_for()
    boxes = [each.bounding_box() for each in page.locator(BUTTONS).all()]
    assert len(boxes) == 8
    for one, other in combinations(boxes, 2):
        across = max(one["x"], other["x"]) - min(b["x"] + b["width"] for b in (one, other))
        down = max(one["y"], other["y"]) - min(b["y"] + b["height"] for b in (one, other))
        assert max(across, down) > 3, (one, other)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["driving", "openmoji_composed"])  # with keywords; with a picture
def test_on_a_phone_the_count_of_relevant_items_is_read_and_keywords_are_swiped(
    dashboard: str, new_page: Callable, name: str
) -> None:
    page = query_on_a_phone(dashboard, new_page, name)
    count = page.locator(".gist .scored")
    assert "relevant item" in count.inner_text()
    assert count.evaluate("node => node.getBoundingClientRect().right") <= 390
    assert count.evaluate("node => node.scrollWidth <= node.clientWidth")
    for chips in page.locator(".gist .chips").all():
        assert chips.evaluate("node => node.getBoundingClientRect().right") <= 390
        assert chips.evaluate("node => node.tabIndex === 0 && node.scrollWidth > node.clientWidth")


@pytest.mark.slow
def test_on_a_phone_a_field_that_narrows_the_texts_has_a_line_of_its_own(
    serve: Callable[..., str], new_page: Callable, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = tmp_path_factory.mktemp("many_texts")
    folder = data / "many"
    (folder / "runs").mkdir(parents=True)
    queries = [f"q{number}" for number in range(201)]  # more than a list offers at once
    (folder / "collection.toml").write_text('protocols = ["trec"]\n')
    (folder / "items.csv").write_text("item_id\na\nb\n")
    (folder / "queries.csv").write_text("query_id,text\n" + "".join(f"{q},{q}\n" for q in queries))
    (folder / "qrels.txt").write_text("".join(f"{q} 0 a 1\n" for q in queries))
    run = "".join(f"{q} Q0 a 1 2 x\n{q} Q0 b 2 1 x\n" for q in queries)
    (folder / "runs" / "one.trec").write_text(run)
    page = new_page(width=390)
    page.goto(f"{serve(REPOSITORY / 'app.py', DASHBOARD_DATA=str(data))}/search?collection=many")
    settled(page)
    field = page.locator(".st-key-searched .st-key-find-text").bounding_box()
    texts = page.locator(".st-key-searched .st-key-choice-stored-text").bounding_box()
    assert field["width"] > 340 and texts["width"] > 280
    assert texts["y"] >= field["y"] + field["height"]


COLLECTIONS = (
    "driving", "openmoji_composed", "openmoji_captions", "openmoji_hashes", "digits_hashes",
    "openmoji_context",
)  # fmt: skip
LONGEST = {1440: 2_000, 390: 4 * 844}
"""Pixels: of three screens of 900 the Overview keeps room for a reader's own collection."""


@pytest.mark.slow
@pytest.mark.parametrize("name", COLLECTIONS)
def test_no_overview_is_long(dashboard: str, new_page: Callable, name: str) -> None:
    page = new_page(width=1440)
    page.set_default_timeout(240_000)  # everything is computed here for the first time
    page.goto(f"{dashboard}/?collection={name}")
    page.get_by_role("heading", level=1).wait_for()
    page.locator(IDLE).wait_for()
    page.get_by_text("How stable is the ranking?").wait_for()
    for width, most in LONGEST.items():
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(500)
        height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
        assert 900 < height <= most, width


HEIGHTS = """async ([title, frames]) => {
    const parts = [...document.querySelectorAll("details")];
    const part = parts.find(one => one.innerText.includes(title));
    const heights = new Set();
    part.querySelector("summary").click();
    for (let frame = 0; frame < frames; frame += 1) {
        await new Promise(requestAnimationFrame);
        heights.add(Math.round(part.getBoundingClientRect().height));
    }
    return [...heights];
}"""


def test_a_part_opens_and_closes_at_once_for_whoever_wants_no_motion(
    dashboard: str, new_page: Callable
) -> None:
    page = new_page(reduced_motion="reduce")
    page.goto(f"{dashboard}/?collection=driving")
    page.locator("details", has_text="Protocol definition").wait_for()
    page.locator(IDLE).wait_for()
    for _ in ("opened", "closed"):
        heights = page.evaluate(HEIGHTS, ["Protocol definition", 30])
        assert len(heights) <= 2, heights


@pytest.mark.slow
def test_a_section_stays_open_whatever_its_title_says(dashboard: str, new_page: Callable) -> None:
    page = new_page(width=1440)
    page.goto(f"{dashboard}/?collection=driving")
    section = page.locator("details", has_text=" by object type and actor behavior · v0.3: ")
    section.locator("summary").click()
    chart = "[data-testid=stVegaLiteChart] svg.marks"
    section.locator(chart).first.wait_for()
    assert section.locator(chart).first.bounding_box()["width"] > 300
    for metric, opened in (("NDCG@5", True), ("Recall@1", False)):
        if not opened:
            section.locator("summary").click()
        page.get_by_role("combobox", name="Metric").click()
        page.get_by_role("option", name=metric).click()
        section.locator("summary", has_text=f"{metric} by object type").wait_for()
        page.locator(IDLE).wait_for()
        assert (section.get_attribute("open") is not None) is opened
