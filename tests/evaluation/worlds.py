"""Small pieces that tests of the evaluation room build with."""

from dataclasses import dataclass

import pandas as pd


@dataclass
class World:
    """The evidence of a made-up collection; what it does not have is None."""

    queries: pd.DataFrame | None = None
    items: pd.DataFrame | None = None
    keywords: pd.DataFrame | None = None
    query_keywords: pd.DataFrame | None = None
    qrels: pd.DataFrame | None = None


def run_of(lists, scores=None):
    """A run from {query: [item, …]}, best first; scores fall by one from rank to rank."""
    rows = [
        (q, item, -float(place) if scores is None else scores[q][place], place + 1)
        for q, items in lists.items()
        for place, item in enumerate(items)
    ]
    table = pd.DataFrame(rows, columns=["query_id", "item_id", "score", "rank"])
    return table.astype({"query_id": "str", "item_id": "str", "score": float, "rank": int})
