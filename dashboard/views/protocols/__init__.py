"""What a protocol's source shows beside what all protocols share: a section on two screens.

A protocol with a section of its own has a file or a folder of its name here. Of these functions it
holds those that it needs:

overview  draws its part of the Overview, of a view
query     draws its part of Query, of a view and the id of a query
alone     draws what there is to see on the Overview of a collection without a version
browse    draws the same on Query
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.experiment.collection import collections
from dashboard.views import frame, summary
from dashboard.views.address.choices import View


def overview(view: View) -> None:
    """Draw what the source of the view's protocol shows for whole versions; nothing for others."""
    if draw := _section(str(view.protocol), "overview"):
        draw(view)


def without_versions(view: View) -> None:
    """Draw the Overview of a collection that has no version: what it is, what is missing, and what
    the source of the view's protocol shows all the same."""
    collection = collections.opened(view.collection)
    summary.collection_line(view)
    summary.problems(collection)
    draw = _section(str(view.protocol), "alone")
    if draw:
        draw(view)
    frame.without_versions(view, "The metrics table needs a version", draw is None)
    summary.how_judged(view)
    summary.notes(collection.findings)


def query_without_versions(view: View) -> None:
    """Draw Query for a collection that has no version, as above."""
    if draw := _section(str(view.protocol), "browse"):
        draw(view)
    else:
        frame.without_versions(view, "Query needs a version")


def query(view: View, query_id: str) -> None:
    """Draw what the source of the view's protocol shows for one query; nothing for others."""
    if draw := _section(str(view.protocol), "query"):
        draw(view, query_id)


def load_sections() -> None:
    """Import the sections of all protocols, so that their files can be asked for."""
    for name in PROTOCOLS:
        _section(name, "overview")


@cache
def _section(protocol: str, part: str) -> Callable[..., None] | None:
    """The function of this name in a protocol's file or folder; None where it has none."""
    name = f"{__name__}.{protocol}"
    return getattr(import_module(name), part, None) if find_spec(name) else None
