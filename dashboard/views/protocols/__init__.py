"""What a protocol's source shows beside what all protocols share: a section on two screens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dashboard.experiment import collections
from dashboard.views import frame, summary
from dashboard.views.protocols import composed, context, crossmodal, hashing
from dashboard.views.view import View


@dataclass(frozen=True)
class Sections:
    """Draw a protocol's part of the Overview (of a view) and of Query (of a view and a query).

    alone: what there is to see on the Overview of a collection without a version; browsed: on
    Query.
    """

    overview: Callable[[View], None] | None = None
    query: Callable[[View, str], None] | None = None
    alone: Callable[[View], None] | None = None
    browsed: Callable[[View], None] | None = None


SECTIONS: dict[str, Sections] = {
    "composed": Sections(composed.overview, composed.query, alone=composed.alone),
    "context": Sections(
        context.overview, context.query, alone=context.overview, browsed=context.browse
    ),
    "crossmodal": Sections(crossmodal.overview, crossmodal.query),
    "hashing": Sections(hashing.overview, hashing.query),
}


def overview(view: View) -> None:
    """Draw what the source of the view's protocol shows for whole versions; nothing for others."""
    section = SECTIONS.get(str(view.protocol))
    if section is not None and section.overview is not None:
        section.overview(view)


def without_versions(view: View) -> None:
    """Draw the Overview of a collection that has no version: what it is, what is missing, and what
    the source of the view's protocol shows all the same."""
    collection = collections.opened(view.collection)
    summary.collection_line(view)
    summary.problems(collection)
    section = SECTIONS.get(str(view.protocol))
    if section is not None and section.alone is not None:
        section.alone(view)
    lone = section is None or section.alone is None
    frame.without_versions(view, "The metrics table needs a version", lone)
    summary.how_judged(view)
    summary.notes(collection.findings)


def query_without_versions(view: View) -> None:
    """Draw Query for a collection that has no version, as above."""
    section = SECTIONS.get(str(view.protocol))
    if section is not None and section.browsed is not None:
        section.browsed(view)
    else:
        frame.without_versions(view, "Query needs a version")


def query(view: View, query_id: str) -> None:
    """Draw what the source of the view's protocol shows for one query; nothing for others."""
    section = SECTIONS.get(str(view.protocol))
    if section is not None and section.query is not None:
        section.query(view, query_id)
