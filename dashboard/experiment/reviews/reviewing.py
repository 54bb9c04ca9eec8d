"""What reviewers say of results and of lists. It is saved apart from the judgements that metrics
rest on, and changes no metric of search quality.

A review stays with its collection when the collection's files change.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pandas as pd

from dashboard import ids
from dashboard.evaluation.reviewing import raters
from dashboard.evaluation.reviewing.cause_counts import cause_counts, sentence
from dashboard.experiment import judging, measuring
from dashboard.experiment.collection.collections import item_names, opened, opened_in
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.memory import constant_in_a_run, remembered
from dashboard.experiment.reviews.people import signed
from dashboard.storage.collection.collection import Collection
from dashboard.storage.reviews import reviews, store
from dashboard.storage.reviews.audit import rows as audit_rows
from dashboard.storage.reviews.copies import backup as backup
from dashboard.storage.reviews.copies import restore as restore
from dashboard.storage.reviews.copies import verify as verify
from dashboard.storage.reviews.review_keys import folders_of_several, key_of
from dashboard.storage.reviews.rights import actor
from dashboard.tables import DataError, counted

RATINGS = reviews.VALUES[reviews.RATING]
"""How content a reviewer can be with a list, in order."""
LONGEST_NAME = reviews.LONGEST_NAME
"""Letters of a reviewer's name."""


def audit(since: str = "", most: int | None = None, person: str = "") -> pd.DataFrame:
    """The audit log, oldest first: who did what, when, and what vouched for the name.

    Arguments and errors are those of `storage.reviews.audit.rows`.
    """
    return audit_rows(since, most, person)


def subject_of(experiment: Experiment, query_id: str) -> list[str]:
    """What names a query beyond its collection: the collection's name, and the query's id or what
    is searched with."""
    return [_collection(experiment).name, _query(experiment, query_id)]


def names_of_items(experiment: Experiment) -> dict[str, str]:
    """What each item of the collection is called, as the collection is now."""
    return item_names(_collection(experiment))


def verdicts(experiment: Experiment, query_id: str) -> pd.DataFrame:
    """The last verdict of each reviewer on each result of a query: the table REVIEWS.

    Raises DataError where the file of reviews cannot be read.
    """
    every = all_verdicts(experiment)
    mine = every["query_id"] == _query(experiment, query_id)
    return every[mine].reset_index(drop=True)


def all_verdicts(experiment: Experiment) -> pd.DataFrame:
    """The last verdict of each reviewer on each result of all queries: the table REVIEWS."""
    return _latest(*verdicts_state(experiment))


def all_reviews(collection: Collection, *, history: bool = False) -> pd.DataFrame:
    """What counts of all reviews of a collection, oldest first: the table REVIEWS.

    history: those that were replaced or withdrawn, too. Raises DataError where they cannot be read.
    """
    key = key_of(collection)
    read = reviews.history if history else reviews.latest
    return pd.concat([read(key, kind) for kind in reviews.VALUES]).sort_values("number")


def verdicts_state(experiment: Experiment) -> tuple[str, tuple[str, int]]:
    """The key of the collection's reviews, and a value that changes with every verdict."""
    key = key_of(_collection(experiment))
    return key, reviews.state(key, reviews.VERDICT)


@remembered(16)
def _latest(key: str, state: tuple[str, int]) -> pd.DataFrame:
    return reviews.latest(key, reviews.VERDICT, until=state[1])


class CauseCounts(NamedTuple):
    """Verdicts by cause: the table of `cause_counts`, and what it says of all queries.

    machines: what machines judged of them, which counts in none of the two; empty: nothing.
    """

    table: pd.DataFrame
    sentence: str
    machines: str = ""


def verdicts_by_cause(
    experiment: Experiment, only: tuple[str, ...] | None = None, by: str = ""
) -> CauseCounts:
    """How many results of the stored queries reviewers judged, by cause and slice.

    only: the queries that count; None: all in question. by: the kind of slices; empty: all kinds.
    Where reviews cannot be read the sentence says why and the table is empty.
    """
    try:
        key, state = verdicts_state(experiment)
        table = _by_cause(experiment, only, key, state)
        machines = _by_machines(experiment, only, key, reviews.state(key, reviews.MACHINE))
    except DataError as problem:
        return CauseCounts(pd.DataFrame(columns=["by", "slice", "judged"]), str(problem))
    said = sentence(table, reviews.CAUSES)
    mine = table["by"].isin(["all", by]) if by else slice(None)
    return CauseCounts(table[mine].reset_index(drop=True), said, machines)


def agreement_on_labels(experiment: Experiment) -> str:
    """How far reviewers agree on what several of them judged, in a sentence; empty where there is
    none, and where reviews cannot be read."""
    try:
        return _agreement(*verdicts_state(experiment))
    except DataError:
        return ""


