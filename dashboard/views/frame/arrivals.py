"""Tells open pages what has arrived in their collection, with a link to the same view of it.

A page asks every few seconds while somebody looks at it (`arrivals.js` of `views/palette`). Nothing
is drawn anew until a reader follows the link or takes another step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlencode

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dashboard.experiment.collection import arrivals
from dashboard.experiment.collection.arrivals import Arrivals
from dashboard.tables import DataError, listed
from dashboard.views import address
from dashboard.views.address.choices import View
from dashboard.views.texts import shown

ARRIVALS = "arrivals"
"""The first part of the path; behind it stand the state that the page was drawn from, the page's
own path, and its address."""
IN_ROWS = ("query", "search")
"""The pages on which a further version is a row of results; elsewhere it is the candidate."""
MOST = 3
"""So many new versions have a line each."""
_NOT_STORED = {"Cache-Control": "no-store"}


def routes() -> list[Route]:
    """The routes `/arrivals/STATE/PAGE?…`, for `st.App(routes=…)`: 204 where nothing has arrived,
    202 while something is being written."""
    turns = CapacityLimiter(2)

    async def endpoint(request: Request) -> Response:
        params = parse_qs(request.url.query, keep_blank_values=True)
        state, page = request.path_params["state"], request.path_params["page"]
        status, lines = await anyio.to_thread.run_sync(tell, state, page, params, limiter=turns)
        if lines is None:
            return Response(status_code=status, headers=_NOT_STORED)
        return JSONResponse(lines, status, _NOT_STORED)

    return [Route(f"/{ARRIVALS}/{{state}}/{{page:path}}", endpoint, name=ARRIVALS)]


def tell(
    state: str, page: str, params: Mapping[str, Sequence[str]]
) -> tuple[int, dict[str, Any] | None]:
    """The status, and what is new: `state`, and `lines` with a text, the words of a link and its
    query string."""
    name = (list(params.get("collection", ())) or [""])[-1]
    try:
        news = arrivals.since(name, state)
    except DataError:
        return 204, None  # the page says so itself at its next step
    if news is None:
        return 202, None
    lines = [] if news == Arrivals(state) else _lines(news, page, params)
    return (200, {"state": news.state, "lines": lines}) if lines else (204, None)


def _lines(news: Arrivals, page: str, params: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    view, _ = address.view_of(params)
    there = urlencode(params, doseq=True)
    lines = [
        {
            "text": f"{shown(version)} has arrived.",
            "link": "Show it",
            "query": _with_version(view, params, page, version),
        }
        for version in news.new[:MOST]
    ]
    more = [*news.new[MOST:]]
    changed = [
        f"{listed(more)} {_have(more)} arrived" if more else "",
        f"{listed(news.rewritten)} {_have(news.rewritten)} other files" if news.rewritten else "",
        f"{listed(news.gone)} {'is' if len(news.gone) == 1 else 'are'} gone" if news.gone else "",
        f"{listed(news.files)} changed" if news.files else "",
        "" if news.known else "Files of this collection changed",
    ]
    if sentence := "; ".join(filter(None, changed)):
        lines.append({"text": f"{shown(sentence)}.", "link": "Update", "query": there})
    return lines


def _have(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"


def _with_version(
    view: View | None, params: Mapping[str, Sequence[str]], page: str, version: str
) -> str:
    """The address of the same view with one more version."""
    if view is None:
        return urlencode(params, doseq=True)
    changes: dict[str, Any] = {"candidate": version}
    if page.strip("/") in IN_ROWS:
        rows = [name for name in (view.also or "").split(",") if name and name != version]
        changes = {"also": ",".join([*rows, version])}
    if view.runs and version not in view.runs:
        changes["runs"] = (*view.runs, version)
    return urlencode(address.merged(params, view, changes), doseq=True)
