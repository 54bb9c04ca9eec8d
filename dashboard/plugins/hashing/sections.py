"""Sections of hash codes on Overview: curves over K, and each version's bounds over ties."""

from typing import Any

import streamlit as st

from dashboard.evaluation.metrics import parse_one
from dashboard.plugins.hashing.judge import NEAR, find_bits
from dashboard.plugins.hashing.ties import list_bounds
from dashboard.study.choices import Choices
from dashboard.study.study import Study
from dashboard.views.address import escape_markdown
from dashboard.views.charts import colour_versions, draw_curve
from dashboard.views.data_tables import Column, draw_table

DEPTHS = (1, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Results at which precision and mAP are drawn, as far as the gallery goes."""
CURVES = {"P": "Precision over K", "AP(retrieved)": "mAP over K"}


def make_curves(study: Study, choices: Choices) -> dict[str, Any]:
    """Return the charts of precision and mAP over K, by their titles."""
    runs = choices["runs"]
    colours = colour_versions([*choices.pair, *runs])
    depths = [depth for depth in DEPTHS if depth <= len(study.collection.items)]
    names = " ".join(f"{name}@{depth}" for name in CURVES for depth in depths)
    rows = study.list_means(runs, names)
    return {
        title: draw_curve(
            [r for r in rows if r["metric"] == name], name, colours, type="log", nice=False
        )
        for name, title in CURVES.items()
    }


def draw_ties(study: Study, choices: Choices) -> None:
    """Draw a table of bits, bounds over ties and P(H<=2)."""
    runs, metric = choices["runs"], str(parse_one(choices["metric"]))
    st.markdown(
        f"**{escape_markdown(metric)} over the order of ties**",
        help="Items at equal distances have no order of their own. Smallest and largest: means of "
        "each query's value in its worst and in its best order; –: not known for this metric.",
    )
    near = {row["run"]: row["mean"] for row in study.list_means(runs, NEAR)}
    table = [
        row | {"bits": find_bits(study, row["run"]), "near": near[row["run"]]}
        for row in list_bounds(study, runs, metric)
    ]
    columns = [
        Column("run", "Version"),
        Column("bits", "Bits", "number wide"),
        Column("low", "Smallest", "number"),
        Column("mean", metric, "number", help="Ties in the order of the gallery"),
        Column("high", "Largest", "number"),
        Column("near", NEAR, "number", help="A query without such a result counts 0"),
    ]
    draw_table(columns, table)
