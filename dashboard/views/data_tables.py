"""Tables of values in HTML: numbers at the right with 3 decimals, whole on every width."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import streamlit as st

from dashboard.tables import Names, Rows
from dashboard.templates import TEMPLATES
from dashboard.texts import write_number


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        key: Key of the rows.
        label: Its title.
        classes: Those of its cells: number (at the right), wide (left out on phones), wrap (may
            have several lines).
        help: Tooltip of the title.
        link: Key of the rows that holds an address; empty: no link.
    """

    key: str
    label: str
    classes: str = ""
    help: str = ""
    link: str = ""


def draw_table(columns: Sequence[Column], rows: Rows) -> None:
    """Draw a table; floats have 3 decimals, what is missing is a dash.

    Args:
        columns: Its columns.
        rows: Values by key; a row's `best` holds keys of cells that are marked as best, and its
            `front` says whether it is marked as a whole.
    """
    st.html(write_table(columns, rows))


def draw_folded(title: str, content: str) -> None:
    """Draw HTML that opens below a title.

    Streamlit's own expander leaves its nodes and listeners in the tab after every visit.
    """
    st.html(f"<details><summary>{escape(title)}</summary>{content}</details>")


def write_table(columns: Sequence[Column], rows: Rows) -> str:
    """Return a table as HTML whose texts are escaped."""
    return TEMPLATES.get_template("views/table.html").render(
        columns=columns, rows=rows, value=format_value
    )


def format_value(value: object, decimals: int = 3) -> str:
    """Return the text of a cell; only floats have decimals."""
    if value is None or value == "":
        return "–"
    if isinstance(value, float):
        return write_number(value, decimals=decimals).replace("-", "−")
    return str(value)


def write_apart(*values: float | None) -> Names:
    """Return the texts of cells, with as many decimals as tell different values apart.

    >>> write_apart(0.25, 0.5), write_apart(0.0031, 0.0034, None)
    (['0.250', '0.500'], ['0.0031', '0.0034', '–'])
    """
    for decimals in range(3, 10):
        texts = [format_value(value, decimals) for value in values]
        if len({*texts}) >= len({value and round(value, 9) for value in values}):
            break
    return texts
