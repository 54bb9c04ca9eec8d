"""Hash codes of whole versions: over p, over code length, by radius, and their pairs by type."""

from __future__ import annotations

from collections.abc import Callable

import altair as alt
import pandas as pd
import streamlit as st

from dashboard.evaluation.binary_codes import USUAL
from dashboard.evaluation.curves import steps
from dashboard.evaluation.digits import number
from dashboard.evaluation.metrics.registry import measure
from dashboard.evaluation.protocols import protocol_of
from dashboard.experiment import ranking
from dashboard.experiment.collection import collections
from dashboard.experiment.experiment import NO_CUT
from dashboard.experiment.protocols import hash_codes
from dashboard.tables import DataError, between
from dashboard.views import charts, layout, summary
from dashboard.views.address.choices import View
from dashboard.views.charts import hashing as drawn
from dashboard.views.experiments import experiment_of, versions_of
from dashboard.views.protocols.hashing.numbers import numbers
from dashboard.views.protocols.hashing.shared import bounded, torn
from dashboard.views.table_files import save_button, table_file
from dashboard.views.texts import plain

MEAN_OF = {"AP(retrieved)": "mAP", "nDCG(exp)": "nDCG"}
"""The source's two metrics, and what it calls their means."""
ACROSS = 3
TIES = (
    "Lines: ties in Hamming distance are in gallery order. Bands: lowest and highest mean over all "
    "orders of the ties"
)


def overview(view: View) -> None:
    """Draw the section of the Overview."""
    known = _known(view)
    ways = charts.version_ways(versions_of(view), view.baseline, view.candidate)
    _over_p(view, known, ways)
    coded = known.dropna(subset=["bits"])
    near = _near(view, coded)
    with layout.section("Over code length"):
        _over_bits(view, coded, near, ways)
    if len(coded):
        with layout.section("Precision and recall by Hamming radius"):
            _precision_recall(view, near, ways)
    numbers(view, known, near)
    summary.by_signs(view, view.runs)
    if len(coded) < len(known):
        without = ", ".join(known.loc[known["bits"].isna(), "run"])
        st.caption(plain(f"Without hash codes: {without}.", None))
    with layout.section("Pairs by type"):
        _types(view)


def _over_p(view: View, known: pd.DataFrame, ways: dict[str, charts.Way]) -> None:
    """Both metrics at p = 1, 2, 5 … gallery, a panel a code length."""
    table = _bounds_over_p(view, known)
    st.header("Hash codes", anchor=False)
    with layout.section(_over_p_in_words(view, table), "over-p") as panels:
        for name, mean in MEAN_OF.items() if panels.open else ():
            mine = table[table["metric"] == name]
            _panels(mine, f"{mean}@p", lambda part: drawn.over_p(part, ways))
        said = (
            f"{TIES}. {_queries(table)} AP@p divides by the hits in the first p, not by all "
            "relevant items, so few hits can look good: compare versions at the same p."
        )
        st.caption(plain(f"{said}{torn(table)}", None))
        save_button(view, "over-p.csv")


def _bounds_over_p(view: View, known: pd.DataFrame) -> pd.DataFrame:
    gallery = len(collections.opened(view.collection).items)
    deepest = ranking.ends(experiment_of(view), view.runs) or gallery
    metrics = " ".join(f"{name}@{p}" for name in MEAN_OF for p in steps(min(gallery, deepest)))
    return bounded(view, known, metrics)


@table_file("over-p", under="hashing")
def over_p(view: View) -> pd.DataFrame:
    """Both metrics over p, a row a version, metric and p."""
    return _bounds_over_p(view, _known(view))[["run", "method", "bits", *COLUMNS]]


def _over_p_in_words(view: View, table: pd.DataFrame) -> str:
    """The title of the panels: both metrics, and which version is highest; Markdown."""
    p, leads = _front_p(view), []
    for name, mean in MEAN_OF.items():
        means = table[(table["metric"] == name) & (table["cutoff"] == p)].dropna(subset=["mean"])
        if len(means):
            best = means["mean"].max()
            first = ", ".join(means.loc[means["mean"] == best, "run"])
            leads.append(f"{mean}@{p:,} {number(best)} in {first}")
    highest = f" · highest {'; '.join(leads)}" if leads else ""
    return plain(f"{' and '.join(f'{mean}@p' for mean in MEAN_OF.values())} over p{highest}", None)


def _over_bits(
    view: View, coded: pd.DataFrame, near: pd.DataFrame, ways: dict[str, charts.Way]
) -> None:
    """Both metrics and the look-up within the usual radius over the length of the codes."""
    lengths = coded["bits"].nunique()
    if lengths < 2:
        st.info("This curve needs codes of at least two lengths.")
        return
    p = _front_p(view)
    table, within = _bounds_over_bits(view, coded, near)
    parts = {f"{mean}@{p}": table[table["metric"] == name] for name, mean in MEAN_OF.items()}
    parts[f"Precision within Hamming radius {USUAL}"] = within
    places = st.columns(len(parts), gap="medium")
    for column, (title, part) in zip(places, parts.items(), strict=True):
        with column:
            _drawn(title, drawn.over_bits(part, ways), "method")
    _radius_said(within)
    save_button(view, "over-code-length.csv")


