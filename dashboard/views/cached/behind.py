"""Judged items behind the end of rankings that are too many to be kept whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dashboard.evaluation import duplicates
from dashboard.evaluation.protocols import PROTOCOLS, Judgement
from dashboard.retrieval.pairs import with_pairs
from dashboard.views.cached.alike import copies
from dashboard.views.cached.opened import opened_as

if TYPE_CHECKING:
    from dashboard.views.cached.asked import Question


def is_missing_judged(asked: Question, ranked: pd.DataFrame) -> bool:
    """Whether a ranking ends early though nothing but judged items is ranked by the protocol."""
    return bool(ranked.attrs.get("cut")) and PROTOCOLS[asked.protocol].condensed


def with_judged(
    asked: Question, version: str, ranked: pd.DataFrame, judgement: Judgement
) -> pd.DataFrame:
    """A ranking that ended early, followed by the judged items that it does not hold."""
    pairs = judgement.qrels
    if asked.copies == "left_out":
        pairs = duplicates.with_copies(pairs, copies(asked.collection, asked.digest))
    return with_pairs(opened_as(asked.collection, asked.digest), version, ranked, pairs)
