"""Who may ask: only pages that were opened under a name of this dashboard, and none in a frame.

There is no login. A page of another site could let its own name lead to this machine and read all
answers as its own (DNS rebinding), or lay an invisible frame over a button.
"""

from __future__ import annotations

import ipaddress
import os
import re
import socket
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config

from dashboard.views.server.base_path import own_address

HOSTS = "DASHBOARD_HOSTS"
"""Names the variable with further hosts that may ask, with blanks or commas between them."""
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]{2,}\]|[A-Za-z0-9._-]+)(:[0-9]{0,5})?")
_FRAMED_BY = "frame-ancestors 'none'"
_HEADERS = {"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff"}


class AllowedHosts:
    """Refuses requests under a strange `Host`; of pages from elsewhere, live connections and what
    is to be saved. Every answer says that it may not be framed and that its type is what it
    says."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def closed(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                _close(MutableHeaders(scope=message))
            await send(message)

        refusal = _refusal(scope) if scope["type"] in ("http", "websocket") else ""
        if not refusal:
            await self.app(scope, receive, closed)
        elif scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {}):
            await PlainTextResponse(refusal, 403)(scope, receive, closed)
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": "a strange host"})


def _close(headers: MutableHeaders) -> None:
    for name, value in _HEADERS.items():
        headers.setdefault(name, value)
    policy = headers.get("Content-Security-Policy")
    if policy is None or "frame-ancestors" not in policy:
        headers["Content-Security-Policy"] = f"{policy}; {_FRAMED_BY}" if policy else _FRAMED_BY


def _refusal(scope: Scope) -> str:
    """Why a request is refused, for whoever reads it in a browser; empty where it is not."""
    headers = Headers(scope=scope)
    named = headers.getlist("host")
    host = named[0] if len(named) == 1 else ""
    if not _may_ask(host, scope):
        shown = host[:100] if _HOST.fullmatch(host) else "(no host)"
        return (
            f"This dashboard does not answer under the name {shown}. Open it under its own "
            f"address, or let whoever runs it add the name to {HOSTS} "
            "(README, “Who may connect”).\n"
        )
    if scope["type"] == "websocket" and not _is_own(headers.get("origin"), host):
        return "This dashboard takes no live connection of a page from elsewhere.\n"
    reads = scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS")
    if not reads and not _is_own(headers.get("origin"), host):
        return "This dashboard saves nothing that a page from elsewhere sends.\n"
    return ""


def _may_ask(host: str, scope: Scope) -> bool:
    """Whether a request may name this host: the machine itself, the address on which the request
    came in, what the server was told to listen at, and what the operator added."""
    match = _HOST.fullmatch(host)
    if match is None:
        return False
    name = _plain(match[1])
    if name == "localhost" or _is_loopback(name):
        return True
    server = scope.get("server") or ("", None)
    told = (config.get_option("server.address"), config.get_option("browser.serverAddress"))
    names = (server[0], *told, socket.gethostname(), urlsplit(own_address()).hostname)
    own = {_plain(str(each)) for each in names if each}
    added = [_plain(each) for each in re.split(r"[\s,]+", os.environ.get(HOSTS, "")) if each]
    return name in own or any(_fits(name, each) for each in added)


def _fits(name: str, pattern: str) -> bool:
    """Whether a host is the one named, or below it where it is named as `*.example.org`."""
    return name == pattern or (pattern.startswith("*.") and name.endswith(pattern[1:]))


def _plain(host: str) -> str:
    """A host in one spelling, without the brackets of an IPv6 address and without a port."""
    name = host.strip().lower().rstrip(".")
    match = _HOST.fullmatch(name)
    bare = (match[1] if match else name).strip("[]")
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        return bare
    return str(getattr(address, "ipv4_mapped", None) or address)


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _is_own(origin: str | None, host: str) -> bool:
    """Whether a live connection comes from a page of this dashboard, or from no browser at all."""
    if origin is None or not config.get_option("server.enableCORS"):
        return True
    allowed = [each.strip() for each in config.get_option("server.corsAllowedOrigins")]
    try:
        return origin in allowed or urlsplit(origin).netloc == host
    except ValueError:
        return False
