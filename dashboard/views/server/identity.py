"""Who asks: nobody checks (on this machine), a login (OIDC, `[auth]` in secrets.toml), or a proxy
that logs in and says who it was in a header, which counts only from addresses that are named.

Whoever is in no role is answered nothing but the page to log in.
"""

from __future__ import annotations

import ipaddress
import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from http.cookies import SimpleCookie
from typing import Any

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import auth_util, config
from streamlit.web.server.starlette import starlette_websocket

from dashboard.experiment.reviews import people, share_links
from dashboard.experiment.reviews.people import ANYBODY, NOBODY, PROXY, Actor
from dashboard.tables import DataError
from dashboard.views.server.base_path import path_of
from dashboard.views.server.share_page import COOKIE

HEADER, PROXIES, WRITING = "DASHBOARD_USER_HEADER", "DASHBOARD_PROXIES", "DASHBOARD_REVIEWING"
"""Name the variables: the header with the name of who logged in, the addresses of the proxies that
may send it, and `off` where nobody may save reviews."""
FORWARDED = "FORWARDED_ALLOW_IPS"
"""The server's own variable: proxies in whose place it puts whom they name; it has to be empty, so
that who is at the other end of a connection is no matter of a header."""
_NAMES = ("email", "preferred_username", "sub")
"""The claims of a login that name a person; the first that there is counts."""
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
Networks = tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]


def problem_at_start() -> str:
    """Why the server may not start as it is set up, in a sentence; empty where it may."""
    header, login = _header(), bool(_login())
    try:
        proxies = _proxies(os.environ.get(PROXIES, ""))
        people.read_roles()
    except (ValueError, DataError) as problem:
        return str(problem)
    if header and not proxies:
        return f"{HEADER} is believed from anybody: name the proxies' addresses in {PROXIES}."
    if any(network.prefixlen == 0 for network in proxies):
        return f"{PROXIES} names every address: anybody could say who they are. Name the proxies."
    if proxies and not header:
        return f"{PROXIES} names proxies, but no header says who logged in: set {HEADER}."
    if header and os.environ.get(FORWARDED, "127.0.0.1"):
        return (
            f"The server hides the addresses of some proxies: start it with {FORWARDED}= (empty)."
        )
    if header and login:
        return f"Both {HEADER} and [auth] say who it is. Leave one of them out."
    if config.get_option("server.trustedUserHeaders"):
        return f"server.trustedUserHeaders is believed from anybody. Use {HEADER} and {PROXIES}."
    if login and not auth_util.is_authlib_installed():
        return "[auth] of secrets.toml needs Authlib: pip install -r requirements.txt"
    if login and not _login().get("cookie_secret"):
        return "[auth] of secrets.toml has no cookie_secret: anybody could sign in as anybody."
    address = config.get_option("server.address") or "every address"
    if not (header or login or address in _LOOPBACK or _only_reading()):
        return (
            f"The dashboard would listen on {address}, and whoever reaches it could save reviews "
            f"under any name. Set up a login ([auth] of secrets.toml) or {HEADER} with {PROXIES}, "
            f"or set {WRITING}=off; or leave --server.address out."
        )
    return ""


def identify() -> Actor:
    """Who acts on a page, by its live connection."""
    if _header():
        who = _named_by_header(st.context.headers.get(_header()))
    elif _login():
        who = _logged_in(st.user.to_dict()) if st.user.get("is_logged_in") else NOBODY
    else:
        return Actor("", "viewer") if _only_reading() else ANYBODY
    return who if who.role != "nobody" else _guest(st.context.cookies) or who


def is_set_up() -> bool:
    """Whether a login or a proxy says who it is."""
    return bool(_header() or _login())


