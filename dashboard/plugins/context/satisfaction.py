"""Correlation of metrics with the satisfaction of those who saw the lists (Shao et al. 2019).

Tables 1 to 3 and figure 3 of the source. Answers are cleaned in its order: workers averaged; lists
with more than 90 % invalid relevance out; participants with fewer than three lists out;
satisfaction scaled to [0, 1] for each participant, those who always said the same out; lists with
fewer than so many rows out.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from dashboard.evaluation.block import Block
from dashboard.evaluation.metrics import parse
from dashboard.plugins.context.correlation import (
    compute_difference_interval,
    compute_spearman,
    compute_williams,
)
from dashboard.plugins.context.judge import (
    DISCOUNTS,
    HALF,
    MAX_INVALID_SHARE,
    SCALE,
    compute_gain,
    read_window,
    weigh_rows,
)
from dashboard.plugins.context.lists import ViewedLists
from dashboard.tables import FloatArray, Names, Row, Rows

ALPHA = 0.05
LEAST_LISTS = 3
DATASETS = (10, 15)
"""The source's two data sets: lists of at least so many rows."""
TABLE_3 = ((10, 10), (15, 5), (15, 10), (15, 15))
"""Columns of the source's table 3: lists of at least so many rows, and how many are looked at."""
FIRST_PAGE = 5
"""Rows of figure 3."""
ORIGINAL = "RBP(0.95,per=image) DCG(credit,per=image) CG(per=image) AVG ERR MAX"
AWARE = ("RBP(0.95)", "DCG", "CG", "AVG", "ERR", "MAX")


class Reading(NamedTuple):
    """Settings for reading lists.

    Attributes:
        rows: Lists have at least so many rows, and so many are looked at.
        window: Results in the window of the context-aware gain.
        divide: "window": by the number of results in it; "w": always by its size.
        average: What AVG is the mean of: "pictures", or the means of "rows" of the grid.
    """

    rows: int = 10
    window: int = 10
    divide: str = "window"
    average: str = "pictures"

    @property
    def metrics(self) -> str:
        """Metrics of the source, with the original gain and then the context-aware one."""
        return " ".join(
            [ORIGINAL, *(f"CAG({name},w={self.window},divide={self.divide})" for name in AWARE)]
        )


class Cleaned(NamedTuple):
    """Lists and answers that are left after cleaning.

    Attributes:
        pages: list_id, row, relevance in [0, 1]; invalid results left out.
        answers: list_id, participant, session, scaled satisfaction in [0, 1].
        steps: step, participants, queries, lists, images, invalid: what each step left.
    """

    pages: pd.DataFrame
    answers: pd.DataFrame
    steps: Rows

    @property
    def satisfaction(self) -> pd.Series:
        """Scaled satisfaction of each list, the mean where several people answered."""
        return self.answers.groupby("list_id", sort=False)["scaled"].mean()


def clean(viewed: ViewedLists, least_rows: int) -> Cleaned:
    """Return the lists and answers that count, in the source's order of steps."""
    pages = viewed.pages
    answers = viewed.answers
    valid = pages["relevance"] >= 0
    share = 1 - valid.groupby(pages["list_id"], sort=False).mean()
    judged = share.index[share <= MAX_INVALID_SHARE]
    answered = answers.dropna(subset=["satisfaction"])
    known = answered[answered["list_id"].isin(judged)]
    often = known[known.groupby("participant")["list_id"].transform("size") >= LEAST_LISTS]
    scaled = often.groupby("participant")["satisfaction"].transform(scale_satisfaction)
    varied = often.assign(scaled=scaled).dropna(subset=["scaled"])
    kept = pages[valid & pages["list_id"].isin(judged)]
    left = varied[varied["list_id"].map(kept.groupby("list_id")["row"].nunique()) >= least_rows]
    steps = {
        "all": answers,
        "satisfaction answered": answered,
        f"relevance known, at most {100 * MAX_INVALID_SHARE:.0f} % of it invalid": known,
        f"participants with {LEAST_LISTS} lists or more": often,
        "participants whose satisfaction varies": varied,
        f"at least {least_rows} rows": left,
    }
    kept = kept[kept["list_id"].isin(left["list_id"])]
    counts = [_count(step, each, pages) for step, each in steps.items()]
    return Cleaned(kept.assign(relevance=kept["relevance"] / SCALE), left, counts)


def scale_satisfaction(satisfaction: pd.Series) -> pd.Series:
    """Return one participant's answers stretched to [0, 1]; all NaN where they never vary.

    >>> scale_satisfaction(pd.Series([1, 3, 5, 2])).tolist()
    [0.0, 0.5, 1.0, 0.25]
    """
    above = satisfaction - satisfaction.min()
    return above / (above.max() or np.nan)


def _count(step: str, left: pd.DataFrame, pages: pd.DataFrame) -> Row:
    shown = pages[pages["list_id"].isin(left["list_id"])]["relevance"] >= 0
    return {
        "step": step,
        "participants": int(left["participant"].nunique()),
        "queries": int(left["query_id"].nunique()),
        "lists": int(left["list_id"].nunique()),
        "images": int(shown.sum()),
        "invalid": int((~shown).sum()),
    }


