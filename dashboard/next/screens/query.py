"""What did each version find for this query?"""

import streamlit as st

from dashboard.next.evaluation.compare import list_differences
from dashboard.next.views.address import draw_choice, set_choice
from dashboard.next.views.cards import draw_cards
from dashboard.next.views.charts import colour_versions
from dashboard.next.views.frame import open_page

study, choices = open_page("baseline", "candidate", "runs", "metric", "shown")
collection, metric = study.collection, choices["metric"]
baseline, candidate, depth = choices["baseline"], choices["candidate"], int(choices["shown"])

delta, order = list_differences(*(study.values(v, metric) for v in (baseline, candidate)))
ids = [collection.queries.ids[query] for query in study.queries[order].tolist()]
change = dict(zip(ids, delta[order].tolist(), strict=True))
query = choices["query"] if choices["query"] in change else ids[0]


def describe(query_id: str) -> str:
    """Return the text of a query and how it changed."""
    place = collection.queries.index[query_id]
    text = collection.queries["text"][place] or collection.queries["item_id"][place]
    value = change[query_id]
    return f"{text} ({query_id})" if value != value else f"{text} ({query_id}, {value:+.3f})"


place = ids.index(query)
left, middle, right = st.columns([1, 10, 1], vertical_alignment="bottom")
with middle:
    draw_choice(collection, choices.replace(query=query), "query", ids, describe)
left.button("←", on_click=set_choice, args=("query", ids[place - 1]), disabled=place == 0)
after = ids[min(place + 1, len(ids) - 1)]
right.button("→", on_click=set_choice, args=("query", after), disabled=after == query)

versions = list(dict.fromkeys([baseline, candidate, *choices["runs"]]))
found = study.query(query, versions, depth, metric)
required = ", ".join(found.asked.get("required", ())) or "nothing"
st.caption(f"Requires: {required}. Relevant items: {found.relevant:,}. Queries: worst first.")
colours = colour_versions(versions, baseline, candidate)
draw_cards(found, collection, colours, baseline, metric, depth)