def agreement_on_collection(name: str) -> str:
    """The same of all queries of a collection, which is opened only where two people or more may
    have judged its results; empty for whoever came by a link to something else."""
    try:
        number = reviews.newest()
        if not number or name not in _judged_by_several(store.identity(), number):
            return ""
        collection = opened(name)
        if actor().review or actor().collection not in ("", collection.name):
            return ""
        key = key_of(collection)
        return _agreement(key, reviews.state(key, reviews.VERDICT))
    except DataError:
        return ""  # its card says what is wrong with it, and Reviews why none can be read


@remembered(1)
def _judged_by_several(identity: str, number: int) -> frozenset[str]:
    """Names of collections, in the store as it was up to a number."""
    return folders_of_several()


@remembered(16)
def _agreement(key: str, state: tuple[str, int]) -> str:
    return raters.in_words(raters.ratings(_latest(key, state)), "results")


@remembered(32)
def _by_cause(
    experiment: Experiment, only: tuple[str, ...] | None, key: str, state: tuple[str, int]
) -> pd.DataFrame:
    return cause_counts(
        _of_experiment(experiment, only, _latest(key, state)),
        measuring.of_queries(only, measuring.slices(experiment)),
        reviews.CAUSES,
    )


def _of_experiment(
    experiment: Experiment, only: tuple[str, ...] | None, last: pd.DataFrame
) -> pd.DataFrame:
    items, queries = experiment.collection.items["item_id"], judging.queries(experiment)["query_id"]
    there = last["query_id"].isin(queries) & ids.among(last["item_id"], items)
    return measuring.of_queries(only, last[there])


@remembered(32)
def _by_machines(
    experiment: Experiment, only: tuple[str, ...] | None, key: str, state: tuple[str, int]
) -> str:
    last = reviews.latest(key, reviews.MACHINE, until=state[1])
    judged = _of_experiment(experiment, only, last[last["value"] != reviews.FAILED])
    of_each = judged.drop_duplicates(["query_id", "item_id", "author"])["author"].value_counts()
    parts = [f"{name} judged {counted(int(of), 'result')}" for name, of in sorted(of_each.items())]
    return f"Kept apart and in no count: {', '.join(parts)}." if parts else ""


def save_verdict(
    experiment: Experiment,
    query_id: str,
    item_id: str,
    value: str,
    author: str,
    note: str,
    once: str | None,
    seen: str = "",
) -> str:
    """Saves a verdict on a result; it is on the disk when this returns. Returns its cause: the one
    that its author gave to the verdict before, if that has the same value.

    once: the name of this verdict; sent again under the same name it is saved only once. seen: the
    verdict that a note is added to, as in `reviews.append`. Raises ValueError for an unknown item,
    words that cannot be saved and a verdict that is no longer the one that was seen, DataError
    where the file cannot be written.
    """
    collection = _collection(experiment)
    if not (collection.items["item_id"] == item_id).any():
        raise ValueError("this item is no longer in the collection. Reload the page.")
    key, query = key_of(collection, saying=True), _query(experiment, query_id)
    author = signed(author)
    same = {"kind": reviews.VERDICT, "item_id": item_id, "author": author, "value": value}
    same["assignment"] = ""
    _, last = reviews.of_query(key, query)
    cause = next((each["cause"] for each in last if same.items() <= each.items()), "")
    review = reviews.Review(
        reviews.VERDICT, key, value, author, query, item_id=item_id, note=note, cause=cause
    )
    reviews.append(review, once, seen)
    return cause


def other_name(experiment: Experiment) -> str:
    """The name that reviews of this collection are saved under where another collection's reviews
    have its name; else empty."""
    collection = _collection(experiment)
    key = key_of(collection)
    return key if key.startswith(f"{collection.name} (") else ""


def save_rating(
    collection: str, query_id: str, list_id: str, version: str, value: str | None, author: str
) -> None:
    """Saves how content a reviewer is with a list, one of RATINGS; None takes the rating back.

    Raises as `save_verdict`.
    """
    key, said = key_of(opened(collection), saying=True), value or reviews.TAKEN_BACK
    reviews.append(
        reviews.Review(
            reviews.RATING, key, said, signed(author), query_id, list_id=list_id, run=version
        )
    )


@constant_in_a_run
def _collection(experiment: Experiment) -> Collection:
    """The collection as it is now."""
    return opened_in(Path(experiment.folder))


def _query(experiment: Experiment, query_id: str) -> str:
    """What names the query in reviews: its id, or what is searched with."""
    if experiment.picture:
        return f"picture:{experiment.picture}"
    if experiment.text:
        return f"text:{experiment.text}"
    return f"item:{experiment.item}" if experiment.item else query_id
