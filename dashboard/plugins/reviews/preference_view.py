"""Two lists compared blind, and what came of it: who won, by whom, and query by query."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from dashboard.errors import ChoiceError, DataError
from dashboard.evaluation.differences import write_signed
from dashboard.plugins.reviews import figures, judging_lists
from dashboard.plugins.reviews.author import draw_author, find_author, load_answers
from dashboard.plugins.reviews.choices import NO_TASK, PART
from dashboard.plugins.reviews.figures import CANNOT_SAY, Judged, Scores, measure_agreement
from dashboard.plugins.reviews.judging_lists import SIDE, JudgingList
from dashboard.plugins.reviews.verdicts import PREFERENCE, UNSURE, VERDICT, Verdicts
from dashboard.storage.collection import Collection
from dashboard.study.changes import list_changes, list_ranks
from dashboard.study.choices import Choices, resolve
from dashboard.study.study import Study, open_study
from dashboard.tables import Row, Rows
from dashboard.texts import count_things
from dashboard.views.address import draw_reset, draw_text, drop_choice, escape_markdown, write_link
from dashboard.views.data_tables import Column, draw_table
from dashboard.views.media_routes import address_media, describe_media

MAX_PEOPLE = 4
"""People whose answers stand in the table of queries."""
VALUES = ("better", "same", "worse")
"""Values of the answers left, same and right if the candidate is at the left."""


def draw_comparison(collection: Collection, made: JudgingList, judged: Judged) -> None:
    """Draw the lists of two versions beside each other, without names, one query at a time.

    Args:
        collection: What the list is of.
        made: The list.
        judged: Pairs of it that each person has judged.
    """
    author = find_author()
    if not author:
        st.header(escape_markdown(made.title), anchor=False)
        st.markdown(f"Which of two lists answers better? {count_things(len(made.asked), 'query')}.")
        draw_author(has_focus=True)
        draw_reset("Leave", PART)
        return
    try:
        every = judging_lists.open_whole(collection, made, resolve(collection, {}))
        queries = make_payload(every, made, author, {query for query, _ in judged.get(author, ())})
    except (ChoiceError, DataError) as error:
        draw_text("error", f"{made.title!r} cannot be judged now. {error}")
        draw_reset("Leave", PART)
        return
    about = {
        "collection": collection.name, "author": author, "kind": PREFERENCE,
        "list_id": made.id, "run": made.candidate, "against": made.baseline,
    }  # fmt: skip
    load_answers("preference", "answers.js", "preference.css")(
        key="preference",
        data={"title": made.title, "about": about, "queries": queries},
        on_finish_change=lambda: None,
        on_leave_change=lambda: drop_choice(PART),
    )


def make_payload(study: Study, made: JudgingList, author: str, done: set[str]) -> Rows:
    """Return each query of a list: text, picture, both sides, the values of answers, and state."""
    collection = study.collection
    ids = [query for query, _ in made.asked]
    sides = {
        v: [_draw_items(collection, row["items"]) for row in list_ranks(study, v, ids, SIDE)]
        for v in (made.baseline, made.candidate)
    }
    found = []
    for at, (id, query) in enumerate(zip(ids, collection.queries.find(ids).tolist(), strict=True)):
        left, right = figures.shuffle_sides(made, id, author)
        own = int(collection.own_items[query])
        asked = ("poster", collection.items.ids[own]) if own >= 0 else ("query", id)
        found.append(
            {
                "query_id": id,
                "text": collection.query_names[query],
                "picture": address_media(collection, *asked),
                "sides": [sides[side][at] for side in (left, right)],
                "values": [*VALUES[:: 1 if left == made.candidate else -1], CANNOT_SAY],
                "done": id in done,
            }
        )
    return found


def _draw_items(collection: Collection, items: Sequence[int]) -> Rows:
    ids = [collection.items.ids[item] for item in items if item >= 0]
    return [describe_media(collection, item) | {"item": item} for item in ids]


def draw_result(study: Study, choices: Choices, made: JudgingList, rows: Verdicts) -> None:
    """Draw which version people prefer, each person's answers, and every query."""
    answers = figures.list_preferences(made, rows)
    if not answers:
        st.caption("No answer yet.")
        return
    scores = figures.score_queries(answers)
    metric = choices["metric"]
    changes = {}
    try:
        whole = open_study(study.collection, choices.replace(slice=()))
        listed = list_changes(whole, made.baseline, made.candidate, metric)
        changes = {row["query_id"]: row for row in listed}
    except (ChoiceError, DataError) as error:
        draw_text("warning", f"Without {metric}: {error}")
    winner, sentence = figures.describe_preference(scores, made.baseline, made.candidate)
    with st.container(border=True):
        left, right = st.columns([1, 1], gap="medium")
        with left:
            title = f"People prefer {winner}" if winner else "No version is clearly preferred"
            st.header(escape_markdown(title), anchor=False)
            st.markdown(escape_markdown(sentence))
        with right:
            labels = {"worse": made.baseline, "same": "neither", "better": made.candidate}
            columns = [Column(key, label, "number") for key, label in labels.items()]
            draw_table([Column("person", "Queries won"), *columns], count_answers(answers))
            draw_text("caption", _describe_agreement(answers))
    same, compared = figures.compare_with_metric(scores, changes.values(), metric)
    told = f"people and {metric} name the same winner in {same} of {compared} where both name one"
    if not compared:
        told = f"there is none in which people and {metric} both name a winner"
    st.markdown(f"**Query by query** – {escape_markdown(told)}; open one to see both rows")
    _draw_queries(study.collection, made, answers, scores, changes, metric)


