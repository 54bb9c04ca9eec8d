"""Pieces: the plain values that a format yields, and that `init` joins to a collection.

A format yields as many pieces as it likes, in any order, each of a part of a file: a large table is
never held whole. Findings are pieces, too: they say which rows and files were left out, and why.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from numpy.typing import NDArray

from dashboard.errors import DataError, Finding, Unsure, count_odd
from dashboard.plugins.importers.source import Side, Source, find_stem


@dataclass(frozen=True, eq=False)
class Items:
    """Items, and what is known of each.

    Attributes:
        file: File of the source that they come from, for the answer and for messages.
        ids: Id of each; an item may come again with further cells.
        columns: Cells by column: `file` and `poster` (paths below the source), `caption`, `kind`,
            `span_start`, `span_end`, and any further column under its own name. Without `file` the
            ids are looked for among the pictures and clips.
        labels: Columns that the format itself declares to be classes; others are guessed by name.
        contents: Bytes of the picture or clip of each, where the source holds them inside.
        is_whole: Whether further pictures of the source are no items of this collection.
    """

    file: str
    ids: Sequence[str]
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    labels: Sequence[str] = ()
    contents: Sequence[bytes | None] = ()
    is_whole: bool = False


@dataclass(frozen=True, eq=False)
class Queries:
    """Queries: `text`, `item_id` or `image` of each, and any further column."""

    file: str
    ids: Sequence[str]
    columns: Mapping[str, Sequence[str]]


@dataclass(frozen=True, eq=False)
class Judgements:
    """Judged pairs. A grade of None is a pair that nobody judged; "" for an item: none at all."""

    file: str
    queries: Sequence[str]
    items: Sequence[str]
    grades: Sequence[float | None]


@dataclass(frozen=True, eq=False)
class Captions:
    """Texts that belong to items, any number to each; `ids` names them, where they have names."""

    file: str
    items: Sequence[str]
    texts: Sequence[str]
    ids: Sequence[str] = ()

    @classmethod
    def join(cls, file: str, rows: Iterable[tuple[str, str, str]]) -> Captions:
        """Return captions of an item, a text and an id each."""
        every = list(rows)
        items, texts, ids = ([row[at] for row in every] for at in range(3))
        return cls(file, items, texts, ids)


@dataclass(frozen=True, eq=False)
class Vectors:
    """Some rows of the vectors of a version. [rows, dimension].

    Attributes:
        name: Name of the version.
        side: Whether they are vectors of items, or of texts (captions or queries).
        ids: Id of each row; None where the source does not say, which `init` refuses without
            --by-position.
    """

    file: str
    name: str
    side: Side
    rows: NDArray[Any]
    ids: Sequence[str] | None


@dataclass(frozen=True, eq=False)
class RunLines:
    """Results of a version: query, item and score of each."""

    file: str
    name: str
    queries: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)

    def add(self, queries: Sequence[str], items: Sequence[str], scores: Sequence[float]) -> None:
        """Add further results."""
        self.queries.extend(queries)
        self.items.extend(items)
        self.scores.extend(scores)


@dataclass(frozen=True, eq=False)
class Copied:
    """A table that a protocol reads by its name, and settings of the collection that it needs."""

    file: str
    name: str
    protocol: str
    settings: Mapping[str, Any] = field(default_factory=dict)


Piece = Copied | Items | Queries | Judgements | Captions | Vectors | RunLines | Finding


@dataclass(frozen=True)
class Format:
    """A form in which people keep their data.

    Attributes:
        name: Name in the answer.
        summary: Files that it reads, in a line.
        recognise: Returns the files that it reads, of `source.left`: those that no format before it
            has taken.
        read: Yields the pieces of these files.
    """

    name: str
    summary: str
    recognise: Callable[[Source], Sequence[str]]
    read: Callable[[Source, Sequence[str]], Iterable[Piece]]


def read_each(
    read: Callable[[Source, str], Iterable[Piece]], source: Source, files: Sequence[str]
) -> Iterator[Piece]:
    """Yield the pieces of each file; a file that cannot be read is said, the others are read."""
    for name in files:
        try:
            yield from read(source, name)
        except DataError as error:
            yield leave_out(error)


def match_lines(
    text: str, pattern: re.Pattern[str], file: str, wanted: str
) -> tuple[dict[int, re.Match[str]], list[Finding]]:
    """Return the lines of a text that have a form, by number, and a finding for the others."""
    lines = [(at, each.strip()) for at, each in enumerate(text.split("\n"), 1) if each.strip()]
    found = [(at, pattern.fullmatch(each)) for at, each in lines if each[0] != "#"]
    odd = [at for at, match in found if match is None]
    said = count_odd(file, odd, "lines of another form than most", f"{wanted}; left out")
    return {at: match for at, match in found if match}, said


def take_list(found: Any, key: str, file: str) -> list[dict[str, Any]]:
    """Return the objects of a list in an object of JSON.

    Raises:
        DataError: If there is no such list.
    """
    rows = found.get(key) if isinstance(found, dict) else None
    if not isinstance(rows, list):
        raise DataError(file, f"no list of {key}", f'an object with "{key}"')
    return [row for row in rows if isinstance(row, dict)]


def choose_part(source: Source, files: Sequence[str], parts: Sequence[str], what: str) -> str:
    """Return the file that counts: the one named, or the only one of the best part.

    Args:
        source: Where the files are.
        files: The files, one a part.
        parts: Words in their names, the best one first.
        what: What each file holds.

    Raises:
        Unsure: If several are as good.
    """
    stated = [n for n in files if source.options.judgements in (n, PurePosixPath(n).name)]
    ranked = [[n for n in files if part in find_stem(n).split(".")] for part in parts]
    best = stated or next((each for each in ranked if each), list(files))
    if len(best) > 1:
        lines = [f"--judgements {shlex.quote(name)}" for name in best]
        raise Unsure(best[0], f"{len(best):,} {what}", "one a collection", lines)
    return best[0]


def name_others(files: Sequence[str], chosen: str, what: str) -> list[Finding]:
    """Return the note that other files than the chosen one do not count."""
    others = [name for name in files if name != chosen]
    wanted = f"one; {chosen} counts. Another one: --judgements {''.join(others[:1])}"
    return count_odd(chosen, others, what, wanted, "note")


def leave_out(error: DataError) -> Finding:
    """Return the finding for what was left out because of an error."""
    cure = f". {error.do.rstrip('.')}" if error.do else ""
    wanted = f"{error.expected}; left out{cure}"
    return Finding("warning", error.file, error.line, error.found, wanted)
