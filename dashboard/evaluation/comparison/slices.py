"""Where a version is better or worse: means over parts of the queries.

A slice table has one row per query and slice it belongs to: `query_id, by, slice` (`by`: what the
queries are divided by, such as "keywords in the query"). A query may be in several slices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from dashboard.evaluation.comparison.scores import mean_of, scores, without_dust
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.rankings import Array
from dashboard.evaluation.statistics.resampling import bootstrap_interval

LENGTHS = ((1, "1-3 words"), (4, "4-7 words"), (8, "8 words or more"))
"""Steps of query length: the least number of words, and what the step is called."""
NUMBERS = ((0, "0"), (1, "1"), (2, "2-4"), (5, "5-9"), (10, "10 or more"))
"""Steps of the number of relevant items."""
KEYWORD_GROUP = "keyword group"
SMALL_SLICE = 5
"""A mean over fewer scored queries than these says little."""
OWN = {"all", "keyword", KEYWORD_GROUP, "number of keywords", "number of relevant items"}
OWN |= {"kind of query", "query length"}
"""What queries are divided by whatever columns they have; the groups of keywords are, too."""
_COLUMNS = ["query_id", "by", "slice"]
_DESCRIBED = ("query_id", "text", "item_id", "image", "caption", "occurs")


def slices_of_queries(queries: pd.DataFrame) -> pd.DataFrame:
    """Text or item query, query length, and each further column of the queries table."""
    pieces = []
    text = _texts(queries, "text")
    item = _texts(queries, "item_id")
    kind = np.select(
        [text != "", item != "", _texts(queries, "image") != ""],
        ["text query", "item query", "picture query"],
        "other",
    )
    pieces.append(_slices(queries["query_id"], "kind of query", kind))
    written = (text != "").to_numpy()
    words = np.array([len(words.split()) for words in text[written]], dtype=np.int64)
    labels = _binned(words, LENGTHS)
    pieces.append(_slices(queries["query_id"][written], "query length", labels))
    for column in [c for c in queries.columns if c not in _DESCRIBED]:
        texts = _texts(queries, str(column))
        known = (texts != "").to_numpy()  # an empty cell is no part of the queries
        values = texts[known].to_numpy(dtype=object)
        pieces.append(_slices(queries["query_id"][known], _called(str(column)), values))
    return pd.concat(pieces, ignore_index=True)


def _called(column: str) -> str:
    """What a column divides by, told from what queries are divided by anyway."""
    return f"{column} (a column)" if column in OWN or column.startswith("pv_") else column


def slices_of_keywords(
    query_keywords: pd.DataFrame, query_ids: Sequence[str] | None = None
) -> pd.DataFrame:
    """Semantic group, keyword, and number of keywords, from the kept rows of query_keywords.

    query_ids: all queries, so that one without any keyword has the number 0; None: those of the
    table. Where no query has a keyword, there is no number of them to divide by.
    """
    kept = query_keywords[query_keywords["kept"]].drop_duplicates(["query_id", "group", "keyword"])
    number = kept.groupby("query_id", sort=False).size()
    known = query_keywords["query_id"]
    every = pd.unique(known if query_ids is None or kept.empty else pd.Series([*query_ids]))
    counted = number.reindex(every, fill_value=0).astype(str)
    pairs = kept.drop_duplicates(["query_id", "group"])
    return pd.concat(
        [
            _slices(pairs["query_id"], KEYWORD_GROUP, pairs["group"].to_numpy(dtype=object)),
            _slices(kept["query_id"], "keyword", kept["keyword"].to_numpy(dtype=object)),
            _slices(pd.Series(every), "number of keywords", counted.to_numpy(dtype=object)),
        ],
        ignore_index=True,
    )


def slices_of_relevant(judgement: Judgement) -> pd.DataFrame:
    """Number of relevant items of each query, in a few steps."""
    labels = _binned(np.asarray(judgement.relevant), NUMBERS)
    return _slices(pd.Series(judgement.query_ids), "number of relevant items", labels)


def slice_means(
    measurements: pd.DataFrame,
    slices: pd.DataFrame,
    metric: str,
    cutoff: int | None,
    *,
    baseline: str | None = None,
    groups: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """One measure on every slice × version: mean with interval, and the difference to a baseline.

    Columns `by, slice, run, metric, cutoff, mean, low, high, scored, total`, and with a baseline
    `delta, delta_low, delta_high, common` (queries scored in both). Intervals are null below two
    queries. Slices keep their order, all queries come first as slice "all".
    """
    table = scores(measurements)
    values = table.column(metric, cutoff)
    members, rows = _members(table.query_ids, slices)
    rows = rows.loc[rows.index.repeat(len(table.runs))].reset_index(drop=True)
    rows["run"] = list(table.runs) * len(members)
    rows["metric"] = metric
    rows["cutoff"] = pd.array([cutoff] * len(rows), dtype="Int64")
    codes = table.grouped(groups)
    rows[["mean", "low", "high", "scored"]] = _means(values, members, codes)
    rows["total"] = np.repeat(members.sum(axis=1), len(table.runs))
    if baseline is not None:
        delta = np.round(values - values[:, [table.place(baseline)]], 12)
        rows[["delta", "delta_low", "delta_high", "common"]] = _means(delta, members, codes)
        rows["delta"] = without_dust(rows["delta"].to_numpy())
    return rows.astype({name: "int64" for name in ("scored", "common") if name in rows})


def lowest_slice(deltas: pd.DataFrame, slices: pd.DataFrame, least: int) -> tuple[str, str] | None:
    """`by` and `slice` with the lowest mean difference; None where no slice is scored enough.

    deltas: query_id, delta. Only slices with at least `least` scored queries count, and not those
    that hold every scored query; of equal ones the first.
    """
    scored = deltas.dropna(subset=["delta"])
    inside = slices.merge(scored[["query_id", "delta"]], on="query_id")
    means = inside.groupby(["by", "slice"], sort=False)["delta"].agg(["mean", "size"])
    means = means[(means["size"] >= least) & (means["size"] < len(scored))]
    if means.empty:
        return None
    lowest = means.reset_index().sort_values("mean", kind="stable", key=lambda m: m.round(12))
    return str(lowest["by"].iloc[0]), str(lowest["slice"].iloc[0])


def _means(values: Array, members: Array, groups: Array | None) -> Array:
    """Mean, bounds and number of scored queries of each slice × version: [S · V, 4]."""
    inside = np.where(members.T[:, :, None], values[:, None, :], np.nan)
    columns = inside.reshape(len(values), -1)
    scored = (~np.isnan(columns)).sum(axis=0)
    total = np.nansum(columns, axis=0)
    return np.stack(
        [mean_of(total, scored), *bootstrap_interval(columns, groups=groups), scored], axis=1
    )


def _members(query_ids: Sequence[str], slices: pd.DataFrame) -> tuple[Array, pd.DataFrame]:
    """Which queries are in which slice [S, Q], all of them first, and the slices' names."""
    asked = slices[slices["query_id"].isin(query_ids)]
    place = asked.groupby(["by", "slice"], sort=False).ngroup().to_numpy()
    names = asked[["by", "slice"]].drop_duplicates()
    members = np.zeros((len(names) + 1, len(query_ids)), dtype=bool)
    members[0] = True
    members[place + 1, pd.Index(query_ids).get_indexer(pd.Index(asked["query_id"]))] = True
    everything = pd.DataFrame({"by": ["all"], "slice": ["all queries"]})
    return members, pd.concat([everything, names], ignore_index=True)


