"""The cards of a query by its address: the same as on its screen, and none where there are none."""

import json
import zlib

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dashboard.views.frame import neighbours
from tests.test_screens import cards, no_text_model, opened  # noqa: F401


def answer(**choices):
    site = TestClient(Starlette(routes=neighbours.routes()))
    return site.get("/neighbour", params={"collection": "driving", **choices})


def test_the_cards_of_a_neighbour_are_those_that_its_screen_sends():
    sent = answer(query="q002", baseline="v0.1", candidate="v0.2")
    assert sent.status_code == 200 and sent.headers["cache-control"] == "no-store"
    told = json.loads(zlib.decompress(sent.content))
    asked = {"collection": "driving", "baseline": "v0.1", "candidate": "v0.2"}
    assert told == cards(opened("query", query="q002", **asked))
    assert told["head"]["title"] and [row["name"] for row in told["rows"]][:2] == ["v0.1", "v0.2"]


@pytest.mark.parametrize(
    "choices",
    [{}, {"query": "gone"}, {"query": "q002", "candidate": "gone"}, {"collection": "gone"}],
    ids=str,
)
def test_what_the_screen_would_not_draw_has_no_cards(choices):
    assert answer(**choices).status_code == 404
