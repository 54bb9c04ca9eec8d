"""How metrics agree with what people said of the lists they saw, as the screens show it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable

import pandas as pd

from dashboard.commands.console import (
    FINE,
    Answer,
    Command,
    add_collection,
    at_least_one,
    complain_about,
    opened,
)
from dashboard.evaluation.metrics.context import DISCOUNTS
from dashboard.evaluation.satisfaction.cag_steps import USUAL
from dashboard.evaluation.satisfaction.source_tables import Reading, ViewedLists
from dashboard.experiment.collection.collections import Collection
from dashboard.experiment.protocols import context_study
from dashboard.tables import DataError, Findings

ABOUT = "correlation of metrics with participants' satisfaction"
TABLES: dict[str, Callable[[ViewedLists, Reading], pd.DataFrame]] = {
    "gains": lambda viewed_lists, reading: viewed_lists.gains(reading),
    "depths": lambda viewed_lists, reading: viewed_lists.table_3(reading),
    "halves": lambda viewed_lists, reading: viewed_lists.halves(reading),
    "spread": lambda viewed_lists, reading: viewed_lists.spread(reading.rows),
    "sizes": lambda viewed_lists, reading: viewed_lists.sizes(),
    "cleaning": lambda viewed_lists, reading: viewed_lists.study(reading.rows).steps,
}
"""The tables by the names of `--table`: Spearman of each gain, the source's table 3, its table 2,
its figure 3, its table 1, and what each step of cleaning left."""


def add_to(command: Command) -> None:
    """Enter the command `satisfaction`."""
    added = command("satisfaction", _satisfaction, ABOUT)
    add_collection(added)
    added.add_argument("--table", choices=TABLES, default="gains")
    added.add_argument("--list", metavar="ID", help="instead: one list, picture by picture")
    added.add_argument(
        "--discount", choices=tuple(DISCOUNTS), default=USUAL, help="of --list (DCG)"
    )
    text = "lists of at least N rows, in their first N (10)"
    added.add_argument("--rows", type=at_least_one, default=Reading.rows, metavar="N", help=text)
    text = "window of the context-aware gain, in pictures (10)"
    added.add_argument(
        "--window", type=at_least_one, default=Reading.window, metavar="W", help=text
    )
    text = "AVG over pictures (same order of lists as CG) or over row means"
    added.add_argument(
        "--average", choices=("pictures", "rows"), default=Reading.average, help=text
    )
    text = "divide a window by its pictures (window) or always by W (w)"
    added.add_argument("--divide", choices=("window", "w"), default=Reading.divide, help=text)


def _satisfaction(call: Namespace) -> Answer:
    table, noted = table_of(opened(call), call)
    complain_about(noted)
    return table, FINE


def table_of(collection: Collection, call: Namespace) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The table that a call names, with whose answers it rests on in its first column; and
    findings.

    Raises DataError where the collection has no lists or no such list, or a file cannot be used.
    """
    study = context_study.study_in(collection.folder)
    known = context_study.lists_in(study)
    for problem in known.refused.values():
        raise problem
    viewed_lists, kind = context_study.viewed_lists(study)
    reading = Reading(call.rows, call.window, call.divide, call.average)
    if call.list is None:
        table = TABLES[call.table](viewed_lists, reading)
    elif (known.places["list_id"] == call.list).any():
        table = viewed_lists.steps(call.list, reading, call.discount)
    else:
        raise DataError(collection.name, f"no list {call.list[:80]!r}", "a list of lists.csv")
    table = table.copy()  # a copy, because results are shared
    table.insert(0, "answers", kind)
    noted = _whose(kind)
    number = viewed_lists.in_each_row(reading.rows) if reading.average == "rows" else None
    if number:
        found = f"{number} pictures in each row, so AVG over rows is that of all pictures"
        noted.note("lists", found, "rows of different lengths, where the two differ")
    return table, pd.concat([known.findings, noted.frame()], ignore_index=True)


def _whose(kind: str) -> Findings:
    noted = Findings()
    if kind == context_study.SIMULATED:
        found = "answers that a browsing model made up"
        noted.note("satisfaction", found, "answers of people; these support no conclusion")
    elif kind == context_study.NONE:
        noted.note("satisfaction", "no answers", "what people said of their lists")
    return noted
