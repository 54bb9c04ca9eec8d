"""Identify people by Streamlit's login (OIDC, [auth] of secrets.toml) or a header of a proxy.

The file that DASHBOARD_ROLES names gives them their roles.
"""

import ipaddress
import logging
import os
import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request, cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import auth_util, config
from streamlit.web.server.starlette import starlette_websocket

from dashboard.errors import DataError, Findings
from dashboard.storage.settings import read_settings
from dashboard.texts import require_file
from dashboard.views.people import NOBODY, OWNER, READER, REVIEWER, Person

HEADER, PROXIES, REVIEWING, FORWARDED = (
    "DASHBOARD_USER_HEADER",
    "DASHBOARD_PROXIES",
    "DASHBOARD_REVIEWING",
    "FORWARDED_ALLOW_IPS",
)
"""The header with the name, the addresses that may send it, `off` where nobody may judge, and the
server's own variable, by which it takes the address of a connection from a header."""
OPEN_PATHS = re.compile(
    r"/(?:[\w-]*/?|(?!files/|media/|reviews/)(?:[\w-]+/)?_stcore/(?!upload_file|agent).*"
    r"|(?:static|auth|component)/.*|favicon[\w.]*)"
)
"""What a page needs before somebody has logged in; it holds nothing of a collection. A page looks
for the server below its own address, too: /query/_stcore/health."""
VARIABLE = "DASHBOARD_ROLES"
ROLE_KEYS = {OWNER: (OWNER, "admin", "curator"), REVIEWER: (REVIEWER,), READER: (READER, "viewer")}
"""Roles, the highest first, with their keys in the file: those of the first edition, too."""
GOAL = "dashboard_login_from"
GOAL_SECONDS = 900
MAX_GOAL = 3_000
"""Cookie with the address at which a login began, how long it may take, and its characters."""
ADDRESS = re.compile(r"(?:/[\w.~%-]+)*/?(?:\?[!-~]*)?", re.ASCII)
_LOG = logging.getLogger(__name__)


class Login:
    """Middleware that answers only who has a role, and leads back to where a login began."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        header = _look_up(HEADER)
        if header and scope["type"] in ("http", "websocket") and not _is_proxy(scope):
            del MutableHeaders(scope=scope)[header]
        answer = self.app
        is_closed = scope["type"] == "http" and _needs_role(scope)
        if is_closed and self.find_person(Headers(scope=scope)).role == NOBODY:
            answer = PlainTextResponse("Log in first.\n", 401)
        await answer(scope, receive, _lead_back(scope, send))

    @staticmethod
    def find_person(headers: Mapping[str, str]) -> Person:
        """Return who sent the headers of a request or of a page's connection."""
        try:
            person = _identify(headers)
        except DataError as error:  # a file of roles that cannot be read gives nobody a role
            _LOG.warning("%s", error)
            return Person(role=NOBODY, why=str(error))
        if _look_up(REVIEWING).lower() == "off" and person.role != NOBODY:
            why = f"Nobody can save reviews here: {REVIEWING} is off."
            return person._replace(role=READER, why=why)
        return person


def _look_up(variable: str) -> str:
    return os.environ.get(variable, "").strip()


def _identify(headers: Mapping[str, str]) -> Person:
    header = _look_up(HEADER)
    if header:
        if os.environ.get(FORWARDED, "127.0.0.1"):
            return Person(
                role=NOBODY,
                why=f"Start the dashboard with {FORWARDED}= (empty), so that proxies are known.",
            )
        return find_role(headers.get(header, "").strip(), {})
    if not auth_util.get_secrets_auth_section():  # an owner on this machine, a reader on a network
        address = config.get_option("server.address") or "every address"
        why = f"This dashboard listens on {address} without a login, so nobody can save reviews."
        role = READER
        if _look_up(VARIABLE):
            why, role = f"{VARIABLE} names roles, but no login says who anybody is.", NOBODY
        elif address in ("127.0.0.1", "localhost", "::1"):
            return Person(role=OWNER)
        return Person(role=role, why=f"{why} Set up [auth] in secrets.toml, or {HEADER}.")
    claims = _read_claims(headers)
    address = str(claims.get("email") or "")
    is_verified = str(claims.get("email_verified")).lower() == "true"
    if address and "email_verified" in claims and not is_verified:
        return Person(
            address, NOBODY, why=f"The login service has not verified the address {address}."
        )
    return find_role(address or str(claims.get("sub") or ""), claims, may_match=is_verified)


