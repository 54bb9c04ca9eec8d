"""What did each version find for this query?"""

import streamlit as st

from dashboard.next.evaluation.compare import list_differences
from dashboard.next.views.address import draw_choice, escape_markdown, set_choice
from dashboard.next.views.cards import draw_cards
from dashboard.next.views.charts import colour_versions
from dashboard.next.views.frame import open_page

study, choices = open_page("baseline", "candidate", "metric", "shown")
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
before, after = ids[max(place - 1, 0)], ids[min(place + 1, len(ids) - 1)]
versions = list(dict.fromkeys([baseline, candidate]))
found = study.query(query, versions, depth, metric)
required = ", ".join(found.asked.get("required", ())) or "nothing"
with st.container(horizontal=True, vertical_alignment="center", gap="small"):
    with st.container(width=430):
        pinned = choices.replace(query=query)
        draw_choice(collection, pinned, "query", ids, describe, label_visibility="collapsed")
    for label, key, target in (("←", "k", before), ("→", "j", after)):
        at_end = target == query
        st.button(label, shortcut=key, on_click=set_choice, args=("query", target), disabled=at_end)
    count = f"{place + 1:,} of {len(ids):,}, worst first. {found.relevant:,} relevant items."
    st.caption(escape_markdown(f"{count} Requires: {required}."), width="content")
colours = colour_versions(versions, baseline, candidate)
draw_cards(found, collection, colours, baseline, metric, depth)
