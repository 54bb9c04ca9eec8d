"""Relevance: which file or column decides it. A choice that is not certain is refused."""

import re
from collections import Counter
from itertools import compress, product
from typing import Any

from dashboard.errors import Unsure, list_names
from dashboard.evaluation.judgement import count_missing
from dashboard.plugins.importers.column_roles import name_plainly
from dashboard.plugins.importers.gathering import Gathered, Rows
from dashboard.plugins.importers.judged_pairs import list_judged, may_be_grades, split_items
from dashboard.plugins.importers.naming import (
    BOTH,
    COLUMN,
    GALLERY,
    PARTS,
    QUERY,
    are_parts,
    divides,
    name_part,
)
from dashboard.plugins.importers.pieces import RELEVANT, list_options, write_list
from dashboard.storage.media import EXTENSION
from dashboard.tables import Names, Texts, number_names
from dashboard.texts import split_cells

NEVER = re.compile(
    r"(^|_)(id|ids|uuid|key|file|filename|path|url|split|subset|fold|annotator|author|user|email|"
    r"worker|date|time|timestamp|created|updated|width|height|lead|index|caption|text|poster|"
    r"span|start|end|bbox|box|boxes|points|times)(_|$)|^kind$|^is_(query|gallery)$|^cam(era)?_?(ids?)?$"
)
"""Words in names of columns that never decide relevance, whatever they hold."""
CLASSED = re.compile(
    r"(^|[_.])(\w*labels?|class(es)?|category|categories)([_.]?(names?|group|\d+))?$|"
    r"^objects?[_.]names?$|(^|[.])(ground_truth|targets?|choice)$"
)
KEYED = re.compile(
    r"(^|_)(class|category|label|landmark|identity|person|individual|instance|vehicle|whale|cluster|"
    r"species|product|group|style|brand)"
    r"_?(id|number|idx|index)$"
)
"""Names of columns that say that they are classes, and of the numbers of some."""
NUMBERS = re.compile("(class|category|label|landmark|species)_?(id|idx|index)", re.I)
"""The only column of numbers of classes decides without a question."""
DESCRIBED = ("file", "poster", "kind")
YES, NO = frozenset({"1", "1.0", "true"}), frozenset({"0", "0.0", "-1", "-1.0", "false", ""})
"""Columns that are no classes, and cells of columns that are a class each."""
ODD = re.compile(
    r"\S+@\S+\.\S+|\d{4}-\d\d-\d\d([ T].*)?|\S+\.(jpe?g|png|webp|gif|mp4|webm|mov)|"
    r"[-+]?\d*\.\d*[1-9]\d*",
    re.I,
)
"""Addresses, dates, names of files and fractions, which are no classes."""
SPANNED = re.compile(r"\[\[|\[[-+]?\d*\.\d")
"""The beginning of a list of places or times."""
NUMERIC = re.compile(r"[-+\d.:/ ]+")
"""Numbers, times and dates, which are offered after all others."""
TARGETED = re.compile(
    rf"(?!item_id$|image$)((all_)?({RELEVANT.pattern}|positives|pos|expected|targets?|ground_?truth|gt)"
    r"(_(video|clip|image|item|doc|document|product|asset)s?)?(_?(ids?|names?|files?))?|"
    r"(video|clip|image|item|doc|document|product|asset)_?(ids?|name|no|file)?)$",
    re.I,
)
"""Names of columns of queries that hold what is relevant, if they hold ids of items."""
MAX_CHARACTERS = 80
MAX_CLASSES = 50
"""Classes of a column that is not called a label, to be offered as one."""
KEYWORDS = "pv_"
"""Begins the names of columns of keywords."""
NONE, MARKED = "none", "marked"


