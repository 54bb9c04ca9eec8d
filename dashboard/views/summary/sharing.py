"""What a reader passes on: the link to a view, the sentence that chat programs show of it, and the
verdict as Markdown for a pull request.

A button copies its text with one click and says so; `views/palette/component/copying.js` does it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from math import nan
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dashboard.evaluation.comparison import compare
from dashboard.evaluation.comparison.verdict import direction
from dashboard.evaluation.digits import chance, number, signed
from dashboard.experiment import measuring, ranking
from dashboard.experiment.collection import arrivals, collections
from dashboard.experiment.memory import is_remembered
from dashboard.experiment.reviews.corrections import CORRECTED
from dashboard.views import address
from dashboard.views.address.choices import View
from dashboard.views.charts.verdict import MARKS
from dashboard.views.experiments import experiment_of
from dashboard.views.labels import label, short_label
from dashboard.views.summary.differences import composed
from dashboard.views.summary.measurements import (
    comparison,
    metrics_in_view,
    remembered_deltas,
    selected,
)
from dashboard.views.texts import plain

CORRECTIONS = "Labels with corrections by reviewers."
FIND = '<button type="button" class="copy" data-palette title="Find (Ctrl K or /)">Find</button> '
"""The button that opens the palette."""


def copy_button(title: str, text: str, done: str, **data: str) -> str:
    """A button, as HTML, that copies a text and then says `done`. data: what else it holds."""
    held = {"copy": text, "done": done, **data}
    attributes = " ".join(f'data-{name}="{escape(value)}"' for name, value in held.items())
    return (
        f'<button type="button" class="copy" {attributes} aria-live="polite">'
        f"{escape(title)}</button>"
    )


def full_link(view: View) -> str:
    """The whole address of a view, as the browser of this session has it."""
    return f"{st.context.url or ''}?{urlencode(address.link(view), doseq=True)}"


def copy_link(view: View) -> str:
    """The button of the palette, and the one that copies the link to this view. That one holds the
    state of the files that the page is drawn from, by which the browser learns what has arrived
    since."""
    state = arrivals.drawn_from(view.collection)
    return FIND + copy_button("Copy link", full_link(view), "Link copied", state=state)


def copy_as_markdown(view: View) -> None:
    """Draw the button that copies verdict, table and link for a pull request."""
    text = as_markdown(view, full_link(view))
    st.html(copy_button("Copy as Markdown", text, "Markdown copied"), width="content")


@dataclass(frozen=True, eq=False)
class Preview:
    """What is known of a view without computing anything: a sentence, and where a difference is
    remembered the row that it is made of (delta, low, high, perhaps better, same, worse) and what
    that says: better, worse, same or unclear."""

    sentence: str
    row: pd.Series | None = None
    kind: str = ""


def preview_of(view: View, screen: str) -> Preview:
    """The verdict in a sentence, on Query that query's values, where they are remembered; else what
    the collection holds."""
    collection = collections.opened(view.collection)
    words = collections.words(collection)
    plain_one = Preview(f"{collection.title}: {words.gallery}, {words.query_counts}")
    needed = (view.baseline, view.candidate, view.metric, view.groups, view.slice is not None)
    if screen in ("Search", "Collections") or not all(needed) or view.baseline == view.candidate:
        return plain_one
    experiment, pair = experiment_of(view), (view.baseline, view.candidate)
    if view.slice and not is_remembered(measuring.slices, experiment):
        return plain_one
    only = selected(view, experiment)
    if not is_remembered(
        measuring.comparison, experiment, *pair, " ".join(metrics_in_view(view)), only
    ):
        return plain_one
    rows = comparison(view)
    row = rows[rows["metric_name"] == view.metric].iloc[0]
    if ranking.unlike(experiment, *pair):
        return Preview("These versions are not comparable.")
    name = short_label(view, view.metric)
    corrected = f" {CORRECTIONS}" if view.labels == CORRECTED else ""
    of_query = _of_query(view, name) if screen == "Query" and view.query else None
    if of_query is not None:
        return replace(of_query, sentence=f"{of_query.sentence}{corrected}")
    return Preview(f"{compare.verdict(row, *pair, label=name)}.{corrected}", row, direction(row))


def _of_query(view: View, metric: str) -> Preview | None:
    """The values of the query in view, where they are remembered and there is a difference."""
    table = remembered_deltas(view)
    rows = None if table is None else table[table["query_id"] == view.query]
    if rows is None or rows.empty or rows["delta"].isna().all():
        return None
    row = rows.iloc[0]
    values = f"{number(row['baseline'])} in {view.baseline}, {number(row['candidate'])}"
    sentence = f"{metric} of this query: {values} in {view.candidate} ({signed(row['delta'])})."
    return Preview(sentence, rows.assign(low=nan, high=nan).iloc[0], row["outcome"])


def as_markdown(view: View, link: str) -> str:
    """Verdict, a table of all metrics and the link; ▲ ▼ only where the versions are comparable."""
    drawn = composed(view)
    sentence = compare.verdict(
        drawn.row, view.baseline, view.candidate, label=label(view, view.metric)
    )
    mark = MARKS.get(drawn.kind, "")
    what = sentence if drawn.alike else f"These versions are not comparable. {sentence}"
    heads = ("Metric", plain(view.baseline), plain(view.candidate))
    lines = [
        f"{mark} {plain(what, None)}.".strip(),
        "",
        f"| {' | '.join(heads)} | Difference | 95 % interval | p (Holm) | Scored |",
        "|:--|--:|--:|--:|:--|--:|--:|",
    ]
    for row in comparison(view).to_dict("records"):
        cells = (
            plain(row["label"]),
            number(row["baseline"]),
            number(row["candidate"]),
            signed(row["delta"]),
            f"{signed(row['low'])} to {signed(row['high'])}",
            chance(row["p_holm"]).replace("<", "&lt;"),
            f"{row['scored']:,} of {row['total']:,}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    if view.labels == CORRECTED:
        lines += ["", CORRECTIONS]
    return "\n".join([*lines, "", f"[Open this comparison](<{link}>)"])
