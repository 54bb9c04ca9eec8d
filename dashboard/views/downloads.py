"""Downloads: tables as CSV and JSON, charts as SVG and PNG, a view as Markdown."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from dashboard.commands.output import clean_cell, protect_rows, write_rows
from dashboard.plugins import load_named
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.tables import Names, Rows
from dashboard.templates import TEMPLATES
from dashboard.views.charts import pick_ink, style_chart
from dashboard.views.components import draw_copy, make_line
from dashboard.views.data_tables import Column, format_value

CHART_WIDTH = 720
"""Width of a chart in a file, in pixels."""
GROUNDS = {"#e8edf4": "#0f141b"}
"""Ground of a chart in a file, by the colour of its text; white for others."""


def draw_sharing(
    study: Study,
    choices: Choices,
    told: str,
    columns: Sequence[Column],
    rows: Rows,
    tables: Mapping[str, tuple[Rows, Names]],
    charts: Mapping[str, Any],
) -> None:
    """Draw downloads and the buttons that copy, in one row.

    Args:
        study: What is looked at.
        choices: Its versions are in the names of the files.
        told: What the view says, in a sentence.
        columns: Columns of its table.
        rows: Rows of its table.
        tables: Rows and columns, as a command prints them, by the table's name.
        charts: Charts by name.
    """
    versions, ink = choices.compared, pick_ink()
    stem = "-".join([study.collection.name, *versions])
    with make_line(width="content"):
        with st.popover("Download"):
            for contents, forms in ((tables, ("csv", "json")), (charts, ("svg", "png"))):
                for name, content in contents.items():
                    makers = {form: partial(make_file, form, content, ink) for form in forms}
                    draw_files(name, f"{stem}-{name.lower().replace(' ', '-')}", makers)
            for command in load_named("commands").values():
                if hasattr(command, "make_download") and len(versions) > 1:
                    make = partial(command.make_download, study, choices, str(st.context.url or ""))
                    draw_files(command.DOWNLOAD, stem, {"html": make})
        draw_copy(markdown=write_markdown(study.collection.title, told, columns, rows))


def draw_files(name: str, file: str, makers: Mapping[str, Callable[[], bytes]]) -> None:
    """Draw a button for each form of a file, which is made when it is clicked."""
    with make_line():
        st.markdown(name, width=150)
        for form, make in makers.items():
            st.download_button(
                form.upper(),
                data=make,
                file_name=f"{file}.{form}",
                key=f"download-{name}-{form}",
                on_click="ignore",
            )


def make_file(form: str, content: Any, ink: str = "#000000", width: int = CHART_WIDTH) -> bytes:
    """Return rows with their columns as CSV or JSON, or a chart as SVG or PNG.

    Args:
        form: csv, json, svg or png.
        content: The rows with their columns, or the chart.
        ink: Colour of a chart's text.
        width: Width of a chart, in pixels.
    """
    if form in ("csv", "json"):
        rows, columns = content
        if form == "csv":
            rows = protect_rows(rows)
        return write_rows(rows, columns, form).encode()
    import vl_convert

    sized = content.properties(width=width, background=GROUNDS.get(ink, "#ffffff"))
    chart = style_chart(sized, ink)
    if form == "svg":
        return str(vl_convert.vegalite_to_svg(chart)).encode()
    return bytes(vl_convert.vegalite_to_png(chart, scale=2))


def write_markdown(title: str, told: str, columns: Sequence[Column], rows: Rows) -> str:
    """Return a heading, a sentence, a table and the link of the view as Markdown."""
    link = f"{st.context.url}?{urlencode(st.query_params.to_dict())}" if st.context.url else ""
    return TEMPLATES.get_template("views/view.md").render(
        title=title,
        told=told,
        columns=columns,
        rows=rows,
        link=link,
        clean=clean_cell,
        value=format_value,
    )
