"""What chat programs show of a link: title, sentence and picture, where the operator has said at
which address the app is (`DASHBOARD_ADDRESS`). Nothing is computed for them: a verdict is shown
where a page has drawn it before.
"""

from __future__ import annotations

from html import escape
from urllib.parse import parse_qs

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Scope

from dashboard.experiment.reviews import people
from dashboard.tables import DataError
from dashboard.views import address, summary
from dashboard.views.charts import preview
from dashboard.views.frame.screen import NAME, tab_title
from dashboard.views.server.base_path import own_address, path_of
from dashboard.views.texts import shown

PICTURES = "preview"
"""The first part of the path of pictures; behind it stand a screen and its query."""
LONGEST, LONGEST_QUERY = 300, 4_000
ABOUT = "Review the quality of video and image search, version by version and query by query."


def tags(scope: Scope) -> str:
    """Elements for the head of the page that a request opens; none where the app does not know its
    address. The address in them is the operator's, never one that a request names."""
    own = own_address()
    query = scope["query_string"].decode("latin-1")
    if not own or people.actor().role == "nobody" or len(query) > LONGEST_QUERY:
        return ""
    path = path_of(scope)
    title, about = title_and_preview(path, query)
    behind = f"?{query}" if query else ""
    named = {
        "og:site_name": NAME,
        "og:type": "website",
        "og:title": title,
        "og:description": shown(about.sentence, LONGEST),
        "og:url": f"{own}/{path}{behind}",
        "og:image": f"{own}/{PICTURES}/{address.PAGES[path].lower()}{behind}",
        "og:image:width": str(preview.WIDE),
        "og:image:height": str(preview.HIGH),
        "og:image:alt": title,
    }
    lines = [f'<meta property="{key}" content="{escape(value)}">' for key, value in named.items()]
    described = escape(named["og:description"])
    return (
        f'<meta name="description" content="{described}">'
        f'<meta name="twitter:card" content="summary_large_image">{"".join(lines)}'
    )


def title_and_preview(path: str, query: str) -> tuple[str, summary.Preview]:
    """What is seen at a screen's path with a query, as far as it is remembered."""
    screen = address.PAGES[path]
    params = parse_qs(query, keep_blank_values=True)
    if address.is_review(path, params):
        return f"{screen} · {NAME}", summary.Preview(ABOUT)
    try:
        view, problems = address.view_of(params)
        if view is None or problems:
            return f"{screen} · {NAME}", summary.Preview(ABOUT)
        return tab_title(screen, view), summary.preview_of(view, screen)
    except DataError:
        return f"{screen} · {NAME}", summary.Preview(ABOUT)


def routes() -> list[Route]:
    """The route `/preview/SCREEN?…`, for `st.App(routes=…)`. One picture is drawn at a time."""
    turns = CapacityLimiter(1)
    paths = {title.lower(): path for path, title in address.PAGES.items()}

    async def endpoint(request: Request) -> Response:
        path = paths.get(request.path_params["screen"])
        if path is None or not own_address() or len(request.url.query) > LONGEST_QUERY:
            return Response("There is no such picture.\n", 404, media_type="text/plain")
        picture = await anyio.to_thread.run_sync(_picture, path, request.url.query, limiter=turns)
        return Response(picture, 200, {"Cache-Control": "max-age=300"}, "image/png")

    return [Route(f"/{PICTURES}/{{screen}}", endpoint, name=PICTURES)]


def _picture(path: str, query: str) -> bytes:
    title, about = title_and_preview(path, query)
    return preview.preview_png(title, about.sentence, about.row, about.kind)
