"""A call's words and numbers, read or refused with one sentence."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from math import inf, nan
from typing import Any, NoReturn

from dashboard.commands.output import one_line
from dashboard.letters import escaped_lines


class OneLine(ArgumentParser):
    """A parser that complains in one line, as everything else here does."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{one_line(message)} ({self.prog} --help tells more)\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        super()._print_message(escaped_lines(message) if message else message, file)


def at_least_one(text: str) -> int:
    """A whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1")
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
