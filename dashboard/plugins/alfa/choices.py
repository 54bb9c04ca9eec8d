"""Choices of the protocol: keyword groups and the threshold of the mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.study.choices import Choice, Values
from dashboard.texts import parse_number

if TYPE_CHECKING:
    from dashboard.storage.collection import Collection
    from dashboard.tables import Names


def _list_groups(collection: Collection, before: Values) -> Names:
    tables = collection.tables.get("alfa")
    return tables.groups if tables else ()


def _pick_groups(collection: Collection, before: Values) -> Names:
    known = _list_groups(collection, before)
    wanted = collection.settings.get("default_groups", ("pv_object_type", "pv_actor_behavior"))
    return tuple(group for group in wanted if group in known) or tuple(known)


def find_threshold(collection: Collection) -> float:
    """Return the least score of a keyword that is kept, by the settings of a collection."""
    return float(collection.settings.get("mapping_threshold", 0.6))


def _explain_lack(given: str, collection: Collection, before: Values) -> str:
    """Return why a threshold other than the usual one has no effect."""
    if parse_number(given) == find_threshold(collection) or collection.tables.get("alfa"):
        return ""
    return f"{collection.name} has no keywords, so no words are mapped to them; leave it out"


CHOICES = (
    Choice(
        key="groups",
        meaning="keyword groups that decide what is relevant",
        kind="names",
        default=_pick_groups,
        allowed=_list_groups,
        changes_numbers=True,
    ),
    Choice(
        key="mapping_threshold",
        option="threshold",
        limits=(0.0, 1.0),
        meaning="least score at which words of a query count as a keyword (default 0.6)",
        kind="number",
        default=lambda collection, before: find_threshold(collection),
        explain_lack=_explain_lack,
        changes_numbers=True,
    ),
)
