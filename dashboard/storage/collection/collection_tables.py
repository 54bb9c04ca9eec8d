"""All tables of a collection's folder, with their fingerprints: read once for each state of its
files where they are large, and from the cache folder then.

To read, check and fingerprint a million rows takes seconds, at each start of each command.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from dashboard.storage.cache import by_file, results
from dashboard.storage.cache.sources import fingerprint
from dashboard.storage.collection import digests
from dashboard.storage.collection.evidence import (
    Reader,
    lines_of_items,
    read_judgements,
    read_labels,
    read_queries,
)
from dashboard.storage.collection.query_keywords import COLUMNS, read_mapping, vocabulary_digest
from dashboard.storage.collection.settings import settle_groups
from dashboard.storage.collection.sides import (
    QUERY_COLUMNS,
    check_side_names,
    digest_of_sides,
    side_searched_by_texts,
    with_sides,
)
from dashboard.tables import KEYWORDS, QRELS, QUERIES, QUERY_KEYWORDS, DataError, Findings

LARGE = 100_000
"""Rows from which tables are written into the cache folder; fewer are read as quickly."""
PLACES = ("", "runs")
"""The folders whose files tables are read from."""
CODE = fingerprint(("tables.py", "ids.py", "letters.py", "storage"))


@dataclass(frozen=True, eq=False)
class CollectionTables:
    """The tables of a collection.

    settings  with the groups that the items have where none are set
    refused   why a file of labels was left out
    digests   fingerprints of the gallery, the queries and the labels
    cells     the fingerprint of every cell of all tables
    """

    settings: dict[str, Any]
    items: pd.DataFrame
    keywords: pd.DataFrame
    vocabulary: pd.DataFrame
    queries: pd.DataFrame
    query_keywords: pd.DataFrame
    qrels: pd.DataFrame | None
    refused: dict[str, DataError]
    digests: dict[str, str]
    cells: str

    @property
    def rows(self) -> int:
        """How many rows they have together."""
        several = (self.items, self.keywords, self.queries, self.query_keywords, self.qrels)
        return sum(len(table) for table in several if table is not None)


def read_tables(folder: Path, settings: dict[str, Any], findings: Findings) -> CollectionTables:
    """The tables in a folder under the settings of its `collection.toml`, checked.

    Raises DataError where there are no items.
    """
    state = _state(folder)
    if state is None:
        return _read(folder, settings, findings)
    libraries = [pd.__version__, pa.__version__]
    depends_on = json.dumps(["tables", CODE, libraries, state, settings], default=str)
    if (stored := results.load(depends_on)) is not None:
        tables, rows = _unpacked(stored[0])
        findings.rows += rows
        return tables
    noted = Findings()
    try:
        tables = _read(folder, settings, noted)
    finally:
        findings.rows += noted.rows
    if tables.rows >= LARGE and not tables.refused and _state(folder) == state:
        packed = _packed(tables, noted)
        again = _unpacked(packed)[0].vocabulary
        if again.dtypes.equals(tables.vocabulary.dtypes) and again.equals(tables.vocabulary):
            results.save(depends_on, packed)
    return tables


def _state(folder: Path) -> list[tuple[str, str, tuple[int, ...]]] | None:
    """What changes when a file does that tables are read from; None where one was written a moment
    ago."""
    found = []
    for name in PLACES:
        there = (folder / name).iterdir() if (folder / name).is_dir() else ()
        for path in sorted(path for path in there if path.is_file()):
            state = by_file.state(path.stat())
            if state is None:
                return None
            found.append((name, path.name, state))
    return found


def _packed(tables: CollectionTables, noted: Findings) -> dict[str, Any]:
    """The tables as `results` writes them: of the vocabulary, whose words are tuples, its cells."""
    words = {str(name): column.tolist() for name, column in tables.vocabulary.items()}
    kinds = {str(name): str(kind) for name, kind in tables.vocabulary.dtypes.items()}
    there = {name: getattr(tables, name) for name in tables.__dataclass_fields__}
    del there["refused"]
    return {**there, "vocabulary": words, "kinds": kinds, "rows": noted.rows}


def _unpacked(stored: Mapping[str, Any]) -> tuple[CollectionTables, list[Any]]:
    of = {name: stored[name] for name in stored if name not in ("kinds", "rows")}
    columns = {
        name: pd.Series(cells, dtype=stored["kinds"][name])
        for name, cells in stored["vocabulary"].items()
    }
    vocabulary = pd.DataFrame(columns, columns=pd.Index(list(columns)))
    return CollectionTables(**{**of, "vocabulary": vocabulary}, refused={}), stored["rows"]


def _read(folder: Path, settings: dict[str, Any], findings: Findings) -> CollectionTables:
    settings, read = dict(settings), Reader(folder, findings, {})
    items, keywords, vocabulary = read_labels(read, settings["groups"] or ())
    settle_groups(settings, keywords["group"].unique(), findings)
    items = with_sides(items, settings["protocols"], "items.csv", findings)
    of_texts = side_searched_by_texts(items, settings["protocols"])
    queries, query_keywords, qrels = _read_queries_and_labels(read, items, vocabulary, of_texts)
    gallery = tuple(items["item_id"].tolist())
    labels = (items, queries, keywords, qrels, query_keywords, vocabulary)
    fingerprints = {
        "gallery": digests.of_ids(tuple(sorted(gallery))),
        "gallery order": digests.of_ids(gallery),
        "queries": digests.of_table(queries, QUERY_COLUMNS),
        "queries order": digests.of_table(queries, QUERY_COLUMNS, ordered=True),
        "labels": _labels_digest(*labels),
    }
    return CollectionTables(
        settings, items, keywords, vocabulary, queries, query_keywords, qrels,
        read.refused, fingerprints, digests.of_cells(*labels),
    )  # fmt: skip


def _read_queries_and_labels(
    read: Reader, items: pd.DataFrame, vocabulary: pd.DataFrame, of_texts: str
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame | None]:
    """The queries, their keywords and their judgements; a file that is refused is left out."""
    folder, findings = read.folder, read.findings
    queries = read.unless_refused(
        "queries", lambda: read_queries(folder, items, findings, of_texts), QUERIES.empty()
    )
    check_side_names(items, queries, lambda: lines_of_items(folder), findings)
    # nothing fits what could not be read, which has an error of its own
    left_out = Findings() if read.refused else findings
    query_keywords = read.unless_refused(
        "query_keywords",
        lambda: read_mapping(folder, vocabulary, queries, findings, left_out),
        QUERY_KEYWORDS.empty(),
    )
    qrels = read.unless_refused(
        "qrels", lambda: read_judgements(folder, items, queries, findings), None
    )
    return queries, query_keywords, qrels


def _labels_digest(
    items: pd.DataFrame,
    queries: pd.DataFrame,
    keywords: pd.DataFrame,
    qrels: pd.DataFrame | None,
    query_keywords: pd.DataFrame,
    vocabulary: pd.DataFrame,
) -> str:
    """The fingerprint of all that decides what is relevant to a query."""
    return digests.of_values(
        digests.of_table(keywords, KEYWORDS.columns),
        digests.of_table(qrels, QRELS.columns),
        digests.of_table(query_keywords, COLUMNS),
        vocabulary_digest(vocabulary),
        *digest_of_sides(items),
        *_of_labels(items, "item_id"),
        *_of_labels(queries, "query_id"),
    )


def _of_labels(table: pd.DataFrame, key: str) -> list[str]:
    """The fingerprint of the labels in a table, where it has some."""
    there = [column for column in ("labels", "label") if column in table.columns]
    return [digests.of_table(table, [key, *there])] if there else []
