"""`query_keywords.csv`: the keywords that the words of each query were mapped to, with
`query_keywords.toml`, which records the settings of the mapping.

The mapping needs a language model. It is computed once and written beside the collection, so that
measuring needs no model.
"""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dashboard.letters import neutral, visible, without_invisible
from dashboard.storage.collection import digests
from dashboard.storage.collection.settings import MAPPING, read_settings
from dashboard.storage.files.tables import read_table
from dashboard.tables import QUERY_KEYWORDS, DataError, Findings, Table, counted

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
    """The fingerprint of a vocabulary; the order of its rows and of a keyword's words does not
    matter."""
    return _in_order(vocabulary.assign(words=vocabulary["words"].map(sorted)))


def _in_order(vocabulary: pd.DataFrame) -> str:
    """The fingerprint in its older form, in which the order of a keyword's words counts."""
    return digests.of_table(vocabulary, ["group", "keyword", "words"])


def queries_digest(queries: pd.DataFrame) -> str:
    """The fingerprint of the text queries."""
    return digests.of_table(queries[queries["text"] != ""], ["query_id", "text"])


def read_mapping(
    folder: Path, vocabulary: pd.DataFrame, queries: pd.DataFrame, findings: Findings
) -> pd.DataFrame:
    """All candidates of the stored text queries, `kept` false for all; empty without a file.

    Candidates that no longer fit the vocabulary or the queries are left out, and a warning names
    the command that computes the mapping again.
    """
    texts = queries.loc[queries["text"] != ""].set_index("query_id")["text"]
    if not (folder / TABLE).exists():
        if len(texts) and len(vocabulary):
            asked = counted(len(texts), "text query", "text queries")
            findings.warning(TABLE, f"no such file for {asked}", WANTED)
        return QUERY_KEYWORDS.empty()
    mapping = read_table(folder / TABLE, STORED, TABLE, findings).reset_index(drop=True)
    mapping["keyword"] = mapping["keyword"].map(visible)
    if not (folder / SETTINGS).exists():
        found = f"no such file beside {TABLE}: nobody knows what the mapping was made with"
        findings.warning(SETTINGS, found, WANTED)
        return _fitting(mapping, vocabulary, texts)
    settings = read_settings(folder / SETTINGS, MAPPING, SETTINGS, findings)
    if settings["vocabulary"] not in (vocabulary_digest(vocabulary), _in_order(vocabulary)):
        findings.warning(TABLE, "a mapping of another vocabulary", WANTED)
    elif settings["queries"] != queries_digest(queries):
        findings.warning(TABLE, "a mapping of other queries", WANTED)
    return _fitting(mapping, vocabulary, texts)


def _fitting(mapping: pd.DataFrame, vocabulary: pd.DataFrame, texts: pd.Series) -> pd.DataFrame:
    """The rows whose keyword is in the vocabulary and whose words are in the query's text."""
    known = set(zip(vocabulary["group"], vocabulary["keyword"], strict=True))
    fits = [
        (group, keyword) in known and _occurs(ngram, texts.get(query_id, ""))
        for group, keyword, ngram, query_id in zip(
            mapping["group"],
            mapping["keyword"],
            mapping["ngram"],
            mapping["query_id"],
            strict=True,
        )
    ]
    return mapping[np.array(fits, dtype=bool)].reset_index(drop=True).assign(kept=False)


def _occurs(ngram: str, text: str) -> bool:
    """Whether all words of an n-gram occur in a text, as they do in the text it was made from."""
    plain = unicodedata.normalize("NFC", without_invisible(text)).lower()
    return all(word in plain for word in ngram.split(" "))


def write_mapping(
    folder: Path,
    candidates: pd.DataFrame,
    vocabulary: pd.DataFrame,
    queries: pd.DataFrame,
    settings: dict[str, Any],
) -> None:
    """Write the candidates and their settings (encoder, threshold, floor, date) beside the
    collection."""
    if set(settings) - set(MAPPING):
        raise ValueError(f"unknown settings {sorted(set(settings) - set(MAPPING))}")
    fingerprints = {
        "vocabulary": vocabulary_digest(vocabulary),
        "queries": queries_digest(queries),
    }
    values = {**settings, **fingerprints}
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
