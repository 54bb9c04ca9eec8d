"""What is measured when a call names a collection, or plain files of judgements and runs."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pandas as pd

from dashboard.commands.asked import Asked
from dashboard.commands.numbers import at_least_one
from dashboard.commands.submitted import submission, submitted_runs
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.measure import measure
from dashboard.evaluation.metrics import Measure, parse
from dashboard.evaluation.protocols import Protocol, trec
from dashboard.evaluation.submission import DIMENSION
from dashboard.storage.collection import Collection
from dashboard.storage.files import read_qrels, read_run
from dashboard.storage.findings import Findings, listed
from dashboard.storage.submissions import FORM, Submission
from dashboard.storage.versions import RUN_NAME
from dashboard.tables import DataError


@dataclass(frozen=True)
class Extras:
    """What a call adds to the versions: submissions of features, and their dimension if it is
    another than the protocol's."""

    submitted: Sequence[Submission] = ()
    dimension: int | None = None


def add_arguments(parser: ArgumentParser) -> None:
    """The options of a call that measures features instead of versions or runs."""
    text = "features for the protocol composed, ids beside them as .txt; again for more"
    parser.add_argument("--submission", type=submission, action="append", metavar=FORM, help=text)
    text = f"of submitted features ({DIMENSION})"
    parser.add_argument("--dimension", type=at_least_one, metavar="D", help=text)


def measure_collection(
    asked: Asked,
    versions: Sequence[str],
    metrics: str,
    extras: Extras = Extras(),  # noqa: B008 - frozen
    complaints: Findings | None = None,
) -> pd.DataFrame:
    """The measurements of versions on a collection's stored queries.

    Raises DataError where a version is unknown or a file of labels was refused.
    """
    complaints = Findings() if complaints is None else complaints
    collection, protocol = asked.collection, asked.protocol
    evidence = asked.evidence
    if not versions and not extras.submitted:
        raise DataError(collection.name, "no usable version", "a model or a run")
    measures = parse(metrics)
    found = {version: asked.run(version) for version in versions}
    _say_cut(found, complaints)
    judged = protocol.judge(evidence, asked.groups)
    submitted = _submitted(extras, protocol, judged, found, complaints, collection)
    found |= {name: asked.counting(run) for name, run in submitted.items()}
    judgement = asked.rules.judge(evidence, asked.groups)
    _say(protocol, judgement, measures, complaints)
    return measure(found, judgement, protocol, measures)


def measure_files(
    qrels: Path,
    run_paths: Sequence[Path],
    protocol: Protocol,
    metrics: str,
    complaints: Findings,
    extras: Extras = Extras(),  # noqa: B008 - frozen
) -> pd.DataFrame:
    """The measurements of run files against a file of judgements; a run is named by its file's
    stem."""
    paths: dict[str, Path] = {}
    for path in run_paths:
        if stem(path) in paths:
            raise ValueError(f"two runs are called {stem(path)!r}: {paths[stem(path)]} and {path}")
        paths[stem(path)] = path
    measures = parse(metrics)
    judged = read_qrels(qrels, findings=complaints)
    unknown = SimpleNamespace(queries=None, items=None, keywords=None, query_keywords=None)
    unknown.qrels = judged
    judgement = protocol.judge(unknown, None)
    # without a gallery to go by, equal scores stand as trec_eval puts them, whatever the protocol
    found = {name: read_run(path, "trec", findings=complaints) for name, path in paths.items()}
    for name, run in found.items():
        _compare_queries(name, set(run["query_id"]), set(judgement.query_ids), complaints)
    found |= _submitted(extras, protocol, judgement, found, complaints)
    _say(protocol, judgement, measures, complaints)
    return measure(found, judgement, protocol, measures)


def stem(path: Path) -> str:
    """The name of a run file: without the extension of its format and of gzip."""
    match = RUN_NAME.fullmatch(path.name)
    return match[1] if match else path.stem


def _submitted(
    extras: Extras,
    protocol: Protocol,
    judgement: Judgement,
    others: Mapping[str, pd.DataFrame],
    complaints: Findings,
    collection: Collection | None = None,
) -> dict[str, pd.DataFrame]:
    found = submitted_runs(
        extras.submitted, protocol, judgement, extras.dimension, complaints, collection
    )
    for name in found:
        if name in others:
            raise ValueError(f"a submission is called {name!r} as a run is")
    return found


def _say_cut(runs: Mapping[str, pd.DataFrame], complaints: Findings) -> None:
    """Which runs end early because whole rankings would not fit in memory."""
    for name, run in runs.items():
        if run.attrs.get("cut"):
            found = f"more results than fit in memory; lists end at rank {run.attrs['cut']:,}"
            complaints.note(name, found, "whole rankings; metrics without a cutoff end there, too")


def _say(
    protocol: Protocol, judgement: Judgement, measures: Sequence[Measure], complaints: Findings
) -> None:
    """The judgement's own notes, and which metrics take every relevant item for the same."""
    for sentence in judgement.notes:
        complaints.note("judgements", sentence.rstrip("."), "")
    graded = [str(each) for each in measures if each.metric.reads == "credit"]
    highest = judgement.grade.max(initial=0)
    plain = protocol.name == trec.TREC.name and judgement.credit_is_hit
    if graded and plain and highest > 1:
        found = f"grades up to {highest:g} for {listed(graded)}"
        wanted = "--scale N to give grade ÷ N; every grade from 1 counts as 1"
        complaints.note("judgements", found, wanted)


def _compare_queries(name: str, ran: set[str], judged: set[str], complaints: Findings) -> None:
    """Say how many judged queries a run has nothing for, and how many of its own nobody judged."""
    missing, strange = judged - ran, ran - judged
    if missing:
        found = f"no results for {len(missing)} of {len(judged)} judged queries"
        complaints.warning(name, f"{found} ({listed(sorted(missing))})", "results; they count 0")
    if strange:
        found = f"results of {len(strange)} queries without judgements ({listed(sorted(strange))})"
        complaints.note(name, found, "judged queries; they were left out")