def take_rows(pages: pd.DataFrame, rows: int) -> pd.DataFrame:
    """Return the results in the first rows of each list, by the order of row numbers."""
    return pages[pages.groupby("list_id")["row"].rank(method="dense") <= rows]


def make_block(credits: list[FloatArray]) -> Block:
    """Return lists whose results all have a relevance in [0, 1]; without the ideal ones."""
    sizes = np.array(list(map(len, credits)), int)
    row = np.repeat(np.arange(len(sizes)), sizes)
    rank = np.arange(len(row)) - np.searchsorted(row, row) + 1
    credit = np.concatenate([np.empty(0), *credits])
    hit = credit >= HALF / SCALE
    relevant = np.bincount(row[hit], minlength=len(sizes))
    return Block(
        row, rank, credit * SCALE, hit, credit, np.ones_like(hit), ~hit,
        relevant, sizes - relevant, sizes, (row[:0], rank[:0], credit[:0]),
    )  # fmt: skip


def measure_lists(pages: pd.DataFrame, metrics: str, average: str = "pictures") -> pd.DataFrame:
    """Return the value of each metric (columns) for each list (index)."""
    by = pages.groupby("list_id", sort=False)
    credits = [group["relevance"].to_numpy(float) for _, group in by]
    block = make_block(credits)
    values = {str(each): each(block) for each in parse(metrics)}
    if average == "rows":
        weights = [weigh_rows(group["row"].to_numpy()) for _, group in by]
        for name in [each for each in values if "AVG" in each]:
            gains = [compute_gain(r, *read_window(name)) for r in credits]
            pairs = zip(gains if name.startswith("CAG") else credits, weights, strict=True)
            values[name] = np.array([gain @ weight for gain, weight in pairs])
        values = {name.replace("AVG", "AVG(rows=grid)", 1): each for name, each in values.items()}
    return pd.DataFrame(values, index=[name for name, _ in by])


def compare_gains(viewed: ViewedLists, reading: Reading, least_rows: int = 0) -> Rows:
    """Return a row a discount: original and context-aware gain beside satisfaction (table 3)."""
    found = clean(viewed, least_rows or reading.rows)
    values = measure_lists(take_rows(found.pages, reading.rows), reading.metrics, reading.average)
    names = list(values.columns)
    half = len(names) // 2
    values["felt"] = found.satisfaction
    rows = []
    for original, aware in zip(names[:half], names[half:], strict=True):
        known = values[[original, aware, "felt"]].dropna()
        first, second, felt = known.to_numpy(float).T
        plain = compute_spearman(first, felt)
        context = compute_spearman(second, felt)
        between = compute_spearman(first, second).r
        n = len(known)
        t, p = compute_williams(context.r, plain.r, between, n)
        low, high = compute_difference_interval(context.r, plain.r, between, n)
        rows.append({
            "run": "pages", "discount": original.partition("(")[0], "cutoff": None,
            "original": original, "context_aware": aware,
            "r_original": plain.r, "p_original": plain.p, "star_original": _is_clear(plain.p),
            "r_context": context.r, "p_context": context.p, "star_context": _is_clear(context.p),
            "n": n, "between": between, "difference": context.r - plain.r,
            "low": low, "high": high, "t": t, "p": p, "dagger": _is_clear(p),
        })  # fmt: skip
    return rows


def _is_clear(p: float) -> bool | None:
    """Return whether p is below the level of the source; None where there is no p."""
    return None if np.isnan(p) else p < ALPHA


def explain_nulls(viewed: ViewedLists, reading: Reading, rows: Rows) -> Names:
    """Return sentences on why some rows have no correlation, or why there is no row."""
    names = ("r", "r_original", "r_context")
    sizes = [row["n"] for row in rows if any(np.isnan(row.get(name, 0.0)) for name in names)]
    told = []
    if not rows or min(sizes, default=2) < 2:
        steps = clean(viewed, reading.rows).steps
        lost = [
            f"{before['lists'] - step['lists']:,} by the step '{step['step']}'"
            for before, step in pairwise(steps)
            if before["lists"] > step["lists"]
        ]
        told.append(
            f"{steps[-1]['lists']:,} of {steps[0]['lists']:,} lists are left, too few for a "
            f"correlation. Left out: {', '.join(lost) or 'none'}."
        )
    if max(sizes, default=0) >= 2:
        told.append("A metric, or satisfaction, is the same for all lists: no rank correlation.")
    return told


def compare_depths(viewed: ViewedLists, reading: Reading) -> Rows:
    """Return the source's table 3: `compare_gains` for each of its columns."""
    rows = []
    for least, looked_at in TABLE_3:
        found = compare_gains(viewed, reading._replace(rows=looked_at), least)
        rows += [{"fewest_rows": least, "rows": looked_at} | row for row in found]
    return rows


