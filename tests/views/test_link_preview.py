"""What chat programs show of a link: tags only where the address is known, only of what a page has
drawn, and no text of the data becomes markup."""

from __future__ import annotations

import io
from html import unescape
from urllib.parse import urlencode

import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from dashboard.evaluation.digits import signed
from dashboard.experiment import measuring, memory
from dashboard.views import address, summary
from dashboard.views.charts import preview
from dashboard.views.server import link_preview
from dashboard.views.server.allowed_hosts import AllowedHosts
from dashboard.views.server.base_path import ADDRESS
from dashboard.views.server.page_head import PageHead

OWN = "https://search.example.org/quality"


def index(request) -> HTMLResponse:
    return HTMLResponse("<html><head><title>Streamlit</title></head><body></body></html>")


ROUTES = [*link_preview.routes(), Route("/{path:path}", index)]
SITE = Starlette(routes=ROUTES, middleware=[Middleware(AllowedHosts), Middleware(PageHead)])


@pytest.fixture
def client(monkeypatch) -> TestClient:
    monkeypatch.setenv(ADDRESS, f"{OWN}/")
    return TestClient(SITE, base_url="http://localhost", headers={"Accept": "*/*"})


def tags(page: str) -> dict[str, str]:
    parts = [each.split('"') for each in page.split("<meta ")[1:]]
    return {part[1]: unescape(part[3]) for part in parts}


def link(**choices: str) -> str:
    return urlencode({"collection": "driving", **choices})


@pytest.mark.parametrize("own", ["", "search.example.org", "javascript:alert(1)", 'https://a"b'])
def test_without_a_known_address_there_is_no_preview(client, monkeypatch, own) -> None:
    monkeypatch.setenv(ADDRESS, own)
    assert "og:" not in client.get(f"/compare?{link()}").text
    assert client.get(f"/preview/compare?{link()}").status_code == 404


def test_nothing_is_computed_for_a_preview(client, monkeypatch) -> None:
    memory.forget()
    monkeypatch.setattr(measuring, "measurements", None)
    found = tags(client.get(f"/compare?{link()}").text)
    assert found["og:title"] == "Compare · v0.3 vs v0.2 · Simulated driving clips"
    assert found["og:description"].startswith("Simulated driving clips: 190 clips")
    assert client.get(f"/preview/compare?{link()}").status_code == 200


def test_the_verdict_of_a_page_that_was_drawn_is_in_it(client) -> None:
    view, _ = address.view_of({"collection": ["driving"]})
    rows = summary.comparison(view)
    row = rows[rows["metric_name"] == view.metric].iloc[0]
    found = tags(client.get(f"/compare?{link()}").text)
    assert found["og:description"].startswith("v0.3 is better than v0.2 at Recall@5 by ")
    assert signed(row["delta"]) in found["og:description"]
    assert found["description"] == found["og:description"]
    assert found["og:url"] == f"{OWN}/compare?{link()}"
    assert found["og:image"] == f"{OWN}/preview/compare?{link()}"
    answer = client.get(f"/preview/compare?{link()}")
    picture = Image.open(io.BytesIO(answer.content))
    assert answer.headers["content-type"] == "image/png"
    assert picture.size == (preview.WIDE, preview.HIGH)
    green = tuple(bytes.fromhex(preview.COLOURS["better"][1:]))
    assert green in {colour[:3] for _, colour in picture.getcolors(1_000_000)}


def test_a_query_has_its_own_words_and_values(client) -> None:
    view, _ = address.view_of({"collection": ["driving"]})
    row = summary.deltas(view).iloc[0]
    found = tags(client.get(f"/query?{link(query=row['query_id'])}").text)
    assert found["og:description"].startswith("Recall@5 of this query: ")
    assert found["og:description"].endswith(f"({signed(row['delta'])}).")


def test_a_link_that_cannot_be_followed_has_a_plain_sentence(client) -> None:
    found = tags(client.get(f"/compare?{link(baseline='<b>nosuch')}").text)
    assert found["og:description"] == link_preview.ABOUT
    assert "<b>" not in client.get(f"/compare?{link(baseline='<b>nosuch')}").text
    assert "og:" not in client.get(f"/compare?{link(find='x' * 5_000)}").text
    assert client.get("/preview/nosuch").status_code == 404


def test_typed_words_stay_text_in_tags_and_picture(client) -> None:
    odd = '"><script>alert(1)</script>\u202e</svg>'
    page = client.get(f"/search?{link(text=odd)}").text
    assert "<script>alert(1)" not in page
    assert tags(page)["og:title"].startswith('"><script>alert(1)</script>⟨U+202E⟩')
    assert client.get(f"/preview/search?{link(text=odd)}").status_code == 200


def test_strange_hosts_learn_nothing_and_the_own_one_may_ask(client) -> None:
    for path in ("/compare", "/preview/compare"):
        assert client.get(path, headers={"Host": "evil.example"}).status_code == 403
        assert client.get(path, headers={"Host": "search.example.org"}).status_code == 200
