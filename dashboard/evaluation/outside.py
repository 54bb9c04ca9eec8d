"""Results that are no item of the collection: how many there are, in numbers and in a sentence.

They keep their rank and count as not relevant, as in trec_eval: a system that fills its first
places with what the collection does not have has spent these places. Where a protocol ranks judged
items only, they are left out as every other result that nobody judged.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from dashboard import ids
from dashboard.evaluation.join import categories, codes
from dashboard.evaluation.rankings import Flags
from dashboard.tables import counted

SHOWN = 3


def is_outside(run: pd.DataFrame, item_ids: Iterable[str]) -> Flags:
    """Whether each result of a run is none of the items. [rows]"""
    index = categories(run["item_id"])
    beyond = ~ids.among(pd.Series(index), _texts(item_ids))
    flags: Flags = np.append(beyond, False)[codes(run["item_id"], index)]
    return flags


def outside(
    runs: Mapping[str, pd.DataFrame],
    item_ids: Iterable[str],
    only: Collection[str] | None = None,
) -> pd.DataFrame:
    """How many results of each run are none of the items, for the versions that have some.

    only: the queries that count (None: all). Columns run, results (how many are none), of (all),
    queries (that have some), first (the first few ids, best placed first).
    """
    known, rows = _texts(item_ids), []
    for name, run in runs.items():
        mine = run if only is None else run[run["query_id"].isin(list(only))]
        beyond = mine[is_outside(mine, known)]
        if len(beyond):
            best = beyond.sort_values("rank", kind="stable")["item_id"].astype("str")
            first = tuple(best.drop_duplicates().head(SHOWN))
            queries = int(beyond["query_id"].nunique())
            rows.append((name, len(beyond), len(mine), queries, first))
    return pd.DataFrame(rows, columns=["run", "results", "of", "queries", "first"])


def _texts(item_ids: Iterable[str]) -> pd.Series:
    return item_ids if isinstance(item_ids, pd.Series) else pd.Series([*item_ids], dtype="str")


def outside_said(found: pd.DataFrame, *, condensed: bool) -> dict[str, str]:
    """A sentence for each row of `outside`, by its run.

    condensed: whether the protocol ranks judged items only.
    """
    keep = "they keep their rank and count as not relevant"
    if condensed:
        keep = "they are left out, as every result that nobody judged"
    return {str(row["run"]): f"{_counts(row)}; {keep}" for row in found.to_dict("records")}


def _counts(row: Mapping[Hashable, Any]) -> str:
    number, first = int(row["results"]), [str(each)[:80] for each in row["first"]]
    named = ", ".join(first) + (" …" if number > SHOWN else "")
    are = "is no item" if number == 1 else "are no items"
    return (
        f"{number:,} of {counted(int(row['of']), 'result')} {are} of the collection ({named}), of "
        f"{counted(int(row['queries']), 'query', 'queries')}"
    )
