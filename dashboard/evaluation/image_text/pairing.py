"""Pictures and texts that belong together, as rows of matrices: who belongs to whom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard import ids
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols.crossmodal import IMAGE, TEXT
from dashboard.evaluation.protocols.protocol import Protocol
from dashboard.evaluation.rankings import Array, Floats


@dataclass(frozen=True, eq=False)
class Pairing:
    """Which picture each text belongs to, of pictures that are queries and items.

    pictures  the item ids of the pictures, in the order of their queries
    found     the item ids of texts in the gallery; owners: the place of each one's picture
    asking    the query ids of text queries; asking_owners: the place of each one's picture
    """

    pictures: tuple[str, ...]
    found: tuple[str, ...]
    owners: Array
    asking: tuple[str, ...]
    asking_owners: Array


def pairing(judgement: Judgement) -> Pairing:
    """The pairs of a judgement of pictures and texts.

    Raises ValueError where a picture that asks is no item, or a text belongs to several pictures.
    """
    asking = [query for query in judgement.query_ids if judgement.kinds.get(query) == IMAGE]
    bare = [query for query in asking if query not in judgement.leave_out]
    if bare:
        raise ValueError(f"{len(bare):,} pictures that ask are no items ({bare[0]})")
    qrels = judgement.qrels[judgement.qrels["grade"] >= judgement.relevant_from]
    query = qrels["query_id"].astype("str")
    item = qrels["item_id"].astype("str")
    kind = query.map(judgement.kinds)
    pictures = [judgement.leave_out[each] for each in asking]
    place = {picture: number for number, picture in enumerate(pictures)}
    of_images = pd.Series(
        query[kind == IMAGE].map({q: n for n, q in enumerate(asking)}).to_numpy(),
        index=item[kind == IMAGE],
    )
    of_texts = pd.Series(item[kind == TEXT].map(place).to_numpy(), index=query[kind == TEXT])
    of_texts = of_texts.dropna().astype("int64")
    for owners in (of_images, of_texts):
        several = owners.index[owners.index.duplicated()]
        if len(several):
            raise ValueError(f"the text {several[0]!r} belongs to more than one picture")
    return Pairing(
        tuple(pictures),
        tuple(of_images.index),
        of_images.to_numpy(dtype=np.int64),
        tuple(of_texts.index),
        of_texts.to_numpy(),
    )


def chance(ranks: Array, gallery: int, relevant: Array) -> Floats:
    """The share of queries that find one of theirs within each rank when the order is random.

    ranks [r]; relevant: of each query how many of the `gallery` items are right.

    >>> chance(np.array([1, 2, 4]), 4, np.array([1])).tolist()
    [0.25, 0.5, 1.0]
    """
    numbers, queries = np.unique(relevant, return_counts=True)
    if not len(numbers):
        return np.full(len(ranks), np.nan)
    from scipy.stats import hypergeom  # type: ignore[import-untyped]  # slow

    # the chance that none of the first `rank` is right is hypergeometric
    found = [hypergeom.sf(0, gallery, number, np.minimum(ranks, gallery)) for number in numbers]
    return np.asarray(np.average(found, axis=0, weights=queries))


def answers(judgement: Judgement, query_id: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The right answers to one query, and for a picture the text queries that it answers.

    Pairs query_id, item_id: of the query with each of its answers; of each such text with it.
    """
    qrels = judgement.qrels[judgement.qrels["grade"] >= judgement.relevant_from]
    pairs = qrels[["query_id", "item_id"]].astype("str")
    own = pairs[pairs["query_id"] == query_id]
    picture = judgement.leave_out.get(query_id)
    if picture is None or judgement.kinds.get(query_id) != IMAGE:
        return own.reset_index(drop=True), pairs.iloc[:0]
    is_text = pairs["query_id"].map(judgement.kinds) == TEXT
    asking = pairs[is_text & (pairs["item_id"] == picture)]
    return own.reset_index(drop=True), asking.reset_index(drop=True)


def of_item(
    qrels: pd.DataFrame, queries: pd.DataFrame, item_id: str, protocol: Protocol
) -> pd.DataFrame:
    """The judgements of an item: those of the query that is about it, else, where pairs hold both
    ways, those of the queries that ask for it: a text belongs to the pictures that it belongs to.

    queries: query_id and item_id of those that are items; what texts ask for tells of no item.
    """
    same = queries.loc[queries["item_id"] == item_id, "query_id"]
    if len(same) or not protocol.mutual:
        return qrels[qrels["query_id"] == next(iter(same), "")]
    asking = qrels["query_id"].astype("str").map(queries.set_index("query_id")["item_id"])
    found = qrels.assign(query_id=item_id, item_id=asking.astype("str"))
    found = found[(qrels["item_id"].astype("str") == item_id) & asking.notna()]
    return found.sort_values("grade", kind="stable").drop_duplicates("item_id", keep="last")


def ranks_of(run: pd.DataFrame, pairs: pd.DataFrame) -> pd.Series:
    """The rank of each pair of query_id and item_id in a run; <NA> where it did not come back."""
    of_queries = ids.among(run["query_id"], pairs["query_id"])
    mine = run.iloc[np.flatnonzero(of_queries)]
    mine = mine[mine["item_id"].isin(pairs["item_id"])]
    mine = mine[["query_id", "item_id", "rank"]].astype({"query_id": "str", "item_id": "str"})
    return pairs.merge(mine, on=["query_id", "item_id"], how="left")["rank"].astype("Int64")
