"""BEIR: `corpus.jsonl`, `queries.jsonl`, and `qrels/*.tsv` with a header."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from dashboard.storage.sources.content import Content, Detected, Reader
from dashboard.storage.sources.listing import Listing, parent, stem
from dashboard.storage.sources.tables import read_source_table
from dashboard.tables import counted

PARTS = ("test", "dev", "train")
"""The judgements that count, the first that is there."""


def detect(listing: Listing, files: Sequence[str]) -> Detected | None:
    """A corpus with queries beside it."""
    corpora = [name for name in files if name.endswith(("corpus.jsonl", "corpus.jsonl.gz"))]
    for corpus in corpora:
        top = parent(corpus)
        queries = [n for n in files if parent(n) == top and stem(n) == "queries"]
        qrels = [n for n in files if parent(n) == f"{top}/qrels".lstrip("/") and n.endswith(".tsv")]
        if queries:
            return Detected((corpus, queries[0], *qrels), f"{corpus} and its queries")
    return None


def read(listing: Listing, detected: Detected, columns: Mapping[str, str]) -> Content:
    """The texts, the queries, and the judgements of one part."""
    corpus, queries, *qrels = detected.files
    content = Content()
    content.settings["protocols"] = ["trec"]
    texts = read_source_table(listing, corpus).cells
    title = texts["title"] if "title" in texts else pd.Series("", texts.index)
    caption = (title.str.strip() + ". " + texts["text"]).where(
        title.str.strip() != "", texts["text"]
    )
    content.items = pd.DataFrame(
        {"item_id": texts["_id"], "file": "", "poster": "", "kind": "text", "caption": caption}
    ).drop_duplicates("item_id", ignore_index=True)
    content.note("items.csv", len(content.items), corpus, "caption: title and text")
    found = read_source_table(listing, queries).cells
    content.queries = pd.DataFrame({"query_id": found["_id"], "text": found["text"]})
    content.queries = content.queries.assign(item_id="", image="")
    parts = {stem(name): name for name in qrels}
    chosen = next((part for part in (*PARTS, *parts) if part in parts), "")
    if chosen:
        pairs = read_source_table(listing, parts[chosen]).cells
        content.qrels = pairs.set_axis(["query_id", "item_id", "grade"], axis=1)
        judged = content.queries["query_id"].isin(content.qrels["query_id"])
        content.queries = content.queries[judged]
        others = f"; {counted(len(parts) - 1, 'other file')} left out" if len(parts) > 1 else ""
        guessed = f"the part {chosen}{others}"
        content.note("qrels.csv", len(content.qrels), parts[chosen], guessed)
    content.note("queries.csv", len(content.queries), queries, "those that are judged")
    content.queries = content.queries.reset_index(drop=True)
    return content


READER = Reader("BEIR", detect, read)
