"""Rows of JSON: lines, lists, objects by ids or queries, and tables of other programs."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from dashboard.errors import DataError
from dashboard.plugins.importers.pieces import RESULTS, flatten, holds_objects, part_results
from dashboard.plugins.importers.source import Source, find_stem
from dashboard.storage.media import EXTENSION
from dashboard.storage.vector_ids import IDS, LABELS, names_texts
from dashboard.tables import Row

VECTOR_WORDS = re.compile(
    r"(^|[\W_])(emb\w*|vec(tors?)?|feat(ure)?s?|latents?|codes?|hash(es)?|bits)($|[\W_\d])", re.I
)
"""Words in the names of columns that hold vectors, of whole numbers too."""
JUDGED = re.compile("qrel|judg|relevan|ground_?truth", re.I)
"""Words in names of files of judgements."""
RUN = re.compile(r"(?<![^\W_])(runs?|results?)(?![^\W\d_])", re.I)
"""Words in names of files of results."""
MAX_WORDS = 3
"""Words of a class in JSON of texts by their pictures; longer texts are captions."""
NumberedRow = tuple[int, Row]
"""Line and cells of a row."""


def is_header(names: Iterable[str]) -> bool:
    """Return whether names are those of columns: one of ids or of classes is among them."""
    return any(IDS.search(each) or each.lower() in LABELS for each in names)


def read_lines(source: Source, name: str) -> Iterator[NumberedRow]:
    """Yield the rows of JSON lines, each with the id in a line of Elasticsearch's bulk above it."""
    odd, action = [], {}
    for line, text in enumerate(source.read_text(name).split("\n"), start=1):
        if not text.strip():
            continue
        row: Any = None
        with suppress(ValueError, RecursionError):
            row = json.loads(text)
        match row:
            case {"index": {"_id": item}} | {"create": {"_id": item}} if len(row) == 1:
                action = {"_id": item}
            case dict():
                yield line, action | row
                action = {}
            case _:
                odd.append(line)
    source.count(name, odd, "lines that are no JSON object", "an object a line; left out")


def read_objects(source: Source, name: str) -> Iterator[NumberedRow]:
    """Yield the rows of a list of objects, of columns as pandas writes them, or of lines.

    Raises:
        DataError: If it is none of them.
    """
    if re.search(r"\}\s*\n\s*\{", source.read_head(name)):  # no JSON, but lines of it
        yield from read_lines(source, name)
        return
    found = source.read_json(name)
    rows = _find_rows(source, name, found) if found and isinstance(found, dict) else found
    if not holds_objects(rows):
        wanted = 'a list of objects, each with an id, or a "query" and its "hits"'
        raise DataError(name, "JSON of another kind", wanted)
    yield from enumerate(rows, start=1)


def _has_records(found: Any) -> bool:
    """Return whether objects are rows by their ids, each with lists in it, as ActivityNet's."""
    told = list(found.values()) if isinstance(found, dict) else []
    is_listed = all(isinstance(own, dict) and list in map(type, own.values()) for own in told)
    return is_listed and (len(told) > 1 or any("sentences" in own for own in told))


