"""Asks other hosts through fsspec, in time, and finds a word for what goes wrong."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from cachetools import TTLCache

from dashboard.storage.media.remote.buckets import bucket, gs_part, s3_part
from dashboard.storage.media.remote.hosts import origin_of
from dashboard.storage.media.remote.shared_cache import SharedCache
from dashboard.storage.media.remote.web import CHANGED, PATIENCE, web, web_part
from dashboard.storage.media.safe_open import Unusable

TOO_SLOW, UNREACHABLE = "host too slow", "host not reachable"
LEFT_ALONE = 30.0  # seconds for which a host that gave no answer is not asked
SILENT: SharedCache[str] = SharedCache(TTLCache(1_000, LEFT_ALONE))
_LOGGED_AGAIN = 600.0  # seconds after which the log says again what is wrong with a host
_LOGGED: SharedCache[bool] = SharedCache(TTLCache(1_000, _LOGGED_AGAIN))
_LIBRARIES = {"http": "aiohttp", "https": "aiohttp", "s3": "s3fs", "gs": "gcsfs"}
_PARTS = {"http": web_part, "https": web_part, "s3": s3_part, "gs": gs_part}
_WORDS = {401: "not readable", 403: "not readable", 404: "missing", 410: "missing", 412: CHANGED}
_NO_CREDENTIALS = {"NoCredentialsError", "PartialCredentialsError", "DefaultCredentialsError"}
_LOG = logging.getLogger(__name__)


def info_of(address: str) -> dict[str, Any]:
    """What fsspec says of an address that is allowed; raises Unusable."""
    found: dict[str, Any] = _asked(address, lambda files: files._info(address))
    return found


def part_of(address: str, part: range, size: int, state: str) -> bytes:
    """The bytes at the places of `part` of a file of the size and in the state that its facts name;
    raises Unusable, also where that state is gone. A host may send the whole file instead."""
    fetch = _PARTS[_scheme(address)]
    found: bytes = _asked(address, lambda files: fetch(files, address, part, size, state))
    return found


def _asked(address: str, question: Callable[[Any], Awaitable[Any]]) -> Any:
    not_silent(address)
    try:
        files = _files(_scheme(address))
        from fsspec.asyn import sync

        return sync(files.loop, question, files, timeout=PATIENCE)
    except Exception as error:  # each library has its own; the word is all that a reviewer sees
        word = TOO_SLOW if isinstance(error, TimeoutError) else _word(error)
        if word in (TOO_SLOW, UNREACHABLE):
            SILENT.put(origin_of(address), word)
        _tell(origin_of(address), word, error)
        raise Unusable(word) from error


def _tell(origin: str, word: str, error: Exception) -> None:
    """Says in the log what is wrong with a host, for who runs the app; not for each file."""
    if word not in ("missing", CHANGED) and not _LOGGED.get((origin, word)):
        _LOGGED.put((origin, word), True)
        _LOG.warning("%s: %s: %s %.300r", origin, word, type(error).__name__, str(error))


def give_up(address: str) -> Unusable:
    """Leave a host alone for a while that answers, but not in time; the error to raise."""
    SILENT.put(origin_of(address), TOO_SLOW)
    return Unusable(TOO_SLOW)


def not_silent(address: str) -> None:
    """Raises Unusable, with what was wrong, where the host lately gave no answer."""
    word = SILENT.get(origin_of(address))
    if word:
        raise Unusable(word)


def _word(error: BaseException) -> str:
    """The word for what went wrong, from an error or what caused it."""
    chain = list(_causes(error))
    for each in chain:
        if isinstance(each, Unusable):
            return str(each)
    status = next(filter(None, map(_status, chain)), None)
    if status:
        return _WORDS.get(status, f"host answers {status}")
    if any(type(each).__name__ in _NO_CREDENTIALS for each in chain):
        return "no credentials"
    if any(_is_forbidden(each) for each in chain):
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


def _status(error: BaseException) -> int | None:
    """The status of HTTP that an error of aiohttp, gcsfs or botocore carries."""
    answer = getattr(error, "response", None)
    said = answer.get("ResponseMetadata", {}) if isinstance(answer, dict) else {}
    own = getattr(error, "status", 0) or getattr(error, "code", 0)
    numbers = map(str, (said.get("HTTPStatusCode"), own))
    return next((int(each) for each in numbers if each.isdecimal() and int(each)), None)


def _is_forbidden(error: BaseException) -> bool:
    """gcsfs says so in words only."""
    said = type(error) is OSError and str(error).startswith("Forbidden")
    return said or isinstance(error, PermissionError)


def _unreachable(error: BaseException) -> bool:
    return isinstance(error, OSError) and not isinstance(error, FileNotFoundError | PermissionError)


def _scheme(address: str) -> str:
    return address.partition(":")[0].lower()


def _files(scheme: str) -> Any:
    """The file system of a scheme; raises Unusable where its library is not installed."""
    try:
        return web() if scheme in ("http", "https") else bucket(scheme, PATIENCE)
    except ImportError as error:
        raise Unusable(f"{scheme} needs {_LIBRARIES[scheme]}") from error
