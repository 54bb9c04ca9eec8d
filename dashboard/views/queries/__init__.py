"""A list of queries: change, hits by rank in two versions, and the first results on demand."""

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from dashboard.evaluation.differences import write_signed
from dashboard.storage.collection import Collection
from dashboard.study.changes import describe_moves, find_cutoff, list_moves, list_ranks
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.tables import Names, Row, Rows
from dashboard.views.address import merge_choices, set_choice, write_changes, write_link
from dashboard.views.components import load_component
from dashboard.views.data_tables import format_value, write_apart
from dashboard.views.frame import find_pages
from dashboard.views.media_routes import describe_media

FIRST_ROWS, MORE_ROWS = 25, 500
"""Queries that are drawn at first, and that are drawn with them at a press."""
PEEKED = 5
"""Results of each version below an opened query."""
MAX_FALLEN = 10
"""Hits that fell which are drawn below an opened query."""


class Pick(NamedTuple):
    """Queries that a section of Compare picks, and which of their results it means.

    Attributes:
        name: Name of what is picked, for the results.
        queries: Ids of the queries.
        is_meant: Return whether a row of a QueryResult is meant.
    """

    name: str
    queries: frozenset[str]
    is_meant: Callable[[Row], bool]


NOTHING = Pick("", frozenset(), lambda row: False)


@st.fragment
def draw_queries(study: Study, choices: Choices, rows: Rows, pick: Pick = NOTHING) -> None:
    """Draw a list of queries; each is a link to the screen Query and opens its first results.

    The address names the open one.

    Args:
        study: What is looked at.
        choices: Versions and metric that are compared, and the number of ranks.
        rows: Rows of `list_changes`, in the order in which they are drawn.
        pick: Results that are marked where a query is open.
    """
    write_changes()  # of a step that runs this list alone
    opened = st.query_params.get("query", "")
    is_far = opened in [row["query_id"] for row in rows[FIRST_ROWS:MORE_ROWS]]
    asked = (st.session_state.get("queries") or {}).get("number")  # the button was pressed
    number = asked or (MORE_ROWS if is_far else FIRST_ROWS)
    answer = load_component("queries", "views/queries/queries.js", "views/queries/queries.css")(
        key="queries",
        data=_make_payload(study, choices, rows, opened, number, pick),
        on_opened_change=lambda: set_choice("query", st.session_state["queries"]["opened"]["id"]),
        on_number_change=lambda: None,
        on_go_change=lambda: None,
    )
    if answer.go:
        st.switch_page(find_pages()["query"], query_params=merge_choices(query=answer.go))


def _make_payload(
    study: Study, choices: Choices, rows: Rows, opened: str, number: int, pick: Pick
) -> Row:
    """Return what the list shows of its first `number` rows, as values that JSON can hold."""
    metric, depth = choices["metric"], int(choices["shown"])
    versions = list(choices.compared)
    drawn, cutoff = rows[:number], find_cutoff(metric, depth)
    ids = [row["query_id"] for row in drawn]
    ranked = [list_ranks(study, version, ids, depth, is_deep=True) for version in versions]
    made = []
    peek = []
    for id, row, *found in zip(ids, drawn, *ranked, strict=True):
        fell, came = list_moves(found[0], found[-1], cutoff)
        values = [row["baseline"], row["candidate"]][-len(versions) :]
        made.append(
            {
                "id": id,
                "text": study.collection.name_query(id),
                "href": write_link("query", query=id),
                "outcome": row["outcome"],
                "change": write_signed(row["delta"]),
                "values": " → ".join(write_apart(*values)),
                "marks": [each["marks"] for each in found],
                "moves": describe_moves([each["after"] for each in fell], came),
            }
        )
        if id == opened:
            peek = _make_peek(study, versions, metric, opened, fell, cutoff, pick)
    return {
        "versions": versions,
        "metric": metric,
        "cutoff": cutoff,
        "depth": depth,
        "rows": made,
        "opened": opened,
        "peek": peek,
        "total": len(rows),
        "step": MORE_ROWS,
    }


def _make_peek(
    study: Study, versions: Names, metric: str, query: str, fell: Rows, cutoff: int, pick: Pick
) -> Rows:
    """Return the first results of each version and the hits that fell out of the first ranks."""
    found = study.query(query, versions, PEEKED, metric)
    required = found.asked.get("required", ())
    groups = []
    for version in versions:
        cards = [
            _make_card(study.collection, row["item_id"] or "", row["rank"], row["hit"])
            | {
                "ticks": list(zip(required, row.get("ticks", ()), strict=False)),
                "picked": pick.name if pick.is_meant(row) else "",
            }
            for row in found.list_rows(version)
        ]
        note = found.problems.get(version) or f"{metric} {format_value(found.values.get(version))}"
        groups.append({"name": version, "note": note, "cards": cards})
    ids = study.collection.items.ids
    fallen = [
        _make_card(study.collection, ids[r["item"]], f"{r['before']} → {r['after'] or '–'}", True)
        for r in fell[:MAX_FALLEN]
    ]
    if fallen:
        note = f"rank in {versions[0]} → rank in {versions[1]}"
        groups.append({"name": f"Fell out of the first {cutoff}", "note": note, "cards": fallen})
    return groups


def _make_card(collection: Collection, item: str, mark: object, hit: bool | None) -> Row:
    told = {"item": item or "not in the collection", "mark": mark, "hit": hit}
    return describe_media(collection, item) | told
