"""What `check` looks at beside the reading of files: what measuring would refuse or misread."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.protocols.class_labels import column_of
from dashboard.retrieval import keywords, pictures
from dashboard.retrieval.query_vectors import query_vectors, to_encode
from dashboard.storage.collection.collection import SETTINGS, Collection
from dashboard.storage.collection.error_places import placed
from dashboard.storage.collection.evidence import lines_of_items, lines_of_queries
from dashboard.storage.media import item_media, query_pictures
from dashboard.storage.media.spans import ANSWERS, OVERRULED
from dashboard.tables import DataError, Findings, listed

WANTED_MEDIA = {
    item_media.SPAN_OUTSIDE: f'a span inside its file; {OVERRULED} = "yes" in {SETTINGS}, or yes '
    f"in a column {OVERRULED}, where files were cut to their spans"
}
"""What is to be done where an item's media are not shown, by the word for it."""


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
    shown, lines = query_pictures.pictures(collection, named), lines_of_queries(collection.folder)
    for word, ids in shown[shown["problem"] != ""].groupby("problem", sort=False)["query_id"]:
        found = f"{len(ids):,} of {len(named):,} queries whose picture is not shown: {word}"
        wanted = "a picture for each, by its file or the id of an item"
        found = f"{found} ({listed(ids)})"
        findings.warning("queries.csv", found, wanted, first(lines, ids))


def look_at_networks(collection: Collection, findings: Findings) -> None:
    """An error for each network of a picture side that cannot be used; all are run once."""
    for model in collection.models.values():
        try:
            pictures.try_networks(model)
        except DataError as problem:
            findings.error(placed(problem, collection.folder))


def look_at_labels(collection: Collection, findings: Findings) -> None:
    """What is to say where labels make the types of pairs: who has none, or what counts instead."""
    tables = {"items": collection.items, "queries": collection.queries}
    if "hashing" not in collection.protocols or not any(map(column_of, tables.values())):
        return
    if collection.qrels is not None:
        found = f"labels in {listed(name for name, table in tables.items() if column_of(table))}"
        findings.note("qrels", f"{found} beside a file of qrels", "one of the two; the file counts")
        return
    for (name, table), key in zip(tables.items(), ("item_id", "query_id"), strict=True):
        column = column_of(table)
        bare = table.loc[table[column].str.strip() == "", key] if column else []
        if len(bare):
            found = f"{len(bare):,} of {len(table):,} {name} without labels ({listed(bare)})"
            wrong = "of type 3 to every query" if name == "items" else "not scored"
            findings.warning(f"{name}.csv", found, f"labels of each; these are {wrong}")


def look_at_query_vectors(collection: Collection, findings: Findings) -> None:
    """An error for each version that cannot encode the stored texts that it has no vectors of."""
    for model in collection.searched.values():
        texts = to_encode(model, collection.queries)
        missing = query_vectors(model, collection.queries).missing if texts else {}
        if reasons := [missing[query] for query in texts if query in missing]:
            found = f"no vectors for {len(reasons):,} texts ({listed(texts)}): {reasons[0]}"
            wanted = "their vectors, or an encoder that embeds them"
            findings.error(DataError(f"models/{model.name}/queries.npy", found, wanted))


def look_at_spans(collection: Collection, findings: Findings) -> None:
    """A warning for each kind of span that cannot be a part of a video."""
    items = collection.items
    told = items.get(OVERRULED, pd.Series(dtype="str")).str.strip().str.lower()
    ids = items.loc[told.index[~told.isin(["", *ANSWERS])], "item_id"]
    if len(ids):
        found, lines = f"{OVERRULED} of {len(ids):,} items", lines_of_items(collection.folder)
        wanted = "yes, no, or nothing where the lengths of file and span tell"
        findings.warning("items.csv", f"{found} ({listed(ids)})", wanted, first(lines, ids))
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
            findings.warning("items.csv", found, wanted, first(lines, ids))


def look_at_cut_clips(shown: pd.DataFrame, findings: Findings) -> None:
    """A note of the items whose file is taken for their span. shown: what `media` says of them."""
    ids = shown.loc[shown["cut"], "item_id"]
    if len(ids):
        found = f"{len(ids):,} of {len(shown):,} items whose file was cut to their span"
        wanted = f'the whole file is shown; else {OVERRULED} = "no" in {SETTINGS}'
        findings.note("items.csv", f"{found} ({listed(ids)})", wanted)


def _seconds(items: pd.DataFrame, column: str) -> pd.Series:
    return pd.to_numeric(items.get(column, pd.Series("", items.index)), errors="coerce")


def _told(items: pd.DataFrame, column: str) -> pd.Series:
    cells = items.get(column, pd.Series("", items.index))
    return cells.notna() & (cells.astype("str").str.strip() != "")


def first(lines: pd.Series, ids: pd.Series) -> int | None:
    """The first line that one of some ids stands in; None where no file names them."""
    there = lines.reindex(ids).dropna()
    return int(there.min()) if len(there) else None