def _read_claims(headers: Mapping[str, str]) -> Mapping[str, Any]:
    """Return what the signed cookie of Streamlit's login holds; nothing without one."""
    cookies = cookie_parser(headers.get("cookie", ""))
    signed = starlette_websocket._get_signed_cookie_with_chunks(cookies, "_streamlit_user")
    if signed is None:
        return {}
    origin = (
        headers.get("origin")
        or f"{headers.get('x-forwarded-proto') or 'http'}://{headers.get('host', '')}"
    )
    return starlette_websocket._parse_decoded_user_cookie(signed, origin)


def _is_proxy(scope: Scope) -> bool:
    """Return whether the other end of a connection is a proxy that DASHBOARD_PROXIES names."""
    try:
        peer = ipaddress.ip_address((scope.get("client") or ("",))[0])
        named = _look_up(PROXIES).replace(",", " ").split()
        networks = [ipaddress.ip_network(each) for each in named]
    except ValueError as error:
        _LOG.warning("%s: %s; write addresses such as 10.0.0.5", PROXIES, error)
        return False
    return any(peer in network for network in networks if network.prefixlen)


def _needs_role(scope: Scope) -> bool:
    root = str(config.get_option("server.baseUrlPath")).strip("/")
    path = str(scope["path"]).removeprefix(f"/{root}" if root else "")
    return not OPEN_PATHS.fullmatch(path)


def _lead_back(scope: Scope, send: Send) -> Send:
    """Return a `send` that keeps the page at which a login begins, and leads back to it."""
    path = str(scope.get("path", ""))
    is_begin = path.endswith("/auth/login")
    if scope["type"] != "http" or not (is_begin or path.endswith("/oauth2callback")):
        return send
    asked = Request(scope)

    async def lead(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            if is_begin:
                goal = quote(_check_goal(asked.headers.get("referer", "")), safe="")
                life = f"Path=/; Max-Age={GOAL_SECONDS}; HttpOnly; SameSite=Lax"
                headers.append("set-cookie", f"{GOAL}={goal}; {life}")
            elif "location" in headers:
                goal = _check_goal(unquote(asked.cookies.get(GOAL, "")))
                headers["location"] = goal or headers["location"]
        await send(message)

    return lead


def _check_goal(address: str) -> str:
    """Return path and query of an address of this server; "" for anything else."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    goal = f"{parts.path}?{parts.query}" if parts.query else parts.path
    return goal if ADDRESS.fullmatch(goal) and len(goal) <= MAX_GOAL else ""


def find_role(name: str, claims: Mapping[str, Any], may_match: bool = True) -> Person:
    """Return a person with the highest role of the name and of the claim that the file names.

    Who is in no list is a reader, or nobody where the file has a list of readers. Everybody is a
    reader where no file is named; nobody without a name.

    Args:
        name: E-mail address, or what a proxy says.
        claims: What the login service says.
        may_match: Whether the name counts; an address that nobody has verified does not.

    Raises:
        DataError: If the file is missing, or is no list of roles.
    """
    if not name:
        return Person(role=NOBODY)
    findings: Findings = []
    found = {}
    if named := _look_up(VARIABLE):
        path = Path(named)
        require_file(path, path.name, f"the roles that {VARIABLE} names")
        keys = dict.fromkeys(chain(ROLE_KEYS, *ROLE_KEYS.values()), [""])
        found = read_settings(path, {"claim": "", **keys}, findings)
    for each in findings:
        if each.level == "warning":  # a key that is no role
            do = 'Name people by roles, such as owner = ["*@example.org"].'
            raise DataError(each.file, each.found, each.wanted, do=do)
    more = claims.get(found.pop("claim", ""))
    names = [*([name] if may_match else []), *(more if isinstance(more, list) else [more])]
    folded = [each.casefold() for each in names if isinstance(each, str)]
    for role, known in ROLE_KEYS.items():
        patterns = chain(*(found.get(key, ()) for key in known))
        if any(fnmatchcase(each, told.casefold()) for told in patterns for each in folded):
            return Person(name, role, is_verified=True)
    has_readers = not found.keys().isdisjoint(ROLE_KEYS[READER])
    return Person(name, NOBODY if has_readers else READER, is_verified=True)
