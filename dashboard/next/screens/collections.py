"""Collections of the data folder: contents, licence, basis of relevance, and findings."""

import streamlit as st

from dashboard.next.errors import DataError
from dashboard.next.storage.collection import open_collection
from dashboard.next.study.protocols import list_rules
from dashboard.next.views.address import escape_markdown
from dashboard.next.views.frame import find_data, list_collections, open_page

open_page()
rows: list[dict[str, object]] = []
for name in list_collections():
    try:
        opened = open_collection(find_data() / name)
    except DataError as error:
        rows.append({"collection": name, "problem": str(error)})
        continue
    rules = list_rules(opened)
    rows.append(
        {
            "collection": name,
            "title": opened.title,
            "items": len(opened.items),
            "queries": len(opened.queries),
            "versions": len(opened.versions),
            "relevant": rules[0].title if rules else "no protocol for its tables yet",
            "licence": opened.settings.get("licence", ""),
            "findings": len(opened.findings),
        }
    )
st.dataframe(rows, hide_index=True)
for row in rows:
    if "problem" in row:
        st.error(escape_markdown(f"{row['collection']}: {row['problem']}"))
st.subheader("Your own data")
st.code("python -m dashboard.next check data/yours", language="sh")
