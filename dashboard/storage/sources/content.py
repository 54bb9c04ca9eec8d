"""What a reader takes from a source: tables, vectors, and notes on what was guessed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.storage.sources.listing import Listing
from dashboard.tables import listed

ITEM_COLUMNS = ("item_id", "file", "poster", "kind", "caption")
KEYWORD_COLUMNS = ("item_id", "group", "keyword")
QUERY_COLUMNS = ("query_id", "text", "item_id", "image")
QREL_COLUMNS = ("query_id", "item_id", "grade")
CAPTION_COLUMNS = ("item_id", "caption")
RUN_COLUMNS = ("query_id", "item_id", "score")


def empty(columns: Sequence[str]) -> pd.DataFrame:
    """A table of texts without rows."""
    return pd.DataFrame({column: pd.Series(dtype="str") for column in columns})


@dataclass(frozen=True)
class Note:
    """A line on what was taken: the collection's file, its rows, where from, and what was guessed
    because the source does not say it."""

    file: str
    rows: int
    taken_from: str
    guessed: str = ""


@dataclass(frozen=True, eq=False)
class Rows:
    """Vectors as a source holds them: an array [n, dimension], and the id of each row; without ids
    the rows are in the order of the items, or of the queries."""

    array: npt.NDArray[Any]
    ids: tuple[str, ...] | None
    taken_from: str
    guessed: str = ""


def version_name(text: str) -> str:
    """A name that a version may have, from what a source calls it.

    >>> version_name("../clip emb")
    '_clip_emb'
    """
    return re.sub(r"^[^\w]+|[^\w.+@-]+", "_", text)[:80]


@dataclass(eq=False)
class Content:
    """What is in a source.

    items: item_id, file (a path in the source), poster, kind, caption, and columns of its own.
    keywords: item_id, group, keyword. captions: item_id, caption, several of an item. queries,
    qrels, runs: as a collection has them. vectors: version → {"items": …, "queries": …}.
    caption_vectors: version → vectors whose ids are the captions themselves. settings: for
    collection.toml. problems: sentences on what was left out or contradicts itself.
    """

    items: pd.DataFrame = field(default_factory=lambda: empty(ITEM_COLUMNS))
    keywords: pd.DataFrame = field(default_factory=lambda: empty(KEYWORD_COLUMNS))
    captions: pd.DataFrame = field(default_factory=lambda: empty(CAPTION_COLUMNS))
    queries: pd.DataFrame = field(default_factory=lambda: empty(QUERY_COLUMNS))
    qrels: pd.DataFrame = field(default_factory=lambda: empty(QREL_COLUMNS))
    runs: dict[str, pd.DataFrame] = field(default_factory=dict)
    vectors: dict[str, dict[str, Rows]] = field(default_factory=dict)
    caption_vectors: dict[str, Rows] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def note(self, file: str, rows: int, taken_from: str, guessed: str = "") -> None:
        """Add a line on what was taken."""
        self.notes.append(Note(file, rows, taken_from, guessed))

    def add_vectors(self, version: str, side: str, parts: Sequence[Rows]) -> None:
        """Add vectors of a version: beside what it has of that side where other ids are named, as
        shards have them; else a sentence says that they are left out."""
        earlier = self.vectors.get(version, {}).get(side)
        joined = [earlier, *parts] if earlier is not None else list(parts)
        taken, ids = joined[:1], {*(joined[0].ids or ())}
        for rows in joined[1:]:
            fits = rows.array.shape[1] == taken[0].array.shape[1]
            if fits and taken[0].ids and rows.ids and ids.isdisjoint(rows.ids):
                taken.append(rows)
                ids.update(rows.ids)
            else:
                self.problems.append(
                    f"left out: {rows.taken_from}: version {version} has vectors of its {side} "
                    f"from {taken[0].taken_from}. To have both, call one by another name"
                )
        if len(taken) > 1:
            matrix = np.concatenate([rows.array for rows in taken])
            named = tuple(name for rows in taken for name in rows.ids or ())
            from_all = listed(rows.taken_from for rows in taken)
            taken = [Rows(matrix, named, from_all, taken[0].guessed)]
        self.vectors.setdefault(version, {})[side] = taken[0]


@dataclass(frozen=True)
class Detected:
    """The files of a source that a reader takes, and in a few words what they are."""

    files: tuple[str, ...]
    what: str


Detect = Callable[[Listing, Sequence[str]], Detected | None]
Read = Callable[[Listing, Detected, Mapping[str, str]], Content]


@dataclass(frozen=True)
class Reader:
    """A form in which a community keeps its data.

    detect(listing, files): the files of its own among those that no reader before it took; None
    where there are none. read(listing, detected, columns): their content; `columns` maps names of
    ours to columns of the source, as the caller wants them.
    """

    name: str
    detect: Detect
    read: Read
