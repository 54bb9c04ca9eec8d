"""The run of a version that is a matrix of similarities: pictures × texts, both ways from one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from dashboard.storage.collection.collection import Collection
from dashboard.storage.runs.runs import decimals
from dashboard.storage.runs.similarities import (
    SUFFIX,
    Places,
    Similarities,
    ids_beside,
    ranked,
    read_similarities,
)
from dashboard.tables import DataError, Findings, counted, listed

TEXT = "text"


def is_matrix(path: Path) -> bool:
    """Whether a file of a version's results holds a matrix."""
    return path.suffix.lower() == SUFFIX


def read_matrix_run(
    collection: Collection, path: Path, asked: pd.DataFrame, deepest: int | None, findings: Findings
) -> pd.DataFrame:
    """The table RUN of stored queries, those that the matrix knows: a query whose id, item or words
    stand for a row finds the items of the columns, one that stands for a column those of the rows.

    deepest: results of each query; None: all; `run.attrs["whole"]` is how many there are. Scores
    are rounded as those of files are; equal ones stand in gallery order. Raises DataError for what
    `read_similarities` refuses, and for a matrix without ids whose shape fits nothing, or several
    things, in the collection.
    """
    known = read_similarities(path, f"runs/{path.name}", findings)
    sides = known.ids or _in_order(collection, known, path, findings)
    gallery = pd.Index(collection.items["item_id"], dtype="str")
    names = _names(collection, asked)
    own = _asked_with(collection)
    placed = [_items(side, gallery, own) for side in sides]
    if known.ids:
        _say_unknown(collection, sides, placed, known.name, findings)
    parts, taken, whole = [], set[str](), 0
    for matrix, asking, items in (
        (known.values, sides[0], placed[1]),
        (known.values.T, sides[1], placed[0]),
    ):
        place = {name: number for number, name in enumerate(asking)}
        mine = {q: _first(place, of) for q, of in names.items() if q not in taken}
        mine = {query: number for query, number in mine.items() if number >= 0}
        found = np.flatnonzero(items >= 0)
        found = found[np.argsort(items[found], kind="stable")]
        if not mine or not len(found):
            continue
        taken |= set(mine)
        depth, whole = min(deepest or len(found), len(found)), max(whole, len(found))
        rows = np.fromiter(mine.values(), dtype=np.int64)
        blocks = list(ranked(matrix, rows, found, depth, decimals(np.array([known.largest]))))
        parts.append(
            pd.DataFrame(
                {
                    "query_id": pd.Categorical.from_codes(
                        np.repeat(_codes(asked, mine), depth), categories=_ids(asked)
                    ),
                    "item_id": pd.Categorical.from_codes(
                        items[np.concatenate([of for of, _ in blocks])].ravel(), categories=gallery
                    ),
                    "score": np.concatenate([scores for _, scores in blocks]).ravel(),
                    "rank": np.tile(np.arange(1, depth + 1), len(mine)),
                }
            )
        )
    if not parts:
        wanted = "ids of the collection's queries and items"
        raise DataError(known.name, "no query of the collection in rows or columns", wanted)
    run = pd.concat(parts, ignore_index=True)
    run.attrs["whole"] = whole
    return run


def _ids(asked: pd.DataFrame) -> pd.Index:
    found: pd.Index = pd.Index(asked["query_id"], dtype="str")
    return found


def _codes(asked: pd.DataFrame, mine: Iterable[str]) -> Places:
    return _ids(asked).get_indexer(pd.Index(list(mine), dtype="str"))


def _first(place: dict[str, int], names: Sequence[str]) -> int:
    return next((place[name] for name in names if name in place), -1)


def _names(collection: Collection, asked: pd.DataFrame) -> dict[str, list[str]]:
    """Under which ids each query can stand in a matrix: its own, or that of what it asks with."""
    own = _asked_with(collection)
    return {query: [query, *([own[query]] if query in own else [])] for query in asked["query_id"]}


def _asked_with(collection: Collection) -> dict[str, str]:
    """The item that each query is about, else the text item that has its words; of several equal
    ones the first query has the first, and so on."""
    texts = collection.items[collection.items["kind"].str.strip().str.lower() == TEXT]
    asking = collection.queries[collection.queries["text"] != ""]
    items = pd.DataFrame({"item_id": texts["item_id"], "words": texts["caption"].str.strip()})
    words = pd.DataFrame({"query_id": asking["query_id"], "words": asking["text"].str.strip()})
    for table in (items, words):
        table["number"] = table.groupby("words").cumcount()
    both = words.merge(items, on=["words", "number"])
    about = collection.queries[collection.queries["item_id"] != ""]
    found = pd.concat([both[["query_id", "item_id"]], about[["query_id", "item_id"]]])
    return dict(zip(found["query_id"], found["item_id"], strict=True))


def _items(side: Sequence[str], gallery: pd.Index, own: dict[str, str]) -> Places:
    """The place in the gallery of each id of a side, or of what the query of this id asks with;
    -1: it is no item."""
    here = pd.Index(list(side), dtype="str")
    places = gallery.get_indexer(here)
    other = gallery.get_indexer(pd.Index([own.get(name, "") for name in side], dtype="str"))
    return np.where(places >= 0, places, other)


def _in_order(
    collection: Collection, known: Similarities, path: Path, findings: Findings
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the rows and columns of a matrix without ids are, told by its shape."""
    items, queries = collection.items, collection.queries
    is_text = items["kind"].str.strip().str.lower() == TEXT
    pictures, texts = items.loc[~is_text, "item_id"], items.loc[is_text, "item_id"]
    asking = queries.loc[queries["text"] != "", "query_id"]
    ways = {
        "pictures × texts, in the order of items.csv": (pictures, texts),
        "items × text queries, in the order of items.csv and queries.csv": (pictures, asking),
        "queries × items, in the order of queries.csv and items.csv": (
            queries["query_id"],
            items["item_id"],
        ),
    }
    if len(texts):
        del ways["items × text queries, in the order of items.csv and queries.csv"]
    ways = {how: both for how, both in ways.items() if len(both[0]) and len(both[1])}
    fits = [how for how, both in ways.items() if tuple(map(len, both)) == known.values.shape]
    beside = " and ".join(place.name for place in ids_beside(path))
    if len(fits) != 1:
        shapes = "; ".join(f"({len(a):,}, {len(b):,}): {how}" for how, (a, b) in ways.items())
        found = f"the shape {known.values.shape}" + ", which fits twice" * (len(fits) > 1)
        raise DataError(known.name, found, f"{shapes}; or the ids in {beside}")
    findings.note(known.name, f"no {beside}", f"the ids; taken as {fits[0]}")
    rows, columns = ways[fits[0]]
    return tuple(rows), tuple(columns)


def _say_unknown(
    collection: Collection,
    sides: Sequence[Sequence[str]],
    placed: Sequence[Places],
    name: str,
    findings: Findings,
) -> None:
    queries = set(collection.queries["query_id"])
    for side, places in zip(sides, placed, strict=True):
        strange = [i for i, place in zip(side, places, strict=True) if place < 0]
        strange = [each for each in strange if each not in queries]
        if strange:
            found = f"{counted(len(strange), 'unknown id')} ({listed(strange)})"
            findings.warning(name, found, "ids of items or queries; they were left out")
