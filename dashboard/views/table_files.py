"""Files that a reader takes away from a screen: each is made when its address is asked for, from
that address alone, so that no drawing writes it and a page that is drawn again takes none away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from urllib.parse import parse_qs, quote, urlencode

import anyio.to_thread
import pandas as pd
import streamlit as st
from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from dashboard.tables import DataError
from dashboard.views import address
from dashboard.views.address.choices import View
from dashboard.views.report.exports import TYPES, as_csv, as_json
from dashboard.views.server.not_found import plain_page
from dashboard.views.texts import shown

FILES = "files"
"""The first part of the path of files; behind it stand the file and the address of its screen."""
WRITERS = {"csv": as_csv, "json": as_json}
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
Name = Callable[[View], str]
Table = Callable[[View], pd.DataFrame]


@dataclass(frozen=True)
class _File:
    """name: of a view the name of the saved file. kind: what stands behind its dot. under: the
    protocol that alone has it; empty: all have."""

    name: Name
    kind: str
    under: str
    write: Callable[[View], str]


_FILES: dict[str, _File] = {}


def offer_text(
    key: str, name: Name, write: Callable[[View], str], kind: str, under: str = ""
) -> None:
    """Offer what a function writes of a view under `key`.

    It raises DataError where the view has no such file. name: of a view the name of the file.
    under: the protocol that alone has it; empty: all have.
    """
    _FILES[key] = _File(name, kind, under, write)


def table_file(
    key: str, name: Name | None = None, kinds: Sequence[str] = ("csv",), under: str = ""
) -> Callable[[Table], Table]:
    """Offer the table that a function makes of a view as `key`.csv, and as other kinds.

    name: of a view the name of the file; else that of its collection and the key. The rest is as
    in `offer_text`.
    """

    def offer(table: Table) -> Table:
        named = name or (lambda view: f"{view.collection}-{key}")
        for kind in kinds:
            offer_text(f"{key}.{kind}", named, partial(_written, kind, table), kind, under)
        return table

    return offer


def _written(kind: str, table: Table, view: View) -> str:
    return WRITERS[kind](table(view))


def keys() -> tuple[str, ...]:
    """The files that are offered so far."""
    return tuple(_FILES)


def save_button(view: View, key: str, label: str = "", **changes: str) -> None:
    """A button that saves a file of this view: all digits, nothing for null.

    key: of the file with its kind. label: of a file that is more than the numbers beside it, which
    have a button without a frame. changes: what the view does not say yet.
    """
    params = urlencode(address.link(view, **changes), doseq=True)
    st.link_button(
        label or "Numbers as CSV",
        f"{FILES}/{quote(key)}?{params}",
        icon=":material/download:",
        type="secondary" if label else "tertiary",
        key=f"save-{key}",
    )


def routes(load: Callable[[], object]) -> list[Route]:
    """The route `/files/…`, for `st.App(routes=…)`. Two files are made at a time.

    load: imports all that offers files.
    """
    turns = CapacityLimiter(2)

    async def endpoint(request: Request) -> Response:
        params = parse_qs(request.url.query, keep_blank_values=True)
        key = request.path_params["file"]
        return await anyio.to_thread.run_sync(answer, key, params, load, limiter=turns)

    return [Route(f"/{FILES}/{{file}}", endpoint, name=FILES)]


def answer(
    key: str, params: Mapping[str, Sequence[str]], load: Callable[[], object] = lambda: None
) -> Response:
    """The file of a key and the address of its screen; 404 and sentences where there is none."""
    if key not in _FILES:
        load()
    if key not in _FILES:
        return _refusal([f"Nothing here is called {key}."])
    view, problems = address.view_of(params)
    if view is None or problems:
        return _refusal([problem.sentence for problem in problems])
    file = _FILES[key]
    if file.under not in ("", view.protocol):
        return _refusal([f"{key} is a file of the protocol {file.under}, not of {view.protocol}."])
    try:
        content, name = file.write(view), f"{file.name(view)}.{file.kind}"
    except DataError as problem:
        return _refusal([str(problem)])
    named = f"attachment; filename*=UTF-8''{quote(name, safe='', errors='replace')}"
    kind = TYPES.get(file.kind, "text/plain")
    headers = {**_HEADERS, "Content-Disposition": named}
    return Response(content.encode("utf-8", "replace"), 200, headers, media_type=kind)


def _refusal(sentences: Sequence[str]) -> Response:
    lines = "".join(f"<p>{escape(shown(sentence, 600))}</p>" for sentence in sentences)
    page = plain_page("No file", "There is no such file", lines)
    return HTMLResponse(page, 404, _HEADERS)
