"""A call's words and numbers, read or refused with one sentence."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from typing import NoReturn


class OneLine(ArgumentParser):
    """A parser that complains in one line, as everything else here does."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{message} ({self.prog} --help tells more)\n")


def at_least_one(text: str) -> int:
    """A whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def share(text: str) -> float:
    """A number between 0 and 1."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise ArgumentTypeError(f"{text!r} is not a number between 0 and 1")
    return number


def positive(text: str) -> float:
    """A number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise ArgumentTypeError(f"{text!r} is not a number above 0")
    return number


def cosine(text: str) -> float:
    """A number between -1 and 1."""
    try:
        number = float(text)
    except ValueError:
        number = -2.0
    if not -1 <= number <= 1:
        raise ArgumentTypeError(f"{text!r} is not a number between -1 and 1")
    return number
