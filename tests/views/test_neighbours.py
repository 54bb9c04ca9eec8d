"""The cards of a query by its address: the same as on its screen, and none where there are none."""

import gc
import json
import zlib
from concurrent.futures import ThreadPoolExecutor
from weakref import ref

import anyio
import pandas as pd
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.testclient import TestClient

from dashboard.experiment import memory
from dashboard.retrieval import runs
from dashboard.views import address
from dashboard.views.cards.query_results import _rows, results_of
from dashboard.views.experiments import experiment_of
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
    before = memory.hits_and_misses()[1]
    assert neighbours.packed_cards({key: [of] for key, of in {**asked, "query": "q002"}.items()})
    assert memory.hits_and_misses()[1] == before, "the next reader computes nothing"
    assert told["head"]["title"] and [row["name"] for row in told["rows"]][:2] == ["v0.1", "v0.2"]


def test_a_query_that_is_drawn_again_looks_into_no_table_that_is_remembered_for_it(monkeypatch):
    """Each look would leave a reference in the table, of which pandas keeps hundreds."""
    looked_into, look = [], pd.DataFrame.__getitem__

    def looking(table, what):
        looked_into.append(ref(table))
        return look(table, what)

    def remembered_tables(query: str) -> set[int]:
        chosen = {"collection": ["driving"], "query": [query]}
        neighbours._packed_cards(chosen)
        looked_into.clear()
        with monkeypatch.context() as watched:
            watched.setattr(pd.DataFrame, "__getitem__", looking)
            assert neighbours._packed_cards(chosen)
        gc.collect()
        return {id(table()) for table in looked_into if table() is not None}

    one, other = (remembered_tables(query) for query in ("q002", "q003"))
    assert one == other, "what is looked into again is the same for all queries"


@pytest.mark.parametrize(
    "choices",
    [{}, {"query": "gone"}, {"query": "q002", "candidate": "gone"}, {"collection": "gone"}],
    ids=str,
)
def test_what_the_screen_would_not_draw_has_no_cards(choices):
    assert answer(**choices).status_code == 404


def test_the_cards_of_a_neighbour_wait_while_a_page_is_drawn_but_not_for_ever(monkeypatch):
    made = []
    monkeypatch.setattr(neighbours, "packed_cards", lambda params: made.append(params) or b"cards")
    (route,) = neighbours.routes()
    here = {"type": "http", "path": "/", "headers": [], "query_string": b"query=q1"}
    gone = []

    async def receive():
        if not gone:
            await anyio.sleep_forever()
        return {"type": "http.disconnect"}

    request = Request(here, receive)

    async def ask():
        monkeypatch.setattr(neighbours, "PATIENCE", 600.0)
        async with anyio.create_task_group() as asking:
            with memory.page_run():
                asking.start_soon(route.endpoint, request)
                await anyio.wait_all_tasks_blocked()
                assert made == [], "a page is drawn"
        assert len(made) == 1, "once it is drawn"
        monkeypatch.setattr(neighbours, "PATIENCE", 0.0)
        with memory.page_run():
            assert (await route.endpoint(request)).body == b"cards"
        gone.append(True)
        await route.endpoint(request)

    with ThreadPoolExecutor(1) as pool:  # this thread may already have the loop of a browser
        pool.submit(anyio.run, ask).result()
    assert len(made) == 2, "who has left has nothing made"


@pytest.mark.slow
def test_the_cards_of_a_long_ranking_are_those_of_a_short_one_and_its_rows_are_held_once(
    monkeypatch,
):
    choices = {"query": ["q002"], "baseline": ["v0.1"], "candidate": ["v0.2"]}
    asked = {"collection": ["driving"], **choices}
    memory.forget()
    short = neighbours.packed_cards(asked)
    memory.forget()
    monkeypatch.setattr(runs, "LONG", 0)
    try:
        assert short and neighbours.packed_cards(asked) == short
        view, _ = address.view_of(asked)
        results = results_of(experiment_of(view), "q002", ["v0.1", "v0.2"])
    finally:
        memory.forget()
    for version, run in results.runs.items():
        assert run is results.whole[version] is results.counted[version]
    rows = sum(map(len, results.runs.values()))
    assert _rows(results) == rows + 2 * len(results.relevant) + 1
