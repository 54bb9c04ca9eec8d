"""`python -m dashboard compare` and `report`: a candidate held against a baseline."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import date

from dashboard.commands import answers, gate, report
from dashboard.commands.experiments import add_keywords, add_rules, experiment_of
from dashboard.commands.measuring import add_measured, measurements_of
from dashboard.commands.said import (
    FINDING,
    FINE,
    Answer,
    Command,
    add_collection,
    complain,
    complain_about,
    opened,
)
from dashboard.commands.submissions import add_submissions
from dashboard.evaluation import compare as comparing
from dashboard.experiment import measuring, ranking
from dashboard.storage.findings import Findings


def add_compare(command: Command) -> None:
    """Enter the command `compare`, which is the gate for CI, too."""
    added = command("compare", _compare, "a candidate against a baseline; exit 1 if it is worse")
    add_collection(added, optional=True)
    gate.add_arguments(added)
    _add_pair(added)
    add_measured(added)


def add_report(command: Command) -> None:
    """Enter the command `report`."""
    added = command("report", _report, "a candidate against a baseline as one offline HTML file")
    add_collection(added)
    report.add_arguments(added)
    _add_pair(added)
    add_submissions(added)
    add_rules(added)
    add_keywords(added)


def _add_pair(parser: ArgumentParser) -> None:
    parser.add_argument("--baseline", required=True, metavar="VERSION")
    parser.add_argument("--candidate", required=True, metavar="VERSION")
    parser.add_argument("--anyway", action="store_true", help="even if they are not comparable")


def _compare(call: Namespace) -> Answer:
    _check_submissions(call)
    pair, barrier = (call.baseline, call.candidate), gate.Gate.of(call)
    if barrier is not None:
        call.metrics = barrier.metrics
        measurements, experiment, _ = measurements_of(call, pair)
        table, broken = barrier.answer(measurements, experiment, *pair)
        for each in broken:
            complain(f"{each.outcome}: {each.name}: {each.said}")
        return table, FINDING if broken else FINE
    measurements, experiment, _ = measurements_of(call, pair)
    ways = ranking.unlike(experiment, *pair) if experiment else []
    if ways and not call.anyway:
        raise ValueError(f"{'; '.join(ways)}. To compare them all the same, add --anyway")
    scenes = measuring.scenes_of(experiment) if experiment else None
    table = comparing.compare(measurements, *pair, groups=scenes)
    silent = table[table["scored"] == 0]
    for row in silent.itertuples():
        complain(f"{row.metric}: none of {row.total:,} queries is scored in both versions")
    # of the protocol's own metrics some may be of queries that nobody asked for, such as those of
    # the other direction; one that is named must have a value
    missing = len(silent) > 0 and (bool(call.metrics) or len(silent) == len(table))
    return table, FINDING if answers.regressed(table) or missing else FINE


def _report(call: Namespace) -> Answer:
    _check_submissions(call)
    experiment, findings = experiment_of(call, opened(call)), Findings()
    pair, metrics = (call.baseline, call.candidate), call.metrics or ""
    made = report.report_of(experiment, *pair, metrics, f"{date.today()}", findings, call.anyway)
    complain_about(findings.frame())
    return report.write(made, call.output, call.tables), FINE


def _check_submissions(call: Namespace) -> None:
    """Raise ValueError for a submission that is given and not compared."""
    for each in call.submission or ():
        if each.name not in (call.baseline, call.candidate):
            raise ValueError(
                f"--submission {each.name}: neither the baseline {call.baseline} nor the "
                f"candidate {call.candidate} is called so"
            )
