"""BEIR: `corpus.jsonl`, `queries.jsonl` and `qrels/PART.tsv`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from dashboard.errors import DataError, Finding
from dashboard.plugins.importers.blocks import read_blocks
from dashboard.plugins.importers.formats.tabular import read_table
from dashboard.plugins.importers.pieces import (
    Format,
    Items,
    Judgements,
    Piece,
    Queries,
    choose_part,
    name_others,
)
from dashboard.plugins.importers.source import Source, find_folder_of

PARTS = ("test", "dev", "validation", "val", "train")
"""Judgements that count, the first that is there."""


def recognise(source: Source) -> list[str]:
    """Return a corpus, its queries and its judgements."""
    corpora = [name for name in source.left if PurePosixPath(name).name == "corpus.jsonl"]
    queries = [name for name in source.left if PurePosixPath(name).name == "queries.jsonl"]
    if not corpora or not queries:
        return []
    if len(corpora) > 1:
        found = f"{len(corpora):,} data sets of BEIR"
        do = f"Type --from {find_folder_of(corpora[0])}"
        raise DataError(source.root.name, found, "one; each has ids of its own", do=do)
    folder = f"{find_folder_of(corpora[0])}/qrels".lstrip("/")
    qrels = [name for name in source.list_left(".tsv") if find_folder_of(name) == folder]
    return [corpora[0], queries[0], *qrels]


def read(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    """Yield the texts, the judged queries and the judgements of one part."""
    corpus, queries, *qrels = files
    judged: set[str] = set()
    chosen = choose_part(source, qrels, PARTS, "parts of judgements") if qrels else ""
    for piece in read_table(source, chosen) if chosen else ():
        if isinstance(piece, Judgements):
            judged.update(piece.queries)
        yield piece
    yield from name_others(qrels, chosen, "parts of judgements beside it")
    for name in (corpus, queries):
        for block in read_blocks(source, name):
            if isinstance(block, Finding):
                yield block
                continue
            lacking = {"_id", "text"} - block.columns.keys()
            if lacking:
                found = f"the keys {', '.join(block.columns)}"
                raise DataError(name, found, f"{' and '.join(sorted(lacking))} in each object")
            ids, texts = block.columns["_id"], block.columns["text"]
            if name == corpus:
                titles = block.columns.get("title", [""] * len(ids))
                pairs = zip(titles, texts, strict=True)
                cells = [f"{title}. {text}" if title else text for title, text in pairs]
                yield Items(name, ids, {"caption": cells, "kind": ["text"] * len(ids)})
            else:
                rows = zip(ids, texts, strict=True)
                asked = {each: text for each, text in rows if not judged or each in judged}
                yield Queries(name, list(asked), {"text": list(asked.values())})


FORMAT = Format("BEIR", "corpus.jsonl, queries.jsonl, qrels/*.tsv", recognise, read)
