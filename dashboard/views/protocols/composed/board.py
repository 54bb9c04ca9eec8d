"""The leaderboard of versions and submissions, best first, each with its interval."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.evaluation.comparison.leaderboard import leaderboard
from dashboard.evaluation.digits import number
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.experiment import judging, measuring
from dashboard.experiment.collection import collections
from dashboard.tables import DataError
from dashboard.views import charts, layout, summary
from dashboard.views.address.choices import View
from dashboard.views.charts import composed as drawn
from dashboard.views.experiments import experiment_of, submitted_of, versions_of
from dashboard.views.protocols.composed.submit import submit
from dashboard.views.table_files import save_button, table_file
from dashboard.views.texts import shown

METRIC = str(PROTOCOLS["composed"].front)
OF_ALL = "mAP, all queries"
COLUMNS = {
    "Place": st.column_config.NumberColumn(width=50),
    "mAP": st.column_config.NumberColumn(width=60),
    "95 % from": st.column_config.NumberColumn(width=80),
    "to": st.column_config.NumberColumn(width=60),
    "Queries": st.column_config.TextColumn(width=90),
    OF_ALL: st.column_config.NumberColumn(width=90),
}
NUMBERS = ("mAP", "95 % from", "to", OF_ALL)


def overview(view: View) -> None:
    """Draw the section of the Overview."""
    st.header("Leaderboard", anchor=False)
    versions, table = versions_of(view), _standings(view)
    shown_table = readable(table, _about(view))
    written = {name: number for name in NUMBERS if name in shown_table}
    layout.rows(shown_table, written, hide_index=True, column_config=COLUMNS)
    layout.chart(
        drawn.standings(table, charts.version_ways(versions, view.baseline, view.candidate)),
        alt="Mean average precision of each version with its 95 % interval, best first",
    )
    st.caption(
        "mAP: mean over the queries of the average precision of the annotated items in their "
        "relative order. Intervals: 95 %, by bootstrap over the queries." + _unscored(table)
    )
    _annotated(view)
    save_button(view, "leaderboard.csv")
    submit(view)


def _standings(view: View) -> pd.DataFrame:
    experiment = experiment_of(view)
    only = summary.selected(view, experiment)
    return leaderboard(measuring.means(experiment, versions_of(view), METRIC, only))


@table_file("leaderboard", under="composed")
def standings(view: View) -> pd.DataFrame:
    """The leaderboard for a file."""
    if not versions_of(view):
        raise DataError(view.collection, "no entry", "at least one")
    return _standings(view).drop(columns=["metric", "cutoff"])


def alone(view: View) -> None:
    """Draw the section where nobody submitted anything yet: what is annotated, and the form."""
    st.header("Leaderboard", anchor=False)
    st.markdown("No entries yet. Submit features to add the first.")
    _annotated(view)
    submit(view, first=True)


def _annotated(view: View) -> None:
    experiment = experiment_of(view)
    only = summary.selected(view, experiment)
    labels = judging.counted_judgement(experiment).qrels
    labels = measuring.of_queries(only, labels)
    if len(labels):
        st.caption(annotated(labels))


def readable(table: pd.DataFrame, about: dict[str, str]) -> pd.DataFrame:
    """The leaderboard for a table on a screen. about: what each version is."""
    counts = zip(table["scored"], table["total"], strict=True)
    columns = {
        "Place": table["place"],
        "Version": table["run"].map(shown),
        "mAP": table["mean"],
        "95 % from": table["low"],
        "to": table["high"],
        "Queries": [f"{scored:,} of {total:,}" for scored, total in counts],
    }
    if (table["scored"] < table["total"]).any():
        columns[OF_ALL] = table["of_all"]
    return pd.DataFrame({**columns, "Source": table["run"].map(about).map(shown)})


def annotated(qrels: pd.DataFrame) -> str:
    """How many items are annotated for a query, and how many of them fulfil it: a sentence."""
    by_query = qrels.groupby("query_id", observed=True)["grade"]
    items, fulfilled = by_query.size(), by_query.sum()
    return (
        f"Annotated: {_range(items)} items for each of {len(items):,} queries, of which "
        f"{_range(fulfilled)} fulfil it (median {fulfilled.median():g})."
    )


def _range(numbers: pd.Series) -> str:
    low, high = int(numbers.min()), int(numbers.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _about(view: View) -> dict[str, str]:
    """What each version is: a submission by its files, a model by its note."""
    opened = collections.opened(view.collection)
    about = dict.fromkeys(opened.versions, "ranked results")
    about |= {name: model.note or "model" for name, model in opened.searched.items()}
    for given in submitted_of(view):
        about[given.name] = f"submission: {given.submission.gallery}, {given.submission.queries}"
    return about


def _unscored(table: pd.DataFrame) -> str:
    if not (table["scored"] < table["total"]).any():
        return ""
    return (
        " Queries without a fulfilled label are not scored and not in the mean; "
        f"“{OF_ALL}” counts them as 0."
    )
