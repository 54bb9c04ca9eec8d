"""`vocabulary.toml`: each keyword with its group and the other words that people use for it.

Keywords are compared as in the annotation: without case and blanks around them, in Unicode's NFC
form. Where both name a keyword, the vocabulary's spelling is shown.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from dashboard.storage.annotation import keyword_key
from dashboard.storage.findings import Findings, listed
from dashboard.storage.settings import fits, group_name, read_settings
from dashboard.tables import DataError, counted

SCHEMA: dict[str, Any] = {"keyword": []}
COLUMNS = ("group", "keyword", "words")


def read_vocabulary(path: Path, findings: Findings) -> pd.DataFrame:
    """`vocabulary.toml` as a table: group, keyword, words (a tuple of its other words)."""
    name, rows = path.name, []
    known = {"keyword", "group", "other_words"}
    for entry in read_settings(path, SCHEMA, name, findings)["keyword"]:
        keyword, group = entry.get("keyword"), entry.get("group")
        words = entry.get("other_words", [])
        if not isinstance(keyword, str) or not isinstance(group, str) or not fits(words, [""]):
            found = f"an entry {str(entry)[:80]}"
            raise DataError(name, found, "keyword and group as text, other_words as a list of text")
        if set(entry) - known:
            found = f"the keys {listed(sorted(set(entry) - known))} at {keyword!r}"
            findings.warning(name, found, f"keys among {', '.join(sorted(known))}")
        rows.append((group_name(group), keyword.strip(), tuple(word.strip() for word in words)))
    vocabulary = pd.DataFrame(rows, columns=list(COLUMNS))
    twice = vocabulary[_keyed(vocabulary).duplicated()]
    if len(twice):
        group, keyword = twice.iloc[0][["group", "keyword"]]
        raise DataError(name, f"{keyword!r} of {group} twice", "each keyword once in a group")
    return vocabulary


def spelled_words(
    words: pd.DataFrame | None, keywords: pd.DataFrame, findings: Findings
) -> pd.DataFrame:
    """The vocabulary with every annotated keyword in it: those that it lacks have no other
    words."""
    found = keywords[["group", "keyword"]].drop_duplicates(ignore_index=True)
    found["words"] = [()] * len(found)
    if words is None:
        return found
    new = found[~_keyed(found).isin(set(_keyed(words)))]
    if len(new):
        names = listed(new["keyword"])
        said = f"no entry for {counted(len(new), 'annotated keyword')} ({names})"
        findings.warning(
            "vocabulary.toml", said, "other words for each; only the keyword itself is known"
        )
    return pd.concat([words, new], ignore_index=True)


def spelled_keywords(keywords: pd.DataFrame, vocabulary: pd.DataFrame) -> pd.DataFrame:
    """The annotated keywords in the vocabulary's spelling."""
    spelling = dict(zip(_keyed(vocabulary), vocabulary["keyword"], strict=True))
    spelled = [spelling[key] for key in _keyed(keywords)]
    return keywords.assign(keyword=pd.Series(spelled, index=keywords.index, dtype="str"))


def _keyed(frame: pd.DataFrame) -> pd.Series:
    """The group and the plain form of each row's keyword, as one comparable value."""
    plain = {word: keyword_key(word) for word in frame["keyword"].unique()}
    pairs = zip(frame["group"].tolist(), frame["keyword"].tolist(), strict=True)
    keys = [(group, plain[word]) for group, word in pairs]
    return pd.Series(keys, index=frame.index, dtype=object)
