"""A folder (or files of judgements and runs) opened as a Collection of checked frozen tables."""

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path

import numpy as np
from cachetools import LRUCache

from dashboard.errors import DataError, Finding, Findings, Level, add_finding, count_odd, list_names
from dashboard.plugins import list_plugins, load
from dashboard.storage.media import match_ids
from dashboard.storage.runs import Pairs, list_pairs, make_pairs, read_qrels, read_run
from dashboard.storage.settings import SETTINGS, Settings, find_data, read_settings
from dashboard.storage.versions import (
    RUNS,
    Broken,
    Version,
    Versions,
    read_runs,
    read_versions,
    try_to_read,
)
from dashboard.tables import BoolArray, IntArray, Names, Row, Table, Texts, read_table
from dashboard.texts import make_natural

QRELS = ("qrels.txt", "qrels.csv")
MAX_OPEN = 8
"""Collections that are kept open."""


@dataclass(frozen=True, eq=False)
class Collection:
    """Everything that was opened, checked.

    Attributes:
        items: `item_id`, file, poster, caption …, in gallery order.
        queries: `query_id`, text, item_id (of an item query), scene ….
        qrels: Judged pairs; None without a file.
        versions: Versions that can be used, in natural order of their names.
        broken: Why a version cannot be used.
        unread: Why judged pairs, or the tables of a plugin, cannot be used.
        tables: What plugins read, by their names, where it is not nothing.
    """

    name: str
    folder: Path
    settings: Settings
    items: Table
    queries: Table
    qrels: Pairs | None
    versions: Versions
    broken: Broken
    unread: Broken
    tables: Row = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    @property
    def title(self) -> str:
        """Name on the screens."""
        return str(self.settings.get("title") or self.name)

    @cached_property
    def own_items(self) -> IntArray:
        """The item that each query is about, -1 for none; it is no result of that query.

        A query is about the item that `item_id` names, or whose id or file its `image` names.
        """
        files = {file: place for place, file in enumerate(self.items["file"]) if file}
        found = [
            self.items.index.get(item or image, files.get(image, -1))
            for _, item, image in self.queries.list_rows("item_id", "image")
        ]
        return np.array(found, int)

    @cached_property
    def is_text(self) -> BoolArray:
        """True for each query with a text. [queries]."""
        return np.array(self.queries["text"], bool)

    @cached_property
    def query_kinds(self) -> Names:
        """Kind of each query: text, or the kind or side of the item that it is about, or item."""
        kinds, sides = ((*self.items[column], "") for column in ("kind", "side"))
        pairs = zip(self.is_text, self.own_items.tolist(), strict=True)
        return [
            "text" if is_text else kinds[item] or sides[item] or "item" for is_text, item in pairs
        ]

    @cached_property
    def query_names(self) -> Names:
        """Name of each query: its text, its caption or its item's, or an id."""
        captions, names = (*self.items["caption"], ""), (*self.items.ids, "")
        columns = (self.queries["text"], self.queries["caption"], self.queries.ids)
        return [
            text or captions[item] or caption or names[item] or name
            for item, text, caption, name in zip(self.own_items.tolist(), *columns, strict=True)
        ]

    def name_query(self, query: str) -> str:
        """Return the name of a query, with its id where others have that name, or "(gone)"."""
        return self._names.get(query, f"{query} (gone)")

    @cached_property
    def _names(self) -> Texts:
        number = Counter(self.query_names)
        return {
            query: f"{name} ({query})" if number[name] > 1 else name
            for query, name in zip(self.queries.ids, self.query_names, strict=True)
        }

    @property
    def protocols(self) -> Names:
        """Protocols that its settings name."""
        return tuple(self.settings.get("protocols", ()))

    @property
    def problems(self) -> list[DataError]:
        """Why parts of the collection cannot be used."""
        return [*self.unread.values(), *self.broken.values()]

    def find_version(self, name: str) -> Version:
        """Return a version; raise its DataError if it cannot be used or is not there."""
        if name in self.broken:
            raise self.broken[name]
        if name not in self.versions:
            known = list_names(self.versions) or "none"
            raise DataError(self.name, f"no version {name!r}", f"one of: {known}")
        return self.versions[name]


def open_collection(folder: Path) -> Collection:
    """Open a folder; it stays open until one of its files changes.

    Raises:
        DataError: If the folder, its settings, items or queries cannot be used. A version or a
            plugin's table that cannot be used is in `broken` and in the findings instead.
    """
    if not folder.is_dir():
        there = sorted(path.parent.name for path in find_data().glob("*/collection.toml"))
        do = f"There are: {list_names(there, 20)}." if there else ""
        raise DataError(str(folder), "no such folder", "the folder of a collection", do=do)
    state = [(path, path.stat().st_mtime_ns, path.stat().st_size) for path in _list(folder)]
    with _LOCK:
        if folder not in _OPEN or _OPEN[folder][0] != state:
            _OPEN[folder] = (state, _open(folder))
        return _OPEN[folder][1]


