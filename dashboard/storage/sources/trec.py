"""Topics, judgements and runs as TREC writes them; MS MARCO's tab-separated files; tables and JSON
of ranx and ir_measures."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from html import unescape
from itertools import islice
from pathlib import PurePosixPath

import pandas as pd

from dashboard.storage.files.contents import read_text
from dashboard.storage.runs.runs import read_run
from dashboard.storage.sources.content import (
    QREL_COLUMNS,
    QUERY_COLUMNS,
    RUN_COLUMNS,
    Content,
    Detected,
    Reader,
)
from dashboard.storage.sources.judgements import (
    GRADE,
    ITEM,
    QUERY,
    SCORE,
    is_number,
    read_judgements,
    without_contradictions,
    without_repeats,
)
from dashboard.storage.sources.listing import Listing, ending, parent, stem
from dashboard.storage.sources.tables import ID, read_json, read_source_table
from dashboard.tables import DataError, Findings, counted, listed

ENDINGS = (
    ".txt",
    ".trec",
    ".qrels",
    ".qrel",
    ".run",
    ".res",
    ".tsv",
    ".topics",
    ".xml",
    ".test",
    "",
)
TEXT = ("text", "query", "question", "title")
_NESTED = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*\{\s*\"[^\"]*\"\s*:\s*\{\s*\"[^\"]*\"\s*:\s*-?(?:[0-9.]|NaN|Infinity)"
)
"""How JSON of numbers by query and item begins."""
_TOPIC = re.compile(r"<top>(.*?)</top>", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"<num>\s*(?:Number:)?\s*([^\s<]+)", re.IGNORECASE)
_XML_TOPIC = re.compile(
    r"<topic\s[^>]*number\s*=\s*[\"']([^\"']+)[\"'][^>]*>(.*?)</topic>", re.DOTALL | re.IGNORECASE
)
_XML_QUERY = re.compile(r"<(?:query|title)>(.*?)</", re.DOTALL | re.IGNORECASE)
_JUDGED = re.compile(r"qrel|judg|truth|gold")
"""Words in the name of a file of judgements, or of its folder."""
_ASKED = re.compile(r"quer|topic")
_QUERIES = re.compile(r"(^|[/_.-])quer(y|ies)([/_.-]|$)")
"""A name, or a folder, by which rows with an id and a text are queries."""
_TEXTS = re.compile(r"collection|corpus|passage|doc")
_TREC_NAME = re.compile(r"(qrels?|topics|results|run|input)[.\-_]")
"""How names of files begin that end in anything: `qrels.123`, `topics.401-450`."""
_TITLE = re.compile(r"<title>\s*(?:Topic:)?\s*([^<]+)", re.IGNORECASE)
TOPICS, QRELS, RUN, QUERIES, DOCUMENTS, RANKS, PAIRS = (
    "topics",
    "qrels",
    "run",
    "queries",
    "texts",
    "ranks",
    "pairs",
)
"""pairs: MS MARCO's candidates, lines of query, item and the text of each, in no order."""


def detect(listing: Listing, files: Sequence[str]) -> Detected | None:
    """The files whose first lines or columns are those of topics, judgements or runs."""
    kinds = {name: kind for name in files if (kind := kind_of(listing, name))}
    if not kinds:
        return None
    several = {kind: list(kinds.values()).count(kind) for kind in dict.fromkeys(kinds.values())}
    what = ", ".join(f"{number} × {kind}" for kind, number in several.items())
    return Detected(tuple(kinds), what)