def _slices(query_ids: pd.Series, by: str, names: Array) -> pd.DataFrame:
    return pd.DataFrame(
        {"query_id": query_ids.to_numpy(), "by": by, "slice": names}, columns=_COLUMNS
    ).astype("str")


def _texts(queries: pd.DataFrame, column: str) -> pd.Series:
    if column not in queries:
        return pd.Series([""] * len(queries), index=queries.index, dtype="str")
    return queries[column].astype("object").fillna("").astype("str").str.strip()


def _binned(numbers: Array, steps: Sequence[tuple[int, str]]) -> Array:
    starts = [first for first, _ in steps]
    labels = np.array([label for _, label in steps], dtype=object)
    return np.asarray(labels[np.searchsorted(starts, numbers, side="right") - 1])


FEW = 30
"""A column of the queries with more values than this is no way to divide them."""


def divisions(
    queries: pd.DataFrame, required: pd.DataFrame, groups: Sequence[str], judgement: Judgement
) -> pd.DataFrame:
    """Which query is in which slice: query_id, by, slice.

    Queries are divided by the keywords that they ask for (by: the group), by the groups, by how
    many keywords, words and relevant items there are, by kind, and by each further column of the
    queries that has few values. required: query_id, group, keyword of every group; `groups` are
    those that count.
    """
    counting = required[required["group"].isin(list(groups))].assign(kept=True)
    by_number = slices_of_keywords(counting, queries["query_id"].tolist())
    by_keyword = required.rename(columns={"group": "by", "keyword": "slice"})
    of_queries = slices_of_queries(queries)
    few = of_queries.groupby("by")["slice"].transform("nunique") <= FEW
    return pd.concat(
        [
            by_keyword[["query_id", "by", "slice"]].astype("str"),
            by_number[by_number["by"] != "keyword"],
            slices_of_relevant(judgement),
            of_queries[few],
        ],
        ignore_index=True,
    )
