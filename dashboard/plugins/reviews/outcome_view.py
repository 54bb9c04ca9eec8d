"""Screens of outcomes of verdicts: agreement, disagreements to decide, and corrected labels."""

from collections import Counter
from functools import partial

import numpy as np
import streamlit as st

from dashboard.evaluation.metrics import Measure
from dashboard.plugins.reviews.author import find_author, load_answers
from dashboard.plugins.reviews.choices import CORRECTED, GIVEN, LEFT_ALONE, CorrectedLabels
from dashboard.plugins.reviews.corrections import format_labels, list_changes, settle
from dashboard.plugins.reviews.figures import FEW_PAIRS, measure_agreement
from dashboard.plugins.reviews.list_view import Reviews
from dashboard.plugins.reviews.verdicts import (
    DECISION,
    VERDICT,
    Verdicts,
    find_scale,
    keep_last_of_pairs,
    read_state,
)
from dashboard.study.choices import Choices
from dashboard.study.query_result import describe_rows
from dashboard.study.study import Study, open_study
from dashboard.tables import Row, Rows
from dashboard.texts import count_things
from dashboard.views.address import draw_reset, draw_text, set_choice
from dashboard.views.comparison import show_progress
from dashboard.views.components import make_line
from dashboard.views.data_tables import Column, draw_folded, draw_table, write_apart, write_table
from dashboard.views.downloads import draw_files
from dashboard.views.media_routes import describe_media
from dashboard.views.people import OWNER, find_reader

FIGURES = [
    Column("name", "Agreement", "wrap", help="unsure is no answer"),
    Column("people", "People", "wrap"),
    Column("shown", "Value", "number"),
    Column("interval", "95 % interval", "number"),
    Column("pairs", "Pairs", "number wide"),
    Column("note", "Note", "wide wrap"),
]


@st.cache_data(max_entries=4, show_spinner=False)
def _measure(key: list[tuple[str, int, int]], _rows: Verdicts) -> Rows:
    return measure_agreement(_rows)


def draw_agreement(reviews: Reviews) -> None:
    """Draw the agreement of all people, and of each two."""
    key = [(row.collection, len(reviews.rows), row.number) for row in reviews.rows[-1:]]
    with show_progress("Measuring the agreement"):
        found = _measure(key, reviews.rows)
    if not found:
        st.caption("No pair has a verdict of two people yet: there is no agreement to measure.")
        return
    if found[0]["few"]:
        st.markdown(f"{count_things(found[0]['pairs'], 'pair')}: too few for a firm value")
    draw_table(FIGURES, [_write_figure(row) for row in found])
    for why in dict.fromkeys(row["why"] for row in found if row["why"]):
        st.caption(f"Not defined: {why}.")
    st.caption(
        "Share of comparisons of two people in which they said the same; alpha and kappa take off "
        "what chance gives: 1 is full agreement, 0 chance. Intervals by resampled pairs."
    )


def _write_figure(row: Row) -> Row:
    is_share = row["measure"] == "agreement"
    numbers = [
        f"{100 * value:.0f} %" if is_share else f"{value:.2f}".replace("-", "−")
        for value in (row["value"], row["low"], row["high"])
        if value is not None
    ]
    return row | {
        "name": {
            "agreement": "Same verdict",
            "alpha": "Krippendorff's alpha",
            "kappa": "Cohen's kappa",
        }[row["measure"]],
        "shown": numbers[0] if numbers else "not defined",
        "interval": " to ".join(numbers[1:]) or "not defined",
        "note": f"fewer than {FEW_PAIRS} pairs" if row["few"] else "",
    }


MAX_DECISIONS = 50
"""Pairs that are drawn at once; the next ones follow when they are decided."""


def draw_decisions(
    study: Study, choices: Choices, reviews: Reviews, there: Rows, gone: int
) -> None:
    """Draw the pairs to decide, with what everybody said; one key decides the framed one."""
    if gone:
        st.caption(f"{gone:,} disagreements are gone from the collection.")
    if not there:
        st.caption(
            "No disagreement is left to decide. Corrected labels shows the effect."
            if any(row.kind == DECISION for row in reviews.rows)
            else "No two people disagree about a result."
        )
        return
    why = find_reader().explain_lack(OWNER)
    if why or not find_author():
        draw_text("info", why or "Enter your name to decide.")
        return
    st.markdown(
        "A decision becomes the corrected label. It counts in metrics only with "
        "**Labels: corrected**. Keys act on the framed row; `j` `k` move it."
    )
    data = {
        "about": {"collection": study.collection.name, "author": find_author(), "kind": DECISION},
        "scale": find_scale(study.collection),
        "more": len(there[MAX_DECISIONS:]),
        "done": len(keep_last_of_pairs(reviews.rows, DECISION)),
        "rows": make_payload(study, choices["metric"], reviews.rows, there[:MAX_DECISIONS]),
    }
    load_answers("decisions", "answers.js", "decisions.css")(
        key="decisions", data=data, on_next_change=lambda: None
    )


