"""Corrections of labels as a patch of a collection's own file of judgements, for `git apply` or
`patch -p1`. The file itself is left as it is."""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections.abc import Mapping
from pathlib import Path

from dashboard.storage.files.table_files import OF_JUDGEMENTS, stored_as
from dashboard.tables import DataError, counted

Pair = tuple[str, str]
_GRADES = ("grade", "relevance", "label", "rel")


def patch(folder: Path, grades: Mapping[Pair, float]) -> str:
    """A unified diff of `qrels.csv` or `qrels.txt` in which these pairs have these grades.

    Lines of other pairs stay letter for letter; new pairs stand at the end. Raises DataError where
    the collection has no such file, or one that is no plain text.
    """
    path = stored_as(folder, "qrels", formats=OF_JUDGEMENTS)
    if path is None:
        cure = "Its labels come from keywords: --qrels FILE writes the corrected pairs."
        raise DataError(folder.name, "no file of judgements", "one to patch", cure=cure)
    ending = path.name.removeprefix("qrels")
    if ending not in (".csv", ".tsv", ".txt", ".trec", ".qrels"):
        cure = "Use --qrels FILE and put the file in its place."
        raise DataError(path.name, f"a file of the kind {ending}", "CSV or TREC lines", cure=cure)
    old = path.read_bytes().decode("utf-8").splitlines(keepends=True)
    rest = dict(grades)
    new = _table(old, rest, path) if ending in (".csv", ".tsv") else _trec(old, rest)
    lines = difflib.unified_diff(old, new, f"a/{path.name}", f"b/{path.name}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _trec(lines: list[str], grades: dict[Pair, float]) -> list[str]:
    new, end = [], "\n"
    for line in lines:
        fields = line.split()
        pair = (fields[0], fields[2]) if len(fields) == 4 else None
        if pair in grades:
            body = line.rstrip("\r\n")
            end = line[len(body) :] or end
            line = re.sub(r"\S+(\s*)$", f"{grades.pop(pair):g}", body) + end
        new.append(line)
    more = [f"{query} 0 {item} {grade:g}{end}" for (query, item), grade in grades.items()]
    return [*_closed(new), *more] if more else new


def _table(lines: list[str], grades: dict[Pair, float], path: Path) -> list[str]:
    if not lines:
        return lines
    mark = "\t" if path.name.endswith(".tsv") else max(",;\t", key=lines[0].count)
    head = [cell.strip().lower() for cell in _cells(lines[0].lstrip("\ufeff"), mark)]
    named = [name for name in _GRADES if name in head]
    if "query_id" not in head or "item_id" not in head or not named:
        wanted = "columns query_id, item_id and grade"
        raise DataError(path.name, f"the columns {', '.join(head)[:120]}", wanted, line=1)
    places = [head.index(name) for name in ("query_id", "item_id", named[0])]
    end = lines[0][len(lines[0].rstrip("\r\n")) :] or "\n"
    new = [lines[0]]
    for number, line in enumerate(lines[1:], 2):
        cells = _cells(line, mark)
        if line.strip() and len(cells) != len(head):
            found = (
                f"{counted(len(cells), 'cell')}, perhaps of a text that goes on in the next line"
            )
            raise DataError(path.name, found, f"{len(head):,}", line=number)
        pair = (cells[places[0]], cells[places[1]]) if line.strip() else None
        if pair in grades:
            cells[places[2]] = f"{grades.pop(pair):g}"
            line = _written(cells, mark) + end
        new.append(line)
    for (query, item), grade in grades.items():
        cells = [""] * len(head)
        for place, cell in zip(places, (query, item, f"{grade:g}"), strict=True):
            cells[place] = cell
        new = [*_closed(new), _written(cells, mark) + end]
    return new


def _closed(lines: list[str]) -> list[str]:
    """Lines to which more can be added: the last one has an end."""
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]


def _cells(line: str, mark: str) -> list[str]:
    return next(csv.reader([line.rstrip("\r\n")], delimiter=mark), [])


def _written(cells: list[str], mark: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=mark, lineterminator="").writerow(cells)
    return text.getvalue()
