"""What is known of each item, item by item: its ticks, its keywords, its place in each version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from dashboard.views.cards.values import flag_of, number_of, whole_of


def wanted(ticks: pd.DataFrame | None) -> list[tuple[str, str]]:
    """The required keywords in the order of the query, each with its group, once."""
    if ticks is None:
        return []
    return list(dict.fromkeys(zip(ticks["group"], ticks["keyword"], strict=True)))


def ticked(
    ticks: pd.DataFrame | None, wanted: Sequence[tuple[str, str]]
) -> dict[str, list[bool | None]]:
    """For each item whether it has each of the required keywords; null where nobody knows."""
    if ticks is None:
        return {}
    present: dict[str, dict[tuple[str, str], bool | None]] = {}
    for row in ticks.to_dict("records"):
        known = present.setdefault(row["item_id"], {})
        known[row["group"], row["keyword"]] = flag_of(row["present"])
    return {item: [known.get(pair) for pair in wanted] for item, known in present.items()}


def annotated(annotations: pd.DataFrame | None) -> dict[str, list[tuple[str, str]]]:
    """For each item its keywords, each with its group."""
    found: dict[str, list[tuple[str, str]]] = {}
    for row in [] if annotations is None else annotations.to_dict("records"):
        found.setdefault(row["item_id"], []).append((row["group"], row["keyword"]))
    return found


def places(ranks: pd.DataFrame | None, versions: Sequence[str]) -> dict[str, list[list[Any]]]:
    """For each item its place in every version: [number of the version, rank, similarity]."""
    found: dict[str, list[list[Any]]] = {}
    for row in [] if ranks is None else ranks.to_dict("records"):
        place = [versions.index(row["run"]), whole_of(row["rank"]), number_of(row["score"])]
        found.setdefault(row["item_id"], []).append(place)
    return found
