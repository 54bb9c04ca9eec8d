"""What all commands share: how their words and numbers are read, how a collection is opened, what
is complained about, and exit codes."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import inf, nan
from typing import Any, NoReturn, Protocol

import pandas as pd

from dashboard.commands.output import one_line
from dashboard.experiment.collection.collections import Collection, opened_at
from dashboard.letters import escaped_lines


class OneLine(ArgumentParser):
    """A parser whose errors are one line, as all errors here are."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{one_line(message)} ({self.prog} --help tells more)\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        super()._print_message(escaped_lines(message) if message else message, file)


def at_least_one(text: str) -> int:
    """A whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def seed(text: str) -> int:
    """A whole number that generators of random numbers begin with."""
    if not (text.isdecimal() and text.isascii()) or int(text) >= 2**32:
        raise ArgumentTypeError(f"{text[:40]!r} is not a whole number from 0 to {2**32 - 1}")
    return int(text)


def share(text: str) -> float:
    """A number between 0 and 1."""
    return _number(text, "between 0 and 1", lambda number: 0 <= number <= 1)


def positive(text: str) -> float:
    """A number above 0."""
    return _number(text, "above 0", lambda number: 0 < number < inf)


def cosine(text: str) -> float:
    """A number between -1 and 1."""
    return _number(text, "between -1 and 1", lambda number: -1 <= number <= 1)


def _number(text: str, wanted: str, fits: Callable[[float], bool]) -> float:
    try:
        number = float(text)
    except ValueError:
        number = nan
    if not fits(number):
        raise ArgumentTypeError(f"{text!r} is not a number {wanted}")
    return number


FINE, FINDING, WRONG = 0, 1, 2
EXIT_CODES = {
    FINE: "The call succeeded.",
    FINDING: "There is a finding: a failed check, a regression, a model made for another gallery, "
    "a metric without a value in both versions, or a stale file.",
    WRONG: "The call is wrong, or something cannot be read. Where that is only a part, the rest is "
    "printed, and stderr names what is missing. Or somebody stopped the call (Ctrl-C, SIGTERM).",
}
ALL = ("error", "warning", "note")
Answer = tuple[pd.DataFrame, int]


class Answering(Protocol):
    """Computes the table and the exit code of a call."""

    def __call__(self, call: Namespace, /) -> Answer: ...


class Command(Protocol):
    """Enters a command by its name, its function and its description; returns its parser."""

    def __call__(self, name: str, answer: Answering, about: str, /) -> ArgumentParser: ...


def add_collection(parser: ArgumentParser, *, optional: bool = False) -> None:
    """Add the argument that names a collection."""
    text = "a folder's path, or the name of one under data/"
    nargs = "?" if optional else None
    parser.add_argument("collection", nargs=nargs, metavar="COLLECTION", help=text)


def opened(call: Namespace) -> Collection:
    """Open the collection of a call; errors and warnings about its files go to stderr."""
    collection = opened_at(call.collection)
    complain_about(collection.findings, ("error", "warning"))
    return collection


def unusable(collection: Collection) -> list[str]:
    """The versions of a collection that cannot be used at all."""
    return [name for name in collection.broken if name not in collection.versions]


@contextmanager
def resumed_later() -> Iterator[None]:
    """Work that goes on at the next call: who stops it reads so."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt("the same command goes on where it was") from stop


def complain_about(findings: pd.DataFrame, levels: Sequence[str] = ALL) -> None:
    """A line on stderr for each finding of these levels."""
    for row in findings[findings["level"].isin(levels)].to_dict("records"):
        line = "" if pd.isna(row["line"]) else f", line {row['line']}"
        found, wanted = row["found"], row["wanted"]
        sentence = f"found {found}; wanted {wanted}" if wanted else found
        complain(f"{row['level']}: {row['file']}{line}: {sentence}")


def complain(problem: object) -> None:
    """One line on stderr."""
    print(one_line(problem), file=sys.stderr)
