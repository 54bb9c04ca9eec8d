"""The modules and the style of the cards, served by address instead of with every rerun."""

from __future__ import annotations

import hashlib
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

CARDS = "cards"  # the first part of their addresses
_FILES = Path(__file__).parent / "component"
_LOADER = "loader.js"  # goes with the component itself, as do its elements
_TYPES = {".js": "text/javascript", ".css": "text/css"}
_ASKED_BY_NAME = ("cards.js", "cards.css")  # the others are imported by these
_YEAR = 31_536_000  # seconds


def file(name: str) -> str:
    """The text of a file of the component."""
    return (_FILES / name).read_text(encoding="utf-8")


CONTENTS = {
    path.name: path.read_text(encoding="utf-8")
    for path in sorted(_FILES.iterdir())
    if path.suffix in _TYPES and path.name != _LOADER
}
"""Name → text of each file that is served."""
VERSION = hashlib.blake2s(repr(CONTENTS).encode(), digest_size=6).hexdigest()
"""The digest of all of them: modules of two versions are never mixed."""


def elements() -> str:
    """The elements that the cards are drawn into."""
    return file("cards.html").replace("VERSION", VERSION)


def preloads() -> str:
    """Links that fetch all modules at once, where each would wait for the one that imports it."""
    modules = sorted((name for name in CONTENTS if name.endswith(".js")), key="cards.js".__ne__)
    links = [f'<link rel="modulepreload" href="{CARDS}/{VERSION}/{name}">' for name in modules]
    return "\n".join(links).replace(">", ' data-calls="storeContents">', 1)


def loader() -> str:
    """The script that fetches the modules."""
    return file(_LOADER)


def routes() -> list[Route]:
    """The route `/cards/{version}/{name}`, for `st.App(routes=…)`."""
    return [Route(f"/{CARDS}/{{version}}/{{name}}", _serve, name="cards")]


async def _serve(request: Request) -> Response:
    """A file of this version, which has a number behind it where it is asked for again. A page that
    an older server sent is led to this version as a whole."""
    name, version = request.path_params["name"], request.path_params["version"]
    headers = {"Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"}
    if name in CONTENTS and version.partition(".")[0] == VERSION:
        headers["Cache-Control"] = f"public, max-age={_YEAR}, immutable"
        return Response(CONTENTS[name], headers=headers, media_type=_TYPES[Path(name).suffix])
    if name in _ASKED_BY_NAME:
        return RedirectResponse(f"../{VERSION}/{name}", 307, headers)
    return Response("not found", 404, headers, media_type="text/plain")
