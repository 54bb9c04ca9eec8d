"""The cards of a query by its address, for the browser to have before they are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dashboard.experiment import judging, memory
from dashboard.experiment.brief_rankings import together
from dashboard.tables import DataError
from dashboard.views import address, summary
from dashboard.views.cards.grid import grid_of
from dashboard.views.cards.query_results import results_of
from dashboard.views.cards.rows import row_versions
from dashboard.views.cards.verdicts import latest_verdicts
from dashboard.views.experiments import experiment_of, versions_of

NEIGHBOURS = "neighbour"
"""The first part of the path; behind it stands the address of a Query screen."""
PATIENCE, LOOK = 0.5, 0.02
"""Seconds that these cards wait at most while pages are drawn, and between two looks."""


def routes() -> list[Route]:
    """The route `/neighbour?…`, for `st.App(routes=…)`. One grid is made at a time, and none while
    a page is drawn, for which somebody waits: for PATIENCE seconds at most. None for who left."""
    turns = CapacityLimiter(1)

    async def endpoint(request: Request) -> Response:
        params = parse_qs(request.url.query, keep_blank_values=True)
        async with turns:
            with anyio.move_on_after(PATIENCE):
                while memory.pages_run():
                    await anyio.sleep(LOOK)
            left = await request.is_disconnected()
            content = None if left else await anyio.to_thread.run_sync(packed_cards, params)
        headers = {"Cache-Control": "no-store"}
        if content is None:
            return Response("not found", 404, headers, media_type="text/plain")
        return Response(content, headers=headers, media_type="application/octet-stream")

    return [Route(f"/{NEIGHBOURS}", endpoint, name=NEIGHBOURS)]


def packed_cards(params: Mapping[str, Sequence[str]]) -> bytes | None:
    """The cards of the query that an address names, packed as the screen sends them; None where the
    screen would draw none."""
    with memory.run_of_looks():
        return _packed_cards(params)


def _packed_cards(params: Mapping[str, Sequence[str]]) -> bytes | None:
    view, problems = address.view_of(params)
    if view is None or problems or not view.query or not versions_of(view):
        return None
    try:
        experiment = experiment_of(view)
        if not judging.is_query(experiment, view.query):
            return None
        order = summary.chosen(view, summary.deltas(view))["query_id"].tolist()
        near = together(order, view.query)
        results = results_of(experiment, view.query, row_versions(view), near)
        values = summary.in_front(view, results)
        head = summary.head_of(view, results, values)
        return grid_of(results, view, values, head, latest_verdicts(results)).contents[1]
    except DataError:
        return None