def open_named(name: str) -> Collection:
    """Open a collection of the data folder."""
    return open_collection(find_data() / name)


_OPEN: LRUCache[Path, tuple[object, Collection]] = LRUCache(MAX_OPEN)
_LOCK = threading.Lock()


def forget_collection(folder: Path) -> None:
    """Let the next call open a folder anew, although none of its files changed."""
    with _LOCK:
        _OPEN.pop(folder, None)


def open_files(qrels: Path, runs: Sequence[Path]) -> Collection:
    """Open a file of judgements and files of results without a collection.

    Raises:
        DataError: If a file cannot be used, or two runs have the same stem.
    """
    findings: Findings = []
    judged = read_qrels(qrels, str(qrels), findings)
    named = {}
    for path in runs:
        if path.stem in named:
            raise DataError(str(path), f"a second run {path.stem!r}", "files with other stems")
        named[path.stem] = read_run(path, str(path), findings)
    items, queries = _name_tables(judged, named.values())
    versions = {name: Version(name, run=pairs) for name, pairs in named.items()}
    made = Collection(qrels.stem, qrels, {}, items, queries, judged, versions, {}, {})
    return _finish(made, findings)


def _open(folder: Path) -> Collection:
    findings: Findings = []
    broken: Broken = {}
    unread: Broken = {}
    schema = dict(SETTINGS)
    for plugin in list_plugins():
        schema |= plugin.settings
    settings = read_settings(folder / "collection.toml", schema, findings)
    judged = try_to_read(unread, {"qrels": partial(_read_qrels, folder, findings)})
    qrels = judged.get("qrels")
    runs = read_runs(folder, broken, findings)
    _report_unread(folder, findings)
    if "qrels" in unread and not (folder / "items.csv").is_file():
        raise unread["qrels"]
    items, queries = _name_tables(qrels, runs.values()) if qrels else (None, None)
    if not items or (folder / "items.csv").is_file():
        items = read_table(folder / "items.csv", "items.csv", ("item_id",), findings)
    if not len(items):
        raise DataError("items.csv", "no items", "at least one item")
    if not queries or (folder / "queries.csv").is_file():
        queries = _read_queries(folder, items, findings)
    if qrels and (outside := sorted(items.list_unknown(qrels.items))):
        wanted = "items; they count as relevant, but only a file of results can name them"
        findings += count_odd("qrels", outside, "judged items outside the gallery", wanted)
        columns = {name: (*cells, *[""] * len(outside)) for name, cells in items.columns.items()}
        columns["item_id"] = (*items.ids, *outside)
        items = Table(items.file, "item_id", columns, items.lines)
    versions = read_versions(folder, items, queries, broken, findings)
    named = {f"runs/{name}": pairs for name, pairs in runs.items()}
    for file, pairs in (({"qrels": qrels} if qrels else {}) | named).items():
        what = "judgements" if pairs is qrels else "results"
        odd = queries.list_unknown(pairs.queries)
        wanted = "ids of queries.csv; left out"
        findings += count_odd(file, odd, "unknown queries", wanted, before=f"{what} of ")
        if items.file != "qrels" and pairs is not qrels:  # it names whatever they name
            odd = items.list_unknown(pairs.items)
            wanted = "ids of items.csv; they count as not relevant"
            findings += count_odd(file, odd, "unknown items", wanted, "note", f"{what} that name ")
    results = {name: Version(name, run=run, file=f"runs/{name}") for name, run in runs.items()}
    _add_versions(versions, results, findings)
    return _finish(
        Collection(folder.name, folder, settings, items, queries, qrels, versions, broken, unread),
        findings,
    )


def _finish(opened: Collection, findings: Findings) -> Collection:
    """Return a collection with what plugins read, and with all that was found in its files.

    A plugin sees the tables of those before it.
    """
    versions, settings = dict(opened.versions), opened.settings
    for plugin in list_plugins():
        if plugin.read_tables:
            read = partial(load(plugin, "read_tables"), opened, findings)
            opened.tables.update(try_to_read(opened.unread, {plugin.name: read}))
        if plugin.read_versions:
            more = load(plugin, "read_versions")(opened, opened.broken, findings)
            _add_versions(versions, more, findings)
    usable = sorted((name for name in versions if name not in opened.broken), key=make_natural)
    for key in ("default_baseline", "default_candidate"):
        if settings.get(key) and settings[key] not in usable:
            wanted = f"one of the versions ({list_names(usable) or 'there are none'})"
            found = f"{key} = {settings.pop(key)!r}, which is not there"
            add_finding(findings, "collection.toml", found, wanted, "error")
    _check_protocols(opened, findings)
    told = tuple(dict.fromkeys([*map(Finding.from_error, opened.problems), *findings]))
    return replace(opened, versions={name: versions[name] for name in usable}, findings=told)


