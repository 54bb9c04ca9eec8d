"""All the ways in which queries are divided: what screens, reports and gates offer as slices."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.slices import slices_of_keywords, slices_of_queries, slices_of_relevant

FEW = 30
"""A column of the queries with more values than this is no way to divide them."""


def divisions(
    queries: pd.DataFrame, required: pd.DataFrame, groups: Sequence[str], judgement: Judgement
) -> pd.DataFrame:
    """Which query is in which slice: query_id, by, slice.

    Queries are divided by the keywords that they ask for (by: the group), by the groups, by how
    many keywords, words and relevant items there are, by kind, and by each further column of the
    queries that has few values. required: query_id, group, keyword of every group; `groups` are
    those that count.
    """
    counting = required[required["group"].isin(list(groups))].assign(kept=True)
    by_number = slices_of_keywords(counting, queries["query_id"].tolist())
    by_keyword = required.rename(columns={"group": "by", "keyword": "slice"})
    of_queries = slices_of_queries(queries)
    few = of_queries.groupby("by")["slice"].transform("nunique") <= FEW
    return pd.concat(
        [
            by_keyword[["query_id", "by", "slice"]].astype("str"),
            by_number[by_number["by"] != "keyword"],
            slices_of_relevant(judgement),
            of_queries[few],
        ],
        ignore_index=True,
    )