class Identity:
    """Lets the app's own routes know who asks, takes the header away that others than the proxies
    send, and answers nobody's request for data with status 401.

    routes: first parts of the paths that need a role; of_review: those of them that a guest who may
    see one review only is answered, too.
    """

    def __init__(
        self, app: ASGIApp, routes: tuple[str, ...], of_review: tuple[str, ...] = ()
    ) -> None:
        self.app, self.routes, self.of_review = app, frozenset(routes), frozenset(of_review)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        if _header() and not _from_proxy(scope):
            scope = {**scope, "headers": list(scope["headers"])}
            headers = MutableHeaders(scope=scope)
            del headers[_header()]  # however often it is there
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        sent = Headers(scope=scope)
        visits = COOKIE in sent.get("cookie", "")  # who it is stands in the store
        who = await run_in_threadpool(_asking, sent) if visits else _asking(sent)
        route = path_of(scope).partition("/")[0]
        if who.role == "nobody" and route in self.routes:
            await PlainTextResponse("Log in first.\n", 401)(scope, receive, send)
            return
        if who.review and route in self.routes - self.of_review:
            await PlainTextResponse("Your link is for one review.\n", 403)(scope, receive, send)
            return
        with people.acting(who):
            await self.app(scope, receive, send)


def _asking(headers: Headers) -> Actor:
    """Who sends a request."""
    if _header():
        who = _named_by_header(headers.get(_header()))
    elif _login():
        who = _logged_in(_cookie(headers))
    else:
        return Actor("", "viewer") if _only_reading() else ANYBODY
    return who if who.role != "nobody" else _guest(_cookies(headers)) or who


def _guest(cookies: Mapping[str, str]) -> Actor | None:
    """Who came by a share link; None where nobody did, or the link is no longer good."""
    visitor = cookies.get(COOKIE, "")
    try:
        who = share_links.guest(visitor) if visitor else None
    except DataError as problem:  # nobody can say whether the link is still good
        logging.getLogger(__name__).warning("A guest was not let in: %s", problem)
        return None
    return replace(who, role="viewer") if who and _only_reading() else who


def _named_by_header(name: str | None) -> Actor:
    return replace(_with_role((name or "").strip(), {}), by=PROXY)


def _logged_in(claims: Mapping[str, Any]) -> Actor:
    name = next((str(claims[key]) for key in _NAMES if claims.get(key)), "")
    return _with_role(name, claims)


def _with_role(name: str, claims: Mapping[str, Any]) -> Actor:
    if not name or f"{name} ".casefold().startswith(f"{share_links.GUEST} "):  # of share links
        return NOBODY
    try:
        return people.read_roles().actor(name, claims)
    except DataError:  # the list was good at the start: until it is again, nobody has a role
        return Actor(name, "nobody", checked=True)


def _cookie(headers: Headers) -> Mapping[str, Any]:
    """What the signed cookie of a login holds, as the live connection reads it; else nothing."""
    cookies = _cookies(headers)
    decoded = starlette_websocket._get_signed_cookie_with_chunks(cookies, "_streamlit_user")
    if decoded is None:
        return {}
    origin = f"{headers.get('x-forwarded-proto', 'http')}://{headers.get('host', '')}"
    origin = headers.get("origin") or origin
    return starlette_websocket._parse_decoded_user_cookie(decoded, origin)


def _cookies(headers: Headers) -> dict[str, str]:
    sent = SimpleCookie(headers.get("cookie", ""))
    return {name: morsel.value for name, morsel in sent.items()}


def _from_proxy(scope: Scope) -> bool:
    """Whether the other end of the connection is one of the named proxies."""
    try:
        peer = ipaddress.ip_address((scope.get("client") or ("",))[0])
    except ValueError:
        return False
    return any(peer in network for network in _proxies(os.environ.get(PROXIES, "")))


@cache
def _proxies(named: str) -> Networks:
    """Raises ValueError for what is no address."""
    try:
        return tuple(ipaddress.ip_network(each) for each in named.replace(",", " ").split())
    except ValueError as problem:
        raise ValueError(f"{PROXIES}: {problem}; write addresses such as 10.0.0.5") from None


def _header() -> str:
    return os.environ.get(HEADER, "").strip()


@cache
def _login() -> Mapping[str, Any]:
    """The settings of the login; empty where there is none."""
    return auth_util.get_secrets_auth_section()


def _only_reading() -> bool:
    return os.environ.get(WRITING, "").strip().lower() == "off"