def choose_basis(found: Gathered) -> Names:
    """State what decides relevance and its column of classes; return what else could decide it.

    It is what the caller names, what decided before, or the only thing that can: "judgements",
    "tables", "keywords", "captions", "labels", or "" for nothing.

    Raises:
        Unsure: If several things could decide, and neither the source nor the caller says which.
        DataError: If the column that the caller names has no two classes.
    """
    items = found.items
    stated, possible = list_label_columns(found)
    has_classes = any(any(found.queries.get(column)) for column in stated)
    targets = {} if has_classes else list_targets(found)
    stated = [*targets, *stated]
    there = {
        "tables": found.copied,
        "judgements": list_judged(found),
        "keywords": any(name.startswith(KEYWORDS) for name in items.columns),
        "captions": found.captions,
    }
    fixed, options = [name for name, own in there.items() if own], found.source.options
    every = [*fixed, *stated, *possible]
    pairs = {(item, text) for _, item, text, _ in found.captions}
    several = len(pairs) > len({item for item, _ in pairs})
    sides = {side for _, side in found.vectors}
    is_asked = found.written or "video" in items.get("kind") or "texts" in sides
    is_apart = (
        several
        or not stated
        and (is_asked or any(map(EXTENSION.search, (*items.get("file"), *items.index))))
    )
    known = {*fixed, options.before} - {"captions"}
    sure = [options.relevance] if options.relevance else list(filter(known.__contains__, every))
    ways = [*stated, *["captions"] * bool(pairs and is_apart)] or possible
    lost = [e for e in found.source.findings if e.level == "warning"]
    is_sure = ways in (stated[:1], ["captions"]) or ways == list(
        filter(NUMBERS.fullmatch, possible)
    )
    said = " ".join(map(str, lost[:3])).rstrip(".")
    if not sure and (not is_sure if ways else lost):
        if ways:
            file = (found.queries.filled | items.filled).get(ways[0], "captions")
            told, wanted = list_names(ways), "a statement of which one does, if any"
            raise Unsure(file, f"what could decide relevance ({told})", wanted, _list_lines(ways))
        told = f"nothing that decides relevance. {said}"
        raise Unsure(lost[0].file, told, "what was left out, or none", _list_lines(ways))
    chosen = [*sure, *ways, NONE][0]
    others = [each for each in every if each != chosen]
    if chosen in targets:
        found.judged, chosen = targets[chosen], "judgements"
    found.basis = "" if chosen == NONE else chosen
    if chosen in (NONE, "judgements", *fixed):
        return others
    if chosen not in every and len({*clean_classes(items.get(chosen))} - {""}) < 2:
        told = f"{chosen!r}. {said}".rstrip(". ")
        raise Unsure("--relevance", told, "a column of two classes or more", _list_lines(every))
    found.basis, found.column = "labels", chosen
    return others


def _list_lines(ways: Names) -> Names:
    return list_options("--relevance", (*ways[:5], NONE))


def list_label_columns(found: Gathered) -> tuple[Names, Names]:
    """Return the columns that say that they are classes, and others that may be.

    Of columns that divide the items alike, as numbers and names of the same classes, the first of
    names counts.
    """
    stated, possible = dict[str, bool](), dict[str, bool]()
    for column in found.items.columns:
        small, is_declared = name_plainly(column), column in found.declared
        is_keyed = small == MARKED or bool(KEYED.search(small))
        is_other = NEVER.search(small.rpartition(".")[2]) and not (is_declared or is_keyed)
        first = next(filter(None, found.items.get(column)), "")
        if is_other or small.startswith(KEYWORDS) or SPANNED.match(first):
            continue
        cells = list(filter(None, clean_classes(found.items.get(column))))
        split = split_cells(cells)
        classes = Counter(part for cell in cells for part in split[cell])
        is_number = all(map(NUMERIC.fullmatch, classes))
        if is_declared or CLASSED.search(small):
            if _has_classes(classes) or any(found.queries.get(column)):
                stated[column] = is_number
        elif _has_classes(classes) and (is_keyed or _has_few(classes)):
            possible[column] = not is_keyed and is_number
    every = sorted(stated, key=stated.__getitem__)
    alike = {tuple(number_names(found.items.get(e))[1]): e for e in reversed(every)}
    return list(reversed(alike.values())), sorted(possible, key=possible.__getitem__)


def list_targets(found: Gathered) -> dict[str, list[Any]]:
    """Return judgements by the columns of queries with texts whose cells are mostly ids of items.

    They are filled for most queries. Numbers, which may be ids by accident, are some in a column
    called so.
    """
    queries, targets, scales = found.queries, {}, found.source.options.scales
    is_graded = any(may_be_grades(e, queries.get(e), scales) for e in queries.columns)
    has_texts = not is_graded and " " in "".join(queries.get("text"))
    for column in filter(TARGETED.match, queries.columns if has_texts else ()):
        file, cells = f"{queries.filled[column]}: {column}", queries.get(column)
        parts, none = split_items(found, cells), count_missing(cells)
        judged = [
            (file, query, item, 1.0)
            for query, cell in queries.list_rows(column)
            for item in parts.get(cell, [cell])
            if item and item not in none
        ]
        is_id = re.search("(^|_)ids?$", column, re.I)
        ids = {row[2] for row in judged if is_id or not row[2].isdecimal()}
        is_filled = 2 * len({row[1] for row in judged}) > len(queries)
        if is_filled and 2 * len(found.match_items(ids)) > len(ids):
            targets[column] = judged
    return targets


