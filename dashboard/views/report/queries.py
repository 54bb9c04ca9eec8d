"""The queries that changed most: what each version found, picture by picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from dashboard.evaluation.digits import number, signed
from dashboard.experiment.names import item_names
from dashboard.views.labels import group_name
from dashboard.views.report.found import MOST, Found, marks
from dashboard.views.report.markup import Markup, data, joined, tag
from dashboard.views.report.pictures import Shown, picture_of

NAME = 120  # letters
_HIT = {True: "hit", False: "miss", None: "unjudged"}
_SAID = {True: "✓ relevant", False: "✗ not relevant", None: "not judged"}


def needed(found: Found) -> list[str]:
    """The items whose pictures are shown: results, and items that are asked with."""
    asked = _asked_with(found)
    return [*found.results["item_id"], *(asked[q] for q in _shown(found) if q in asked)]


def changed(found: Found, query_ids: Sequence[str], word: str, shown: Shown) -> Markup:
    """Queries one after the other, with a sentence on how many there are. word: worse or better."""
    if not query_ids:
        return tag("p", f"No query is {word}.")
    every = int(found.front[word])
    all_of = "The one query" if every == 1 else f"All {every:,} queries"
    some = f"{len(query_ids):,} of {every:,} queries"
    told = f"{all_of if every <= MOST else some} {word} in the candidate, largest change first."
    rows = found.deltas.set_index("query_id").loc[list(query_ids)]
    articles = [_article(found, row, shown) for row in rows.reset_index().to_dict("records")]
    return joined([tag("p", told), *articles])


def _article(found: Found, row: dict[Any, Any], shown: Shown) -> Markup:
    query_id, subject = row["query_id"], found.subject
    sign, kind = ("▼", "worse") if row["delta"] < 0 else ("▲", "better")
    change = tag("strong", f"{sign} {signed(row['delta'])}", class_=kind)
    values = f"{number(row['baseline'])}, then {number(row['candidate'])}"
    place = list(found.judgement.query_ids).index(query_id)
    count = f"{found.judgement.relevant[place]:,} relevant items"
    asked = _asked_with(found).get(query_id)
    own = [tag("div", picture_of(shown, asked), class_="own")] if asked else []
    lines = [_line(found, query_id, version, shown) for version in subject.versions]
    told = [subject.title, " ", change, f" ({values}) · {count} · ", _chips(found, query_id)]
    return tag("article", *own, tag("h3", data(row["query"])), tag("p", *told), *lines)


def _chips(found: Found, query_id: str) -> Markup:
    mine = found.required[found.required["query_id"] == query_id]
    chips = [
        tag("span", data(row.keyword), class_="chip", title=group_name(str(row.group)))
        for row in mine.itertuples()
    ]
    return joined(["keywords: ", *chips]) if chips else Markup("no keywords")


def _line(found: Found, query_id: str, version: str, shown: Shown) -> Markup:
    """The first results of one version, side by side."""
    results = found.results
    mine = results[(results["query_id"] == query_id) & (results["run"] == version)]
    if mine.empty:
        why = found.subject.runs[version].attrs.get("not_run", {}).get(query_id, "no results")
        return joined([tag("h4", data(version)), tag("p", data(why))])
    ticked = marks(found, query_id, mine["item_id"].tolist())
    items = found.subject.collection.items
    names = item_names(items[items["item_id"].isin(mine["item_id"])])
    cards = [
        _card(row, ticked[ticked["item_id"] == row["item_id"]], shown, names)
        for row in mine.to_dict("records")
    ]
    return joined([tag("h4", data(version)), tag("ol", *cards, class_="line")])


def _card(
    row: dict[Any, Any], ticked: pd.DataFrame, shown: Shown, names: Mapping[str, str]
) -> Markup:
    hit, item = None if pd.isna(row["hit"]) else bool(row["hit"]), row["item_id"]
    rank = [tag("b", f"#{row['rank']}"), " ", tag("span", _SAID[hit], class_="mark")]
    move = tag("span", row["move"], class_="move") if row["move"] else ""
    ticks = [_tick(tick) for tick in ticked.to_dict("records")]
    return tag(
        "li",
        picture_of(shown, item),
        tag("p", *rank),
        tag("p", f"similarity {number(row['score'])} ", move),
        tag("ul", *ticks, class_="ticks") if ticks else "",
        tag("p", data(names.get(item, item), NAME), class_="name", title=item),
        class_=_HIT[hit],
    )


def _tick(tick: dict[Any, Any]) -> Markup:
    """A required keyword with ✓, ✗ or, where the item has no annotation at all, a question mark."""
    present = None if pd.isna(tick["present"]) else bool(tick["present"])
    sign = {True: "✓", False: "✗", None: "?"}[present]
    kind = {True: "yes", False: "no", None: "unknown"}[present]
    return tag("li", f"{sign} ", data(tick["keyword"], 60), class_=kind)


def _shown(found: Found) -> list[str]:
    return [*found.worst, *found.best]


def _asked_with(found: Found) -> dict[str, str]:
    """The item that an item query asks with, by query."""
    queries = found.subject.queries
    if queries is None or "item_id" not in queries.columns:
        return {}
    asking = queries[queries["item_id"] != ""]
    return dict(zip(asking["query_id"], asking["item_id"], strict=True))
