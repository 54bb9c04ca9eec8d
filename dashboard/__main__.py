"""`python -m dashboard COMMAND …`: every number and table that a screen shows, without a screen.

Tables go to stdout, complaints to stderr, one line each. Exit code 0: fine; 1: a finding (a failed
check, a regression, nothing to compare by); 2: a wrong call or something unreadable. Where only a
part cannot be read, the rest is printed, stderr says what is missing, and the code is 2 all the
same.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from dashboard.commands import comparing, digests, looking, measuring, satisfaction, searching
from dashboard.commands.arguments import OneLine
from dashboard.commands.console import WRONG, Answering, complain
from dashboard.commands.output import printed
from dashboard.logs import escape_logs
from dashboard.tables import DataError


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer one call; returns the exit code."""
    call = _parser().parse_args(arguments)
    try:
        if getattr(call, "metrics", None) == "":
            raise ValueError("--metrics names no metric; write for example P@5 AP nDCG@10")
        if "metrics" in call:
            call.metrics = call.metrics or ""
        table, code = call.answer(call)
    except (DataError, ValueError, OSError) as problem:
        complain(problem)
        return WRONG
    try:
        print(printed(table, call.format, on_terminal=sys.stdout.isatty()), flush=True)
    except BrokenPipeError:
        # The reader has seen enough (`| head`); nothing is left to write to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _parser() -> argparse.ArgumentParser:
    parser = OneLine(prog="python -m dashboard", description=__doc__)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, answer: Answering, about: str, /) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=about, description=about)
        added.add_argument("--format", choices=("table", "csv", "json"), default="table")
        added.set_defaults(answer=answer)
        return added

    looking.add_check(command)
    measuring.add_measure(command)
    comparing.add_compare(command)
    comparing.add_report(command)
    searching.add_search(command)
    satisfaction.add_to(command)
    digests.add_to(command)
    looking.add_keywords_of(command)
    looking.add_metrics(command)
    return parser


if __name__ == "__main__":
    escape_logs()
    sys.exit(main())
