"""Judgements and results: TREC's lines and its topics; JSON of ranx and ir_measures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from dashboard.errors import DataError, count_odd
from dashboard.plugins.importers.formats.media_folder import list_sidecars
from dashboard.plugins.importers.pieces import (
    Format,
    Judgements,
    Piece,
    Queries,
    RunLines,
    match_lines,
    read_each,
)
from dashboard.plugins.importers.source import Source, find_plain, find_stem

OTHERS = (".csv", ".json", ".jsonl", ".parquet", ".arrow", ".xlsx", ".md", ".toml", ".py", ".html")
NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
FORMS = {
    "run": re.compile(rf"(\S+)\s+\S+\s+(\S+)\s+-?\d+\s+{NUMBER}\s+\S+"),
    "qrels": re.compile(rf"(\S+)\s+\S{{1,4}}\s+(\S+)\s+{NUMBER}"),
    "pairs": re.compile(rf"(\S+)\s+(\S+)\s+{NUMBER}"),
    "ranks": re.compile(r"(\S+)\s+(\S+)\s+(\d+)"),
    "queries": re.compile(r"(\S+)\t(\S.*)"),
}
"""Lines of each form: query, item and number; query and text."""
WORDS = {"pairs": re.compile("qrel|judg|relevan"), "queries": re.compile("quer|topic")}
"""What names of files of a form hold, where its lines could be anything."""
TOPIC = re.compile(r"<top(?:ic)?\b([^>]*>.*?)(?=<top(?:ic)?\b|\Z)", re.S | re.I)
TOPIC_ID = re.compile(r"number=\"([^\"]+)\"|<num>\s*(?:Number:)?\s*([^<\s]+)", re.I)
TITLE = re.compile(r"<(?:title|query)>\s*(?:Topic:)?\s*([^<]+)", re.I)


def recognise(source: Source) -> list[str]:
    """Return files of results, judgements and topics, by their first lines."""
    beside = {*list_sidecars(source), *source.media}
    names = [n for n in source.left if n not in beside and not find_plain(n).endswith(OTHERS)]
    return [name for name in names if find_form(name, source.read_head(name))]


def find_form(name: str, head: str) -> str:
    """Return the form of a file by its first lines, or "topics"; "" for another one."""
    if TOPIC.search(head):
        return "topics"
    lines = _list_lines("\n".join(head.split("\n")[:-1]) or head)[:20]
    for form, pattern in FORMS.items():
        is_named = form not in WORDS or bool(WORDS[form].search(name.lower()))
        is_named = is_named and (form != "ranks" or _count_on(lines))
        good = sum(bool(pattern.fullmatch(text)) for _, text in lines)
        if is_named and good > len(lines) / 2 and pattern.fullmatch(lines[0][1]):
            return "" if form == "queries" and "query" in lines[0][1].lower() else form
    return ""


def _count_on(lines: Sequence[tuple[int, str]]) -> bool:
    """Return whether the last fields of lines count the results of each query: MS MARCO's runs."""
    rows = [match for _, text in lines if (match := FORMS["ranks"].fullmatch(text))]
    known = {query: 0 for query in (row[1] for row in rows)}
    for row in rows:
        known[row[1]] += 1
        if int(row[3]) != known[row[1]]:
            return False
    return max(known.values(), default=0) > 1


def _list_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines of a text that say something, with their numbers."""
    every = enumerate(text.split("\n"), start=1)
    return [(at, line.strip()) for at, line in every if line.strip() and line[0] != "#"]


def _read_file(source: Source, name: str) -> Iterator[Piece]:
    form, text = find_form(name, source.read_head(name)), source.read_text(name)
    if form == "topics":
        found = [(TOPIC_ID.search(each), TITLE.search(each)) for each in TOPIC.findall(text)]
        pairs = [(a[1] or a[2], " ".join(b[1].split())) for a, b in found if a and b]
        yield Queries(name, [each[0] for each in pairs], {"text": [each[1] for each in pairs]})
        return
    matches, odd = match_lines(text, FORMS[form], name, f"a line of {form}")
    yield from odd
    if form == "queries":
        asked = matches.values()
        yield Queries(name, [each[1] for each in asked], {"text": [each[2] for each in asked]})
        return
    rows = [(at, match[1], match[2], match[3]) for at, match in matches.items()]
    if form not in ("run", "ranks"):
        yield Judgements(name, *_split_rows(rows))
        return
    once: dict[tuple[str, str], tuple[int, str, str, str]] = {}
    again = [row[0] for row in rows if once.setdefault(row[1:3], row) is not row]
    wanted = "each once for a query; the first counts"
    yield from count_odd(name, again, "results again", wanted)
    queries, items, numbers = _split_rows(list(once.values()))
    sign = -1.0 if form == "ranks" else 1.0
    yield RunLines(name, find_stem(name), queries, items, [sign * number for number in numbers])


def _split_rows(
    rows: Sequence[tuple[int, str, str, str]],
) -> tuple[list[str], list[str], list[float]]:
    """Return the queries, items and numbers of some rows."""
    return [row[1] for row in rows], [row[2] for row in rows], [float(row[3]) for row in rows]


HEAD = re.compile(r'\s*\{\s*"[^"]*"\s*:\s*\{\s*"[^"]*"\s*:\s*-?[\d.]+')
PANDAS = re.compile(r'\s*\{\s*"[^"]*"\s*:\s*\{\s*"0"')
"""Its index of rows in place of items."""
JUDGED = re.compile("qrel|judg")


def recognise_json(source: Source) -> list[str]:
    """Return JSON files that begin with an object of objects of numbers."""
    any_judged = any(JUDGED.search(name.lower()) for name in source.files)
    pandas = source.list_headed(PANDAS.match, ".json")
    return [
        name
        for name in source.list_headed(HEAD.match, ".json")
        if re.search("qrel|judg|run|result", find_stem(name).lower())
        or (any_judged and name not in pandas)  # a run called by its model
    ]


def _read_json(source: Source, name: str) -> Iterator[Piece]:
    rows: list[tuple[Any, ...]] = [
        (query, item, number)
        for query, own in source.read_json(name).items()
        for item, number in (own.items() if isinstance(own, dict) else [("", None)])
    ]
    good = [row for row in rows if type(row[2]) in (int, float)]
    odd = len(rows) - len(good)
    yield from count_odd(name, odd, "cells that are no number", "numbers; left out")
    if not good:
        raise DataError(name, "no numbers", "an object of objects of numbers")
    stem = find_stem(name)
    queries, items, numbers = ([row[at] for row in good] for at in range(3))
    if JUDGED.search(stem.lower()):
        yield Judgements(name, queries, items, numbers)
    else:
        yield RunLines(name, stem, queries, items, numbers)


RANX = Format(
    "ranx",
    "qrels and runs in JSON by query and item",
    recognise_json,
    partial(read_each, _read_json),
)
TREC = Format("TREC", "judgements, results and topics", recognise, partial(read_each, _read_file))
