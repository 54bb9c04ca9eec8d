"""Results of each version for a typed text, an item or an uploaded picture."""

import numpy as np
import streamlit as st
from cachetools import TTLCache

from dashboard.errors import ChoiceError, DataError
from dashboard.evaluation.differences import write_signed
from dashboard.retrieval.encoders import FORMATS, MAX_UPLOAD_BYTES, list_sides, read_picture
from dashboard.study.changes import list_worse
from dashboard.study.new_query import search
from dashboard.texts import count_things
from dashboard.views.address import draw_choice, draw_text, escape_markdown, set_choice
from dashboard.views.cards import describe_change, draw_cards, make_items, make_payload
from dashboard.views.components import draw_copy, make_line
from dashboard.views.frame import open_page

EXAMPLES, RECENT, POSTERS = 5, 5, 12
MAX_FOUND, SECONDS = 8, 300  # searches that a session keeps, and how long
WHERE = r"in models/NAME/model\.toml"
LACKING = {
    "text": f"Texts cannot be typed: no version names its `encoder` {WHERE}",
    "picture": f"Pictures cannot be searched with: no version has a table `picture` {WHERE}",
}

study, choices = open_page("runs", "shown", versions=1)
collection, text, item, metric = study.collection, choices["text"], choices["item"], ""
baseline, candidate = choices.pair


def name_item(name: str) -> str:
    """Return the id of an item, and its caption if it has one."""
    place = collection.items.index.get(name, -1)
    caption = collection.items["caption"][place] if place >= 0 else ""
    return f"{name} · {caption}" if caption else name


recent = st.session_state.get("recent", ())
sides, upload = list_sides(collection.versions.values()), None
sides |= {"text"} if text else set()
with make_line(key="search"):
    if "text" in sides:
        draw_choice(
            collection, choices, "text", placeholder="Describe what to find", instead_of=["item"]
        )
    with st.container(width=220):
        draw_choice(collection, choices, "item", name_item, placeholder="Item", instead_of=["text"])
    if "picture" in sides:
        with st.popover("Picture", width="content"):
            limit = MAX_UPLOAD_BYTES // 1_000_000
            upload = st.file_uploader(
                f"Picture to search with ({', '.join(FORMATS)}; at most {limit} MB)",
                type=[*map(str.lower, FORMATS), "jpg"],
                key="picture",
                max_upload_size=limit,
                help="It stays in this session and is not part of the link. A text beside it "
                "decides which results are relevant.",
            )
    if lacking := [f"{told}\\." for side, told in LACKING.items() if side not in sides]:
        st.caption(" ".join(lacking), width="content")
    draw_copy(done="Copied without the picture" if upload else "Copied")
try:
    picture = read_picture(upload.getvalue(), upload.name) if upload else None
except DataError as error:
    draw_text("error", error)
    st.stop()
if upload:
    told = f"Searched with {upload.name}"
    told += "; the text tells which results are relevant" * bool(text)
    st.image(upload, width=160, caption=escape_markdown(told))

if not text and not item and picture is None:
    try:
        worse = list_worse(study, choices)[:EXAMPLES]
    except ChoiceError as error:
        draw_text("info", error)
        worse = []
    # a text that asks together with an item finds nothing by itself
    texts = {
        query: each
        for query, each, with_item in collection.queries.list_rows("text", "item_id")
        if each and ("text" in sides or not with_item)
    }
    first = {
        texts[row["query_id"]]: f"▼ {write_signed(row['delta'])} "
        for row in worse
        if row["query_id"] in texts
    }
    title = f"Got worse in {candidate}" if first else "Examples"
    first = first or dict.fromkeys([*dict.fromkeys(texts.values())][:EXAMPLES], "")
    again = {each: "" for each in recent if "text" in sides or each in texts.values()}
    for key, name, row in (("chips-queries", title, first), ("chips-recent", "Recent", again)):
        if row:
            with make_line(key=key):
                st.markdown(f"**{escape_markdown(name)}**", width="content")
                for place, (each, before) in enumerate(row.items()):
                    st.button(
                        escape_markdown(before + each[:60]),
                        key=f"{key}-{place}",
                        on_click=set_choice,
                        args=("text", each, ("item",)),
                    )
    places = np.unique(np.linspace(0, len(collection.items) - 1, POSTERS).astype(int))
    items = [collection.items.ids[place] for place in places]
    note = f"{len(items)} of {len(collection.items):,}"
    draw_cards(make_items(collection, items, note), picks=True)
    st.stop()

if text:
    st.session_state["recent"] = list(dict.fromkeys([text, *recent]))[:RECENT]
every = set(choices["runs"]) == set(collection.versions)
versions = tuple(dict.fromkeys([baseline, candidate, *(() if every else choices["runs"])]))
depth, metric = int(choices["shown"]), choices["metric"]
waiting = "The first typed text loads the language model, which takes some seconds."
# an encoder may be slow, and the script runs again for every input
known = st.session_state.setdefault("found", TTLCache(MAX_FOUND, SECONDS))
asked = (study, versions, text, item, upload.file_id if upload else "", depth, metric)
if (found := known.get(asked)) is None:
    with st.spinner(f"Searching. {waiting}" if text else "Searching."):
        found = search(
            study, versions, text=text, item=item, picture=picture, depth=depth, metric=metric
        )
    if not found.problems:  # a service may answer the next time
        known[asked] = found
required, other = found.asked.get("required", ()), found.asked.get("not_counted", ())
badges = [f":green-badge[✓ {escape_markdown(name)}]" for name in required]
badges += [f":gray-badge[{escape_markdown(name)} (not counted)]" for name in other]
judged = any(row["hit"] is not None for row in found.rows)
counted = count_things(found.relevant, "relevant item") if judged else "Results are not judged\\."
st.markdown(" ".join([*badges, f":small[{counted}]"]))
payload = make_payload(found, collection, versions, metric if required else "", depth)
if item:
    payload["asked"] = f"Searched with: {name_item(item)}"
if required:
    payload |= describe_change(found, baseline, candidate, metric)
draw_cards(payload)
