"""What a visitor without a link reads first: what this is, what to try, how to open own data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from dashboard.experiment.collection import catalogue, collections, from_screens
from dashboard.experiment.reviews import people
from dashboard.tables import DataError, counted
from dashboard.views import address
from dashboard.views.address.choices import View
from dashboard.views.texts import shown

FIRST_STEPS = "first-steps"
"""The path, and the mark behind an address that was completed from nothing; the page's scripts
take it away."""
COMMAND = "python -m dashboard init NEW --from FOLDER"
MOST = 3
LETTERS = 60  # of a search text
_ABOUT = (
    "Is the new version of a search model better, how sure is that, where is it worse, and what "
    "did it find instead?"
)
_MORE = "FOLDER holds your pictures or clips, tables and vectors as they are. The README says more."
_DROP = " You can also drop files on the screen Collections."

Step = dict[str, str]
"""name, note and address of something to try."""


def routes() -> list[Route]:
    """The route `/first-steps`, for `st.App(routes=…)`. One answer is made at a time."""
    turns = CapacityLimiter(1)

    async def endpoint(request: Request) -> JSONResponse:
        answer = await anyio.to_thread.run_sync(first_steps, limiter=turns)
        return JSONResponse(answer, headers={"Cache-Control": "no-store"})

    return [Route(f"/{FIRST_STEPS}", endpoint, name=FIRST_STEPS)]


def first_steps() -> dict[str, Any]:
    """A sentence on what this is, things to try on collections that are there, and the command that
    opens the own data."""
    title = next(iter(catalogue.titles().values()), "")
    return {
        "about": f"{_ABOUT} This page answers for {shown(title)}." if title else _ABOUT,
        "steps": _steps()[:MOST],
        "own": "Your own data",
        "command": COMMAND,
        "more": _MORE + (_DROP if from_screens.allowed() else ""),
    }


def _steps() -> list[Step]:
    names = collections.collection_names()
    view = next(_comparable(names), None)
    steps = []
    if view is not None:
        pair = f"{shown(view.candidate)} and {shown(view.baseline)}"
        steps = [
            _step("See where it got worse", f"What {pair} found; j goes on.", "query", view),
            *_search(view),
            _step("Is the new version better?", f"The verdict on {pair}.", "compare", view),
        ]
        if people.actor().may(people.REVIEW):
            note = "y: relevant, x: not relevant; ? lists all keys."
            steps.insert(2, _step("Judge results with keys", note, "query", view, judging="yes"))
    note = counted(len(names), "collection", "collections") + "."
    return [*steps, {"name": "See what else is here", "note": note, "address": "collections"}]


def _comparable(names: list[str]) -> Iterator[View]:
    """The first view of each collection with two versions; one that cannot be read has none."""
    for name in names:
        try:
            if len(catalogue.glance(name).versions) > 1:
                view, _ = address.view_of({"collection": [name]})
                if view and view.baseline and view.candidate != view.baseline:
                    yield view
        except DataError:
            continue


def _search(view: View) -> list[Step]:
    """A search in words, where a version takes them."""
    collection = collections.opened(view.collection)
    can = collections.searched_with(collection, (view.baseline, view.candidate))
    text = collections.words(collection).example if can.encode else next(iter(can.texts), "")
    if not text:
        return []
    note = "Or any other words, an item or a picture." if can.encode else "A stored text."
    return [_step(f"Find “{shown(text, LETTERS)}”", note, "search", view, text=text)]


def _step(name: str, note: str, page: str, view: View, **changes: str) -> Step:
    there = urlencode(address.link(view, **changes), doseq=True)
    return {"name": name, "note": note, "address": f"{page}?{there}"}
