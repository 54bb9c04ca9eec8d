"""What a version asks with, and judged pairs of query and item that a run ended before."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.retrieval.query_vectors import query_vectors
from dashboard.retrieval.search import PLACES
from dashboard.retrieval.sides import on_its_side
from dashboard.storage.collection import Collection
from dashboard.storage.files import Vectors
from dashboard.storage.versions import Model
from dashboard.tables import DataError

BLOCK = 1 << 15

Numbers = npt.NDArray[np.int64]


def asking(model: Model, asked: pd.DataFrame) -> Vectors:
    """The vectors of stored queries, stored, encoded, or of an item query the item's own. Queries
    without one are left out."""
    return query_vectors(model, asked).vectors


def with_pairs(
    collection: Collection,
    version: str,
    run: pd.DataFrame,
    pairs: pd.DataFrame,
) -> pd.DataFrame:
    """A run that was cut, followed by those of the pairs (query_id, item_id) that it ended before.

    They come in the order of the whole ranking; their ranks go on from the cut, for nobody counted
    what stands between them. For protocols that rank judged items only, which close up: to them
    nothing is missing, so that the run is no longer said to be cut.
    """
    if version not in collection.searched:
        found = "a matrix of so many similarities that rankings end early"
        raise DataError(f"runs/{version}", found, "vectors, where judged items alone are ranked")
    model, asked = collection.searched[version], collection.queries
    known, gallery = run["query_id"].cat.categories, run["item_id"].cat.categories
    there = pd.DataFrame({"q": run["query_id"].cat.codes, "i": run["item_id"].cat.codes})
    query, item = _beyond(
        known.get_indexer(pairs["query_id"]), gallery.get_indexer(pairs["item_id"]), there
    )
    score = _scores(asking(model, asked).rows(known), model.items.rows(gallery), query, item)
    order = np.lexsort((item, -score, query))
    further = pd.DataFrame(
        {
            "query_id": pd.Categorical.from_codes(query[order], categories=known),
            "item_id": pd.Categorical.from_codes(item[order], categories=gallery),
            "score": score[order],
            "rank": 0,
        }
    )
    further = on_its_side(_not_itself(further, asked), asked, collection.items)
    both = pd.concat([run, further], ignore_index=True)
    both = both.iloc[np.argsort(both["query_id"].cat.codes, kind="stable")].reset_index(drop=True)
    both["rank"] = both.groupby("query_id", observed=True).cumcount() + 1
    both.attrs = {name: of for name, of in run.attrs.items() if name not in ("cut", "torn")}
    return both


def _beyond(query: Numbers, item: Numbers, there: pd.DataFrame) -> tuple[Numbers, Numbers]:
    """The pairs of known places that are not among the rows of `there` (q, i)."""
    known = (query >= 0) & (item >= 0)
    size = int(item.max(initial=0)) + 1
    wanted = np.unique(query[known].astype(np.int64) * size + item[known])
    rows = there[there["i"] < size]
    found = pd.Index(wanted).get_indexer(rows["q"].to_numpy(dtype=np.int64) * size + rows["i"])
    new = np.ones(len(wanted), dtype=bool)
    new[found[found >= 0]] = False
    return wanted[new] // size, wanted[new] % size


def _not_itself(further: pd.DataFrame, asked: pd.DataFrame) -> pd.DataFrame:
    own = asked.loc[asked["item_id"] != ""].set_index("query_id")["item_id"]
    itself = further["query_id"].astype("str").map(own) == further["item_id"].astype("str")
    return further[~itself]


def _scores(
    queries: Vectors, gallery: Vectors, query: Numbers, item: Numbers
) -> npt.NDArray[np.float64]:
    """The score of each pair as the search gives it: of codes from bits, else the cosine."""
    found = np.empty(len(query))
    bits = gallery.matrix.shape[1] if queries.codes and gallery.codes else 0
    for start in range(0, len(query), BLOCK):
        some = slice(start, start + BLOCK)
        asks, is_found = queries.matrix[query[some]], gallery.matrix[item[some]]
        if bits:
            found[some] = 1 - 2 * ((asks > 0) != (is_found > 0)).sum(axis=1) / bits
        else:
            found[some] = np.einsum("pd,pd->p", asks.astype("float64"), is_found.astype("float64"))
    return found.round(PLACES) + 0.0
