"""Adds to the head of every page a style that reserves room for what is drawn later, the address
that the app is served at, what works on every page, and what chat programs show of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.views import layout
from dashboard.views.address import PAGES
from dashboard.views.cards import assets
from dashboard.views.charts import verdict
from dashboard.views.server import link_preview
from dashboard.views.server.base_path import SCRIPT, asks_for_a_page, own_address, path_of

_END_OF_HEAD = b"</head>"
STYLE = (
    Path(__file__).with_name("page_head.css").read_text(encoding="utf-8")
    + verdict.STYLE
    + layout.rules()
)


class PageHead:
    """Puts style, address, modules and preview into the head of every page that is served; all else
    passes untouched.

    own: first parts of the paths of pages that are whole as they are.
    """

    def __init__(self, app: ASGIApp, own: Sequence[str] = ()) -> None:
        self.app, self.own = app, frozenset(own)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        own = scope["type"] == "http" and path_of(scope).partition("/")[0] in self.own
        if own or not (asks_for_a_page(scope) or _is_for_a_preview(scope)):
            await self.app(scope, receive, send)
            return
        left_out = (b"accept-encoding", b"range")
        headers = [each for each in scope["headers"] if each[0] not in left_out]
        is_screen = own_address() and path_of(scope) in PAGES
        tags = await run_in_threadpool(link_preview.tags, scope) if is_screen else ""
        await self.app({**scope, "headers": headers}, receive, _Page(send, tags).pass_on)


class _Page:
    """One answer: held back until it is whole where it is a page, else passed on at once."""

    def __init__(self, send: Send, tags: str) -> None:
        self.send = send
        self.tags = tags
        self.start: Message | None = None
        self.body = b""

    async def pass_on(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_page(message):
            self.start = message
        elif self.start is None:
            await self.send(message)
        else:
            self.body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._finish(self.start)

    async def _finish(self, start: Message) -> None:
        script = f"{self.tags}{SCRIPT}{assets.of_every_page()}"
        more = f"{script}<style>{STYLE}</style>".encode()
        page = self.body.replace(_END_OF_HEAD, more + _END_OF_HEAD, 1)
        headers = MutableHeaders(raw=start["headers"])
        headers["content-length"] = str(len(page))
        for stamp in ("etag", "last-modified"):  # they know nothing of the style
            del headers[stamp]
        await self.send(start)
        await self.send({"type": "http.response.body", "body": page})


def _is_for_a_preview(scope: Scope) -> bool:
    """Whether a screen is asked for by a program that takes anything, as those of chats do."""
    if scope["type"] != "http" or scope["method"] != "GET" or path_of(scope) not in PAGES:
        return False
    return b"*/*" in dict(scope["headers"]).get(b"accept", b"*/*")


def _is_page(start: Message) -> bool:
    headers = MutableHeaders(raw=start["headers"])
    plain = "content-encoding" not in headers and "content-range" not in headers
    is_html = headers.get("content-type", "").startswith("text/html")
    return start["status"] == 200 and is_html and plain
