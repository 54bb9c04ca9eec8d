"""Parts of the screens Overview, Compare and Slices: verdict, tables, and rows of charts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import streamlit as st

from dashboard.errors import ChoiceError
from dashboard.evaluation.decisions import describe_idle_margins, describe_power
from dashboard.evaluation.differences import (
    SIGNIFICANT,
    count_scored,
    describe_certainty,
    write_interval,
    write_p,
    write_signed,
)
from dashboard.evaluation.measurement import Measurement
from dashboard.evaluation.metrics import parse, parse_one
from dashboard.evaluation.slicing import JOIN, SMALL_SLICE
from dashboard.study.changes import (
    describe_gaps,
    group_changes,
    group_values,
    keep_inside,
    list_changes,
)
from dashboard.study.choices import Choices
from dashboard.study.study import Study, open_study
from dashboard.tables import Names, Row, Rows
from dashboard.texts import count_things, write_number
from dashboard.views.address import draw_text, escape_markdown, write_link
from dashboard.views.charts import draw_forest, draw_histogram, draw_scatter, write_bin
from dashboard.views.data_tables import Column, draw_table, format_value, write_apart
from dashboard.views.frame import draw_sections
from dashboard.views.queries import Pick

SIGNS = {
    "better": "▲ better", "not worse": "◆ not worse", "worse": "▼ worse",
    "cannot tell": "● cannot tell",
}  # fmt: skip
COLUMNS = [
    Column("name", "Metric"),
    Column("baseline", "Baseline", "number"),
    Column("candidate", "Candidate", "number"),
    Column("change", "Change", "number"),
    Column("interval", "95 % interval", "number wide"),
    Column("p", "p (Holm)", "number wide"),
    Column("outcome", "Outcome"),
    Column("counts", "Better, same, worse", "number wide"),
]


def compare_metrics(study: Study, choices: Choices) -> tuple[Rows, Row]:
    """Return a row a metric of the choice `metrics`, and the row of the one that the lists show.

    p is corrected over all of them.
    """
    name = str(parse_one(choices["metric"]))
    compared = study.compare(*choices.pair, f"{choices['metrics']} {name}")
    rows = [row | {"front": row["name"] == name} for row in compared]
    (front,) = (row for row in rows if row["front"])
    return rows[: len(parse(choices["metrics"]))], front


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
    """Return what Compare or Slices lists, the worst first; all, if the open query is not listed.

    Queries that the metric does not ask come last.
    """
    outcome, asked = choices["outcome"], choices["query"]
    with show_progress("Measuring the versions"):
        rows = list_changes(study, *choices.pair, choices["metric"], every=True)
    changes = rows if outcome == "all" else list_changes(study, *choices.pair, choices["metric"])
    listed = filter_changes(choices, changes, draw_sections("picks", study, choices))
    listed = [row for row in listed if outcome in ("all", row["outcome"])]
    listed = keep_inside(study, choices["picked_slice"], listed)
    others, there = ({row["query_id"] for row in each} for each in (rows, listed))
    if listed and (asked in there or asked not in others):
        return listed
    said = f"The open query is not among the {len(listed):,} that these filters leave"
    said = said if listed else "No query is left by these filters"
    draw_text("info", f"{said}; here are all {len(rows):,} of this kind and slice.")
    return rows


def filter_changes(choices: Choices, rows: Rows, picks: Sequence[Pick]) -> Rows:
    """Return the rows of `list_changes` that sections and the charts of Compare have picked."""
    kept = [row for row in rows if all(row["query_id"] in pick.queries for pick in picks)]
    if not (picked := choices["picked"]):
        return kept
    group_values(rows)
    labels = {each["bin"]: write_bin(each["change"]) for each in group_changes(rows)}
    meant = {picked, picked.replace("-", "−")}  # older links have hyphens
    return [row for row in kept if meant & {row.get("point"), labels.get(row.get("bin"))}]


def draw_verdict(study: Study, choices: Choices, row: Row, runs: Names = ()) -> str:
    """Draw the verdict by a metric as a headline and return it; of one version, its mean.

    Below it stands what the versions compared, and some others, have no results for.
    """
    baseline, candidate = choices.pair
    told = study.describe_difference(row, baseline, candidate)
    if baseline == candidate:
        mean = "no value" if row["candidate"] is None else write_number(row["candidate"])
        told = f"{candidate}: {row['name']} {mean} ({count_scored(row)})"
        told = f"{'. '.join((told, *study.list_conditions(row['name'])))}."
    st.header(escape_markdown(told), anchor=False)
    if baseline != candidate:
        draw_text("caption", describe_power(row))
    draw_text("warning", *describe_gaps(study, [*choices.compared, *runs])["warning"])
    for version in choices.compared:  # what a plugin has read says what it is
        found = study.collection.versions[version]
        if found.make_source and found.note:
            draw_text("caption", f"{version}: {found.note}.")
    return told


def draw_metrics(study: Study, rows: Rows, choices: Choices) -> None:
    """Draw the comparison of all metrics and how certain it is."""
    draw_table(name_columns(choices), [write_row(row) for row in rows])
    idle = describe_idle_margins(
        choices["margins"], parse(f"{choices['metrics']} {choices['metric']}")
    )
    draw_text("caption", idle, *describe_certainty(rows, any(study.scenes)))


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
    return {
        "change": write_signed(row["delta"]),
        "interval": lacking if row["low"] is None else write_interval(row),
        "p": None if p is None else write_p(p).removeprefix("= "),
    }


def make_forest(rows: Rows, metric: str) -> Rows:
    """Return the rows of a chart of differences, of metrics that rise, or fall, as one does."""
    sign = parse_one(metric).sign
    return [
        row | {"label": row["name"], "note": write_signed(row["delta"], "not compared")}
        for row in rows
        if parse_one(row["name"]).sign == sign
    ]


def draw_changes(rows: Rows, changes: Rows, choices: Choices) -> dict[str, Any]:
    """Return the charts of a comparison, by their names.

    Args:
        rows: Metrics, as `compare_metrics` returns them.
        changes: Queries, as `list_changes` returns them.
        choices: Versions and metric.
    """
    metric = choices["metric"]
    return {
        "Change per query": draw_histogram(group_changes(changes), metric),
        "Both versions": draw_scatter(group_values(changes), metric, *choices.pair),
        "Change by metric": draw_forest(make_forest(rows, metric), "Candidate − baseline"),
    }


MAX_LINES = 60
"""Slices of a chart; the table holds all."""
SLICE_COLUMNS = [
    Column("slice", "Slice", "wrap", link="href"),
    Column("queries", "Queries", "number"),
    Column("change", "Change", "number"),
    Column("interval", "95 % interval", "number wide"),
    Column("p", "p (Holm)", "number"),
]


def make_lines(rows: Rows) -> Rows:
    """Return the rows of a chart of slices, the worst first, small slices last.

    A slice is shown by its value alone where no other column has that value.
    """
    values = [row["slice"].partition("=")[2] for row in rows]
    lines = []
    for row, value in zip(rows[:MAX_LINES], values, strict=False):
        note = f"n {row['queries']} · " if row["queries"] else "not scored"
        note += write_signed(row["delta"], "")
        if row["p_adjusted"] is not None:
            note += f" · p {write_p(row['p_adjusted'])}"
        label = value if values.count(value) == 1 else row["slice"]
        outcome = "cannot tell"
        if (row["p_adjusted"] or 1) < SIGNIFICANT:
            outcome = "better" if row["gain"] > 0 else "worse"
        lines.append(row | {"name": row["slice"], "label": label, "note": note, "outcome": outcome})
    return lines


def make_cells(rows: Rows) -> Rows:
    """Return the cells of a table of two columns, without the column's name in each."""
    return [
        row
        | {key: row[key].partition("=")[2] or row[key] for key in ("first", "second")}
        | {
            "note": write_signed(row["delta"]),
            "count": f"n {n}{'*' if n < SMALL_SLICE else ''}" if (n := row["queries"]) else "",
        }
        for row in rows
    ]


