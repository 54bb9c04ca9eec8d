"""`protocols`: every protocol, its definition of relevance and its source."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from dashboard.next.commands.options import FINE

HELP = "every protocol, its definition of relevance and its source"
COLUMNS = ("protocol", "title", "definition", "formula", "source", "blind")


def add_arguments(parser: ArgumentParser) -> None:
    """Add no arguments."""


def answer(call: Namespace) -> tuple[list[dict[str, Any]], tuple[str, ...], int]:
    """Return a row a protocol."""
    from dashboard.next.study.protocols import list_all_rules

    rows = [
        {
            "protocol": each.name,
            "title": each.title,
            "definition": each.definition,
            "formula": each.metrics,
            "source": each.source,
            "blind": each.blind,
        }
        for each in list_all_rules()
    ]
    return rows, COLUMNS, FINE
