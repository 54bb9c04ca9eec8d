"""`query_keywords.csv`: what free text was mapped to, with `query_keywords.toml`, which says by
what.

The mapping needs a language model; it is computed once, written beside the collection and read by
everything that only measures.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from dashboard.storage import digests
from dashboard.storage.files.delimited import neutral
from dashboard.storage.files.tables import read_table
from dashboard.storage.findings import Findings, listed
from dashboard.storage.settings import MAPPING, read_settings
from dashboard.tables import QUERY_KEYWORDS, DataError, Table

TABLE = "query_keywords.csv"
SETTINGS = "query_keywords.toml"
WANTED = "the mapping to the vocabulary: python -m dashboard keywords COLLECTION --write"
COLUMNS = tuple(column for column in QUERY_KEYWORDS.columns if column != "kept")
STORED = Table(
    "query_keywords",
    {column: QUERY_KEYWORDS.columns[column] for column in COLUMNS},
    key=QUERY_KEYWORDS.key,
)


def vocabulary_digest(vocabulary: pd.DataFrame) -> str:
    """The fingerprint of a vocabulary; the order of its rows does not matter."""
    return digests.of_table(vocabulary, ["group", "keyword", "words"])


def read_mapping(
    folder: Path, vocabulary: pd.DataFrame, queries: pd.DataFrame, findings: Findings
) -> pd.DataFrame:
    """All candidates of the stored text queries (kept: none yet); empty where nothing is stored.

    What no longer fits the vocabulary or the queries is a warning that tells how to compute it
    again.
    """
    texts = queries.loc[queries["text"] != "", "query_id"]
    if not (folder / TABLE).exists():
        if len(texts) and len(vocabulary):
            findings.warning(TABLE, f"no such file for {len(texts)} text queries", WANTED)
        return QUERY_KEYWORDS.empty()
    mapping = read_table(folder / TABLE, STORED, TABLE, findings).reset_index(drop=True)
    outdated = _outdated(folder, vocabulary, mapping, texts, findings)
    if outdated:
        findings.warning(TABLE, outdated, WANTED)
    known = set(zip(vocabulary["group"], vocabulary["keyword"], strict=True))
    pairs = zip(mapping["group"], mapping["keyword"], strict=True)
    usable = pd.Series([pair in known for pair in pairs], dtype="bool", index=mapping.index)
    usable &= mapping["query_id"].isin(texts)
    return mapping[usable].reset_index(drop=True).assign(kept=False)


def _outdated(
    folder: Path,
    vocabulary: pd.DataFrame,
    mapping: pd.DataFrame,
    texts: pd.Series,
    findings: Findings,
) -> str:
    """In words what does not fit any more; empty when all does."""
    settings = read_settings(folder / SETTINGS, MAPPING, SETTINGS, findings)
    if settings["vocabulary"] != vocabulary_digest(vocabulary):
        return "a mapping of another vocabulary"
    unknown = sorted(set(mapping["query_id"]) - set(texts))
    if unknown:
        return f"a mapping of unknown queries ({listed(unknown)})"
    return ""


def write_mapping(
    folder: Path, candidates: pd.DataFrame, vocabulary: pd.DataFrame, settings: dict[str, Any]
) -> None:
    """Write the candidates and their settings (encoder, threshold, floor, date) beside the
    collection."""
    if set(settings) - set(MAPPING):
        raise ValueError(f"unknown settings {sorted(set(settings) - set(MAPPING))}")
    values = {**settings, "vocabulary": vocabulary_digest(vocabulary)}
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    cells = candidates[list(COLUMNS)].copy()
    for column in ("query_id", "ngram", "group", "keyword"):
        cells[column] = cells[column].map(neutral)
    table = cells.to_csv(index=False, lineterminator="\n", float_format="%.4f")
    _replace(folder / TABLE, table)
    _replace(folder / SETTINGS, "\n".join(lines) + "\n")


def _replace(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    draft = path.with_name(f".{path.name}.new")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise DataError(
            path.name, f"no way to write it ({error.strerror})", "a writable folder"
        ) from error
