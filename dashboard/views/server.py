"""The server: which requests are answered, headers of every answer, and figures for operators.

`/healthz` says whether the data can be read, `/metrics` has figures; neither holds a name or a text
of a collection, a query or a person.
"""

import os
import re
import socket
import stat
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from hashlib import sha256
from pathlib import Path
from threading import BoundedSemaphore

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config
from streamlit.file_util import get_static_dir

from dashboard.errors import DataError
from dashboard.storage.settings import list_collections

HOSTS = "DASHBOARD_HOSTS"
HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:\d{0,5})?", re.ASCII)
START = """
window.__streamlit = { BACKEND_BASE_URL: new URL(".", document.baseURI).href };
const push = history.pushState.bind(history);
history.pushState = (state, title, address) => {
  const [from, to] = [new URL(location.href), new URL(address, location.href)];
  const [old, next] = [from.searchParams, to.searchParams];
  const isOld = ([key, value]) => old.has(key) ? old.get(key) === value :
    ["collection", "baseline", "candidate"].includes(key);
  const isSame = from.pathname === to.pathname && next.size > old.size && [...next].every(isOld);
  if (isSame) history.replaceState(state, title, address);
  else push(state, title, address);
};
"""
"""Lets a page look for the server beside its own address, and not below it first.

What the server adds to a short address is no step of the browser's Back.
"""
STREAMLIT = (Path(get_static_dir()) / "index.html").read_text(encoding="utf-8")
PAGE = re.sub("(?s)<script>.*?</script>", f"<script>{START}</script>", STREAMLIT, count=1)
"""Streamlit's page with START in place of its mark for crawlers that render pages."""
SCRIPTS = {path.name: path for path in Path(get_static_dir()).glob("static/js/*.js")}
HASH = b64encode(sha256(START.encode()).digest()).decode()
POLICY = (
    f"default-src 'self'; script-src 'self' blob: 'wasm-unsafe-eval' 'sha256-{HASH}'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "media-src 'self' blob:; worker-src 'self' blob:; object-src 'none'; "
    "base-uri 'self'; frame-ancestors 'none'"
)
"""What a page may load: its own files, and components that Streamlit loads from blobs."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
}


def guard(app: ASGIApp) -> ASGIApp:
    """Refuse requests under a foreign host name; add security headers to every answer; count pages.

    Without it a page of another site could point its own name at this machine and read answers
    (DNS rebinding), or lay the dashboard into a frame. Streamlit itself refuses live connections of
    pages from elsewhere.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if scope["type"] == "lifespan" or is_allowed(scope):
            with SESSIONS.track_inprogress() if scope["type"] == "websocket" else nullcontext():
                await (find_script(scope) or app)(scope, receive, send_guarded)
        else:
            shown = re.sub(r"[^\w.:\[\]-]", "?", Headers(scope=scope).get("host", ""))[:100]
            refusal = (
                f"This dashboard does not answer under the name {shown!r}. Open it under its own "
                f"address, or start it with {HOSTS}={shown.partition(':')[0]}\n"
            )
            await PlainTextResponse(refusal, 403)(scope, receive, send_guarded)

    return answer


def find_script(scope: Scope) -> ASGIApp | None:
    """Return a script of the page compressed, which Streamlit sends as it is: 4 MB at first."""
    name = scope.get("path", "").rpartition("/static/js/")[2]
    if scope.get("method") not in ("GET", "HEAD") or name not in SCRIPTS:
        return None
    kept = {"Cache-Control": "public, immutable, max-age=31536000"}
    script = Response(SCRIPTS[name].read_bytes(), headers=kept, media_type="text/javascript")
    return GZipMiddleware(script, compresslevel=1)


def send_page(request: Request) -> HTMLResponse:
    """Answer with the page of any screen."""
    return HTMLResponse(PAGE, headers={"Cache-Control": "no-cache"})


def is_allowed(scope: Scope) -> bool:
    """Return whether a request names a host of this server.

    These are the loopback names, the address that was called, the machine's name, what the server
    was told to listen at, and those of DASHBOARD_HOSTS, such as `search.example.org *.lab.org`.
    """
    named = HOST.fullmatch(Headers(scope=scope).get("host", ""))
    if named is None:
        return False
    host = _normalise(named[1].strip("[]"))
    told = [config.get_option(key) for key in ("server.address", "browser.serverAddress")]
    called = (scope.get("server") or ("",))[0]
    added = re.split(r"[\s,]+", os.environ.get(HOSTS, ""))
    own = ("localhost", "127.0.0.1", "::1", called, socket.gethostname(), *told, *added)
    names = {_normalise(name) for name in own if name}
    parents = tuple(name[1:] for name in names if name.startswith("*."))
    return host in names or bool(parents) and host.endswith(parents)


def _normalise(host: str) -> str:
    return host.lower().rstrip(".").removeprefix("::ffff:")


@asynccontextmanager
async def send_without_delay(_: object) -> AsyncIterator[None]:
    """Set TCP_NODELAY on the sockets that listen; connections inherit it.

    asyncio sets it only where a socket has the protocol number of TCP, and those that Streamlit
    binds have 0. Each answer on a kept connection then waited 40 ms for an acknowledgement.
    """
    for entry in Path("/dev/fd").iterdir():
        try:
            descriptor = int(entry.name)
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                with socket.socket(fileno=os.dup(descriptor)) as each:
                    if each.type == socket.SOCK_STREAM and each.family != socket.AF_UNIX:
                        each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError:  # closed meanwhile, as the descriptor of this listing is
            continue
    yield


REGISTRY = CollectorRegistry()
SESSIONS = Gauge("dashboard_sessions", "Open pages", registry=REGISTRY)
STEPS = Histogram(
    "dashboard_step_seconds",
    "Seconds of a screen's script",
    ["screen"],
    registry=REGISTRY,
    buckets=(0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60),
)
ProcessCollector(registry=REGISTRY)
MOST = 16
"""Scripts that run at once; threads of Python that wait for each other slow all of them down."""
TURNS = BoundedSemaphore(MOST)
NOT_STORED = {"Cache-Control": "no-store"}


@contextmanager
def measure_step(screen: str) -> Iterator[None]:
    """Let the script of a screen run when it is its turn, and measure how long that takes."""
    with STEPS.labels(screen).time(), TURNS:
        yield


def send_health(_: Request) -> JSONResponse:
    """Answer 200 with the number of collections, or 503 and a sentence if there is none to read."""
    try:
        answer = {"status": "ok", "collections": len(list_collections())}
    except (DataError, OSError) as error:
        problem = str(error) if isinstance(error, DataError) else "the data folder is not readable"
        return JSONResponse({"status": "unavailable", "problem": problem}, 503, NOT_STORED)
    return JSONResponse(answer, headers=NOT_STORED)


def send_metrics(_: Request) -> Response:
    """Answer with the figures of this process, in the text format of Prometheus."""
    return Response(generate_latest(REGISTRY), 200, NOT_STORED, CONTENT_TYPE_LATEST)
