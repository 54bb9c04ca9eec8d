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
from dashboard.experiment.memory import remembered
from dashboard.experiment.reviews import label_changes, reviewing
from dashboard.experiment.reviews.corrections import CORRECTED
from dashboard.tables import DataError, counted
from dashboard.views import layout
from dashboard.views.address.choices import View
from dashboard.views.experiments import experiment_of
from dashboard.views.labels import group_name, short_label
from dashboard.views.summary import query
from dashboard.views.summary.measurements import is_measure, metrics_in_view, selected
from dashboard.views.table_files import offer_text, save_button, table_file
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
    metrics, table = metrics_in_view(view), _changed_metrics(view, versions)
    corrections = counted(len(labels) + keywords, "correction")
    with st.expander(plain(f"{_in_front(view, table)} with {corrections}", None)):
        st.caption(f"{RULE} {KEYWORD_RULE}" if keywords else RULE)
        rows = _readable_metrics(view, table, metrics)
        layout.table(rows.set_index("Metric"), "corrected-metrics")
        if not labels.empty:
            layout.rows(_readable_labels(view, experiment, labels), hide_index=True)
        if keywords:
            layout.rows(_readable_keywords(view, experiment), hide_index=True)
        _save(view, experiment, "pair" if versions == (view.baseline, view.candidate) else "runs")


def _changed_metrics(view: View, versions: Sequence[str]) -> pd.DataFrame:
    experiment = experiment_of(view)
    metrics = " ".join(metrics_in_view(view))
    only = selected(view, experiment)
    return label_changes.changed_metrics(experiment, tuple(dict.fromkeys(versions)), metrics, only)


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


def _save(view: View, experiment: Experiment, of: str) -> None:
    """Buttons that save the corrections; the collection's own files stay as they are.

    of: whose metrics, those of the "pair" or of all "runs" in view.
    """
    files, every = {"Corrections as CSV": "corrections.csv"}, ""
    number = label_changes.number_of_labels(experiment)
    if number <= MOST_LABELS:
        files["All labels as CSV"] = "qrels.csv"
    else:
        every = (
            f" `python -m dashboard reviews export` writes all {number:,} labels: `--qrels FILE`."
        )
    files["Metrics as CSV"] = f"corrected-metrics-of-{of}.csv"
    try:
        _patch(experiment)
        files = {"Patch": "corrections.patch", **files}
        said = "The patch is for `git apply` or `patch -p1` in the collection's folder."
    except DataError as problem:
        said = plain(f"No patch of judgements: {problem}", None)
    with st.container(horizontal=True):
        for title, key in files.items():
            save_button(view, key, title)
    st.caption(f"{said}{every} The collection's files stay as they are.")


def _corrected(view: View) -> Experiment:
    """The experiment of a view in which corrections count, for a file."""
    if view.labels != CORRECTED:
        raise DataError(view.collection, "labels as they are given", "labels=corrected in the link")
    return experiment_of(view)


@remembered(4)
def _patch(experiment: Experiment) -> str:
    return label_changes.patch(experiment)


offer_text(
    "corrections.patch",
    lambda view: f"{view.collection}-corrections",
    lambda view: _patch(_corrected(view)),
    "patch",
)


@table_file("corrections")
def corrections(view: View) -> pd.DataFrame:
    """The labels that reviewers change."""
    return label_changes.changed_labels(_corrected(view))


@table_file("qrels")
def qrels(view: View) -> pd.DataFrame:
    """All labels with the corrections in them, of as many as a page should hold."""
    experiment = _corrected(view)
    number = label_changes.number_of_labels(experiment)
    if number > MOST_LABELS:
        wanted = f"at most {MOST_LABELS:,}; python -m dashboard reviews export --qrels FILE"
        raise DataError(view.collection, f"{number:,} labels", wanted)
    return pd.concat(label_changes.corrected_qrels(experiment), ignore_index=True)


def _metrics_name(view: View) -> str:
    return f"{view.collection}-corrected-metrics"


@table_file("corrected-metrics-of-pair", _metrics_name)
def metrics_of_pair(view: View) -> pd.DataFrame:
    """The metrics of the two versions with both labels."""
    _corrected(view)
    return _changed_metrics(view, (view.baseline, view.candidate))


@table_file("corrected-metrics-of-runs", _metrics_name)
def metrics_of_runs(view: View) -> pd.DataFrame:
    """The metrics of all versions in view with both labels."""
    _corrected(view)
    return _changed_metrics(view, view.runs)