def _add_versions(versions: Versions, more: Versions, findings: Findings) -> None:
    """Add versions; those whose name another one has are left out, and said.

    A version that a plugin has read from the same file takes the place of the first one.
    """
    for name, version in more.items():
        if name not in versions or versions[name].file == version.file != "":
            versions[name] = version
        else:
            found, wanted = f"a second version {name!r}", "another name. Rename it."
            add_finding(findings, version.file, found, wanted, "error")


def _check_protocols(opened: Collection, findings: Findings) -> None:
    """Add a finding for each protocol that the settings name and that has nothing to judge by."""
    judging = {*opened.tables} | ({"qrels"} if opened.qrels else set())  # the core's own protocol
    if not judging and not opened.unread:
        found, wanted = "nothing to judge by", "judgements (qrels.txt), keywords, classes or labels"
        add_finding(findings, opened.name, found, wanted)
    for place, name in enumerate(opened.protocols):
        if name not in (*judging, *opened.unread):
            level: Level = "warning" if place else "error"
            found = f"protocols names {name!r}, which has nothing to judge by"
            wanted = f"its files, or protocols among {list_names(sorted(judging), 20) or 'none'}"
            add_finding(findings, "collection.toml", found, wanted, level)


def _read_qrels(folder: Path, findings: Findings) -> Pairs | None:
    """Return the judgements of a folder: one file, or two that do not contradict each other."""
    found = [
        (name, read_qrels(folder / name, name, findings))
        for name in QRELS
        if (folder / name).is_file()
    ]
    if len(found) < 2:
        return found[0][1] if found else None
    (name, pairs), (other, others) = found
    add_finding(findings, other, f"judgements beside {name}", "one file; merged", "note")
    values = dict(list_pairs(pairs))
    for pair, value in list_pairs(others):
        if values.setdefault(pair, value) != value:
            raise DataError(
                other,
                f"grade {value:g} for query {pair[0]!r} and item {pair[1]!r}",
                f"{values[pair]:g}, as {name} has",
                do=f"Remove {other} or {name}.",
            )
    return make_pairs(values)


def _read_queries(folder: Path, items: Table, findings: Findings) -> Table:
    """Return the queries; those without a text, an image or a known item are left out, and said."""
    table = read_table(folder / "queries.csv", "queries.csv", ("query_id",), findings)
    names = match_ids((name for name in table["item_id"] if name), items.ids)
    kept = []
    for row, cells in enumerate(table.list_rows("text", "item_id", "image")):
        query, text, item, image = cells
        has_text = any(map(str.isprintable, text.replace(" ", "")))
        if ((has_text or image) and not item) or item in names:
            kept.append(row)
            continue
        why = f"names the unknown item {item[:80]!r}" if item else "has no text and no item"
        wanted = "a query; left out"
        add_finding(findings, "queries.csv", f"{query} {why}", wanted, "warning", table.lines[row])
    columns = {name: [column[row] for row in kept] for name, column in table.columns.items()}
    columns["item_id"] = [names.get(table["item_id"][row], "") for row in kept]
    return Table("queries.csv", "query_id", columns, [table.lines[row] for row in kept])


def _name_tables(qrels: Pairs, runs: Iterable[Pairs]) -> tuple[Table, Table]:
    """Return tables of the items and of the queries that judgements name, then those of runs.

    Queries are those that are judged: one that only a run names cannot be scored.
    """
    named = dict.fromkeys(chain.from_iterable(pairs.items for pairs in (qrels, *runs)))
    items = Table("qrels", "item_id", {"item_id": tuple(named)})
    return items, Table("qrels", "query_id", {"query_id": qrels.queries})


def _list(folder: Path) -> list[Path]:
    """Return the files that opening reads."""
    names = ["collection.toml", "items.csv", "queries.csv", *QRELS]
    names += [name for plugin in list_plugins() for name in plugin.files]
    found = [path for name in names for path in folder.glob(name)]
    for stem in ("items.npy", "items.txt", "queries.npy", "queries.txt", "model.toml"):
        found += (folder / "models").glob(f"[!.]*/{stem}")
    found += (path for path in (folder / "runs").glob("[!.]*") if path.suffix in RUNS)
    return sorted(path for path in found if path.is_file())


def _report_unread(folder: Path, findings: Findings) -> None:
    """Report files of results in a form that is not read; records of the first edition are none."""
    read = {*_list(folder)}
    for path in sorted((folder / "runs").glob("[!.]*")):
        if path.is_file() and path not in read and path.suffix != ".json":
            wanted = f"results with the ending {', '.join(RUNS)}; it is left out"
            found = f"a file with the ending {path.suffix!r}"
            add_finding(findings, f"runs/{path.name}", found, wanted)