def kind_of(listing: Listing, name: str) -> str:
    """What a file is by its first lines; empty for anything else."""
    if ending(name) == ".json":
        return _kind_of_json(listing, name)
    if ending(name) in (".csv", ".parquet", ".jsonl"):
        return _kind_of_table(listing, name)
    if ending(name) not in ENDINGS and not _TREC_NAME.match(name.rpartition("/")[2].lower()):
        return ""
    lines = _first_lines(listing, name)
    if lines and any(re.search(r"<top>|<topic\s", line.lower()) for line in lines):
        return TOPICS
    if ending(name) == ".tsv" and (kind := _kind_of_header(name, lines)):
        return kind
    fields = [line.split() for line in lines if not line.startswith("#")]
    if fields and all(len(f) >= 6 and is_number(f[4]) and _whole(f[3]) for f in fields):
        return RUN
    usual, judged = ("0", "Q0", "1"), _is_judged(name)
    if fields and all(
        len(f) == 4 and is_number(f[3]) and (f[1] in usual or judged) for f in fields
    ):
        return QRELS
    if fields and "qrel" in stem(name).lower():  # what of it is wrong, its reader says
        return QRELS
    tabs = [line.split("\t") for line in lines]
    if fields and all(len(t) == 3 and _whole(t[2]) and _whole(t[0]) for t in tabs):
        return RANKS
    if tabs and all(len(t) == 4 and all(map(_whole, t[:2])) and " " in t[3].strip() for t in tabs):
        return PAIRS
    named = stem(name).lower()
    asked, texts = bool(_ASKED.search(named)), bool(_TEXTS.search(named))
    header = tabs and {each.strip().lower() for each in tabs[0]} <= {*ID, *ITEM, *QUERY, *TEXT}
    if not tabs or header:
        return ""
    if texts and not asked and all(len(t) == 4 and t[0] and " " in t[3].strip() for t in tabs):
        return DOCUMENTS  # MS MARCO's documents: id, address, title, text
    pairs = [len(t) == 2 and bool(t[0].strip() and t[1].strip()) for t in tabs]
    if all(pairs) and all(" " in t[1].strip() for t in tabs):
        return DOCUMENTS if texts and not asked else QUERIES
    if (asked or texts) and sum(pairs) > len(pairs) / 2:
        return DOCUMENTS if texts and not asked else QUERIES
    return ""


def _first_lines(listing: Listing, name: str) -> list[str]:
    """The first lines of a file with something in them; none of a file that is no text."""
    path = listing.path(name)
    try:
        if name.lower().endswith(".gz"):
            text = read_text(path, name, Findings())
            return [line for line in text[:20_000].split("\n")[:20] if line.strip()]
        # what of a file is no UTF-8 its reader says, with the line
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            short = (line[:2_000].rstrip("\n") for line in islice(file, 20))
            return [line for line in short if line.strip()]
    except (DataError, OSError):
        return []


def _kind_of_json(listing: Listing, name: str) -> str:
    try:
        with (gzip.open if name.lower().endswith(".gz") else open)(
            listing.path(name), "rb"
        ) as file:
            start = file.read(2_000)
        if not _NESTED.match(start):
            return ""
        content = read_json(listing, name)
    except (DataError, OSError, EOFError, zlib.error):
        return ""
    rows = [row for row in content.values() if isinstance(row, dict)]
    if len(rows) < len(content):
        return ""
    values = [value for row in rows for value in row.values()]
    if not all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
        return ""
    if _is_judged(name):
        return QRELS
    whole = all(isinstance(value, int) for value in values)
    return RUN if "run" in stem(name).lower() or not whole else QRELS


def _kind_of_table(listing: Listing, name: str) -> str:
    if ending(name) == ".parquet":
        try:
            columns = list(read_source_table(listing, name).cells.columns)
        except DataError:  # the reader of tables says what is wrong with it
            return ""
    else:
        return _kind_of_header(name, _first_lines(listing, name))
    return _kind_of_columns(name, columns)


def _kind_of_header(name: str, lines: Sequence[str]) -> str:
    """What a table is by its first line: a header, or the keys of a first object."""
    if not lines:
        return ""
    try:
        first = json.loads(lines[0]) if lines[0].lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return _kind_of_columns(name, re.findall(r'"([\w-]+)"\s*:', lines[0]))
    return _kind_of_columns(name, list(first or re.findall(r"[\w-]+", lines[0])))


def _kind_of_columns(name: str, columns: Sequence[str]) -> str:
    plain = {column.lower() for column in columns}
    if plain & set(QUERY) and plain & set(ITEM):
        if plain & set(GRADE) or (plain & set(SCORE) and _is_judged(name)):
            return QRELS
        if plain & set(SCORE):
            return RUN
    asked = "/".join([parent(name), stem(name)]).lower()
    named = plain & set(QUERY) or ("_id" in plain and _ASKED.search(stem(name).lower()))
    named = named or ("id" in plain and _QUERIES.search(asked))
    return QUERIES if named and plain & set(TEXT) else ""


def _is_judged(name: str) -> bool:
    """Whether a file, or its folder, is called as judgements are."""
    return bool(_JUDGED.search("/".join(name.lower().split("/")[-2:])))


def _whole(text: str) -> bool:
    return bool(re.fullmatch(r"-?\d+", text.strip()))


def read(listing: Listing, detected: Detected, columns: Mapping[str, str]) -> Content:
    """The queries, texts, judgements and runs of the files."""
    content = Content()
    content.settings["protocols"] = ["trec"]
    qrels = []
    for name in detected.files:
        kind = kind_of(listing, name)
        try:
            if kind == QRELS:
                qrels.append(_pairs(listing, name, "grade"))
                content.note("qrels.csv", len(qrels[-1]), name, "TREC's judgements")
            elif kind in (RUN, RANKS):
                _add_run(listing, name, kind, content)
            elif kind == PAIRS:
                _add_candidates(listing, name, content)
            else:
                _add_texts(listing, name, kind, content)
        except DataError as problem:
            if kind == DOCUMENTS:  # a gallery without them would be another one
                raise
            content.problems.append(f"left out: {problem}")
    if qrels:
        content.qrels = without_contradictions(pd.concat(qrels, ignore_index=True), content)
    return content


