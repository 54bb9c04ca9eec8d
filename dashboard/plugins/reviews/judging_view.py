"""Judging on Query: results of versions in one pool, without labels, ranks and versions."""

import hashlib
from collections import defaultdict
from collections.abc import Callable

import streamlit as st

from dashboard.errors import ChoiceError
from dashboard.evaluation.judgement import mark_hits
from dashboard.plugins.reviews.author import AUTHOR, draw_author, find_author
from dashboard.plugins.reviews.judging_lists import JudgingList, find_list, open_whole
from dashboard.plugins.reviews.verdicts import (
    CAUSES,
    MAX_NOTE,
    VERDICT,
    find_scale,
    keep_last_of_pairs,
    list_history,
    read_state,
)
from dashboard.storage.collection import Collection
from dashboard.study.changes import list_changes, list_shown_ranks
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.tables import Names, Row
from dashboard.views.address import draw_reset, draw_text, drop_choice, set_choice
from dashboard.views.cards import make_card, make_payload
from dashboard.views.components import load_component
from dashboard.views.media_routes import describe_media
from dashboard.views.people import REVIEWER, find_reader

FILES = (
    "views/cards/elements.js", "views/cards/playback.js", "views/cards/cards.css",
    "plugins/reviews/outbox.js", "plugins/reviews/answers.js",
    "plugins/reviews/judging_view.js", "plugins/reviews/judging_view.css",
)  # fmt: skip
DEPTH = 10
"""Results of a version by which the items of a list are described."""
SHOWN = ("item", "hit", "grade", "has", "notes", "facts")
"""Keys of a card that are sent."""
LISTED = 250
"""Queries before and after the open one that the browser knows."""
AHEAD = 2
"""Queries to judge after the open one that the browser has at once."""
HIDDEN = "<style>.st-key-choices, [class*='st-key-chips'] { display: none !important }</style>"
"""Hides what names versions and numbers, in a list."""


def draw_query(study: Study, choices: Choices) -> tuple[str, str, tuple[str, str]]:
    """Draw the query for judging and end the page if that is chosen; else return its button."""
    collection = study.collection
    if choices["judge"] == "no":
        return ("v", "Judge", ("judge", "yes"))
    made = _find_list(collection, choices["list"])
    if made:
        st.html(HIDDEN)
        st.set_page_config(page_title=f"Judge · {made.title} · {collection.title}")
    if not find_author():
        st.markdown("**Judge the results in one pool;** `?` lists the keys then.")
        st.markdown("Labels, ranks, versions and others' verdicts appear after your own verdict.")
        draw_author(has_focus=True)
        draw_reset("Stop", "judge", "list")
        st.stop()
    queries, done, make_pool = _make_task(study, choices, made)
    place = next((at for at, query in enumerate(queries) if query not in done), 0)
    if choices["query"] in queries:
        place = queries.index(choices["query"])
    others = (*queries[place + 1 :], *queries[:place])
    following = [query for query in others if query not in done]
    near = [*queries[place : place + 1], *following[:AHEAD]]
    first = max(0, place - LISTED)
    shown = queries[first : place + LISTED + 1]
    over = ""
    if made and made.closed:
        over = "This list is closed; it takes no more verdicts."
    elif made and not queries:
        over = f"Nothing of this list is in {collection.title} any more."
    load_component("judging", *FILES)(
        key="judging",
        data={
            "about": {
                "collection": collection.name,
                "author": find_author(),
                "kind": VERDICT,
                "list_id": choices["list"],
            },
            "why": find_reader().explain_lack(REVIEWER) or over,
            "verified": find_reader().is_verified,
            "scale": find_scale(collection),
            "causes": list(CAUSES),
            "most": MAX_NOTE,
            "query": next(iter(near), ""),
            "queries": [[each, collection.name_query(each), each in done] for each in shown],
            "first": first,
            "total": len(queries),
            "done": len(done),
            "next": next(iter(following), ""),
            "payloads": [[query, make_pool(query)] for query in near],
        },
        on_query_change=lambda: set_choice("query", st.session_state["judging"]["query"]),
        on_author_change=lambda: st.session_state.update({AUTHOR: ""}),
        on_stop_change=lambda: drop_choice("judge", "list"),
    )
    st.stop()


def _find_list(collection: Collection, id: str) -> JudgingList | None:
    """Return the list that is judged, None for all results; end the page if it is gone."""
    try:
        return find_list(collection, id) if id else None
    except ChoiceError as error:
        draw_text("error", error)
        draw_reset("Open without this", "list")
        st.stop()


def _make_task(
    study: Study, choices: Choices, made: JudgingList | None
) -> tuple[Names, set[str], Callable[[str], Row]]:
    """Return what is judged: queries, those that are done, and what returns the pool of one."""
    collection = study.collection
    author = find_author()
    said = keep_last_of_pairs(list_history(read_state(collection.folder)[0], kind=VERDICT))
    judged, pools = (defaultdict[str, set[str]](set) for _ in range(2))
    items = collection.items
    for (query, item), people in said.items():
        if author in people:
            judged[query].add(item)
    if not made:
        versions, depth = choices.compared, int(choices["shown"])
        rows = list_changes(study, *choices.pair, choices["metric"], every=True)
        queries = [row["query_id"] for row in rows]
        known = [query for query in queries if query in judged]
        for at, shown, _ in list_shown_ranks(study, versions, known, depth):
            pools[known[at]].add(items.ids[shown])
    else:
        named = dict.fromkeys((made.baseline, made.candidate))
        versions, depth = [each for each in named if each in collection.versions], DEPTH
        study = open_whole(collection, made, choices)
        for query, item in made.asked:
            pools[query].add(item)
        queries = list(pools)

    def make_pool(query: str) -> Row:
        """Return what is shown of a query: its cards, each with what it hides until then."""
        found = study.query(query, versions, depth)
        payload = make_payload(found, collection, (), "", depth)
        known = {row["item_id"]: row for row in found.rows}
        pool = [item for item in pools.get(query, known) if item in items.index]
        place = collection.queries.index[query]
        hits = mark_hits(study.judgement, place, items.find(pool), study.rules.is_complete)
        shown = []
        for item, hit in zip(pool, hits, strict=True):
            row = Row(item_id=item, hit=hit, ranks={}) | known.get(item, {})
            ranks = [f"#{rank:,} in {version}" for version, rank in row["ranks"].items()]
            card = make_card((), row) | {"facts": ranks or [f"not among the first {depth}"]}
            verdicts = [
                [name, each.value, each.cause, each.note]
                for name, each in said.get((query, item), {}).items()
            ]
            card = {key: card[key] for key in SHOWN} | describe_media(collection, item)
            shown.append(card | {"query_id": query, "item_id": item, "said": verdicts})
        # an order that looks random, and stays the same
        seed = f"{author}\n{query}\n".encode()
        shown.sort(key=lambda card: hashlib.sha256(seed + card["item"].encode()).digest())
        return {key: payload[key] for key in ("title", "poster", "required")} | {"cards": shown}

    done = {query for query in queries if query in judged and pools[query] <= judged[query]}
    return queries, done, make_pool
