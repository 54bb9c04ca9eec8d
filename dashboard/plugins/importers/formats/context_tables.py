"""The tables of a study of context: relevance, viewed lists and satisfaction, taken as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from dashboard.errors import Finding
from dashboard.plugins.importers.blocks import Block, read_blocks
from dashboard.plugins.importers.pieces import Copied, Format, Items, Piece, Queries
from dashboard.plugins.importers.source import Source
from dashboard.texts import parse_number

MAX_OTHER_SCALE = 10.0
"""The largest relevance that tells another scale than that up to 100."""
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
        largest = 0.0
        for block in read_blocks(source, name):
            if not isinstance(block, Block):
                continue
            numbers = map(parse_number, block.columns.get("relevance", []))
            largest = max(largest, *(number for number in numbers if number == number), 0.0)
            queries, items = (block.columns.get(key, []) for key in ("query_id", "item_id"))
            yield Items(name, list(dict.fromkeys(filter(None, items))))
            asked = list(dict.fromkeys(filter(None, queries)))
            yield Queries(name, asked, {"text": asked})
        settings = {"relevance_scale": largest} if 0 < largest <= MAX_OTHER_SCALE else {}
        if settings:
            said = f"relevance up to {largest:g}"
            wanted = (
                f"up to 100; relevance_scale = {largest:g} is set in collection.toml. Change it "
            )
            yield Finding("note", name, None, said, f"{wanted}if the scale goes on")
        yield Copied(name, PurePosixPath(name).name, "context", settings)


FORMAT = Format("context study", "relevance.csv, lists.csv, satisfaction.csv", recognise, read)
