"""Judgements: which files of them count, and the grade of each pair."""

import re
from collections.abc import Sequence
from itertools import chain, compress
from pathlib import PurePosixPath
from statistics import fmean, multimode
from typing import Any

from dashboard.errors import DataError, Level, Unsure, list_names
from dashboard.plugins.importers.gathering import Gathered
from dashboard.plugins.importers.naming import SPLITS, name_part
from dashboard.plugins.importers.pieces import choose_part, list_options
from dashboard.plugins.importers.source import Columns, find_stem
from dashboard.storage.media import strip_name
from dashboard.storage.runs import Pair
from dashboard.storage.vector_ids import list_words
from dashboard.tables import Names, Texts
from dashboard.texts import parse_number, split_cells

GRADED = re.compile(
    r"(^|[\W_])(scores?|match(es|ed)?|same|clicks?|rank|grade|rating|relevan(t|ce|cy)|similarity|label)$",
    re.I,
)
"""Words in names of columns beside pairs that may be grades of these."""
SEVERAL = re.compile(r"[,;|\s\[]")
SPACED = re.compile(r"(\S*\d\S*\s+)+\S*\d\S*")
"""What stands between ids in a cell, and ids with blanks between them, each with a digit."""


def may_be_grades(column: str, cells: Names, scales: Sequence[Texts]) -> bool:
    """Return whether a column may hold grades of pairs: by its name, and by numbers or words."""
    words = {*chain(*scales)}
    are_numbers = (e.lower() in words or parse_number(e) == parse_number(e) for e in cells if e)
    return bool(GRADED.search(column)) and all(are_numbers)


def split_judged(found: Gathered) -> None:
    """Part the cells of judgements that hold several items."""
    parts = split_items(found, [item for _, _, item, _ in found.judged])
    found.judged = [
        (file, query, each, grade)
        for file, query, item, grade in found.judged
        for each in parts.get(item, [item])
    ]


def split_items(found: Gathered, cells: Names) -> Columns:
    """Return the parts of cells that are no item, and hold several of which some are."""
    several = {*filter(SEVERAL.search, cells)}
    if not several:
        return {}
    results = (item for rows in found.results.values() for _, item, _ in rows)
    vectors = (name for own in found.vectors.values() for name in own.ids)
    known = {*found.items.index, *results, *vectors}
    known |= {*map(strip_name, known)}
    parts = {
        cell: [e for part in own for e in (part.split() if SPACED.fullmatch(part) else [part])]
        for cell, own in split_cells(several - known).items()
    }
    return {
        cell: own
        for cell, own in parts.items()
        if not known.isdisjoint((*own, *map(strip_name, own)))
    }


def list_judged(found: Gathered) -> Names:
    """Return the files in which anybody judged a pair."""
    return list(dict.fromkeys(file for file, _, _, grade in found.judged if grade is not None))


def pick_files(found: Gathered, files: Names) -> Names:
    """Return the file of judgements or of captions that the caller names, or all of them.

    Raises:
        DataError: If there is no such file.
    """
    stated, named = found.source.options.judgements, found.source.list_stated(files)
    if stated and not named:
        raise DataError(stated, "no such judgements", f"one of: {list_names(files) or 'none'}")
    return named or files


def choose_judged(found: Gathered) -> Names:
    """Return the files of judgements that count, and drop the queries of others without results.

    They are the one that the caller names, or those of which some query has results: so of
    judgements for tests, for development and of other years those count that were run, and of
    several parts the best one. Files whose names have no word in common, and are no parts, all
    count, and so do all parts of several tables.

    Raises:
        Unsure: If several are of the best part.
        DataError: If there is no such file as the caller names.
    """
    asked = {*found.asked}
    queries: dict[str, set[str]] = {name: set() for name in list_judged(found)}
    files = pick_files(found, list(queries))
    for file, query, _, _ in found.judged:
        queries.get(file, set()).add(query)
    words = [{*list_words(re.sub(r"\d", "", name))} - {""} for name in files]
    parts = [name for name in files if {*map(name_part, find_stem(name).split("."))} & {*SPLITS}]
    used: Names = [name for name in files if queries[name] & asked]
    if used and (parts or set.intersection(*words)):  # as qrels.dev.txt and qrels.test.txt
        others = [name for name in files if name not in used]
        wanted = f"some; left out. Other judgements: --judgements {''.join(others[:1])}"
        what = "files of judgements of queries that no version has results for"
        level: Level = "note" if parts else "warning"
        found.source.count(list_names(used), others, what, wanted, level)
    else:
        used = files
    among = [name for name in used if name in parts]
    tables = {str(PurePosixPath(name).parent) for name in among} & {*found.source.files}
    if among and len(tables) < 2 and not found.source.options.judgements:
        best = choose_part(found.source, among, SPLITS, "parts of judgements")
        used = [name for name in used if name == best or name not in parts]
    found.queries.drop(
        set[str]().union(*queries.values()) - asked.union(*(queries[name] for name in used))
    )
    return used


def merge_judgements(found: Gathered) -> None:
    """Take over the grades of pairs and their files; note on how many pairs people disagree.

    Raises:
        Unsure: If people disagree, and the caller does not say what counts.
        DataError: If there is no such file as the caller names.
    """
    options = found.source.options
    found.files = used = choose_judged(found)
    rows = [each for each in found.judged if each[0] in used and each[3] is not None]
    names = found.match_items((item for _, _, item, _ in rows), list_names(used))
    texts = list(compress(found.queries.index, found.queries.get("text")))
    asked = found.match_items(
        (query for _, query, _, _ in rows), list_names(used), texts or found.queries.index
    )
    found.queries.drop({*asked} - {*asked.values()})
    votes: dict[Pair, list[Any]] = {}
    for file, query, item, grade in rows:
        votes.setdefault((asked.get(query, query), names.get(item, item)), []).append((grade, file))
    odd = {pair: own for pair, own in votes.items() if len({grade for grade, _ in own}) > 1}
    if odd and options.disagreements not in SETTLED:
        (query, item), own = next(iter(odd.items()))
        given = " and ".join(f"{grade:g} in {file}" for grade, file in own[:3])
        told = f"{len(odd):,} pairs with different grades ({given} for {query!r} and {item!r})"
        lines = list_options("--judgements", used if len(used) > 1 else ())
        lines += list_options("--disagreements", SETTLED)
        raise Unsure(own[0][1], told, "one grade for each pair", lines)
    if odd:
        how = f"the {options.disagreements} of each"
        found.notes.append(f"{len(odd):,} pairs with different grades: {how}")
    settle = SETTLED.get(options.disagreements, min)
    found.qrels = [(*pair, settle([each for each, _ in own])) for pair, own in votes.items()]


SETTLED: dict[str, Any] = {"mean": fmean, "majority": lambda grades: min(multimode(grades))}
"""Grades of a pair that several people judged; of grades that are as frequent the lowest."""
