"""How good is each version, and over how many results?"""

import streamlit as st

from dashboard.next.evaluation.metrics import parse, parse_one
from dashboard.next.views.address import escape_markdown
from dashboard.next.views.charts import colour_versions, draw_curve
from dashboard.next.views.frame import open_page

MAX_CUTOFF = 10

study, choices = open_page("runs", "metrics", "metric")
collection, runs = study.collection, choices["runs"]
st.title(escape_markdown(collection.title))
st.caption(study.rules.definition)

measured = study.measure(runs, choices["metrics"])
counts = {version: study.count_queries(version) for version in runs}
table = []
for each in measured:
    row = {"version": each.run}
    row |= {str(m): r["mean"] for m, r in zip(each.measures, each.list_means(), strict=True)}
    row["queries"] = f"{counts[each.run]['scored']:,} of {counts[each.run]['total']:,}"
    table.append(row)
formulas = {
    str(m): st.column_config.NumberColumn(format="%.3f", help=m.metric.formula)
    for m in parse(choices["metrics"])
}
st.dataframe(table, hide_index=True, column_config=formulas)

front = parse_one(choices["metric"])
if front.metric.cutoff != "never":
    names = " ".join(f"{front.name}@{k}" for k in range(1, MAX_CUTOFF + 1))
    rows = [row for each in study.measure(runs, names) for row in each.list_means()]
    colours = colour_versions(list(runs), choices["baseline"], choices["candidate"])
    st.altair_chart(draw_curve(rows, front.name, colours))
for version, count in counts.items():
    left = [
        f"{number:,} {why.replace('_', ' ')}" for why, number in list(count.items())[2:] if number
    ]
    if left:
        st.caption(escape_markdown(f"{version}: {', '.join(left)}"))
