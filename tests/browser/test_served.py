"""The app below a path: of its server, of a proxy that strips it; and at no screen an error in the
browser's console."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser.conftest import open_more
from tests.browser.proxy import Proxy

REPOSITORY = Path(__file__).parents[2]
IDLE = "[data-testid=stApp][data-test-script-state=notRunning]"
WAYS = (
    "at the root",
    pytest.param("below a path", marks=pytest.mark.slow),
    pytest.param("behind a proxy", marks=pytest.mark.slow),
)
SCREENS = [  # every screen at the root and in one other way
    *((WAYS[0], path) for path in ("/", "/query?query=q001")),
    *(
        pytest.param(way, path, marks=pytest.mark.slow)
        for way, paths in (
            (WAYS[0], ("/compare", "/collections")),
            ("below a path", ("/", "/query?query=q001")),
            ("behind a proxy", ("/compare", "/collections")),
        )
        for path in paths
    ),
]


@pytest.fixture(scope="module")
def below(serve: Callable) -> str:
    """The address of a server that is told to serve below a path."""
    return serve(REPOSITORY / "app.py", STREAMLIT_SERVER_BASE_URL_PATH="team/quality")


@pytest.fixture(scope="module", params=WAYS)
def address(request: pytest.FixtureRequest, dashboard: str) -> Iterator[str]:
    if request.param == "below a path":
        yield request.getfixturevalue("below")
        return
    if request.param == "at the root":
        yield dashboard
        return
    proxy = Proxy(dashboard, "tools/search")
    yield proxy.url
    proxy.close()


@pytest.fixture
def visit(address: str, new_page: Callable) -> Callable:
    """Opens a screen; notes what the console says and which requests are not answered."""

    def opened(path: str):
        page = new_page()
        page.said, page.unanswered = [], []
        page.on("console", lambda word: page.said.append((word.type, word.text)))
        page.on("response", lambda r: r.status < 400 or page.unanswered.append((r.status, r.url)))
        page.goto(address + path)
        page.locator(IDLE).wait_for()
        page.get_by_role("heading", level=1).wait_for()
        return page

    return opened


@pytest.mark.parametrize(("address", "path"), SCREENS, indirect=["address"])
def test_a_screen_that_is_opened_directly_says_nothing_in_the_console(
    visit: Callable, address: str, path: str
) -> None:
    page = visit(path)
    page.wait_for_load_state("networkidle")
    assert page.unanswered == []
    assert [text for kind, text in page.said if kind == "error"] == []
    assert page.url.startswith(address) and "candidate=" in page.url, "the whole view is in it"


@pytest.mark.slow
def test_cards_pictures_choices_and_the_report_work_wherever_the_app_is_served(
    visit: Callable, address: str
) -> None:
    page = visit("/query?query=q001")
    page.locator(".card img").first.wait_for()
    page.wait_for_function(
        """() => [...document.querySelectorAll('*')].flatMap(
            node => node.shadowRoot ? [...node.shadowRoot.querySelectorAll('.card img')] : []
        ).some(image => image.naturalWidth > 0)"""
    )
    page.get_by_role("link", name="Compare").click()
    page.get_by_role("heading", name="Compare").wait_for()
    page.locator(IDLE).wait_for()
    open_more(page)
    page.locator("[data-testid=stSidebar]").get_by_text("Standard", exact=True).click()
    page.wait_for_url("**names=standard**")
    base = urlsplit(address).path
    assert urlsplit(page.url).path == f"{base}/compare"
    with page.expect_popup() as opening:
        page.get_by_role("link", name="Report").and_(
            page.locator("[href*='names=standard']")
        ).click()
    report = opening.value
    report.get_by_role("heading", name="Compared data").wait_for()
    assert urlsplit(report.url).path == f"{base}/report" and "names=standard" in report.url
    report.close()
    with page.expect_download() as saved:
        page.get_by_role("link", name="Queries as CSV").click()
    assert saved.value.url.startswith(f"{address}/files/queries.csv?")
    assert saved.value.suggested_filename.endswith("-queries.csv")
    page.reload()
    page.get_by_role("heading", name="Compare").wait_for()
    page.go_back()
    page.wait_for_url("**names=source**")
    assert page.unanswered == []
