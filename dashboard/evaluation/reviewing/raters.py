"""How far reviewers agree, on what several of them judged, and on what they do not.

A pair is a query and an item; `unsure` is no answer. Nothing is computed from pairs that a single
reviewer judged.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations

import evalica
import numpy as np
import pandas as pd

from dashboard.evaluation.digits import number, percent
from dashboard.evaluation.rankings import Floats

FEW = 30
"""Pairs below which a figure of agreement says little."""
DRAWS = 1_000
_KEYS = ["query_id", "item_id"]
_NO_ANSWER = ("unsure", "", "cannot judge")


@dataclass(frozen=True)
class Agreement:
    """A figure with its interval, null where it is not defined; `pairs` that it rests on.

    alike: the share of comparisons of two reviewers of a pair in which they said the same. few:
    fewer than FEW pairs.
    """

    name: str
    raters: tuple[str, ...]
    value: float
    low: float
    high: float
    pairs: int
    alike: float

    @property
    def few(self) -> bool:
        """Whether the figure rests on too few pairs to say much."""
        return self.pairs < FEW


def ratings(verdicts: pd.DataFrame) -> pd.DataFrame:
    """What each reviewer said of each pair that two or more judged: rows pairs, columns reviewers,
    null where one said nothing.

    verdicts: query_id, item_id, author, value; of several by one reviewer the last counts.
    """
    last = verdicts.drop_duplicates([*_KEYS, "author"], keep="last")
    said = last[~last["value"].isin(_NO_ANSWER)]
    table = said.pivot(index=_KEYS, columns="author", values="value")
    several = table[table.notna().sum(axis=1) >= 2]
    return several.dropna(axis=1, how="all")


def agreement(table: pd.DataFrame, *, ordinal: bool = False, seed: int = 1) -> list[Agreement]:
    """Krippendorff's alpha of all reviewers, then Cohen's kappa of each two of them.

    table: from `ratings`. ordinal: values are grades, and further ones differ more (alpha only).
    Intervals: 95 %, percentiles of DRAWS draws of pairs; draws in which all say one thing have no
    value and are left out. Krippendorff 2004; Cohen 1960, as statsmodels has it.
    """
    if table.empty:
        return []
    codes, values = _codes(table)
    people = tuple(str(name) for name in table.columns)
    found = [_alpha_of(table, ordinal, seed)]
    if len(people) < 2:
        return []
    for one, other in combinations(range(len(people)), 2):
        both = codes[~np.isnan(codes[:, [one, other]]).any(axis=1)][:, [one, other]]
        if len(both):
            names = (people[one], people[other])
            found.append(
                _figure("kappa", names, both, lambda some: _kappa(some, len(values)), seed)
            )
    return found


def in_words(table: pd.DataFrame, of: str, *, ordinal: bool = False) -> str:
    """The alpha of all reviewers in a sentence; empty without pairs that several judged.

    table: from `ratings`. of: what was judged, in the plural.
    """
    if len(table.columns) < 2:
        return ""
    alpha = _alpha_of(table, ordinal, seed=1)
    alike = f"the same in {percent(alpha.alike)} % of comparisons of two reviewers"
    on = f"{alpha.pairs:,} {of} that two or more judged{' (few)' if alpha.few else ''}"
    if np.isnan(alpha.value):
        return f"Reviewers all say one thing of {on}; alpha is not defined."
    interval = f" (95 % {number(alpha.low)} to {number(alpha.high)})"
    interval = "" if np.isnan(alpha.low) else interval
    return f"Krippendorff's alpha {number(alpha.value)}{interval} on {on}; {alike}."


def _alpha_of(table: pd.DataFrame, ordinal: bool, seed: int) -> Agreement:
    codes, values = _codes(table)
    ordinal = ordinal and all(value.isdecimal() for value in values)
    domain = [float(value) if ordinal else float(place) for place, value in enumerate(values)]
    grades = np.where(np.isnan(codes), np.nan, np.take(domain, np.nan_to_num(codes).astype(int)))
    people = tuple(str(name) for name in table.columns)
    return _figure("alpha", people, grades, lambda some: _alpha(some, ordinal), seed)


def _codes(table: pd.DataFrame) -> tuple[Floats, list[str]]:
    """Values as numbers, NaN where there is none, and what each number stands for."""
    said = {str(value) for column in table for value in table[column].dropna()}
    values = sorted(said, key=lambda value: (not value.isdecimal(), len(value), value))
    number = {value: place for place, value in enumerate(values)}
    codes = [table[column].map(number).to_numpy(dtype=np.float64) for column in table]
    return np.array(codes, dtype=np.float64).T, values


def _figure(name, raters, codes, compute, seed) -> Agreement:  # type: ignore[no-untyped-def]
    draws = np.random.default_rng(seed).integers(0, len(codes), (DRAWS, len(codes)))
    drawn = np.array([compute(codes[rows]) for rows in draws])
    drawn = drawn[~np.isnan(drawn)]
    value = compute(codes)
    enough = len(codes) >= 2 and len(drawn) >= DRAWS / 2 and not np.isnan(value)
    low, high = np.quantile(drawn, [0.025, 0.975]) if enough else (np.nan, np.nan)
    return Agreement(name, raters, value, float(low), float(high), len(codes), _alike(codes))


def _alike(codes: Floats) -> float:
    """The share of comparisons of two reviewers of one pair that are equal."""
    same = compared = 0
    for one, other in combinations(range(codes.shape[1]), 2):
        both = ~np.isnan(codes[:, [one, other]]).any(axis=1)
        compared += int(both.sum())
        same += int((codes[both, one] == codes[both, other]).sum())
    return same / compared if compared else float("nan")


def _alpha(codes: Floats, ordinal: bool) -> float:
    if len(np.unique(codes[~np.isnan(codes)])) < 2:
        return float("nan")  # all said one thing: nothing to disagree on
    found = evalica.alpha(
        pd.DataFrame(codes.T), distance="ordinal" if ordinal else "nominal"
    )
    return found.alpha if found.expected else float("nan")


def _kappa(codes: Floats, number: int) -> float:
    from statsmodels.stats.inter_rater import (  # type: ignore[import-untyped]
        cohens_kappa,  # here: it loads scipy.stats, which no other command needs
    )

    table = np.zeros((number, number))
    np.add.at(table, (codes[:, 0].astype(int), codes[:, 1].astype(int)), 1)
    if np.count_nonzero(table.sum(0) + table.sum(1)) < 2:
        return float("nan")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of its own interval, not used here
        return float(cohens_kappa(table, return_results=False))


def disagreements(verdicts: pd.DataFrame) -> pd.DataFrame:
    """The pairs on which reviewers differ, the most evenly divided first: query_id, item_id,
    reviewers (how many judged it), minority (the share that is not of the most frequent value) and
    values, such as `not 1, relevant 2`.
    """
    rows = []
    table = ratings(verdicts)
    for place, (query, item) in enumerate(table.index):
        counts = table.iloc[place].dropna().value_counts().sort_index()
        if len(counts) > 1:
            total = int(counts.sum())
            values = ", ".join(f"{value} {number}" for value, number in counts.items())
            rows.append((query, item, total, 1 - counts.max() / total, values))
    columns = ["query_id", "item_id", "reviewers", "minority", "values"]
    return (
        pd.DataFrame(rows, columns=columns)
        .sort_values(
            ["minority", "reviewers", "query_id", "item_id"], ascending=[False, False, True, True]
        )
        .reset_index(drop=True)
    )
