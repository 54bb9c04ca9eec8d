"""`search`: results of each version for a text or an item."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from dashboard.next.commands.options import (
    FINE,
    WRONG,
    add_choices,
    add_collection,
    complain_about_broken,
    open_study_of,
)

HELP = "results of each version for a text or an item"
COLUMNS = ("run", "rank", "item_id", "score", "hit", "matched", "required")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_collection(parser)
    parser.add_argument("text", nargs="?", default="", metavar="TEXT", help="what to search for")
    parser.add_argument("--item", default="", metavar="ID", help="item to find similar ones of")
    text = "versions to search with (default: all)"
    parser.add_argument("--model", dest="runs", nargs="+", metavar="VERSION", help=text)
    text = "number of results of a version (default 5)"
    parser.add_argument("-k", type=int, default=5, metavar="NUMBER", help=text)
    add_choices(parser)


def answer(call: Namespace) -> tuple[list[dict[str, Any]], tuple[str, ...], int]:
    """Return a row a result."""
    if bool(call.text) == bool(call.item) or call.k < 1:
        raise ValueError("Give one of TEXT and --item ID, and -k from 1.")
    study, choices = open_study_of(call)
    found = study.search(choices["runs"], text=call.text, item=call.item, depth=call.k)
    code = complain_about_broken(study.collection, chosen=call.runs is not None)
    for version, why in found.problems.items():
        if version not in study.collection.broken:
            print(f"error: {version}: {why}", file=sys.stderr)
            code = WRONG
    return found.rows, COLUMNS, code or FINE
