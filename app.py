"""The launcher, `streamlit run app.py`: the screens, the media routes, and full links."""

import sys
from urllib.parse import parse_qs

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from dashboard.experiment.collection import catalogue, collections
from dashboard.experiment.reviews import people, share_links
from dashboard.logs import escape_logs
from dashboard.storage.media import covers, item_media, query_pictures, serving, uploads
from dashboard.views import address, palette, protocols, summary, table_files
from dashboard.views.cards import assets
from dashboard.views.frame import arrivals, judgements, neighbours
from dashboard.views.server import figures, identity, link_preview, share_page
from dashboard.views.server.allowed_hosts import AllowedHosts
from dashboard.views.server.base_path import BelowBase, asks_for_a_page, path_of
from dashboard.views.server.logins import Logins
from dashboard.views.server.not_found import NoSuchPage
from dashboard.views.server.open_files import serving as while_serving
from dashboard.views.server.page_head import PageHead

MEDIA = (
    item_media.CLIPS,
    item_media.POSTERS,
    query_pictures.PICTURES,
    covers.COVERS,
    uploads.UPLOADS,
)
OWN = (
    *MEDIA,
    assets.CARDS,
    summary.REPORT,
    table_files.FILES,
    neighbours.NEIGHBOURS,
    palette.PALETTE,
    palette.FIRST_STEPS,
    arrivals.ARRIVALS,
    link_preview.PICTURES,
    judgements.JUDGEMENTS,
    figures.HEALTH,
    figures.FIGURES,
    share_links.PAGE,
)

NEED_A_ROLE = tuple(
    route
    for route in OWN
    if route not in (assets.CARDS, figures.HEALTH, figures.FIGURES, share_links.PAGE)
)

escape_logs()
if problem := identity.problem_at_start():
    sys.exit(problem)
people.identify_by(identity.identify)
share_links.login_by(identity.is_set_up)


class FullAddress:
    """Redirects a page whose address leaves choices unsaid to the address that says them all, and
    marks one that says nothing at all, for the first steps.

    Done before the page is sent, this adds no step to the browser's history. Scripts, media and the
    live connection pass untouched.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        full = await run_in_threadpool(_full, scope) if _is_page(scope) else None
        if full is None:
            await self.app(scope, receive, send)
        else:
            page = path_of(scope)
            mark = "" if page or scope["query_string"] else f"#{palette.FIRST_STEPS}"
            whole = f"{page or '.'}?{full}{mark}"
            await RedirectResponse(whole, status_code=307)(scope, receive, send)


def _is_page(scope: Scope) -> bool:
    return asks_for_a_page(scope) and path_of(scope) in address.PAGES


def _full(scope: Scope) -> str | None:
    if people.actor().role == "nobody":
        return None
    params = parse_qs(scope["query_string"].decode("utf-8", "replace"), keep_blank_values=True)
    return None if address.is_review(path_of(scope), params) else address.complete(params)


app = st.App(
    "dashboard/main.py",
    lifespan=while_serving,
    routes=[
        *item_media.routes(collections.opened),
        *query_pictures.routes(collections.opened),
        *covers.routes(catalogue.glance),
        *uploads.routes(),
        *assets.routes(),
        *figures.routes(),
        *summary.routes(),
        *table_files.routes(protocols.load_sections),
        *neighbours.routes(),
        *palette.routes(),
        *palette.first_steps.routes(),
        *arrivals.routes(),
        *link_preview.routes(),
        *judgements.routes(),
        *share_page.routes(),
    ],
    middleware=[
        Middleware(AllowedHosts),
        Middleware(identity.Identity, NEED_A_ROLE, MEDIA),
        Middleware(Logins),
        Middleware(BelowBase, OWN),
        Middleware(serving.Tamed, MEDIA),
        Middleware(NoSuchPage, (summary.REPORT, table_files.FILES, share_links.PAGE)),
        Middleware(FullAddress),
        Middleware(PageHead, (summary.REPORT, table_files.FILES, share_links.PAGE)),
    ],
)
