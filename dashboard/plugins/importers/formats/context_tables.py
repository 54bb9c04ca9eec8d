"""The tables of a study of context: relevance, viewed lists and satisfaction, taken as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from dashboard.plugins.importers.blocks import Block, read_blocks
from dashboard.plugins.importers.pieces import Copied, Format, Items, Piece, Queries
from dashboard.plugins.importers.source import Source

FILES = ("relevance.csv", "lists.csv", "satisfaction.csv")


def recognise(source: Source) -> list[str]:
    """Return the tables, where there is one of relevance."""
    found = {PurePosixPath(name).name: name for name in source.list_left(".csv")}
    first = source.read_head(found[FILES[0]], 200) if FILES[0] in found else ""
    is_ours = all(name in first.split("\n")[0] for name in ("query_id", "item_id", "relevance"))
    return [found[name] for name in FILES if name in found] if is_ours else []


def read(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    """Yield the queries and items that the tables name, and the tables."""
    for name in files:
        yield Copied(name, PurePosixPath(name).name, "context")
        for block in read_blocks(source, name):
            if not isinstance(block, Block):
                continue
            queries, items = (block.columns.get(key, []) for key in ("query_id", "item_id"))
            yield Items(name, list(dict.fromkeys(filter(None, items))))
            asked = list(dict.fromkeys(filter(None, queries)))
            yield Queries(name, asked, {"text": asked})


FORMAT = Format("context study", "relevance.csv, lists.csv, satisfaction.csv", recognise, read)
