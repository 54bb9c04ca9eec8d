"""The steps of `init`: list, recognise, gather, decide, write, check, move into place."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dashboard.errors import DataError, Finding, list_names
from dashboard.plugins import load_all
from dashboard.plugins.importers.column_roles import OURS
from dashboard.plugins.importers.deciding import NEVER
from dashboard.plugins.importers.gathering import Gathered
from dashboard.plugins.importers.pieces import Format
from dashboard.plugins.importers.placing import Placed, choose_hashing, write_versions
from dashboard.plugins.importers.planning import Plan, make_plan
from dashboard.plugins.importers.source import BROKEN, Source, list_source
from dashboard.plugins.importers.writing import (
    keep_versions,
    open_draft,
    write_collection,
)
from dashboard.storage.collection import open_collection
from dashboard.storage.folders import MARKS, find_data
from dashboard.storage.media import list_missing
from dashboard.storage.new_versions import record_inputs, write_toml
from dashboard.storage.settings import read_toml
from dashboard.storage.versions import list_stale

TABLES = ("items.csv", "queries.csv", "qrels.csv")
ADDRESS = "http://localhost:8501/{}?collection={}"


@dataclass(frozen=True, eq=False)
class Made:
    """A collection that was made: its files, the answer in lines, and its address."""

    rows: list[dict[str, Any]]
    findings: list[Finding]
    block: tuple[str, ...]
    address: str


def make_collection(call: Namespace) -> Made:
    """Make a collection of a source; without an error it is there, and `check` accepts it.

    Raises:
        Unsure: If a choice that decides numbers is open.
        DataError: If the source cannot be used, or the place is taken.
    """
    place = _find_place(call.new, call.source, call.update)
    source = list_source(call.source, call)
    with open_draft(place, keep=not call.dry_run) as draft:
        found = gather_pieces(source, draft)
        plan = make_plan(found)
        placed = write_versions(draft, found, plan)
        choose_hashing(plan, placed)
        block = describe(found, plan, placed)
        is_bare = not (placed or found.runs)
        mapped = [f"--map {call.map}"] if call.map else []
        plan.settings |= {"title": place.name, "source": [*block[: 3 - is_bare], *mapped]}
        rows = write_collection(draft, found, plan, placed)
        if place.is_dir():
            _take_over(place, draft, found, plan)
        (draft / "collection.toml").write_text(write_toml(plan.settings), encoding="utf-8")
        findings = [*source.findings, *check_draft(draft, placed)]
    page = "compare" if len(placed) + len(found.runs) > 1 else ""
    address = ADDRESS.format(page, place.name)
    address = "Nothing was made: --dry-run." if call.dry_run else address
    lines = list_ways(call.new, plan) if is_bare else ()
    return Made(rows, findings, (*block, *lines), address)


def list_ways(new: str, plan: Plan) -> list[str]:
    """Return the lines to type that add a version to a collection without one."""
    model = "clip-ViT-B-32" if any(plan.items.get("file")) else "all-MiniLM-L6-v2"
    texts = " --queries texts.npz" if any(plan.queries.get("text")) else ""
    typed = (f"embed {{}} v1 --encoder {model}", f"add {{}} v1 --items vectors.npz{texts}")
    return [f"  python -m dashboard {each.format(shlex.quote(new))}" for each in typed]


def _take_over(place: Path, draft: Path, found: Gathered, plan: Plan) -> None:
    """Keep versions and settings of the collection that is there, and say what changes."""
    old = read_toml(place / "collection.toml", "collection.toml")
    guessed = {key for table in found.copied.values() for key in table.settings}
    own = {key: old[key] for key in guessed & old.keys()}
    plan.settings = old | plan.settings | own | {"title": old.get("title", place.name)}
    if kept := keep_versions(place, draft):
        found.source.say(place.name, f"{list_names(kept)} beside the source", "these; kept", "note")
    for name in TABLES:
        before, now = (set(_list_lines(folder / name)) for folder in (place, draft))
        if before != now:
            new, gone = len(now - before), len(before - now)
            said = f"{new:,} rows that are new or changed, and {gone:,} that are gone"
            found.source.say(name, said, "changes of the source; taken in", "note")


def _list_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n") if path.is_file() else []


def _find_place(new: str, path: Path, update: bool) -> Path:
    """Return the folder of the new collection."""
    place = Path(new) if len(Path(new).parts) > 1 else find_data() / new
    if not place.name or place.name.startswith(".") or not place.name.isprintable():
        raise DataError(repr(new), "no name for a folder", "a name, or the path of a folder")
    there, inside = place.resolve(), path.resolve()
    if there.is_relative_to(inside) or inside.is_relative_to(there):
        raise DataError(place.name, "a place inside the source, or around it", "one apart from it")
    if place.exists() and any(place.iterdir() if place.is_dir() else [place]):
        if not any((place / mark).is_file() for mark in MARKS):
            raise DataError(place.name, "something that is no collection", "a new name")
        if not update:
            do = "Type --update to make it anew, or another name."
            raise DataError(place.name, "a collection that is there", "a new name", do=do)
    return place


def list_formats() -> list[Format]:
    """Return all formats in the order in which they choose files, those of teams first."""
    return [each for formats in reversed(load_all("formats")) for each in formats]


def gather_pieces(source: Source, folder: Path) -> Gathered:
    """Return all that the formats yield.

    Raises:
        DataError: If there is nothing that one of them reads.
    """
    found, mapped = Gathered(folder, source), source.options.columns
    for each in list_formats():
        files = dict.fromkeys(each.recognise(source))
        source.left = [name for name in source.left if name not in files]
        try:
            for piece in each.read(source, list(files)) if files else ():
                found.add(piece)
        except BROKEN as error:
            source.leave_out(next(iter(files)), error)
    source.report_unread()
    for ours in set(mapped) - (source.mapped & set(OURS)):
        wanted = f"one of {', '.join(OURS)}, and a column of a table"
        raise DataError("--map", f"{ours}={mapped[ours]}", wanted)
    _report_differing(found)
    if not (found.items or found.judged or found.runs or any(map(len, found.vectors.values()))):
        said = "; ".join(f"{e.file}: {e.found}; {e.wanted}" for e in source.findings[:3])
        seen = f"{len(source.files):,} files ({said or 'none'})"
        known = ", ".join(each.name for each in list_formats())
        raise DataError(source.root.name, seen, f"one of: {known}")
    return found


def _report_differing(found: Gathered) -> None:
    """Say where rows of one id have different cells, as those of several annotators have."""
    most = "the first annotator's count. Those of most: --disagreements majority"
    if found.source.options.disagreements == "majority":
        most = "those of most annotators count"
    for rows in (found.items, found.queries):
        odd: dict[str, list[list[str]]] = {}
        for (column, _), cells in rows.again.items():
            if len(set(cells)) > 1:
                odd.setdefault(column, []).append(cells)
        for column, lists in odd.items():
            is_class = column in found.declared or "annotator" in rows.columns
            if is_class and not NEVER.search(column.lower()):
                what, wanted = "pictures whose annotators disagree", f"one answer; {most}"
                many = len(lists)
            else:
                what, wanted = f"rows that give an id a second {column}", "one of each"
                wanted += "; the first counts"
                many = sum(cell != cells[0] for cells in lists for cell in cells)
            found.source.count(found.sources.get(column, "queries"), many, what, wanted)


def describe(found: Gathered, plan: Plan, placed: Sequence[Placed]) -> tuple[str, str, str]:
    """Return the answer: what decides relevance, which items it names, which versions there are."""
    files = list_names(plan.files)
    relevant = "; ".join([f"{plan.told} ({files})" if files else plan.told, *plan.notes])
    lost = f"{len(plan.lost):,} more are not there ({list_names(plan.lost)})" if plan.lost else ""
    items = f"{len(plan.pictures):,} of {list_names(found.list_files('items.csv'))}"
    judged = "; ".join(filter(None, [f"judged: {plan.judged:,}", lost]))
    versions = [f"{each.name} ({', '.join(each.said.values())})" for each in placed]
    versions += [f"{n} ({len(e.rows):,} results of {e.file})" for n, e in found.runs.items()]
    return (
        f"Relevant: {relevant}",
        f"Items: {items}; {judged}",
        f"Versions: {'; '.join(versions) or 'none yet'}",
    )


def check_draft(draft: Path, placed: Sequence[Placed]) -> list[Finding]:
    """Return what `check` finds, and record which rows new vectors were made for.

    Raises:
        DataError: If it finds an error.
    """
    opened = open_collection(draft)
    for each in opened.findings:
        if each.level == "error":
            raise DataError(each.file, each.found, each.wanted, line=each.line)
    tables = (opened.items, opened.queries)
    new = {each.name for each in placed if (draft / "models" / each.name).is_dir()}
    for name in new & opened.versions.keys():
        record_inputs(draft / "models" / name, opened.versions[name], *tables)
    kept = {name: opened.versions[name] for name in opened.versions.keys() - new}
    missing = list_missing(draft, opened.settings, opened.items)
    return [*opened.findings, *missing, *list_stale(draft, kept, *tables)]
