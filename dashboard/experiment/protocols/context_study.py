"""Tables of the lists that people saw, remembered by the state of the files and of the reviews."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pandas as pd

from dashboard.evaluation.satisfaction.source_tables import Reading, ViewedLists
from dashboard.experiment.collection.collections import opened_in
from dashboard.experiment.memory import remembered
from dashboard.storage.collection.collection import Collection, find
from dashboard.storage.collection.digests import stamp
from dashboard.storage.files.table_files import stored_files
from dashboard.storage.lists.lists import BEST as BEST
from dashboard.storage.lists.lists import NONE as NONE
from dashboard.storage.lists.lists import REAL as REAL
from dashboard.storage.lists.lists import SIMULATED as SIMULATED
from dashboard.storage.lists.lists import WORST as WORST
from dashboard.storage.lists.lists import Lists as Lists
from dashboard.storage.lists.lists import read_lists
from dashboard.storage.lists.raters import REVIEWERS as REVIEWERS
from dashboard.storage.lists.raters import answers as answers_of
from dashboard.storage.lists.raters import ratings_of
from dashboard.storage.reviews import reviews
from dashboard.storage.reviews.review_keys import key_of
from dashboard.tables import DataError


class Study(NamedTuple):
    """What tables of lists depend on: the state of the collection's files and of the file of
    reviews, the number of the last rating that counts, and the key of the collection's reviews."""

    collection: str
    state: str
    reviews: str
    until: int
    key: str
    folder: str


def lists_of(name: str) -> Lists | None:
    """The lists and answers of a collection; None where it has no lists."""
    folder = find(name)
    return _lists(str(folder), stamp(folder))


def lists_in(study: Study) -> Lists:
    """The lists and answers of a study. Raises DataError where there are no lists."""
    known = _lists(study.folder, study.state)
    if known is None:
        raise DataError(study.collection, "no lists.csv", "lists that people saw")
    return known


def has_lists(collection: Collection) -> bool:
    """Whether a collection has lists that people saw, usable or not."""
    return bool(stored_files(collection.folder, "lists"))


def list_ids(name: str) -> pd.Series:
    """The ids of the lists that people saw, each once, in the file's order."""
    known = lists_of(name)
    ids = known.places["list_id"] if known else pd.Series([], dtype="str")
    return ids.drop_duplicates()


def list_of_each_version(name: str, query_id: str, chosen: str) -> dict[str, str]:
    """The list of each version that somebody saw for a query: the chosen one, else the first."""
    known = lists_of(name)
    if known is None:
        return {}
    mine = known.places[known.places["query_id"] == query_id]
    mine = mine.drop_duplicates("list_id").sort_values(
        "list_id", key=lambda ids: ids != chosen, kind="stable"
    )
    first = mine.drop_duplicates("version")
    return {str(of["version"]): str(of["list_id"]) for of in first.to_dict("records")}


def side_by_side(collection: Collection) -> int:
    """The number of columns of the widest list; 0 where it is unknown."""
    known = lists_of(collection.name) if has_lists(collection) else None
    return int(known.places["column"].max()) if known and len(known.places) else 0


def workers(name: str) -> tuple[int, int]:
    """The least and the largest number of workers who judged a pair; 0 where the file has means."""
    folder = find(name)
    return _workers(str(folder), stamp(folder))


def study_of(name: str) -> Study:
    """What the tables depend on now. Raises DataError where the reviews cannot be read."""
    return study_in(find(name))


def study_in(folder: Path) -> Study:
    """What the tables of the collection in a folder depend on now.

    Raises DataError where the reviews cannot be read.
    """
    collection = opened_in(folder)
    key = key_of(collection)
    state = reviews.state(key, reviews.RATING)
    study = Study(collection.name, stamp(folder), *state, key, str(folder))
    ratings(study)  # read here already, where the screen shows the error of an unreadable file
    return study


def ratings(study: Study) -> pd.DataFrame:
    """The last rating of each reviewer of each list: list_id, author, value."""
    return _ratings(study.key, study.reviews, study.until)


def kind(study: Study) -> str:
    """Whose answers count: REAL, SIMULATED, REVIEWERS or NONE."""
    return viewed_lists(study)[1]


def answers(study: Study) -> pd.DataFrame:
    """The answers about each list: list_id, query_id, participant, session, satisfaction."""
    known = _lists(study.folder, study.state)
    return answers_of(known, ratings(study))[0] if known else pd.DataFrame()


@remembered(16)
def sizes(study: Study) -> pd.DataFrame:
    """The source's table 1."""
    return viewed_lists(study)[0].sizes()


@remembered(32)
def cleaning(study: Study, rows: int) -> pd.DataFrame:
    """The numbers that each step of cleaning leaves."""
    return viewed_lists(study)[0].study(rows).steps


@remembered(32)
def spread(study: Study, rows: int) -> pd.DataFrame:
    """The source's figure 3, with the words and the version of each list."""
    known = _lists(study.folder, study.state)
    drawn = viewed_lists(study)[0].spread(rows)
    about = known.places.drop_duplicates("list_id") if known else pd.DataFrame()
    return drawn.merge(about[["list_id", "query_id", "version", "participant"]], on="list_id")


@remembered(32)
def in_each_row(study: Study, rows: int) -> int | None:
    """How many pictures every row of lists of at least so many rows holds; None: they differ."""
    return viewed_lists(study)[0].in_each_row(rows)


@remembered(32)
def halves(study: Study, reading: Reading) -> pd.DataFrame:
    """The source's table 2."""
    return viewed_lists(study)[0].halves(reading)


@remembered(64)
def gains(study: Study, reading: Reading) -> pd.DataFrame:
    """Original and context-aware gain under each discount, at one depth."""
    return viewed_lists(study)[0].gains(reading)


@remembered(32)
def table_3(study: Study, reading: Reading) -> pd.DataFrame:
    """The source's table 3; of the reading the window and its divisor."""
    return viewed_lists(study)[0].table_3(reading)


@remembered(128)
def steps(study: Study, list_id: str, reading: Reading, discount: str) -> pd.DataFrame:
    """One list picture by picture."""
    return viewed_lists(study)[0].steps(list_id, reading, discount)


@remembered(8)
def _lists(folder: str, state: str) -> Lists | None:
    return read_lists(opened_in(Path(folder)))


@remembered(8)
def _workers(folder: str, state: str) -> tuple[int, int]:
    known = _lists(folder, state)
    if known is None or (known.relevance["worker"] == "").all():
        return 0, 0
    number = known.relevance.groupby(["query_id", "item_id"]).size()
    return int(number.min()), int(number.max())


@remembered(16)
def viewed_lists(study: Study) -> tuple[ViewedLists, str]:
    """All tables of a study, and whose answers they rest on. Raises DataError without lists."""
    known = lists_in(study)
    given, whose = answers_of(known, ratings(study))
    viewers = whose in (REAL, SIMULATED)
    return ViewedLists.of(known.places, known.relevance, given, by_viewers=viewers), whose


@remembered(32)
def _ratings(key: str, file: str, until: int) -> pd.DataFrame:
    return ratings_of(key, until)
