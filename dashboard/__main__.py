"""`python -m dashboard COMMAND …`: every number and table that a screen shows, without a screen.

Tables go to stdout, complaints to stderr, one line each.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from dashboard.commands import comparing, measuring, reference, satisfaction, searching
from dashboard.commands.collections import (
    adding,
    checking,
    embedding,
    indexing,
    initializing,
    keywords,
    preparing,
    running,
)
from dashboard.commands.console import EXIT_CODES, WRONG, Answering, OneLine, complain
from dashboard.commands.output import Format, printed
from dashboard.commands.reviews import reviewing, sharing
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
        form: Format = "blocks" if call.as_blocks and call.format == "table" else call.format
        print(printed(table, form, on_terminal=sys.stdout.isatty()), flush=True)
    except BrokenPipeError:
        # The reader has seen enough (`| head`); nothing is left to write to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return int(code)


def _parser() -> argparse.ArgumentParser:
    codes = " ".join(f"{code}: {meaning}" for code, meaning in EXIT_CODES.items())
    parser = OneLine(prog="python -m dashboard", description=__doc__, epilog=f"Exit codes: {codes}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    abouts: dict[str, str] = {}

    def command(name: str, answer: Answering, about: str, /) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=about, description=about)
        added.add_argument("--format", choices=("table", "csv", "json"), default="table")
        added.set_defaults(answer=answer, as_blocks=False)
        abouts[name] = about
        return added

    initializing.add_init(command)
    checking.add_check(command)
    measuring.add_measure(command)
    comparing.add_compare(command)
    comparing.add_report(command)
    searching.add_search(command)
    satisfaction.add_to(command)
    checking.add_digests(command)
    indexing.add_to(command)
    keywords.add_keywords_of(command)
    adding.add_add(command)
    embedding.add_embed(command)
    running.add_run(command)
    preparing.add_prepare(command)
    reviewing.add_reviews(command)
    sharing.add_links(command)
    reference.add_to(command, abouts)
    return parser


if __name__ == "__main__":
    escape_logs()
    sys.exit(main())
