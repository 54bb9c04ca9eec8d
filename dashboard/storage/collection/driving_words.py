"""Other words for known keywords of driving scenes, where a collection has no vocabulary."""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import lru_cache
from pathlib import Path

import pandas as pd

from dashboard.storage.collection.annotation import keyword_key

FILE = Path(__file__).with_name("driving_words.toml")
OF_CATEGORIES = {
    "entering path": "entering ego path",
    "crossing": "straight crossing path",
    "corridor": "corridor front",
    "turning": "ego turning",
    "lane change": "ego lane change",
    "straight": "proceeding straight",
}
"""What the source's own list of categories calls keywords of its annotation."""
KINDS = {"small vehicle", "large vehicle"}
"""Keywords whose other words name kinds of them: a truck and a bus are no names for each other."""


def with_driving_words(found: pd.DataFrame) -> pd.DataFrame:
    """A vocabulary (group, keyword, words) with driving's other words for the keywords known there.

    A keyword is known by its own name, or by one of its other words where nothing else in the
    collection goes by that entry: “cyclist” is a bicyclist, and gets the other words for one. A
    word that is itself a keyword of the collection is nobody's other word.
    """
    entries, by_word = _known()
    keys = [_single(_plain(keyword), by_word) for keyword in found["keyword"]]
    own = [
        by_word.get(key) if _fits(group, key, by_word) else None
        for group, key in zip(found["group"], keys, strict=True)
    ]
    taken, there = Counter(entry for entry in own if entry is not None), set(keys)
    words: list[tuple[str, ...]] = []
    for key, entry in zip(keys, own, strict=True):
        _, name, others = entries[entry] if entry is not None else ("", "", ())
        alone = entry is not None and (key == _plain(name) or taken[entry] == 1)
        usable = [word for word in (name, *others) if _plain(word) not in there]
        words.append(tuple(usable) if alone else ())
    return found.assign(words=pd.Series(words, index=found.index, dtype=object))


def _fits(group: str, key: str, by_word: dict[str, int]) -> bool:
    """Whether a keyword of a group may be the entry that goes by its words."""
    entries, _ = _known()
    if key not in by_word:
        return False
    of, name, _ = entries[by_word[key]]
    is_name = _plain(name) in (key, OF_CATEGORIES.get(key))
    return (group == of or group not in {g for g, _, _ in entries}) and (
        is_name or name not in KINDS
    )


def _single(key: str, by_word: dict[str, int]) -> str:
    """A keyword in the singular, where driving knows that and not the plural: cyclists."""
    single = key.removesuffix("s")
    return single if key not in by_word and single in by_word else key


@lru_cache(maxsize=1)
def _known() -> tuple[tuple[tuple[str, str, tuple[str, ...]], ...], dict[str, int]]:
    """The entries (group, keyword, other words), and the place of one by each of its words."""
    rows = tomllib.loads(FILE.read_text(encoding="utf-8"))["keyword"]
    entries = tuple((row["group"], row["keyword"], tuple(row["other_words"])) for row in rows)
    by_word = {
        _plain(word): place
        for place, (_, keyword, words) in enumerate(entries)
        for word in (*words, keyword)
    }
    names = {_plain(keyword): place for place, (_, keyword, _) in enumerate(entries)}
    by_word |= {short: names[_plain(whole)] for short, whole in OF_CATEGORIES.items()}
    return entries, by_word


def _plain(word: str) -> str:
    """A word without case, and with blanks for the hyphens and underscores of file formats.

    >>> _plain("Small_Vehicle")
    'small vehicle'
    """
    return keyword_key(word.replace("_", " ").replace("-", " "))
