"""What a run covers: queries that a version did not run, and results outside the collection.

A result that is no item of the collection keeps its rank, as in trec_eval: a system that fills its
first places with such results has spent these places. Where a protocol ranks judged items only,
such a result is left out like every other that nobody judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from dashboard import ids
from dashboard.evaluation.join import categories, codes
from dashboard.evaluation.rankings import Flags
from dashboard.tables import counted

SHOWN = 3


def not_run(run: pd.DataFrame, only: Collection[str] | None = None) -> dict[str, str]:
    """The queries that a run was not asked, with the reason; only: those that count."""
    reasons: Mapping[str, str] = run.attrs.get("not_run", {})
    return {q: reason for q, reason in reasons.items() if only is None or q in only}


def not_run_said(runs: Mapping[str, pd.DataFrame], queries: Collection[str]) -> dict[str, str]:
    """Why each version was not asked some of the queries, by its name; those asked all are left
    out.

    >>> run = pd.DataFrame()
    >>> run.attrs["not_run"] = {"q1": "no vector for it", "q2": "no vector for it"}
    >>> not_run_said({"a": run, "b": pd.DataFrame()}, {"q1", "q2", "q3"})
    {'a': '2 of 3 queries were not run (q1, q2): no vector for it'}
    """
    said = {}
    for name, run in runs.items():
        missing = not_run(run, set(queries))
        if missing:
            why = Counter(missing.values())
            first = ", ".join(query[:80] for query in list(missing)[:SHOWN])
            more = " …" if len(missing) > SHOWN else ""
            others = f"; {len(why) - 1:,} other reasons" if len(why) > 2 else ""
            reasons = "; ".join(reason for reason, _ in why.most_common(1 if others else 2))
            of = counted(len(queries), "query", "queries")
            were = f"{'was' if len(missing) == 1 else 'were'} not run ({first}{more})"
            said[name] = f"{len(missing):,} of {of} {were}: {reasons}{others}"
    return said


def is_silent(run: pd.DataFrame, queries: Collection[str]) -> bool:
    """Whether a version could be asked none of the queries."""
    return bool(queries) and len(not_run(run, set(queries))) == len(queries)


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
    keep = "they keep their rank, and those without a judgement count as not relevant"
    if condensed:
        keep = "those without a judgement are left out, as every result that nobody judged"
    return {str(row["run"]): f"{_counts(row)}; {keep}" for row in found.to_dict("records")}


def _counts(row: Mapping[Hashable, Any]) -> str:
    number, first = int(row["results"]), [str(each)[:80] for each in row["first"]]
    named = ", ".join(first) + (" …" if number > SHOWN else "")
    are = "is no item" if number == 1 else "are no items"
    return (
        f"{number:,} of {counted(int(row['of']), 'result')} {are} of the collection ({named}), of "
        f"{counted(int(row['queries']), 'query', 'queries')}"
    )
