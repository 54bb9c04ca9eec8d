"""Messages that pages send as JSON: read up to a bound, and refused in a sentence."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import JSONResponse


async def body_of(
    request: Request, most: int, headers: Mapping[str, str], *, not_json: str, too_long: str
) -> bytes | JSONResponse:
    """The bytes of a message, at most `most`, or the answer that refuses it.

    headers: of that answer. not_json, too_long: its sentences.
    """
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        return refused(415, not_json, headers)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > most:
            return refused(413, too_long, headers)
    return body


def refused(status: int, sentence: str, headers: Mapping[str, str]) -> JSONResponse:
    """The answer that says why a message was refused."""
    return JSONResponse({"problem": sentence}, status, headers)