def _find_rows(source: Source, name: str, found: Row) -> Any:
    """Return the rows of an object: by ids, files or queries, or of one response or table."""
    for records in filter(_has_records, [*found.values(), found]):
        return [{"query" if "hits" in row else "item_id": e, **row} for e, row in records.items()]
    if found.keys() >= {"queries", "relevant_docs"}:  # sentence-transformers, LlamaIndex
        return [
            {"query_id": query, "query": found["queries"][query], "item_id": item, "grade": 1}
            for query, own in found["relevant_docs"].items()
            for item in own
        ]
    if found.pop("mteb_model_meta", None):
        found = next((own for splits in found.values() for own in splits.values()), {})
    told = list(found.values())
    is_of_rows = all(isinstance(each, dict) for each in told)
    flat = [each for own in told for each in (own if isinstance(own, list) else [own])]
    is_of_files = all(EXTENSION.search(each) or source.find_media(each) for each in found)
    are_files = is_of_files and is_of_rows and all(map(EXTENSION.search, chain(*told)))
    if is_of_rows and are_files == is_of_files and _holds_pairs(source, name, told):
        number = "grade" if JUDGED.search(name) else "score"
        return [
            {"query_id": query, "item_id": item, number: each}
            for query, own in found.items()
            for item, each in own.items()
        ]
    kinds, stem = {*map(type, flat)}, find_stem(name).lower()
    is_of_pairs = is_of_files and all(map(EXTENSION.search, map(str, flat)))
    if kinds == {str} and (is_of_pairs or not is_of_files and _holds_lists(source, name, told)):
        is_run = RESULTS.search(name) or not (is_of_pairs or JUDGED.search(name))
        return [
            {"query_id": query, "item_id": item} | ({"rank": at} if is_run else {"grade": 1})
            for query, own in found.items()
            for at, item in enumerate([own] if isinstance(own, str) else own, start=1)
        ]
    is_text = stem in ("captions", "queries", "corpus")
    is_label = stem in ("label", "labels", "class", "classes")
    is_told = is_text or is_label and len({*map(str, flat)}) < len(flat)
    are_vectors = kinds == {float} and bool(VECTOR_WORDS.search(stem))
    if is_of_files or are_vectors or is_told and kinds == {str}:
        words = sum(len(_join_words(each).split()) for each in flat)
        column = "text" if is_text or words > MAX_WORDS * len(flat) else "label"
        column = "vector" if float in kinds else column
        if column == "text":
            told = [list(map(_join_words, own)) if isinstance(own, list) else own for own in told]
        rows = told if is_of_rows else [{column: own} for own in told]
        key = "file" if is_of_files else "item_id"
        return [{key: own, **row} for own, row in zip(found, rows, strict=True)]
    return [found] if part_results(found) != [found] else _list_table(found)


def _list_table(found: Row) -> Any:
    """Return the rows of a table as pandas, Chroma and Quepid write it; None if it is none."""
    import pandas as pd

    lists = {key: own for key, own in found.items() if isinstance(own, list)}
    if lists.keys() >= {"columns", "data"}:  # pandas' orient="split", wandb
        return [dict(zip(lists["columns"], row, strict=True)) for row in lists["data"]]
    for ids in filter(IDS.search, lists):
        cells = {key: own for key, own in lists.items() if len(own) == len(lists[ids])}
        return pd.DataFrame(cells, dtype=object).to_dict("records")
    tables = {key: own for key, own in flatten(found).items() if holds_objects(own)}
    for key, own in tables.items():
        if len(tables) == 1 or key in ("data", "queries"):  # pandas' orient="table", Quepid
            return own
    if {*map(type, found.values())} != {dict}:
        return None
    is_even = all(len({*map(type, own.values())}) == 1 for own in found.values())
    if is_even and not is_header(next(iter(found.values()))):  # columns by rows, no orient="index"
        found = pd.DataFrame(found, dtype=object).to_dict("index")
    return [row if key.isdecimal() else {"item_id": key, **row} for key, row in found.items()]


def _join_words(text: Any) -> str:
    """Return a text, which MSVD's raw captions have as a list of words."""
    return " ".join(map(str, text)) if isinstance(text, list) else str(text)


def _holds_lists(source: Source, name: str, told: Sequence[Any]) -> bool:
    """Return whether lists hold ids of results or relevant items, by their file's name.

    A run called by its model is known by judgements beside it. Classes come again more often.
    """
    stem = find_stem(name)
    if {*map(type, told)} != {list} or names_texts(stem) or 2 * len({*chain(*told)}) < len(told):
        return False
    is_beside = max(map(len, told)) > 1 and any(map(JUDGED.search, source.files))
    return bool(is_beside or JUDGED.search(stem) or RUN.search(stem))


def _holds_pairs(source: Source, name: str, told: Sequence[Row]) -> bool:
    """Return whether objects hold a number for each item of a query, as ranx writes them.

    A run called by its model is known by judgements beside it. Columns of pandas, which look
    alike, have a row 0.
    """
    is_named = bool(JUDGED.search(name) or RUN.search(find_stem(name)))
    is_judged = any(map(JUDGED.search, source.files))
    numbers = (each is None or isinstance(each, int | float) for e in told for each in e.values())
    return (is_named or is_judged and "0" not in told[0]) and all(numbers)
