"""`python -m dashboard measure`, and the measurements that `compare` rests on."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from dashboard.commands import answers, measured
from dashboard.commands.asked import (
    Asked,
    add_keywords,
    add_rules,
    asked_of,
    refuse_for_files,
    scaled,
)
from dashboard.commands.said import (
    FINE,
    WRONG,
    Answer,
    Command,
    add_collection,
    complain_about,
    opened,
    unusable,
)
from dashboard.commands.submitted import Extras, add_submissions
from dashboard.evaluation.measure import summarise
from dashboard.storage.findings import Findings


def add_measure(command: Command) -> None:
    """Enter the command `measure`."""
    added = command("measure", _measure, "metrics of versions, or of plain files of runs")
    add_collection(added, optional=True)
    added.add_argument("--runs", nargs="+", metavar="VERSION", help="default: all versions")
    added.add_argument("--by-query", action="store_true", help="each query's value")
    add_measured(added)


def add_measured(parser: ArgumentParser) -> None:
    """The options that say what is measured and how, of a collection or of plain files."""
    add_submissions(parser)
    parser.add_argument("--qrels", type=Path, metavar="FILE", help="judgements, TREC or CSV")
    text = "a run; again for more"
    parser.add_argument("--run", type=Path, action="append", metavar="FILE", help=text)
    add_rules(parser)
    add_keywords(parser)


def _measure(call: Namespace) -> Answer:
    measurements, _, whole = measurements_of(call, call.runs)
    code = FINE if whole else WRONG
    if call.by_query:
        return measurements[["run", "query_id", "metric", "cutoff", "value"]], code
    return summarise(measurements), code


def measurements_of(
    call: Namespace, versions: Sequence[str] | None
) -> tuple[pd.DataFrame, Asked | None, bool]:
    """The measurements of either form of a call, and what is asked where it is of a collection.

    versions: None for all of them, where those that cannot be used are left out, said; last,
    whether none was.
    """
    submitted = call.submission or []
    files = bool(call.run or (call.qrels and submitted))
    if (call.collection is None) == (call.qrels is None) or bool(call.qrels) != files:
        raise ValueError("give either a COLLECTION, or --qrels FILE with --run FILE")
    if call.qrels:
        return _of_files(call), None, True
    asked = asked_of(call, opened(call))
    if versions is None and submitted:
        versions = ()
    table, left_out = measured.measure_collection(
        asked,
        asked.collection.versions if versions is None else list(dict.fromkeys(versions)),
        call.metrics or asked.protocol.metrics,
        or_left_out=versions is None,
    )
    complain_about(asked.noted.frame())
    gone = unusable(asked.collection) if versions is None else []
    return table, asked, not left_out and not gone


def _of_files(call: Namespace) -> pd.DataFrame:
    refuse_for_files(call)
    protocol, noted = scaled(answers.protocol_named(call.protocol), call.scale), Findings()
    metrics, extras = call.metrics or protocol.metrics, Extras.of(call)
    table = measured.measure_files(call.qrels, call.run or [], protocol, metrics, noted, extras)
    complain_about(noted.frame())
    return table
