"""`compare`: a candidate against a baseline, with intervals and tests."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from dashboard.commands.options import (
    FINE,
    FOUND,
    Answer,
    complain_about_gaps,
    open_pair,
    open_study_of,
)
from dashboard.commands.output import say

if TYPE_CHECKING:
    from dashboard.study.choices import Choices
    from dashboard.study.study import Study

HELP = "a candidate against a baseline, with intervals and tests"
FILES = True
KEYS = ("margins", "baseline", "candidate", "metrics")
OPTIONS = ""
COLUMNS = (
    "metric", "cutoff", "baseline", "candidate", "delta", "low", "high", "p",
    "scored", "total", "better", "same", "worse", "p_holm", "outcome",
    "detectable", "needed", "margin", "bound", "corrected_over",
)  # fmt: skip


def answer(call: Namespace) -> Answer:
    """Return a row a metric; the code is 1 if one regressed, or one that was named has no value.

    A metric regressed if the interval of its difference lies on the worse side of 0, or, where all
    queries differ alike and there is none, if the difference is clear and for the worse.
    """
    from dashboard.evaluation.metrics import parse

    study, choices = (open_study_of if call.baseline and call.candidate else open_pair)(call)
    if len(choices.compared) < 2:
        say(f"note: baseline and candidate are both {choices['candidate']!r}; name two versions")
    complain_about_margins(call, study, choices)
    rows = study.compare(*choices.pair, choices["metrics"])
    complain_about_gaps(study, choices.pair)
    silent = [row for row in rows if not row["scored"]]
    for row in silent:
        say(f"note: {row['name']}: no query is scored in both versions")
    is_silent = silent and (call.metrics or len(silent) == len(rows))
    has_regressed = any(
        row["outcome"] == "worse"
        if row["high"] is None
        else max(each.sign * row["low"], each.sign * row["high"]) < 0
        for row, each in zip(rows, parse(choices["metrics"]), strict=True)
    )
    return rows, COLUMNS, FOUND if has_regressed or is_silent else FINE


def complain_about_margins(call: Namespace, study: Study, choices: Choices) -> None:
    """Print which margins the call replaces, and which have no effect."""
    from dashboard.evaluation.decisions import describe_idle_margins
    from dashboard.evaluation.metrics import parse

    if call.margins and (before := study.collection.settings.get("margins")):
        say(f"note: --margins replaces {' '.join(before)} of collection.toml")
    if idle := describe_idle_margins(choices["margins"], parse(choices["metrics"])):
        say(f"note: {idle}")
