"""Plain files without a collection: measures runs against judgements, and reads the list of known
queries for the gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pandas as pd

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.measure import measure
from dashboard.evaluation.metrics import Measure, parse
from dashboard.evaluation.metrics.registry import measure as measure_named
from dashboard.evaluation.protocols import Protocol, crossmodal
from dashboard.experiment.notes import note_judgement
from dashboard.experiment.protocols.submissions import Submitted, score_against
from dashboard.storage.collection.error_places import placing_in
from dashboard.storage.files.tables import read_table
from dashboard.storage.runs.runs import read_qrels, read_run
from dashboard.storage.versions.versions import RUN_NAME
from dashboard.tables import DataError, Findings, Table, counted, listed

KNOWN = Table(
    "known",
    {"query_id": "text", "metric": "text", "least": "number", "status": "text"},
    key=("query_id", "metric"),
)
STATUS = ("good", "fails")


def measure_files(
    qrels: Path,
    run_paths: Sequence[Path],
    protocol: Protocol,
    metrics: str,
    findings: Findings,
    submissions: Sequence[Submitted] = (),
    which: str = "",
) -> pd.DataFrame:
    """The measurements of run files against a file of judgements; a run is named by its file's
    stem. which: "text" or "item" (pictures), the kind of its queries; empty: unknown."""
    paths: dict[str, Path] = {}
    for path in run_paths:
        if stem(path) in paths:
            raise ValueError(f"two runs are called {stem(path)!r}: {paths[stem(path)]} and {path}")
        paths[stem(path)] = path
    measures = parse(metrics)
    judged = read_qrels(qrels, findings=findings)
    unknown = SimpleNamespace(queries=None, items=None, keywords=None, query_keywords=None)
    unknown.qrels = judged
    with placing_in(qrels):
        judgement = protocol.judge(unknown, None)
    if protocol.mutual:
        judgement = _of_direction(judgement, measures, which)
    # without a gallery equal scores stand in trec_eval's order, whatever the protocol
    runs = {name: read_run(path, "trec", findings=findings) for name, path in paths.items()}
    for name, run in runs.items():
        _compare_queries(name, set(run["query_id"]), set(judgement.query_ids), findings)
    for submitted in submissions:
        if submitted.name in runs:
            raise ValueError(f"a submission is called {submitted.name!r} as a run is")
        runs[submitted.name] = score_against(judgement.qrels, submitted, {}, findings)
    note_judgement(protocol, judgement, measures, findings)
    with placing_in(qrels):
        return measure(runs, judgement, protocol, measures)


def _of_direction(judgement: Judgement, measures: Sequence[Measure], which: str) -> Judgement:
    """The judgement of the one direction of a call: that of `which`, or of all its metrics. Without
    either the judgement is unchanged."""
    named = {crossmodal.OF_KIND[each.name] for each in measures if each.name in crossmodal.OF_KIND}
    if which:
        named = {crossmodal.TEXT if which == "text" else crossmodal.IMAGE}
    return crossmodal.of_one_kind(judgement, named.pop()) if len(named) == 1 else judgement


def stem(path: Path) -> str:
    """The name of a run file: without the extension of its format and of gzip."""
    match = RUN_NAME.fullmatch(path.name)
    return match[1] if match else path.stem


def _compare_queries(name: str, ran: set[str], judged: set[str], findings: Findings) -> None:
    """Note how many judged queries a run lacks, and how many of its queries have no judgements."""
    missing, strange = judged - ran, ran - judged
    if missing:
        found = f"no results for {len(missing):,} of {len(judged):,} judged queries"
        findings.warning(name, f"{found} ({listed(sorted(missing))})", "results; they count 0")
    if strange:
        found = f"results of {counted(len(strange), 'query', 'queries')} without judgements"
        wanted = "judged queries; they were left out"
        findings.note(name, f"{found} ({listed(sorted(strange))})", wanted)


@dataclass(frozen=True, eq=False)
class KnownQueries:
    """The table KNOWN, its index the line in the file, and the measure of each row."""

    file: str
    rows: pd.DataFrame
    measures: tuple[Measure, ...]


def read_known_queries(path: Path) -> KnownQueries:
    """The list of known queries: those that are right, and those that fail.

    Raises DataError with its line for an unknown metric or status.
    """
    known = read_table(path, KNOWN)
    measures = []
    for line, row in zip(known.index, known.to_dict("records"), strict=True):
        if row["status"] not in STATUS:
            found = f"the status {row['status'][:80]!r}"
            raise DataError(path.name, found, " or ".join(STATUS), line=int(line))
        try:
            measures.append(measure_named(row["metric"]))
        except ValueError as problem:
            found = f"the metric {row['metric'][:80]!r}"
            raise DataError(path.name, found, str(problem).rstrip("."), line=int(line)) from problem
    return KnownQueries(path.name, known, tuple(measures))
