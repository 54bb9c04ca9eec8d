"""The queries that changed most: what each version found, result by result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from dashboard.evaluation.protocols.ticks import ticks
from dashboard.experiment.collection.names import item_names
from dashboard.views.report.comparison import Comparison
from dashboard.views.report.pictures import Pictures

_HIT = {
    True: ("hit", "✓ relevant"),
    False: ("miss", "✗ not relevant"),
    None: ("unjudged", "not judged"),
}
_PRESENT = {True: ("yes", "✓"), False: ("no", "✗"), None: ("unknown", "?")}


def items_drawn(comparison: Comparison) -> list[str]:
    """The items whose pictures are needed: results, and items that queries are about."""
    about = _items_of_queries(comparison)
    changed = (*comparison.worst, *comparison.best)
    return [*comparison.results["item_id"], *(about[q] for q in changed if q in about)]


def changed(
    comparison: Comparison, query_ids: Sequence[str], pictures: Pictures
) -> list[dict[str, Any]]:
    """What the template writes of each query: its texts, values, keywords, picture and lines."""
    rows = comparison.deltas.set_index("query_id").loc[list(query_ids)]
    judgement = comparison.judgement
    relevant = dict(zip(judgement.query_ids, judgement.relevant, strict=True))
    about = _items_of_queries(comparison)
    required = comparison.required
    drawn = comparison.results["item_id"].unique()
    items, keywords = comparison.collection.items, comparison.collection.keywords
    names = item_names(items[items["item_id"].isin(drawn)])
    annotations = keywords[keywords["item_id"].isin(drawn)]
    changes: list[Any] = rows.reset_index().to_dict("records")
    return [
        {
            **row,
            "relevant": relevant[row["query_id"]],
            "keywords": required[required["query_id"] == row["query_id"]].to_dict("records"),
            "item": about.get(row["query_id"], ""),
            "picture": pictures.get(about.get(row["query_id"], "")),
            "lines": [
                _line(comparison, row["query_id"], version, pictures, names, annotations)
                for version in comparison.versions
            ],
        }
        for row in changes
    ]


def _line(
    comparison: Comparison,
    query_id: str,
    version: str,
    pictures: Pictures,
    names: Mapping[str, str],
    annotations: pd.DataFrame,
) -> dict[str, Any]:
    """The first results of one version, or why there are none.

    names, annotations: of the items drawn, their names and their rows of KEYWORDS.
    """
    results = comparison.results
    mine = results[(results["query_id"] == query_id) & (results["run"] == version)]
    not_run = comparison.runs[version].attrs.get("not_run", {})
    required = comparison.required[comparison.required["query_id"] == query_id]
    marks = _ticks(required, annotations, mine["item_id"].tolist())
    cards, records = [], list[Any](mine.to_dict("records"))
    for row in records:
        kind, mark = _HIT[None if pd.isna(row["hit"]) else bool(row["hit"])]
        item = row["item_id"]
        texts = {"kind": kind, "mark": mark, "name": names.get(item, item)}
        cards.append({**row, **texts, "picture": pictures[item], "ticks": marks.get(item, [])})
    return {"version": version, "cards": cards, "why": not_run.get(query_id, "no results")}


def _ticks(
    required: pd.DataFrame, annotations: pd.DataFrame, item_ids: Sequence[str]
) -> dict[str, list[dict[str, str]]]:
    """For each item the required keywords with ✓, ✗ or, without any annotation, a question mark."""
    marks: dict[str, list[dict[str, str]]] = {}
    for row in ticks(required, annotations, item_ids).to_dict("records"):
        kind, sign = _PRESENT[None if pd.isna(row["present"]) else bool(row["present"])]
        mark = {"kind": kind, "sign": sign, "keyword": row["keyword"]}
        marks.setdefault(row["item_id"], []).append(mark)
    return marks


def _items_of_queries(comparison: Comparison) -> dict[str, str]:
    """The item that an item query is about, by query."""
    if "item_id" not in comparison.queries:
        return {}
    asking = comparison.queries[comparison.queries["item_id"] != ""]
    return dict(zip(asking["query_id"], asking["item_id"], strict=True))
