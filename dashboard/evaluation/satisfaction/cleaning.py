"""Relevance and satisfaction of result pages, cleaned for the context protocol.

Shao et al., SIGIR 2019, section 3, in that order: workers averaged; queries with more than 90 %
invalid relevance out; participants with fewer than three queries out; satisfaction scaled to [0, 1]
per participant, those who always answered the same out; queries with fewer than so many rows out.
Each step is counted. The source's "query" is one list as one person saw it; `query_id` here is that
list's id, and `asked` the query whose words several lists may share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dashboard.evaluation.metrics import Measure, parse
from dashboard.evaluation.metrics.context import in_context
from dashboard.evaluation.protocols.context import HALF, MOST_INVALID, OF_SOURCE, SCALE, clean
from dashboard.evaluation.rankings import Array, Floats, Rankings, from_lists

FEWEST_QUERIES = 3
WINDOW = 10
ORIGINAL = " ".join(discount.original for discount in OF_SOURCE)
"""The metrics of the source with the original gain: all of its table 2, half of its table 3."""


def gain_metrics(window: int = WINDOW, divide: str = "window") -> str:
    """The metrics of the source's table 3: original gain, then context-aware gain.

    window: over how many results the context-aware gain is averaged; divide: by the number of
    results in the window ("window"), or always by its size ("w").

    >>> gain_metrics(5).split()[-1]
    'CAG(MAX,w=5,divide=window)'
    """
    chosen = f",w={window},divide={divide})"
    aware = [discount.title.removesuffix(")") + chosen for discount in OF_SOURCE]
    return " ".join([ORIGINAL, *aware])


GAINS = gain_metrics()


@dataclass(frozen=True)
class Study:
    """The answers that are left after cleaning, and what each step removed.

    relevance: `query_id, rank, row, relevance` in [0, 1], invalid answers left out.
    answers: `query_id, participant, satisfaction`, and `scaled` in [0, 1].
    steps: `step, participants, queries, lists, images, invalid`: what remains after each step.
    """

    relevance: pd.DataFrame
    answers: pd.DataFrame
    steps: pd.DataFrame

    @property
    def satisfaction(self) -> pd.Series:
        """Scaled satisfaction by query_id; the mean where several people answered for one list."""
        return self.answers.groupby("query_id", sort=False)["scaled"].mean()


def study(
    relevance: pd.DataFrame,
    answers: pd.DataFrame,
    *,
    scale: float = SCALE,
    fewest_rows: int = 0,
    fewest_queries: int = FEWEST_QUERIES,
    most_invalid: float = MOST_INVALID,
) -> Study:
    """Clean relevance and satisfaction answers step by step.

    relevance: `query_id, rank, relevance` (0 to `scale`; -1 and -2 are invalid), several rows per
    rank where several workers judged, `row` where results stand in a grid (else each is its own).
    answers: `query_id, participant, satisfaction` (null: not answered), `asked` and `session` where
    known. ValueError for relevance above the scale or a query answered twice by one participant.
    """
    _check(relevance, answers, scale)
    each = averaged(relevance)
    kept, _ = clean(each.rename(columns={"relevance": "grade"}), most_invalid)
    valid = kept.rename(columns={"grade": "relevance"})
    images = each["relevance"].ge(0).groupby(each["query_id"]).agg(["sum", "size"])
    steps = [_step("all", answers, images)]

    def after(step: str, left: pd.DataFrame) -> pd.DataFrame:
        steps.append(_step(step, left, images))
        return left

    share = f"relevance known, at most {most_invalid:.0%} of it invalid"
    left = after("satisfaction answered", answers.dropna(subset=["satisfaction"]))
    left = after(share, left[left["query_id"].isin(valid["query_id"])])
    number = left.groupby("participant")["query_id"].transform("size")
    often = f"participants with {fewest_queries} lists or more"
    left = after(often, left[number >= fewest_queries])
    scaled = left.groupby("participant")["satisfaction"].transform(min_max)
    left = after(
        "participants whose satisfaction varies",
        left.assign(scaled=scaled).dropna(subset=["scaled"]),
    )
    rows = valid.groupby("query_id")["row"].nunique()
    enough = left["query_id"].map(rows) >= fewest_rows
    left = after(f"at least {fewest_rows} rows", left[enough]).reset_index(drop=True)
    used = valid[valid["query_id"].isin(left["query_id"])].reset_index(drop=True)
    used["relevance"] = used["relevance"] / scale
    return Study(used, left, pd.DataFrame(steps))


def pages(places: pd.DataFrame, relevance: pd.DataFrame) -> pd.DataFrame:
    """The places of each list: `query_id` (the list's id), `rank, row, column, item_id, relevance`.

    places: `list_id, query_id, row, column, item_id` in reading order. relevance: `query_id,
    item_id, relevance`, a row for each worker; the mean of the valid answers is taken, -1 where
    there is none.
    """
    valid = relevance[relevance["relevance"] >= 0]
    means = valid.groupby(["query_id", "item_id"], as_index=False)["relevance"].mean()
    shown = places.merge(means, on=["query_id", "item_id"], how="left")
    shown["relevance"] = shown["relevance"].fillna(-1.0)
    shown["rank"] = shown.groupby("list_id", sort=False).cumcount() + 1
    shown["query_id"] = shown["list_id"]
    return shown[["query_id", "rank", "row", "column", "item_id", "relevance"]]


def averaged(relevance: pd.DataFrame) -> pd.DataFrame:
    """One row per query and rank: the mean of the workers' valid answers, -1 without any."""
    table = relevance if "row" in relevance else relevance.assign(row=relevance["rank"])
    table = table.assign(relevance=table["relevance"].where(table["relevance"] >= 0))
    by = table.groupby(["query_id", "rank", "row"], sort=False, as_index=False)
    means = pd.DataFrame(by["relevance"].mean()).fillna({"relevance": -1.0})
    place = pd.factorize(means["query_id"])[0]
    return means.iloc[np.lexsort((means["rank"], place))].reset_index(drop=True)


def min_max(satisfaction: pd.Series) -> pd.Series:
    """One participant's satisfaction stretched to [0, 1]; all null when it never varies.

    >>> min_max(pd.Series([1, 3, 5, 2])).tolist()
    [0.0, 0.5, 1.0, 0.25]
    """
    above = satisfaction - satisfaction.min()
    scaled: pd.Series = above / (above.max() or np.nan)
    return scaled


def sizes(study: Study) -> dict[str, int | None]:
    """The source's table 1: sessions (null when not recorded), participants, queries, lists,
    images."""
    last = study.steps.iloc[-1]
    counted = {name: int(last[name]) for name in ("participants", "queries", "lists", "images")}
    return {"sessions": sessions(study.answers), **counted}


def sessions(answers: pd.DataFrame) -> int | None:
    """How many sessions the answers belong to; null when none was recorded."""
    if "session" not in answers:
        return None
    known = answers.loc[answers["session"].fillna("") != "", "session"]
    return known.nunique() or None


def first_rows(relevance: pd.DataFrame, rows: int | None) -> pd.DataFrame:
    """The results in the first `rows` rows of each query's grid (by the order of row numbers)."""
    if rows is None:
        return relevance
    place = relevance.groupby("query_id")["row"].rank(method="dense")
    return relevance[place <= rows]


def rankings(relevance: pd.DataFrame) -> Rankings:
    """The pages as rankings, credit = relevance, for any metric; in order of first appearance."""
    by = relevance.groupby("query_id", sort=False)["relevance"]
    lists = {str(query): values.tolist() for query, values in by}
    grades = [[value * SCALE for value in row] for row in lists.values()]
    made = from_lists(grades, credit=list(lists.values()), relevant_from=HALF)
    return replace(made, query_ids=tuple(lists))


def measured(
    study: Study,
    metrics: str = GAINS,
    rows: int | None = None,
    run: str = "pages",
    average: str = "pictures",
) -> pd.DataFrame:
    """Measurements of the pages themselves, cut after so many rows of the grid.

    average: what AVG is the mean of: the pictures, or the means of the grid's rows, however many
    pictures each holds; its metric is then called AVG(rows=grid).
    """
    looked_at = first_rows(study.relevance, rows)
    pages = rankings(looked_at)
    pieces = [
        pd.DataFrame(
            {
                "run": run,
                "query_id": list(pages.query_ids),
                "metric": each.name,
                "cutoff": pd.array([each.cutoff] * len(pages.query_ids), dtype="Int64"),
                "value": each(pages),
            }
        )
        for each in parse(metrics)
    ]
    table = pd.concat(pieces, ignore_index=True)
    return table if average == "pictures" else _with_rows(table, looked_at, parse(metrics))


def _with_rows(
    table: pd.DataFrame, looked_at: pd.DataFrame, asked: Sequence[Measure]
) -> pd.DataFrame:
    """The measurements with AVG as the mean of row means, in place of that of the pictures."""
    by = looked_at.groupby("query_id", sort=False)
    pages = [(page["relevance"].to_numpy(), page["row"].to_numpy()) for _, page in by]
    for each in asked:
        if each.metric.name not in ("AVG", "CAG(AVG)"):
            continue
        chosen = dict(each.settings)
        aware = each.metric.name != "AVG"
        values = []
        for r, row in pages:
            gain = gain_of(r, int(chosen["w"]), str(chosen["divide"])) if aware else r
            values.append(float(gain @ row_weights(row)))
        mine = table["metric"] == each.name
        named = each.name.replace("AVG", "AVG(rows=grid)", 1)
        table.loc[mine, "value"] = values
        table.loc[mine, "metric"] = named
    return table


def row_weights(row: Array) -> Floats:
    """The weight of each picture in a mean of the means of rows. row: the row it stands in.

    >>> row_weights(np.array([1, 1, 2])).tolist()
    [0.25, 0.25, 0.5]
    """
    _, place, size = np.unique(row, return_inverse=True, return_counts=True)
    weights: Floats = 1 / (size[place] * max(len(size), 1))
    return weights


def gain_of(relevance: Array, w: int = WINDOW, divide: str = "window") -> Floats:
    """The context-aware gain g at each place of one list.

    >>> gain_of(np.array([0.8, 0.4]), 10).tolist()
    [0.8, 0.5]
    """
    one = np.asarray(relevance, dtype=np.float64)[None, :]
    return np.array([g[0] for g in in_context(one, len(relevance), w, divide)], dtype=np.float64)


def _step(step: str, left: pd.DataFrame, images: pd.DataFrame) -> dict[str, str | int]:
    """What is left: people, queries (by their words), lists, images with and without relevance.

    images: by query_id the number of valid ones (sum) and of all (size).
    """
    shown = images[images.index.isin(left["query_id"].unique())]
    return {
        "step": step,
        "participants": left["participant"].nunique(),
        "queries": left["asked" if "asked" in left else "query_id"].nunique(),
        "lists": left["query_id"].nunique(),
        "images": int(shown["sum"].sum()),
        "invalid": int((shown["size"] - shown["sum"]).sum()),
    }


def _check(relevance: pd.DataFrame, answers: pd.DataFrame, scale: float) -> None:
    above = relevance[relevance["relevance"] > scale]
    if len(above):
        row = above.iloc[0]
        raise ValueError(
            f"Relevance {row['relevance']:g} of query {row['query_id']!r} is above the scale, "
            f"which ends at {scale:g}."
        )
    twice = answers[answers.duplicated(["query_id", "participant"])]
    if len(twice):
        query, who = twice.iloc[0][["query_id", "participant"]]
        raise ValueError(f"Query {query!r} has more than one answer of participant {who!r}.")
