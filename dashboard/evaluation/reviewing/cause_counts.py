"""How many results reviewers judged, by the cause that they name, on all queries and by slice."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dashboard.tables import counted

RULE = (
    "A result counts once for each cause that some reviewer names, whatever version lists it; "
    "a reviewer's last verdict on it counts."
)
NO_CAUSE = "no cause"
_PAIR, _SLICE = ["query_id", "item_id"], ["by", "slice"]


def cause_counts(
    verdicts: pd.DataFrame, slices: pd.DataFrame, causes: Sequence[str]
) -> pd.DataFrame:
    """The judged results of each slice by cause: by, slice, people, queries, judged, a column for
    each cause, and NO_CAUSE for results of which nobody names one; by RULE. Where nobody judged a
    result all of them are null. All queries come first, as slice "all queries".

    verdicts: table REVIEWS, oldest first. slices: query_id, by, slice.
    """
    last = verdicts.drop_duplicates([*_PAIR, "author"], keep="last")
    last = last[last["value"] != ""]
    last = last.assign(result=last.groupby(_PAIR).ngroup())
    everything = pd.DataFrame({"query_id": last["query_id"].unique()})
    everything = everything.assign(by="all", slice="all queries")
    of_all = pd.DataFrame({"by": ["all"], "slice": ["all queries"]})
    rows = pd.MultiIndex.from_frame(pd.concat([of_all, slices[_SLICE].drop_duplicates()]))
    inside = last.merge(pd.concat([everything, slices[["query_id", *_SLICE]]]), on="query_id")
    grouped = inside.groupby(_SLICE)
    table = pd.DataFrame(
        {
            "people": grouped["author"].nunique(),
            "queries": grouped["query_id"].nunique(),
            "judged": grouped["result"].nunique(),
        }
    )
    for cause in causes:
        mine = inside[inside["cause"] == cause]
        table[cause] = mine.groupby(_SLICE)["result"].nunique()
    some = inside.loc[inside["cause"].isin(list(causes)), "result"]
    without = inside[~inside["result"].isin(some)]
    table[NO_CAUSE] = without.groupby(_SLICE)["result"].nunique()
    return table.fillna(0).astype("Int64").reindex(rows).reset_index()


def sentence(counts: pd.DataFrame, causes: Sequence[str]) -> str:
    """What the first row of `cause_counts` says.

    >>> verdicts = pd.DataFrame(
    ...     [("q1", "a", "Ada", "not", "model"), ("q1", "b", "Bob", "relevant", "")],
    ...     columns=["query_id", "item_id", "author", "value", "cause"],
    ... )
    >>> slices = pd.DataFrame(columns=["query_id", "by", "slice"])
    >>> sentence(cause_counts(verdicts, slices, ["model", "label"]), ["model", "label"])
    '2 people judged 2 results of 1 query. Causes: model 1 of 2.'
    """
    row = counts.iloc[0]
    if pd.isna(row["judged"]):
        return "No reviewer has judged a result of these queries."
    judged = int(row["judged"])
    named = [f"{cause} {row[cause]:,} of {judged:,}" for cause in causes if row[cause]]
    people, queries = int(row["people"]), int(row["queries"])
    return (
        f"{counted(people, 'person', 'people')} judged {counted(judged, 'result')} of "
        f"{counted(queries, 'query', 'queries')}. "
        f"{'Causes: ' + ', '.join(named) if named else 'Nobody named a cause'}."
    )
