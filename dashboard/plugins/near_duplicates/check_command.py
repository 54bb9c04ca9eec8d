"""`check` of the core, which also says how many items are near-duplicates."""

from __future__ import annotations

from argparse import Namespace
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from dashboard.commands import check
from dashboard.commands.options import open_call
from dashboard.errors import DataError

HELP, add_arguments = check.HELP, check.add_arguments


def answer(call: Namespace) -> tuple[list[dict[str, Any]], tuple[str, ...], int]:
    """Return the findings of the core, and after them those on near-duplicates."""
    from dashboard.plugins.near_duplicates.groups import list_findings

    rows, columns, code = check.answer(call)
    with suppress(DataError):  # the core has said it
        rows += [asdict(each) for each in list_findings(open_call(call))]
    return rows, columns, code
