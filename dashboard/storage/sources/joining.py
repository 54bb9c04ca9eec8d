"""The readers in the order in which they choose files, and what they read as one Content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from dashboard.storage.sources import beir, coco, fiftyone, media_folder, plain_texts, trec, vectors
from dashboard.storage.sources.content import (
    CAPTION_COLUMNS,
    ITEM_COLUMNS,
    KEYWORD_COLUMNS,
    QREL_COLUMNS,
    QUERY_COLUMNS,
    Content,
    Reader,
    empty,
)
from dashboard.storage.sources.listing import Listing, list_source
from dashboard.tables import DataError, counted, listed

READERS: tuple[Reader, ...] = (
    coco.READER,
    coco.MAPS_READER,
    fiftyone.READER,
    beir.READER,
    vectors.READER,
    trec.READER,
    media_folder.READER,
    plain_texts.READER,
)
_KEYS = {"items": ["item_id"], "queries": ["query_id"], "qrels": ["query_id", "item_id"]}
_COLUMNS = {
    "items": ITEM_COLUMNS,
    "keywords": KEYWORD_COLUMNS,
    "captions": CAPTION_COLUMNS,
    "queries": QUERY_COLUMNS,
    "qrels": QREL_COLUMNS,
}


def read_source(
    source: Path, columns: Mapping[str, str], readers: Sequence[Reader] = READERS
) -> tuple[Content, Listing]:
    """All that the readers take from a source. Raises DataError where there is nothing that one of
    them reads."""
    listing = list_source(source)
    left, contents, taken = list(listing.files), list[Content](), list[str]()
    for reader in readers:
        detected = reader.detect(listing, left)
        if detected is None:
            continue
        contents.append(reader.read(listing, detected, columns))
        taken.append(f"{reader.name}: {detected.what}")
        mine = set(detected.files)
        left = [name for name in left if name not in mine]
    content = joined(contents)
    content.problems = [*listing.sentences(), *content.problems]
    if pickles := [name for name in left if name.lower().endswith((".pkl", ".pickle"))]:
        content.problems.append(
            f"pickles are never read, for they can run programs ({listed(pickles)}); write what "
            "they hold, such as ids, as text, one a line, or as CSV or .npy"
        )
    if left := [name for name in left if name not in pickles]:
        content.problems.append(f"{counted(len(left), 'file')} not read ({listed(left)})")
    if content.items.empty and not (content.runs or content.vectors) and content.qrels.empty:
        found = f"{counted(len(listing.files), 'file')} ({listed(listing.files) or 'none'})"
        why = " ".join(each if each.endswith(".") else f"{each}." for each in content.problems[:3])
        wanted = "pictures, clips, tables, judgements, runs or vectors"
        if len(content.queries):
            found = (
                f"{counted(len(content.queries), 'query', 'queries')} and nothing else, in {found}"
            )
            wanted = "what they search, beside them: " + wanted
        raise DataError(str(source), found, wanted, cure=why)
    content.settings.setdefault("about", f"Read from {source.resolve().name}: {'; '.join(taken)}.")
    return content, listing


def joined(contents: Sequence[Content]) -> Content:
    """Several contents as one. Where two have the same row, the first counts, its empty cells are
    filled, and a sentence says where they differ."""
    whole = Content()
    for each in contents:
        whole.notes += each.notes
        whole.problems += each.problems
        whole.settings = {**each.settings, **whole.settings}
        whole.runs |= {name: run for name, run in each.runs.items() if name not in whole.runs}
        for name, sides in each.vectors.items():
            for side, rows in sides.items():
                whole.add_vectors(name, side, [rows])
        whole.caption_vectors = {**each.caption_vectors, **whole.caption_vectors}
    for table, columns in _COLUMNS.items():
        parts = [getattr(each, table) for each in contents if len(getattr(each, table))]
        if table in _KEYS and len(parts) > 1:
            frame = _merged(parts, _KEYS[table], table, whole)
        else:
            frame = pd.concat(parts or [empty(columns)], ignore_index=True).drop_duplicates()
        for column in columns:
            if column not in frame.columns:
                frame[column] = ""
        setattr(whole, table, frame.fillna("").reset_index(drop=True))
    return whole


def _merged(
    parts: Sequence[pd.DataFrame], key: list[str], name: str, whole: Content
) -> pd.DataFrame:
    """Tables with the same key as one."""
    first = parts[0].set_index(key)
    for other in (part.set_index(key) for part in parts[1:]):
        both = first.index.intersection(other.index)
        for column in other.columns.intersection(first.columns):
            mine, theirs = first.loc[both, column], other.loc[both, column]
            differ = (mine != theirs) & (mine != "") & (theirs != "")
            if differ.any():
                one = differ.index[differ][0]
                whole.problems.append(
                    f"two parts of the source contradict each other on {column} of "
                    f"{counted(int(differ.sum()), name.removesuffix('s'))} ({one}: "
                    f"{mine[one]!r} or {theirs[one]!r}); the first counts"
                )
        filled = first.replace("", pd.NA)
        first = filled.combine_first(other.replace("", pd.NA)).fillna("")
        order = [*parts[0].set_index(key).index, *other.index.difference(both, sort=False)]
        first = first.loc[list(dict.fromkeys(order))]
        parts = [first.reset_index()]
    return first.reset_index()
