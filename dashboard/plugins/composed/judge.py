"""Labels of annotators (1 fulfils a query, 0 does not), AP of the annotated items, and submissions.

A submission is vectors of the gallery and of the queries, in `submissions/NAME/`: `gallery.npy` and
`queries.npy` hold a row for each id in `gallery.txt` and `queries.txt`. It is a version.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from dashboard.errors import DataError, Findings, add_finding, count_odd, list_names
from dashboard.evaluation.block import Block, Cut, Sum
from dashboard.evaluation.judgement import JudgingRules, judge_table, list_candidates
from dashboard.evaluation.metrics import metric
from dashboard.evaluation.ranking_metrics import compute_average_precision
from dashboard.storage.collection import Collection
from dashboard.storage.vectors import Vectors, check_dimension, read_vectors
from dashboard.storage.versions import Broken, Version, Versions, try_to_read
from dashboard.study.judging import has_equal_grades
from dashboard.tables import Names, Table

NAME = "composed"
FOLDER = "submissions"
CANNOT_TELL = (
    "No query has a label 0 beside a label 1: among items that all fulfil a query any order has "
    "AP 1, so that composed cannot tell versions apart; choose protocol = trec"
)


def check_labels(collection: Collection, findings: Findings) -> bool | None:
    """Return whether judged pairs are labels 0 and 1; None if not.

    A collection whose settings name other protocols is not judged so.

    Raises:
        DataError: If the collection asks for the protocol and a label is neither.
    """
    wanted = NAME in collection.protocols
    if not collection.qrels or (collection.protocols and not wanted):
        return None
    values = collection.qrels.values
    items = collection.items
    strange = values[~np.isin(values, (0, 1))]
    outside = items.ids[len(items.lines) :] if items.lines else ()  # they were added to the items
    if not wanted:
        return None if len(strange) or outside else True
    if len(strange):
        raise DataError("qrels", f"label {strange[0]:g}", "1 (fulfils the query) or 0")
    if outside:
        raise DataError(
            "qrels",
            f"labels of {len(outside):,} items outside the gallery ({list_names(outside)})",
            "labels of items of the gallery",
            do="Add them to items.csv, or remove their labels.",
        )
    if values.all():
        add_finding(findings, "qrels", "no label 0", CANNOT_TELL)
    for version in collection.versions.values():
        if version.items:
            lacking = version.items.list_unknown(collection.qrels.items)
            file = f"{version.file}/items.npy"
            told = ("annotated items", "one for each; without it an item counts as not found")
            findings += count_odd(file, lacking, *told, "error", "no vector for ")
    return True


def read_submissions(collection: Collection, broken: Broken, findings: Findings) -> Versions:
    """Return the submissions by name; put those that cannot be used into `broken`."""
    places = sorted((collection.folder / FOLDER).glob("[!.]*/"))
    read = {each.name: partial(_read_submission, collection, each, findings) for each in places}
    return try_to_read(broken, read)


def _read_submission(collection: Collection, place: Path, findings: Findings) -> Version:
    """Return a submission as a version; what was repaired in it is a warning."""
    qrels = collection.qrels
    name = f"{FOLDER}/{place.name}"
    said: Findings = []
    gallery = _read_side(place, "gallery", collection.items, qrels.items if qrels else (), said)
    asked = _read_side(place, "queries", collection.queries, qrels.queries if qrels else (), said)
    check_dimension(asked.dimension, gallery, f"{name}/queries.npy")
    findings += [replace(each, level="warning") for each in said]
    return Version(place.name, items=gallery, queries=asked, file=name)


def _read_side(place: Path, stem: str, table: Table, annotated: Names, said: Findings) -> Vectors:
    """Return vectors of a submission.

    Raises:
        DataError: As `read_vectors`; also if an annotated id has no vector, or numbers are codes.
    """
    name = f"{FOLDER}/{place.name}/{stem}.npy"
    vectors = read_vectors(place, stem, table.ids, said, f"{FOLDER}/{place.name}")
    if not vectors:
        raise DataError(name, "no such file", f"a unit vector for each id in {stem}.txt")
    if vectors.stored.dtype.kind != "f":
        raise DataError(name, f"numbers of type {vectors.stored.dtype}", "float32")
    if lacking := [each for each in vectors.list_unknown(annotated) if each in table.index]:
        raise DataError(
            name,
            f"no vector for {len(lacking):,} annotated ids ({list_names(lacking)})",
            "one for each annotated item and query",
        )
    said += count_odd(
        name,
        vectors.list_unknown(table.ids),
        f"of {len(table):,} ids",
        "one for each; none of these is annotated",
        before="no vector for ",
    )
    return vectors


COMPOSED = JudgingRules(
    name=NAME,
    title="Composed queries, annotated items only",
    judge=lambda collection, choices: judge_table(collection),
    metrics="AP(annotated) P@5 R@5 nDCG@5",
    nothing_relevant="null",
    definition="A query is a picture with feedback on it. About 50 items are annotated for each: 1 "
    "fulfils it, 0 does not. Items are ranked by cosine; those that nobody annotated for the query "
    "are taken out. A query without a fulfilled label is not scored.",
    source="Fashion retrieval with language feedback: evaluation of the challenge",
    blind="Items that nobody annotated cost nothing, wherever they are ranked. Where no query has "
    "a label 0 every version has AP 1.",
    candidates=list_candidates,
    doubt=lambda study, metrics: CANNOT_TELL if has_equal_grades(study) else "",
)


@metric(
    "AP(annotated)",
    formula="Σ over fulfilled items of (fulfilled items up to its place ÷ its place) ÷ fulfilled "
    "labels, places counted among the annotated items",
    source="Fashion retrieval with language feedback: evaluation of the challenge",
    cutoff="never",
)
def compute_annotated_ap(block: Block, k: Cut) -> Sum:
    """Compute AP of a list that holds annotated items only."""
    return compute_average_precision(block, None)
