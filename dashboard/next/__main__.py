"""`python -m dashboard.next`: exit 0 fine, 1 a finding, 2 a wrong call or an unreadable file."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from dashboard.next.commands import check, compare, keys, measure, metrics, protocols, search
from dashboard.next.commands.options import WRONG
from dashboard.next.commands.output import FORMATS, print_rows
from dashboard.next.errors import DataError
from dashboard.next.plugins import load_commands

COMMANDS = {
    "check": check,
    "measure": measure,
    "compare": compare,
    "search": search,
    "metrics": metrics,
    "protocols": protocols,
    "keys": keys,
} | load_commands()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    parser = ArgumentParser(
        prog="python -m dashboard.next", description="Quality of search, measured and compared."
    )
    added = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        own = added.add_parser(name, help=command.HELP, description=command.HELP)
        command.add_arguments(own)
        own.add_argument("--format", choices=FORMATS, default="table", help="(default: table)")
    call = parser.parse_args(arguments)
    try:
        rows, columns, code = COMMANDS[call.command].answer(call)
    except (DataError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return WRONG
    print_rows(rows, columns, call.format)
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