def split_by_variance(
    pages: pd.DataFrame, fraction: float = 0.25
) -> tuple[pd.Series, Names, Names]:
    """Return the variance of relevance of each list, and the lists of the largest and smallest.

    Variance of the population, rounded to 12 decimals; floor(n × fraction) lists each; equal ones
    in the order of lists.
    """
    variance = pages.groupby("list_id", sort=False)["relevance"].var(ddof=0).round(12)
    ordered = variance.sort_values(ascending=False, kind="stable")
    size = int(len(ordered) * fraction)
    return variance, list(ordered.index[:size]), list(ordered.index[len(ordered) - size :])


def compare_halves(viewed: ViewedLists, reading: Reading) -> Rows:
    """Return the source's table 2: correlations where relevance varies least and most.

    `tied` is how many lists have the border's variance, if some of them are outside of a part.
    """
    found = clean(viewed, reading.rows)
    pages = take_rows(found.pages, reading.rows)
    variance, high, low = split_by_variance(pages)
    values = measure_lists(pages, ORIGINAL, reading.average)
    rows = []
    for part, lists, border in (("low", low, slice(1)), ("high", high, slice(-1, None))):
        is_border = variance.isin(variance[lists].iloc[border])
        tied = int(is_border.sum() * is_border.drop(lists).any())
        felt = found.satisfaction.reindex(lists).to_numpy(float)
        for name in values.columns:
            r, p, n = compute_spearman(values.loc[lists, name].to_numpy(float), felt)
            rows.append({
                "part": part, "run": "pages", "metric": name, "cutoff": None,
                "r": r, "p": p, "n": n, "star": _is_clear(p), "tied": tied,
            })  # fmt: skip
    return rows


def describe_spread(viewed: ViewedLists, reading: Reading) -> Rows:
    """Return the source's figure 3: mean and deviations of relevance in the first rows."""
    found = clean(viewed, reading.rows)
    felt = found.satisfaction
    pages = take_rows(found.pages, min(reading.rows, FIRST_PAGE))
    return [
        {
            "list_id": name,
            "mean": float(credit.mean()),
            "deviation": float(credit.std()),
            "deviation_in_context": float(compute_gain(credit, 1).std()),
            "satisfaction": felt.get(name),
        }
        for name, group in pages.groupby("list_id", sort=False)["relevance"]
        for credit in [group.to_numpy(float)]
    ]


def count_sizes(viewed: ViewedLists) -> Rows:
    """Return the source's table 1: sessions, participants, queries, lists and images."""
    rows: Rows = []
    for least in (0, *DATASETS):
        found = clean(viewed, least)
        answers, counts = (
            (found.answers, found.steps[-1]) if least else (viewed.answers, found.steps[0])
        )
        sessions = answers.loc[answers["session"].fillna("") != "", "session"].nunique()
        is_known = sessions or (rows and rows[0]["sessions"] is not None and not counts["lists"])
        rows.append({
            "part": f"at least {least} rows" if least else "before cleaning",
            "sessions": int(sessions) if is_known else None,
            **{name: counts[name] for name in ("participants", "queries", "lists", "images")},
        })  # fmt: skip
        rows[-1]["images"] += 0 if least else counts["invalid"]
    return rows


def list_steps(viewed: ViewedLists, list_id: str, reading: Reading, discount: str) -> Rows:
    """Return one list picture by picture: what each adds to a context-aware gain, and why.

    r is relevance ÷ 100; best the largest up to there, and best_rank where it was first; adjusted
    r' = r² ÷ best; gain the mean of r' in the window; discount d(k); adds gain × discount. NaN
    below the depth, and for invalid results.
    """
    mine = viewed.pages[viewed.pages["list_id"] == list_id].reset_index(drop=True)
    read = take_rows(mine[mine["relevance"] >= 0], reading.rows)
    credit = (read["relevance"] / SCALE).to_numpy(float)
    best = np.maximum.accumulate(credit)
    gain = compute_gain(credit, reading.window, reading.divide)
    weights = np.full(len(credit), np.nan)
    if discount in DISCOUNTS:
        weights = DISCOUNTS[discount][0](credit)
    if discount == "AVG" and reading.average == "rows":
        weights = weigh_rows(read["row"].to_numpy())
    steps = pd.DataFrame(
        {
            "rank": np.arange(1, len(credit) + 1), "r": credit, "best": best,
            "best_rank": np.where(best > 0, np.searchsorted(best, best) + 1.0, np.nan),
            "adjusted": compute_gain(credit, 1), "gain": gain, "discount": weights,
            "adds": gain * weights,
        },
        index=read.index,
    )  # fmt: skip
    rows: Rows = mine[["row", "column", "item_id", "relevance"]].join(steps).to_dict("records")
    return rows


TABLES: dict[str, Callable[[ViewedLists, Reading], Rows]] = {
    "gains": compare_gains,
    "depths": compare_depths,
    "halves": compare_halves,
    "spread": describe_spread,
    "sizes": lambda viewed, reading: count_sizes(viewed),
    "cleaning": lambda viewed, reading: clean(viewed, reading.rows).steps,
}
"""Rows of each table of the source, and of cleaning."""


def write_nulls(row: Row) -> Row:
    """Return a row with None in the place of NaN."""
    return {name: None if value != value else value for name, value in row.items()}
