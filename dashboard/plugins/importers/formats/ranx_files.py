"""Judgements and results in JSON by query and item, as ranx and ir_measures write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from dashboard.errors import DataError, Finding
from dashboard.plugins.importers.pieces import Format, Judgements, Piece, RunLines, read_each
from dashboard.plugins.importers.source import Source, find_stem

HEAD = re.compile(r'\s*\{\s*"[^"]*"\s*:\s*\{\s*"([^"]*)"\s*:\s*-?[\d.]+')
JUDGED = re.compile("qrel|judg")


def recognise(source: Source) -> list[str]:
    """Return JSON files that begin with an object of objects of numbers."""
    heads = {name: HEAD.match(source.read_head(name)) for name in source.list_left(".json")}
    is_judged = any(JUDGED.search(name.lower()) for name in source.files)
    return [
        name
        for name, match in heads.items()
        if match
        and (
            re.search("qrel|judg|run|result", find_stem(name).lower())
            or (is_judged and match[1] != "0")  # a run called by its model; "0" is a pandas index
        )
    ]


def _read_file(source: Source, name: str) -> Iterator[Piece]:
    found = source.read_json(name)
    rows = [
        (query, item, number)
        for query, own in found.items()
        for item, number in (own.items() if isinstance(own, dict) else [("", None)])
    ]
    good = [row for row in rows if type(row[2]) in (int, float)]
    if len(good) < len(rows):
        said = f"{len(rows) - len(good):,} cells that are no number"
        yield Finding("warning", name, None, said, "numbers; left out")
    if not good:
        raise DataError(name, "no numbers", "an object of objects of numbers")
    queries, items = [row[0] for row in good], [row[1] for row in good]
    numbers = [float(row[2] or 0) for row in good]
    if JUDGED.search(find_stem(name).lower()):
        yield Judgements(name, queries, items, numbers)
    else:
        yield RunLines(name, find_stem(name), queries, items, numbers)


FORMAT = Format(
    "ranx", "qrels and runs in JSON by query and item", recognise, partial(read_each, _read_file)
)
