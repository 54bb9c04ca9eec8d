"""What is measured when a call names a collection, or plain files of judgements and runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import pandas as pd

from dashboard.commands.asked import Asked
from dashboard.commands.submitted import Extras, submitted_runs
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.measure import measure
from dashboard.evaluation.metrics import Measure, parse
from dashboard.evaluation.protocols import Protocol, trec
from dashboard.storage.files import read_qrels, read_run
from dashboard.storage.findings import Findings, listed
from dashboard.storage.placed import placed_in
from dashboard.storage.versions import RUN_NAME
from dashboard.tables import DataError, counted


def measure_collection(
    asked: Asked, versions: Sequence[str], metrics: str, *, or_left_out: bool = False
) -> tuple[pd.DataFrame, list[str]]:
    """The measurements of versions and submissions on a collection's stored queries; and the
    versions that were left out.

    Raises DataError where a file of labels was refused, or a version cannot be used: with
    `or_left_out` only where none can, others are left out, said.
    """
    evidence, submitted = asked.evidence, asked.submitted
    if not versions and not submitted:
        raise DataError(asked.collection.name, "no usable version", "a model or a run")
    measures, found, left_out = parse(metrics), {}, []
    for version in dict.fromkeys([*versions, *submitted]):
        try:
            found[version] = asked.run(version)
        except DataError as problem:
            if not or_left_out or len(left_out) + 1 == len(versions):
                raise
            left_out.append(version)
            asked.noted.error(problem)
    _say_cut(found, asked.noted)
    judgement = asked.rules.judge(evidence, asked.groups)
    _say(asked.protocol, judgement, measures, asked.noted)
    return measure(found, judgement, asked.protocol, measures), left_out


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
    try:
        judgement = protocol.judge(unknown, None)
    except DataError as problem:
        raise placed_in(problem, qrels) from problem
    # without a gallery to go by, equal scores stand as trec_eval puts them, whatever the protocol
    found = {name: read_run(path, "trec", findings=complaints) for name, path in paths.items()}
    for name, run in found.items():
        _compare_queries(name, set(run["query_id"]), set(judgement.query_ids), complaints)
    for name, run in submitted_runs(extras, protocol, judgement, complaints).items():
        if name in found:
            raise ValueError(f"a submission is called {name!r} as a run is")
        found[name] = run
    _say(protocol, judgement, measures, complaints)
    return measure(found, judgement, protocol, measures)


def stem(path: Path) -> str:
    """The name of a run file: without the extension of its format and of gzip."""
    match = RUN_NAME.fullmatch(path.name)
    return match[1] if match else path.stem


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
        found = f"no results for {len(missing):,} of {len(judged):,} judged queries"
        complaints.warning(name, f"{found} ({listed(sorted(missing))})", "results; they count 0")
    if strange:
        found = f"results of {counted(len(strange), 'query', 'queries')} without judgements"
        wanted = "judged queries; they were left out"
        complaints.note(name, f"{found} ({listed(sorted(strange))})", wanted)
