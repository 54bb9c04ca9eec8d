"""Asks S3 and Google Cloud Storage, with credentials and endpoints as s3fs and gcsfs take them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from dashboard.storage.media.remote.web import CHANGED, bounded, is_large, is_of_another
from dashboard.storage.media.safe_open import Unusable


def bucket(scheme: str, seconds: float) -> Any:
    """The file system of s3 or gs, made once; raises ImportError where its library is not
    installed, TimeoutError where looking for credentials takes longer.

    It is looked for in a thread of its own, which goes on: without credentials gcsfs asks the
    metadata server of a cloud that may not be there, three times and more.
    """
    with _ONE_AT_A_TIME:
        making = _MADE.get(scheme)
        if making is None or (making.done() and making.exception()):
            making = _MADE[scheme] = Future()
            make = threading.Thread(target=_make, args=(making, _MAKERS[scheme]), daemon=True)
            make.start()
    return making.result(seconds)


def _make(making: Future[Any], maker: Callable[[], Any]) -> None:
    try:
        making.set_result(maker())
    except Exception as error:
        making.set_exception(error)


def _s3() -> Any:
    from s3fs import S3FileSystem

    return S3FileSystem(version_aware=True, use_listings_cache=False, skip_instance_cache=True)


def _gs() -> Any:
    # Not the class that gcsfs registers: that one also asks for the kind of each bucket, at
    # another server and with other credentials, and says so in the log at each request.
    from gcsfs.core import GCSFileSystem

    settings = {"middlewares": (bounded,), "auto_decompress": False}
    return GCSFileSystem(
        use_listings_cache=False, skip_instance_cache=True, session_kwargs=settings
    )


_MAKERS = {"s3": _s3, "gs": _gs}
_MADE: dict[str, Future[Any]] = {}
_ONE_AT_A_TIME = threading.Lock()


async def s3_part(files: Any, address: str, part: range, size: int, state: str) -> bytes:
    """The bytes of an object at the places of `part`, if it still has this size and its ETag is
    still `state`."""
    name, key, version = files.split_path(address)
    only = {"IfMatch": state} if state else {}
    if version:
        only["VersionId"] = version
    asked = {"Bucket": name, "Key": key, "Range": f"bytes={part.start}-{part.stop - 1}", **only}
    answer = await files._call_s3("get_object", **asked)
    async with answer["Body"] as body:
        if is_large(answer.get("ContentLength")):
            raise Unusable("host sends no parts")
        if is_of_another(answer.get("ETag"), answer.get("ContentRange"), size, state):
            raise Unusable(CHANGED)
        found: bytes = await body.read()
        return found


async def gs_part(files: Any, address: str, part: range, size: int, state: str) -> bytes:
    """The bytes of an object at the places of `part`, of the generation `state`."""
    asked = {"start": part.start, "end": part.stop, "generation": state or None}
    try:
        found = await files._cat_file(address, **asked)
    except FileNotFoundError as error:  # there is another generation, or none
        raise Unusable(CHANGED) from error
    return bytes(found)
