"""The modules and styles of the page, served by address instead of with every rerun: of the cards,
and of the keys and the palette, which every page has."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dashboard.views import address
from dashboard.views.address.choices import NOTHING_OPEN

CARDS = "cards"  # the first part of their addresses
_FILES = Path(__file__).parent / "component"
_OF_EVERY_PAGE = Path(__file__).parents[1] / "palette" / "component"
_LOADER = "loader.js"  # goes with the component itself, as do its elements
_TYPES = {".js": "text/javascript", ".css": "text/css"}
_ASKED_BY_NAME = ("cards.js", "cards.css")  # the others are imported by these
_YEAR = 31_536_000  # seconds


def file(name: str) -> str:
    """The text of a file of the component."""
    return (_FILES / name).read_text(encoding="utf-8")


def _address_module() -> str:
    """What the other modules must know of an address, as JavaScript: the keys that another query
    leaves out, and the letter, path and title of each screen."""
    paths = {title: path for path, title in address.PAGES.items()}
    screens = [[letter, paths[title], title] for letter, title in address.LETTERS.items()]
    constants = {"OF_ONE_QUERY": list(NOTHING_OPEN), "SCREENS": screens}
    return "".join(f"export const {name} = {json.dumps(of)};\n" for name, of in constants.items())


CONTENTS = {
    path.name: path.read_text(encoding="utf-8")
    for path in sorted([*_FILES.iterdir(), *_OF_EVERY_PAGE.iterdir()])
    if path.suffix in _TYPES and path.name != _LOADER
} | {"address.js": _address_module()}
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


def of_every_page() -> str:
    """The element, for the head of a page, that fetches what works on every page."""
    return f'<script type="module" src="{CARDS}/{VERSION}/page.js"></script>'


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
