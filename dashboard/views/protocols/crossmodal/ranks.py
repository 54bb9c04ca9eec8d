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
from dashboard.tables import DataError, counted
from dashboard.views import charts, layout, summary
from dashboard.views.address.choices import View
from dashboard.views.charts.crossmodal import within_rank
from dashboard.views.experiments import experiment_of, versions_of
from dashboard.views.table_files import save_button, table_file
from dashboard.views.texts import plain

WAYS = {IMAGE: "Image to text", TEXT: "Text to image"}
ASKING = {IMAGE: "pictures", TEXT: "texts"}


def ranks(view: View) -> None:
    """The cumulative curves of both ways, and what the curves leave out."""
    ways = charts.version_ways(versions_of(view), view.baseline, view.candidate)
    found = _first_hits(view)
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
    there = _by_kind(found)
    for column, kind in zip(st.columns(2, gap="large"), WAYS, strict=True):
        if kind in there:
            with column:
                _curve(view, kind, there[kind], ways)
    if not there:
        st.info("No query in view is scored.")
        return
    st.caption(
        "Share of queries with a correct result within a rank; vertical lines at R@1, R@5, R@10. "
        "Dashed grey: random order. Ties are in gallery order."
    )
    save_button(view, "within-rank.csv")


@table_file("within-rank", under="crossmodal")
def shares_within_rank(view: View) -> pd.DataFrame:
    """The share of queries with a correct result within each rank, by way and version."""
    parts = [
        pd.concat([shares, dashed.assign(run="random order")], ignore_index=True).assign(
            way=WAYS[kind]
        )
        for kind, mine in _by_kind(_first_hits(view)).items()
        for shares, dashed in [_shares(view, kind, mine)]
    ]
    if not parts:
        raise DataError(view.collection, "no query in view that is scored", "at least one")
    table = pd.concat(parts, ignore_index=True)
    return table[["way", "run", "rank", "share", "queries"]]


def _first_hits(view: View) -> dict[str, pd.DataFrame]:
    """Of each version the rank of the first correct result of each query in view."""
    experiment = experiment_of(view)
    only = summary.selected(view, experiment)
    return {version: matching.first_hits(experiment, version, only) for version in view.runs}


def _by_kind(found: dict[str, pd.DataFrame]) -> dict[str, dict[str, pd.DataFrame]]:
    """The same of each way that has queries."""
    every = {
        kind: {version: table[table["kind"] == kind] for version, table in found.items()}
        for kind in WAYS
    }
    return {kind: mine for kind, mine in every.items() if any(map(len, mine.values()))}


def _shares(
    view: View, kind: str, found: dict[str, pd.DataFrame]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The curves of the versions, and that of a random order."""
    experiment = experiment_of(view)
    gallery = matching.gallery_size(experiment, kind)
    cut = ranking.known_to(experiment, view.runs)
    longest = min(gallery, cut or gallery)
    shares = pd.concat(
        [cumulative(of["rank"], longest).assign(run=run) for run, of in found.items()],
        ignore_index=True,
    )
    first = next(table for table in found.values() if len(table))
    grid = shares["rank"].drop_duplicates().to_numpy()
    random = chance(grid, gallery, first["relevant"].to_numpy())
    return shares, pd.DataFrame({"rank": grid, "share": random})


def _curve(
    view: View, kind: str, found: dict[str, pd.DataFrame], ways: dict[str, charts.Way]
) -> None:
    experiment = experiment_of(view)
    gallery = matching.gallery_size(experiment, kind)
    cut = ranking.known_to(experiment, view.runs)
    first = next(table for table in found.values() if len(table))
    shares, dashed = _shares(view, kind, found)
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
    tied, unknown = int(found["tied"].sum()), int(found["tied"].isna().sum())
    if tied:
        words.append(f"{tied:,} correct result{'s tie' if tied > 1 else ' ties'} with a wrong one")
    if unknown:
        words.append(f"of {unknown:,} far down it is not known whether they do")
    return f"{', '.join(words)}."
