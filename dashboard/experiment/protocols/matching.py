"""Image-text matching: ranks of the first right answer, and COCO's tests of a thousand images."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from dashboard.evaluation import curves
from dashboard.evaluation.image_text import pairing
from dashboard.evaluation.image_text.pairing import Pairing
from dashboard.evaluation.image_text.recalls import Matching, matching
from dashboard.evaluation.metrics import parse
from dashboard.experiment.collection.collections import item_names
from dashboard.experiment.experiment import NO_CUT, Experiment
from dashboard.experiment.judging import counted_judgement, queries
from dashboard.experiment.long_rankings import deep_answers, measured_parts, right_answers
from dashboard.experiment.memory import remembered
from dashboard.experiment.ranking import is_long
from dashboard.retrieval.encoders.query_vectors import query_vectors
from dashboard.retrieval.gallery import Gallery, gallery_of
from dashboard.storage.collection.sides import sides
from dashboard.tables import DataError


@remembered(64, lasts=True)
def first_hits(experiment: Experiment, version: str, only: tuple[str, ...] | None) -> pd.DataFrame:
    """The first right answer of each scored query: query_id, rank, tied, kind (image or text),
    relevant (the number of right answers)."""
    judged = counted_judgement(experiment)
    protocol = experiment.rules
    tables, goes_on = [], set[str]()
    for run, part in measured_parts(experiment, version, parse("P@1")):
        tables.append(curves.first_hits(run, part, protocol, only))
        goes_on.update(run.attrs.get("torn", ()))
    found = pd.concat(tables, ignore_index=True)
    if is_long(experiment, version):  # what is not among the first results is counted
        deep = found["rank"].isna() & found["query_id"].isin(goes_on)
        below = deep_answers(experiment, version, found.loc[deep, "query_id"].tolist())
        further = [curves.first_hits(run, part, protocol) for run, part in below]
        for column in ("rank", "tied"):
            found.loc[deep, column] = [each for table in further for each in table[column]]
    relevant = dict(zip(judged.query_ids, judged.relevant.tolist(), strict=True))
    return found.assign(
        kind=found["query_id"].map(judged.kinds).fillna("").astype("str"),
        relevant=found["query_id"].map(relevant).astype("int64"),
    )


def gallery_size(experiment: Experiment, kind: str) -> int:
    """The number of items that queries of a kind search: those on their side."""
    known = experiment.collection.items
    judged, table = counted_judgement(experiment), queries(experiment)
    mine = table[table["query_id"].map(judged.kinds) == kind]
    among = set(mine.get("among", pd.Series(dtype="str"))) - {""}
    side_of = sides(known)
    if len(among) == 1 and side_of:
        return sum(side in among for side in side_of.values())
    return len(known)


def picture_queries(experiment: Experiment) -> int:
    """The number of pictures among all queries of the collection."""
    return len(_pairs(_every(experiment)).pictures)


@remembered(32, work="Matching thousands of pictures and texts …")
def test_of(experiment: Experiment, version: str, test: str) -> Matching:
    """One of COCO's tests of a thousand images, of all queries of the collection.

    Raises DataError for a version without vectors, and for pairs that the tests do not fit.
    """
    pairs = _pairs(_every(experiment))
    model = experiment.collection.searched.get(version)
    if model is None:
        raise DataError(version, "no vectors of its own", "vectors, for a test of other queries")
    gallery, asks = gallery_of(model), query_vectors(model, queries(_every(experiment))).vectors
    images, found = gallery.part(pairs.pictures), gallery.part(pairs.found)
    asking = Gallery(asks).part(pairs.asking)
    whole = (len(pairs.pictures), len(pairs.found), len(pairs.asking))
    there = (len(images.ids), len(found.ids), len(asking.ids))
    if there != whole:
        raise DataError(version, f"vectors of {there} pictures, texts and queries", f"all {whole}")
    try:
        return matching(
            images.fetch(images.ids),
            found.fetch(found.ids),
            pairs.owners,
            test,
            (asking.fetch(asking.ids), pairs.asking_owners),
        )
    except ValueError as problem:
        raise DataError(
            experiment.collection.name, str(problem).rstrip("."), "another test"
        ) from problem


def answers(experiment: Experiment, query_id: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The right answers to a query, and for a picture the text queries that it answers: query_id,
    item_id, name (the text, or the picture's name)."""
    own, asking = pairing.answers(counted_judgement(experiment), query_id)
    names = item_names(experiment.collection)
    texts = queries(experiment).set_index("query_id")["text"]
    own = own.assign(name=[names.get(item, item) for item in own["item_id"]])
    return own, asking.assign(name=asking["query_id"].map(texts).astype("str"))


def ranks(experiment: Experiment, pairs: pd.DataFrame, version: str) -> pd.Series:
    """The rank of each right answer in a version; <NA> where it is not in the run. Raises
    DataError."""
    asking = tuple(pairs["query_id"].unique().tolist())
    return pairing.ranks_of(right_answers(experiment, version, asking), pairs)


def _every(experiment: Experiment) -> Experiment:
    return replace(experiment, queries="all", copies="counted", min_similarity=NO_CUT)


@remembered(8)
def _pairs(every: Experiment) -> Pairing:
    try:
        return pairing.pairing(counted_judgement(every))
    except ValueError as problem:
        wanted = "texts of one picture each, pictures that are items"
        raise DataError(every.collection.name, str(problem), wanted) from problem
