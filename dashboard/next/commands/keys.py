"""`keys`: the keys of a link."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from dashboard.next.commands.options import FINE

HELP = "the keys of a link"
COLUMNS = ("key", "holds")


def add_arguments(parser: ArgumentParser) -> None:
    """Add no arguments."""


def answer(call: Namespace) -> tuple[list[dict[str, Any]], tuple[str, ...], int]:
    """Return a row a key."""
    from dashboard.next.study.choices import list_choices

    rows = [{"key": "collection", "holds": "name of a folder below the data folder"}]
    rows += [{"key": each.key, "holds": each.meaning} for each in list_choices()]
    return rows, COLUMNS, FINE
