"""The cards' test page: two versions, the ideal order, what was missed, and what was told."""

import pandas as pd
import streamlit as st

from dashboard.storage.media.item_media import media
from dashboard.views.cards import Row, captions_of, cards, needed, packed, payload
from tests.browser.cards_world import world

st.set_page_config(layout="wide")
known = world.open_collection()
every = known.items["item_id"].tolist()
ids = [item_id for item_id in every if item_id not in world.ODD_MEDIA]
shift = int(st.query_params.get("shift", 0))


def found(order: list[str], first: float) -> pd.DataFrame:
    scores = [first - 0.031 * place for place in range(len(order))]
    return pd.DataFrame({"item_id": order, "rank": range(1, len(order) + 1), "score": scores})


turned = int(st.query_params.get("turned", 0))
deep = int(st.query_params.get("deep", 0))
a, b = found(ids[-turned:] + ids[:-turned], 0.91), found(ids[2:] + ids[:2], 0.87)
a["rank"] += deep
k = int(st.query_params.get("k", 5))
rows = [
    Row("v0.1", a.iloc[shift : k + shift], "#0072b2", measure="nDCG@5", value=0.6131),
    Row("v0.2", b.head(k), "#d55e00", measure="nDCG@5", value=0.4411),
    Row("ideal order", found(ids[:3], 0.9).head(3), role="ideal"),
    Row("missed", pd.DataFrame({"item_id": ids[8:], "rank": None, "score": None}), role="missed"),
]
if "odd" in st.query_params:
    rows.append(Row("odd media", found(world.ODD_MEDIA, 0.8), "#009e73"))
selected = st.query_params.get("clip")
items = media(known, needed(rows, selected if selected in every else None))
items["hit"] = [None if i % 5 == 4 else i % 3 != 1 for i in range(len(items))]
items["matched"], items["required"] = [i % 4 for i in range(len(items))], 3
wanted = [(world.GROUPS[0], "bicyclist"), (world.GROUPS[1], "crossing"), (world.GROUPS[2], "urban")]
ticks = {
    item_id: [place < number % 4 for place in range(len(wanted))]
    for number, item_id in enumerate(items["item_id"])
}
annotations = dict.fromkeys(items["item_id"], [*wanted, (world.GROUPS[2], "daytime")])
places = {
    version: {i: (r, s) for i, r, s in zip(of["item_id"], of["rank"], of["score"], strict=True)}
    for version, of in {"v0.1": a, "v0.2": b}.items()
}


visit = st.query_params.get("visit", "0")
told = st.session_state.setdefault(f"told at {visit}", [])


def opened(item_id: str) -> None:
    told.append(item_id)
    rest = {key: value for key, value in st.query_params.items() if key != "clip"}
    # Written whole, as the app does: the browser hears of it also where nothing changed here.
    st.query_params.from_dict({**rest, "clip": item_id} if item_id else rest)


st.title("Cards")
columns = st.query_params.get("columns")
contents = payload(
    rows,
    items,
    required=wanted,
    ticks=ticks,
    places=places,
    annotations=annotations,
    baseline="v0.1",
    columns=int(columns) if columns else None,
    askable=set(world.PLAIN),
)
captions = captions_of(items.to_dict("records"))
cards(packed(contents), captions, selected=selected, key="grid", on_open=opened)
st.text(f"told: {told}")
st.text(f"visit {visit}")
if st.button("rerun"):
    st.text("again")