def make_payload(study: Study, metric: str, said: Verdicts, rows: Rows) -> Rows:
    """Return pairs with poster, query, label, ticks, and who said what."""
    people = keep_last_of_pairs(said, VERDICT)
    found = []
    for row in rows:
        query_id, item_id = row["query_id"], row["item_id"]
        query = study.collection.queries.index[query_id]
        judged = Row(item_id=item_id)
        asked = describe_rows(study, query, metric, [judged])
        grade = float(study.given_judgement.grades(query)[study.collection.items.index[item_id]])
        label = "relevant" if grade >= study.given_judgement.relevant_from else "not relevant"
        if np.isnan(grade):
            label = "not judged"
        elif find_scale(study.collection) > 1:
            label += f" ({grade:g})"
        ticks = judged.get("ticks", ())  # what it has of what its query asks for, as plugins say
        found.append(
            describe_media(study.collection, item_id)
            | {
                "query_id": query_id,
                "item_id": item_id,
                "query": study.collection.name_query(query_id),
                "label": label,
                "ticks": list(zip(asked.get("required", ()), ticks, strict=False)),
                "said": [[v.author, v.value, v.note] for v in people[query_id, item_id].values()],
            }
        )
    return found


MAX_ROWS = 500


def draw_corrections(study: Study, choices: Choices, reviews: Reviews) -> None:
    """Draw what corrections would change before they count, and let them count."""
    protocol = choices["protocol"]
    if protocol in LEFT_ALONE:
        draw_text(
            "info", f"The protocol {protocol} takes labels as given: verdicts correct none of them."
        )
        return
    changes = list_changes(study.collection, study.given_judgement, settle(reviews.rows))
    corrected = open_study(
        study.collection,
        choices.replace(labels=CorrectedLabels(*read_state(study.collection.folder))),
    )
    by = Counter(row["by"] for row in changes)
    how = ", ".join(f"{number:,} by {name}" for name, number in by.most_common())
    counts = str(choices["labels"]) == CORRECTED
    said = f"{count_things(len(changes), 'label')} ({how})" if changes else "no label"
    with make_line():
        used = "Corrected" if counts else "Original"
        st.markdown(f"**{used} labels.** Reviewers corrected {said}.", width="content")
        asked = counts
        if counts:
            draw_reset("Use original labels", "labels")
        elif changes:
            st.button("Use corrections", on_click=set_choice, args=("labels", CORRECTED))
            asked = st.button("What would change", key="preview")
        if changes:
            _draw_files(corrected)
    if not changes:
        st.caption("A decision corrects a label, and so do more than half of those who are sure.")
        return
    if asked:
        _draw_metrics(
            open_study(study.collection, choices.replace(labels=GIVEN)), corrected, choices
        )
    more = f", the first {MAX_ROWS} of {len(changes):,}" if changes[MAX_ROWS:] else ""
    draw_folded(
        f"Labels that change{more}",
        write_table(
            [
                Column("query", "Query", "wrap"),
                Column("item_id", "Result", "wrap"),
                Column("given", "Given", "number", help="–: not judged"),
                Column("corrected", "Corrected", "number"),
                Column("by", "By"),
                Column("people", "People", "number"),
            ],
            [
                row | {"query": study.collection.name_query(row["query_id"])}
                for row in changes[:MAX_ROWS]
            ],
        ),
    )


def _draw_files(corrected: Study) -> None:
    collection = corrected.collection
    ids = (*collection.queries.ids, *collection.items.ids)
    fits = all(name.split() == [name] for name in ids)  # lines of TREC hold no other ids
    forms = ("csv", "qrels") if fits else ("csv",)
    makers = {form: partial(format_labels, corrected, form == "csv") for form in forms}
    draw_files("Corrected labels", f"{collection.name}-corrected", makers)


def _draw_metrics(given: Study, corrected: Study, choices: Choices) -> None:
    """Draw the mean of each metric and version with the labels as given, and corrected."""
    with show_progress("Measuring with both labels"):
        before, after = (
            study.list_means(choices.compared, f"{choices['metrics']} {choices['metric']}")
            for study in (given, corrected)
        )
    rows: dict[str, Row] = {}
    for old, new in zip(before, after, strict=True):
        name = str(Measure(old["metric"], old["cutoff"]))
        row = rows.setdefault(name, {"metric": name, "changes": False})
        row[f"run-{old['run']}"] = " → ".join(write_apart(old["mean"], new["mean"]))
        row["changes"] |= old["mean"] != new["mean"]
    changed = [row for row in rows.values() if row["changes"]]
    st.markdown(f"**{len(changed)} of {len(rows)} metrics change**: mean as given → corrected")
    if changed:
        runs = [Column(f"run-{name}", name, "number") for name in choices.compared]
        draw_table([Column("metric", "Metric"), *runs], changed)
