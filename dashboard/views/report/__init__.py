"""Two versions compared, as one HTML file to hand over: opens by double click, asks no network.

Imports no Streamlit: the command line and a screen's button make the same file.
"""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.views.report import exports
from dashboard.views.report.comparison import Comparison
from dashboard.views.report.page import make_page

__all__ = ["Comparison", "Report", "report"]


@dataclass(frozen=True)
class Report:
    """A page, and its tables as files (name → content)."""

    html: str
    files: dict[str, str]


def report(comparison: Comparison) -> Report:
    """The report on a comparison. Raises DataError where a version cannot be read."""
    files = exports.files(comparison.tables)
    return Report(make_page(comparison, files), files)
