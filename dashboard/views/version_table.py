"""Parts of the screen Overview: versions by metrics, curves, slices, and unscored queries."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from dashboard.evaluation.measurement import Measurement
from dashboard.evaluation.metrics import parse, parse_one
from dashboard.evaluation.slicing import SMALL_SLICE
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.tables import Rows
from dashboard.texts import count_things
from dashboard.views.comparison import COLUMNS, write_row
from dashboard.views.data_tables import Column, format_value

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
        *(Column(f"run-{run}", run, number=True, help=versions[run].note) for run in runs),
    ]
    if choices["baseline"] == choices["candidate"]:
        return columns, rows
    change, interval, p, outcome = COLUMNS[3:7]
    named = change._replace(label=f"{choices['candidate']} − {choices['baseline']}")
    return [*columns, named, interval, p, outcome._replace(wide=True)], rows


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
