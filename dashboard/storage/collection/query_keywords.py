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

import pandas as pd

from dashboard.letters import neutral, visible, without_invisible
from dashboard.storage.collection import digests
from dashboard.storage.collection.settings import MAPPING, read_settings
from dashboard.storage.files.near_names import unmatched
from dashboard.storage.files.tables import read_table
from dashboard.tables import QUERY_KEYWORDS, DataError, Findings, Table, counted, listed

TABLE = "query_keywords.csv"
SETTINGS = "query_keywords.toml"
COMMAND = "python -m dashboard keywords COLLECTION --write"
WANTED = f"the mapping to the vocabulary: {COMMAND}"
NO_QUERY = "of no text query"
NO_KEYWORD = "with a keyword that is not in the vocabulary"
NO_WORDS = "with words that are not in the text of the query"
UNFITTING = {
    NO_QUERY: "ids of text queries",
    NO_KEYWORD: "keywords and groups of the vocabulary",
    NO_WORDS: "words of the text",
}
"""Why a row is left out → what was wanted of it."""
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
    folder: Path,
    vocabulary: pd.DataFrame,
    queries: pd.DataFrame,
    findings: Findings,
    left_out: Findings | None = None,
) -> pd.DataFrame:
    """All candidates of the stored text queries, `kept` false for all; empty without a file.

    Candidates that do not fit the vocabulary or the queries are left out; warnings list them and
    name the command that computes the mapping again.

    left_out: where those warnings go; None: among the findings.
    """
    left_out = findings if left_out is None else left_out
    number = int((queries["text"] != "").sum())
    if not (folder / TABLE).exists():
        if number and len(vocabulary):
            asked = counted(number, "text query", "text queries")
            findings.warning(TABLE, f"no such file for {asked}", WANTED)
        return QUERY_KEYWORDS.empty()
    mapping = read_table(folder / TABLE, STORED, TABLE, findings)
    mapping["keyword"] = mapping["keyword"].map(visible)
    if not (folder / SETTINGS).exists():
        found = f"no such file beside {TABLE}: nobody knows what the mapping was made with"
        findings.warning(SETTINGS, found, WANTED)
        return _fitting(mapping, vocabulary, queries, left_out)
    settings = read_settings(folder / SETTINGS, MAPPING, SETTINGS, findings)
    if settings["vocabulary"] not in (vocabulary_digest(vocabulary), _in_order(vocabulary)):
        findings.warning(TABLE, "a mapping of another vocabulary", WANTED)
    elif settings["queries"] != queries_digest(queries):
        findings.warning(TABLE, "a mapping of other queries", WANTED)
    return _fitting(mapping, vocabulary, queries, left_out)


def _fitting(
    mapping: pd.DataFrame, vocabulary: pd.DataFrame, queries: pd.DataFrame, findings: Findings
) -> pd.DataFrame:
    """The rows of text queries whose keyword is in the vocabulary and whose words are in the text;
    warnings count and list the others.

    mapping: indexed by the line in the file.
    """
    texts = {
        query: _plain(text)
        for query, text in zip(queries["query_id"], queries["text"], strict=True)
        if text
    }
    known = set(zip(vocabulary["group"], vocabulary["keyword"], strict=True))
    cells = (mapping[column].tolist() for column in ("query_id", "ngram", "group", "keyword"))
    reasons = [
        NO_QUERY
        if query not in texts
        else NO_KEYWORD
        if (group, keyword) not in known
        else ""
        if _occurs(ngram, texts[query])
        else NO_WORDS
        for query, ngram, group, keyword in zip(*cells, strict=True)
    ]
    why = pd.Series(reasons, index=mapping.index, dtype="str")
    _note_unfitting(mapping, why, list(texts), vocabulary["keyword"].tolist(), findings)
    return mapping[why == ""].reset_index(drop=True).assign(kept=False)


def _note_unfitting(
    mapping: pd.DataFrame,
    why: pd.Series,
    queries: list[str],
    keywords: list[str],
    findings: Findings,
) -> None:
    """Warn of the rows that are left out, once for each reason."""
    for reason, wanted in UNFITTING.items():
        rows = mapping[why == reason]
        if rows.empty:
            continue
        if reason == NO_QUERY:
            named = unmatched(rows["query_id"], queries)
        elif reason == NO_KEYWORD:
            pairs = zip(rows["group"], rows["keyword"], strict=True)
            alike = unmatched(rows["keyword"], keywords).partition("; ")[2]
            named = listed(dict.fromkeys(f"{keyword!r} of {group}" for group, keyword in pairs))
            named = f"{named}; {alike}" if alike else named
        else:
            pairs = zip(rows["ngram"], rows["query_id"], strict=True)
            named = listed(f"{ngram!r} of {query}" for ngram, query in pairs)
        lines = f"{'line' if len(rows) == 1 else 'lines'} {listed(rows.index)}"
        found = f"{counted(len(rows), 'row')} {reason} ({named}) in {lines}"
        advice = f"{wanted}; left out. Correct the file, or make it anew: {COMMAND}"
        findings.warning(TABLE, found, advice, int(rows.index[0]))


def _occurs(ngram: str, text: str) -> bool:
    """Whether all words of an n-gram occur in a plain text, as in the one it was made from."""
    return all(word in text for word in _plain(ngram).split(" "))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", without_invisible(text)).lower()


def is_made_of(
    folder: Path, vocabulary: pd.DataFrame, queries: pd.DataFrame, settings: dict[str, Any]
) -> bool:
    """Whether the mapping beside a collection was made of this vocabulary and these queries with
    these settings, so that it would be made the same again."""
    if not ((folder / TABLE).is_file() and (folder / SETTINGS).is_file()):
        return False
    try:
        stored = read_settings(folder / SETTINGS, MAPPING, SETTINGS, Findings())
    except DataError:
        return False
    fingerprints = {
        "vocabulary": vocabulary_digest(vocabulary),
        "queries": queries_digest(queries),
    }
    return all(stored[key] == value for key, value in {**settings, **fingerprints}.items())


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
