"""BEIR: `corpus.jsonl`, `queries.jsonl`, and `qrels/*.tsv`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from dashboard.storage.sources.content import Content, Detected, Reader
from dashboard.storage.sources.judgements import (
    read_judgements,
    without_contradictions,
    without_repeats,
)
from dashboard.storage.sources.listing import Listing, ending, parent, stem
from dashboard.storage.sources.tables import read_source_table
from dashboard.tables import DataError, counted, listed

PARTS = ("test", "dev", "train")
"""The judgements that count, the first that is there."""
ID = ("_id", "id", "docid", "doc_id")
TEXT = ("text", "contents", "query", "question")


def detect(listing: Listing, files: Sequence[str]) -> Detected | None:
    """A corpus with queries beside it. Raises DataError for several, whose ids mean different
    texts."""
    sets: dict[str, Detected] = {}
    corpora = [name for name in files if name.endswith(("corpus.jsonl", "corpus.jsonl.gz"))]
    for corpus in corpora:
        top = parent(corpus)
        queries = [n for n in files if parent(n) == top and stem(n) == "queries"]
        beside = [n for n in files if parent(n) == f"{top}/qrels".lstrip("/")]
        qrels = [n for n in beside if ending(n) == ".tsv"]
        if queries:
            what = f"{corpus} and its queries"
            sets.setdefault(top, Detected((corpus, queries[0], *qrels), what))
    if len(sets) > 1:
        folders = listed(f"{top or '.'}/" for top in sets)
        one = listing.root / max(sets)  # the top itself, which may be one, is what was named
        raise DataError(
            str(listing.root),
            f"{len(sets):,} data sets of BEIR ({folders})",
            "one, for each has ids of its own",
            cure=f"Name the folder of one: --from {one}",
        )
    return next(iter(sets.values()), None)


def read(listing: Listing, detected: Detected, columns: Mapping[str, str]) -> Content:
    """The texts, the queries, and the judgements of one part."""
    corpus, queries, *qrels = detected.files
    content = Content()
    content.settings["protocols"] = ["trec"]
    found = read_source_table(listing, corpus).cells
    ids, texts = (_column(found, names, corpus) for names in (ID, TEXT))
    title = found["title"].str.strip() if "title" in found else pd.Series("", found.index)
    caption = (title + ". " + texts).where(title != "", texts)
    items = pd.DataFrame(
        {"item_id": ids, "file": "", "poster": "", "kind": "text", "caption": caption}
    )
    content.items = without_repeats(items, "item_id", "caption", content)
    content.note("items.csv", len(content.items), corpus, "caption: title and text")
    found = read_source_table(listing, queries).cells
    ids, texts = (_column(found, names, queries) for names in (ID, TEXT))
    asked = pd.DataFrame({"query_id": ids, "text": texts, "item_id": "", "image": ""})
    content.queries = without_repeats(asked, "query_id", "text", content)
    parts = {stem(name): name for name in qrels}
    chosen = next((part for part in (*PARTS, *parts) if part in parts), "")
    if chosen:
        content.qrels = without_contradictions(read_judgements(listing, parts[chosen]), content)
        others = f"; {counted(len(parts) - 1, 'other file')} left out" if len(parts) > 1 else ""
        guessed = f"the part {chosen}{others}"
        content.note("qrels.csv", len(content.qrels), parts[chosen], guessed)
    judged = content.queries["query_id"].isin(content.qrels["query_id"])
    asked_in_all = len(content.queries)
    if judged.any():
        content.queries = content.queries[judged].reset_index(drop=True)
    elif len(content.qrels):
        content.problems.append(
            f"{parts[chosen]} judges none of the queries: its ids "
            f"({listed(content.qrels['query_id'].unique())}) are not those of {queries} "
            f"({listed(content.queries['query_id'])})"
        )
    else:
        content.problems.append(
            f"nothing says which texts answer the queries: put judgements into {parent(corpus)}"
            f"{'/' if parent(corpus) else ''}qrels/test.tsv, lines of query, item and grade"
        )
    note = f"those of {asked_in_all:,} that are judged" if judged.any() else ""
    content.note("queries.csv", len(content.queries), queries, note)
    return content


def _column(cells: pd.DataFrame, names: Sequence[str], name: str) -> pd.Series:
    """The first of some columns that a table has."""
    for each in names:
        if each in cells:
            return cells[each]
    raise DataError(name, f"the keys {listed(cells.columns)}", f"{names[0]} in each object")


READER = Reader("BEIR", detect, read)
