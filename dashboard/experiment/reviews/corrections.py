"""Reviewers' corrections of labels, in one state of the store.

The store is imported where labels count with corrections: numbers without them start sooner.
"""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from dashboard.evaluation.reviewing.corrections import LEFT_ALONE
from dashboard.evaluation.reviewing.corrections import corrections as by_rule
from dashboard.experiment.memory import constant_in_a_run, remembered
from dashboard.storage.collection.collection import Collection

GIVEN, CORRECTED = "given", "corrected"
"""Labels as they are in the collection's files, or with corrections."""


class State(NamedTuple):
    """Whose reviews count, and up to which one: the key, the store, and the last number."""

    key: str
    store: str
    until: int


@constant_in_a_run
def state_of(collection: Collection, protocol: str) -> State:
    """The corrections of a collection as they are now.

    Raises ValueError for a protocol whose labels verdicts do not correct, DataError where reviews
    cannot be read.
    """
    if protocol in LEFT_ALONE:
        raise ValueError(f"labels of the protocol {protocol} are taken as given: --labels {GIVEN}")
    from dashboard.storage.reviews import reviews  # slow: a database's library
    from dashboard.storage.reviews.review_keys import key_of

    key = key_of(collection)
    kinds = (*reviews.DECISIONS, *reviews.DECISIONS.values())
    states = [reviews.state(key, kind) for kind in kinds]
    return State(key, " ".join(store for store, _ in states), max(last for _, last in states))


@remembered(16)
def corrections_at(state: State) -> pd.DataFrame:
    """What reviewers say of each pair by the rule of `evaluation.reviewing.corrections`."""
    from dashboard.storage.reviews import reviews

    verdicts, decisions = (
        reviews.latest(state.key, kind, until=state.until)
        for kind in (reviews.VERDICT, reviews.DECISION)
    )
    return by_rule(verdicts, decisions)
