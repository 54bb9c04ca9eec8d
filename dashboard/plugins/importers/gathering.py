"""Pieces joined to tables: rows by id, judgements by file, vectors in files of their own."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from dashboard.errors import Finding, Level, count_odd
from dashboard.plugins.importers.pieces import (
    Captions,
    Copied,
    Items,
    Judgements,
    Piece,
    Queries,
    RunLines,
    Vectors,
)
from dashboard.plugins.importers.source import Source, find_folder_of, find_suffix, list_forms
from dashboard.plugins.importers.vector_files import VectorFile, find_bad_rows, find_fault
from dashboard.storage.media import EXTENSION, strip_name
from dashboard.storage.new_versions import BLOCK
from dashboard.texts import MARKS

NUMBERED = re.compile("id$|key$", re.I)
"""Names of columns that may hold further ids of the items."""
NUMBER = re.compile(r"0*(\d+?)(\.0)?")


class Rows:
    """Rows by id, in the order in which they came; cells may come later.

    Attributes:
        index: Place of each id.
        differing: Ids that came with another cell of a column than before; the first one counts.
        votes: All cells of a column and an id that came again, where they are to be counted.
    """

    def __init__(self, counts_votes: bool = False) -> None:
        self.index: dict[str, int] = {}
        self.columns: dict[str, list[str]] = {}
        self.differing: dict[str, list[str]] = {}
        self.votes: dict[tuple[str, str], list[str]] = {}
        self.counts_votes = counts_votes

    def __len__(self) -> int:
        return len(self.index)

    def add(self, ids: Sequence[str], columns: Mapping[str, Sequence[str]]) -> None:
        """Add rows, or further cells of some."""
        places = [self.index.setdefault(name, len(self.index)) for name in ids]
        for column, cells in columns.items():
            own = self.columns.setdefault(column, [])
            own.extend([""] * (len(self.index) - len(own)))
            for name, place, cell in zip(ids, places, cells, strict=True):
                if not own[place]:
                    own[place] = cell
                elif cell and self.counts_votes:
                    self.votes.setdefault((column, name), [own[place]]).append(cell)
                if cell and own[place] != cell:
                    self.differing.setdefault(column, []).append(name)

    def get(self, column: str) -> list[str]:
        """Return the cells of a column, "" for those that never came."""
        own = self.columns.get(column, [])
        return [*own, *[""] * (len(self) - len(own))]


@dataclass(eq=False)
class Gathered:
    """All that the formats yielded.

    Attributes:
        folder: Where vectors and pictures are written while they come.
        source: Files that they are from.
        items: Items with the path of their file in the source, captions and further columns.
        taken: Rows of each file by what was taken from it.
        declared: Columns that a format declares to be classes.
        sources: File that each column of the items came from.
        captions: Item, text and id of each caption.
        judged: Grades of the pairs of each file of judgements; None where nobody judged.
        votes: All grades of the pairs of a file that have several.
        settled: Pairs with different grades, and what was taken for them, for the answer.
        results: Results by their name and file.
        runs: Each version that is a list of results.
        vectors: Vectors by version and side.
        copied: Tables of a protocol, by their names.
        written: Items whose picture was inside the source, and its file below media/.
    """

    folder: Path
    source: Source
    items: Rows = field(init=False)
    queries: Rows = field(default_factory=Rows)
    findings: list[Finding] = field(default_factory=list)
    taken: Counter[tuple[str, str]] = field(default_factory=Counter)
    declared: set[str] = field(default_factory=set)
    sources: dict[str, str] = field(default_factory=dict)
    captions: list[tuple[str, str, str]] = field(default_factory=list)
    caption_files: dict[tuple[str, str], str] = field(default_factory=dict)
    judged: dict[str, dict[tuple[str, str], float | None]] = field(default_factory=dict)
    votes: dict[str, dict[tuple[str, str], list[float]]] = field(default_factory=dict)
    settled: str = ""
    results: dict[tuple[str, str], RunLines] = field(default_factory=dict)
    runs: dict[str, RunLines] = field(default_factory=dict)
    vectors: dict[tuple[str, str], VectorFile] = field(default_factory=dict)
    copied: dict[str, Copied] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)
    by_file: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    is_whole: bool = False

    def __post_init__(self) -> None:
        self.items = Rows(self.source.options.disagreements == "majority")

    def list_files(self, table: str) -> list[str]:
        """Return the files that rows of a table of the collection were taken from."""
        return [file for (name, file), number in self.taken.items() if name == table and number]

    def say(self, level: Level, file: str, found: str, wanted: str) -> None:
        """Add a finding about a file."""
        self.findings.append(Finding(level, file, None, found, wanted))

    def count(
        self, file: str, odd: int | Sequence[str], what: str, wanted: str, level: Level = "note"
    ) -> None:
        """Add a finding of so many odd things in a file, if there are some."""
        self.findings += count_odd(file, odd, what, wanted, level)

    def add(self, piece: Piece) -> None:
        """Add a piece."""
        if isinstance(piece, Finding):
            self.findings.append(piece)
        elif isinstance(piece, Items):
            self._add_items(piece)
        elif isinstance(piece, Queries):
            columns = dict(piece.columns)
            if "image" in columns:
                columns["image"] = [self._find(cell, piece) or cell for cell in columns["image"]]
            self.queries.add(piece.ids, columns)
            self.taken["queries.csv", piece.file] += len(piece.ids)
        elif isinstance(piece, Judgements):
            self._add_judgements(piece)
        elif isinstance(piece, Copied):
            self.copied[piece.name] = piece
        elif isinstance(piece, Captions):
            self._add_captions(piece)
        elif isinstance(piece, Vectors):
            for at in range(0, max(1, len(piece.rows)), BLOCK):
                self._add_vectors(piece, at)
        elif piece.queries:
            own = RunLines(piece.file, piece.name)
            run = self.results.setdefault((piece.name, piece.file), own)
            run.add(piece.queries, piece.items, piece.scores)

    def name_runs(self) -> None:
        """Name results by their version, or by their path where two files have one name."""
        times = Counter(name for name, _ in self.results)
        paths = Counter(list_forms(file)[1] for _, file in self.results)
        for (name, file), run in self.results.items():
            _, path, whole = list_forms(file)
            other = path if paths[path] == 1 else whole
            self.runs[name if times[name] == 1 else other.replace("/", "_")] = run

    def _add_items(self, piece: Items) -> None:
        """Add items; one whose file another item has is that item under a second name."""
        files = piece.columns.get("file") or [self._find(each, piece) for each in piece.ids]
        lists = {name: list(map(_quote_class, piece.columns[name])) for name in piece.labels}
        columns = {**piece.columns, **lists, "file": files}
        pairs = list(zip(piece.ids, files, strict=True))
        names = [self.by_file.setdefault(file, own) if file else own for own, file in pairs]
        self.aliases |= {own: n for own, n in zip(piece.ids, names, strict=True) if own != n}
        known: Collection[str] = self.items.index if self.is_whole and not piece.is_whole else names
        known, before = set(known), len(self.items)
        kept = [at for at, name in enumerate(names) if name and name in known]
        self.items.add(
            [names[at] for at in kept],
            {key: [each[at] for at in kept] for key, each in columns.items()},
        )
        added = len(self.items) - before
        for at in kept if piece.contents else ():
            if content := piece.contents[at]:
                self._write_content(names[at], content)
        self.is_whole = self.is_whole or piece.is_whole
        self.declared.update(piece.labels)
        for column in piece.columns:
            self.sources.setdefault(column, piece.file)
        if added or not piece.ids:
            self.taken["items.csv", piece.file] += added

    def _find(self, cell: str, piece: Items | Queries) -> str:
        return self.source.find_media(cell, find_folder_of(piece.file))

    def _add_captions(self, piece: Captions) -> None:
        """Add captions; one that another file has too counts once."""
        names = piece.ids or [""] * len(piece.texts)
        for item, text, name in zip(piece.items, piece.texts, names, strict=True):
            if self.caption_files.setdefault((item, text), piece.file) == piece.file:
                self.captions.append((item, text, name))
                self.taken["captions", piece.file] += 1

    def _write_content(self, name: str, content: bytes) -> None:
        """Write a picture that the source holds inside."""
        stem = "".join(c if c.isalnum() or c in "-_" else "_" for c in EXTENSION.sub("", name))
        file = f"{stem[:100]}-{self.items.index[name]}.{find_suffix(content) or 'bin'}"
        if name not in self.written:
            path = self.folder / "media" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            self.written[name] = file

    def _add_judgements(self, piece: Judgements) -> None:
        grades = self.judged.setdefault(piece.file, {})
        self.taken["qrels.csv", piece.file] += len(piece.grades)
        self.queries.add(piece.queries, {})
        for query, item, grade in zip(piece.queries, piece.items, piece.grades, strict=True):
            if not item:
                continue
            pair = (query, item)
            earlier = grades.setdefault(pair, grade) if pair in grades else None
            if earlier is None:
                grades[pair] = grade
            elif grade is not None:
                self.votes.setdefault(piece.file, {}).setdefault(pair, [earlier]).append(grade)

    def _add_vectors(self, piece: Vectors, at: int) -> None:
        """Add a block of vectors; those that nothing can be computed from are left out, and said.

        Args:
            piece: The vectors.
            at: First row of the block.
        """
        key = (piece.name, piece.side)
        path = self.folder / "vectors" / f"{len(self.vectors)}.npy"
        own = self.vectors.get(key) or VectorFile(path)
        rows = np.asarray(piece.rows[at : at + BLOCK])
        rows = rows.view(np.uint8) if rows.dtype.kind == "b" else rows
        named = None if piece.ids is None else piece.ids[at : at + BLOCK]
        ids = None if named is None else list(map(str.strip, named))
        why = find_fault(own, rows, ids)
        if why:
            self.say("warning", piece.file, *why)
            return
        bad = find_bad_rows(rows, ids, own.known)
        for what, places in bad.items():
            names = [ids[at] if ids else str(at) for at in places]
            wanted = "a finite vector for each id; left out"
            self.count(piece.file, names, f"vectors that {what}", wanted, "warning")
        if bad and ids is None:
            wanted = "finite vectors, or a file of ids; all are left out"
            self.say("warning", piece.file, "no ids", wanted)
            return
        if bad and ids:
            out = {at for places in bad.values() for at in places}
            kept = [at for at in range(len(rows)) if at not in out]
            rows, ids = rows[kept], [ids[at] for at in kept]
        self.vectors[key] = own
        own.files[piece.file] = None
        if len(rows):
            own.append(rows, ids)

    def match_items(
        self, names: Iterable[str], file: str, among: Iterable[str] = ()
    ) -> dict[str, str]:
        """Return the item of each name: its id or file, or the same without folders and suffix.

        A match of the second kind is made only where both names are the only ones, and is said.

        Args:
            names: Names of items.
            file: File that has them.
            among: Items that they may mean; all if there are none.
        """
        wanted = list(dict.fromkeys(names))
        items = set(among) or self.items.index.keys()
        found = {
            name: known
            for name in wanted
            if (known := self.aliases.get(name, name)) in items
            or (known := self.by_file.get(name, "")) in items
        }
        rest = [name for name in wanted if name not in found]
        near = self._match_near(rest, items) if rest else {}
        times = Counter([*near.values(), *found.values()])
        near = {name: known for name, known in near.items() if times[known] == 1}
        if near:
            name, known = next(iter(near.items()))
            said = f"{len(near):,} names that are no ids of items ({name!r})"
            how = "by file, ending, zeros before it or a column of ids"
            self.say("note", file, said, f"ids; matched where only one fits {how} ({known!r})")
        return found | near

    def _match_near(self, names: Sequence[str], items: Collection[str]) -> dict[str, str]:
        """Return the items whose ids or files are alike, or which a column of ids names."""
        for shorten in (strip_name, shorten_number):
            owners: dict[str, str] = {}
            known = [*zip(items, items, strict=True), *self.by_file.items()]
            for name, item in known:
                if item in items and owners.setdefault(shorten(name), item) != item:
                    owners[shorten(name)] = ""
            near = {name: owners.get(shorten(name), "") for name in names if shorten(name)}
            if any(near.values()):
                return {name: item for name, item in near.items() if item}
        for column in filter(NUMBERED.search, self.items.columns):
            cells = zip(self.items.get(column), self.items.index, strict=True)
            owners = {cell: item for cell, item in cells if item in items}
            if len(owners) == len(items) and owners.keys() >= set(names):
                return {name: owners[name] for name in names}
        return {}


def _quote_class(cell: str) -> str:
    """Return a class whose name holds a mark that would part it as a list of one."""
    is_plain = cell[:1] in "[{" or not any(mark in cell for mark in MARKS)
    return cell if is_plain else json.dumps([cell], ensure_ascii=False)


def shorten_number(name: str) -> str:
    """Return a number without the zeros that programs write around it; "" for another name.

    >>> shorten_number("x/000000000139.jpg"), shorten_number("139.0"), shorten_number("a1")
    ('139', '139', '')
    """
    match = NUMBER.fullmatch(strip_name(name))
    return match[1] if match else ""