def _describe_agreement(answers: Verdicts) -> str:
    words = {CANNOT_SAY: UNSURE, "much better": "better", "much worse": "worse"}
    agreed = measure_agreement([
        replace(row, kind=VERDICT, value=words.get(row.value, row.value)) for row in answers
    ])  # fmt: skip
    if not agreed:
        return "No query was compared by two people."
    first, alpha = agreed[:2]
    told = f"Same answer: {100 * first['value']:.0f} % of {first['pairs']:,} queries"
    if first["few"]:
        return f"{told}: too few for a firm value"
    return told if alpha["value"] is None else f"{told}; Krippendorff's alpha {alpha['value']:.2f}"


def count_answers(answers: Verdicts) -> Rows:
    """Return how many queries each person gave to each version, and to neither."""
    counts = Counter((row.author, row.value.removeprefix("much ")) for row in answers)
    return [
        {"person": name} | {value: counts[name, value] for value in ("worse", "same", "better")}
        for name in sorted({row.author for row in answers})
    ]


def _draw_queries(
    collection: Collection,
    made: JudgingList,
    answers: Verdicts,
    scores: Scores,
    changes: Mapping[str, Row],
    metric: str,
) -> None:
    """Draw a table of the queries, the baseline's first; each is a link to both rows."""
    names = {1: made.candidate, 0: "neither", -1: made.baseline, None: "nobody could say"}
    told = {
        "better": made.candidate, "worse": made.baseline, "same": "neither",
        CANNOT_SAY: "cannot say",
    }  # fmt: skip
    people = [name for name, _ in Counter(row.author for row in answers).most_common(MAX_PEOPLE)]
    said = {(row.query_id, row.author): told[row.value.removeprefix("much ")] for row in answers}
    order = sorted(scores, key=lambda query: -1 if (score := scores[query]) is None else score)
    rows = []
    for query in order:
        is_there = query in collection.queries.index
        row = {
            "won": names[scores[query]],
            "text": collection.name_query(query),
            "change": write_signed(changes.get(query, {}).get("delta")),
            "href": write_link("query", query=query, baseline=made.baseline,
                               candidate=made.candidate, **NO_TASK) if is_there else "",
        }  # fmt: skip
        for at, name in enumerate(people):
            row[f"person-{at}"] = said.get((query, name), "")
        rows.append(row)
    columns = [
        Column("won", "Won"),
        Column("text", "Query", "wrap", link="href"),
        *(Column(f"person-{at}", name, "wide" * (at > 1)) for at, name in enumerate(people)),
        Column("change", metric, "number", help="candidate minus baseline"),
    ]
    draw_table(columns, rows)
