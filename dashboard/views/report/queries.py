"""The queries that changed most: what each version found, result by result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from dashboard.evaluation.protocols.ticks import PAIR, ticks
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
    items = comparison.collection.items
    names = item_names(items[items["item_id"].isin(comparison.results["item_id"])])
    marks = _ticks(comparison, query_ids)
    changes: list[Any] = rows.reset_index().to_dict("records")
    return [
        {
            **row,
            "relevant": relevant[row["query_id"]],
            "keywords": required[required["query_id"] == row["query_id"]].to_dict("records"),
            "item": about.get(row["query_id"], ""),
            "picture": pictures.get(about.get(row["query_id"], "")),
            "lines": [
                _line(comparison, row["query_id"], version, pictures, names, marks)
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
    marks: Mapping[tuple[str, str], list[dict[str, str]]],
) -> dict[str, Any]:
    """The first results of one version, or why there are none.

    names: of the items drawn. marks: their ticks, by query and item.
    """
    results = comparison.results
    mine = results[(results["query_id"] == query_id) & (results["run"] == version)]
    not_run = comparison.runs[version].attrs.get("not_run", {})
    cards, records = [], list[Any](mine.to_dict("records"))
    for row in records:
        kind, mark = _HIT[None if pd.isna(row["hit"]) else bool(row["hit"])]
        item = row["item_id"]
        texts = {"kind": kind, "mark": mark, "name": names.get(item, item)}
        own = marks.get((query_id, item), [])
        cards.append({**row, **texts, "picture": pictures[item], "ticks": own})
    return {"version": version, "cards": cards, "why": not_run.get(query_id, "no results")}


def _ticks(
    comparison: Comparison, query_ids: Sequence[str]
) -> dict[tuple[str, str], list[dict[str, str]]]:
    """For each query and result its keywords with ✓, ✗ or, without any annotation, a question mark.

    Each pair of an item and a keyword is looked up once, for all queries together.
    """
    required = comparison.required[comparison.required["query_id"].isin(list(query_ids))]
    results = comparison.results[comparison.results["query_id"].isin(list(query_ids))]
    keywords = comparison.collection.keywords
    annotations = keywords[keywords["item_id"].isin(results["item_id"])]
    present = ticks(required, annotations, results["item_id"].unique().tolist())
    pairs = results[["query_id", "item_id"]].drop_duplicates()
    wanted = pairs.merge(required[["query_id", *PAIR]].drop_duplicates(), on="query_id")
    marks: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in wanted.merge(present, on=["item_id", *PAIR], how="left").to_dict("records"):
        kind, sign = _PRESENT[None if pd.isna(row["present"]) else bool(row["present"])]
        mark = {"kind": kind, "sign": sign, "keyword": row["keyword"]}
        marks.setdefault((row["query_id"], row["item_id"]), []).append(mark)
    return marks


def _items_of_queries(comparison: Comparison) -> dict[str, str]:
    """The item that an item query is about, by query."""
    if "item_id" not in comparison.queries:
        return {}
    asking = comparison.queries[comparison.queries["item_id"] != ""]
    return dict(zip(asking["query_id"], asking["item_id"], strict=True))
