"""The choice whether near-duplicates are items of their own, or count once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.study.choices import Choice, Values

if TYPE_CHECKING:
    from dashboard.storage.collection import Collection
    from dashboard.tables import Names

KEY = "copies"
COUNTED = "counted"
ONCE = "once"
MAX_ITEMS = 20_000
"""Items up to which each is compared with each."""
ALIKE = 0.99
"""Cosine of near-duplicates."""
STATED = "copy_of"
"""Column of items.csv that names the item of which one is a copy."""
LEFT_ALONE = ("crossmodal",)
"""Protocols whose galleries are numbered sets of pairs, in which nothing can be left out."""
BY = f"{ONCE} by "
"""Start of a value that names the version by whose vectors items are alike."""


class CopiesChoice(Choice):
    """A choice whose values name a version: a further version changes no number."""

    def read(self, given: str, collection: Collection, before: Values) -> str:
        """Return the value; `once` alone means the first way in which copies can be found."""
        first = next(iter(list_ways(collection)), ONCE)
        return str(super().read(first if given == ONCE else given, collection, before))


def _explain_lack(given: str, collection: Collection, before: Values) -> str:
    why = ""
    if before["protocol"] in LEFT_ALONE:
        why = f"under the protocol {before['protocol']}, whose items are numbered pairs"
    elif not list_ways(collection):
        why = f"among {len(collection.items):,} items without a column {STATED}"
    return f"no copies can be left out {why}" if why and given != COUNTED else ""


def list_ways(collection: Collection) -> Names:
    """Return the values that count copies once; the usual baseline's comes first.

    There are none without the column STATED if there are too many items to look.
    """
    if any(collection.items[STATED]) or len(collection.items) > MAX_ITEMS:
        return [ONCE] * any(collection.items[STATED])
    usual = collection.settings.get("default_baseline")
    versions = collection.versions.items()
    named = [name for name, each in versions if each.items and not each.make_source]
    return [BY + name for name in sorted(named, key=lambda name: name != usual)] or [ONCE]


CHOICES = (
    CopiesChoice(
        key=KEY,
        noun="value of copies",
        meaning=f"counted: each item is one; {ONCE}: copies count as one item, those that the "
        f"column {STATED} of items.csv states; without it, up to {MAX_ITEMS:,} items, those with "
        f"identical files or with a cosine from {ALIKE:g} by the vectors of the version that is "
        f"named; not under {', '.join(LEFT_ALONE)}",
        default=COUNTED,
        allowed=lambda collection, before: [COUNTED, *list_ways(collection)],
        explain_lack=_explain_lack,
        changes_numbers=True,
    ),
)
