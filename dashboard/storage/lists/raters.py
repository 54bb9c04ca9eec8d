"""Whose answers on satisfaction count: those of the people who saw the lists, or of reviewers."""

from __future__ import annotations

import pandas as pd

from dashboard.storage.lists.lists import REAL, Lists
from dashboard.storage.reviews import reviews

REVIEWERS = "reviewers"
"""The kind of answers that take the place of simulated ones, beside the kinds of `lists`."""


def ratings_of(key: str, until: int | None = None) -> pd.DataFrame:
    """The last rating of each reviewer of each list: list_id, author, value ("1" to "5").

    key: the collection's key, from `review_keys.key_of`. until: the number of the last review that
    counts; None: all count. Raises DataError where the file of reviews cannot be read.
    """
    last = reviews.latest(key, reviews.RATING, until=until)
    once = last.drop_duplicates(["list_id", "author"], keep="last")
    return once[["list_id", "author", "value"]].reset_index(drop=True)


def answers(lists: Lists, ratings: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The answers about each list, and who gave them (a kind of `lists`, or REVIEWERS).

    ratings: from `ratings_of`. A single one replaces all simulated answers; real answers stay.
    Columns list_id, query_id, participant, session, satisfaction; a list without an answer has one
    row of null.
    """
    said, kind = lists.said, lists.kind
    mine = ratings[ratings["list_id"].isin(lists.places["list_id"])]
    if kind != REAL and len(mine):
        kind = REVIEWERS
        said = mine[["list_id", "author", "value"]].rename(
            columns={"author": "participant", "value": "satisfaction"}
        )
        said = said.astype({"satisfaction": "float64"})
    each = lists.places.drop_duplicates("list_id")[["list_id", "query_id", "session"]]
    return each.merge(said, on="list_id", how="left"), kind
