"""The page of a report: verdict, metrics, charts, slices, and the worst queries as pictures."""

from base64 import b64encode
from datetime import UTC, datetime
from functools import partial
from urllib.parse import urlencode

from dashboard.evaluation.decisions import describe_power
from dashboard.evaluation.differences import describe_certainty, write_signed
from dashboard.evaluation.metrics import parse
from dashboard.plugins import load_sections
from dashboard.storage.collection import Collection
from dashboard.study.changes import list_changes, list_worse
from dashboard.study.choices import Choices, describe_choices
from dashboard.study.study import Study
from dashboard.templates import TEMPLATES
from dashboard.views.address import shorten_choices
from dashboard.views.charts import draw_forest
from dashboard.views.comparison import (
    compare_metrics,
    count_queries,
    describe_slice,
    draw_changes,
    make_lines,
    write_row,
)
from dashboard.views.data_tables import format_value
from dashboard.views.downloads import make_file
from dashboard.views.media_routes import read_poster

DEPTH = 5
"""Results of a version that are shown of a query."""
MAX_SLICES = 20
CHART_WIDTH = 400
"""Width at which charts are drawn, in pixels: their texts can be read on a phone, too."""


def write_report(study: Study, choices: Choices, number: int, address: str) -> str:
    """Return the report as HTML; every text of the collection in it is escaped.

    Args:
        study: What is compared.
        choices: Versions, metrics, and the metric of charts and queries.
        number: Queries that are shown with pictures, the worst first.
        address: Address of a screen, without choices, that the report links to; empty: none.
    """
    baseline, candidate = choices.compared
    metric = choices["metric"]
    rows, front = compare_metrics(study, choices)
    slices = study.compare_slices(baseline, candidate, metric)
    unusual = describe_choices(study.collection, study.choices).items()
    told = [text for key, text in unusual if key not in ("protocol", "queries")]
    changes = list_changes(study, baseline, candidate, metric)
    charts = draw_changes(rows, changes, choices)
    if slices:
        lines = make_lines(slices[:MAX_SLICES])
        charts["Change by slice, worst first"] = draw_forest(lines, f"Change in {metric}")
    return TEMPLATES.get_template("plugins/report/report.html").render(
        study=study,
        front=front,
        sections=load_sections("report", study.rules.name),
        made=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        keys=(keys := urlencode(shorten_choices(study.collection, choices))),
        link=f"{address}?{keys}" if address.startswith(("http://", "https://")) else "",
        chosen=[f"Protocol: {study.rules.title}", count_queries(study), *told],
        choices=choices,
        rows=map(write_row, rows),
        certainty=describe_certainty(rows, any(study.scenes)),
        charts=[
            (title, _write_data("image/svg+xml", make_file("svg", chart, width=CHART_WIDTH)))
            for title, chart in charts.items()
        ],
        slices=slices,
        most=MAX_SLICES,
        queries=list_worse(study, choices)[:number],
        draw=partial(_read_picture, study.collection),
        measures=parse(choices["metrics"]),
        depth=DEPTH,
        power=describe_power(front),
        difference=describe_slice,
        signed=write_signed,
        value=format_value,
        zip=zip,
    )


def _read_picture(collection: Collection, kind: str, item: str) -> str:
    """Return a small picture as data; "" if there is none."""
    found = read_poster(collection, kind, item)
    return _write_data(*found) if found else ""


def _write_data(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{b64encode(content).decode()}"
