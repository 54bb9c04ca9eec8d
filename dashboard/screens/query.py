"""Query: the results of each version, the ideal order, and missed items."""

from dashboard.evaluation.differences import write_signed
from dashboard.evaluation.metrics import parse_one
from dashboard.study.query_result import explain_null
from dashboard.tables import Row
from dashboard.texts import write_number
from dashboard.views.address import draw_text
from dashboard.views.cards import describe_change, draw_query, make_payload
from dashboard.views.comparison import list_changes_on_page
from dashboard.views.frame import draw_sections, open_page

AHEAD = 3  # queries before and after the open one that the browser has at once
LISTED = 250  # queries before and after the open one that its list names

study, choices = open_page("shown", "outcome", "picked", "picked_slice", versions=1)
buttons = draw_sections("query", study, choices)
collection, metric = study.collection, choices["metric"]
(baseline, candidate), depth = choices.pair, int(choices["shown"])

rows = list_changes_on_page(study, choices)
versions = list(choices.compared)
shown = "delta" if len(versions) > 1 else "candidate"
change = {row["query_id"]: row[shown] for row in rows}
ids = list(change)
asked = choices["query"]
place = ids.index(asked) if asked in change else 0
if asked and asked not in change:
    said = f"{asked} is not among the {len(ids):,} queries in question; this is another."
    draw_text("info", f"{said} Change the kind of queries or the slice to see it.")


def name_query(query_id: str) -> tuple[str, str]:
    """Return the id of a query, and what it is called with how it changed."""
    value, text = change[query_id], collection.name_query(query_id)
    if value is None:
        return query_id, text
    written = write_signed(value) if len(versions) > 1 else f"{metric} {write_number(value)}"
    return query_id, f"{text} \u200e({written})"  # a mark: the text may run from right to left


def show(query_id: str) -> Row:
    """Return what the cards show of a query."""
    found = study.query(query_id, versions, depth, metric)
    payload = make_payload(found, collection, choices.compared, metric, depth)
    at, measure = collection.queries.index[query_id], parse_one(metric)
    nulls = dict.fromkeys(
        explain_null(study, version, at, measure)
        for version, value in found.values.items()
        if value is None
    )
    problems = [*payload["problems"], *(f"{metric} has no value: {each}." for each in nulls)]
    return payload | {"problems": problems} | describe_change(found, baseline, candidate, metric)


near = ids[max(0, place - AHEAD) : place + AHEAD + 1]
first = max(0, place - LISTED)
draw_query(
    {
        "query": ids[place],
        "queries": [name_query(each) for each in ids[first : place + LISTED + 1]],
        "first": first,
        "total": len(ids),
        "buttons": buttons,
    },
    {each: show(each) for each in near},
)
draw_sections("below_query", study, choices.replace(query=ids[place]))
