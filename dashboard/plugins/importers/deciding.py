"""Relevance: which file or column decides it. A choice that is not certain is refused."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, multimode

from dashboard.errors import DataError, Unsure, list_names
from dashboard.evaluation.labels import count_missing
from dashboard.plugins.importers.gathering import Gathered, Rows
from dashboard.storage.media import EXTENSION
from dashboard.storage.vector_ids import LABELS
from dashboard.texts import parse_number, split_cells

NEVER = re.compile(
    r"(^|_)(id|ids|uuid|key|file|filename|path|url|split|subset|fold|annotator|author|user|email|"
    r"worker|date|time|timestamp|created|updated|width|height|lead|index|caption|text|poster|kind|"
    r"span|start|end)(_|$)"
)
"""Words in names of columns that never decide relevance, whatever they hold."""
SPLITS = frozenset({"train", "training", "test", "testing", "val", "valid", "validation", "dev"})
ODD = re.compile(
    r"\S+@\S+\.\S+|\d{4}-\d\d-\d\d([ T].*)?|\S+\.(jpe?g|png|webp|gif|mp4|webm|mov)", re.I
)
"""Addresses, dates and names of files, which are no classes."""
MAX_CHARACTERS = 80
MAX_CLASSES = 50
"""Classes of a column that is not called a label, to be offered as one."""
NONE = "none"


@dataclass(frozen=True)
class Basis:
    """The file or column that decides relevance.

    Attributes:
        kind: "judgements", "tables", "keywords", "labels", "captions", or "" for nothing.
        name: Its file or column.
        others: What could have decided instead.
    """

    kind: str
    name: str = ""
    others: tuple[str, ...] = ()


def choose_basis(found: Gathered) -> Basis:
    """Return what decides relevance.

    Raises:
        Unsure: If several things could decide, and neither the source nor the caller says which.
    """
    relevance = found.source.options.relevance
    stated, possible = list_label_columns(found)
    if found.copied and not relevance:
        return Basis("tables", list_names(found.copied), tuple(stated))
    files = list_judged(found)
    fixed = ["judgements"] * bool(files) + ["captions"] * bool(found.captions)
    every = [*fixed[:1], *stated, *fixed[1:], *possible]
    keywords = [name for name in found.items.columns if name.startswith("pv_")]
    if relevance:
        return _obey(found, relevance, every)
    if files:
        return Basis(
            "judgements", list_names(files), tuple(each for each in every if each != "judgements")
        )
    if keywords:
        return Basis("keywords", list_names(keywords), tuple(every))
    several = len(found.captions) > len({item for item, _, _ in found.captions})
    belong = several or (not stated and _has_pictures(found))
    ways = [*stated, *(["captions"] if found.captions and belong else [])]
    if len(ways) == 1:
        kind = "captions" if ways[0] == "captions" and ways[0] not in stated else "labels"
        return Basis(kind, ways[0], tuple(each for each in every if each != ways[0]))
    open_ways = ways or possible
    if not open_ways:
        return Basis("")
    told = f"{len(open_ways):,} that could decide relevance ({list_names(open_ways)})"
    lines = [f"--relevance {shlex.quote(each)}" for each in [*open_ways[:5], NONE]]
    raise Unsure(_name_source(found, open_ways), told, "one that is named so", lines)


def _has_pictures(found: Gathered) -> bool:
    """Return whether texts of items describe pictures, and are not the items themselves."""
    cells = (*found.items.get("file"), *found.items.index)
    is_asked = any(side == "texts" for _, side in found.vectors)
    return bool(found.written) or is_asked or any(map(EXTENSION.search, cells))


def _obey(found: Gathered, relevance: str, every: Sequence[str]) -> Basis:
    others = tuple(each for each in every if each != relevance)
    if relevance == NONE:
        return Basis("", "", others)
    if relevance == "judgements" and relevance in every:
        return Basis(relevance, list_names(found.judged), others)
    if relevance in found.items.columns and relevance != "caption":
        if len(set(filter(None, clean_classes(found.items.get(relevance))))) < 2:
            wanted = f"two classes, as {list_names(others) or NONE} has"
            raise DataError(relevance, "one class, or none", wanted)
        return Basis("labels", relevance, others)
    if relevance in ("captions", "caption") and found.captions:
        return Basis("captions", "captions", others)
    lines = [f"--relevance {shlex.quote(each)}" for each in (*every[:5], NONE)]
    raise Unsure("--relevance", repr(relevance), "a column of the items", lines)


def _name_source(found: Gathered, ways: Sequence[str]) -> str:
    return next((found.sources[way] for way in ways if way in found.sources), "captions")


def list_judged(found: Gathered) -> list[str]:
    """Return the files in which anybody judged a pair."""
    every = found.judged.items()
    return [name for name, own in every if any(grade is not None for grade in own.values())]


def list_label_columns(found: Gathered) -> tuple[list[str], list[str]]:
    """Return the columns that say that they are classes, and others that may be."""
    stated: list[str] = []
    possible: list[str] = []
    for column in found.items.columns:
        small = column.strip().lower().rpartition(".")[2]
        is_stated = column in found.declared or small in LABELS or small.endswith("_label")
        if (NEVER.search(small) and column not in found.declared) or small.startswith("pv_"):
            continue
        cells = [cell for cell in clean_classes(found.items.get(column)) if cell]
        if is_stated and (_has_classes(cells) or any(found.queries.get(column))):
            stated.append(column)
        elif not is_stated and _has_classes(cells) and _has_few(cells):
            possible.append(column)
    return stated, possible


def clean_classes(cells: Sequence[str]) -> list[str]:
    """Return cells without the words that stand for no class.

    >>> clean_classes(["cat", "N/A", "", '["cat", "none"]'])
    ['cat', '', '', '["cat"]']
    """
    words, parts = count_missing(cells), split_cells(cells)
    kept = {cell: [part for part in own if part not in words] for cell, own in parts.items()}
    same = {cell for cell, own in parts.items() if own and own == kept[cell]}
    return [cell if cell in same else _write_list(kept[cell]) for cell in cells]


def _write_list(parts: Sequence[str]) -> str:
    return json.dumps(parts, ensure_ascii=False) if parts else ""


def settle_classes(rows: Rows, column: str) -> None:
    """Give each row that several people labelled the classes of more than half of them."""
    for (name, item), cells in rows.votes.items():
        if name == column:
            parts = split_cells(cells)
            counts = Counter(part for cell in cells for part in dict.fromkeys(parts[cell]))
            most = [part for part, times in counts.items() if 2 * times > len(cells)]
            alike = (cell for cell in cells if set(parts[cell]) == set(most))
            rows.columns[column][rows.index[item]] = next(alike, _write_list(most))


def _has_classes(cells: Sequence[str]) -> bool:
    """Return whether cells hold classes: at least two, and one of them twice; no splits."""
    counts = Counter(cells)
    is_split = {cell.lower().strip("[]\" '") for cell in counts} <= SPLITS
    is_odd = any(ODD.fullmatch(cell) for cell in list(counts)[:20])
    return 1 < len(counts) < len(cells) and not is_split and not is_odd


def _has_few(cells: Sequence[str]) -> bool:
    counts = Counter(cells)
    is_text = max(map(len, counts)) > MAX_CHARACTERS
    is_fraction = any("." in cell and parse_number(cell) == parse_number(cell) for cell in counts)
    is_alike = counts.most_common(1)[0][1] > 0.98 * len(cells)
    is_few = len(counts) <= min(MAX_CLASSES, len(cells) // 2)
    return is_few and not (is_text or is_fraction or is_alike)


def settle_votes(found: Gathered, file: str) -> None:
    """Give each pair of a file that several people judged one grade.

    Raises:
        Unsure: If they disagree and the caller does not say what counts.
    """
    votes, how = found.votes.get(file, {}), found.source.options.disagreements
    odd = [pair for pair, grades in votes.items() if len(set(grades)) > 1]
    if not odd:
        return
    if how not in SETTLED:
        given = " and ".join(f"{grade:g}" for grade in votes[odd[0]][:3])
        query, item = odd[0]
        told = f"{len(odd):,} pairs with different grades ({given} for {query!r} and {item!r})"
        lines = [f"--disagreements {each}" for each in SETTLED]
        raise Unsure(file, told, "one grade for each pair", lines)
    for pair in odd:
        found.judged[file][pair] = SETTLED[how](votes[pair])
    found.settled = f"; {len(odd):,} pairs with different grades: the {how} of each"


SETTLED: Mapping[str, Callable[[list[float]], float]] = {
    "mean": fmean,
    "majority": lambda grades: min(multimode(grades)),
}
"""Grades of a pair that several people judged; of grades that are as frequent the lowest."""


def merge_judgements(found: Gathered) -> dict[tuple[str, str], float]:
    """Return the grades of the chosen file of judgements, or of all that agree.

    Raises:
        Unsure: If two files, or the rows of one, contradict each other and nothing says which
            counts.
        DataError: If there is no such file.
    """
    files, chosen = list_judged(found), found.source.options.judgements
    if chosen:
        named = [name for name in files if chosen in (name, name.rpartition("/")[2])]
        if not named:
            raise DataError(chosen, "no such judgements", f"one of: {list_names(files) or NONE}")
        files = named[:1]
    merged: dict[tuple[str, str], float] = {}
    origin: dict[tuple[str, str], str] = {}
    for file in files:
        settle_votes(found, file)
    for file in files:
        for pair, grade in found.judged[file].items():
            if grade is None:
                continue
            if merged.setdefault(pair, grade) != grade:
                told = f"grade {grade:g} for query {pair[0]!r} and item {pair[1]!r}"
                wanted = f"{merged[pair]:g}, as {origin[pair]} has"
                lines = [f"--judgements {shlex.quote(each)}" for each in files]
                raise Unsure(file, told, wanted, lines)
            origin.setdefault(pair, file)
    if len(files) > 1:
        found.count(files[0], files, "files of judgements", "one; they agree, merged")
    return merged
