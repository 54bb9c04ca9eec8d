"""`python -m dashboard COMMAND …`: every number and table that a screen shows, without a screen.

Tables go to stdout, complaints to stderr, one line each.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from dashboard.commands.console import Answering
    from dashboard.commands.output import Format

ENTERED_BY = {
    "init": "collections.initializing.add_init",
    "check": "collections.checking.add_check",
    "measure": "measuring.add_measure",
    "compare": "comparing.add_compare",
    "report": "comparing.add_report",
    "search": "searching.add_search",
    "satisfaction": "satisfaction.add_to",
    "digests": "collections.checking.add_digests",
    "index": "collections.indexing.add_to",
    "keywords": "collections.keywords.add_keywords_of",
    "add": "collections.adding.add_add",
    "embed": "collections.embedding.add_embed",
    "run": "collections.running.add_run",
    "prepare": "collections.preparing.add_prepare",
    "reviews": "reviews.reviewing.add_reviews",
    "links": "reviews.sharing.add_links",
}
"""Which function of `dashboard.commands` enters a command; those of `reference` enter last."""
STAYS = "what is in the cache folder stays, and the same command takes it from there"
"""What somebody reads who stops a call that says nothing else about it."""
STOPPED = 2


def main(arguments: Sequence[str] | None = None, parser: ArgumentParser | None = None) -> int:
    """Answer one call; returns the exit code. Who stops it reads one sentence, and no traceback.

    parser: of the call's command, where it is at hand.
    """
    try:
        return _answered(arguments, parser)
    except KeyboardInterrupt as stop:
        return _say_stopped(str(stop) or STAYS)


def _say_stopped(further: str = STAYS) -> int:
    print(f"stopped; {further}", file=sys.stderr)
    return STOPPED


def _answered(arguments: Sequence[str] | None, parser: ArgumentParser | None) -> int:
    # not above: who stops the call while these are imported reads the sentence, too
    from dashboard.commands.console import WRONG, complain
    from dashboard.commands.output import printed
    from dashboard.logs import escape_logs
    from dashboard.tables import DataError

    if arguments is None:
        escape_logs()  # this process is the call alone
    if parser is None:
        parser = _parser(*(sys.argv[1:] if arguments is None else arguments)[:1])
    call = parser.parse_args(arguments)
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


def _parser(named: str = "") -> ArgumentParser:
    """The parser of all commands, or of the `named` one alone, which spares the others' import."""
    from dashboard.commands.console import EXIT_CODES, OneLine

    codes = " ".join(f"{code}: {meaning}" for code, meaning in EXIT_CODES.items())
    parser = OneLine(prog="python -m dashboard", description=__doc__, epilog=f"Exit codes: {codes}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    abouts: dict[str, str] = {}

    def command(name: str, answer: Answering, about: str, /) -> ArgumentParser:
        added = commands.add_parser(name, help=about, description=about)
        added.add_argument("--format", choices=("table", "csv", "json"), default="table")
        added.set_defaults(answer=answer, as_blocks=False)
        abouts[name] = about
        return added

    gc.disable()  # modules stay: to look for garbage among them is a sixth of their import
    try:
        for name in [named] if named in ENTERED_BY else ENTERED_BY:
            module, function = ENTERED_BY[name].rsplit(".", 1)
            getattr(import_module(f"dashboard.commands.{module}"), function)(command)
        if named not in ENTERED_BY:
            import_module("dashboard.commands.reference").add_to(command, abouts)
    finally:
        gc.enable()
    return parser


class Stopped(KeyboardInterrupt):
    """Ctrl-C or SIGTERM. Of Python's own kind it would give the exit code, even where it is caught,
    if it came while code in a string ran, as of a namedtuple."""


def _stop(number: int, frame: FrameType | None) -> None:
    raise Stopped


def _at_a_stop(act: Callable[[int, FrameType | None], object]) -> None:
    """What Ctrl-C and SIGTERM do from now on, unless whoever started this process ignores them."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, act)


if __name__ == "__main__":
    _at_a_stop(lambda *_: os._exit(_say_stopped()))
    made = _parser(*sys.argv[1:2])  # imports may swallow an exception, so a stop raises none here
    _at_a_stop(_stop)
    code = main(parser=made)
    _at_a_stop(lambda *_: os._exit(code))  # while Python ends
    sys.exit(code)
