"""What a query found, made ready for the cards: results, ticks, ranks, what was missed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dashboard.evaluation.ticks import ticks
from dashboard.tables import RUN, DataError
from dashboard.views import cached, charts
from dashboard.views.cached import Question
from dashboard.views.cards import Row, cards, needed
from dashboard.views.labels import short_label


@dataclass(frozen=True, eq=False)
class Found:
    """One query with what each version found for it.

    runs      version → its whole ranking for this query (item_id, score, rank); empty with a
    problem problems  version → why it found nothing required  the keywords that count, group and
    keyword; relevant: the ids of all relevant items
    """

    asked: Question
    query_id: str
    runs: dict[str, pd.DataFrame]
    problems: dict[str, str]
    required: pd.DataFrame
    relevant: tuple[str, ...]
    judged: frozenset[str]


def find(asked: Question, query_id: str, versions: Sequence[str]) -> Found:
    """What the versions found for one of the queries in question."""
    runs, problems = {}, {}
    for version in versions:
        try:
            run = cached.run(asked, version)
        except (DataError, ValueError) as problem:
            runs[version], problems[version] = RUN.empty(), str(problem)
            continue
        runs[version] = run[run["query_id"] == query_id].reset_index(drop=True)
        if query_id in run.attrs.get("not_run", {}):
            problems[version] = f"Not run: {run.attrs['not_run'][query_id]}."
    judgement = cached.judgement(asked)
    qrels = judgement.qrels[judgement.qrels["query_id"] == query_id]
    relevant = qrels.loc[qrels["grade"] >= judgement.relevant_from, "item_id"]
    required = cached.required_keywords(asked)
    mine = (required["query_id"] == query_id) & required["group"].isin(asked.groups)
    return Found(
        asked,
        query_id,
        runs,
        problems,
        required.loc[mine, ["group", "keyword"]],
        tuple(relevant.astype("str")),
        frozenset(qrels["item_id"].astype("str")),
    )


def missed(found: Found, depth: int) -> pd.DataFrame:
    """Relevant items that some version does not show in its first `depth`: nobody's first.

    Columns item_id, rank, score (the best that any version gives; null where none ranks it).
    """
    everywhere = pd.concat(found.runs.values())
    everywhere = everywhere[everywhere["item_id"].isin(found.relevant)]
    best = everywhere.sort_values("rank").drop_duplicates("item_id").set_index("item_id")
    shown_by = everywhere[everywhere["rank"] <= depth].groupby("item_id").size()
    table = pd.DataFrame({"item_id": list(found.relevant)})
    table["shown_by"] = table["item_id"].map(shown_by).fillna(0)
    table["rank"] = table["item_id"].map(best["rank"])
    table["score"] = table["item_id"].map(best["score"])
    table = table[table["shown_by"] < len(found.runs)]
    table = table.sort_values(["shown_by", "rank"], kind="stable")
    return table.drop(columns="shown_by").head(depth)


def draw(
    found: Found,
    view: Any,
    values: pd.DataFrame,
    on_open: Callable[[str], None],
) -> None:
    """Draw a row of cards for each version and one for what was missed.

    values: the measurements of this query by the metric in front.
    """
    depth = int(view.shown)
    colours = charts.version_colours(cached.opened(view.collection).versions)
    by_version = values.set_index("run")["value"]
    rows = [
        Row(
            version,
            run[run["rank"] <= depth],
            colours[version],
            measure=short_label(view, view.metric),
            value=by_version.get(version),
            note=found.problems.get(version, ""),
        )
        for version, run in found.runs.items()
    ]
    not_shown = missed(found, depth)
    if len(not_shown):
        note = f"relevant, but not in the first {depth} of every version; nobody's first"
        rows.append(Row("Missed", not_shown, role="missed", note=note))
    items = needed(rows, view.clip or None)
    cards(
        rows,
        _described(found, items),
        key="cards",
        on_open=on_open,
        ticks=ticks(found.required, cached.opened(view.collection).keywords, items),
        ranks=pd.concat([run.assign(run=version) for version, run in found.runs.items()]),
        annotations=_annotations(view.collection, items),
        baseline=view.baseline,
        selected=view.clip or None,
    )


def _described(found: Found, item_ids: Sequence[str]) -> pd.DataFrame:
    """How each item is shown, whether it is a hit, and how many required keywords it has."""
    items = cached.media_of(found.asked.collection, item_ids)
    relevant = set(found.relevant)
    hit = [i in relevant if i in found.judged else None for i in item_ids]
    marks = ticks(found.required, cached.opened(found.asked.collection).keywords, item_ids)
    matched = marks[marks["present"] == True].groupby("item_id").size()  # noqa: E712 (may be None)
    return items.assign(
        hit=pd.Series(hit, dtype=object),
        matched=items["item_id"].map(matched).fillna(0).astype(int),
        required=len(found.required),
    )


def _annotations(collection: str, item_ids: Sequence[str]) -> pd.DataFrame:
    known = cached.opened(collection).keywords
    return known[known["item_id"].isin(list(item_ids))]
