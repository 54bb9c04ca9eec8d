"""TREC: judgements of four or three fields a line, results of six, and topics."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from dashboard.next.errors import DataError, Finding
from dashboard.next.plugins.importers.formats.media_folder import list_sidecars
from dashboard.next.plugins.importers.pieces import (
    Format,
    Judgements,
    Piece,
    Queries,
    RunLines,
    read_each,
)
from dashboard.next.plugins.importers.source import Source, find_stem
from dashboard.next.texts import parse_number

FIELDS = {4: (0, 2, 3), 3: (0, 1, 2), 6: (0, 2, 4)}
"""Places of query, item and number, by the number of fields."""
OTHERS = (".csv", ".json", ".jsonl", ".parquet", ".arrow", ".xlsx", ".md", ".toml", ".py", ".html")
TOPIC = re.compile(r"<top(?:ic)?\b([^>]*)>(.*?)(?=<top(?:ic)?\b|\Z)", re.S | re.I)
NUMBER = re.compile(r"number=\"([^\"]+)\"|<num>\s*(?:Number:)?\s*([^<\s]+)", re.I)
TITLE = re.compile(r"<(?:title|query)>\s*(?:Topic:)?\s*([^<]+)", re.I)


def recognise(source: Source) -> list[str]:
    """Return files of results, judgements and topics, by their first lines."""
    beside = set(list_sidecars(source)) | set(source.media)
    names = [n for n in source.left if n not in beside and not n.lower().endswith(OTHERS)]
    return [name for name in names if find_form(name, source.read_head(name))]


def find_form(name: str, head: str) -> str:
    """Return "run", "qrels", "topics" or "queries" by the first lines of a file; "" for another."""
    if TOPIC.search(head):
        return "topics"
    lines = [split_line(line) for line in head.split("\n")[:-1] or [head]]
    rows = [fields for fields in lines if fields and not fields[0].startswith("#")][:20]
    lengths = Counter(map(len, rows))
    if not rows:
        return ""
    length = lengths.most_common(1)[0][0]
    same = [fields for fields in rows if len(fields) == length]
    is_named = bool(re.search(r"qrel|judg|relevan", name.lower()))
    if len(same) * 2 <= len(rows) or length not in (2, *FIELDS):
        return ""
    if length == 2:
        is_query = re.search(r"quer|topic", name.lower()) and "\t" in head
        return "queries" if is_query and same[0][0].lower() not in ("query_id", "qid", "id") else ""
    numbers = [parse_number(fields[FIELDS[length][2]]) for fields in same]
    good = sum(number == number for number in numbers)
    if length == 6:
        return "run" if good == len(same) and all(f[3].lstrip("-").isdigit() for f in same) else ""
    is_zero = length == 4 and all(len(fields[1]) <= 4 for fields in same)
    header = same[0][-1].lower() if numbers[0] != numbers[0] else ""
    return (
        "qrels" if good >= len(same) - bool(header) and not header and (is_zero or is_named) else ""
    )


def split_line(line: str) -> list[str]:
    """Return the fields of a line, by tabs or by blanks."""
    return [field.strip() for field in line.strip().split("\t")] if "\t" in line else line.split()


def read(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    """Yield judgements, results and topics."""
    stems = Counter(map(find_stem, files))
    yield from read_each(files, partial(_read_file, source, stems))


def _read_file(source: Source, stems: Counter[str], name: str) -> Iterator[Piece]:
    form = find_form(name, source.read_head(name))
    text = source.read_text(name)
    if form == "topics":
        yield _read_topics(name, text)
        return
    if form == "queries":
        pairs = [split_line(line) for line in text.split("\n") if "\t" in line]
        yield Queries(name, [each[0] for each in pairs], {"text": [each[1] for each in pairs]})
        return
    length = 6 if form == "run" else 4 if len(_first_fields(text)) == 4 else 3
    rows, findings = _list_rows(name, text, length)
    yield from findings
    queries, items, numbers = map(list, zip(*rows, strict=True)) if rows else ([], [], [])
    if not rows:
        raise DataError(name, "no rows", f"{length} fields a line")
    if form == "run":
        stem = find_stem(name)
        version = stem if stems[stem] == 1 else name.rpartition(".")[0].replace("/", "_")
        yield RunLines(name, version, queries, items, numbers)
    else:
        yield Judgements(name, queries, items, numbers)


def _first_fields(text: str) -> list[str]:
    rows = (split_line(line) for line in text.split("\n") if line.strip() and line[0] != "#")
    return next(rows, [])


def _list_rows(
    name: str, text: str, length: int
) -> tuple[list[tuple[str, str, float]], list[Finding]]:
    """Return the rows of a file; odd ones, and pairs that come again, are left out and said."""
    query, item, number = FIELDS[length]
    rows: list[tuple[str, str, float]] = []
    odd: list[int] = []
    again: list[int] = []
    seen: dict[tuple[str, str], float] = {}
    for line, content in enumerate(text.split("\n"), start=1):
        fields = split_line(content)
        if not fields or (content.startswith("#") and len(fields) != length):
            continue
        value = parse_number(fields[number]) if len(fields) == length else float("nan")
        if value != value:
            odd.append(line)
        elif (pair := (fields[query], fields[item])) not in seen:
            seen[pair] = value
            rows.append((*pair, value))
        elif seen[pair] == value or length == 6:
            again.append(line)
        else:
            twice = f"query {pair[0]!r} and item {pair[1]!r} with a second grade"
            raise DataError(name, twice, "one grade for each pair", line=line, do="Remove one.")
    findings = []
    for lines, what in (
        (odd, f"lines without {length} fields and a number"),
        (again, "pairs again"),
    ):
        if lines:
            said = f"{len(lines):,} {what}"
            findings.append(Finding("warning", name, lines[0], said, "each pair once; left out"))
    return rows, findings


def _read_topics(name: str, text: str) -> Queries:
    found = [(NUMBER.search(each[0]), TITLE.search(each[0])) for each in TOPIC.finditer(text)]
    pairs = [(a[1] or a[2], " ".join(b[1].split())) for a, b in found if a and b]
    if not pairs:
        raise DataError(name, "no topics", "<top> with <num> and <title>")
    return Queries(name, [each[0] for each in pairs], {"text": [each[1] for each in pairs]})


FORMAT = Format("TREC", "judgements, results and topics", recognise, read)
