"""Where the app is served: at the root of a host, below `server.baseUrlPath`, or where a proxy puts
it, in whose place the browser alone knows the whole address."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Sequence
from functools import cache

from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config

SCRIPT = """<script>
window.__streamlit = { BACKEND_BASE_URL: new URL(".", location.href).href };
</script>"""
"""For the head of every page. Every screen stands right below the app; without this, Streamlit asks
for its server below the screen first, as in /compare/_stcore/health, and the browser complains."""


ADDRESS = "DASHBOARD_ADDRESS"
"""Names the variable with the whole address under which readers open the app."""
_WHOLE = re.compile(r"https?://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?(/[\w./~%-]*)?")


def own_address() -> str:
    """The whole address of the app without a slash at its end; empty where it was not given."""
    return _checked(os.environ.get(ADDRESS, "").strip())


@cache
def _checked(address: str) -> str:
    if address and not _WHOLE.fullmatch(address):
        logging.getLogger(__name__).warning(
            "%s is %r, which is no address; write one such as https://search.example.org/quality. "
            "Links have no preview until then.",
            ADDRESS,
            address,
        )
        return ""
    return address.rstrip("/")


class BelowBase:
    """Answers the app's own routes below `server.baseUrlPath`, too, where Streamlit's stand.

    routes: first parts of their paths.
    """

    def __init__(self, app: ASGIApp, routes: Sequence[str]) -> None:
        self.app, self.routes = app, frozenset(routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        base = f"/{config.get_option('server.baseUrlPath').strip('/')}/"
        if scope["type"] == "http" and base != "//" and scope["path"].startswith(base):
            below = scope["path"].removeprefix(base)
            if below.partition("/")[0] in self.routes:
                scope = {**scope, "path": f"/{below}"}
        await self.app(scope, receive, send)


def asks_for_a_page(scope: Scope) -> bool:
    """Whether a browser asks for something to show in its window."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return False
    return b"text/html" in dict(scope["headers"]).get(b"accept", b"")


def path_of(scope: Scope) -> str:
    """The path that is asked for below the place where the app stands; a screen's is a key of
    `address.PAGES`."""
    base = f"/{str(config.get_option('server.baseUrlPath')).strip('/')}".rstrip("/")
    return str(scope["path"]).removeprefix(base).removeprefix("/")
