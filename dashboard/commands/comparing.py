"""`python -m dashboard compare` and `report`: a candidate held against a baseline."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from dashboard.commands import gate
from dashboard.commands.console import (
    FINDING,
    FINE,
    Answer,
    Command,
    add_collection,
    complain,
    complain_about,
    opened,
)
from dashboard.commands.experiments import add_keywords, add_rules, add_submissions, experiment_of
from dashboard.commands.measuring import add_measured, measurements_of
from dashboard.commands.output import make_folder, write_file
from dashboard.evaluation.comparison import compare as comparing
from dashboard.evaluation.metrics import parse
from dashboard.experiment import measuring, ranking
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.notes import note_versions
from dashboard.tables import Findings, counted

if TYPE_CHECKING:
    from dashboard.views.report import Report


def add_compare(command: Command) -> None:
    """Enter the command `compare`, which is the gate for CI, too."""
    added = command("compare", _compare, "compare two versions; exit 1 if the candidate is worse")
    add_collection(added, optional=True)
    gate.add_arguments(added)
    _add_pair(added)
    add_measured(added)


def add_report(command: Command) -> None:
    """Enter the command `report`."""
    added = command("report", _report, "the comparison of two versions as one offline HTML file")
    add_collection(added)
    added.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.html")
    added.add_argument("--tables", type=Path, metavar="FOLDER", help="its tables as CSV and JSON")
    _add_pair(added)
    add_submissions(added)
    add_rules(added)
    add_keywords(added)


def _add_pair(parser: ArgumentParser) -> None:
    parser.add_argument("--baseline", required=True, metavar="VERSION")
    parser.add_argument("--candidate", required=True, metavar="VERSION")
    parser.add_argument(
        "--anyway", action="store_true", help="also versions that are not comparable"
    )


def _compare(call: Namespace) -> Answer:
    _check_submissions(call)
    pair, barrier = (call.baseline, call.candidate), gate.Gate.of(call)
    if barrier is not None:
        call.metrics = barrier.metrics
        measurements, experiment, _ = measurements_of(call, pair)
        table, broken = barrier.answer(measurements, experiment, *pair)
        for each in broken:
            complain(f"{each.outcome}: {each.name}: {each.reason}")
        return table, FINDING if broken else FINE
    measurements, experiment, _ = measurements_of(call, pair)
    ways = ranking.unlike(experiment, *pair) if experiment else []
    if ways and not call.anyway:
        raise ValueError(f"{'; '.join(ways)}. To compare them all the same, add --anyway")
    scenes = measuring.scenes_of(experiment) if experiment else None
    table = comparing.compare(measurements, *pair, groups=scenes)
    silent = table[table["scored"] == 0]
    for total in silent["total"].unique().tolist():
        of = counted(total, "query", "queries")
        names = ", ".join(dict.fromkeys(silent.loc[silent["total"] == total, "metric"]))
        complain(f"{names}: none of {of} is scored in both versions")
    # a metric of the protocol may have no value, such as one of the other direction of matching;
    # a metric that the call names must have one
    missing = len(silent) > 0 and (bool(call.metrics) or len(silent) == len(table))
    return table, FINDING if _regressed(table) or missing else FINE


def _regressed(comparison: pd.DataFrame) -> bool:
    """Whether some metric fell by more than chance explains: its interval lies below 0."""
    return bool((comparison["high"] < 0).any())


def _report(call: Namespace) -> Answer:
    _check_submissions(call)
    experiment, findings = experiment_of(call, opened(call)), Findings()
    pair, metrics = (call.baseline, call.candidate), call.metrics or ""
    made = _report_of(experiment, *pair, metrics, f"{date.today()}", findings, call.anyway)
    complain_about(findings.frame())
    return _write_report(made, call.output, call.tables), FINE


def _report_of(
    experiment: Experiment,
    baseline: str,
    candidate: str,
    metrics: str,
    date: str,
    findings: Findings,
    anyway: bool = False,
) -> Report:
    """The report on two versions by a collection's stored queries, with the numbers of `compare`.

    metrics: as the caller names them, the first in front, or empty for the protocol's own.
    Raises DataError where a version is unknown or a file of labels was refused, ValueError where
    the versions are not comparable (unless `anyway`).
    """
    measures = tuple(parse(metrics or experiment.rules.metrics))
    note_versions(experiment, (baseline, candidate), findings)
    front = measures[0] if metrics else experiment.rules.front
    ways = ranking.unlike(experiment, baseline, candidate)
    if ways and not anyway:
        raise ValueError(f"{'; '.join(ways)}. To compare them all the same, add --anyway")
    from dashboard.views.report import Comparison, report  # its charts take a second to import

    return report(Comparison(experiment, baseline, candidate, measures, front, date))


def _write_report(made: Report, page: Path, folder: Path | None) -> pd.DataFrame:
    """Write the page, and where a folder is given its tables; a row for each file: file, bytes."""
    contents: dict[Path, str] = {page: made.html}
    if folder is not None:
        make_folder(folder)
        contents |= {folder / name: content for name, content in made.files.items()}
    sizes = [write_file(path, content) for path, content in contents.items()]
    return pd.DataFrame({"file": [str(path) for path in contents], "bytes": sizes})


def _check_submissions(call: Namespace) -> None:
    """Raise ValueError for a submission that is neither baseline nor candidate."""
    for each in call.submission or ():
        if each.name not in (call.baseline, call.candidate):
            raise ValueError(
                f"--submission {each.name}: neither the baseline {call.baseline} nor the "
                f"candidate {call.candidate} is called so"
            )