def write_slice(row: Row, within: Names) -> Row:
    """Return what `describe_slice` does, and the link to the slice's queries within others."""
    return describe_slice(row) | {
        "href": write_link("compare", slice=JOIN.join([*within, row["slice"]]))
    }


def describe_slice(row: Row) -> Row:
    """Return a slice with change, interval and p as texts."""
    lacking = "too few queries" if row["queries"] < SMALL_SLICE else "not defined"
    return row | write_difference(row, row["p_adjusted"], lacking)


CURVE_DEPTH = 10
"""Cutoffs of a curve; more where the metric's own is deeper."""
MAX_DEPTH = 50
MAX_SLICES = 12


def count_queries(study: Study) -> str:
    """Return the number of queries in question, and their kind."""
    kind = study.choices["queries"]
    if kind == "text" and (study.collection.own_items[study.queries] >= 0).all():
        kind = "text-and-item"
    return count_things(len(study.queries), "query" if kind == "all" else f"{kind} query")


def list_versions(study: Study, choices: Choices, compared: Rows) -> tuple[list[Column], Rows]:
    """Return a table: the mean of each metric and version, and how the candidate compares.

    A version is not compared with itself.
    """
    runs, metrics = choices["runs"], parse(choices["metrics"])
    rows = []
    for row, means in zip(
        compared, compare_means(study.measure(runs, choices["metrics"])), strict=True
    ):
        values = {f"run-{m['run']}": format_value(m["mean"]) + m["of"] for m in means}
        best = [f"run-{mean['run']}" for mean in means if mean["is_best"]]
        rows.append(write_row(row) | values | {"best": best})
    formulas = "; ".join(
        dict.fromkeys(f"{m.name}: {m.metric.formula} ({m.metric.source})" for m in metrics)
    )
    versions = study.collection.versions
    columns = [
        Column("name", "Metric", help=formulas),
        *(Column(f"run-{run}", run, "number", help=versions[run].note) for run in runs),
    ]
    if choices["baseline"] == choices["candidate"]:
        return columns, rows
    change, interval, p, outcome = COLUMNS[3:7]
    named = change._replace(label=f"{choices['candidate']} − {choices['baseline']}")
    return [*columns, named, interval, p, outcome._replace(classes="wide")], rows


