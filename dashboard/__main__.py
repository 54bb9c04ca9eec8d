"""`python -m dashboard`: exit 0 fine, 1 a finding, 2 a wrong call or an unreadable file."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import NoReturn

from dashboard.commands import (
    NAMES,
    WORDS,
    check,
    compare_slices,
    compare_versions,
    explain_variables,
    keys,
    measure,
    metrics,
    protocols,
    search_items,
)
from dashboard.commands.options import FINE, WRONG, add_choices, add_collection, add_options
from dashboard.commands.output import FORMATS, say, say_each, write_rows
from dashboard.errors import DataError
from dashboard.plugins import list_problems, load_named

FILES = (
    check, measure, compare_versions, compare_slices, search_items, metrics, protocols, keys,
)  # fmt: skip
COMMANDS = dict(zip(NAMES, FILES, strict=True)) | load_named("commands")


class OneLineParser(ArgumentParser):
    """A parser that says in one line what is wrong with a call."""

    def error(self, message: str) -> NoReturn:
        """Print the message and where help is, and exit."""
        say(f"error: {message} ({self.prog} --help tells more)")
        sys.exit(WRONG)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code, which is WRONG where a team's plugin is broken."""
    say_each("error", list_problems())
    say_each("note", explain_variables())
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = OneLineParser(
        prog="python -m dashboard", description="Quality of search, measured and compared."
    )
    added = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        own = added.add_parser(name, help=command.HELP, description=command.HELP)
        if hasattr(command, "add_arguments"):
            command.add_arguments(own)
        elif hasattr(command, "OPTIONS"):
            add_collection(own, hasattr(command, "FILES"))
            if hasattr(command, "KEYS"):
                add_choices(own, *command.KEYS)
            add_options(own, command.OPTIONS)
        own.add_argument("--format", choices=FORMATS, default="table", help="(default: table)")
    options = (word.partition("=")[0] for word in words if word.startswith("--"))
    for word in (word for word in (*words[:1], *options) if word in WORDS):
        parser.error(f"There is no {word} any more. {WORDS[word]}")
    call = parser.parse_args(words)
    try:
        rows, columns, code = COMMANDS[call.command].answer(call)
    except (DataError, ValueError, OSError, KeyboardInterrupt) as error:
        said = str(error) or "stopped before the end"
        if isinstance(error, OSError):
            said = f"{str(error.filename)[:100]}: {error.strerror}"
        say(f"error: {said}")
        return WRONG
    if code == WRONG and not rows:
        return WRONG  # said above; a header without rows would be an answer
    try:
        sys.stdout.write(write_rows(rows, columns, call.format))
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as head, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    return WRONG if list_problems() else int(code)


if __name__ == "__main__":
    sys.exit(main())
