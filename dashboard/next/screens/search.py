"""Results of each version for a typed text or a chosen item."""

import streamlit as st

from dashboard.next.errors import ChoiceError
from dashboard.next.views.address import draw_choice, escape_markdown, set_choice
from dashboard.next.views.cards import draw_cards
from dashboard.next.views.cards.payload import make_payload
from dashboard.next.views.charts import colour_versions
from dashboard.next.views.frame import open_page

EXAMPLES = 6

study, choices = open_page("baseline", "candidate", "runs", "shown")
collection, text, item = study.collection, choices["text"], choices["item"]
left, right = st.columns([2, 1])
with left:
    draw_choice(collection, choices, "text")
with right:
    draw_choice(collection, choices, "item", ("", *collection.items.ids))
if not text and not item:
    st.caption("Type a text or choose an item; for example:")
    try:
        st.caption(f"{len(study.queries):,} queries")
    except ChoiceError as error:
        st.info(escape_markdown(str(error)))
    texts = dict.fromkeys(each for each in collection.queries["text"] if each)
    with st.container(horizontal=True):
        for place, each in enumerate(list(texts)[:EXAMPLES]):
            label = escape_markdown(each[:60])
            st.button(label, key=f"example-{place}", on_click=set_choice, args=("text", each))
    st.stop()
if text and item:
    st.caption("The text is searched with; clear it to search with the item.")
    item = ""
versions = list(dict.fromkeys([choices["baseline"], choices["candidate"], *choices["runs"]]))
depth = int(choices["shown"])
with st.spinner("Searching; the first typed text loads the language model."):
    found = study.search(versions, text=text, item=item, depth=depth)
required = ", ".join(found.asked.get("required", ())) or "nothing: results are not judged"
st.caption(escape_markdown(f"Requires: {required}. Relevant items: {found.relevant:,}."))
colours = colour_versions(versions, choices["baseline"], choices["candidate"])
draw_cards(make_payload(found, collection, colours, choices["baseline"], "", depth))
