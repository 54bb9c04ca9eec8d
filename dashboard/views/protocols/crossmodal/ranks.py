"""Where the first right answer stands, both ways: cumulative curves and median ranks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.evaluation.curves import cumulative
from dashboard.evaluation.image_text.pairing import chance
from dashboard.evaluation.metrics.crossmodal import CUTOFFS
from dashboard.evaluation.protocols.crossmodal import IMAGE, TEXT
from dashboard.experiment import ranking
from dashboard.experiment.protocols import matching
from dashboard.tables import counted
from dashboard.views import charts, layout, summary
from dashboard.views.address.choices import View
from dashboard.views.charts.crossmodal import within_rank
from dashboard.views.experiments import experiment_of, versions_of
from dashboard.views.protocols.tables import take_away
from dashboard.views.texts import plain

WAYS = {IMAGE: "Image to text", TEXT: "Text to image"}
ASKING = {IMAGE: "pictures", TEXT: "texts"}


def ranks(view: View) -> None:
    """The cumulative curves of both ways, and what the curves leave out."""
    experiment = experiment_of(view)
    only = summary.selected(view, experiment)
    ways = charts.version_ways(versions_of(view), view.baseline, view.candidate)
    found = {version: matching.first_hits(experiment, version, only) for version in view.runs}
    with layout.section(_medians(view, found), "ranks"):
        _both_ways(view, ways, found)


def _medians(view: View, found: dict[str, pd.DataFrame]) -> str:
    """The title of the curves: the candidate's median rank both ways; Markdown."""
    title = "Rank of the first correct result"
    table = found.get(view.candidate, pd.DataFrame(columns=["kind", "rank"]))
    ranks = table.assign(rank=table["rank"].astype("float64").fillna(np.inf))
    medians = ranks.groupby("kind", observed=True)["rank"].median()
    words = [
        f"{way.lower()} {medians[kind]:g}"
        for kind, way in WAYS.items()
        if medians.get(kind, np.inf) < np.inf
    ]
    if not words:
        return title
    return plain(f"{title} · {view.candidate}, median: {', '.join(words)}", None)


def _both_ways(view: View, ways: dict[str, charts.Way], found: dict[str, pd.DataFrame]) -> None:
    """A curve of each way, and the numbers to take away."""
    taken = []
    for column, kind in zip(st.columns(2, gap="large"), WAYS, strict=True):
        mine = {version: table[table["kind"] == kind] for version, table in found.items()}
        if all(table.empty for table in mine.values()):
            continue
        with column:
            taken.append(_curve(view, kind, mine, ways).assign(way=WAYS[kind]))
    if not taken:
        st.info("No query in view is scored.")
        return
    st.caption(
        "Share of queries with a correct result within a rank; vertical lines at R@1, R@5, R@10. "
        "Dashed grey: random order. Ties are in gallery order."
    )
    table = pd.concat(taken, ignore_index=True)
    take_away(view, table[["way", "run", "rank", "share", "queries"]], "within-rank")


def _curve(
    view: View, kind: str, found: dict[str, pd.DataFrame], ways: dict[str, charts.Way]
) -> pd.DataFrame:
    experiment = experiment_of(view)
    gallery = matching.gallery_size(experiment, kind)
    cut = ranking.cut(experiment, view.runs)
    longest = min(gallery, cut or gallery)
    shares = pd.concat(
        [cumulative(of["rank"], longest).assign(run=run) for run, of in found.items()],
        ignore_index=True,
    )
    first = next(table for table in found.values() if len(table))
    grid = shares["rank"].drop_duplicates().to_numpy()
    random = chance(grid, gallery, first["relevant"].to_numpy())
    dashed = pd.DataFrame({"rank": grid, "share": random})
    asking = ASKING[kind]
    others = "pictures" if kind == TEXT else "texts"
    st.markdown(f"**{WAYS[kind]}**, {len(first):,} {asking} among {gallery:,} {others}")
    layout.chart(
        within_rank(shares, dashed, {run: ways[run] for run in found}, CUTOFFS),
        alt=f"{WAYS[kind]}: share of {asking} with a correct result within a rank",
    )
    within = f" within rank {cut:,}" if cut and cut < gallery else ""
    words = [_first_rank(run, ranks, asking, within) for run, ranks in found.items()]
    st.caption(plain(" ".join(words), None))
    return pd.concat([shares, dashed.assign(run="random order")], ignore_index=True)


def _first_rank(run: str, found: pd.DataFrame, asking: str, within: str) -> str:
    """The median rank of a version, and how many of its first answers stand where they do by
    chance."""
    if found.empty:
        return f"{run}: not run."
    ranks = found["rank"].astype("float64").fillna(np.inf)
    median, nowhere = ranks.median(), int(np.isinf(ranks).sum())
    half = (
        f"median rank {median:g}" if median < np.inf else "no median, as more than half have none"
    )
    words = [f"{run}: {half}"]
    if nowhere:
        has = "has" if nowhere == 1 else "have"
        words.append(f"{counted(nowhere, asking.removesuffix('s'), asking)} {has} none{within}")
    tied = int(found["tied"].sum())
    if tied:
        words.append(f"{tied:,} correct result{'s tie' if tied > 1 else ' ties'} with a wrong one")
    return f"{', '.join(words)}."
