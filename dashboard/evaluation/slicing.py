"""Differences of two versions on parts of the queries."""

from collections.abc import Iterator, Sequence
from itertools import combinations, product

import numpy as np

from dashboard.evaluation.differences import (
    SAME,
    SIGNIFICANT,
    replace_nan,
    run_tests,
    write_p,
    write_signed,
)
from dashboard.tables import BoolArray, FloatArray, Names, Row, Rows
from dashboard.texts import split_cells

SMALL_SLICE = 5
"""A slice with fewer scored queries has no interval and no test."""
MIN_VALUES, MAX_VALUES = 2, 20
"""Different values of a column that divides queries."""
JOIN = " & "
ALL = "all"
"""Name of the sums in `cross_slices`."""

Slices = dict[str, BoolArray]


def divide_by_column(column: str, cells: Names) -> Slices:
    """Return which queries hold each value of a column; empty cells are in no slice.

    A list of JSON is its values, with commas between them. A column with fewer than MIN_VALUES or
    more than MAX_VALUES values, or SMALL_SLICE and more of which each occurs once, gives no slices.

    >>> {name: inside.tolist() for name, inside in divide_by_column("by", ["x", '["y"]']).items()}
    {'by=x': [True, False], 'by=y': [False, True]}
    """
    parts = split_cells(cell for cell in cells if cell.startswith("["))
    texts = np.array([", ".join(parts.get(cell, [cell])) for cell in cells], dtype=object)
    values = list(dict.fromkeys(filter(None, texts.tolist())))
    is_key = len(values) >= SMALL_SLICE and len(values) == np.count_nonzero(texts)
    if is_key or not MIN_VALUES <= len(values) <= MAX_VALUES:
        return {}
    return {f"{column}={value}": texts == value for value in values}


def pair_slices(slices: Slices) -> Slices:
    """Return the queries that two slices share, where these are fewer than either has.

    Pairs with fewer than SMALL_SLICE queries are left out: there are too many of them.
    """
    names, table = list(slices), np.array(list(slices.values()), dtype=np.float64)
    shared = table @ table.T
    return {
        names[one] + JOIN + names[other]: slices[names[one]] & slices[names[other]]
        for one, other in combinations(range(len(names)), 2)
        if SMALL_SLICE <= shared[one, other] < min(shared[one, one], shared[other, other])
    }


def compare_slices(
    differences: FloatArray, slices: Slices, scenes: Names, query_ids: Names,
    sign: int = 1,
) -> Rows:  # fmt: skip
    """Return a row a slice, the worst first; small slices last.

    Args:
        differences: Candidate minus baseline, NaN for null. [slices or 1, queries].
        slices: Which queries are in each.
        scenes: Scene of each query, "" for none; queries of one are drawn and swapped together.
        query_ids: Ids of the queries; no number depends on their order.
        sign: -1 where a lower value of the metric is the better one.

    Returns:
        slice, queries (scored), delta, low, high, p, p_adjusted, and gain (delta times sign).
    """
    if not slices:
        return []
    rows = list_means(differences, slices, sign)
    columns = np.where(list(slices.values()), differences, np.nan).T
    is_large = [row["queries"] >= SMALL_SLICE for row in rows]
    found = run_tests(np.where(is_large, columns, np.nan), scenes, query_ids)[1]
    for row, numbers in zip(rows, found.T, strict=True):
        row |= zip(("low", "high", "p", "p_adjusted"), map(replace_nan, numbers), strict=True)
    return sorted(
        rows, key=lambda r: (r["queries"] < SMALL_SLICE, r["gain"] is None, r["gain"], r["slice"])
    )


def list_scored(values: FloatArray, slices: Slices) -> Iterator[tuple[str, FloatArray]]:
    """Yield each slice, and the values of its queries that have one. [slices or 1, queries]."""
    every = np.broadcast_to(values, (len(slices), values.shape[-1]))
    for (name, inside), row in zip(slices.items(), every, strict=True):
        yield name, row[inside & ~np.isnan(row)]


def list_means(differences: FloatArray, slices: Slices, sign: int = 1) -> Rows:
    """Return a row a slice: slice, queries (scored), mean delta, and gain (delta times sign).

    Arguments are those of `compare_slices`.
    """
    rows = []
    for name, scored in list_scored(differences, slices):
        delta = round(float(scored.mean()), 12) + 0.0 if len(scored) else None
        gain = None if delta is None else sign * delta + 0.0
        rows.append({"slice": name, "queries": len(scored), "delta": delta, "gain": gain})
    return rows


def cross_slices(slices: Slices, first: str, second: str) -> tuple[list[tuple[str, ...]], Slices]:
    """Return the slices of one column with each of another, and of each alone with ALL.

    Args:
        slices: Which queries are in each slice.
        first: Column of the rows.
        second: Another column.

    Returns:
        Slice of the first column and of the second, and the queries of both by `A=x & B=y`.
    """
    names = ([*(n for n in slices if n.startswith(f"{each}=")), ALL] for each in (first, second))
    pairs = list(product(*names))
    known = {**slices, ALL: np.ones_like(next(iter(slices.values())))}
    return pairs, {
        JOIN.join(each for each in (one, other) if each != ALL): known[one] & known[other]
        for one, other in pairs
    }


def describe_worst(rows: Sequence[Row]) -> str:
    """Return the first of the rows of `compare_slices`, the worst slice, as a sentence."""
    if not rows:
        return "There are no slices: no column of queries, or of their items, has 2 to 20 values."
    large = sum(row["queries"] >= SMALL_SLICE for row in rows)
    if not large:
        return f"No slice has {SMALL_SLICE} queries or more."
    row, counted = rows[0], f"of {large} with {SMALL_SLICE} queries or more"
    if row["gain"] >= -SAME:
        return f"No slice got worse ({counted})."
    told = f"Worst slice: {row['slice']}, {write_signed(row['delta'])} on {row['queries']} queries"
    p = row["p_adjusted"]
    clear = "clear" if (p or 1) < SIGNIFICANT else "not clear"
    certainty = f"{clear}, p {write_p(p)} after Holm, " if p else ""
    return f"{told} ({certainty}{counted})."
