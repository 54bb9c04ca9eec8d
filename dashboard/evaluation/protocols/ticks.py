"""Which required keywords an item has: the one answer behind ticks, "2 of 3" and relevance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.evaluation.join import codes

PAIR = ["group", "keyword"]


def ticks(required: pd.DataFrame, keywords: pd.DataFrame, item_ids: Sequence[str]) -> pd.DataFrame:
    """A tick or a cross for each item and required keyword: item_id, group, keyword, present.

    required: rows with group and keyword; keywords: KEYWORDS table.
    present is True, False, or None for an item that has no annotation at all.
    """
    wanted = required[PAIR].drop_duplicates(ignore_index=True)
    items = pd.Index(list(item_ids), dtype="str")
    has = presence(pd.MultiIndex.from_frame(wanted), keywords, items)
    annotated = items.isin(keywords["item_id"])
    known = has.astype(object)
    known[~annotated] = None
    return pd.DataFrame(
        {
            "item_id": np.repeat(items.to_numpy(), len(wanted)),
            "group": np.tile(wanted["group"].to_numpy(), len(items)),
            "keyword": np.tile(wanted["keyword"].to_numpy(), len(items)),
            "present": pd.Series(known.ravel(), dtype=object),
        }
    )


def matches(
    query_keywords: pd.DataFrame, keywords: pd.DataFrame, groups: Sequence[str] | None = None
) -> pd.DataFrame:
    """How many required keywords each annotated item has: query_id, item_id, matched, required.

    query_keywords: rows with query_id, group and keyword, all of which are required (each once);
    groups: the groups that count (default: all). A query without a keyword in them has no rows.
    Ids are categorical; rows go query by query.
    """
    wanted = within(query_keywords, groups)[["query_id", *PAIR]].drop_duplicates()
    query, query_ids = pd.factorize(wanted["query_id"])
    items = pd.Index(keywords["item_id"].unique())
    pairs = pd.MultiIndex.from_frame(wanted[PAIR])
    column, pairs = pairs.unique().get_indexer(pairs), pairs.unique()
    has = presence(pairs, keywords, items)
    needs = np.zeros((len(query_ids), len(pairs)), dtype=np.float32)
    needs[query, column] = 1
    # a product of 0/1 matrices counts; float32 counts exactly up to 16 million
    matched = (needs @ has.T.astype(np.float32)).astype(np.int16)
    required = needs.sum(axis=1).astype(np.int16)
    return pd.DataFrame(
        {
            "query_id": _spread(query_ids, np.repeat(np.arange(len(query_ids)), len(items))),
            "item_id": _spread(items, np.tile(np.arange(len(items)), len(query_ids))),
            "matched": matched.ravel(),
            "required": np.repeat(required, len(items)),
        }
    )


def presence(pairs: pd.MultiIndex, keywords: pd.DataFrame, items: pd.Index) -> NDArray[np.bool_]:
    """Whether each item has each (group, keyword) of `pairs`. [items, pairs]"""
    column = pairs.get_indexer(pd.MultiIndex.from_frame(keywords[PAIR]))
    row = codes(keywords["item_id"], items)
    known = (column >= 0) & (row >= 0)
    has = np.zeros((len(items), len(pairs)), dtype=bool)
    has[row[known], column[known]] = True
    return has


def within(table: pd.DataFrame, groups: Sequence[str] | None) -> pd.DataFrame:
    """The rows of a table whose `group` is one of `groups` (all rows for None)."""
    return table if groups is None else table[table["group"].isin(list(groups))]


def _spread(ids: pd.Index, numbers: NDArray[np.int64]) -> pd.Categorical:
    return pd.Categorical.from_codes(numbers.astype(np.int32), categories=ids)
