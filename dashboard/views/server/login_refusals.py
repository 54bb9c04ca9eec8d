"""Says that a login did not work, where Streamlit leads back to the page without a word."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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


class LoginRefusals:
    """Leaves a cookie for the page to log in where the login service's answer logs nobody in, and
    answers in a sentence where the login service cannot be reached."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = path_of(scope) if scope["type"] == "http" else ""
        unreachable = False

        async def pass_on(message: Message) -> None:
            nonlocal unreachable
            if message["type"] == "http.response.start":
                if path == _BEGIN and message["status"] >= 400:
                    unreachable = True
                    await PlainTextResponse(UNREACHABLE, 503)(scope, receive, send)
                if path == _BACK and not _logs_in(message):
                    mark = f"{COOKIE}=refused; Path=/; Max-Age={_SEEN}; HttpOnly; SameSite=Lax"
                    MutableHeaders(raw=message["headers"]).append("set-cookie", mark)
            if not unreachable:
                await send(message)

        own = path in (_BEGIN, _BACK)
        await self.app(scope, receive, pass_on if own else send)


def _logs_in(start: Message) -> bool:
    """Whether an answer sets the cookie of a login, and does not merely take it away."""
    cookies = MutableHeaders(raw=start["headers"]).getlist("set-cookie")
    mine = [each.removeprefix(_USER) for each in cookies if each.startswith(_USER)]
    return any(each.partition(";")[0].strip('"') for each in mine)
