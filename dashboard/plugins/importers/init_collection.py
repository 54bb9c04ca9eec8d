"""`init`: a collection of files that a team has, in one command."""

import sys
from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from pathlib import Path

from dashboard.commands.options import FINE, WRONG, Answer, add_options, complain, print_ways

HELP = "make a collection of files that you have"
OPTIONS = """
--map OURS=THEIRS,…  columns of the source, such as item_id=sku,caption=title
--judgements NAME  the file of judgements, or of captions, that counts
--relevance COLUMN  what decides: a column, judgements, captions or none
--rows |text|item  what the rows of a matrix of similarities are
--disagreements |mean|majority  what counts of the grades or classes that several people gave one
  pair or picture
--queries-from |keywords|none  ask for each class as a text
--update  make a collection anew that is there
--dry-run  say what would be made
--codes |packed|none  arrays of bytes are packed codes of eight bits each; or bytes, and 0 and 1,
    are vectors
"""
COLUMNS = ("file", "rows", "taken_from", "guessed")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("new", metavar="NEW", help="name of the collection, below data/, or a path")
    parser.add_argument(
        "--from",
        dest="source",
        type=Path,
        required=True,
        metavar="SOURCE",
        help="folder or file to read; nothing in it is changed",
    )
    add_options(parser, OPTIONS)
    parser.add_argument(
        "--by-position",
        action=BooleanOptionalAction,
        help="vectors without ids are in the order of the items and texts",
    )
    parser.set_defaults(rows=None, disagreements=None, queries_from=None, codes=None)


def answer(call: Namespace) -> Answer:
    """Return a row a file; print what was left out, and then the answer in four lines.

    Raises:
        DataError: If the source, or what is made of it, cannot be used; nothing is left then.
    """
    from dashboard.errors import Unsure
    from dashboard.plugins.importers.making import CHOICES, make_collection

    try:
        rows, findings, lines = make_collection(call)
    except Unsure as error:
        asked = {line.split()[0].strip("-").replace("-", "_") for line in error.lines}
        kept = [name for name in (*CHOICES, "update", "dry_run") if name not in asked]
        print_ways(error, call, ["init", call.new, "--from", str(call.source)], kept)
        return [], COLUMNS, WRONG
    complain(findings)
    print(*lines, sep="\n", file=sys.stderr)
    return rows, COLUMNS, FINE
