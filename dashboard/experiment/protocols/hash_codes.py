"""Hash codes of a collection: their lengths, look-up within a radius, and single pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from dashboard.evaluation import binary_codes
from dashboard.evaluation.binary_codes import CodePair, method_of
from dashboard.evaluation.metrics import parse
from dashboard.evaluation.protocols import hashing
from dashboard.evaluation.protocols.alfa import own_items
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.judging import copies_left_out, counted_judgement, queries
from dashboard.experiment.long_rankings import first_results
from dashboard.experiment.memory import remembered
from dashboard.experiment.ranking import is_long
from dashboard.retrieval.by_side import parts_by_side
from dashboard.retrieval.counting import furthest
from dashboard.retrieval.encoders.query_vectors import query_vectors
from dashboard.retrieval.gallery import gallery_of
from dashboard.storage.collection.collection import Collection
from dashboard.storage.vectors.vectors import Vectors


def lengths(collection: Collection, versions: Sequence[str]) -> pd.DataFrame:
    """The method and code length of each version: run, method, bits; <NA> for one without codes.

    collection: as the protocol of hashing reads it.
    """
    rows: list[tuple[str, str, int | None]] = []
    for version in versions:
        model = collection.searched.get(version)
        if model is None or not model.codes:
            rows.append((version, version, None))
            continue
        said = str(model.settings["method"]).strip()
        rows.append((version, said or method_of(version, model.dimension), model.dimension))
    return pd.DataFrame(rows, columns=["run", "method", "bits"]).astype({"bits": "Int64"})


@remembered(128, lasts=True)
def by_radius(
    experiment: Experiment, version: str, bits: int, only: tuple[str, ...] | None
) -> pd.DataFrame:
    """Precision and recall within each Hamming radius, of a version of codes: of long rankings
    counted from the codes, so that none is made or cut."""
    protocol, judged = experiment.rules, counted_judgement(experiment)
    # which queries count does not depend on how deep the rankings go
    run = first_results(experiment, version, parse("Success@1")[0])
    from_codes = is_long(experiment, version) or run.attrs.get("cut")
    within = _within(experiment, version) if from_codes else None
    return binary_codes.by_radius(run, judged, protocol, bits, only, within)


@remembered(16)
def _within(experiment: Experiment, version: str) -> binary_codes.Within:
    """The number of items at each distance, counted from all codes: of long rankings.

    Where copies are left out, the nearest copy counts for all.
    """
    collection = experiment.collection.under(experiment.protocol)
    model, table = collection.searched[version], queries(experiment)
    one, judged = copies_left_out(experiment), counted_judgement(experiment)
    own = {query: one.get(item, item) for query, item in own_items(table).items()}
    among = dict(zip(table["query_id"], table.get("among", [""] * len(table)), strict=True))
    asking, gallery = query_vectors(model, table).vectors, gallery_of(model)
    shape = (len(judged.query_ids), model.dimension + 1)
    found = binary_codes.Within(*np.zeros((2, *shape), dtype=np.int64))
    for asks, there in parts_by_side(asking, gallery, collection.items, among):
        names = [one.get(item, item) for item in there.ids]
        distances, bits = there.distances(asks), model.dimension
        found += binary_codes.of_codes(asks.ids, names, distances, bits, judged, own)
    limit = furthest(experiment.min_similarity, model.dimension)
    return found if limit is None else found.nearest(limit)


@remembered(64, lasts=True)
def types(experiment: Experiment, only: tuple[str, ...] | None) -> pd.DataFrame:
    """How many pairs of a query and an item of the gallery are of type 1, 2 and 3."""
    items = experiment.collection.items["item_id"].tolist()
    return hashing.types(counted_judgement(experiment), items, only)


def code_pair(experiment: Experiment, version: str, query_id: str, item_id: str) -> CodePair | None:
    """The codes of a query and an item in a version; None where it lacks one of them."""
    known = experiment.collection.under(experiment.protocol)
    model = known.searched.get(version)
    if model is None or not model.codes:
        return None
    query = query_vectors(model, queries(experiment)).vectors.rows([query_id])
    item = model.items.rows([item_id])
    if not query.ids or not item.ids:
        return None
    return CodePair(_signs(query), _signs(item))


def _signs(vectors: Vectors) -> np.ndarray:
    return np.where(vectors.bits[0], 1, -1).astype(np.int8)
