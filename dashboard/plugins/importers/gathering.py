"""Pieces joined to tables: rows by id, judgements by file, vectors in files of their own."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress, count, islice
from mimetypes import guess_extension
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dashboard.errors import DataError, list_names
from dashboard.plugins.importers.pieces import (
    Captions,
    ClassNames,
    Copied,
    Items,
    Judgements,
    Piece,
    Queries,
    Result,
    RunLines,
    Vectors,
    write_list,
)
from dashboard.plugins.importers.source import (
    SHIFTED,
    Columns,
    Ordered,
    Source,
    find_folder_of,
    is_shifted,
    name_apart,
    shorten_name,
)
from dashboard.storage.media import match_names, recognise_bytes, strip_name, tell_matched
from dashboard.storage.new_versions import BLOCK, Part
from dashboard.storage.runs import Pair
from dashboard.tables import AnyArray, Names, Row, Texts
from dashboard.texts import MARKS

Line = tuple[str, ...]
"""Cells of a row of a table."""


class Rows:
    """Rows by id, in the order in which they came; cells may come later.

    Attributes:
        index: Place of each id.
        again: All cells of ids that came again, by column and id; the first one counts.
        filled: File that first had a column.
        disputed: An id for which another file has another cell, by column and file.
    """

    def __init__(self) -> None:
        self.index: dict[str, int] = {}
        self.columns: Columns = {}
        self.again: dict[str, Columns] = {}
        self.filled: Texts = {}
        self.disputed: dict[str, Texts] = {}

    def __len__(self) -> int:
        return len(self.index)

    def add(
        self, ids: Names, columns: Mapping[str, Names], file: str = "", counts: bool = False
    ) -> None:
        """Add rows, or further cells of some, of a file that may count before others."""
        places = [self.index.setdefault(name, len(self.index)) for name in ids]
        for column, cells in columns.items():
            own = self.columns.setdefault(column, [])
            own.extend([""] * (len(self.index) - len(own)))
            self.filled.setdefault(column, file)
            for name, place, cell in zip(ids, places, cells, strict=True):
                if cell and (counts or own[place] in ("", name)):  # an id gives way to a text
                    own[place] = cell
                elif cell not in ("", name):
                    if cell != own[place] and self.filled[column] != file:
                        self.disputed.setdefault(column, {})[file] = name
                    self.again.setdefault(column, {}).setdefault(name, [own[place]]).append(cell)

    def drop(self, names: Set[str]) -> None:
        """Take some rows away."""
        kept = [name not in names for name in self.index]
        self.columns = {column: list(compress(self.get(column), kept)) for column in self.columns}
        self.index = {name: at for at, name in enumerate(compress(self.index, kept))}

    def get(self, column: str) -> list[str]:
        """Return the cells of a column, "" for those that never came."""
        own = self.columns.get(column, [])
        return own + [""] * (len(self) - len(own))

    def list_rows(self, *columns: str) -> Iterator[Line]:
        """Return the id of each row and its cells in some columns."""
        return zip(self.index, *map(self.get, columns), strict=True)


class VectorFile:
    """An array in a file that grows by rows; nothing but ids is held, `odd` of those left out."""

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.name = name
        self.shape = (0, 0)
        self.dtype: np.dtype[Any] = np.dtype(np.float32)
        self.ids: Ordered = {}
        self.odd = set[str]()
        self.columns: Names = ()
        self.of_pictures = False
        self.key = ""
        self.files: Ordered = {}

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def has_ids(self) -> bool:
        """Return whether each row has an id."""
        return len(self.ids) == len(self)

    @property
    def file(self) -> str:
        """The files that the rows are from, for messages."""
        return list_names(self.files)

    def differs(self, piece: "Vectors | VectorFile") -> bool:
        """Return whether an id has another vector in a piece, which is of another model then."""
        ids = piece.ids or ()
        if self.ids.keys().isdisjoint(ids):
            return False
        rows = dict(zip(self.ids, self.rows, strict=False))
        pairs = ((rows[e], row) for e, row in zip(ids, piece.rows, strict=False) if e in rows)
        return any(
            own.shape != row.shape or not np.allclose(own, row, atol=np.abs(row).max() / 100)
            for own, row in pairs
        )

    def add(self, piece: "Vectors | VectorFile", source: Source) -> None:
        """Add the rows of a piece in the type of the first ones; odd ones are said."""
        shape, kind = piece.rows.shape, piece.rows.dtype
        is_fit = len(shape) == 2 and shape[1] and kind.kind in "fiub"
        if not is_fit or (len(self) and shape[1] != self.shape[1]):
            wanted = f"float32, (rows, {self.shape[1] or 'dimension'}); left out"
            source.say(piece.file, f"numbers of the shape {shape} and type {kind}", wanted)
            return
        self.files[piece.file] = None
        self.columns, self.of_pictures, self.key = piece.columns, piece.of_pictures, piece.key
        named = bool(piece.ids)
        wanted = f"one finite vector for each id; {'' if named else 'all are '}left out"
        names = map(str, piece.ids or count())
        for at in range(0, len(piece.rows), BLOCK):
            rows = np.asarray(piece.rows[at : at + BLOCK])
            rows = rows.view(np.uint8) if kind.kind == "b" else rows
            ids = list(map(str.strip, islice(names, len(rows))))
            again = pd.Index(ids).duplicated() | [not name or name in self.ids for name in ids]
            bad = {
                "are not finite": ~np.isfinite(rows).all(axis=1),
                "are all zeros": ~rows.any(axis=1) & (kind.kind == "f"),
                "come again or have no id": again & named,
            }
            for what, is_odd in bad.items():
                odd = list(compress(ids, is_odd))
                source.count(piece.file, odd, f"vectors that {what}", wanted)
                self.odd.update(odd)
            is_bad = np.any(list(bad.values()), axis=0)
            if is_bad.any() and not named:
                return
            rows = rows[~is_bad]
            if not len(self):
                self.dtype = rows.dtype.newbyteorder("=")
                self.path.parent.mkdir(exist_ok=True)
            with self.path.open("ab") as file:
                file.write(np.ascontiguousarray(rows, self.dtype).data)
            self.shape = (len(self) + len(rows), rows.shape[1])
            self.ids |= dict.fromkeys(compress(ids, ~is_bad & named))

    @property
    def rows(self) -> AnyArray:
        """The rows, which stay in the file."""
        return np.memmap(self.path, self.dtype, "r", 0, self.shape)


@dataclass(eq=False)
class Placed:
    """A version that was written.

    Attributes:
        said: What it was taken from, for the answer.
        rows: Rows of each of its files.
        form: What its vectors are, as `find_form` says.
        sides: Rows and ids of its vectors of items and of queries.
        settings: Keys of its model.toml.
    """

    name: str
    said: list[str] = field(default_factory=list)
    rows: dict[str, int] = field(default_factory=dict)
    form: str = ""
    sides: dict[str, list[Part]] = field(default_factory=dict)
    settings: Row = field(default_factory=dict)


class Gathered:
    """All that the formats yielded, and the collection that is made of it.

    Attributes:
        folder: Where vectors and pictures are written while they come.
        source: Files that they are from.
        items: Items with the path of their file in the source, captions and further columns.
        taken: Files of the rows of items and queries.
        declared: Columns that a format declares to be classes.
        captions: File, item (its name until the plan is made), text and id of each caption.
        judged: File, query, item and grade of each judgement; None where nobody judged.
        results: Query, item and score by the name of a version and a file.
        vectors: Vectors by version and side.
        copied: Tables of a protocol, by their names.
        names: Names of classes by their codes, a mapping a file.
        written: Items whose picture was inside the source, and its file below media/.
        known: Items by their files, and by other names under which these came.
        renamed: Ids that tables have for items that others name by their files.
        is_whole: Whether further pictures of the source are no items.
        whole: Items before those that ask, and those of other parts, were taken out.
        basis: What decides relevance: a key of PLANS, or "" for nothing.
        column: The column of classes, if they decide.
        pictures: Ids of the items but for texts that belong to them.
        texts: Ids of the texts that belong to pictures, in the order of their files.
        text_ids: The text of each id that its file has for it, where a picture has that id, too.
        files: The files by which relevance is decided.
        notes: More about it, for the answer.
        of_queries: Guesses about queries.csv.
        placed: Versions that were written, but for results.
        tables: Rows of each table, by its file, with the header first.
    """

    def __init__(self, folder: Path, source: Source) -> None:
        self.folder, self.source = folder, source
        self.items, self.queries = Rows(), Rows()
        self.taken: dict[str, Ordered] = {"items.csv": {}, "queries.csv": {}}
        self.declared = set[str]()
        self.captions: list[Line] = []
        self.judged: list[tuple[str, str, str, float | None]] = []
        self.results: dict[Pair, list[Result]] = {}
        self.vectors: dict[Pair, VectorFile] = {}
        self.copied: dict[str, Copied] = {}
        self.names: list[Texts] = []
        self.written: Texts = {}
        self.known: Texts = {}
        self.renamed: Texts = {}
        self.is_whole = False
        self.basis = self.column = self.of_queries = ""
        self.text_ids: Texts = {}
        none: Names = ()
        self.whole = self.pictures = self.texts = self.files = none
        self.qrels: list[Result] = []
        self.settings: Row = {}
        self.notes: list[str] = []
        self.placed: list[Placed] = []
        self.tables: dict[str, list[Line]] = {}

    def add(self, piece: Piece) -> None:
        """Add a piece."""
        match piece:
            case Items():
                self._add_items(piece)
            case Queries(file, ids, columns):
                images = [self._find(each, file) or each for each in columns.get("image", ())]
                self.queries.add(ids, {**columns, **({"image": images} if images else {})}, file)
                if ids:
                    self.taken["queries.csv"][file] = None
            case Judgements(file, judged):
                self.queries.add([query for query, _, _ in judged], {})
                self.judged += [(file, *row) for row in judged if row[1]]
            case Captions(file, texts):
                self.captions += [(file, *row) for row in texts]
            case Vectors(file, name, side):
                path = self.folder / "vectors" / str(len(self.vectors))
                own = self.vectors.setdefault((name, side), VectorFile(path, name))
                apart = f"{name}@{file}".replace("/", "_"), side
                if apart in self.vectors or file not in own.files and own.differs(piece):
                    own = self.vectors.setdefault(apart, VectorFile(path, name))
                own.add(piece, self.source)
            case ClassNames(_, names) if names not in self.names:
                self.names.append(names)
            case Copied(_, name):
                self.copied[name] = piece
            case RunLines(file, name, rows) if rows:
                self.results.setdefault((name, file), []).extend(rows)

    @property
    def noun(self) -> str:
        """The name of the items but for texts, for messages."""
        return "clip" if {*self.items.get("kind")} - {"text"} == {"video"} else "picture"

    @cached_property
    def runs(self) -> dict[str, RunLines]:
        """Results by their version, and by what tells its file where several have one name."""
        found = dict[str, RunLines]()
        names = [name_apart(*key, self.results) for key in self.results]
        for own, ((name, file), rows) in zip(names, self.results.items(), strict=True):
            own = own if names.count(own) == 1 else f"{name}@{file}".replace("/", "_")
            once = {row[:2]: row for row in reversed(rows)}
            wanted = "each once for a query; the first counts"
            self.source.count(file, len(rows) - len(once), "results again", wanted)
            found[own] = RunLines(file, own, list(reversed(once.values())))
        return found

    @property
    def asked(self) -> Names:
        """Queries as results have them, each once."""
        return list(dict.fromkeys(row[0] for run in self.runs.values() for row in run.rows))

    def _find(self, cell: str, file: str) -> str:
        return self.source.find_media(cell, find_folder_of(file), cell)

    def _add_items(self, piece: Items) -> None:
        """Add items; one whose file another item has is that item under a second name."""
        files = piece.columns.get("file") or [self._find(each, piece.file) for each in piece.ids]
        starts = piece.columns.get("span_start") or [""] * len(files)
        self.known |= dict.fromkeys(compress(files, starts), "")  # a clip of parts is no item
        cells = piece.cells or piece.ids
        names, made = [], self.source.named
        for own, file, cell, start in zip(piece.ids, files, cells, starts, strict=True):
            other = own if start else self.known.setdefault(file or cell, own)
            name = other if file or {own, other} & made.keys() else own
            names.append(name)
            if name != own:
                self.known[own] = name
                if [each == file or each in made for each in (name, own)] == [True, False]:
                    self.renamed[name] = own
        allowed = self.items.index if self.is_whole and not piece.is_whole else {*names} - {""}
        before = len(self.items)
        kept = [name in allowed for name in names]
        labels = {name: list(map(_quote_class, piece.columns[name])) for name in piece.labels}
        shown = ["" if n in self.written else file for n, file in zip(names, files, strict=True)]
        columns = {**piece.columns, **labels, "file": shown}
        self.source.count(
            piece.file, list(piece.ids).count(""), "items without an id or a file", "one; left out"
        )
        self.items.add(
            list(compress(names, kept)),
            {key: list(compress(cells, kept)) for key, cells in columns.items()},
            piece.file,
            bool(self.source.list_stated([piece.file])),
        )
        for name, content in compress(zip(names, piece.contents, strict=False), kept):
            if content and name not in self.written:
                ending = guess_extension(recognise_bytes(content), strict=False) or ".bin"
                self.written[name] = f"{self.items.index[name]}{ending}"
                place = self.folder / "media"
                place.mkdir(exist_ok=True)
                (place / self.written[name]).write_bytes(content)
        self.is_whole |= piece.is_whole
        self.declared.update(piece.labels)
        if len(self.items) > before:
            self.taken["items.csv"][piece.file] = None

    def match_items(self, names: Iterable[str], file: str = "", among: Iterable[str] = ()) -> Texts:
        """Return the item of each name: by its id or file, by names alike, or by a column.

        A match of the last two kinds is made only where both names are the only ones.
        A column has a different cell for each item, and most names; all, if they are numbers.

        Args:
            names: Names of items.
            file: File that has them, to say such a match of; "" says nothing.
            among: Items, or queries, that they may mean; all items if there are none.
        """
        items = set(among) or self.items.index.keys()
        known = {name: item for name, item in self.known.items() if item in items}
        known |= {item: item for item in items}
        every, how = dict.fromkeys(names), "file, ending or zeros before it"
        found = match_names(every, known, (strip_name, shorten_name))
        rest = [name for name in every if name not in known]
        if rest and is_shifted(every, items):
            raise DataError(file or "ids", *SHIFTED)
        for column in self.items.columns if rest and found.keys().isdisjoint(rest) else ():
            ids = {cell: item for item, cell in self.items.list_rows(column) if item in items}
            own = match_names(rest, ids)
            few = len(rest) if any(map(str.isdecimal, own)) else len(rest) // 2 + 1
            if len(ids) == len(items) and len(own) >= few:
                found, how = found | own, f"the column {column}"
                break
        times = Counter(found.values())
        found = {name: own for name, own in found.items() if name in known or times[own] == 1}
        near = {name: found[name] for name in rest if name in found}
        if file and near:
            self.source.say(file, *tell_matched(near, how), "note")
        return found


def _quote_class(cell: str) -> str:
    """Return a class whose name holds a mark that would part it as a list of one."""
    is_plain = cell[:1] in "[{" or not any(mark in cell for mark in MARKS)
    return cell if is_plain else write_list([cell])