def _pairs(listing: Listing, name: str, value: str) -> pd.DataFrame:
    """Judgements, or the scores of a run, as texts: query_id, item_id, grade or score."""
    columns = list(QREL_COLUMNS if value == "grade" else RUN_COLUMNS)
    if ending(name) == ".json":
        content = read_json(listing, name)
        rows = [(q, d, str(v)) for q, found in content.items() for d, v in found.items()]
        return pd.DataFrame(rows, columns=columns, dtype="str")
    table = ending(name) in (".csv", ".parquet", ".jsonl")
    if table or (ending(name) == ".tsv" and _kind_of_header(name, _first_lines(listing, name))):
        cells = read_source_table(listing, name).cells
        plain = {column.lower(): column for column in cells.columns}
        of_value = (*GRADE, *SCORE) if value == "grade" else SCORE
        chosen = [
            next(plain[each] for each in names if each in plain)
            for names in (QUERY, ITEM, of_value)
        ]
        return cells[chosen].set_axis(columns, axis=1).reset_index(drop=True)
    if value == "grade":
        return read_judgements(listing, name)
    if ending(name) == ".tsv":
        return _scores_of_lines(listing, name)
    run = read_run(listing.path(name), "trec", name=name)
    return run[columns].astype({"query_id": "str", "item_id": "str"})


def _scores_of_lines(listing: Listing, name: str) -> pd.DataFrame:
    """The scores in TREC's lines of a file whose name says that it is a table."""
    rows = []
    lines = read_text(listing.path(name), name, Findings()).split("\n")
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if fields and (len(fields) < 5 or not is_number(fields[4])):
            raise DataError(name, f"{line[:80]!r}", "a score in field 5", line=number)
        if fields:
            rows.append((fields[0], fields[2], fields[4]))
    return pd.DataFrame(rows, columns=list(RUN_COLUMNS), dtype="str")


def _add_run(listing: Listing, name: str, kind: str, content: Content) -> None:
    guessed = ""
    if kind == RANKS:
        text = read_text(listing.path(name), name, Findings())
        rows = [line.split("\t") for line in text.splitlines() if line.strip()]
        run = pd.DataFrame([row[:3] for row in rows], columns=list(RUN_COLUMNS), dtype="str")
        run["score"] = -pd.to_numeric(run["score"])
        guessed = "MS MARCO's ranks: score = −rank"
    else:
        run = _pairs(listing, name, "score")
        run["score"] = pd.to_numeric(run["score"], errors="coerce")
    if run["score"].isna().any():
        raise DataError(name, "scores that are no numbers", "a number for each result")
    run = run.drop_duplicates(["query_id", "item_id"], ignore_index=True)
    named = stem(PurePosixPath(name).name).removesuffix(".run") or "run"
    version, number = named, 1
    while version in content.runs:
        if _same(content.runs[version], run):
            content.note(f"runs/{version}.parquet", 0, name, "the same results in several files")
            return
        number += 1
        version = f"{named}_{number}"
    content.runs[version] = run
    content.note(f"runs/{version}.parquet", len(run), name, guessed)


