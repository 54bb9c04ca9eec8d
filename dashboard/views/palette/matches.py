"""The queries, versions, metrics and collections that hold the words typed into the palette."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from dashboard.experiment import judging
from dashboard.experiment.collection import catalogue, collections
from dashboard.experiment.memory import remembered
from dashboard.tables import LONGEST_TEXT, DataError
from dashboard.views import address
from dashboard.views.address.choices import View
from dashboard.views.experiments import experiment_of, versions_of
from dashboard.views.labels import short_label
from dashboard.views.summary import metrics_in_view
from dashboard.views.texts import shown

PALETTE = "palette"
"""The first part of the path; behind it stands the address of a screen, with the words typed."""
WORDS = "words"
MOST = 50
"""Matches of an answer."""
MOST_OF_A_KIND = 8
NAME = 200  # letters of a match

Match = tuple[str, str, dict[str, str]]
"""A name, a note behind it, and what the address changes to."""


def routes() -> list[Route]:
    """The route `/palette?…`, for `st.App(routes=…)`. Two answers are made at a time."""
    turns = CapacityLimiter(2)

    async def endpoint(request: Request) -> JSONResponse:
        params = parse_qs(request.url.query, keep_blank_values=True)
        words = " ".join(params.pop(WORDS, []))[:LONGEST_TEXT]
        answer = await anyio.to_thread.run_sync(matches, params, words, limiter=turns)
        return JSONResponse(answer, headers={"Cache-Control": "no-store"})

    return [Route(f"/{PALETTE}", endpoint, name=PALETTE)]


def matches(params: Mapping[str, Sequence[str]], words: str) -> dict[str, Any]:
    """What holds all words, small or large, as (kind, matches), and how many queries do. Queries
    are listed only where there are words."""
    holds = _holding(words)
    view, _ = address.view_of(params)
    kinds: dict[str, list[Match]] = {}
    queries: list[Match] = []
    total = 0
    if view is not None:
        try:
            kinds = {kind: list(of) for kind, of in _choices(view, holds).items()}
            queries, total = _queries(view, words) if words.strip() else ([], 0)
        except DataError:  # the screen itself says what is wrong
            kinds, queries, total = {}, [], 0
    kinds["Collections"] = [
        (title, name, {"collection": name})
        for name, title in catalogue.titles().items()
        if holds(f"{title} {name} collection") and not (view and view.collection == name)
    ]
    listed = {kind: of[:MOST_OF_A_KIND] for kind, of in kinds.items()}
    listed["Queries"] = queries[: MOST - sum(map(len, listed.values()))]
    written = [
        [kind, [[shown(name, NAME), shown(note, NAME), to] for name, note, to in of]]
        for kind, of in listed.items()
        if of
    ]
    return {"kinds": written, "queries": total}


def _holding(words: str) -> Callable[[str], bool]:
    parts = words.casefold().split()
    return lambda text: all(part in text.casefold() for part in parts)


def _choices(view: View, holds: Callable[[str], bool]) -> dict[str, Iterable[Match]]:
    """The versions and metrics that hold the words, but for those that are chosen."""
    return {
        "Versions": (
            (version, f"as {role}", {role: version})
            for version in versions_of(view)
            for role in ("candidate", "baseline")
            if getattr(view, role) != version and holds(f"{version} as {role} version")
        ),
        "Metrics": (
            (short_label(view, metric), metric, {"metric": metric})
            for metric in (metrics_in_view(view) if view.protocol and view.metric else ())
            if metric != view.metric and holds(f"{short_label(view, metric)} {metric} metric")
        ),
    }


def _queries(view: View, words: str) -> tuple[list[Match], int]:
    """The first queries that hold the words and the number of all. One of another kind than those
    in view opens among all kinds."""
    first, total = queries_with(words, _folded(collections.opened(view.collection)))
    in_view = set(judging.queries(experiment_of(view))["query_id"]) if first else set()
    elsewhere = {"queries": "all"}
    return [
        (name, id_, {"query": id_, **({} if id_ in in_view else elsewhere)}) for id_, name in first
    ], total


def queries_with(
    words: str, folded: Sequence[tuple[str, str, str]]
) -> tuple[list[tuple[str, str]], int]:
    """Id and name of the first queries that hold all words, those that begin with them in front,
    and how many hold them. folded: id, name, and both in small letters."""
    parts = words.casefold().split()
    holding = [row for row in folded if all(part in row[2] for part in parts)]
    begin = " ".join(parts)
    first = sorted(holding, key=lambda row: not row[2].startswith(begin))[:MOST]
    return [(id_, name) for id_, name, _ in first], len(holding)


@remembered(4, key=lambda collection: (str(collection.folder), collection.digest))
def _folded(collection: Any) -> list[tuple[str, str, str]]:
    """Each query of a collection: its id, its name, and both in small letters."""
    names = collections.query_names(collection)
    return [(id_, name, f"{name} {id_}".casefold()) for id_, name in names.items()]
