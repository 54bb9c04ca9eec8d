"""No address is a dead end: what narrows the queries can be cleared, what is no screen is said."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit import config

from dashboard.views.address import PAGES
from dashboard.views.server.not_found import NoSuchPage, page
from tests.test_screens import (  # noqa: F401
    no_text_model,
    opened,
    queries_to_step_through,
    said,
)

HTML = {"accept": "text/html,*/*"}
NARROW = {
    "find": ("zzzz", 'No query matches "zzzz", outcome Worse.'),
    "between": ("7..8", "No query matches outcome Worse, difference 7 to 8."),
    "at": ("0.123..0.456", "outcome Worse, values 0.123 → 0.456."),
}


@pytest.mark.parametrize("key", NARROW)
def test_what_finds_no_query_is_said_and_can_be_cleared_there(key):
    value, words = NARROW[key]
    app = opened("query", collection="openmoji_hashes", outcome="worse", **{key: value})
    assert not app.exception
    told = said(app)
    assert words in told
    next(button for button in app.button if button.label == "Clear filter").click().run()
    assert not app.exception and not app.error
    assert key not in app.query_params and app.query_params["outcome"] == "all"
    assert queries_to_step_through(app)
    assert "Clear filter" not in [button.label for button in app.button]


def test_an_open_query_beside_a_filter_says_how_many_are_left():
    app = opened("query", collection="driving", find="cyclist")
    assert 'queries match "cyclist".' in said(app)


def test_a_query_of_another_kind_than_was_chosen_is_said_in_place_of_results():
    app = opened("query", collection="driving", queries="item", query="q001")
    assert not app.exception
    assert "This query is not one of the clip queries. Choose others on the left." in said(app)


@pytest.fixture
def site():
    async def screen(request):
        return HTMLResponse("the app")

    async def file(request):
        return PlainTextResponse("a file")

    routes = [Route("/file", file), Route("/{path:path}", screen)]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(NoSuchPage, ())]))


@pytest.mark.parametrize("path", ["/nosuchpage", "/compare/x", "/a/b/compare", "/index.html"])
def test_what_is_no_screen_is_said_with_links_to_those_that_are(site, path):
    answer = site.get(f"{path}?collection=driving", headers=HTML)
    assert answer.status_code == 404 and "There is no page" in answer.text
    up = "../" * (path.count("/") - 1) or "./"
    for name, title in PAGES.items():
        assert f'<a href="{up}{name}?collection=driving">{title}</a>' in answer.text
    assert "content-length" in answer.headers


def test_a_hostile_path_is_text(site):
    answer = site.get("/<script>x</script>\u202e?<b>", headers=HTML)
    assert "<script>" not in answer.text and "<b>" not in answer.text
    assert "\u202e" not in answer.text


def test_a_hostile_query_is_text_though_nobody_has_encoded_it():
    """Browsers write %22 and %3C; whoever sends the bytes themselves may not."""
    said = page("nosuchpage", 'find="><b>')
    assert "<b>" not in said and "find=&quot;&gt;&lt;b&gt;" in said


def test_screens_and_files_pass(site):
    for name in PAGES:
        assert site.get(f"/{name}", headers=HTML).text == "the app"
    assert site.get("/file", headers=HTML).text == "a file"
    assert site.get("/anything").text == "the app", "no browser's window asks"


@pytest.mark.parametrize(
    "path, there",
    [
        ("/compare/", "../compare"),
        ("/overview", "./"),
        ("/Query", "./query"),
        ("/Query/", "../query"),
    ],
)
def test_a_screens_address_that_is_written_otherwise_leads_to_it(site, path, there):
    answer = site.get(f"{path}?a=1", headers=HTML, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, f"{there}?a=1")


def test_below_a_base_path_screens_are_screens(site, monkeypatch):
    known = config.get_option
    monkeypatch.setattr(
        config, "get_option", lambda key: "tool/" if key == "server.baseUrlPath" else known(key)
    )
    assert site.get("/tool/compare", headers=HTML).text == "the app"
    assert site.get("/tool/", headers=HTML).text == "the app"
    assert '"./compare"' in site.get("/tool/none", headers=HTML).text