def compare_means(measured: Sequence[Measurement]) -> Iterator[Rows]:
    """Yield for each metric the means of versions, with `of` and `is_best`.

    `of` is " (9 of 18)" where the versions together have values of more queries. Such a mean is not
    compared; none is the best if all others are alike.
    """
    known = np.isfinite([each.values for each in measured]).any(axis=0).sum(axis=1)
    for measure, most, *rows in zip(
        measured[0].measures, known.tolist(), *(each.list_means() for each in measured), strict=True
    ):
        whole = {row["mean"] for row in rows if row["scored"] == most}
        front = (min if measure.metric.lower_is_better else max)(whole, default=None)
        for row in rows:
            few = row["scored"] < most
            row["of"] = f" ({row['scored']:,} of {most:,})" * few
            row["is_best"] = not few and row["mean"] == front and whole != {front}
        yield rows


def name_curve(metric: str) -> str:
    """Return the names of a metric at each cutoff up to its own; empty if it has no cutoffs."""
    front = parse_one(metric)
    if front.metric.cutoff == "never":
        return ""
    depth = min(max(front.cutoff or CURVE_DEPTH, CURVE_DEPTH), MAX_DEPTH)
    return " ".join(f"{front.name}@{k}" for k in range(1, depth + 1))


def pick_slices(rows: Rows) -> Rows:
    """Return the rows of the slices with the most queries, large enough to be compared."""
    sizes = Counter({row["slice"]: row["queries"] for row in rows if row["queries"] >= SMALL_SLICE})
    return [
        row for name, _ in sizes.most_common(MAX_SLICES) for row in rows if row["slice"] == name
    ]
