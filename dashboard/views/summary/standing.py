"""How all versions stand: by every metric, in what order and how surely, and pair by pair."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import streamlit as st

from dashboard.evaluation import measure
from dashboard.evaluation.compare import SAME
from dashboard.evaluation.metrics.registry import parse
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.protocols.crossmodal import IMAGE, TEXT
from dashboard.evaluation.verdict import SIGNIFICANT
from dashboard.tables import between
from dashboard.views import cached, late
from dashboard.views.cached import Question
from dashboard.views.digits import decimals
from dashboard.views.labels import label, short_label
from dashboard.views.summary.judging import with_ceilings
from dashboard.views.summary.measured import (
    is_measure,
    measured,
    metrics_in_view,
    selected,
)
from dashboard.views.texts import plain
from dashboard.views.view import View

REASONS = {
    "no_keyword": "without a keyword that counts",
    "no_relevant": "without any relevant item",
    "not_run": "not run",
}


def versions_by_metrics(view: View) -> None:
    """A table of means: a row for each metric, a column for each version, the best in bold.

    Beside the mean stands the difference to the baseline where chance does not explain it.
    """
    metrics = " ".join(metrics_in_view(view))
    asked, rows = cached.question(view), []
    means = measure.summarise(measured(view, view.runs, metrics))
    others = tuple(version for version in view.runs if _may_differ(view, asked, version))
    sure = cached.against(asked, view.baseline, others, metrics, selected(view, asked))
    for written, wanted in zip(metrics.split(" "), parse(metrics), strict=True):
        mine = means[is_measure(means, wanted)].set_index("run")
        differences = sure[is_measure(sure, wanted)].set_index("candidate_run")
        best, digits = mine["mean"].max(), decimals(mine["mean"])
        cells = {
            plain(version): _cell(mine["mean"].get(version), best, differences, version, digits)
            for version in view.runs
        }
        rows.append({"Metric": plain(label(view, written)), **cells, "Scored": _scored(mine)})
    table, ceiling = with_ceilings(view, metrics, rows)
    late.table(table.set_index("Metric"), "metrics")
    st.caption(
        f"{ceiling}Best in bold; ▲ and ▼: better or worse than {plain(view.baseline)} beyond "
        f"chance (randomisation test, Holm over the metrics). {_left_out(view)}{_cut(view)}"
    )


def _may_differ(view: View, asked: Question, version: str) -> bool:
    """Whether a version's difference to the baseline is drawn."""
    ways = cached.unlike(view.collection, asked.digest, view.baseline, version)
    return version != view.baseline and (not ways or view.anyway == "yes")


def _cell(
    mean: float | None, best: float, differences: pd.DataFrame, version: str, digits: int
) -> str:
    if mean is None or pd.isna(mean):
        return "–"
    text = f"{mean:.{digits}f}"
    text = f"**{text}**" if mean >= best - SAME else text
    if version not in differences.index or not differences.loc[version, "p_holm"] < SIGNIFICANT:
        return text
    delta = differences.loc[version, "delta"]
    colour, mark = ("green", "▲") if delta > 0 else ("red", "▼")
    return f"{text} :{colour}[{mark} {delta:+.{digits}f}]"


def _scored(means: pd.DataFrame) -> str:
    pairs = zip(means["scored"], means["total"], strict=True)
    return ", ".join(sorted({f"{int(scored):,} of {int(total):,}" for scored, total in pairs}))


def _left_out(view: View) -> str:
    """Why queries have no value, in a sentence; they are never counted as zero."""
    asked = cached.question(view)
    counted = cached.counts(asked, tuple(view.runs), selected(view, asked))
    protocol = PROTOCOLS[view.protocol]
    left_out = dict(REASONS)
    if not protocol.of_keywords:
        left_out["no_keyword"] = "without a judgement that can be used"
    if protocol.nothing_relevant != "null":
        del left_out["no_relevant"]  # these are scored
    reasons = [
        f"{_range(counted[column])} {words}"
        for column, words in left_out.items()
        if counted[column].max() > 0
    ]
    empty = counted["no_results"].max()
    zero = f" {_range(counted['no_results'])} found nothing and count as 0." if empty else ""
    ways = _of_which(view, asked)
    if not reasons:
        return f"{ways}Every query is scored{' in the rows of its kind' if ways else ''}.{zero}"
    return f"{ways}Left out of the means, never counted as zero: {', '.join(reasons)}.{zero}"


