"""`check` of the core, which also says how many items are near-duplicates."""

from __future__ import annotations

from argparse import Namespace
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from dashboard.commands import check
from dashboard.commands.options import open_call
from dashboard.errors import DataError, Finding, list_names

HELP = check.HELP
add_arguments = check.add_arguments


def answer(call: Namespace) -> tuple[list[dict[str, Any]], tuple[str, ...], int]:
    """Return the findings of the core, and after them those on near-duplicates."""
    rows, columns, code = check.answer(call)
    with suppress(DataError):  # the core has said it
        rows += [asdict(each) for each in _list_findings(call)]
    return rows, columns, code


def _list_findings(call: Namespace) -> list[Finding]:
    import numpy as np

    from dashboard.plugins.near_duplicates.choice import STATED
    from dashboard.plugins.near_duplicates.groups import find_groups

    collection, findings = open_call(call), list[Finding]()
    items, cells = collection.items, collection.items[STATED]
    if unknown := [cell for cell in cells if cell and cell not in items.index]:
        found = f"{len(unknown):,} cells of {STATED} that name no item ({list_names(unknown)})"
        findings.append(Finding("warning", items.file, None, found, "ids of items.csv; left out"))
    groups = find_groups(collection)
    if len(groups.members):
        items_of = [groups.add_members(np.array([first])) for first in groups.sizes]
        few = list_names(" = ".join(items.ids[item] for item in group) for group in items_of)
        found = f"{len(items_of):,} groups of near-duplicates, {len(groups.members):,} items"
        wanted = "items of their own; copies = once counts each group as one"
        findings.append(Finding("note", items.file, None, f"{found} ({few})", wanted))
    return findings
