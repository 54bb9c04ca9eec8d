"""The queries that a reader steps through: of many those around the open one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.experiment.brief_rankings import together
from dashboard.views.cards.packing import packed
from dashboard.views.texts import shown

BLOCK = 100
"""Queries of a block; the block of the open query and its neighbours are sent, the same ones for
each query of it, so that the browser has them already."""
NAME = 120  # letters of a query's name


@dataclass(frozen=True, eq=False)
class Order:
    """Part of the queries in their order, as it is sent.

    packed: the name of the list and its content. place: of the open query in the whole order, from
    0; -1: it is not in it. total: how many queries the whole order has. together: the queries of
    the open one's part of it, which are searched at once.
    """

    packed: tuple[str, bytes]
    place: int
    total: int
    together: tuple[str, ...] = ()


def order_of(
    ids: Sequence[str], worse: Sequence[bool], names: Mapping[str, str], query: str
) -> Order:
    """The order around an open query. worse: which of the queries became worse."""
    place = ids.index(query) if query in ids else -1
    block = max(place, 0) // BLOCK
    first, end = max(block - 1, 0) * BLOCK, (block + 2) * BLOCK
    before = [i for i in range(min(first, len(ids))) if worse[i]][-1:]
    after = [i for i in range(end, len(ids)) if worse[i]][:1]
    listed = [*before, *range(first, min(end, len(ids))), *after]
    queries: list[list[Any]] = [
        [i, ids[i], shown(names[ids[i]], NAME), int(worse[i])] for i in listed
    ]
    return Order(
        packed({"order": queries, "total": len(ids)}), place, len(ids), together(ids, query)
    )
