"""What a page in review mode saves, and what colleagues saved meanwhile, without a rerun.

`POST /judgements` takes what a reviewer did since it was last answered, in order, and answers what
stands in the store afterwards. `GET /judgements?…` answers nothing (204) until somebody has saved
something newer than what the page has. `GET /judgements/next?…` answers what to judge next
between the versions of an address, and what is decided already. `GET /judgements/keywords?…`
answers the keywords of an item or a query, and what reviewers correct of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any
from urllib.parse import parse_qs

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dashboard.experiment.collection import collections
from dashboard.experiment.reviews import people, review_acts
from dashboard.experiment.reviews.assigned_reviews import left_of_sample
from dashboard.experiment.reviews.review_acts import Act
from dashboard.experiment.reviews.review_queue import plan
from dashboard.tables import DataError
from dashboard.views import address
from dashboard.views.cards.verdicts import keyword_in_words, verdicts_by_item
from dashboard.views.experiments import experiment_of
from dashboard.views.labels import group_name
from dashboard.views.server.json_messages import body_of, refused
from dashboard.views.texts import shown

JUDGEMENTS, NEXT, KEYWORDS = "judgements", "next", "keywords"
"""The path, and what follows it where the page wants to know what to judge next, or keywords."""
LONGEST = 200_000
"""Bytes of a message: 50 acts with the longest notes."""
MOST = 50
"""Acts of a message."""
_HEADERS = {"Cache-Control": "no-store"}
_OWN = ("author", "of_item")
"""What stands beside the keys of an address."""
_TEXTS = [each.name for each in fields(Act)]


def routes() -> list[Route]:
    """The route `/judgements`, for `st.App(routes=…)`. Eight are answered at a time."""
    turns, long = CapacityLimiter(8), CapacityLimiter(1)

    async def save(request: Request) -> Response:
        no_json = "What is saved comes as JSON."
        too_long = f"A message of more than {LONGEST:,} bytes is not read."
        body = await body_of(request, LONGEST, _HEADERS, not_json=no_json, too_long=too_long)
        if isinstance(body, Response):
            return body
        try:
            acts = _acts(body)
        except ValueError as problem:
            return refused(400, str(problem), _HEADERS)
        answer = await anyio.to_thread.run_sync(saved, acts, limiter=turns)
        return JSONResponse(answer, headers=_HEADERS)

    async def look(request: Request) -> Response:
        answer = await anyio.to_thread.run_sync(news, request.query_params, limiter=turns)
        return Response(status_code=204) if answer is None else JSONResponse(answer, 200, _HEADERS)

    async def ahead(request: Request) -> Response:
        params = parse_qs(request.url.query, keep_blank_values=True)
        answer = await anyio.to_thread.run_sync(planned, params, limiter=long)
        return Response(status_code=204) if answer is None else JSONResponse(answer, 200, _HEADERS)

    async def keywords(request: Request) -> Response:
        params = parse_qs(request.url.query, keep_blank_values=True)
        answer = await anyio.to_thread.run_sync(keywords_of, params, limiter=turns)
        return Response(status_code=204) if answer is None else JSONResponse(answer, 200, _HEADERS)

    return [
        Route(f"/{JUDGEMENTS}/{NEXT}", ahead, name=f"{JUDGEMENTS}-{NEXT}"),
        Route(f"/{JUDGEMENTS}/{KEYWORDS}", keywords, name=f"{JUDGEMENTS}-{KEYWORDS}"),
        Route(f"/{JUDGEMENTS}", save, methods=["POST"], name=f"{JUDGEMENTS}-saved"),
        Route(f"/{JUDGEMENTS}", look, name=JUDGEMENTS),
    ]


def _acts(body: bytes) -> list[Act]:
    """Raises ValueError, in a sentence, for what is no list of acts."""
    try:
        sent = json.loads(body)["acts"]
    except (ValueError, KeyError, TypeError, RecursionError):  # a number of 5,000 digits, too
        raise ValueError("this is no list of acts") from None
    try:
        if not isinstance(sent, list) or not 0 < len(sent) <= MOST:
            raise ValueError(f"from 1 to {MOST} acts are saved at a time")
        return [Act(**{name: _text(act, name) for name in _TEXTS}) for act in sent]
    except AttributeError:
        raise ValueError("this is no list of acts") from None


def _text(act: Mapping[str, Any], name: str) -> str:
    value = act.get(name, "")
    if not isinstance(value, str):
        raise ValueError(f"the {name} of an act is a text")
    return value.strip() if name in ("author", "note") else value


def saved(acts: list[Act]) -> dict[str, Any]:
    """Save acts in order, and read back what stands.

    Answers with results, one for each act of a collection up to the first that may be saved later:
    its name (`once`), the problem in a sentence or an empty text, whether to send it again, and
    what a step back took back. A collection that is away keeps no other's acts waiting. And
    queries: for each query that was touched what `news` answers.
    """
    results: list[dict[str, Any]] = []
    touched: dict[tuple[str, str, str], None] = {}
    waiting: set[str] = set()  # collections
    for sent in acts:
        if sent.collection in waiting:
            continue
        act = replace(sent, author=people.signed(sent.author))
        outcome = _saved(act)
        results.append(outcome)
        if outcome["again"]:
            waiting.add(act.collection)
            continue
        query = outcome["undone"][0] if outcome["undone"] else act.query
        touched[act.collection, query, act.author] = None
    try:
        queries = [
            _in_words(collection, query, author, *review_acts.of_query(collection, query))
            for collection, query, author in touched
        ]
    except DataError as problem:  # saved, but nobody can say what stands: it is sent again
        unread = {"problem": str(problem), "again": True, "undone": None}
        return {"results": [{"once": acts[0].once, **unread}], "queries": []}
    return {"results": results, "queries": queries}


def _saved(act: Act) -> dict[str, Any]:
    outcome = {"once": act.once, "problem": "", "again": False, "undone": None}
    try:
        undone = review_acts.save(act)
    except (ValueError, review_acts.NotAllowed) as problem:
        return {**outcome, "problem": shown(f"Not saved: {problem}", 500)}
    except DataError as problem:
        return {**outcome, "problem": shown(f"Not saved yet: {problem}", 500), "again": True}
    return {**outcome, "undone": [undone.query, undone.item] if undone else None}


def news(asked: Mapping[str, str]) -> dict[str, Any] | None:
    """What stands of a query, or None where the page has the newest number already.

    asked: collection, query, author (of whom one's own is told), after (the page's number, −1:
    none); now: look anew; queries: tell which ones the author has judged, too, even where nothing
    is newer: a page can have the number from the answer to a press.
    """
    try:
        collection, query = asked.get("collection", ""), asked.get("query", "")
        author = people.signed(asked.get("author", ""))
        queries = "queries" in asked and bool(author)
        if "now" in asked:
            number, reviews = review_acts.of_query(collection, query)
        elif str(newest := review_acts.newest()) == asked.get("after") and not queries:
            return None
        else:
            number, reviews = review_acts.of_query_until(collection, query, newest)
        answer = _in_words(collection, query, author, number, reviews)
        if queries:
            answer["judged"] = review_acts.judged_queries(collection, author)
        return answer
    except DataError:
        return None  # the screen says why reviews cannot be read


def planned(params: Mapping[str, Sequence[str]]) -> dict[str, Any] | None:
    """What to judge next between the two versions of an address: `certain`, a sentence on what is
    decided already or an empty text, and `results`, query and item of each in order, without those
    that the `author` among the parameters has judged; `doubtful`: they are labels that may be
    wrong; `sample`: id, title and number of results left of an open review that has drawn some,
    which are judged on its own page, or null. None where nothing can be compared."""
    view, problems = address.view_of({key: of for key, of in params.items() if key != "author"})
    if view is None or problems or view.baseline == view.candidate or not view.candidate:
        return None
    try:
        found = plan(experiment_of(view), view.baseline, view.candidate, view.metric)
        author = people.signed(params.get("author", [""])[-1])
        done = review_acts.judged_results(view.collection, author) if author else frozenset()
        pair = (view.baseline, view.candidate)
        sampled = left_of_sample(collections.opened(view.collection), pair, author)
    except (DataError, ValueError):
        return None
    results = [[query, item] for query, item in found.results if (query, item) not in done]
    return {
        "certain": shown(found.certain, 300),
        "results": results,
        "doubtful": found.doubtful,
        "sample": sampled and [sampled[0].id, shown(sampled[0].title), len(sampled[1])],
    }


def keywords_of(params: Mapping[str, Sequence[str]]) -> dict[str, Any] | None:
    """The keywords of the item `of_item` among the parameters, or else of the query of an address,
    and what reviewers say of them; None where there are none to correct.

    rows: group, its title, keyword, the words of the query, whether it is given, the value that the
    `author` says, and all reviewers in words. offered: group, title and all keywords of each.
    """
    view, problems = address.view_of({key: of for key, of in params.items() if key not in _OWN})
    if view is None or problems:
        return None
    author = people.signed(params.get("author", [""])[-1])
    try:
        item = params.get("of_item", [""])[-1]
        found = review_acts.keywords_to_correct(experiment_of(view), view.query, item)
    except (DataError, ValueError):
        return None
    if found is None:
        return None
    return {
        "rows": [
            [
                *(row.group, group_name(row.group), row.keyword, row.words, row.given),
                dict(row.reviews).get(author, ""),
                [[shown(name), keyword_in_words(value)] for name, value in row.reviews],
            ]
            for row in found.keywords
        ],
        "offered": [[group, group_name(group), of] for group, of in found.offered.items()],
    }


def _in_words(
    collection: str, query: str, author: str, number: int, reviews: list[dict[str, str]]
) -> dict[str, Any]:
    """signed: the name that a login vouches for, whatever was typed; empty: nobody checks names.
    about: the names of the query; number: up to which reviews are told; items: for each item
    what `verdicts_by_item` tells; own: the author's value, cause and note for each item;
    preferences: those of the author, as run, against and value; ratings: list and value."""
    verdicts = [review for review in reviews if review["kind"] == "verdict"]
    mine = [review for review in reviews if review["author"] == author]
    return {
        "signed": people.actor().name if people.actor().checked else "",
        "about": [collection, query],
        "number": number,
        "items": verdicts_by_item(verdicts),
        "own": {
            review["item_id"]: [review["value"], review["cause"], review["note"]]
            for review in mine
            if review["kind"] == "verdict"
        },
        "ratings": [
            [review["list_id"], review["value"]] for review in mine if review["kind"] == "rating"
        ],
        "preferences": [
            [review["run"], review["against"], review["value"]]
            for review in mine
            if review["kind"] == "preference"
        ],
    }
