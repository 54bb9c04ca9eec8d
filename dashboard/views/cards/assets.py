"""The script and the style of the cards, served once by address instead of with every rerun."""

from __future__ import annotations

import hashlib
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_FILES = Path(__file__).parent
_SCRIPTS = (  # together one module
    "parts.js",
    "unpacked.js",
    "contents.js",
    "playing.js",
    "pair.js",
    "beside.js",
    "saying.js",
    "zoom.js",
    "history.js",
    "player.js",
    "moving.js",
    "keys.js",
    "heads.js",
    "focus.js",
    "cards.js",
)
_TYPES = {"cards.js": "text/javascript", "cards.css": "text/css"}
CARDS = "cards"  # the first part of their addresses
_YEAR = 31_536_000  # seconds


def file(name: str) -> str:
    """The text of a file of this folder."""
    return (_FILES / name).read_text(encoding="utf-8")


CONTENTS = {"cards.js": "\n".join(map(file, _SCRIPTS)), "cards.css": file("cards.css")}
VERSION = hashlib.blake2s("".join(CONTENTS.values()).encode(), digest_size=6).hexdigest()


def routes() -> list[Route]:
    """The route `/cards/{version}/{name}`, for `st.App(routes=…)`."""
    return [Route(f"/{CARDS}/{{version}}/{{name}}", _serve, name="cards")]


async def _serve(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in CONTENTS:
        return Response("not found", 404, media_type="text/plain")
    known = request.path_params["version"] == VERSION
    headers = {
        "Cache-Control": f"public, max-age={_YEAR}, immutable" if known else "no-cache",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(CONTENTS[name], headers=headers, media_type=_TYPES[name])
