"""BEIR: `corpus.jsonl`, `queries.jsonl` and `qrels/PART.tsv`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from dashboard.errors import DataError, Finding, list_names
from dashboard.plugins.importers.blocks import Block, read_blocks
from dashboard.plugins.importers.formats.tabular import read_table
from dashboard.plugins.importers.pieces import Format, Items, Judgements, Piece, Queries, Unsure
from dashboard.plugins.importers.source import Source, find_folder_of, find_stem

PARTS = ("test", "dev", "validation", "val", "train")
"""Judgements that count, the first that is there."""


def recognise(source: Source) -> list[str]:
    """Return a corpus, its queries and its judgements."""
    corpora = [name for name in source.left if PurePosixPath(name).name == "corpus.jsonl"]
    queries = [name for name in source.left if PurePosixPath(name).name == "queries.jsonl"]
    if not corpora or not queries:
        return []
    if len(corpora) > 1:
        found, do = (
            f"{len(corpora):,} data sets of BEIR",
            f"Type --from {find_folder_of(corpora[0])}",
        )
        raise DataError(source.root.name, found, "one; each has ids of its own", do=do)
    folder = f"{find_folder_of(corpora[0])}/qrels".lstrip("/")
    qrels = [name for name in source.list_left(".tsv") if find_folder_of(name) == folder]
    return [corpora[0], queries[0], *qrels]


def read(source: Source, files: Sequence[str]) -> Iterator[Piece]:
    """Yield the texts, the judged queries and the judgements of one part."""
    corpus, queries, *qrels = files
    judged: set[str] = set()
    chosen = _choose(source, qrels)
    for piece in read_table(source, chosen, {}) if chosen else ():
        if isinstance(piece, Judgements):
            judged.update(piece.queries)
        yield piece
    others = [name for name in qrels if name != chosen]
    if others:
        wanted = f"one part; {chosen} counts. Another one: --judgements {others[0]}"
        said = f"judgements of other parts ({list_names(others)})"
        yield Finding("note", chosen, None, said, wanted)
    for block in read_blocks(source, corpus):
        if isinstance(block, Block):
            titles, texts = block.columns.get("title"), _find(block, "text")
            if titles:
                pairs = zip(titles, texts, strict=True)
                texts = [f"{title}. {text}" if title else text for title, text in pairs]
            kind = ["text"] * len(texts)
            yield Items(corpus, _find(block, "_id"), {"caption": texts, "kind": kind})
        else:
            yield block
    for block in read_blocks(source, queries):
        if isinstance(block, Block):
            rows = zip(_find(block, "_id"), _find(block, "text"), strict=True)
            kept = [each for each in rows if not judged or each[0] in judged]
            yield Queries(queries, [each[0] for each in kept], {"text": [each[1] for each in kept]})
        else:
            yield block


def _choose(source: Source, qrels: Sequence[str]) -> str:
    by_part = {find_stem(name): name for name in qrels}
    stated = [name for name in qrels if source.judgements in (name, PurePosixPath(name).name)]
    known = [by_part[part] for part in PARTS if part in by_part]
    chosen = [*stated, *known] or qrels
    if len(chosen) > 1 and not (stated or known):
        lines = [f"--judgements {shlex.quote(name)}" for name in qrels]
        raise Unsure(qrels[0], f"{len(qrels):,} parts of judgements", "one", lines)
    return chosen[0] if chosen else ""


def _find(block: Block, column: str) -> list[str]:
    if column not in block.columns:
        raise DataError(
            block.file, f"the keys {', '.join(block.columns)}", f"{column} in each object"
        )
    return block.columns[column]


FORMAT = Format("BEIR", "corpus.jsonl, queries.jsonl, qrels/*.tsv", recognise, read)
