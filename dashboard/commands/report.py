"""`python -m dashboard report`: two versions compared, as one file to hand over."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

import pandas as pd

from dashboard.commands.files import make_folder, write_file
from dashboard.evaluation.metrics import parse
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.notes import note_versions
from dashboard.storage.findings import Findings
from dashboard.views.report import Report, Subject, report


def add_arguments(parser: ArgumentParser) -> None:
    """The flags that only a report has."""
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.html")
    parser.add_argument("--tables", type=Path, metavar="FOLDER", help="its tables as CSV and JSON")


def report_of(
    experiment: Experiment,
    baseline: str,
    candidate: str,
    metrics: str,
    date: str,
    findings: Findings,
    anyway: bool = False,
) -> Report:
    """The report on two versions by a collection's stored queries; the same numbers as `compare`.

    metrics: as the caller names them, the first in front, or empty for the protocol's own.
    Raises DataError where a version is unknown or a file of labels was refused, ValueError where
    the versions are not comparable (unless `anyway`).
    """
    measures = tuple(parse(metrics or experiment.rules.metrics))
    note_versions(experiment, (baseline, candidate), findings)
    front = measures[0] if metrics else experiment.rules.front
    subject = Subject(experiment, baseline, candidate, measures, front, date)
    if subject.unlike and not anyway:
        raise ValueError(f"{'; '.join(subject.unlike)}. To compare them all the same, add --anyway")
    return report(subject)


def write(made: Report, page: Path, folder: Path | None) -> pd.DataFrame:
    """Write the page, and where a folder is given its tables; a row for each file: file, bytes."""
    contents: dict[Path, str] = {page: made.html}
    if folder is not None:
        make_folder(folder)
        contents |= {folder / name: content for name, content in made.files.items()}
    sizes = [write_file(path, content) for path, content in contents.items()]
    return pd.DataFrame({"file": [str(path) for path in contents], "bytes": sizes})
