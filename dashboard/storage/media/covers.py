"""Pictures of collections that are not open: posters of some of their items, by a route of their
own, so that to look at a shelf opens nothing on it."""

from __future__ import annotations

from collections.abc import Callable

from starlette.routing import Route

from dashboard.storage.media.item_media import POSTERS, HasMedia, is_far, media, poster_content
from dashboard.storage.media.lookup import Lookup, rows_of
from dashboard.storage.media.serving import Content, answer

COVERS = "covers"


def addresses(glance: HasMedia) -> list[str]:
    """The addresses of the posters of a glance's items; those without a picture are left out."""
    posters = media(glance, glance.items["item_id"])["poster"]
    return [f"{COVERS}{poster.removeprefix(POSTERS)}" for poster in posters if poster]


def routes(glance_of: Callable[[str], HasMedia]) -> list[Route]:
    """The route `/covers/{collection}?item=ID`, for `st.App(routes=…)`; only for the items that a
    glance has. A DataError of `glance_of` is a 404."""
    lookup = Lookup(glance_of, lambda glance: rows_of(glance.items, "item_id"))

    def cover(name: str, item_id: str) -> Content:
        return poster_content(*lookup.find(name, item_id))

    def far(name: str, item_id: str) -> bool:
        return is_far(*lookup.find(name, item_id))

    return [Route(f"/{COVERS}/{{collection}}", answer(cover, far, at_once=2), name="cover")]
