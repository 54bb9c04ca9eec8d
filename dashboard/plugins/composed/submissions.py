"""Submissions: vectors of the gallery and of the queries, in `submissions/NAME/`, as versions.

`gallery.npy` and `queries.npy` hold a row for each id in `gallery.txt` and `queries.txt`.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path

from dashboard.errors import DataError, Findings, count_odd, list_names
from dashboard.storage.collection import Collection
from dashboard.storage.vectors import Vectors, read_vectors
from dashboard.storage.versions import Broken, Version, Versions, try_to_read_all
from dashboard.tables import Names

FOLDER = "submissions"


def read_submissions(collection: Collection, broken: Broken, findings: Findings) -> Versions:
    """Return the submissions by name; put those that cannot be used into `broken`."""
    places = sorted((collection.folder / FOLDER).glob("[!.]*/"))
    read = {each.name: partial(_read_submission, collection, each, findings) for each in places}
    return try_to_read_all(broken, read)


def _read_submission(collection: Collection, place: Path, findings: Findings) -> Version:
    """Return a submission as a version; what was repaired in it is a warning."""
    items, queries = collection.items.ids, collection.queries.ids
    qrels = collection.qrels
    name = f"{FOLDER}/{place.name}"
    said: Findings = []
    gallery = _read_side(place, "gallery", items, qrels.items if qrels else (), said)
    asked = _read_side(place, "queries", queries, qrels.queries if qrels else (), said)
    if gallery.dimension != asked.dimension:
        raise DataError(
            f"{name}/queries.npy",
            f"vectors of {asked.dimension} dimensions",
            f"{gallery.dimension}, as in gallery.npy",
        )
    findings += [replace(each, level="warning") for each in said]
    return Version(place.name, items=gallery, queries=asked, file=name)


def _read_side(place: Path, stem: str, ids: Names, annotated: Names, said: Findings) -> Vectors:
    """Return vectors of a submission.

    Raises:
        DataError: As `read_vectors`; also if an annotated id has no vector, or numbers are codes.
    """
    name = f"{FOLDER}/{place.name}/{stem}.npy"
    vectors = read_vectors(place, stem, ids, said, f"{FOLDER}/{place.name}")
    if not vectors:
        raise DataError(name, "no such file", f"a unit vector for each id in {stem}.txt")
    if vectors.stored.dtype.kind != "f":
        raise DataError(name, f"numbers of type {vectors.stored.dtype}", "float32")
    known = frozenset(ids)
    lacking = [each for each in annotated if each in known and each not in vectors.index]
    if lacking:
        raise DataError(
            name,
            f"no vector for {len(lacking):,} annotated ids ({list_names(lacking)})",
            "one for each annotated item and query",
        )
    said += count_odd(
        name,
        [each for each in ids if each not in vectors.index],
        f"of {len(ids):,} ids",
        "one for each; none of these is annotated",
        before="no vector for ",
    )
    return vectors
