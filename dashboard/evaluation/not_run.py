"""Queries that a version could not be asked: how many, and why, in a sentence for each version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

import pandas as pd

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
