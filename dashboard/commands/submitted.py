"""Submissions of features, as a call names them: `NAME=GALLERY.npy,QUERIES.npy`."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols import Protocol
from dashboard.evaluation.submission import DIMENSION, Features, scored
from dashboard.storage.collection import Collection
from dashboard.storage.files.mapped import mapped_array
from dashboard.storage.files.vectors import read_ids
from dashboard.storage.findings import Findings
from dashboard.storage.submissions import FORM
from dashboard.storage.versions import width_of_all
from dashboard.tables import DataError


@dataclass(frozen=True)
class Submitted:
    """The files of one submission; the ids of each stand beside it in a `.txt`, one a line."""

    name: str
    gallery: Path
    queries: Path

    @classmethod
    def of(cls, text: str) -> Submitted:
        """What a call names. Raises ArgumentTypeError for any other form."""
        name, _, files = text.partition("=")
        paths = files.split(",")
        if not name or len(paths) != 2 or not all(paths):
            raise ArgumentTypeError(f"{text!r} is not {FORM}")
        return cls(name, Path(paths[0]), Path(paths[1]))


def submitted_runs(
    submitted: Sequence[Submitted],
    protocol: Protocol,
    judgement: Judgement,
    dimension: int | None,
    complaints: Findings,
    collection: Collection | None = None,
) -> dict[str, pd.DataFrame]:
    """The run of each submission to a collection, or (None) to a file of judgements.

    Raises DataError for files that do not fit, ValueError for another protocol or a name given
    twice.
    """
    if submitted and protocol.name != "composed":
        raise ValueError(f"--submission is of the protocol composed, not {protocol.name}")
    found: dict[str, pd.DataFrame] = {}
    for each in submitted:
        if each.name in found:
            raise ValueError(f"two submissions are called {each.name!r}")
        sides = [_features(path, complaints) for path in (each.gallery, each.queries)]
        usual = width_of_all(collection.models) if collection else 0
        found[each.name], warned = scored(
            *sides, judgement.qrels, dimension or usual or DIMENSION, **_known(collection)
        )
        for sentence in warned:
            name, _, said = sentence.partition(": ")
            complaints.warning(name, said, "features of length 1 for the collection's ids")
    return found


def _known(collection: Collection | None) -> dict[str, list[str]]:
    """The ids that are to have features, in the collection's order."""
    if collection is None:
        return {}
    return {
        "items_known": collection.items["item_id"].tolist(),
        "queries_known": collection.queries["query_id"].tolist(),
    }


def _features(path: Path, complaints: Findings) -> Features:
    beside = path.with_suffix(".txt")
    if not beside.is_file():
        wanted = f"the ids of {path.name}, one a line"
        raise DataError(beside.name, "no such file", wanted)
    return Features(path.name, read_ids(beside, beside.name, complaints), mapped_array(path))
