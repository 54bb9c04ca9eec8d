"""Asks other hosts through fsspec. Every request is checked as it leaves, redirects included."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from dashboard.storage.media.inside import Unusable
from dashboard.storage.media.remote.hosts import allowed, is_public, origin_of
from dashboard.storage.media.remote.known import Known

PATIENCE = 10.0  # seconds for one answer with all its bytes
LARGEST_ANSWER = 16_000_000  # bytes; only of a host that sends files whole
TOO_SLOW, UNREACHABLE = "host too slow", "host not reachable"
LEFT_ALONE = 30.0  # seconds for which a host that gave no answer is not asked
SILENT: Known[str] = Known(1_000)
_LIBRARIES = {"http": "aiohttp", "https": "aiohttp", "s3": "s3fs", "gs": "gcsfs"}
_WORDS = {401: "not readable", 403: "not readable", 404: "missing", 410: "missing"}


def asked(address: str, what: str, **settings: Any) -> Any:
    """What fsspec's `_info` or `_cat_file` says of an address that is allowed; raises Unusable."""
    not_silent(address)
    files = _files(urlsplit(address).scheme.lower())
    from fsspec.asyn import sync
    from fsspec.exceptions import FSTimeoutError

    try:
        return sync(files.loop, getattr(files, what), address, timeout=PATIENCE, **settings)
    except Exception as error:  # each library has its own; the word is all that anybody sees
        word = TOO_SLOW if isinstance(error, FSTimeoutError) else _word(error)
        if word in (TOO_SLOW, UNREACHABLE):
            SILENT.keep(origin_of(address), word, LEFT_ALONE)
        raise Unusable(word) from error


def give_up(address: str) -> Unusable:
    """Leave a host alone for a while that answers, but not in time; the error to raise."""
    SILENT.keep(origin_of(address), TOO_SLOW, LEFT_ALONE)
    return Unusable(TOO_SLOW)


def not_silent(address: str) -> None:
    """Raises Unusable, with what was wrong, where the host lately gave no answer."""
    word = SILENT.recall(origin_of(address))
    if word:
        raise Unusable(word)


def _word(error: BaseException) -> str:
    """The word for what went wrong, from an error or what caused it."""
    chain = list(_causes(error))
    for each in chain:
        if isinstance(each, Unusable):
            return str(each)
    for status in (getattr(each, "status", None) for each in chain):
        if isinstance(status, int):
            return _WORDS.get(status, f"host answers {status}")
    if any(isinstance(each, PermissionError) for each in chain):
        return "not readable"
    if any(isinstance(each, TimeoutError) for each in chain):
        return TOO_SLOW
    if any(_unreachable(each) for each in chain):
        return UNREACHABLE
    missing = any(isinstance(each, FileNotFoundError) for each in chain)
    return "missing" if missing else "not readable"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _unreachable(error: BaseException) -> bool:
    return isinstance(error, OSError) and not isinstance(error, FileNotFoundError | PermissionError)


def _files(scheme: str) -> Any:
    """The file system of a scheme; raises Unusable where its library is not installed."""
    try:
        return _http() if scheme in ("http", "https") else _bucket(scheme)
    except ImportError as error:
        raise Unusable(f"{scheme} needs {_LIBRARIES[scheme]}") from error


@lru_cache(maxsize=4)
def _bucket(scheme: str) -> Any:
    import fsspec

    return fsspec.filesystem(scheme, use_listings_cache=False)


@lru_cache(maxsize=1)
def _http() -> Any:
    import aiohttp
    from fsspec.implementations.http import HTTPFileSystem

    async def client(**settings: Any) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(resolver=_resolver(), limit_per_host=8),
            middlewares=(_guarded,),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            headers={"Accept-Encoding": "identity"},
            timeout=aiohttp.ClientTimeout(total=PATIENCE),
            **settings,
        )

    return HTTPFileSystem(get_client=client, skip_instance_cache=True)


async def _guarded(request: Any, answer_of: Callable[[Any], Awaitable[Any]]) -> Any:
    """Lets a request out only to an allowed host, and its answer in only if it is bounded."""
    if origin_of(str(request.url)) not in allowed():
        raise Unusable("leads to another host")
    answer = await answer_of(request)
    if "Range" in request.headers and answer.status in (200, 206):
        length = answer.content_length
        encoded = answer.headers.get("Content-Encoding", "identity") != "identity"
        if encoded or length is None or length > LARGEST_ANSWER:
            answer.close()
            raise Unusable("host sends no parts")
    return answer


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
