"""The page that a share link leads to: it exchanges the secret for a visit, which a cookie names,
and goes on to the collection or the review. No address, log or Referer ever holds the secret."""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from dashboard.experiment.reviews import share_links
from dashboard.tables import DataError
from dashboard.views.server.json_messages import body_of, refused
from dashboard.views.server.not_found import STYLE, plain_page
from dashboard.views.texts import shown

COOKIE = "dashboard_guest"
LONGEST = 1_000
"""Bytes of a message."""
_SCRIPT = Path(__file__).with_name("share.js").read_text(encoding="utf-8")
_BODY = f"<p>One moment …</p><script>{_SCRIPT}</script>"


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex",
    "Content-Security-Policy": f"default-src 'none'; script-src {_digest(_SCRIPT)}; "
    f"style-src {_digest(STYLE)}; connect-src 'self'; frame-ancestors 'none'",
}


def routes() -> list[Route]:
    """The route `/share`, for `st.App(routes=…)`: 404 where no login is set up."""
    turns = CapacityLimiter(2)

    async def page(request: Request) -> Response:
        if not share_links.possible():
            return Response("There are no share links here: no login is set up.\n", 404)
        html = plain_page("Share link", "Share link", _BODY)
        return HTMLResponse(html, headers=_HEADERS)

    async def exchange(request: Request) -> Response:
        no_json, unknown = "A share link comes as JSON.", share_links.UNKNOWN
        body = await body_of(request, LONGEST, _HEADERS, not_json=no_json, too_long=unknown)
        if isinstance(body, Response):
            return body
        before = request.cookies.get(COOKIE, "")
        try:
            secret = json.loads(body)["secret"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return refused(400, unknown, _HEADERS)
        try:
            link, visitor = await anyio.to_thread.run_sync(
                share_links.open_link, str(secret), before, limiter=turns
            )
        except DataError as problem:
            return refused(503, shown(str(problem), 300), _HEADERS)
        except ValueError as problem:
            return refused(403, str(problem), _HEADERS)
        answer = JSONResponse({"to": _leads_to(link)}, headers=_HEADERS)
        secure = request.headers.get("x-forwarded-proto", request.url.scheme) == "https"
        answer.set_cookie(
            COOKIE,
            visitor,
            max_age=_seconds_until(link.until),
            httponly=True,
            samesite="lax",
            secure=secure,
        )
        return answer

    return [
        Route(f"/{share_links.PAGE}", page, name=share_links.PAGE),
        Route(f"/{share_links.PAGE}", exchange, methods=["POST"], name="share-exchanged"),
    ]


def _leads_to(link: share_links.ShareLink) -> str:
    if link.review:
        return f"reviews?{urlencode({'review': link.review})}"
    return f"./?{urlencode({'collection': link.collection})}"


def _seconds_until(moment: str) -> int:
    left = datetime.fromisoformat(moment) - datetime.now(UTC)
    return max(1, int(left.total_seconds()))
