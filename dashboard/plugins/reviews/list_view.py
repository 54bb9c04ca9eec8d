"""Lists to judge on the screen Reviews: own work, all lists, one of them, and a form for more."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

import streamlit as st

from dashboard.errors import ChoiceError, DataError
from dashboard.plugins.reviews import figures, judging_lists, verdicts
from dashboard.plugins.reviews.author import find_author
from dashboard.plugins.reviews.choices import NO_TASK, PART
from dashboard.plugins.reviews.figures import Judged
from dashboard.plugins.reviews.judging_lists import (
    COMPARED,
    MAX_PAIRS,
    MAX_QUERIES,
    WAYS,
    JudgingList,
)
from dashboard.plugins.reviews.preference_view import draw_result
from dashboard.plugins.reviews.verdicts import MAX_NAME, Verdicts
from dashboard.storage.collection import Collection
from dashboard.study.choices import Address, Choices, resolve
from dashboard.study.study import Study, open_study
from dashboard.tables import Names
from dashboard.texts import count_things
from dashboard.views.address import (
    draw_reset,
    draw_text,
    escape_markdown,
    set_choice,
    shorten_choices,
    write_link,
)
from dashboard.views.components import draw_copy, make_line
from dashboard.views.data_tables import Column, draw_folded, draw_table, write_table
from dashboard.views.frame import find_pages
from dashboard.views.people import OWNER, REVIEWER, find_reader

MAX_LISTS = 20
MAX_PEOPLE = 6
MAX_ROWS = 500
"""Lists that are drawn whole, people that are named of each, and pairs of one that are listed."""
NEW = "new-list-id"
MAKING = "is-making-a-list"
"""Keys of the session: the list that was made last, and whether the form is open."""
STYLE = """<style>@media (max-width: 743px) {
  [class*="st-key-list-"] [data-testid="stLayoutWrapper"] > .stHorizontalBlock { flex-wrap: wrap }
  [class*="st-key-list-"] .stMarkdown { flex-basis: 100% }
}
[class*="st-key-link-"] a { justify-content: center; min-height: 38px; padding: 0 12px;
  border: 1px solid light-dark(#d9dee6, #2c3846); border-radius: 8px }
[class*="st-key-link-"] a p { text-decoration: none }
[class*="st-key-link-primary"] a,
[class*="st-key-link-primary"] a:hover { background: light-dark(#1f5fbf, #7fb2ff) }
[class*="st-key-link-primary"] a p { color: light-dark(#ffffff, #0e151d) }</style>"""
LISTS = [
    Column("title", "List", "wrap", link="href"),
    Column("told", "Holds", "wrap"),
    Column("progress", "Judged by", "wrap"),
]
PAIRS = [
    Column("query", "Query", "wrap", link="href"),
    Column("item_id", "Result", "wrap"),
    Column("people", "People", "number"),
    Column("values", "They said"),
]


class Reviews(NamedTuple):
    """Everything that people said of a collection, read once.

    Attributes:
        lists: The newest first.
        rows: All rows in the order in which they were saved.
        judged: Pairs that each person has judged, by list and name.
        left_out: A sentence for each list that cannot be read.
    """

    lists: Sequence[JudgingList]
    rows: Verdicts
    judged: Mapping[str, Judged]
    left_out: Names

    def count_left(self, made: JudgingList, author: str) -> int:
        """Return how many pairs of a list are left for a person."""
        return 0 if made.closed else len(made.asked) - len(self.judged[made.id].get(author, ()))


def read_reviews(collection: Collection) -> Reviews:
    """Return what the store holds of a collection.

    Raises:
        DataError: If it cannot be read.
    """
    left_out: list[str] = []
    lists = judging_lists.read_lists(collection, left_out)
    rows = verdicts.list_history(verdicts.read_state(collection.folder)[0])
    return Reviews(lists, rows, figures.find_judged(lists, rows), left_out)


def draw_lists(study: Study, choices: Choices, reviews: Reviews) -> None:
    """Draw what is left to do for the reader, all lists, and the form for a new one."""
    author = find_author()
    _draw_own(study.collection, reviews, author)
    with make_line():
        st.header("All lists", anchor=False, width="stretch")
        if st.button("New list", key="new-list"):
            st.session_state[MAKING] = not st.session_state.get(MAKING)
    if st.session_state.get(MAKING):
        if why := find_reader().explain_lack(OWNER):
            draw_text("info", why)
        else:
            _draw_form(study, choices, author)
    for sentence in reviews.left_out[:MAX_LISTS]:
        draw_text("warning", f"Left out: {sentence}")
    opened = [made for made in reviews.lists if not made.closed]
    for made in opened[:MAX_LISTS]:
        _draw_list(made, reviews.judged[made.id], author)
    if not reviews.lists:
        st.caption("No list yet. A list is what several people judge, each on their own.")
    rows = [
        {
            "title": made.title,
            "href": write_link("reviews", **{PART: made.id}),
            "told": _tell(made),
            "progress": _write_progress(made, reviews.judged[made.id]),
        }
        for made in (*opened[MAX_LISTS:], *(each for each in reviews.lists if each.closed))
    ]
    if rows:
        draw_folded(f"Closed and older lists: {len(rows):,}", write_table(LISTS, rows))


def _draw_own(collection: Collection, reviews: Reviews, author: str) -> None:
    if not author:
        st.info("Enter your name to see what is left for you.")
        return
    if why := find_reader().explain_lack(REVIEWER):
        draw_text("info", why)
        return
    left = [made for made in reviews.lists if reviews.count_left(made, author)]
    left.sort(key=lambda made: author not in reviews.judged[made.id])  # what was begun comes first
    shown = left[:MAX_LISTS]
    some = f" – {MAX_LISTS} of {len(left):,} lists" if len(left) > MAX_LISTS else ""
    st.header(f"Your work{some}", anchor=False)
    if not left:
        st.caption("No list has anything left for you.")
    for place, made in enumerate(shown):
        done = len(made.asked) - reviews.count_left(made, author)
        step, bar = st.columns([2, 3], vertical_alignment="center")
        with step:
            label = f"{'Continue' if done else 'Begin'}: {made.title}"
            _draw_step(collection, made, label, "stretch", "secondary" if place else "primary")
        with bar:
            st.progress(done / len(made.asked), f"{done:,} of {_count(made)}")


def _draw_step(
    collection: Collection, made: JudgingList, label: str, width: Any, kind: Any
) -> None:
    """Draw what goes on where a person has stopped, in one step of the browser's Back."""
    label = escape_markdown(label)
    if made.is_comparison:  # on this page
        key, chosen = f"go-{made.id}", (PART, made.id)
        st.button(label, key, on_click=set_choice, args=chosen, type=kind, width=width)
        return
    screen, values = describe_task(made)  # the whole address: what Query adds is another step
    values = shorten_choices(collection, resolve(collection, values))
    with st.container(key=f"link-{kind}-{made.id}", width=width):
        st.page_link(find_pages()[screen], label=label, query_params=values, width=width)


def describe_task(made: JudgingList) -> tuple[str, Address]:
    """Return the screen on which a list is judged, and its address, which names no version."""
    kept = {"collection": st.query_params.get("collection", "")}
    if made.is_comparison:
        return "reviews", kept | {PART: made.id}
    return "query", kept | {"judge": "yes", "list": made.id}


def write_address(made: JudgingList) -> str:
    """Return the whole address at which a list is judged, for a link that is sent."""
    screen, values = describe_task(made)
    return f"{str(st.context.url or '').rpartition('/')[0]}/{screen}?{urlencode(values)}"


def _draw_list(made: JudgingList, judged: Judged, author: str) -> None:
    """Draw an open list: facts, progress of each person, its link, and its end."""
    is_new = made.id == st.session_state.get(NEW)
    href = write_link("reviews", **{PART: made.id})
    progress = escape_markdown(_write_progress(made, judged))
    with st.container(border=True, key=f"list-{made.id}"):
        with make_line():
            told = escape_markdown(_tell(made))
            st.markdown(
                f"**[{escape_markdown(made.title)}]({href})** :small[{told}]  \n:small[{progress}]",
                width="stretch",
            )
            draw_copy(f"copy-{made.id}", text=write_address(made), now=is_new)
            ending = author and author == made.author and st.popover("Close")
        if is_new:
            st.success("The list is made. Send its link to those who judge.")
            st.code(write_address(made), language=None, wrap_lines=True)
    if not ending:
        return
    begun = sum(len(done) < len(made.asked) for done in judged.values())
    people = f" {begun} who have begun cannot finish." if begun else ""
    ending.markdown(
        f"Nobody can judge in this list any more.{people} What was said stays, and counts. "
        "It cannot be opened again."
    )
    if ending.button("Close the list", key=f"close-{made.id}"):
        try:
            find_reader().require(OWNER)
            judging_lists.close_list(made, author)
        except (ChoiceError, DataError) as error:
            with ending:
                draw_text("error", error)
        else:
            st.rerun()


def _count(made: JudgingList) -> str:
    return count_things(len(made.asked), "query" if made.is_comparison else "result")


def _tell(made: JudgingList) -> str:
    """Return the facts of a list."""
    versions = " → ".join(filter(None, (made.baseline, made.candidate)))
    task = "to compare blind" if made.is_comparison else "to judge"
    told = (
        f"{_count(made)} {task}", made.chosen, versions, f"by {made.author}", made.time[:10],
        "closed" if made.closed else "", judging_lists.describe_gone(made),
    )  # fmt: skip
    return " · ".join(filter(None, told))


def _write_progress(made: JudgingList, judged: Judged) -> str:
    ranked = sorted(judged.items(), key=lambda each: (-len(each[1]), each[0]))
    told = [f"{name} {len(done):,} of {len(made.asked):,}" for name, done in ranked[:MAX_PEOPLE]]
    if more := ranked[MAX_PEOPLE:]:
        told.append(f"{len(more)} more")
    return " · ".join(told) or "Nobody has begun."


def _draw_form(study: Study, choices: Choices, author: str) -> None:
    """Draw the inputs of a new list, and make it."""
    with st.container(border=True, key="form"):
        kinds = {False: "Judge results", True: "Compare lists blind"}
        with st.container(horizontal=True, vertical_alignment="bottom"):
            compares = bool(st.segmented_control(
                "Kind", list(kinds), default=False, format_func=kinds.__getitem__, required=True,
                key="new-kind",
            ))  # fmt: skip
            ways = COMPARED if compares else WAYS
            way = st.selectbox(
                "Chosen",
                list(ways),
                format_func=lambda name: ways[name].capitalize(),
                key=f"new-way-{compares}",
            )
            part = None
            if way == "slice":
                part = st.selectbox("Slice", list(study.list_slices()), key="new-slice")
            usual = ("Queries", 1, MAX_QUERIES, 20) if compares else ("Results", 1, MAX_PAIRS, 50)
            number = st.number_input(*usual, key=f"new-number-{compares}", width=120)
            title = st.text_input("Title", max_chars=MAX_NAME, key="new-title")
        told = f"{choices['baseline']} → {choices['candidate']}, {choices['metric']}"
        draw_text("caption", f"{told}; other versions or metric: above.")
        if not author:
            st.caption("Enter your name above: a list is closed by who made it.")
        if st.button("Make the list", type="primary", key="make-list", disabled=not author):
            chosen = choices.replace(slice=(part,) if part else ())
            try:
                made = judging_lists.make_list(
                    open_study(study.collection, chosen),
                    chosen,
                    title,
                    author,
                    way,
                    int(number),
                    compares=compares,
                )
            except (ChoiceError, DataError) as error:
                draw_text("error", error)
                return
            st.session_state.update({NEW: made.id, MAKING: False})
            st.rerun()


def draw_one_list(study: Study, choices: Choices, reviews: Reviews, id: str) -> None:
    """Draw a list: what came of it, or how far people are."""
    made = next((each for each in reviews.lists if each.id == id), None)
    with make_line():
        draw_reset("‹ Reviews", PART)
        if made:
            told = escape_markdown(_tell(made))
            st.markdown(f"## {escape_markdown(made.title)} :small[{told}]")
    if not made:
        draw_text(
            "error",
            f"There is no list {id[:80]!r} of {study.collection.title}. Its link may name another "
            "collection.",
        )
        return
    author = find_author()
    left = reviews.count_left(made, author)
    why = "" if left else f"You have judged all {_count(made)}."
    if made.closed:
        why = "This list is closed."
    elif not author:
        why = "Enter your name to judge."
    elif not made.asked:
        why = "Nothing of this list is in the collection any more."
    with make_line():
        if why:
            st.markdown(why, width="content")
        else:
            _draw_step(study.collection, made, "Judge", "content", "primary")
        if not made.closed:
            draw_copy("copy-one", text=write_address(made))
    draw_text("caption", _write_progress(made, reviews.judged[made.id]))
    counted = figures.count_values(made, reviews.rows)
    said = [row for row in counted if row["people"]]
    if left:
        st.caption("What others said is shown when you have judged all, or when it is closed.")
    elif made.is_comparison:
        draw_result(study, choices, made, reviews.rows)
    elif not said:
        st.caption("No verdict yet.")
    else:
        st.markdown(f"**What people said** – {len(said):,} of {len(counted):,} pairs")
        draw_table(
            PAIRS,
            [
                row
                | {
                    "query": study.collection.name_query(row["query_id"]),
                    "href": write_link("query", query=row["query_id"], **NO_TASK),
                }
                for row in said[:MAX_ROWS]
            ],
        )
        if said[MAX_ROWS:]:
            st.caption(f"The first {MAX_ROWS} are listed; the command reviews show prints all.")
