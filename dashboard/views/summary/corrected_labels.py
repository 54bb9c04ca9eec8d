"""What the reviewers' corrections change: each metric and each label, with the files that would put
them into the collection."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.evaluation.digits import number, signed
from dashboard.evaluation.metrics.registry import parse
from dashboard.evaluation.reviewing.corrections import RULE
from dashboard.evaluation.reviewing.keyword_corrections import RULE as KEYWORD_RULE
from dashboard.experiment.experiment import Experiment
from dashboard.experiment.reviews import label_changes, reviewing
from dashboard.experiment.reviews.corrections import CORRECTED
from dashboard.tables import DataError, counted
from dashboard.views import layout
from dashboard.views.address.choices import View
from dashboard.views.experiments import experiment_of
from dashboard.views.labels import group_name, short_label
from dashboard.views.report.exports import as_csv
from dashboard.views.summary import query
from dashboard.views.summary.measurements import is_measure, metrics_in_view, selected
from dashboard.views.texts import plain, shown

MOST_LABELS = 1_000_000
"""More than these are no file that a page should hold; the command line writes them."""
BY = {"majority": "most reviewers", "curator": "a curator"}


def what_corrections_change(view: View, versions: Sequence[str]) -> None:
    """Each metric of the versions with both labels, each changed label, and files to save; nothing
    where labels count as given."""
    if view.labels != CORRECTED:
        return
    experiment = experiment_of(view)
    labels = label_changes.changed_labels(experiment)
    keywords = label_changes.number_of_keywords(experiment)
    if labels.empty and not keywords:
        return
    metrics = metrics_in_view(view)
    table = label_changes.changed_metrics(
        experiment, tuple(dict.fromkeys(versions)), " ".join(metrics), selected(view, experiment)
    )
    corrections = counted(len(labels) + keywords, "correction")
    with st.expander(plain(f"{_in_front(view, table)} with {corrections}", None)):
        st.caption(f"{RULE} {KEYWORD_RULE}" if keywords else RULE)
        rows = _readable_metrics(view, table, metrics)
        layout.table(rows.set_index("Metric"), "corrected-metrics")
        if not labels.empty:
            layout.rows(_readable_labels(view, experiment, labels), hide_index=True)
        if keywords:
            layout.rows(_readable_keywords(view, experiment), hide_index=True)
        _save(view, experiment, labels, table)


def _in_front(view: View, table: pd.DataFrame) -> str:
    """The metric in front with both labels: `P@5 of v1 0.412 → 0.431, of v2 0.5 → 0.6`."""
    rows = table[is_measure(table, parse(view.metric)[0])].to_dict("records")
    changes = [
        f"of {row['run']} {number(row['given'])} → {number(row['corrected'])}" for row in rows
    ]
    return f"{short_label(view, view.metric)} {', '.join(changes)}"


def _readable_metrics(view: View, table: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    rows = []
    for name, measure in zip(metrics, parse(" ".join(metrics)), strict=True):
        for row in table[is_measure(table, measure)].to_dict("records"):
            scored = (row["scored_given"], row["scored_corrected"])
            rows.append(
                {
                    "Metric": plain(short_label(view, name)),
                    "Version": plain(str(row["run"])),
                    "As given": number(row["given"]),
                    "Corrected": number(row["corrected"]),
                    "Change": signed(row["change"]),
                    "Scored": " → ".join(f"{each:,}" for each in dict.fromkeys(scored)),
                }
            )
    return pd.DataFrame(rows)


def _readable_labels(view: View, experiment: Experiment, labels: pd.DataFrame) -> pd.DataFrame:
    names = reviewing.names_of_items(experiment)
    given = ["unjudged" if pd.isna(grade) else f"{grade:g}" for grade in labels["given"]]
    return pd.DataFrame(
        {
            "Query": query.words(view, labels["query_id"]),
            "Item": [shown(names.get(item, item)) for item in labels["item_id"]],
            "As given": given,
            "Corrected": [f"{grade:g}" for grade in labels["corrected"]],
            "Decided by": labels["by"].map(BY),
            "Reviewers": labels["reviewers"],
        }
    )


def _readable_keywords(view: View, experiment: Experiment) -> pd.DataFrame:
    """The keywords that reviewers add to items and queries or remove."""
    names = reviewing.names_of_items(experiment)
    tables = label_changes.changed_keywords(experiment)
    items, queries = tables["keyword"], tables["mapping"]
    both = pd.concat([items, queries], ignore_index=True)
    subjects = [shown(names.get(item, item)) for item in items["id"]]
    subjects += list(query.words(view, queries["id"]))
    return pd.DataFrame(
        {
            "Item or query": subjects,
            "Keyword": [shown(keyword) for keyword in both["keyword"]],
            "Group": [group_name(group) for group in both["group"]],
            "Change": [shown(value) for value in both["value"]],
            "Reviewers": both["reviewers"],
        }
    )


def _save(view: View, experiment: Experiment, labels: pd.DataFrame, table: pd.DataFrame) -> None:
    """Buttons that save the corrections; the collection's own files stay as they are."""
    files, every = {"Corrections as CSV": ("corrections.csv", as_csv(labels))}, ""
    number = label_changes.number_of_labels(experiment)
    if number <= MOST_LABELS:
        qrels = pd.concat(label_changes.corrected_qrels(experiment), ignore_index=True)
        files["All labels as CSV"] = ("qrels.csv", as_csv(qrels))
    else:
        every = (
            f" `python -m dashboard reviews export` writes all {number:,} labels: `--qrels FILE`."
        )
    files["Metrics as CSV"] = ("corrected-metrics.csv", as_csv(table))
    try:
        files = {"Patch": ("corrections.patch", label_changes.patch(experiment)), **files}
        said = "The patch is for `git apply` or `patch -p1` in the collection's folder."
    except DataError as problem:
        said = plain(f"No patch of judgements: {problem}", None)
    with st.container(horizontal=True):
        for title, (name, content) in files.items():
            st.download_button(
                title,
                content.encode(),
                file_name=f"{view.collection}-{name}",
                icon=":material/download:",
                on_click="ignore",
            )
    st.caption(f"{said}{every} The collection's files stay as they are.")
