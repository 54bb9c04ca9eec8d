"""`report`: the comparison of two versions as one HTML file."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from dashboard.commands.options import FINE, Answer, open_pair
from dashboard.commands.output import replace_file

if TYPE_CHECKING:
    from dashboard.study.choices import Choices
    from dashboard.study.study import Study

HELP = "the comparison of two versions as one offline HTML file"
COLUMNS = ("file", "bytes", "queries")
QUERIES = 10
MAX_QUERIES = 200
KEYS = ("margins", "baseline", "candidate", "metrics", "metric")
OPTIONS = f"""
-o/--output FILE.html!  the file that is written; one that is there is replaced
--number NUMBER  queries with pictures, at most {MAX_QUERIES} (default {QUERIES})
"""
DOWNLOAD = "Report"
"""Name among the downloads of the screens."""


def answer(call: Namespace) -> Answer:
    """Write the report; return its file, size and number of queries with pictures."""
    from dashboard.study.changes import list_worse

    if not 0 <= call.number <= MAX_QUERIES:
        raise ValueError(f"--number {call.number}: from 0 to {MAX_QUERIES}.")
    study, choices = open_pair(call)
    content = make_download(study, choices, number=call.number)
    replace_file(call.output, content)
    number = min(call.number, len(list_worse(study, choices)))
    return [{"file": str(call.output), "bytes": len(content), "queries": number}], COLUMNS, FINE


def make_download(
    study: Study, choices: Choices, address: str = "", number: int = QUERIES
) -> bytes:
    """Return the report of what a screen shows; `address` is the screen's, without a query."""
    from dashboard.plugins.report.page import write_report

    return write_report(study, choices, number, address).encode()
