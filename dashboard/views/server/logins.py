"""Leads whoever logs in back to the page where that began, and says so where it did not work:
Streamlit leads to the first page, without a word."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.views.address import PAGES
from dashboard.views.server.base_path import path_of

COOKIE = "dashboard_login"
REFUSED = (
    "The login did not work: the answer of the login service was refused. Log in again. If that "
    "does not help, the log of the dashboard has the reason."
)
UNREACHABLE = "The login service does not answer. Try again in a moment.\n"
_BEGIN, _BACK = "auth/login", "oauth2callback"
_SEEN = 60  # seconds in which the page may say so
_USER = "_streamlit_user="
_GOAL = "dashboard_login_from"
_LONGEST = 3000  # letters of an address that a cookie holds
_PATIENCE = 900  # seconds that a login may take
_ADDRESS = re.compile(r"(?:/[\w.~%-]+)*/(\w*)(?:\?[!-~]*)?", re.ASCII)
_COOKIE = "{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Lax"


class Logins:
    """Remembers in a cookie on which screen a login began and leads back there; leaves another one
    for the page to log in where the login service's answer logs nobody in, and answers in a
    sentence where the login service cannot be reached."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = path_of(scope) if scope["type"] == "http" else ""
        if path not in (_BEGIN, _BACK):
            await self.app(scope, receive, send)
            return
        asked = Request(scope)
        unreachable = False

        async def pass_on(message: Message) -> None:
            nonlocal unreachable
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                if path == _BEGIN and message["status"] >= 400:
                    unreachable = True
                    await PlainTextResponse(UNREACHABLE, 503)(scope, receive, send)
                elif path == _BEGIN:
                    goal = _screen(asked.headers.get("referer", ""))
                    cookie = _COOKIE.format(_GOAL, quote(goal, ""), _PATIENCE if goal else 0)
                    headers.append("set-cookie", cookie)
                else:
                    if not _logs_in(headers):
                        headers.append("set-cookie", _COOKIE.format(COOKIE, "refused", _SEEN))
                    goal = _screen(unquote(asked.cookies.get(_GOAL, "")))
                    if goal and "location" in headers:
                        headers["location"] = goal
            if not unreachable:
                await send(message)

        await self.app(scope, receive, pass_on)


def _screen(address: str) -> str:
    """The path and query of a screen's address, below which the app may stand anywhere; empty for
    any other address, so that a login leads nowhere else."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    goal = f"{parts.path}?{parts.query}" if parts.query else parts.path
    match = _ADDRESS.fullmatch(goal)
    return goal if match and match[1] in PAGES and len(goal) <= _LONGEST else ""


def _logs_in(headers: MutableHeaders) -> bool:
    """Whether an answer sets the cookie of a login, and does not merely take it away."""
    cookies = headers.getlist("set-cookie")
    mine = [each.removeprefix(_USER) for each in cookies if each.startswith(_USER)]
    return any(each.partition(";")[0].strip('"') for each in mine)
