"""What the cards of a query need of long rankings: of each version the first results and, at their
ranks in the whole, the items that a row can show: the relevant ones, those that the ideal order
begins with, and the first of another version.

They are counted for some queries at once, which share one reading of the vectors: a reader who
steps through queries pays for it at one step in `TOGETHER`. Whole rankings of single queries are
made by `ranking.query_runs`, for whoever needs each item.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import pandas as pd

from dashboard.experiment import ranking
from dashboard.experiment.experiment import NO_CUT, Experiment
from dashboard.experiment.judging import judgement
from dashboard.experiment.long_rankings import closes_up
from dashboard.experiment.memory import HandedOn, is_remembered, remembered
from dashboard.retrieval import runs
from dashboard.tables import DataError

DEPTH = 100
"""So many first results, which are more than a row of cards shows."""
TOGETHER = 16
"""Queries that share one reading: to make the rankings of one alone takes about as long."""
MOST_PAIRS = 400_000
"""Fewer queries share one where more relevant items than these would be ranked at once."""
MOST_JUDGED = 10_000
"""Where more items of a query are judged, on average, and a protocol ranks no others, rankings are
whole."""

Queries = tuple[str, ...]

_held = HandedOn[runs.Held](runs.MOST_HELD, lambda held: sum(each.size for each in held.values()))
"""The products of a version, from the search for its first results to that for all wanted ones."""


def together(queries: Sequence[str], query_id: str) -> Queries:
    """The queries that are ranked with one of them: those of its part of the reader's order.

    >>> together(["a", "b", "c"], "b"), together(["a", "b", "c"], "d")
    (('a', 'b', 'c'), ('d',))
    """
    if query_id not in queries:
        return (query_id,)
    first = queries.index(query_id) // TOGETHER * TOGETHER
    return tuple(queries[first : first + TOGETHER])


def is_brief(experiment: Experiment, version: str) -> bool:
    """Whether the cards of a query are drawn from a part of a version's ranking. A least similarity
    is told with the number of the results that it leaves, which only the whole has."""
    if experiment.min_similarity > NO_CUT or not ranking.is_long(experiment, version):
        return False
    if not closes_up(experiment, version):
        return True
    judged = judgement(experiment)
    return int(judged.number_judged.sum()) <= MOST_JUDGED * len(judged.query_ids)


def brief_run(
    experiment: Experiment, version: str, versions: Queries, query_id: str, queries: Queries = ()
) -> pd.DataFrame:
    """The part of a long ranking that cards show beside those of the other versions, in its order.

    queries: those that are ranked with this one, itself among them; none: it alone.
    `run.attrs["length"]` says how many results the whole has. Raises DataError as `query_runs`.
    """
    ranked = _ranked(experiment, version, versions, _few(experiment, query_id, queries))
    mine = ranking.of_query(ranked, query_id).reset_index(drop=True)
    mine = mine.assign(item_id=_texts(mine["item_id"]))
    not_run = ranked.attrs["not_run"]
    mine.attrs = {
        "not_run": {query_id: not_run[query_id]} if query_id in not_run else {},
        "length": ranked.attrs["lengths"].get(query_id, 0),
    }
    return mine


def _few(experiment: Experiment, query_id: str, queries: Queries) -> Queries:
    """Those of some queries, this one among them, whose relevant items are not too many."""
    judged = judgement(experiment)
    few = queries or (query_id,)
    while (
        len(few) > 1 and judged.relevant[judged.asked.get_indexer(pd.Index(few))].sum() > MOST_PAIRS
    ):
        half = len(few) // 2
        few = few[:half] if query_id in few[:half] else few[half:]
    return few


def searched_among(experiment: Experiment, version: str, item_ids: Sequence[str]) -> list[str]:
    """Those of some items that a version can find by their vectors."""
    model = experiment.collection.under(experiment.protocol).searched[version]
    places = model.items.index.get_indexer(pd.Index(list(item_ids), dtype="str"))
    return [item for item, place in zip(item_ids, places, strict=True) if place >= 0]


@remembered(ranking.ROWS, size=len, work="Searching …")
def _ranked(
    experiment: Experiment, version: str, versions: Queries, queries: Queries
) -> pd.DataFrame:
    wanted = [_needed(experiment, version, queries)]
    for other in versions:
        if other != version:
            with suppress(DataError, ValueError):  # its own row says what is wrong
                wanted.append(_first(experiment, other, versions, queries))
    return _rank(experiment, version, queries, wanted, _held.take(experiment, version, queries))


def _rank(
    experiment: Experiment,
    version: str,
    queries: Queries,
    wanted: list[pd.DataFrame],
    held: runs.Held | None,
) -> pd.DataFrame:
    ranking.encode_stored(experiment, version)
    collection = experiment.collection.under(experiment.protocol)
    only = frozenset(queries)
    return runs.ranked_run(
        collection, version, experiment.queries, DEPTH, wanted, only=only, held=held
    )


def _needed(experiment: Experiment, version: str, queries: Queries) -> pd.DataFrame:
    """The pairs of queries and judged items that a row can show, wherever they are ranked."""
    judged, every = judgement(experiment), closes_up(experiment, version)
    labels = [judged.labels(q) if every else judged.best(q, DEPTH) for q in queries]
    items = [each.place for each in labels]
    query = np.repeat(np.arange(len(queries)), [len(each) for each in items])
    item = np.concatenate(items)
    return pd.DataFrame(
        {
            "query_id": pd.Categorical.from_codes(query, categories=pd.Index(queries, dtype="str")),
            "item_id": pd.Categorical.from_codes(item, categories=labels[0].index),
        }
    )


def _first(
    experiment: Experiment, version: str, versions: Queries, queries: Queries
) -> pd.DataFrame:
    """The pairs of queries and their first results by a version."""
    if is_remembered(_ranked, experiment, version, versions, queries):
        run = _ranked(experiment, version, versions, queries)
        return _pairs(run[run["rank"] <= DEPTH])
    return _first_alone(experiment, version, queries)


@remembered(ranking.ROWS, size=len)
def _first_alone(experiment: Experiment, version: str, queries: Queries) -> pd.DataFrame:
    if is_brief(experiment, version):
        held: runs.Held = {}
        first = _rank(experiment, version, queries, [], held)
        _held.leave(held, experiment, version, queries)
    else:
        whole = [ranking.query_runs(experiment, version, query)[1] for query in queries]
        first = pd.concat([run[run["rank"] <= DEPTH] for run in whole])
    return _pairs(first)


def _pairs(run: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({name: _texts(run[name]) for name in ("query_id", "item_id")})


def _texts(ids: pd.Series) -> pd.Series:
    """A column of a few ids, and not of codes among all that there are."""
    if not isinstance(ids.dtype, pd.CategoricalDtype):
        return ids.astype("str").reset_index(drop=True)
    return pd.Series(ids.cat.categories.take(ids.cat.codes.to_numpy()), dtype="str")
