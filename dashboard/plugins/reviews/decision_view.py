"""Pairs on which people differ, for a decision with one key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from dashboard.evaluation.measurement import Row
from dashboard.plugins import load_all
from dashboard.plugins.reviews.agreement import keep_there
from dashboard.plugins.reviews.author import SENDING, explain_lack, find_author
from dashboard.plugins.reviews.list_view import Reviews
from dashboard.plugins.reviews.verdicts import (
    DECISION,
    VERDICT,
    Verdict,
    find_scale,
    keep_last_of_pairs,
)
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.views.address import escape_markdown
from dashboard.views.components import load_component
from dashboard.views.media_routes import find_media_of
from dashboard.views.people import OWNER

FOLDER = Path(__file__).parent
MAX_ROWS = 50
"""Pairs that are drawn at once; the next ones follow when they are decided."""


def _component() -> Any:
    return load_component(
        "reviews-decisions",
        (*SENDING, FOLDER / "answers.js", FOLDER / "decisions.js"),
        (FOLDER / "answers.css", FOLDER / "decisions.css"),
    )


def draw_decisions(study: Study, choices: Choices, reviews: Reviews, rows: Sequence[Row]) -> None:
    """Draw the pairs to decide, with what everybody said; one key decides the framed one."""
    there = keep_there(rows, study.collection)
    if len(there) < len(rows):
        st.caption(f"{len(rows) - len(there):,} disagreements are gone from the collection.")
    if not there:
        decided = any(row.kind == DECISION for row in reviews.rows)
        told = "No disagreement is left to decide. Corrected labels shows the effect."
        st.caption(told if decided else "No two people disagree about a result.")
        return
    if why := explain_lack(OWNER) or ("" if find_author() else "Enter your name to decide."):
        st.info(escape_markdown(why))
        return
    st.markdown(
        "A decision becomes the corrected label. It counts in metrics only with "
        "**Labels: corrected**. Keys act on the framed row; `j` `k` move it."
    )
    scale = find_scale(study.collection)
    about = {"collection": study.collection.name, "author": find_author(), "kind": DECISION}
    data = {
        "about": about | {"list_id": ""},
        "grades": [str(grade) for grade in range(scale + 1)] if scale > 1 else [],
        "more": max(0, len(there) - MAX_ROWS),
        "rows": make_payload(study, choices["metric"], reviews.rows, there[:MAX_ROWS]),
    }
    _component()(key="decisions", data=data, on_next_change=lambda: None)


def make_payload(
    study: Study, metric: str, said: Sequence[Verdict], rows: Sequence[Row]
) -> list[Row]:
    """Return pairs with poster, query, label, ticks, and who said what."""
    pairs = {(row["query_id"], row["item_id"]) for row in rows}
    people = keep_last_of_pairs(row for row in said if row.kind == VERDICT and row.pair in pairs)
    ticks = _list_ticks(study, metric, rows)
    names = study.collection.query_names
    found = []
    for row in rows:
        pair = (row["query_id"], row["item_id"])
        query = study.collection.queries.index[pair[0]]
        item = study.collection.items.index[pair[1]]
        media = find_media_of(study.collection, pair[1])
        found.append(
            {
                "query_id": pair[0],
                "item_id": pair[1],
                "query": names[query],
                "picture": media.poster or media.file,
                "caption": media.caption or pair[1],
                "label": _name_label(study, float(study.given_judgement.grades(query)[item])),
                "ticks": ticks.get(pair, []),
                "said": [[v.author, v.value, v.note] for v in people[pair].values()],
            }
        )
    return found


def _name_label(study: Study, grade: float) -> str:
    if np.isnan(grade):
        return "not judged"
    name = "relevant" if grade >= study.given_judgement.relevant_from else "not relevant"
    return f"{name} ({grade:g})" if find_scale(study.collection) > 1 else name


def _list_ticks(
    study: Study, metric: str, rows: Sequence[Row]
) -> Mapping[tuple[str, str], list[tuple[str, bool]]]:
    """Return which of what its query asks for each item has, as plugins say."""
    by_query: dict[str, list[Row]] = {}
    for row in rows:
        by_query.setdefault(row["query_id"], []).append({"item_id": row["item_id"]})
    found = {}
    for query, items in by_query.items():
        for describe in load_all("describe_results"):
            asked, fields = describe(study, study.collection.queries.index[query], metric, items)
            for item, told in zip(items, fields, strict=True):
                pairs = zip(asked.get("required", ()), told.get("ticks", ()), strict=False)
                if ticks := list(pairs):
                    found[query, item["item_id"]] = ticks
    return found
