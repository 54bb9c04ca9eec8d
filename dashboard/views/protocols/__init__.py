"""What a protocol's source shows beside what all protocols share: a section on two screens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.views.protocols import composed, context, crossmodal, hashing
from dashboard.views.view import View


@dataclass(frozen=True)
class Sections:
    """Draw a protocol's part of the Overview (of a view) and of Query (of a view and a query)."""

    overview: Callable[[View], None] | None = None
    query: Callable[[View, str], None] | None = None


SECTIONS: dict[str, Sections] = {
    "composed": Sections(composed.overview, composed.query),
    "context": Sections(context.overview, context.query),
    "crossmodal": Sections(crossmodal.overview, crossmodal.query),
    "hashing": Sections(hashing.overview, hashing.query),
}


def overview(view: View) -> None:
    """Draw what the source of the view's protocol shows for whole versions; nothing for others."""
    section = SECTIONS.get(str(view.protocol))
    if section is not None and section.overview is not None:
        section.overview(view)


def query(view: View, query_id: str) -> None:
    """Draw what the source of the view's protocol shows for one query; nothing for others."""
    section = SECTIONS.get(str(view.protocol))
    if section is not None and section.query is not None:
        section.query(view, query_id)
