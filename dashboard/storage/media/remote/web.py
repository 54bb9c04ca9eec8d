"""Asks web servers. Every request is checked as it leaves, redirects included, every answer before
its bytes are read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Any

from dashboard.storage.media.remote.hosts import allowed, is_public, origin_of
from dashboard.storage.media.safe_open import Unusable

PATIENCE = 10.0  # seconds for one answer with all its bytes
LARGEST_ANSWER = 16_000_000  # bytes; only of a host that sends files whole
CHANGED = "changed while it was read"
Answer = Callable[[Any], Awaitable[Any]]


@lru_cache(maxsize=1)
def web() -> Any:
    """The file system of http and https; raises ImportError where aiohttp is not installed."""
    import aiohttp
    from fsspec.implementations.http import HTTPFileSystem

    async def client(**settings: Any) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(resolver=_resolver(), limit_per_host=8),
            middlewares=(_to_allowed_hosts, bounded),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            headers={"Accept-Encoding": "identity"},
            timeout=aiohttp.ClientTimeout(total=PATIENCE),
            **settings,
        )

    return HTTPFileSystem(get_client=client, skip_instance_cache=True)


async def web_part(files: Any, address: str, part: range, size: int, state: str) -> bytes:
    """The bytes of a file at the places of `part`, if it still has this size and its ETag is still
    `state` (empty: any)."""
    headers = {"Range": f"bytes={part.start}-{part.stop - 1}"}
    if state:
        headers["If-Match"] = state
    session = await files.set_session()
    async with session.get(files.encode_url(address), headers=headers) as answer:
        files._raise_not_found_for_status(answer, address)
        said = answer.headers
        if is_of_another(said.get("ETag"), said.get("Content-Range"), size, state):
            raise Unusable(CHANGED)
        found: bytes = await answer.read()
        return found


def is_of_another(tag: str | None, span: str | None, size: int, state: str) -> bool:
    """Whether the ETag or Content-Range of an answer is of another state of a file than the one
    that was asked for: not every host heeds If-Match."""
    total = (span or "").rpartition("/")[2].strip()
    other_tag = bool(tag and state) and tag != state
    return other_tag or (total.isdecimal() and int(total) != size)


async def bounded(request: Any, answer_of: Answer) -> Any:
    """Lets the answer to a request for a part in only if it says that it is small."""
    answer = await answer_of(request)
    if "Range" in request.headers and answer.status in (200, 206):
        encoded = answer.headers.get("Content-Encoding", "identity") != "identity"
        if encoded or is_large(answer.content_length):
            answer.close()
            raise Unusable("host sends no parts")
    return answer


def is_large(size: int | None) -> bool:
    """Whether an answer of this size, in bytes, is left unread; None is a size that nobody said."""
    return size is None or size > LARGEST_ANSWER


async def _to_allowed_hosts(request: Any, answer_of: Answer) -> Any:
    if origin_of(str(request.url)) not in allowed():
        raise Unusable("leads to another host")
    return await answer_of(request)


def _resolver() -> Any:
    """Looks hosts up, and finds a private address only for those that may lie at one.

    The address that is checked is the one that is connected to: a name that leads elsewhere a
    moment later changes nothing.
    """
    from aiohttp import ThreadedResolver

    class Resolver(ThreadedResolver):
        async def resolve(self, host: str, port: int = 0, *rest: Any, **more: Any) -> Any:
            found = await super().resolve(host, port, *rest, **more)
            known = allowed()
            if any(known.get(f"{scheme}://{host}:{port}") for scheme in ("http", "https")):
                return found
            if not all(is_public(each["host"]) for each in found):
                raise Unusable("private address")
            return found

    return Resolver()
