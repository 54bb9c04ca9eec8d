"""Two versions compared, as one HTML file to hand over: opens by double click, asks no network.

Imports no Streamlit: the command line and a screen's button make the same file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dashboard.views.report import exports, figures, pictures, queries, sections
from dashboard.views.report.found import Found, find
from dashboard.views.report.markup import Inside, Markup, data, joined, tag
from dashboard.views.report.subject import Subject

__all__ = ["Report", "Subject", "find", "report"]

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_STYLE = Path(__file__).with_name("report.css")
_COMPARED = [
    "metric", "cutoff", "baseline", "candidate", "delta", "low", "high", "p", "p_holm", "scored",
    "total", "better", "same", "worse",
]  # fmt: skip


@dataclass(frozen=True)
class Report:
    """A page, and its tables as files (name → content)."""

    html: str
    files: dict[str, str]


def report(subject: Subject) -> Report:
    """The report on a subject. Raises ValueError or DataError where it cannot be compared."""
    found = find(subject)
    files = exports.files(tables(found))
    shown = pictures.thumbnails(subject.collection, queries.needed(found))
    title = f"{subject.candidate} against {subject.baseline}"
    body = [
        tag("h1", data(title)),
        tag("p", data(subject.collection.title), " · ", data(subject.date), class_="under"),
        sections.said(found),
        _section("Compared data", sections.compared(found)),
        _section("Change by metric", sections.metrics(found)),
        _section("Change per query", _charts(found)),
        _section(f"Slices: {subject.title}", sections.slices(found)),
        _section("Worse", queries.changed(found, found.worst, "worse", shown)),
        _section("Better", queries.changed(found, found.best, "better", shown)),
        _section("Tables", exports.links(files)),
        pictures.stored(shown),
    ]
    return Report(_page(title, joined(body, "\n")), files)


def tables(found: Found) -> dict[str, pd.DataFrame]:
    """The tables of a report by name."""
    return {
        "metrics": found.comparison[_COMPARED],
        "queries": found.deltas,
        "slices": found.slices,
        "results": found.results,
    }


def _charts(found: Found) -> Markup:
    subject = found.subject
    both = [
        figures.histogram(found.deltas, subject.title),
        figures.pairs(found.deltas, *subject.versions, subject.title),
    ]
    legend = [
        tag("span", f"{sections.SIGNS[kind]} {kind} ", class_=kind)
        for kind in ("worse", "same", "better")
    ]
    return joined([tag("p", *legend), tag("div", *both, class_="charts")])


def _section(title: str, *inside: Inside) -> Markup:
    return tag("section", tag("h2", data(title)), *inside)


def _page(title: str, body: Markup) -> str:
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Markup(_STYLE.read_text(encoding="utf-8"))),
    ]
    page = tag("html", tag("head", *head), tag("body", tag("main", body)), lang="en")
    return f"<!doctype html>\n{page}\n"
