"""Why results are wrong, what the best order would be, and where a version ranks an item."""

from __future__ import annotations

import re

import pandas as pd

from dashboard.evaluation import ideal as ideals
from dashboard.evaluation.diagnosis import causes as suspecting
from dashboard.evaluation.diagnosis.case import NEAREST, Case, Pair
from dashboard.evaluation.diagnosis.causes import Cause
from dashboard.evaluation.diagnosis.neighbours import Surroundings, surroundings
from dashboard.experiment.collection.collections import collection_in, item_names
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.judging import (
    counted_judgement,
    judgement,
    queries,
    query_keywords,
    required_keywords,
)
from dashboard.experiment.memory import remembered
from dashboard.experiment.ranking import query_runs
from dashboard.retrieval.gallery import gallery_of
from dashboard.storage.collection.collection import Collection

NAME = 80
"""Letters of what an item is called in a sentence."""


@remembered(32)
def causes(
    experiment: Experiment,
    query_id: str,
    versions: tuple[str, ...],
    wrong: tuple[str, ...],
    missed: tuple[str, ...],
    depth: int,
) -> dict[str, Cause]:
    """The suspected cause of each wrong result and each missed item of one query.

    Causes are about keywords: none is suspected where a collection has no keywords.
    """
    folder, digest, groups = experiment.folder, experiment.digest, experiment.groups
    known = experiment.collection.under(experiment.protocol)
    if known.keywords.empty:
        return {}
    judged = judgement(experiment)
    mine = judged.of_queries([query_id]).qrels
    relevant = tuple(mine.loc[mine["grade"] >= judged.relevant_from, "item_id"].astype("str"))
    names = item_names(known)
    row = queries(experiment).set_index("query_id").loc[query_id]
    case = Case(
        required=tuple(_pairs(_of(experiment, query_id, required_keywords(experiment)))),
        keywords=_counting(known, groups),
        relevant=relevant,
        names={item: _shortened(names[item]) for item in relevant if item in names},
        spaces={version: gallery_of(model) for version, model in known.searched.items()},
        ranks={version: _ranks(experiment, version, query_id) for version in versions},
        depth=depth,
        own=str(row["item_id"]),
        known=_known(pd.Series(row), groups),
        around=_surroundings(folder, digest, experiment.protocol, groups),
        mapped=_mapped(_of(experiment, query_id, query_keywords(experiment))),
    )
    return suspecting.causes(case, wrong, missed)


@remembered(16, work="Looking for causes …")
def _surroundings(
    folder: str, digest: str, protocol: str, groups: tuple[str, ...]
) -> dict[str, Surroundings]:
    collection = collection_in(folder, digest).under(protocol)
    annotated = frozenset(_counting(collection, groups)["item_id"])
    spaces = {version: gallery_of(model) for version, model in collection.searched.items()}
    return {v: surroundings(space, NEAREST, annotated) for v, space in spaces.items()}


def _counting(collection: Collection, groups: tuple[str, ...]) -> pd.DataFrame:
    keywords = collection.keywords
    return keywords[keywords["group"].isin(groups)]


def _shortened(name: str) -> str:
    return name if len(name) <= NAME else f"{name[: NAME - 1]}…"


@remembered(32)
def ideal(
    experiment: Experiment, query_id: str, like: str, metric: str
) -> tuple[pd.DataFrame, float | None]:
    """The ideal ranking of one query, equals in the order of a version, and its metric."""
    ranked, _ = query_runs(experiment, like, query_id)
    judged = counted_judgement(experiment)
    best = ideals.ideal_run(judged, query_id, ranked)
    return best, ideals.ideal_value(judged, query_id, best, experiment.protocol, metric)


def _of(experiment: Experiment, query_id: str, table: pd.DataFrame) -> pd.DataFrame:
    return table[(table["query_id"] == query_id) & table["group"].isin(experiment.groups)]


def _pairs(table: pd.DataFrame) -> list[Pair]:
    return list(dict.fromkeys(zip(table["group"], table["keyword"], strict=True)))


def _ranks(experiment: Experiment, version: str, query_id: str) -> dict[str, int]:
    _, mine = query_runs(experiment, version, query_id)
    return dict(zip(mine["item_id"].astype("str"), mine["rank"].astype(int), strict=True))


def _mapped(kept: pd.DataFrame) -> dict[Pair, tuple[str, float]]:
    """Each kept keyword with the words that are most similar to it, and their similarity."""
    best = kept[kept["kept"]].sort_values("score", ascending=False, kind="stable")
    best = best.drop_duplicates(["group", "keyword"])
    words = zip(best["ngram"], best["score"], strict=True)
    return dict(zip(_pairs(best), [(ngram, float(score)) for ngram, score in words], strict=True))


def _known(row: pd.Series, groups: tuple[str, ...]) -> frozenset[Pair] | None:
    """The keywords of the query's own column `known_keywords`, of the groups that count."""
    written = row.get("known_keywords")
    if not isinstance(written, str) or not written.strip():
        return None
    pairs = [part.partition("=") for part in re.split(r"\s*;\s*", written.strip())]
    return frozenset((group, keyword) for group, _, keyword in pairs if group in groups)
