"""The table that each command prints, made of the functions that the screens call too."""

from __future__ import annotations

from datetime import date

import pandas as pd

from dashboard.commands import faults
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.letters import is_visible
from dashboard.retrieval import keywords, runs
from dashboard.retrieval.runs import TYPED
from dashboard.storage.collection.collection import Collection, find, open_collection
from dashboard.storage.collection.evidence import lines_of_items
from dashboard.storage.collection.query_keywords import write_mapping
from dashboard.storage.collection.vocabulary import write_draft
from dashboard.storage.files.table_files import stored_files
from dashboard.storage.lists.lists import read_lists
from dashboard.storage.media import item_media
from dashboard.storage.versions.model_record import FILE, missing
from dashboard.tables import DataError, Findings, listed


def check(name_or_path: str) -> pd.DataFrame:
    """All that is to say about a collection: level, file, line, found, wanted.

    Raises DataError where there is no such collection at all.
    """
    folder = find(name_or_path, allow_path=True)
    findings = Findings()
    try:
        collection = open_collection(folder, allow_path=True)
    except DataError as problem:
        findings.error(problem)
        return findings.frame()
    _gaps(collection, findings)
    faults.judge_all(collection, findings)
    faults.look_at_query_pictures(collection, findings)
    faults.look_at_networks(collection, findings)
    faults.look_at_query_vectors(collection, findings)
    faults.look_at_labels(collection, findings)
    faults.look_at_spans(collection, findings)
    shown = item_media.media(collection, collection.items["item_id"])
    odd = shown[
        ~shown["problem"].isin(["", item_media.SPAN_REVERSED])
    ]  # these are said with their line
    lines = lines_of_items(collection.folder)
    for word, ids in odd.groupby("problem", sort=False)["item_id"]:
        found = f"{len(ids):,} of {len(shown):,} items whose media are not shown: {word}"
        wanted = faults.WANTED_MEDIA.get(word, "a clip or picture for each item")
        findings.warning("items.csv", f"{found} ({listed(ids)})", wanted, faults.first(lines, ids))
    faults.look_at_cut_clips(shown, findings)
    seen = read_lists(collection)
    tables = [collection.findings, runs.check_runs(collection), findings.frame()]
    tables += [seen.findings] if seen else []
    filled = [table for table in tables if len(table)]
    # what the workers answered is read for the judgements and for the lists: said once
    once = pd.concat(filled).drop_duplicates(ignore_index=True) if filled else None
    return collection.findings if once is None else once


def _gaps(collection: Collection, findings: Findings) -> None:
    """What is missing altogether, without which nothing can be measured."""
    if not collection.versions:
        wanted = "a model, or a file in runs"
        if collection.broken or not _without_versions(collection):
            findings.error(DataError("models", "no version that can be used", wanted))
        else:
            findings.note("models", "no version", f"{wanted}, to compare; the rest goes without")
    if collection.queries.empty and "queries" not in collection.refused:
        findings.error(DataError("queries.csv", "no query", "at least one query"))
    if _by_keywords(collection) and collection.keywords.empty:
        wanted = "keywords of the items, for the protocol alfa"
        findings.error(DataError("unified_annotation.csv", "no keyword of any item", wanted))
    for model in collection.models.values():
        if lacks := missing(model):
            found = f"no {' and no '.join(lacks)}"
            wanted = (
                "what it was made for, to notice changes: python -m dashboard digests … --write"
            )
            findings.note(f"models/{model.name}/{FILE}", found, wanted)
    texts = set(collection.queries.loc[collection.queries["text"] != "", "query_id"])
    unmapped = texts - set(collection.query_keywords["query_id"])
    if _by_keywords(collection) and texts and unmapped == texts:
        wanted = "their keywords: python -m dashboard keywords … --write"
        findings.error(DataError("query_keywords.csv", "no text query mapped to a keyword", wanted))


def _without_versions(collection: Collection) -> bool:
    """Whether a collection has a use without a version: lists that people saw, or submissions."""
    known = [PROTOCOLS[name] for name in collection.protocols if name in PROTOCOLS]
    lists = bool(stored_files(collection.folder, "lists"))
    return any(protocol.takes_features or (lists and protocol.in_rows) for protocol in known)


def _by_keywords(collection: Collection) -> bool:
    """Whether some protocol of the collection makes relevance of keywords."""
    known = [PROTOCOLS[name] for name in collection.protocols if name in PROTOCOLS]
    return any(protocol.of_keywords for protocol in known)


def regressed(comparison: pd.DataFrame) -> bool:
    """Whether some measure fell by more than chance explains: its interval lies below 0."""
    return bool((comparison["high"] < 0).any())


def mapped_text(collection: Collection, text: str, threshold: float) -> pd.DataFrame:
    """The keywords that a text is mapped to; of a stored query the stored mapping.

    Raises ValueError for an empty text.
    """
    if not is_visible(text):
        raise ValueError("the text is empty; type what you look for")
    queries = collection.queries
    stored = queries.loc[queries["text"] == text.strip(), "query_id"]
    known = collection.query_keywords
    found = known[known["query_id"].isin(stored[:1])]
    if found.empty:
        found = keywords.candidates({TYPED: text}, collection.vocabulary)
    return keywords.keep(found, threshold)


def write_keywords(collection: Collection, threshold: float) -> pd.DataFrame:
    """Map all stored text queries, write that beside the collection, and return it."""
    for name in {"annotation", "vocabulary", "queries"} & set(collection.refused):
        raise collection.refused[name]
    queries = collection.queries[collection.queries["text"] != ""]
    texts = dict(zip(queries["query_id"], queries["text"], strict=True))
    found = keywords.candidates(texts, collection.vocabulary)
    settings = {
        "encoder": "all-MiniLM-L6-v2, by KeyBERT's backend",
        "threshold": threshold,
        "floor": keywords.FLOOR,
        "date": date.today().isoformat(),
    }
    write_mapping(collection.folder, found, collection.vocabulary, queries, settings)
    return keywords.keep(found, threshold)


def draft_vocabulary(collection: Collection) -> pd.DataFrame:
    """Write a vocabulary to edit beside a collection that has none, and return it: group, keyword,
    other_words."""
    for name in {"annotation", "vocabulary"} & set(collection.refused):
        raise collection.refused[name]
    if collection.vocabulary.empty:
        wanted = "keywords of the items, to draft a vocabulary of"
        raise DataError("unified_annotation.csv", "no keyword of any item", wanted)
    write_draft(collection.folder, collection.vocabulary)
    words = collection.vocabulary["words"].map(", ".join)
    return collection.vocabulary[["group", "keyword"]].assign(other_words=words)
