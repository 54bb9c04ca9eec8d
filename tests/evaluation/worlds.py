"""Small pieces that tests of the evaluation room build with."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.rankings import rank
from dashboard.retrieval.gallery import Gallery
from dashboard.storage.vectors.vectors import Vectors


@dataclass
class World:
    """The evidence of a made-up collection; what it does not have is None."""

    queries: pd.DataFrame | None = None
    items: pd.DataFrame | None = None
    keywords: pd.DataFrame | None = None
    query_keywords: pd.DataFrame | None = None
    qrels: pd.DataFrame | None = None


def run_of(lists, scores=None):
    """A run from {query: [item, …]}, best first; scores fall by one from rank to rank."""
    rows = [
        (q, item, -float(place) if scores is None else scores[q][place], place + 1)
        for q, items in lists.items()
        for place, item in enumerate(items)
    ]
    table = pd.DataFrame(rows, columns=["query_id", "item_id", "score", "rank"])
    return table.astype({"query_id": "str", "item_id": "str", "score": float, "rank": int})


def code_rankings(queries, gallery, grades, depth=None):
    """What is searched by codes of -1 and 1 [Q, K] and [N, K] and judged by grades [Q, N]."""
    sides = [
        Vectors(
            tuple(f"{name}{row}" for row in range(len(codes))),
            (codes / np.sqrt(codes.shape[1])).astype(np.float32),
            codes=True,
        )
        for name, codes in (("q", queries), ("i", gallery))
    ]
    run = Gallery(sides[1]).search(sides[0], k=depth or len(gallery))
    rows = [
        (query, item, float(grade))
        for query, of in zip(sides[0].ids, grades, strict=True)
        for item, grade in zip(sides[1].ids, of, strict=True)
    ]
    qrels = pd.DataFrame(rows, columns=["query_id", "item_id", "grade"])
    return rank(run, PROTOCOLS["hashing"].judge(World(qrels=qrels), None))