def _bounds_over_bits(
    view: View, coded: pd.DataFrame, near: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both metrics, and the precision within the usual radius, a row a version."""
    p = _front_p(view)
    table = bounded(view, coded, " ".join(f"{name}@{p}" for name in MEAN_OF))
    within = near[near["radius"] == USUAL].assign(
        mean=near["precision"], worst=near["precision"], best=near["precision"]
    )
    return table, within


@table_file("over-code-length", under="hashing")
def over_code_length(view: View) -> pd.DataFrame:
    """Both metrics and the look-up within the usual radius over the length of the codes."""
    coded = _coded(view)
    table, within = _bounds_over_bits(view, coded, _near(view, coded))
    every = pd.concat([table, within.assign(metric=f"P within radius {USUAL}")])
    return every[["run", "method", "bits", *COLUMNS]]


def _known(view: View) -> pd.DataFrame:
    """The versions in view, with the method and the bits of those that have codes."""
    return hash_codes.lengths(collections.opened(view.collection).under(view.protocol), view.runs)


def _coded(view: View) -> pd.DataFrame:
    """Those with codes. Raises DataError where there is none."""
    coded = _known(view).dropna(subset=["bits"])
    if coded.empty:
        raise DataError(view.collection, "no version of hash codes in view", "at least one")
    return coded


def _near(view: View, coded: pd.DataFrame) -> pd.DataFrame:
    """Precision and recall by radius of all versions of codes."""
    experiment = experiment_of(view)
    only = summary.selected(view, experiment)
    tables = [
        hash_codes.by_radius(experiment, run, int(bits), only).assign(
            run=run, method=method, bits=bits
        )
        for run, method, bits in coded.itertuples(index=False)
    ]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def _radius_said(within: pd.DataFrame) -> None:
    scored = int(within["scored"].max())
    nothing = within["scored"] - within["found"]
    few = between(int(nothing.min()), int(nothing.max()))
    st.caption(
        f"One line per method, one point per version. Within radius {USUAL}: share of relevant "
        f"items among those at Hamming distance {USUAL} or less. A query without such items counts "
        f"as 0 (Liu et al., CVPR 2012), here {few} of {scored:,} queries, by version: long codes "
        "are seldom that close. Ties have no effect."
    )


def _precision_recall(view: View, near: pd.DataFrame, ways: dict[str, charts.Way]) -> None:
    _panels(near, "Precision over recall", lambda part: drawn.precision_recall(part, ways))
    st.caption(
        "One point per radius, from 0 (left) to all bits (right). Recall: mean over all scored "
        "queries. Precision: mean over queries with results within the radius. Ties have no "
        f"effect. {_right_end(view)}"
    )
    save_button(view, "by-radius.csv")


@table_file("by-radius", under="hashing")
def by_radius(view: View) -> pd.DataFrame:
    """Precision and recall of each version of codes, a row a radius."""
    columns = ["precision", "precision_found", "recall", "items", "found", "scored", "total"]
    return _near(view, _coded(view))[["run", "method", "bits", "radius", *columns]]


def _right_end(view: View) -> str:
    """What the curve ends in: the whole gallery, unless a least similarity leaves items out."""
    if view.min_similarity <= NO_CUT:
        return "Right end: the share of relevant items in the gallery (chance)."
    return (
        f"Items below the similarity threshold {view.min_similarity:g} are removed, so the right "
        "end is not chance."
    )


def _types(view: View) -> None:
    experiment = experiment_of(view)
    table = hash_codes.types(experiment, summary.selected(view, experiment))
    items, queries = len(collections.opened(view.collection).items), int(table["queries"].max())
    shown = pd.DataFrame(
        {
            "Type": [_TYPES[kind] for kind in table["type"]],
            "Grade": table["grade"],
            "Gain 2^grade − 1": table["gain"],
            "Pairs": [f"{number:,}" for number in table["pairs"]],
            "Per query": [
                f"{row.mean:.1f} ({row.least} to {row.most})" if row.queries else "–"
                for row in table.itertuples()
            ],
        }
    )
    layout.table(shown.set_index("Type"), "types")
    st.caption(
        f"{queries:,} queries × {items:,} gallery items. Queries and gallery share no id and no "
        "picture."
    )


def _panels(
    table: pd.DataFrame, title: str, draw: Callable[[pd.DataFrame], alt.LayerChart]
) -> None:
    """A drawing for each code length, side by side."""
    groups = list(table.groupby("bits", dropna=False, sort=True))
    for start in range(0, len(groups), ACROSS):
        some = groups[start : start + ACROSS]
        columns = st.columns(ACROSS if len(groups) > 1 else 2, gap="medium")
        for column, (bits, part) in zip(columns, some, strict=False):
            with column:
                length = "no codes" if pd.isna(bits) else f"{bits!s} bits"
                _drawn(f"{title}, {length}", draw(part))


def _drawn(title: str, chart: alt.LayerChart, line: str = "version") -> None:
    layout.chart(chart, alt=f"{title}, one line per {line}")


def _queries(table: pd.DataFrame) -> str:
    scored, total = int(table["scored"].max()), int(table["total"].max())
    return f"Means of {scored:,} of {total:,} queries."


def _front_p(view: View) -> int:
    """The p of the metric in front; without one that of the protocol."""
    usual = protocol_of(collections.opened(view.collection), view.protocol).front
    return measure(view.metric).cutoff or usual.cutoff or 1


_TYPES = {1: "Type 1, alike", 2: "Type 2, related", 3: "Type 3, neither"}
COLUMNS = ["metric", "cutoff", "mean", "worst", "best", "scored", "total"]
