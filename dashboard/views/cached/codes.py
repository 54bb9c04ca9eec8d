"""Hash codes of a collection: which versions have them, what lies near, and one pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.evaluation import radius
from dashboard.evaluation.code_pairs import CodePair, method_of
from dashboard.evaluation.protocols import PROTOCOLS, hashing
from dashboard.retrieval.pairs import asking
from dashboard.retrieval.search import PLACES
from dashboard.storage.collection import Collection
from dashboard.storage.files import Vectors
from dashboard.views.cached.alike import copies
from dashboard.views.cached.asked import Question
from dashboard.views.cached.judged import counted_judgement, counted_run, queries
from dashboard.views.cached.opened import opened_as


def lengths(collection: Collection, versions: Sequence[str]) -> pd.DataFrame:
    """The method and code length of each version: run, method, bits; <NA> for one without codes."""
    rows = []
    for version in versions:
        model = collection.searched.get(version)
        if model is None or not model.codes:
            rows.append((version, version, None))
            continue
        said = str(model.settings["method"]).strip()
        rows.append((version, said or method_of(version, model.dimension), model.dimension))
    return pd.DataFrame(rows, columns=["run", "method", "bits"]).astype({"bits": "Int64"})


@st.cache_resource(max_entries=128, show_spinner=False)
def by_radius(
    asked: Question, version: str, bits: int, only: tuple[str, ...] | None
) -> pd.DataFrame:
    """Precision and recall within each Hamming radius, of a version of codes."""
    protocol, judged = PROTOCOLS[asked.protocol], counted_judgement(asked)
    run = counted_run(asked, version)
    within = _within(asked, version) if run.attrs.get("cut") else None
    return radius.by_radius(run, judged, protocol, bits, only, within)


@st.cache_resource(max_entries=16, show_spinner=False)
def _within(asked: Question, version: str) -> radius.Within:
    """What lies at each distance, counted from all codes, for rankings that end before it.

    Where copies are left out, the nearest of several stands for all. Radii are of the protocol of
    hashing, whose queries search everywhere and find no item of their own.
    """
    known = opened_as(asked.collection, asked.digest)
    model = known.searched[version]
    one = copies(known.name, known.digest) if asked.copies == "left_out" else {}
    gallery = [one.get(item, item) for item in model.items.ids]
    asks = asking(model, queries(asked))
    found = radius.of_codes(
        (asks.ids, asks.matrix > 0), (gallery, model.items.matrix > 0), counted_judgement(asked)
    )
    least = asked.min_similarity - 10.0**-PLACES / 2
    return found.nearest(int((1 - least) * model.dimension / 2))


@st.cache_resource(max_entries=64, show_spinner=False)
def types(asked: Question, only: tuple[str, ...] | None) -> pd.DataFrame:
    """How many pairs of a query and an item of the gallery are of type 1, 2 and 3."""
    items = opened_as(asked.collection, asked.digest).items["item_id"].tolist()
    return hashing.types(counted_judgement(asked), items, only)


def code_pair(asked: Question, version: str, query_id: str, item_id: str) -> CodePair | None:
    """The codes of a query and an item in a version; None where it has none of one of them."""
    model = opened_as(asked.collection, asked.digest).searched.get(version)
    if model is None or not model.codes:
        return None
    known = queries(asked).set_index("query_id")
    sources = [
        model.queries.rows([query_id]) if model.queries else Vectors((), model.items.matrix[:0]),
        model.items.rows([str(known.loc[query_id, "item_id"])]),
    ]
    query = next((found for found in sources if found.ids), None)
    item = model.items.rows([item_id])
    if query is None or not item.ids:
        return None
    return CodePair(_signs(query), _signs(item))


def _signs(vectors: Vectors) -> np.ndarray:
    return np.where(vectors.matrix[0] > 0, 1, -1).astype(np.int8)
