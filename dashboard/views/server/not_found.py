"""Addresses that are no screen: a page that says so and leads to those that are."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from starlette.datastructures import MutableHeaders
from starlette.responses import HTMLResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.views.address import PAGES
from dashboard.views.server.base_path import asks_for_a_page, path_of
from dashboard.views.texts import shown

FIRST = PAGES[""].lower()
"""The first screen, at the root, is also asked for by its name."""
STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 "Source Sans",sans-serif;max-width:42rem;margin:15vh auto 0;padding:0 1rem;
background:#fff;color:#0e151d;overflow-wrap:anywhere}
h1{font-size:1.6rem;margin:0 0 .5rem}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin-top:1rem}
a{color:#1f5fbf;padding:.4rem 0}
@media (prefers-color-scheme:dark){body{background:#0f141b;color:#e8edf4}a{color:#7fb2ff}}
"""


class NoSuchPage:
    """Answers with status 404 and links where Streamlit would draw the first screen, or nothing,
    for an address that is no screen; a screen's address with a slash behind it leads to it.

    Files, media, the live connection and what is below the app's own routes pass untouched.

    routes: first parts of their paths.
    """

    def __init__(self, app: ASGIApp, routes: Sequence[str]) -> None:
        self.app, self.routes = app, frozenset(routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not asks_for_a_page(scope) or path_of(scope).partition("/")[0] in self.routes:
            await self.app(scope, receive, send)
            return
        path, query = path_of(scope), scope["query_string"].decode("latin-1")
        name = path.strip("/").lower()
        if path in PAGES:
            await self.app(scope, receive, send)
        elif name in PAGES or name == FIRST:
            screen = f"{_up(path)}{'' if name == FIRST else name}"
            there = f"{screen}?{query}" if query else screen
            await RedirectResponse(there, status_code=307)(scope, receive, send)
        else:
            await _Answer(scope, receive, send, page(path, query)).instead_of(self.app)


class _Answer:
    """A page that takes the place of the app's own, where the app answers with one."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, html: str) -> None:
        self.scope, self.receive, self.send = scope, receive, send
        self.response = HTMLResponse(html, status_code=404)
        self.taken = False

    async def instead_of(self, app: ASGIApp) -> None:
        await app(self.scope, self.receive, self._pass_on)

    async def _pass_on(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_page(message):
            self.taken = True
            await self.response(self.scope, self.receive, self.send)
        elif not self.taken:
            await self.send(message)


def page(path: str, query: str = "") -> str:
    """What is shown for a path that is no screen: a sentence, and links that keep the query."""
    behind = escape(f"?{query}") if query else ""
    links = "".join(
        f'<a href="{_up(path)}{name}{behind}">{escape(title)}</a>' for name, title in PAGES.items()
    )
    named = escape(shown(path, 80))
    said = "<p>The address may be mistyped, or cut off. These are the screens:</p>"
    heading = f"There is no page “{named}” here"
    return plain_page("No such page", heading, f"{said}<nav>{links}</nav>")


def plain_page(title: str, heading: str, below: str) -> str:
    """A page outside of the app: all three are HTML already."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style></head><body><main>"
        f"<h1>{heading}</h1>{below}</main></body></html>"
    )


def _up(path: str) -> str:
    """The way from a path to the place where the app stands.

    >>> _up("compare"), _up("compare/"), _up("a/b/c")
    ('./', '../', '../../')
    """
    return "../" * path.count("/") or "./"


def _is_page(start: Message) -> bool:
    headers = MutableHeaders(raw=list(start["headers"]))
    return start["status"] == 200 and headers.get("content-type", "").startswith("text/html")
