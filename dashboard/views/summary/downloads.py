"""What a reader takes away from the comparison: a report as one file, and its queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from html import escape
from urllib.parse import parse_qs, quote, urlencode

import anyio.to_thread
import pandas as pd
import streamlit as st
from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from dashboard.evaluation.metrics.registry import parse
from dashboard.experiment.collection.collections import opened, query_names
from dashboard.tables import DataError
from dashboard.views import address
from dashboard.views.address.choices import View
from dashboard.views.experiments import experiment_of
from dashboard.views.report import Comparison, report
from dashboard.views.server.not_found import plain_page
from dashboard.views.summary.about import faulty_versions
from dashboard.views.summary.differences import same_version
from dashboard.views.summary.measurements import (
    chosen,
    deltas,
    metrics_in_view,
    not_comparable,
    selected,
)
from dashboard.views.table_files import save_button, table_file
from dashboard.views.texts import shown

REPORT = "report"
"""The first part of the path of reports; behind it stands the address of a Compare screen."""


def report_link(view: View) -> None:
    """A link to the report on this comparison, which is made when its address is opened, beside
    the page, which nothing interrupts."""
    st.link_button(
        "Report",
        f"{REPORT}?{urlencode(address.to_params(view), doseq=True)}",
        icon=":material/description:",
        help="Opens in a new tab. Save it there: it is one HTML file that opens offline.",
    )


def save_queries(view: View) -> None:
    """Buttons that save the queries of the comparison that the filters keep as CSV and JSON."""
    for kind in ("csv", "json"):
        save_button(view, f"queries.{kind}", f"Queries as {kind.upper()}")


@table_file("queries", lambda view: f"{_name(view)}-queries", ("csv", "json"))
def queries(view: View) -> pd.DataFrame:
    """The queries that Compare lists, with their names. Raises DataError where it would draw
    none."""
    if unfit := _unfit(view):
        raise DataError(view.collection, unfit.rstrip("."), "two versions to compare")
    listed = chosen(view, deltas(view)).copy()
    names = query_names(opened(view.collection))
    listed.insert(1, "name", [names.get(query, query) for query in listed["query_id"]])
    return listed


def routes() -> list[Route]:
    """The route `/report?…`, for `st.App(routes=…)`. One report is made at a time."""
    turns = CapacityLimiter(1)

    async def endpoint(request: Request) -> HTMLResponse:
        params = parse_qs(request.url.query, keep_blank_values=True)
        status, name, page = await anyio.to_thread.run_sync(answer, params, limiter=turns)
        named = f"inline; filename*=UTF-8''{quote(name, safe='')}.html"
        headers = {"Content-Disposition": named, "Cache-Control": "no-store"}
        return HTMLResponse(page, status, headers)

    return [Route(f"/{REPORT}", endpoint, name=REPORT)]


def answer(params: Mapping[str, Sequence[str]]) -> tuple[int, str, str]:
    """The status, the file's name and the page for the address of a report; 404 and sentences where
    it asks for what is not there, or for what Compare would not draw."""
    view, problems = address.view_of(params)
    if view is None or problems:
        return 404, REPORT, _refusal([problem.sentence for problem in problems])
    try:
        unfit = _unfit(view)
        return (404, REPORT, _refusal([unfit])) if unfit else (200, _name(view), _report(view))
    except DataError as problem:
        return 404, REPORT, _refusal([str(problem)])


def _unfit(view: View) -> str:
    """Why there is nothing to report on the two versions of a view, in a sentence; or nothing."""
    if same := same_version(view):
        return " ".join([same, *faulty_versions(view)])
    unlike = not_comparable(view) if view.anyway != "yes" else ""
    return f"{unlike} Choose “Compare anyway”." if unlike else ""


def _refusal(sentences: Sequence[str]) -> str:
    lines = "".join(f"<p>{escape(shown(sentence, 600))}</p>" for sentence in sentences)
    return plain_page("No report", "There is no report on this", lines)


def _name(view: View) -> str:
    return f"{view.collection}-{view.candidate}-against-{view.baseline}"


def _report(view: View) -> str:
    return report(_comparison(view)).html


def _comparison(view: View) -> Comparison:
    """The comparison in view for a report, with the numbers that the screen shows."""
    experiment = experiment_of(view)
    return Comparison(
        experiment,
        view.baseline,
        view.candidate,
        parse(" ".join(metrics_in_view(view))),
        parse(view.metric)[0],
        date.today().isoformat(),
        names=view.names,
        only=selected(view, experiment),
        part=view.slice,
    )
