"""What `check` looks at beside the reading of files: what measuring would refuse or misread."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.retrieval import keywords, pictures
from dashboard.storage.collection import SETTINGS, Collection
from dashboard.storage.evidence import lines_of_items, lines_of_queries
from dashboard.storage.findings import Findings, listed
from dashboard.storage.media import asked
from dashboard.storage.placed import placed
from dashboard.tables import DataError


def judge_all(collection: Collection, findings: Findings) -> None:
    """An error for each protocol that there is not, or that refuses the collection's labels."""
    unknown = [name for name in collection.protocols if name not in PROTOCOLS]
    if unknown:
        wanted = f"protocols among {', '.join(PROTOCOLS)}"
        findings.error(DataError(SETTINGS, f"protocols = {list(collection.protocols)}", wanted))
    if collection.refused:
        return  # said where they were read
    mapped = keywords.keep(collection.query_keywords, collection.mapping_threshold)
    evidence = replace(collection, query_keywords=mapped)
    for name in dict.fromkeys(collection.protocols):
        if name in PROTOCOLS:
            try:
                PROTOCOLS[name].judge(evidence, collection.default_groups)
            except DataError as problem:
                findings.error(placed(problem, collection.folder))


def look_at_query_pictures(collection: Collection, findings: Findings) -> None:
    """A warning for the pictures of queries that are named and not shown."""
    queries = collection.queries
    named = queries.loc[queries["image"].str.strip() != "", "query_id"]
    if named.empty:
        return
    shown, lines = asked.pictures(collection, named), lines_of_queries(collection.folder)
    for word, ids in shown[shown["problem"] != ""].groupby("problem", sort=False)["query_id"]:
        found = f"{len(ids):,} of {len(named):,} queries whose picture is not shown: {word}"
        wanted = "a picture for each, by its file or the id of an item"
        found = f"{found} ({listed(ids)})"
        findings.warning("queries.csv", found, wanted, _first(lines, ids))


def look_at_networks(collection: Collection, findings: Findings) -> None:
    """An error for each network of a picture side that cannot be used; all are run once."""
    for model in collection.models.values():
        try:
            pictures.try_networks(model)
        except DataError as problem:
            findings.error(placed(problem, collection.folder))


def look_at_spans(collection: Collection, findings: Findings) -> None:
    """A warning for each kind of span that cannot be a part of a video."""
    items = collection.items
    if not {"span_start", "span_end"} & set(items.columns):
        return
    begin, end = (_seconds(items, column) for column in ("span_start", "span_end"))
    told = [(_told(items, column), column) for column in ("span_start", "span_end")]
    wrong = {
        f"{column} that is no number": there & _seconds(items, column).isna()
        for there, column in told
    }
    wrong["a span that starts or ends before 0"] = (begin < 0) | (end < 0)
    wrong["a span that does not end after its start"] = end <= begin
    lines = lines_of_items(collection.folder)
    for what, rows in wrong.items():
        if rows.any():
            ids = items.loc[rows, "item_id"]
            found = f"{len(ids):,} of {len(items):,} items with {what} ({listed(ids)})"
            wanted = "0 ≤ span_start < span_end, in seconds; or neither for the whole clip"
            findings.warning("items.csv", found, wanted, _first(lines, ids))


def _seconds(items: pd.DataFrame, column: str) -> pd.Series:
    return pd.to_numeric(items.get(column, pd.Series("", items.index)), errors="coerce")


def _told(items: pd.DataFrame, column: str) -> pd.Series:
    cells = items.get(column, pd.Series("", items.index))
    return cells.notna() & (cells.astype("str").str.strip() != "")


def _first(lines: pd.Series, ids: pd.Series) -> int | None:
    there = lines.reindex(ids).dropna()
    return int(there.min()) if len(there) else None
