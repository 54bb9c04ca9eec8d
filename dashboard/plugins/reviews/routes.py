"""Routes by which a page saves rows and takes them back. A row is acknowledged after its commit."""

import json
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from dashboard.errors import ChoiceError, DataError
from dashboard.plugins.reviews.verdicts import (
    DECISION,
    VERDICT,
    Verdict,
    check_text,
    clean_name,
    keep_last,
    list_history,
    save_verdict,
    undo_last,
)
from dashboard.storage.collection import Collection, open_named
from dashboard.storage.settings import list_collections
from dashboard.views.people import OWNER, REVIEWER, Person, find_person

MAX_BODY_BYTES = 1_000_000
MAX_ROWS = 100
"""Rows of a request."""
FIELDS = ("kind", "query_id", "item_id", "value", "cause", "note", "list_id", "run", "against")
Body = dict[str, Any]
Act = Callable[[Collection, Body, Person], Body]


async def _answer(act: Act, request: Request) -> JSONResponse:
    """Act on a request of a page of ours; 503 if the store cannot be used now."""
    person, refused = find_person(request.headers), 403
    try:
        person.require(REVIEWER)
        # browsers say so themselves on secure connections; else the page's host must be asked
        names = ("sec-fetch-site", "origin", "host")
        site, origin, host = (request.headers.get(name, "") for name in names)
        if not (site == "same-origin" if site else origin.partition("://")[2] == host != ""):
            raise ChoiceError("Reviews are saved from pages of this dashboard only.")
        refused = 400
        body = await _read_body(request)
        return JSONResponse(await anyio.to_thread.run_sync(_act, act, body, person))
    except ChoiceError as error:
        return JSONResponse({"said": str(error)}, refused)
    except DataError as error:
        return JSONResponse({"said": str(error)}, 503)


async def _read_body(request: Request) -> Body:
    """Return the JSON object that a request holds; raise ChoiceError if it holds none."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind != "application/json":
        raise ChoiceError(f"The request holds {kind[:80]!r}, not application/json.")
    content = bytearray()
    async for part in request.stream():
        content += part
        if len(content) > MAX_BODY_BYTES:
            raise ChoiceError(f"The request has more than {MAX_BODY_BYTES:,} bytes.")
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise ChoiceError("The request is not a JSON object.")
    return body


def _act(act: Act, body: Body, person: Person) -> Body:
    name = body.get("collection")
    author = body.get("author")
    if name not in list_collections():
        raise ChoiceError(f"There is no collection {str(name)[:80]!r}.")
    if not isinstance(author, str) or not clean_name(author):
        raise ChoiceError("Enter your name.")
    author = clean_name(author)
    check_text("author", author)
    if person.is_verified and author != clean_name(person.name):
        raise ChoiceError(f"You are logged in as {person.name}, not as {author[:80]}.")
    return act(open_named(name), body | {"author": author}, person)


def _save_rows(collection: Collection, body: Body, person: Person) -> Body:
    """Save rows in their order; return the number of each, or why it is refused."""
    rows = body.get("rows")
    if not isinstance(rows, list) or len(rows) > MAX_ROWS:
        raise ChoiceError(f"rows must be a list of at most {MAX_ROWS} rows.")
    saved = []
    refused = []
    for row in rows:
        once = row.get("once") if isinstance(row, dict) else None
        try:
            made = _read_row(row, body["author"])
            decides = made.kind == DECISION
            person.require(OWNER if decides else REVIEWER)
            number = save_verdict(collection, made, row["once"], is_first=decides)
            saved.append({"once": once, "number": number})
        except ChoiceError as error:
            # a text of JSON may have half a letter
            once = once.encode(errors="replace").decode() if isinstance(once, str) else ""
            refused.append({"once": once, "said": str(error)})
    return {"saved": saved, "refused": refused}


def _read_row(row: Any, author: str) -> Verdict:
    """Return a row of a request; raise ChoiceError if it is none."""
    if not isinstance(row, dict) or not row.get("once"):
        raise ChoiceError("A row is an object with an id, once.")
    values = {name: row.get(name, "") for name in FIELDS}
    odd = [name for name, value in (values | row).items() if not isinstance(value, str)]
    if odd:
        raise ChoiceError(f"A row holds texts; {odd[0][:40]!r} is none.")
    return Verdict(author=author, **values | {"kind": values["kind"] or VERDICT})


def _take_back(collection: Collection, body: Body, person: Person) -> Body:
    """Take back what a person said last in a view; return it, and what counts again."""
    view = _read_row({name: body.get(name, "") for name in ("once", "kind", "list_id")}, "")
    try:  # refused in an answer of its own: the browser does not send the step again
        person.require(OWNER if view.kind == DECISION else REVIEWER)
        taken = undo_last(collection.folder, body["author"], body["once"], view.kind, view.list_id)
    except ChoiceError as error:
        return {"said": str(error)}
    if not taken:
        return {}
    pair = {name: getattr(taken, name) for name in ("kind", "query_id", "item_id", "author")}
    left = keep_last(list_history(taken.collection, **pair))
    return {"taken": asdict(taken), "now": asdict(left[-1]) if left else None}


ROUTES = tuple(
    Route(f"/reviews/{name}", partial(_answer, act), methods=["POST"])
    for name, act in {"verdicts": _save_rows, "undo": _take_back}.items()
)
