"""`python -m dashboard measure`, and the measurements that `compare` rests on."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from dashboard.commands.console import (
    FINE,
    WRONG,
    Answer,
    Command,
    add_collection,
    complain_about,
    opened,
    unusable,
)
from dashboard.commands.experiments import (
    add_keywords,
    add_rules,
    add_submissions,
    experiment_of,
    graded,
    protocol_named,
    refuse_for_files,
    submissions_of,
)
from dashboard.evaluation.measure import summarise
from dashboard.evaluation.metrics import parse
from dashboard.experiment import judging, measuring
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.notes import note_judgement, note_versions
from dashboard.experiment.plain_files import measure_files
from dashboard.experiment.protocols.submissions import FORM, score
from dashboard.tables import DataError, Findings


def add_measure(command: Command) -> None:
    """Enter the command `measure`."""
    added = command("measure", _measure, "metrics of versions, or of plain files of runs")
    add_collection(added, optional=True)
    added.add_argument("--runs", nargs="+", metavar="VERSION", help="default: all versions")
    added.add_argument("--by-query", action="store_true", help="each query's value")
    add_measured(added)


def add_measured(parser: ArgumentParser) -> None:
    """Add the options for what is measured and how, of a collection or of plain files."""
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
) -> tuple[pd.DataFrame, Experiment | None, bool]:
    """The measurements of a call, its experiment (None for plain files), and whether all versions
    were measured.

    versions: None for all; unusable ones are then left out with a warning.
    """
    submitted = call.submission or []
    files = bool(call.run or (call.qrels and submitted))
    if (call.collection is None) == (call.qrels is None) or bool(call.qrels) != files:
        raise ValueError("name a COLLECTION, or give --qrels FILE with --run FILE")
    if call.qrels:
        return _of_files(call), None, True
    collection = opened(call)
    experiment, findings = experiment_of(call, collection), Findings()
    every = ((), collection.versions)[versions is None and not submitted]
    names = [*(versions or every), *(each.name for each in submitted)]
    table, left_out = _measured(
        experiment, names, call.metrics or experiment.rules.metrics, findings, versions is None
    )
    complain_about(findings.frame())
    gone = unusable(collection) if versions is None and not submitted else []
    return table, experiment, not left_out and not gone


def _measured(
    experiment: Experiment, names: Sequence[str], metrics: str, findings: Findings, all_of: bool
) -> tuple[pd.DataFrame, list[str]]:
    """The measurements of versions and submissions, and the names of those without any.

    Raises DataError where a version cannot be used; of `all_of` them only where none can.
    """
    names = list(dict.fromkeys(names))
    if not names:
        raise _without_versions(experiment)
    tables: dict[str, pd.DataFrame] = {}
    problems: list[DataError] = []
    silent: list[str] = []
    for name in names:
        try:
            table = measuring.measurements(experiment, (name,), metrics)
            silent += note_versions(experiment, (name,), findings)
            tables[name] = table
        except DataError as problem:
            problems.append(problem)
            findings.error(problem)
    if problems and not (all_of and tables):
        raise problems[-1]
    for each in experiment.submissions:
        complain_about(score(experiment.folder, experiment.digest, each).findings)
    judgement = judging.counted_judgement(experiment)
    note_judgement(experiment.rules, judgement, parse(metrics), findings)
    left_out = [name for name in names if name not in tables]
    return pd.concat(tables.values(), ignore_index=True), [*left_out, *silent]


def _without_versions(experiment: Experiment) -> DataError:
    wanted = "a model or a run"
    if experiment.rules.takes_features:
        wanted = f"{wanted}, or features: --submission {FORM}"
    elif experiment.rules.in_rows:
        wanted = f"{wanted}; lists that people saw go without: python -m dashboard satisfaction"
    return DataError(experiment.collection.name, "no usable version", wanted)


def _of_files(call: Namespace) -> pd.DataFrame:
    refuse_for_files(call)
    protocol, findings = graded(protocol_named(call.protocol), call), Findings()
    table = measure_files(
        call.qrels,
        call.run or [],
        protocol,
        call.metrics or protocol.metrics,
        findings,
        submissions_of(call, protocol),
        which=call.queries or "",
    )
    complain_about(findings.frame())
    return table
