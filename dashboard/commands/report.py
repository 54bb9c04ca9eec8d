"""`python -m dashboard report`: two versions compared, as one file to hand over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from dashboard.commands.answers import ties_of
from dashboard.evaluation.metrics import Measure, parse
from dashboard.evaluation.protocols import Protocol
from dashboard.retrieval import keywords, runs
from dashboard.retrieval.runs import Which
from dashboard.storage.collection import Collection
from dashboard.views.report import Report, Subject, report


def report_of(
    collection: Collection,
    protocol: Protocol,
    baseline: str,
    candidate: str,
    metrics: str,
    groups: Sequence[str],
    which: Which,
    threshold: float,
    date: str,
) -> Report:
    """The report on two versions by a collection's stored queries; the same numbers as `compare`.

    metrics: named by the caller, of which the first is in front, or empty for the protocol's.
    Raises DataError where a version is unknown or a file of labels was refused.
    """
    collection.check_evidence()
    asked = runs.asked_queries(collection, which)
    mapped = keywords.keep(collection.query_keywords, threshold)
    ties = ties_of(protocol)
    versions = (baseline, candidate)
    measures = parse(metrics or protocol.metrics)
    return report(
        Subject(
            collection=collection,
            evidence=replace(collection, queries=asked, query_keywords=mapped),
            runs={name: runs.run_of(collection, name, which, ties=ties) for name in versions},
            baseline=baseline,
            candidate=candidate,
            rules=protocol,
            measures=measures,
            front=measures[0] if metrics else deepest(measures),
            groups=groups,
            date=date,
            choices={"Least similarity of words and keyword": f"{threshold:g}"},
        )
    )


def deepest(measures: Sequence[Measure]) -> Measure:
    """The first metric at its deepest cutoff, such as P@5 of P@1 P@3 P@5."""
    same = [each for each in measures if each.name == measures[0].name]
    return max(same, key=lambda each: each.cutoff or 0)


def written(made: Report, page: Path, folder: Path | None) -> pd.DataFrame:
    """Write the page, and where a folder is given its tables; a row for each file: file, bytes."""
    contents: dict[Path, str] = {page: made.html}
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        contents |= {folder / name: content for name, content in made.files.items()}
    return _sizes({path: _write(path, content) for path, content in contents.items()})


def _write(path: Path, content: str) -> int:
    encoded = content.encode("utf-8", "replace")
    path.write_bytes(encoded)
    return len(encoded)


def _sizes(sizes: Mapping[Path, int]) -> pd.DataFrame:
    return pd.DataFrame({"file": [str(path) for path in sizes], "bytes": list(sizes.values())})
