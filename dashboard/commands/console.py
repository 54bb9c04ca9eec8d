"""What all commands share: how a collection is opened, what is complained about, and exit codes."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Protocol

import pandas as pd

from dashboard.commands.output import one_line
from dashboard.experiment.collection.collections import Collection, opened_at

FINE, FINDING, WRONG = 0, 1, 2
EXIT_CODES = {
    FINE: "The call did what it was asked to.",
    FINDING: "There is a finding: a failed check, a regression, a model made for another gallery, "
    "a metric without a value in both versions, or a stale file.",
    WRONG: "The call is wrong, or something cannot be read. Where that is only a part, the rest is "
    "printed, and stderr names what is missing.",
}
ALL = ("error", "warning", "note")
Answer = tuple[pd.DataFrame, int]


class Answering(Protocol):
    """What makes the table and the exit code of a call."""

    def __call__(self, call: Namespace, /) -> Answer: ...


class Command(Protocol):
    """Enters a command by its name, what answers it and what it is about; gives its parser."""

    def __call__(self, name: str, answer: Answering, about: str, /) -> ArgumentParser: ...


def add_collection(parser: ArgumentParser, *, optional: bool = False) -> None:
    """The argument that names a collection."""
    text = "a folder's path, or the name of one under data/"
    nargs = "?" if optional else None
    parser.add_argument("collection", nargs=nargs, metavar="COLLECTION", help=text)


def opened(call: Namespace) -> Collection:
    """The collection of a call; what of its files was refused or left out is complained about."""
    collection = opened_at(call.collection)
    complain_about(collection.findings, ("error", "warning"))
    return collection


def unusable(collection: Collection) -> list[str]:
    """The versions that are there and cannot be used at all."""
    return [name for name in collection.broken if name not in collection.versions]


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
