"""How similar the items are to one query: relevant ones against the others, and the cut."""

from __future__ import annotations

import altair as alt
import numpy as np
import pandas as pd

from dashboard.views.cards.query_results import QueryResults
from dashboard.views.charts import BETTER, LEGEND, SAME, WORSE
from dashboard.views.charts.equal_tables import once_for_equal_tables

BINS = 40
KINDS = {"relevant": BETTER, "not relevant": SAME, "not judged": "#c8ced6"}


def similarities(results: QueryResults) -> pd.DataFrame:
    """How many items have which similarity: run, low, high, kind, items. Bins are the same for
    all versions."""
    every = pd.concat([results.every(version).assign(run=version) for version in results.whole])
    relevant, judged = set(results.relevant), set(results.labels)
    every["kind"] = [
        "relevant" if i in relevant else "not relevant" if i in judged else "not judged"
        for i in every["item_id"]
    ]
    edges = np.histogram_bin_edges(every["score"], BINS) if len(every) else np.array([0.0, 1.0])
    tables = []
    for (version, kind), mine in every.groupby(["run", "kind"], sort=False):
        items = np.histogram(mine["score"], edges)[0]
        table = pd.DataFrame({"low": edges[:-1], "high": edges[1:], "items": items})
        tables.append(table[table["items"] > 0].assign(run=str(version), kind=str(kind)))
    columns = ["run", "low", "high", "kind", "items"]
    return pd.concat(tables)[columns] if tables else pd.DataFrame(columns=columns)


@once_for_equal_tables
def histogram(counted: pd.DataFrame, version: str, cut: float) -> alt.LayerChart:
    """The similarities of one version, with the least similarity that counts.

    counted: of all versions, which share the scale.
    """
    low, high = float(counted["low"].min()), float(counted["high"].max())
    kinds = [kind for kind in KINDS if kind in set(counted["kind"])]
    colours = alt.Scale(domain=kinds, range=[KINDS[kind] for kind in kinds])
    order = counted["kind"].map({kind: place for place, kind in enumerate(KINDS)})
    mine = counted.assign(order=order)[counted["run"] == version]
    most = counted.groupby(["run", "low"])["items"].sum().max()
    axis = alt.Axis(format=".2f", grid=False, tickCount=6)
    bars = (
        alt.Chart(mine)
        .mark_bar(binSpacing=1)
        .encode(
            x=alt.X("low:Q", bin="binned", title="Similarity", axis=axis).scale(domain=[low, high]),
            x2="high:Q",
            y=alt.Y("items:Q", title="Items", axis=alt.Axis(tickCount=4, format="d")).scale(
                domain=[0, int(most)]
            ),
            color=alt.Color("kind:N", scale=colours, title=None, legend=LEGEND),
            order=alt.Order("order:Q"),
            tooltip=[
                alt.Tooltip("kind:N", title="Items that are"),
                alt.Tooltip("items:Q", title="Items", format=","),
                alt.Tooltip("low:Q", title="Similarity from", format=".3f"),
                alt.Tooltip("high:Q", title="to", format=".3f"),
            ],
        )
    )
    at = pd.DataFrame({"cut": [float(np.clip(cut, low, high))]})
    rule = alt.Chart(at).mark_rule(strokeWidth=2, strokeDash=[5, 3], color=WORSE).encode(x="cut:Q")
    drawn: alt.LayerChart = bars + rule
    return drawn.properties(height=230)
