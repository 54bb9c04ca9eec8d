"""Why results are wrong, what the best order would be, and where a version ranks an item."""

from __future__ import annotations

import re

import pandas as pd
import streamlit as st

from dashboard.evaluation import causes as suspecting
from dashboard.evaluation import ideal as ideals
from dashboard.evaluation.case import NEAREST, Case, Pair
from dashboard.evaluation.causes import Cause
from dashboard.evaluation.neighbours import Surroundings, surroundings
from dashboard.views.cached.asked import Question
from dashboard.views.cached.judged import (
    counted_judgement,
    judgement,
    queries,
    query_keywords,
    required_keywords,
    run,
    whole_run,
)
from dashboard.views.cached.opened import item_names, opened, opened_as
from dashboard.views.texts import shown

NAME = 80
"""Letters of what an item is called in a sentence."""


@st.cache_resource(max_entries=32, show_spinner=False)
def causes(
    asked: Question,
    query_id: str,
    versions: tuple[str, ...],
    wrong: tuple[str, ...],
    missed: tuple[str, ...],
    depth: int,
) -> dict[str, Cause]:
    """The suspected cause of each wrong result and each missed item of one query.

    Causes are about keywords: none is suspected where a collection has no keywords.
    """
    known = opened_as(asked.collection, asked.digest)
    if known.keywords.empty:
        return {}
    judged = judgement(asked)
    mine = judged.qrels[judged.qrels["query_id"] == query_id]
    relevant = tuple(mine.loc[mine["grade"] >= judged.relevant_from, "item_id"].astype("str"))
    names = item_names(asked.collection)
    row = queries(asked).set_index("query_id").loc[query_id]
    case = Case(
        required=tuple(_pairs(_of(asked, query_id, required_keywords(asked)))),
        keywords=_counting(asked.collection, asked.groups),
        relevant=relevant,
        names={item: shown(names[item], NAME) for item in relevant if item in names},
        spaces={version: model.items for version, model in known.searched.items()},
        ranks={version: _ranks(whole_run(asked, version), query_id) for version in versions},
        depth=depth,
        own=str(row["item_id"]),
        known=_known(row, asked.groups),
        around=_surroundings(asked.collection, asked.digest, asked.groups),
        mapped=_mapped(_of(asked, query_id, query_keywords(asked))),
    )
    return suspecting.causes(case, wrong, missed)


@st.cache_resource(max_entries=16, show_spinner=False)
def _surroundings(name: str, digest: str, groups: tuple[str, ...]) -> dict[str, Surroundings]:
    annotated = frozenset(_counting(name, groups)["item_id"])
    spaces = {version: model.items for version, model in opened(name).searched.items()}
    return {v: surroundings(space, NEAREST, annotated) for v, space in spaces.items()}


def _counting(name: str, groups: tuple[str, ...]) -> pd.DataFrame:
    known = opened(name).keywords
    return known[known["group"].isin(groups)]


@st.cache_resource(max_entries=32, show_spinner=False)
def ideal(
    asked: Question, query_id: str, like: str, metric: str
) -> tuple[pd.DataFrame, float | None]:
    """The ideal ranking of one query, equals in the order of a version, and its metric."""
    ranked = run(asked, like)
    found = ideals.ideal_run(
        counted_judgement(asked), query_id, ranked[ranked["query_id"] == query_id]
    )
    value = ideals.ideal_value(counted_judgement(asked), query_id, found, asked.protocol, metric)
    return found, value


def _of(asked: Question, query_id: str, table: pd.DataFrame) -> pd.DataFrame:
    return table[(table["query_id"] == query_id) & table["group"].isin(asked.groups)]


def _pairs(table: pd.DataFrame) -> list[Pair]:
    return list(dict.fromkeys(zip(table["group"], table["keyword"], strict=True)))


def _ranks(ranked: pd.DataFrame, query_id: str) -> dict[str, int]:
    mine = ranked[ranked["query_id"] == query_id]
    return dict(zip(mine["item_id"].astype("str"), mine["rank"].astype(int), strict=True))


def _mapped(kept: pd.DataFrame) -> dict[Pair, tuple[str, float]]:
    """Each kept keyword with the words that speak most for it, and their similarity."""
    best = kept[kept["kept"]].sort_values("score", ascending=False, kind="stable")
    best = best.drop_duplicates(["group", "keyword"])
    words = zip(best["ngram"], best["score"], strict=True)
    return dict(zip(_pairs(best), [(ngram, float(score)) for ngram, score in words], strict=True))


def _known(row: pd.Series, groups: tuple[str, ...]) -> frozenset[Pair] | None:
    """What the collection says that the query asks for, of the groups that count."""
    written = row.get("known_keywords")
    if not isinstance(written, str) or not written.strip():
        return None
    pairs = [part.partition("=") for part in re.split(r"\s*;\s*", written.strip())]
    return frozenset((group, keyword) for group, _, keyword in pairs if group in groups)