def join_marks(found: Gathered) -> None:
    """Make classes of columns of nothing but yes and no: for certain where there are no others."""
    items = found.items
    cells = {
        name: list(map(str.lower, items.get(name)))
        for name in items.columns
        if name not in DESCRIBED and not name.startswith(KEYWORDS)
    }
    marks = [
        name
        for name, own in cells.items()
        if YES & {*own} and {*own} <= YES | NO and not CLASSED.search(name_plainly(name))
    ]
    if len(marks) > 1 + (len(marks) < len(cells)):
        rows = [
            list(map(YES.__contains__, row)) for row in zip(*map(cells.get, marks), strict=True)
        ]
        is_sure = len(marks) == len(cells) and (len(marks) > 2 or {*map(sum, rows)} == {1})
        column = "classes" if is_sure else MARKED
        items.filled[column] = items.filled[marks[0]]
        for name in marks:
            del items.columns[name]
        items.columns[column] = [write_list(compress(marks, row)) for row in rows]


def name_classes(found: Gathered) -> None:
    """Write the names of classes in place of their codes; of numbers if a file has all of them."""
    for rows, names in product((found.items, found.queries), found.names):
        for column, cells in rows.columns.items():
            parts = split_cells(cells) if column in found.declared or CLASSED.search(column) else {}
            codes = set[str]().union(*parts.values())
            known = codes & names.keys()
            is_whole = known == codes or not any(map(str.isdecimal, known))
            if is_whole and any(names[each] != each for each in known):
                rows.columns[column] = [
                    write_list(names.get(each, each) for each in parts[cell]) for cell in cells
                ]


def clean_classes(cells: Names) -> list[str]:
    """Return cells without the words that stand for no class.

    >>> clean_classes(["cat", "N/A", "", '["cat", "none"]'])
    ['cat', '', '', '["cat"]']
    """
    words, parts = count_unnamed(cells), split_cells(cells)
    kept = {cell: [part for part in own if part not in words] for cell, own in parts.items()}
    return [
        cell if kept[cell] and kept[cell] == parts[cell] else write_list(kept[cell])
        for cell in cells
    ]


def count_unnamed(cells: Names) -> Counter[str]:
    """Return how often each word stood for no class; so does -1 beside other numbers of classes.

    >>> count_unnamed(["-1", "0", "1", "2"]), count_unnamed(["-1", "0", "1", ""])
    (Counter({'-1': 1}), Counter())
    """
    classes = Counter(filter(None, cells))
    numbers = classes.keys() - {"-1"}
    is_marked = len(numbers) > 2 and all(map(str.isdecimal, numbers))
    return count_missing(cells) + Counter({"-1": classes["-1"] * is_marked})


def settle_classes(rows: Rows, column: str) -> None:
    """Give each row that several people labelled the classes of more than half of them."""
    for item, cells in rows.again.get(column, {}).items():
        parts = split_cells(cells)
        counts = Counter(part for cell in cells for part in dict.fromkeys(parts[cell]))
        most = [part for part, times in counts.items() if 2 * times > len(cells)]
        alike = (cell for cell in cells if set(parts[cell]) == set(most))
        rows.columns[column][rows.index[item]] = next(alike, write_list(most))


def _has_classes(names: Counter[str]) -> bool:
    """Return whether names are those of classes: at least two, and one of them twice; no splits."""
    is_odd = any(map(ODD.fullmatch, list(names)[:20])) or are_parts(names)
    return 1 < len(names) < names.total() and not is_odd


def _has_few(names: Counter[str]) -> bool:
    is_text = max(map(len, names)) > MAX_CHARACTERS
    is_alike = max(names.values()) > 0.98 * names.total()
    return len(names) <= min(MAX_CLASSES, names.total() // 2) and not (is_text or is_alike)


def list_parts(found: Gathered) -> Texts:
    """Return the part of the data that each item is of, as a column says by its name or cells.

    It is BOTH for an item that asks and is searched, too, by columns or by rows of it.
    """
    items = found.items
    columns = {name: items.get(name) for name in items.columns}
    asks, is_searched = (
        [cell.lower() in YES for cell in columns.get(name, ())]
        for name in ("is_query", "is_gallery")
    )
    asks = asks or [not each for each in is_searched]
    is_searched = is_searched or [not each for each in asks]
    words = ("none", GALLERY, QUERY, BOTH)
    told = [words[2 * own + other] for own, other in zip(asks, is_searched, strict=True)]
    if divides(told) and {*told} != {BOTH}:
        return dict(zip(items.index, told, strict=True))
    shown = items.again.get("file", {})  # items of two pictures
    for column, cells in columns.items():
        rows = {e: own for e, own in items.again.get(column, {}).items() if e not in shown}
        every = {*cells}.union(*rows.values())
        is_whole = are_parts(every) and divides(every)
        is_named = COLUMN.fullmatch(column)
        if is_whole or is_named and not {*PARTS.values()}.isdisjoint(map(name_part, every)):
            parts = dict(zip(items.index, map(name_part, cells), strict=True))
            return parts | {item: BOTH for item, own in rows.items() if divides(own)}
    return {}
