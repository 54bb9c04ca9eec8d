"""The items of a collection, their keywords and the words for these: read one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pandas as pd

from dashboard.storage.collection.annotation import Annotation, read_annotation
from dashboard.storage.collection.evidence import annotated, read_items, with_clips
from dashboard.storage.collection.vocabulary import read_vocabulary, spelled_keywords, spelled_words
from dashboard.storage.files.table_files import stored_as
from dashboard.tables import KEYWORDS, DataError, Findings

Content = TypeVar("Content")


@dataclass(frozen=True)
class Reader:
    """Reads the files of a folder one after another; a refused one is noted, and the rest go on."""

    folder: Path
    findings: Findings
    refused: dict[str, DataError]

    def unless_refused(self, name: str, read: Callable[[], Content], otherwise: Content) -> Content:
        try:
            return read()
        except DataError as problem:
            self.refused[name] = problem
            self.findings.error(problem)
            return otherwise


def read_labels(
    read: Reader, groups: Sequence[str]
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The items, their keywords and the vocabulary, in one spelling."""
    folder, findings = read.folder, read.findings
    annotation = read.unless_refused(
        "annotation", lambda: _annotation(folder, groups, findings), None
    )
    items = read_items(folder, annotation, findings)
    keywords = KEYWORDS.empty()
    if annotation:
        items = with_clips(items, annotation.clips)
        keywords = read.unless_refused(
            "annotation", lambda: annotated(annotation, items, findings), keywords
        )
    words = read.unless_refused("vocabulary", lambda: _words(folder, findings), None)
    vocabulary = spelled_words(words, keywords, findings)
    return items, spelled_keywords(keywords, vocabulary), vocabulary


def _annotation(folder: Path, groups: Sequence[str], findings: Findings) -> Annotation | None:
    path = stored_as(folder, "unified_annotation", findings)
    return read_annotation(path, groups, path.name, findings) if path else None


def _words(folder: Path, findings: Findings) -> pd.DataFrame | None:
    path = folder / "vocabulary.toml"
    return read_vocabulary(path, findings) if path.exists() else None
