"""How alike the lists of two versions are; needs no labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from dashboard.evaluation.join import codes
from dashboard.evaluation.rankings import Array, Floats


def overlap(
    runs: Mapping[str, pd.DataFrame], k: int = 10, p: float = 0.9, depth: int = 100
) -> pd.DataFrame:
    """The overlap of every pair of runs, means over the queries that both answered.

    Columns `baseline, candidate, jaccard, rbo, shift, queries` as in `overlap_by_query`.
    """
    rows = []
    table = _Places.of(runs, depth) if len(runs) > 1 else _Places((), *np.empty((3, 0)))
    for first, second in combinations(range(len(table.runs)), 2):
        found = _pair(table, first, second, k, p)
        known = found["jaccard"].notna()
        means = found.loc[known, ["jaccard", "rbo", "shift"]].mean()
        names = {"baseline": table.runs[first], "candidate": table.runs[second]}
        rows.append({**names, **means, "queries": int(known.sum())})
    return pd.DataFrame(
        rows, columns=["baseline", "candidate", "jaccard", "rbo", "shift", "queries"]
    )


def overlap_by_query(
    baseline: pd.DataFrame, candidate: pd.DataFrame, k: int = 10, p: float = 0.9, depth: int = 100
) -> pd.DataFrame:
    """The overlap of two RUN tables for each query.

    Columns `query_id`; `jaccard`: common ÷ all items of both first k; `rbo`: rank-biased overlap
    with persistence p, extrapolated (Webber et al. 2010, equation 30), down to the shorter list and
    at most `depth`; `shift`: how many places the items common to both first k moved, on average.
    Null where a run has nothing; `shift` also where nothing is common.
    """
    return _pair(_Places.of({"baseline": baseline, "candidate": candidate}, depth), 0, 1, k, p)


@dataclass(frozen=True)
class _Places:
    """The rank of each (query, item) pair in each run, 0 where it is not listed."""

    runs: tuple[str, ...]
    query_ids: Array
    query: Array
    ranks: Array

    @classmethod
    def of(cls, runs: Mapping[str, pd.DataFrame], depth: int) -> _Places:
        cut = [run[run["rank"] <= depth] for run in runs.values()]
        query, query_ids = _numbered([part["query_id"] for part in cut])
        item, item_ids = _numbered([part["item_id"] for part in cut])
        pair, pairs = pd.factorize(query * max(1, len(item_ids)) + item)
        ranks = np.zeros((len(runs), len(pairs)), dtype=np.int64)
        run = np.repeat(np.arange(len(cut)), [len(part) for part in cut])
        ranks[run, pair] = np.concatenate([part["rank"].to_numpy() for part in cut])
        return cls(
            tuple(runs), np.asarray(query_ids), np.asarray(pairs) // max(1, len(item_ids)), ranks
        )

    def lengths(self, run: int, k: int | None = None) -> Array:
        """How many results each query has in a run, of the first k. [Q]"""
        listed = self.ranks[run] > 0
        if k is not None:
            listed &= self.ranks[run] <= k
        return np.bincount(self.query[listed], minlength=len(self.query_ids))


def _numbered(columns: Sequence[pd.Series]) -> tuple[Array, pd.Index]:
    """A number for each id in columns that follow each other, as they first appear, and the ids."""
    if not all(isinstance(column.dtype, pd.CategoricalDtype) for column in columns):
        every = pd.concat([column.astype("str") for column in columns], ignore_index=True)
        number, seen = pd.factorize(every)
        return number, pd.Index(seen)
    names = columns[0].cat.categories  # texts of millions of rows would take 100 bytes each
    for column in columns[1:]:
        if not names.equals(column.cat.categories):
            names = names.union(column.cat.categories, sort=False)
    coded = np.concatenate([codes(column, names) for column in columns])
    number, first = pd.factorize(coded)
    return number, names.take(np.asarray(first))


def _pair(table: _Places, first: int, second: int, k: int, p: float) -> pd.DataFrame:
    before, after = table.ranks[first], table.ranks[second]
    common = np.flatnonzero((before > 0) & (after > 0))
    query, moved = table.query[common], np.abs(before[common] - after[common])
    deepest = np.maximum(before[common], after[common])
    near = deepest <= k
    shared = np.bincount(query[near], minlength=len(table.query_ids))
    either = table.lengths(first, k) + table.lengths(second, k) - shared
    shorter = np.minimum(table.lengths(first), table.lengths(second))
    answered = shorter > 0
    jaccard = np.where(answered, shared / np.maximum(either, 1), np.nan)
    moves = np.bincount(query[near], weights=moved[near], minlength=len(shared))
    return pd.DataFrame(
        {
            "query_id": table.query_ids,
            "jaccard": jaccard,
            "rbo": _rank_biased_overlap(query, deepest, shorter, p),
            "shift": np.divide(moves, shared, out=np.full(len(shared), np.nan), where=shared > 0),
        }
    )


def _rank_biased_overlap(query: Array, deepest: Array, shorter: Array, p: float) -> Floats:
    """Σ of agreement at each depth · (1 - p) p^(d-1), and the last agreement beyond the end. [Q]"""
    depth = int(shorter.max(initial=0))
    inside = deepest <= depth
    flat = np.bincount(query[inside] * depth + deepest[inside] - 1, minlength=len(shorter) * depth)
    depths = np.arange(1, depth + 1)
    agreement = flat.reshape(len(shorter), depth).cumsum(axis=1) / depths
    weights = (1 - p) * p ** (depths - 1.0)
    agreed = np.where(depths <= shorter[:, None], agreement * weights, 0).sum(axis=1)
    last = agreement[np.arange(len(shorter)), np.maximum(shorter, 1) - 1] if depth else agreed
    return np.where(shorter > 0, agreed + last * p**shorter, np.nan)
