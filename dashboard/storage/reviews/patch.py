"""Corrections of labels, keywords and mappings as a patch of a collection's own files, for `git
apply` or `patch -p1`. The files themselves are left as they are."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from dashboard.letters import visible
from dashboard.storage.collection.annotation import (
    SEPARATORS,
    keyword_key,
    matched_ids,
    most_frequent,
)
from dashboard.storage.collection.query_keywords import TABLE
from dashboard.storage.collection.settings import group_name
from dashboard.storage.files.editable_table import EditableTable, editable_table
from dashboard.storage.files.json_lines import text_of_cell
from dashboard.storage.files.listings import elements, unquoted
from dashboard.storage.files.table_files import OF_JUDGEMENTS, stored_as
from dashboard.tables import DataError

Pair = tuple[str, str]
_GRADES = ("grade", "relevance", "label", "rel")
_LINES = (".txt", ".trec", ".qrels")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class KeywordChange(NamedTuple):
    """A keyword to add or to remove. id: of an item or a query. words: of the query, that mean the
    added keyword."""

    id: str
    group: str
    keyword: str
    adds: bool
    words: str = ""


@dataclass(frozen=True)
class Replaced:
    """A file of the collection as it becomes. is_text: a patch of lines can change it."""

    name: str
    before: bytes
    after: bytes
    is_text: bool


def patch(files: Iterable[Replaced]) -> str:
    """A unified diff of the files that are text; empty without any."""
    return "".join(_diff(each) for each in files if each.is_text and each.before != each.after)


def _diff(file: Replaced) -> str:
    old, new = (_LINE.findall(each.decode()) for each in (file.before, file.after))
    lines = difflib.unified_diff(old, new, f"a/{file.name}", f"b/{file.name}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def with_grades(folder: Path, grades: Mapping[Pair, float]) -> Replaced:
    """The file of judgements in which these pairs have these grades; new pairs stand at the end.

    Raises DataError where the collection has no such file.
    """
    path = stored_as(folder, "qrels", formats=OF_JUDGEMENTS)
    if path is None:
        cure = "Its labels come from keywords: --qrels FILE writes the corrected pairs."
        raise DataError(folder.name, "no file of judgements", "one to patch", cure=cure)
    if path.suffix in _LINES:
        before = path.read_bytes()
        try:
            lines = _LINE.findall(before.decode())
        except UnicodeDecodeError as problem:
            raise DataError(path.name, "another encoding", "a file in UTF-8") from problem
        after = "".join(_trec(lines, grades)).encode()
        return Replaced(path.name, before, after, is_text=True)
    table = editable_table(path, ("query_id", "item_id", "grade"))
    query, item = table.column(["query_id"]), table.column(["item_id"])
    grade, there = table.column(_GRADES), set()
    for row in table.rows:  # a pair may stand twice, word for word
        pair = (_text(row.get(query)), _text(row.get(item)))
        if pair in grades:
            row[grade] = _number(grades[pair], table)
            there.add(pair)
    for pair in [each for each in grades if each not in there]:
        cells = {query: pair[0], item: pair[1], grade: _number(grades[pair], table)}
        table.append(cells)
    return _replaced(table)


def _number(grade: float, table: EditableTable) -> object:
    """A grade as the file writes it."""
    if table.mark:
        return f"{grade:g}"
    return int(grade) if grade == int(grade) else grade


def _trec(lines: list[str], grades: Mapping[Pair, float]) -> list[str]:
    new, end, there = [], "\n", set()
    for line in lines:
        fields = line.split()
        pair = (fields[0], fields[2]) if len(fields) == 4 else None
        if pair is not None and pair in grades:
            body = line.rstrip("\r\n")
            end = line[len(body) :] or end
            line = re.sub(r"\S+(\s*)$", f"{grades[pair]:g}", body) + end
            there.add(pair)
        new.append(line)
    more = [
        f"{query} 0 {item} {grade:g}{end}"
        for (query, item), grade in grades.items()
        if (query, item) not in there
    ]
    return [*_closed(new), *more] if more else new


def _closed(lines: list[str]) -> list[str]:
    """Lines to which more can be added: the last one has an end."""
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]


def with_keywords(
    folder: Path,
    changes: Iterable[KeywordChange],
    item_ids: Sequence[str],
    groups: Container[str],
    *,
    lists: bool = False,
) -> Replaced:
    """The annotation in which items have these keywords more or less. groups: the collection's.
    lists: changed cells are written as lists, which hold keywords with any mark in them.

    An item without a row gets one. Raises DataError where the collection has no annotation, or none
    of the group.
    """
    path = stored_as(folder, "unified_annotation")
    if path is None:
        raise DataError(folder.name, "no unified_annotation", "one whose keywords are corrected")
    table = editable_table(path, ("slice_id",))
    named = table.column(["slice_id"])
    columns = {group: column for column in table.columns if (group := group_name(column)) in groups}
    texts = [_text(row.get(named)) for row in table.rows]
    items = matched_ids(texts, list(item_ids))
    rows: dict[str, list[dict[str, Any]]] = {}
    for text, row in zip(texts, table.rows, strict=True):
        rows.setdefault(items.get(text, ""), []).append(row)
    changes = list(changes)
    for group in dict.fromkeys(change.group for change in changes):
        if group not in columns:
            cure = "Add the column to the file."
            raise DataError(path.name, "no such group", f"a column {group}", cure=cure)
    separator = _separator(table, list(columns.values()))
    for change in changes:
        if change.id not in rows:
            table.append({named: change.id})
            rows[change.id] = [table.rows[-1]]
        column = columns[change.group]
        in_lists = any(isinstance(row.get(column), list) for row in table.rows)
        for row in rows[change.id]:
            cell = row.get(column)
            if cell is None:
                cell = [] if in_lists else ""
            row[column] = _changed(cell, change, separator, lists)
    return _replaced(table)


def _separator(table: EditableTable, columns: Sequence[str]) -> str:
    """What stands between the keywords of a cell, with a blank where the file has one there."""
    cells = [_text(row.get(column)) for row in table.rows for column in columns]
    plain = [cell for cell in cells if cell and elements(cell) is None]
    mark = most_frequent({each: sum(each in cell for cell in plain) for each in SEPARATORS})
    return f"{mark} " if any(f"{mark} " in cell for cell in plain) else mark


def _changed(cell: object, change: KeywordChange, separator: str, lists: bool) -> object:
    """A cell with one keyword more or less, in the form that it has."""
    listing = None if isinstance(cell, list) else elements(visible(_text(cell)))
    if isinstance(cell, list):
        parts = [str(each) for each in cell]
    elif listing is not None:
        parts = listing
    else:
        parts = [unquoted(part) for part in _text(cell).split(separator.strip()) if part.strip()]
    key = keyword_key(change.keyword)
    there = any(keyword_key(part) == key for part in parts)
    if there == change.adds:
        return cell
    if change.adds:
        parts = [*parts, change.keyword]
    else:
        parts = [part for part in parts if keyword_key(part) != key]
    if isinstance(cell, list):
        return parts
    if listing is not None and not lists:
        return repr(parts) if "'" in _text(cell) else json.dumps(parts, ensure_ascii=False)
    plain = separator.join(part.strip() for part in parts)
    odd = any(mark in part for part in parts for mark in SEPARATORS) or elements(plain) is not None
    return json.dumps(parts, ensure_ascii=False) if parts and (lists or odd) else plain


def with_mapping(folder: Path, changes: Iterable[KeywordChange]) -> Replaced:
    """The mapping of queries' words in which keywords are added, with the score 1, or removed.

    Raises DataError where the collection has no mapping.
    """
    if not (folder / TABLE).exists():
        cure = "python -m dashboard keywords COLLECTION --write makes it."
        raise DataError(TABLE, "no such file", "the mapping to correct", cure=cure)
    key = ("query_id", "ngram", "group", "keyword")
    table = editable_table(folder / TABLE, (*key, "score"))
    query, ngram, group, keyword = (table.column([name]) for name in key)
    score = table.column(["score"])
    for change in changes:
        wanted = (change.id, change.group, keyword_key(change.keyword))
        mine = [
            row
            for row in table.rows
            if (row[query], row[group], keyword_key(row[keyword])) == wanted
        ]
        if not change.adds:
            table.rows = [row for row in table.rows if not any(row is each for each in mine)]
            continue
        same = [row for row in mine if row[ngram] == change.words]
        for row in same:
            row[score] = "1.0000"
        if not same:
            cells = (change.id, change.words, change.group, change.keyword, "1.0000")
            names = (query, ngram, group, keyword, score)
            table.append(dict(zip(names, cells, strict=True)))
    return _replaced(table)


def _replaced(table: EditableTable) -> Replaced:
    return Replaced(table.path.name, table.path.read_bytes(), table.content(), table.is_text)


def _text(value: object) -> str:
    return text_of_cell(value)