def _of_which(view: View, asked: Question) -> str:
    """Which queries each row is of, where pictures and texts have metrics of their own."""
    only, kinds = selected(view, asked), cached.counted_judgement(asked).kinds
    in_view = kinds if only is None else set(only)
    numbers = Counter(kind for query, kind in kinds.items() if query in in_view)
    if not numbers[IMAGE] or not numbers[TEXT]:
        return ""
    return (
        f"Image to text, Rsum and mR are of the {numbers[IMAGE]:,} queries with a picture, text to "
        f"image of the {numbers[TEXT]:,} with a text. "
    )


def _cut(view: View) -> str:
    """Where lists end early because whole ones would be too much, in a sentence."""
    depth = cached.cut(cached.question(view), view.runs)
    if depth is None:
        return ""
    return (
        f" Whole rankings of so many queries would not fit in memory: lists end at rank {depth:,}, "
        "and metrics without a cutoff look no further."
    )


def _range(numbers: pd.Series) -> str:
    return between(int(numbers.min()), int(numbers.max()))


def order(view: View) -> None:
    """How sure the order of the versions by the metric in front is."""
    asked = cached.question(view)
    only = selected(view, asked)
    front = short_label(view, view.metric)
    st.header(plain(f"How sure is the order by {front}?"), anchor=False)
    places = cached.stability(asked, view.runs, view.metric, only)
    if places.empty:
        st.info("An order needs at least two queries that all versions are scored on.")
        return
    cells = places.assign(said=[_place(*row) for row in places[["share", "tied"]].to_numpy()])
    table = cells.pivot(index="run", columns="place", values="said").loc[list(view.runs)]
    table.columns = [f"Place {place}" for place in table.columns]
    late.table(table.rename(index=plain).rename_axis("Version"), "order")
    tied = " Tied: versions with equal means share the better place." * bool(cells["tied"].any())
    st.caption(
        f"How often each version would take each place with other queries of the same kind.{tied}"
    )


def every_pair(view: View) -> None:
    """Each two versions: their difference by the metric in front, and how alike their lists are."""
    asked = cached.question(view)
    only = selected(view, asked)
    if cached.stability(asked, view.runs, view.metric, only).empty:
        return  # too few queries; said where the order stands
    pairs = cached.pairs(asked, view.runs, view.metric, only)
    st.header("Every pair", anchor=False)
    comparable = [
        view.anyway == "yes" or not cached.unlike(view.collection, asked.digest, one, other)
        for one, other in zip(pairs["baseline"], pairs["candidate"], strict=True)
    ]
    if not all(comparable):
        st.error("Pairs of versions that are not comparable are left out.")
    late.rows(
        _readable_pairs(pairs[comparable]),
        hide_index=True,
        column_config=PAIR_COLUMNS,
    )
    st.caption(
        "Differences and intervals of Tukey's test for queries × versions: they hold for all pairs "
        "together. The lists that count are compared without labels: shared results, rank-biased "
        "overlap, and how many places the shared ones moved."
    )


def _percent(share: float) -> str:
    if share in (0, 1):
        return "always" if share else "never"
    rounded = f"{100 * share:.1f} %"
    return {"0.0 %": "< 0.1 %", "100.0 %": "> 99.9 %"}.get(rounded, rounded)


def _place(share: float, tied: float) -> str:
    """How often a version has a place, and how much of that it shares with another.

    >>> _place(1.0, 1.0), _place(0.75, 0.25), _place(0.5, 0.0)
    ('always, tied', '75.0 %, 25.0 % tied', '50.0 %')
    """
    if not tied:
        return _percent(share)
    return f"{_percent(share)}, {'tied' if tied == share else f'{_percent(tied)} tied'}"


def _readable_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    shown = pairs.assign(
        pair=pairs["candidate"] + " − " + pairs["baseline"],
        p=pairs["p"].map(lambda p: "–" if pd.isna(p) else "< 0.0001" if p < 1e-4 else f"{p:.4f}"),
    )
    return shown[["pair", "delta", "low", "high", "p", "jaccard", "rbo", "shift"]]


PAIR_COLUMNS = {
    "pair": st.column_config.TextColumn("Pair"),
    "delta": st.column_config.NumberColumn("Difference", format="%+.3f"),
    "low": st.column_config.NumberColumn("from", format="%+.3f"),
    "high": st.column_config.NumberColumn("to", format="%+.3f"),
    "p": st.column_config.TextColumn("p"),
    "jaccard": st.column_config.NumberColumn("Shared (Jaccard)", format="%.2f"),
    "rbo": st.column_config.NumberColumn("Overlap (RBO)", format="%.2f"),
    "shift": st.column_config.NumberColumn("Places moved", format="%.1f"),
}
