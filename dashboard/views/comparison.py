"""Parts of a comparison on the screens: verdict, table of metrics, and filter of queries."""

from contextlib import AbstractContextManager, nullcontext

import streamlit as st

from dashboard.errors import ChoiceError
from dashboard.evaluation.decisions import describe_idle_margins, describe_power
from dashboard.evaluation.differences import (
    count_scored,
    describe_certainty,
    find_sign,
    write_p,
    write_signed,
)
from dashboard.evaluation.metrics import parse, parse_one
from dashboard.study.changes import describe_gaps, list_changes
from dashboard.study.choices import Choices
from dashboard.study.study import Study, open_study
from dashboard.tables import Names, Row, Rows
from dashboard.texts import write_number
from dashboard.views.address import draw_text, escape_markdown
from dashboard.views.data_tables import Column, draw_table, write_apart

SIGNS = {
    "better": "▲ better", "not worse": "◆ not worse", "worse": "▼ worse",
    "cannot tell": "● cannot tell",
}  # fmt: skip
COLUMNS = [
    Column("name", "Metric"),
    Column("baseline", "Baseline", number=True),
    Column("candidate", "Candidate", number=True),
    Column("change", "Change", number=True),
    Column("interval", "95 % interval", number=True, wide=True),
    Column("p", "p (Holm)", number=True, wide=True),
    Column("outcome", "Outcome"),
    Column("counts", "Better, same, worse", number=True, wide=True),
]


def compare_metrics(study: Study, choices: Choices) -> tuple[Rows, Row]:
    """Return a row a metric of the choice `metrics`, and the row of the one that the lists show.

    p is corrected over all of them.
    """
    shown, front = parse(choices["metrics"]), parse_one(choices["metric"])
    names = list(dict.fromkeys(map(str, [*shown, front])))
    compared = study.compare(*choices.pair, " ".join(names))
    rows = [row | {"name": name} for name, row in zip(names, compared, strict=True)]
    return rows[: len(shown)], rows[names.index(str(front))]


def compare_on_page(study: Study, choices: Choices) -> tuple[Rows, Row]:
    """Return what `compare_metrics` does; margins that no loss can have are said and left out."""
    with show_progress("Comparing the versions"):
        try:
            return compare_metrics(study, choices)
        except ChoiceError as error:
            plain = open_study(study.collection, study.choices.replace(margins=""))
            found = compare_metrics(plain, choices)
            draw_text("error", error)
            return found


def show_progress(doing: str) -> AbstractContextManager[None]:
    """Show what is computed and for how long, if it takes longer than a tenth of a second."""
    return st.spinner(f"{doing}; this is done once", show_time=True)


def list_changes_on_page(study: Study, choices: Choices) -> Rows:
    """Return all queries, the worst first; show that versions are measured, if that is to be done.

    What shows progress takes a tenth of the time of a step.
    """
    versions, metric = choices.pair, choices["metric"]
    is_known = study.is_measured(versions, metric)
    with nullcontext() if is_known else show_progress("Measuring the versions"):
        return list_changes(study, *versions, metric, every=True)


def draw_verdict(study: Study, choices: Choices, row: Row, runs: Names = ()) -> str:
    """Draw the verdict by a metric as a headline and return it; of one version, its mean.

    Below it stands what the versions compared, and some others, have no results for.
    """
    baseline, candidate = choices.pair
    told = study.describe_difference(row, row["name"], baseline, candidate)
    if baseline == candidate:
        mean = "no value" if row["candidate"] is None else write_number(row["candidate"])
        told = f"{candidate}: {row['name']} {mean} ({count_scored(row)})"
        told = f"{'. '.join((told, *study.list_conditions(row['name'])))}."
    st.subheader(escape_markdown(told), anchor=False)
    if baseline != candidate and (power := describe_power(row, row["name"])):
        draw_text("caption", power)
    for gap in describe_gaps(study, [*choices.compared, *runs])["warning"]:
        draw_text("warning", gap)
    for version in choices.compared:  # what a plugin has read says what it is
        found = study.collection.versions[version]
        if found.make_source and found.note:
            draw_text("caption", f"{version}: {found.note}.")
    return told


def draw_metrics(study: Study, rows: Rows, choices: Choices) -> None:
    """Draw the comparison of all metrics and how certain it is."""
    written = [write_row(row) for row in rows]
    draw_table(name_columns(choices), written, find_front(written, choices["metric"]))
    idle = describe_idle_margins(
        choices["margins"], parse(f"{choices['metrics']} {choices['metric']}")
    )
    for told in filter(None, (idle, *describe_certainty(rows, any(study.scenes)))):
        draw_text("caption", told)


def find_front(rows: Rows, metric: str) -> int:
    """Return the place of a metric among the rows of a table; -1 if it is not there."""
    names = [row["name"] for row in rows]
    return names.index(name) if (name := str(parse_one(metric))) in names else -1


def name_columns(choices: Choices) -> list[Column]:
    """Return the columns of a comparison; the versions' have the versions' names."""
    names = {"baseline": choices["baseline"], "candidate": choices["candidate"]}
    return [each._replace(label=names.get(each.key, each.label)) for each in COLUMNS]


def write_row(row: Row) -> Row:
    """Return a row of a comparison with change, interval, p, outcome and counts as texts."""
    baseline, candidate = write_apart(row["baseline"], row["candidate"])
    return row | {
        **write_difference(row, row["p_holm"]),
        "baseline": baseline,
        "candidate": candidate,
        "outcome": SIGNS[row["outcome"]],
        "counts": f"{row['better']}, {row['same']}, {row['worse']}",
    }


def write_difference(row: Row, p: float | None, lacking: str = "not defined") -> Row:
    """Return change, interval and p of a row as texts; `lacking` where it has no interval."""
    interval = lacking
    if row["low"] is not None:
        interval = f"{write_signed(row['low'])} to {write_signed(row['high'])}"
    return {
        "change": write_signed(row["delta"]),
        "interval": interval,
        "p": None if p is None else write_p(p).removeprefix("= "),
    }


def make_forest(rows: Rows, metric: str) -> Rows:
    """Return the rows of a chart of differences, of metrics that rise, or fall, as one does."""
    sign = find_sign(parse_one(metric))
    return [
        row | {"label": row["name"], "note": write_signed(row["delta"], "not compared")}
        for row in rows
        if find_sign(parse_one(row["name"])) == sign
    ]
