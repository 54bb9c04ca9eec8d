"""Corrected labels: how many would change, which metrics with them, and files of all labels."""

from __future__ import annotations

from collections import Counter
from functools import partial

import streamlit as st

from dashboard.evaluation.measurement import Row
from dashboard.evaluation.metrics import Measure, parse
from dashboard.plugins.reviews.choices import CORRECTED, GIVEN, LEFT_ALONE, CorrectedLabels
from dashboard.plugins.reviews.corrections import format_labels, list_changes, settle
from dashboard.plugins.reviews.list_view import Reviews
from dashboard.plugins.reviews.verdicts import read_state
from dashboard.study.choices import Choices
from dashboard.study.study import Study, open_study
from dashboard.views.address import drop_choice, escape_markdown, set_choice
from dashboard.views.comparison import show_progress
from dashboard.views.data_tables import Column, draw_folded, draw_table, write_table

MAX_ROWS = 500
COLUMNS = [
    Column(key="query", label="Query", wrap=True),
    Column(key="item_id", label="Result", wrap=True),
    Column(key="given", label="Given", number=True, help="–: not judged"),
    Column(key="corrected", label="Corrected", number=True),
    Column(key="by", label="By"),
    Column(key="people", label="People", number=True),
]


def draw_corrections(study: Study, choices: Choices, reviews: Reviews) -> None:
    """Draw what corrections would change before they count, and let them count."""
    protocol = choices["protocol"]
    if protocol in LEFT_ALONE:
        told = f"The protocol {protocol} takes labels as given: verdicts correct none of them."
        st.info(escape_markdown(told))
        return
    changes = list_changes(study.collection, study.given_judgement, settle(reviews.rows))
    by = Counter(row["by"] for row in changes)
    how = ", ".join(f"{number:,} by {name}" for name, number in by.most_common())
    counts = str(choices["labels"]) == CORRECTED
    said = f"{len(changes):,} labels ({how})" if changes else "no label"
    said = said.replace("1 labels", "1 label", 1) if len(changes) == 1 else said
    with st.container(horizontal=True, vertical_alignment="center"):
        if counts:
            st.markdown(f"**Corrected labels.** Reviewers corrected {said}.", width="content")
            st.button("Use original labels", on_click=drop_choice, args=("labels",))
        else:
            st.markdown(f"**Original labels.** Reviewers corrected {said}.", width="content")
            if changes:
                st.button("Use corrections", on_click=set_choice, args=("labels", CORRECTED))
        asked = bool(changes) and not counts and st.button("What would change", key="preview")
        if changes:
            _draw_files(study, choices)
    if not changes:
        st.caption("A decision corrects a label, and so do more than half of those who are sure.")
        return
    if counts or asked:
        with show_progress("Measuring with both labels"):
            rows = compare_labels(study, choices)
        _draw_metrics(choices, rows)
    names = dict(zip(study.collection.queries.ids, study.collection.query_names, strict=True))
    listed = [row | {"query": names[row["query_id"]]} for row in changes[:MAX_ROWS]]
    more = f", the first {MAX_ROWS} of {len(changes):,}" if changes[MAX_ROWS:] else ""
    draw_folded(f"Labels that change{more}", write_table(COLUMNS, listed))


def _correct(study: Study, choices: Choices, labels: object) -> Study:
    return open_study(study.collection, choices.replace(labels=labels).restrict_to_numbers())


def _draw_files(study: Study, choices: Choices) -> None:
    corrected = CorrectedLabels(*read_state(study.collection.folder))

    def write(form: str) -> bytes:
        return format_labels(_correct(study, choices, corrected), form == "csv").encode()

    ids = (*study.collection.queries.ids, *study.collection.items.ids)
    fits = all(name.split() == [name] for name in ids)  # lines of TREC hold no other ids
    for form, name in ({"csv": "CSV"} | ({"qrels": "Qrels"} if fits else {})).items():
        st.download_button(
            f"Corrected labels, {name}",
            data=partial(write, form),
            file_name=f"{study.collection.name}-corrected.{form}",
            mime="text/plain" if form == "qrels" else "text/csv",
            key=f"download-labels-{form}",
            on_click="ignore",
        )


def compare_labels(study: Study, choices: Choices) -> list[Row]:
    """Return the mean of each metric and version with the labels as given, and corrected."""
    corrected = CorrectedLabels(*read_state(study.collection.folder))
    versions = list(dict.fromkeys((choices["baseline"], choices["candidate"])))
    metrics = " ".join(map(str, parse(f"{choices['metrics']} {choices['metric']}")))
    found: dict[str, Row] = {}
    for key, labels in (("given", GIVEN), ("corrected", corrected)):
        for each in _correct(study, choices, labels).measure(versions, metrics):
            for row in each.list_means():
                name = str(Measure(row["metric"], row["cutoff"]))
                made = found.setdefault(name, {"metric": name, "changes": False})
                made[f"{key} {each.run}"] = row["mean"]
    for row in found.values():
        row["changes"] = any(row[f"given {v}"] != row[f"corrected {v}"] for v in versions)
    return list(found.values())


def _draw_metrics(choices: Choices, rows: list[Row]) -> None:
    versions = list(dict.fromkeys((choices["baseline"], choices["candidate"])))
    changed = [row for row in rows if row["changes"]]
    st.markdown(f"**{len(changed)} of {len(rows)} metrics change**: mean as given → corrected")
    if not changed:
        return
    written = [
        {"metric": row["metric"]}
        | {f"run-{at}": _write(row, version) for at, version in enumerate(versions)}
        for row in changed
    ]
    runs = [Column(key=f"run-{at}", label=v, number=True) for at, v in enumerate(versions)]
    draw_table([Column(key="metric", label="Metric"), *runs], written)


def _write(row: Row, version: str) -> str:
    values = (row[f"given {version}"], row[f"corrected {version}"])
    return " → ".join("no value" if value is None else f"{value:.3f}" for value in values)
