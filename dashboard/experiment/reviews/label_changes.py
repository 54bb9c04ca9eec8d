"""What the reviewers' corrections change: labels, every metric, and the patch that would apply
them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pandas as pd

from dashboard.evaluation.measure import summarise
from dashboard.evaluation.reviewing.corrections import LEFT_ALONE, changes
from dashboard.evaluation.reviewing.keyword_corrections import corrected_keywords
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.judging import judgement
from dashboard.experiment.measuring import measurements, of_queries
from dashboard.experiment.memory import remembered
from dashboard.experiment.reviews.corrections import corrections_at, state_of
from dashboard.experiment.reviews.keyword_changes import as_changes, keyword_changes
from dashboard.storage.collection.annotation import keyword_key, read_annotation
from dashboard.storage.collection.collection import open_collection
from dashboard.storage.collection.evidence import annotated
from dashboard.storage.reviews.patch import (
    KeywordChange,
    Replaced,
    with_grades,
    with_keywords,
    with_mapping,
)
from dashboard.storage.reviews.patch import patch as patch_of
from dashboard.tables import DataError, Findings


def with_corrections(experiment: Experiment) -> Experiment | None:
    """The same experiment with the reviewers' corrections as they are now; None for a search, and
    for a protocol that takes labels as given.

    Raises DataError where reviews cannot be read.
    """
    if experiment.live or experiment.protocol in LEFT_ALONE:
        return None
    return replace(experiment, corrections=state_of(experiment.collection, experiment.protocol))


@remembered(16)
def changed_labels(experiment: Experiment) -> pd.DataFrame:
    """The pairs whose label changes: query_id, item_id, given, corrected, reviewers, by.

    experiment: one with corrections.
    """
    if experiment.corrections is None:
        raise ValueError("an experiment with labels as given has no corrections")
    given = judgement(replace(experiment, corrections=None))
    return changes(given, corrections_at(experiment.corrections))


@remembered(16)
def changed_keywords(experiment: Experiment) -> dict[str, pd.DataFrame]:
    """What reviewers change of keywords of items (`keyword`) and of queries (`mapping`): see
    `keyword_changes`. experiment: one with corrections."""
    if experiment.corrections is None:
        raise ValueError("an experiment with labels as given has no corrections")
    return keyword_changes(experiment.collection, experiment.corrections)


def number_of_keywords(experiment: Experiment) -> int:
    """How many keywords of items and of queries reviewers change. experiment: with corrections."""
    return sum(map(len, changed_keywords(experiment).values()))


def changed_metrics(
    experiment: Experiment,
    versions: Sequence[str],
    metrics: str,
    only: tuple[str, ...] | None = None,
) -> pd.DataFrame:
    """Each metric of each version with both labels: run, metric, cutoff, given, corrected, change
    and how many queries are scored with either.

    only: the queries that count; None: all in question.
    """
    given = replace(experiment, corrections=None)
    return _both(given, experiment, versions, metrics, only)


def _both(
    given: Experiment,
    corrected: Experiment,
    versions: Sequence[str],
    metrics: str,
    only: tuple[str, ...] | None,
) -> pd.DataFrame:
    keys = ["run", "metric", "cutoff"]
    both = [
        summarise(of_queries(only, measurements(each, tuple(versions), metrics))).set_index(keys)
        for each in (given, corrected)
    ]
    table = pd.DataFrame(
        {
            "given": both[0]["mean"],
            "corrected": both[1]["mean"],
            "change": (both[1]["mean"] - both[0]["mean"]).round(12) + 0.0,
            "scored_given": both[0]["scored"],
            "scored_corrected": both[1]["scored"],
        }
    )
    return table.reset_index()


class Patched(NamedTuple):
    """The corrections as changes of the collection's own files.

    text: the patch of those that are text; beside: those that are none, as they become. left_out:
    how many labels follow from keywords, so that no file has them. changed: every metric before and
    after, as the changed files measure it. findings: what opening them finds that was not there.
    """

    text: str
    beside: dict[str, bytes]
    left_out: int
    changed: pd.DataFrame
    findings: pd.DataFrame


def patch(experiment: Experiment) -> str:
    """The corrections as a patch of the collection's own files; empty without any.

    Raises DataError where a file that would change has no lines that a patch could change.
    """
    files, _ = _replaced(experiment)
    for each in files:
        if not each.is_text:
            cure = "reviews export COLLECTION --patch FILE writes the corrected file."
            raise DataError(each.name, "a file that is no plain text", "CSV or lines", cure=cure)
    return patch_of(files)


def patched(experiment: Experiment, versions: Sequence[str], metrics: str) -> Patched:
    """The corrections as changes of files, measured on a copy of the collection that has them.

    experiment: one with corrections. Raises DataError where a file cannot be changed, ValueError
    where near-duplicates are left out and labels that no file has would count.
    """
    files, left_out = _replaced(experiment)
    if experiment.leaves_copies_out and left_out:
        raise ValueError("labels that no file has count here; leave near-duplicates in: --copies")
    folder = Path(experiment.folder)
    given = replace(experiment, corrections=None)
    with TemporaryDirectory(prefix="corrected-") as place:
        draft = Path(place) / folder.resolve().name
        draft.mkdir()
        new = {each.name: each.after for each in files}
        for path in folder.iterdir():
            if path.name not in new:
                (draft / path.name).symlink_to(path.resolve())
        for name, content in new.items():
            (draft / name).write_bytes(content)
        corrected = open_collection(draft, allow_path=True)
        for problem in corrected.refused.values():
            raise problem
        after = replace(given, folder=str(draft), digest=corrected.digest)
        if experiment.leaves_copies_out:  # found by pictures, which are not in the copy
            after = experiment
        changed = _both(given, after, versions, metrics, None)
    return Patched(
        patch_of(files),
        {each.name: each.after for each in files if not each.is_text},
        left_out,
        changed,
        _new(corrected.findings, experiment.collection.findings),
    )


def _new(findings: pd.DataFrame, before: pd.DataFrame) -> pd.DataFrame:
    """The findings that were not there before, on whatever line."""
    key = ["level", "file", "found", "wanted"]
    there = pd.MultiIndex.from_frame(before[key].astype(str))
    return findings[~pd.MultiIndex.from_frame(findings[key].astype(str)).isin(there)]


def _replaced(experiment: Experiment) -> tuple[list[Replaced], int]:
    """The files that corrections change, and how many labels no file has."""
    folder, tables = Path(experiment.folder), changed_keywords(experiment)
    items, queries = (as_changes(tables[kind]) for kind in ("keyword", "mapping"))
    files, labels = [], changed_labels(experiment)
    if items:
        files.append(_with_keywords(experiment, items, tables["keyword"]))
    if queries:
        files.append(with_mapping(folder, queries))
    if experiment.rules.of_keywords and files:
        return files, len(labels)
    if not labels.empty or not files:
        pairs = zip(labels["query_id"], labels["item_id"], strict=True)
        grades = dict(zip(pairs, labels["corrected"], strict=True))
        files.insert(0, with_grades(folder, grades))
    return files, 0


def _with_keywords(
    experiment: Experiment, changes: list[KeywordChange], table: pd.DataFrame
) -> Replaced:
    """The annotation with corrections, written so that it is read as what reviewers mean: cells of
    its own form, or else of lists."""
    folder, collection = Path(experiment.folder), experiment.collection
    item_ids = collection.items["item_id"].tolist()
    wanted = corrected_keywords(collection.keywords, table)
    for lists in (False, True):
        file = with_keywords(folder, changes, item_ids, collection.groups, lists=lists)
        with TemporaryDirectory(prefix="corrected-") as place:
            draft = Path(place) / file.name
            draft.write_bytes(file.after)
            written = read_annotation(draft, collection.groups)
        read = annotated(written, collection.items, Findings())
        if _rows(read) == _rows(wanted):
            return file
    raise DataError(
        file.name,
        "cells that would be read in another way once they are corrected",
        "keywords with one mark between them, or lists",
    )


def _rows(keywords: pd.DataFrame) -> set[tuple[str, str, str]]:
    return {
        (str(item), str(group), keyword_key(str(keyword)))
        for item, group, keyword in keywords[["item_id", "group", "keyword"]].to_numpy().tolist()
    }


def number_of_labels(experiment: Experiment) -> int:
    """How many labels there are with the corrections in them."""
    return int(judgement(experiment).number_judged.sum())


def corrected_qrels(experiment: Experiment) -> Iterator[pd.DataFrame]:
    """All labels with the corrections in them, in parts that fit in memory: query_id, item_id,
    grade."""
    for table in judgement(experiment).tables():
        yield table[["query_id", "item_id", "grade"]].reset_index(drop=True)
