"""Why results are wrong, what the best order would be, and where a version ranks an item."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from dashboard import ids
from dashboard.evaluation import ideal as ideals
from dashboard.evaluation.diagnosis import causes as suspecting
from dashboard.evaluation.diagnosis.case import (
    NEAREST,
    Annotated,
    Case,
    Near,
    Pair,
)
from dashboard.evaluation.diagnosis.causes import Cause
from dashboard.evaluation.diagnosis.neighbours import Space
from dashboard.evaluation.keywords_of_items import KeywordsOfItems
from dashboard.experiment.collection.collections import (
    collection_in,
    item_names,
    keywords_of_items,
)
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.judging import (
    counted_judgement,
    judgement,
    mapped_of,
    query_row,
    required_of,
)
from dashboard.experiment.memory import each_remembered, remembered
from dashboard.retrieval.gallery import Gallery, gallery_of
from dashboard.storage.collection.collection import Collection

NEIGHBOURS = 20_000
"""Items whose neighbours are remembered."""


def _but_the_last(*arguments: Any) -> tuple[Hashable, ...]:
    return arguments[:-1]


@remembered(32, key=_but_the_last)
def causes(
    experiment: Experiment,
    query_id: str,
    wrong: tuple[str, ...],
    missed: tuple[str, ...],
    depth: int,
    versions: tuple[str, ...],
    rankings: Mapping[str, pd.DataFrame],
) -> dict[str, Cause]:
    """The suspected cause of each wrong result and each missed item of one query.

    Causes are about keywords: none is suspected where a collection has no keywords. rankings: of
    each of the versions, in which these items stand at their ranks in the whole.
    """
    known = experiment.collection.under(experiment.protocol)
    if known.keywords.empty:
        return {}
    relevant = judgement(experiment).relevant_ids(query_id)
    row, groups = query_row(experiment, query_id), experiment.groups
    of = experiment.folder, experiment.digest, experiment.protocol
    case = Case(
        required=tuple(dict.fromkeys(required_of(experiment, query_id))),
        keywords=known.keywords,
        relevant=relevant,
        names=item_names(known),
        spaces=_spaces(known),
        ranks={v: _ranks(rankings[v], (*wrong, *missed), relevant) for v in versions},
        depth=depth,
        own=str(row["item_id"]),
        known=_known(row, groups),
        gallery=_annotated(*of, groups),
        near=partial(_near, of, groups),
        mapped=_mapped(experiment, query_id),
    )
    return suspecting.causes(case, wrong, missed)


def _spaces(collection: Collection) -> dict[str, Gallery]:
    return {version: gallery_of(model) for version, model in collection.searched.items()}


@remembered(16, work="Looking for causes …")
def _annotated(folder: str, digest: str, protocol: str, groups: tuple[str, ...]) -> Annotated:
    collection = collection_in(folder, digest).under(protocol)
    has, known = keywords_of_items(collection), collection.keywords
    counting = known["group"].isin(groups)
    if not counting.all():
        has = KeywordsOfItems(known[counting])
    return Annotated.of(has, _spaces(collection))


def _near(
    of: tuple[str, str, str],
    groups: tuple[str, ...],
    version: str,
    items: Sequence[str],
    annotated: bool,
) -> dict[str, Near]:
    near = _nearest(*of, groups, annotated, version, tuple(items))
    return {item: one[0] for item, one in zip(items, near, strict=True) if one}


@each_remembered(NEIGHBOURS, lambda near: 1, lasts=False)
def _nearest(
    folder: str,
    digest: str,
    protocol: str,
    groups: tuple[str, ...],
    annotated: bool,
    version: str,
    items: tuple[str, ...],
) -> list[tuple[Near, ...]]:
    """The nearest neighbours of items, each with its cosine, of those that have a keyword of some
    groups or of any; none for an item without a vector."""
    collection = collection_in(folder, digest).under(protocol)
    gallery = _annotated(folder, digest, protocol, groups)
    among = (gallery.spaces if annotated else gallery.every)[version]
    space: Space = gallery_of(collection.searched[version])
    near = space.nearest(items, NEAREST, among)
    return [(near[item],) if item in near else () for item in items]


@remembered(32, key=_but_the_last)
def ideal(
    experiment: Experiment, query_id: str, like: str, metric: str, most: int, ranked: pd.DataFrame
) -> tuple[pd.DataFrame, float | None]:
    """The first of the ideal ranking of one query, equals in the order of a version, and its
    metric. ranked: the judged items as that version has them."""
    judged = counted_judgement(experiment)
    best = ideals.ideal_run(judged, query_id, ranked, most)
    return best, ideals.ideal_value(judged, query_id, experiment.protocol, metric)


def _ranks(run: pd.DataFrame, items: Sequence[str], relevant: Sequence[str]) -> dict[str, int]:
    """The ranks of some items, and of the relevant ones that a wrong result is compared with."""
    known, hits = (pd.Series(list(of), dtype="str") for of in (items, relevant))
    hit = ids.among(run["item_id"], hits)
    hit &= hit.cumsum() <= suspecting.MOST_COMPARED
    mine = run[hit | ids.among(run["item_id"], known)]
    return dict(zip(mine["item_id"].tolist(), mine["rank"].tolist(), strict=True))


def _mapped(experiment: Experiment, query_id: str) -> dict[Pair, tuple[str, float]]:
    """Each kept keyword with the words that are most similar to it, and their similarity."""
    mine = [each for each in mapped_of(experiment, query_id) if each.group in experiment.groups]
    best: dict[Pair, tuple[str, float]] = {}
    for each in sorted(mine, key=lambda each: -each.score):
        best.setdefault((each.group, each.keyword), (each.ngram, float(each.score)))
    return best


def _known(row: Mapping[str, Any], groups: tuple[str, ...]) -> frozenset[Pair] | None:
    """The keywords of the query's own column `known_keywords`, of the groups that count."""
    written = row.get("known_keywords")
    if not isinstance(written, str) or not written.strip():
        return None
    pairs = [part.partition("=") for part in re.split(r"\s*;\s*", written.strip())]
    return frozenset((group, keyword) for group, _, keyword in pairs if group in groups)
