"""Pieces: the plain values that a format yields, and that `init` joins to a collection.

A format yields as many pieces as it likes, in any order, each of a part of a file: a large table is
never held whole. Findings are pieces, too: they say which rows and files were left out, and why.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from dashboard.errors import DataError, Finding
from dashboard.plugins.importers.source import Side, Source


class Unsure(DataError):
    """A choice that decides numbers and that the source leaves open.

    Attributes:
        lines: Options to type, one way each.
    """

    def __init__(self, file: str, found: str, expected: str, lines: Sequence[str]) -> None:
        super().__init__(file, found, expected, do="Type one of these:")
        self.lines = tuple(lines)


@dataclass(frozen=True, eq=False)
class Items:
    """Items, and what is known of each.

    Attributes:
        file: File of the source that they come from, for the answer and for messages.
        ids: Id of each; an item may come again with further cells.
        columns: Cells by column: `file` and `poster` (paths below the source), `caption`, `kind`,
            `span_start`, `span_end`, and any further column under its own name.
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
    queries: Sequence[str]
    items: Sequence[str]
    scores: Sequence[float]


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
    said = f"{len(odd):,} lines of another form than most"
    findings = [Finding("warning", file, odd[0], said, f"{wanted}; left out")] if odd else []
    return {at: match for at, match in found if match}, findings


def leave_out(error: DataError) -> Finding:
    """Return the finding for what was left out because of an error."""
    cure = f". {error.do.rstrip('.')}" if error.do else ""
    wanted = f"{error.expected}; left out{cure}"
    return Finding("warning", error.file, error.line, error.found, wanted)
