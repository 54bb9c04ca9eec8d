"""Answers requests for files: in pieces, by range and version, with headers that tame them."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from email.utils import formatdate
from urllib.parse import quote
from weakref import WeakValueDictionary

import anyio
import anyio.to_thread
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboard.storage.media.safe_open import NotMade, Opened, Unusable
from dashboard.tables import DataError

DOWNLOAD = "application/octet-stream"
"""The type of what is sent to be kept, not shown."""
_PIECE = 256 * 1024  # bytes
_YEAR = 31_536_000  # seconds
_SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Content:
    """An open file and its media type; ending: that of the name of a DOWNLOAD, with its dot."""

    opened: Opened
    type: str
    ending: str = ""


class Tamed:
    """Gives the headers that tame files to every answer below some routes, also to refusals that
    are made before or beside the route itself.

    routes: first parts of paths, below the app's base path.
    """

    def __init__(self, app: ASGIApp, routes: Sequence[str]) -> None:
        self.app, self.routes = app, frozenset(routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def tamed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _SAFE.items():
                    headers.setdefault(name, value)
            await send(message)

        ours = scope["type"] == "http" and not self.routes.isdisjoint(scope["path"].split("/"))
        await self.app(scope, receive, tamed if ours else send)


def answer(
    find: Callable[[str, str], Content], far: Callable[[str, str], bool], at_once: int = 20
) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint for `/…/{collection}?item=ID&v=VERSION`; what cannot be shown is the same 404,
    but a poster that cannot be made of a file that is there is a 422 with the word for it.

    At most `at_once` files of a collection are looked for at the same time, so that each has its
    turn. Those that lie `far`, on other hosts, wait in a queue of their own and hold up nobody
    else.
    """
    queues: WeakValueDictionary[tuple[str, bool], anyio.CapacityLimiter] = WeakValueDictionary()

    async def endpoint(request: Request) -> Response:
        name, item_id = request.path_params["collection"], request.query_params.get("item", "")
        try:
            key = name, await anyio.to_thread.run_sync(far, name, item_id)
            turns = queues.setdefault(key, anyio.CapacityLimiter(at_once))
            content = await anyio.to_thread.run_sync(find, name, item_id, limiter=turns)
        except NotMade as word:
            return PlainTextResponse(str(word), 422, {**_SAFE, "Cache-Control": "no-store"})
        except (Unusable, DataError, LookupError, OSError, ValueError) as error:
            _LOG.info("not served: %r %r: %r", name[:100], item_id[:100], str(error)[:200])
            return PlainTextResponse("not found", 404, {**_SAFE, "Cache-Control": "no-store"})
        return _answered(request, content)

    return endpoint


def _answered(request: Request, content: Content) -> Response:
    opened = content.opened
    asked_for = request.query_params
    headers = _headers(content, asked_for.get("item", ""), asked_for.get("v") == opened.version)
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        opened.close()
        return Response(status_code=304, headers=headers)
    asked = request.headers.get("range", "")
    if request.headers.get("if-range", headers["ETag"]) != headers["ETag"]:
        asked = ""
    status, part = _part(asked, opened.size)
    if status == 416:
        opened.close()
        return PlainTextResponse(
            "no such part", 416, {**_SAFE, "Content-Range": f"bytes */{opened.size}"}
        )
    headers["Content-Length"] = str(len(part))
    if status == 206:
        headers["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{opened.size}"
    if request.method == "HEAD":
        opened.close()
        return Response(status_code=status, headers=headers)
    return _Pieces(opened, part, status, headers)


def _headers(content: Content, item_id: str, known: bool) -> dict[str, str]:
    changed, name = content.opened.modified, item_id[:100].removesuffix(content.ending)
    kept = f"attachment; filename*=UTF-8''{quote(name + content.ending, safe='')}"
    return {
        **_SAFE,
        **({} if changed is None else {"Last-Modified": formatdate(changed, usegmt=True)}),
        "Content-Type": content.type,
        **({"Content-Disposition": kept} if content.type == DOWNLOAD else {}),
        "Accept-Ranges": "bytes",
        "ETag": f'"{content.opened.version}"',
        "Cache-Control": f"private, max-age={_YEAR}, immutable" if known else "private, no-cache",
    }


def _part(asked: str, size: int) -> tuple[int, range]:
    """Status and bytes for a Range header; several parts are answered with the whole file."""
    match = re.fullmatch(r"bytes=\s*(\d{0,18})-(\d{0,18})\s*", asked)
    if not match or not any(match.groups()):
        return 200, range(size)
    first, last = match.groups()
    part = range(max(size - int(last or 0), 0), size)
    if first:
        part = range(int(first), min(int(last) + 1, size) if last else size)
    return (206, part) if part else (416, part)


class _Pieces(StreamingResponse):
    """A part of a file, read in a thread piece by piece; it is closed however the sending ends."""

    def __init__(self, opened: Opened, part: range, status: int, headers: dict[str, str]) -> None:
        self.opened, self.part = opened, part
        super().__init__(self._read(), status, headers)

    async def _read(self) -> AsyncIterator[bytes]:
        file, left = self.opened.file, len(self.part)
        await anyio.to_thread.run_sync(file.seek, self.part.start)
        while left:
            piece = await anyio.to_thread.run_sync(file.read, min(_PIECE, left))
            if not piece:
                raise OSError("a media file became shorter while it was sent")
            left -= len(piece)
            yield piece

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.opened.close()
