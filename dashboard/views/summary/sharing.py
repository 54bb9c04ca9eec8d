"""What a reader passes on: the link to a view, and the verdict as Markdown for a pull request.

A button copies its text with one click and says so; `views/server/page_head.js` does it.
"""

from __future__ import annotations

from html import escape
from urllib.parse import urlencode

import streamlit as st

from dashboard.evaluation.comparison import compare
from dashboard.evaluation.digits import chance, number, signed
from dashboard.experiment.collection import arrivals
from dashboard.experiment.corrections import CORRECTED
from dashboard.views import address
from dashboard.views.address.choices import View
from dashboard.views.charts.verdict import MARKS
from dashboard.views.labels import label
from dashboard.views.summary.differences import composed
from dashboard.views.summary.measurements import comparison
from dashboard.views.texts import plain


def copy_button(title: str, text: str, done: str) -> str:
    """A button, as HTML, that copies a text and then says `done`."""
    return (
        f'<button type="button" class="copy" data-copy="{escape(text)}" data-done="{escape(done)}"'
        f' aria-live="polite">{escape(title)}</button>'
    )


def full_link(view: View) -> str:
    """The whole address of a view, as the browser of this session has it."""
    return f"{st.context.url or ''}?{urlencode(address.link(view), doseq=True)}"


def copy_link(view: View) -> str:
    """The button that copies the link to this view. It holds the state of the files that the page
    is drawn from, by which the browser learns what has arrived since."""
    state = arrivals.drawn_from(view.collection)
    button = copy_button("Copy link", full_link(view), "Link copied")
    return button.replace("<button ", f'<button data-state="{state}" ', 1)


def copy_as_markdown(view: View) -> None:
    """Draw the button that copies verdict, table and link for a pull request."""
    text = as_markdown(view, full_link(view))
    st.html(copy_button("Copy as Markdown", text, "Markdown copied"), width="content")


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
        lines += ["", "Labels with corrections by reviewers."]
    return "\n".join([*lines, "", f"[Open this comparison](<{link}>)"])
