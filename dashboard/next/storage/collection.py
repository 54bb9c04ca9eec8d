"""A folder (or files of judgements and runs) opened as a Collection of checked frozen tables."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from dashboard.next.errors import DataError, Finding, list_names
from dashboard.next.plugins import PLUGINS, load
from dashboard.next.storage.media import match_ids
from dashboard.next.storage.runs import Pairs, merge_pairs, read_qrels, read_run
from dashboard.next.storage.settings import SETTINGS, read_settings, read_toml
from dashboard.next.storage.vectors import Vectors, read_vectors
from dashboard.next.tables import BoolArray, IntArray, Table, make_table, read_table

QRELS = ("qrels.txt", "qrels.csv")
RUNS = (".trec", ".txt", ".run", ".csv")
MAX_OPEN = 8
"""Collections that are kept open."""


@dataclass(frozen=True, eq=False)
class Version:
    """A version to measure: vectors of items and of stored queries, or a file of results."""

    name: str
    note: str = ""
    date: str = ""
    items: Vectors | None = None
    queries: Vectors | None = None
    run: Pairs | None = None


@dataclass(frozen=True, eq=False)
class Collection:
    """Everything that was opened, checked.

    Attributes:
        items: `item_id`, file, poster, caption …, in gallery order.
        queries: `query_id`, text, item_id (of an item query), scene ….
        qrels: Judged pairs; None without a file.
        tables: What each plugin read, by its name.
        versions: Versions that can be used, in natural order of their names.
        broken: Why a version (or a plugin's tables) cannot be used.
        digest: SHA-256 of every file that was opened.
    """

    name: str
    folder: Path
    settings: Mapping[str, Any]
    items: Table
    queries: Table
    qrels: Pairs | None
    versions: Mapping[str, Version]
    tables: Mapping[str, Any] = field(default_factory=dict)
    broken: Mapping[str, DataError] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    digest: str = ""

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
        pairs = zip(self.queries["item_id"], self.queries["image"], strict=True)
        index = self.items.index
        found = [index.get(item or image, files.get(image, -1)) for item, image in pairs]
        return np.array(found, dtype=np.int64)

    @cached_property
    def is_text(self) -> BoolArray:
        """True for each query with a text. [queries]."""
        return np.array([bool(text) for text in self.queries["text"]], dtype=bool)

    def name_query(self, query: int) -> str:
        """Return what a person calls a query: its text, its caption or its item's, or an id."""
        item = int(self.own_items[query])
        names = (
            self.queries["text"][query],
            self.items["caption"][item] if item >= 0 else "",
            self.queries["caption"][query],
            self.items.ids[item] if item >= 0 else "",
        )
        return next(filter(None, names), self.queries.ids[query])

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
        raise DataError(str(folder), "no such folder", "the folder of a collection")
    state = tuple((path, path.stat().st_mtime_ns, path.stat().st_size) for path in _list(folder))
    with _LOCK:
        if folder not in _OPEN or _OPEN[folder][0] != state:
            while len(_OPEN) >= MAX_OPEN:
                _OPEN.pop(next(iter(_OPEN)))
            _OPEN[folder] = (state, _open(folder))
        return _OPEN[folder][1]


_OPEN: dict[Path, tuple[object, Collection]] = {}
_LOCK = threading.Lock()


def open_files(qrels: Path, runs: Sequence[Path]) -> Collection:
    """Open a file of judgements and files of results without a collection.

    Raises:
        DataError: If a file cannot be used, or two runs have the same stem.
    """
    findings: list[Finding] = []
    judged = read_qrels(qrels, str(qrels), findings)
    named: dict[str, Pairs] = {}
    for path in runs:
        if path.stem in named:
            raise DataError(str(path), f"a second run {path.stem!r}", "files with other stems")
        named[path.stem] = read_run(path, str(path), findings)
    items, queries = _name_tables(judged, named.values())
    versions = {name: Version(name, run=pairs) for name, pairs in named.items()}
    digest = _digest([qrels, *runs])
    made = Collection(qrels.stem, qrels, {}, items, queries, judged, versions, digest=digest)
    return _read_plugins(made, {}, findings)


def _open(folder: Path) -> Collection:
    findings: list[Finding] = []
    broken: dict[str, DataError] = {}
    schema = SETTINGS | {key: each for plugin in PLUGINS for key, each in plugin.settings.items()}
    settings = read_settings(folder / "collection.toml", schema, findings)
    qrels = _try("qrels", broken, partial(_read_qrels, folder, findings))
    runs = _read_runs(folder, broken, findings)
    if "qrels" in broken and not (folder / "items.csv").is_file():
        raise broken["qrels"]
    items, queries = _read_items(folder, qrels, runs, findings)
    items = _add_judged(items, qrels, findings)
    if qrels is not None:
        _report_unknown("qrels", "judgements", qrels, queries, items, findings)
    versions = _read_versions(folder, items, queries, broken, findings)
    for name, pairs in runs.items():
        if name in versions:
            found = f"a run {name!r} beside the folder models/{name}"
            finding = Finding("error", "runs", None, found, "another name. Rename the run.")
            findings.append(finding)
            continue
        _report_unknown(f"runs/{name}", "results", pairs, queries, items, findings)
        versions[name] = Version(name, run=pairs)
    for key in ("default_baseline", "default_candidate"):
        if settings.get(key) and settings[key] not in versions:
            wanted = f"one of the versions ({list_names(versions) or 'there are none'})"
            found = f"{key} = {settings[key]!r}, which is not there"
            findings.append(Finding("error", "collection.toml", None, found, wanted))
            settings.pop(key)
    made = Collection(
        folder.name, folder, settings, items, queries, qrels,
        dict(sorted(versions.items(), key=lambda pair: _natural(pair[0]))),
        broken=broken, digest=_digest(_list(folder)),
    )  # fmt: skip
    return _read_plugins(made, broken, findings)


def _read_plugins(
    opened: Collection, broken: dict[str, DataError], findings: list[Finding]
) -> Collection:
    """Return a collection with the tables of plugins and all findings.

    A plugin sees the tables of those before it.
    """
    tables: dict[str, Any] = {}
    opened = replace(opened, tables=tables, broken=broken)
    for plugin in PLUGINS:
        if plugin.read_tables:
            read = partial(load(plugin, "read_tables"), opened, findings)
            tables[plugin.name] = _try(plugin.name, broken, read)
    every = (*map(Finding.from_error, broken.values()), *findings)
    return replace(opened, findings=every)


def _try(name: str, broken: dict[str, DataError], read: Callable[[], Any]) -> Any:
    try:
        return read()
    except DataError as error:
        broken[name] = error
        return None


def _read_items(
    folder: Path, qrels: Pairs | None, runs: Mapping[str, Pairs], findings: list[Finding]
) -> tuple[Table, Table]:
    """Return items and queries; without their files, those that judgements and runs name."""
    if not (folder / "items.csv").is_file() and qrels is not None:
        items, named = _name_tables(qrels, runs.values())
        queries = _read_queries(folder, items, findings) if _has_queries(folder) else named
        return items, queries
    items = read_table(folder / "items.csv", "items.csv", ("item_id",), findings)
    if not len(items):
        raise DataError("items.csv", "no items", "at least one item")
    if not _has_queries(folder) and qrels is not None:
        return items, _name_tables(qrels, runs.values())[1]
    return items, _read_queries(folder, items, findings)


def _read_qrels(folder: Path, findings: list[Finding]) -> Pairs | None:
    """Return the judgements of a folder: one file, or two that agree."""
    found = [
        (name, read_qrels(folder / name, name, findings))
        for name in QRELS
        if (folder / name).is_file()
    ]
    if len(found) < 2:
        return found[0][1] if found else None
    (name, pairs), (other, others) = found
    merged = merge_pairs(pairs, others, name, other)
    findings.append(Finding("note", other, None, f"judgements beside {name}", "one file; merged"))
    return merged


def _report_unknown(
    file: str, what: str, pairs: Pairs, queries: Table, items: Table, findings: list[Finding]
) -> None:
    """Add a warning for queries, and a note for items, that the collection lacks."""
    unknown = [name for name in pairs.queries if name not in queries.index]
    if unknown:
        found = f"{what} of {len(unknown):,} unknown queries ({list_names(unknown)})"
        findings.append(Finding("warning", file, None, found, "ids of queries.csv; left out"))
    unknown = [name for name in pairs.items if name not in items.index]
    if unknown:
        found = f"{what} that name {len(unknown):,} unknown items ({list_names(unknown)})"
        wanted = "ids of items.csv; they count as not relevant"
        findings.append(Finding("note", file, None, found, wanted))


def _add_judged(items: Table, qrels: Pairs | None, findings: list[Finding]) -> Table:
    """Return the items and after them judged ones that the file lacks: these count as relevant."""
    outside = [] if qrels is None else [name for name in qrels.items if name not in items.index]
    if not outside:
        return items
    found = f"{len(outside):,} judged items outside the gallery ({list_names(sorted(outside))})"
    wanted = "items; they count as relevant, but only a file of results can name them"
    findings.append(Finding("warning", "qrels", None, found, wanted))
    columns = {name: (*cells, *[""] * len(outside)) for name, cells in items.columns.items()}
    columns["item_id"] = (*items.ids, *sorted(outside))
    return Table(items.file, "item_id", columns, items.lines)


def _has_queries(folder: Path) -> bool:
    return (folder / "queries.csv").is_file()


def _read_queries(folder: Path, items: Table, findings: list[Finding]) -> Table:
    """Return the queries; those without a text, an image or a known item are left out, and said."""
    table = read_table(folder / "queries.csv", "queries.csv", ("query_id",), findings)
    names = match_ids((name for name in table["item_id"] if name), items.ids)
    kept: list[int] = []
    for row, (query, text, item, image) in enumerate(
        zip(table.ids, table["text"], table["item_id"], table["image"], strict=True)
    ):
        has_text = any(map(str.isprintable, text.replace(" ", "")))
        if ((has_text or image) and not item) or item in names:
            kept.append(row)
            continue
        why = f"names the unknown item {item[:80]!r}" if item else "has no text and no item"
        wanted = "a query; left out"
        line = table.lines[row]
        findings.append(Finding("warning", "queries.csv", line, f"{query} {why}", wanted))
    columns = {name: tuple(cells[row] for row in kept) for name, cells in table.columns.items()}
    columns["item_id"] = tuple(names.get(table["item_id"][row], "") for row in kept)
    return Table("queries.csv", "query_id", columns, [table.lines[row] for row in kept])


def _name_tables(qrels: Pairs, runs: Iterable[Pairs]) -> tuple[Table, Table]:
    """Return tables of the items and of the queries that judgements name, then those of runs.

    Queries are those that are judged: one that only a run names cannot be scored.
    """
    items = dict.fromkeys(qrels.items)
    for pairs in runs:
        items |= dict.fromkeys(pairs.items)
    return make_table("qrels", "item_id", items), make_table(
        "qrels", "query_id", dict.fromkeys(qrels.queries)
    )


def _read_versions(
    folder: Path,
    items: Table,
    queries: Table,
    broken: dict[str, DataError],
    findings: list[Finding],
) -> dict[str, Version]:
    versions: dict[str, Version] = {}
    for place in sorted(path for path in (folder / "models").glob("[!.]*") if path.is_dir()):
        made = _try(place.name, broken, partial(_read_version, place, items, queries, findings))
        if made:
            versions[place.name] = made
    return versions


def _read_version(place: Path, items: Table, queries: Table, findings: list[Finding]) -> Version:
    shown = f"models/{place.name}"
    described = read_toml(place / "model.toml", f"{shown}/model.toml", findings)
    gallery = read_vectors(place, "items", items.ids, findings)
    if gallery is None:
        raise DataError(f"{shown}/items.npy", "no such file", "the vectors of the items")
    texts = [name for name, item in zip(queries.ids, queries["item_id"], strict=True) if not item]
    has_own = bool(texts) or _names_any(place / "queries.txt", queries)
    stored = read_vectors(place, "queries", queries.ids, findings) if has_own else None
    if stored is not None and stored.dimension != gallery.dimension:
        found = f"query vectors of {stored.dimension} dimensions"
        raise DataError(f"{shown}/queries.npy", found, f"{gallery.dimension}, as the items have")
    for stem, vectors, wanted in (("items", gallery, items.ids), ("queries", stored, texts)):
        there = frozenset(() if vectors is None else vectors.ids)
        lacking = [name for name in wanted if name not in there]
        if lacking:
            found = f"no vector for {len(lacking):,} of {len(wanted):,} ({list_names(lacking)})"
            finding = Finding(
                "warning", f"{shown}/{stem}.npy", None, found, f"one for each of {stem}"
            )
            findings.append(finding)
    note, date = str(described.get("note", "")), str(described.get("date", ""))
    return Version(place.name, note, date, gallery, stored)


def _names_any(path: Path, queries: Table) -> bool:
    """Return whether a file of ids names one of the queries."""
    if not path.is_file():
        return False
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return any(line.strip() in queries.index for line in lines)


def _read_runs(
    folder: Path, broken: dict[str, DataError], findings: list[Finding]
) -> dict[str, Pairs]:
    runs: dict[str, Pairs] = {}
    for path in sorted((folder / "runs").glob("[!.]*")):
        if path.suffix not in RUNS:
            continue
        if path.stem in runs:
            found, wanted = f"a second run {path.stem!r}", "another name. Rename the file."
            findings.append(Finding("error", f"runs/{path.name}", None, found, wanted))
        else:
            pairs = _try(path.stem, broken, partial(read_run, path, f"runs/{path.name}", findings))
            if pairs:
                runs[path.stem] = pairs
    return runs


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts v0.2 before v0.10."""
    parts = re.findall(r"\d+|\D+", name)
    return [(0, int(each), "") if each.isdecimal() else (1, 0, each) for each in parts]


def _list(folder: Path) -> list[Path]:
    """Return the files that opening reads."""
    names = ["collection.toml", "items.csv", "queries.csv", *QRELS]
    names += [name for plugin in PLUGINS for name in plugin.files]
    found = [folder / name for name in names]
    for stem in ("items.npy", "items.txt", "queries.npy", "queries.txt", "model.toml"):
        found += (folder / "models").glob(f"[!.]*/{stem}")
    found += (path for path in (folder / "runs").glob("[!.]*") if path.suffix in RUNS)
    return sorted(path for path in found if path.is_file())


def _digest(paths: Sequence[Path]) -> str:
    whole = hashlib.sha256()
    for path in paths:
        whole.update(f"{path.name}\0".encode())
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()