def _same(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Whether two runs have the same results with the same scores."""
    keys = ["query_id", "item_id"]
    ordered = [
        run[[*keys, "score"]].astype({"score": "float32"}).sort_values(keys, ignore_index=True)
        for run in (one, other)
    ]
    return len(one) == len(other) and bool((ordered[0] == ordered[1]).all(axis=None))


def _add_texts(listing: Listing, name: str, kind: str, content: Content) -> None:
    """Add topics, queries or documents."""
    slices = pd.DataFrame()
    table = ending(name) in (".csv", ".parquet", ".jsonl")
    header = ending(name) == ".tsv" and _kind_of_header(name, _first_lines(listing, name))
    if kind == QUERIES and (table or header):
        cells = read_source_table(listing, name).cells
        plain = {column.lower(): column for column in cells.columns}
        key = next((plain[each] for each in (*QUERY, "_id", "id") if each in plain), None)
        text = next((plain[each] for each in TEXT if each in plain), None)
        if key is None or text is None:
            raise DataError(name, f"the columns {listed(cells.columns)}", "query_id and text")
        pairs = list(zip(cells[key], cells[text], strict=True))
        slices = _slices(name, cells, key, content)
    else:
        content_of = read_text(listing.path(name), name, Findings())
        if kind == TOPICS:
            pairs = [
                (number[1], " ".join(title[1].split()))
                for topic in _TOPIC.findall(content_of)
                if (number := _NUMBER.search(topic)) and (title := _TITLE.search(topic))
            ]
            pairs += [
                (number, " ".join(unescape(asked).split()))
                for number, topic in _XML_TOPIC.findall(content_of)
                for asked in _XML_QUERY.findall(topic)[:1] or [re.sub(r"<[^>]*>", " ", topic)]
            ]
        else:
            pairs = _pairs_of_lines(name, content_of)
    _add_pairs(name, kind, pairs, content)
    asked = content.queries
    for column in slices.columns:  # of several files the first counts, and others fill its cells
        known = asked[column].fillna("") if column in asked else pd.Series("", index=asked.index)
        asked[column] = known.where(known != "", asked["query_id"].map(slices[column]).fillna(""))


def _slices(name: str, cells: pd.DataFrame, key: str, content: Content) -> pd.DataFrame:
    """The further columns of queries that divide them into slices, by their ids: those of which
    some queries share a value."""
    first = cells.drop_duplicates(key).set_index(key)
    meant = {*TEXT, *QUERY_COLUMNS, *ITEM, *ID}
    further = first[[each for each in first.columns if each.lower() not in meant]]
    alone = [each for each in further.columns if not _is_shared(further[each])]
    if alone:
        content.problems.append(
            f"left out: {name}: the {counted(len(alone), 'column')} {listed(alone)}, of which no "
            "two queries share a value: no slices"
        )
    kept = further.drop(columns=alone)
    if len(kept.columns):
        content.note("queries.csv", len(kept), name, f"slices: {listed(kept.columns)}")
    return kept


def _is_shared(column: pd.Series) -> bool:
    return bool(column[column.str.strip() != ""].duplicated().any())


def _pairs_of_lines(name: str, content: str) -> list[tuple[str, str]]:
    """An id and a text in each line; of MS MARCO's documents title and text, without address."""
    pairs = []
    for number, line in enumerate(content.split("\n"), start=1):
        key, *texts = (field.strip() for field in line.split("\t"))
        if line.strip() and not (key and texts):
            found = f"{line.strip()[:80]!r}"
            raise DataError(name, found, "an id, a tab and a text", line=number)
        if line.strip():
            written = [text for text in texts if not text.startswith(("http://", "https://"))]
            parts = written if len(texts) == 3 else texts
            pairs.append((key, (". " if len(texts) == 3 else " ").join(filter(None, parts))))
    return pairs


def _add_candidates(listing: Listing, name: str, content: Content) -> None:
    """Add the queries and texts of MS MARCO's candidates; nothing says how they are ranked."""
    lines = read_text(listing.path(name), name, Findings()).split("\n")
    rows = [line.split("\t") for line in lines if line.strip()]
    for number, line in enumerate(lines, start=1):
        if line.strip() and line.count("\t") != 3:
            found = counted(line.count("\t") + 1, "field")
            raise DataError(name, found, "query, item, and the text of each", line=number)
    _add_pairs(name, QUERIES, [(row[0].strip(), row[2].strip()) for row in rows], content)
    _add_pairs(name, DOCUMENTS, [(row[1].strip(), row[3].strip()) for row in rows], content)


def _add_pairs(name: str, kind: str, pairs: Sequence[tuple[str, str]], content: Content) -> None:
    """Add ids with their texts, as queries or as items."""
    if kind == DOCUMENTS:
        rows = [(key, "", "", "text", text) for key, text in pairs]
        columns = ["item_id", "file", "poster", "kind", "caption"]
        items = pd.DataFrame(rows, columns=columns, dtype="str")
        content.note("items.csv", items["item_id"].nunique(), name, "a text each")
        items = pd.concat([content.items, items], ignore_index=True)
        content.items = without_repeats(items, "item_id", "caption", content)
    else:
        if empty := [key for key, text in pairs if not text.strip()]:
            several = counted(len(empty), "query", "queries")
            content.problems.append(f"left out: {name}: {several} without words ({listed(empty)})")
            pairs = [(key, text) for key, text in pairs if text.strip()]
        queries = pd.DataFrame(pairs, columns=["query_id", "text"], dtype="str")
        content.note("queries.csv", queries["query_id"].nunique(), name, "")
        queries = pd.concat([content.queries, queries.assign(item_id="", image="")])
        content.queries = without_repeats(queries, "query_id", "text", content)


READER = Reader("topics, judgements and runs", detect, read)
