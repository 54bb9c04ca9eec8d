"""`vocabulary.toml`: each keyword with its group and the other words that people use for it.

Keywords are compared as in the annotation: without case and blanks around them, in Unicode's NFC
form. Where both name a keyword, the vocabulary's spelling is shown. A collection without a
vocabulary gets the other words of driving scenes (`driving_words.toml`) for keywords of that field.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from dashboard.letters import escaped, invisible_in, visible
from dashboard.storage.collection.annotation import keyword_key
from dashboard.storage.collection.settings import fits, group_name, read_settings
from dashboard.storage.files.limits import check_number, check_words
from dashboard.storage.files.toml_text import toml_value
from dashboard.tables import DataError, Findings, counted, listed

FILE = "vocabulary.toml"
DRAFT = "a vocabulary to edit: python -m dashboard keywords COLLECTION --draft writes it"
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
        check_words(keyword, words, name)
        if set(entry) - known:
            found = f"the keys {listed(sorted(set(entry) - known))} at {keyword!r}"
            findings.warning(name, found, f"keys among {', '.join(sorted(known))}")
        hidden = [text for text in (keyword, group, *words) if invisible_in(text)]
        if hidden:
            found = f"invisible letters in {listed(map(escaped, hidden))}"
            findings.note(name, found, "none; they are taken out and count for nothing")
        plain = tuple(visible(word).strip() for word in words)
        rows.append((group_name(group), visible(keyword).strip(), plain))
    check_number((keyword for _, keyword, _ in rows), name)
    vocabulary = pd.DataFrame(rows, columns=list(COLUMNS))
    twice = vocabulary[_keyed(vocabulary).duplicated()]
    if len(twice):
        group, keyword = twice.iloc[0][["group", "keyword"]]
        raise DataError(name, f"{keyword!r} of {group} twice", "each keyword once in a group")
    return vocabulary


def spelled_words(
    words: pd.DataFrame | None, keywords: pd.DataFrame, findings: Findings
) -> pd.DataFrame:
    """The vocabulary, completed with every annotated keyword; an added one has no other words.

    Without a vocabulary, keywords of driving scenes get the other words of that field.
    """
    found = keywords[["group", "keyword"]].drop_duplicates(ignore_index=True)
    found["words"] = [()] * len(found)
    if words is None:
        known = with_driving_words(found)
        helped = known.loc[known["words"].map(len) > 0, "keyword"]
        if len(helped):
            said = f"no such file; {counted(len(helped), 'keyword')} known of driving scenes"
            findings.note(FILE, f"{said} ({listed(helped)}) with its other words", DRAFT)
        return known
    new = found[~_keyed(found).isin(set(_keyed(words)))]
    if len(new):
        names = listed(new["keyword"])
        said = f"no entry for {counted(len(new), 'annotated keyword')} ({names})"
        findings.warning(FILE, said, "other words for each; only the keyword itself is known")
    return pd.concat([words, new], ignore_index=True)


def spelled_keywords(keywords: pd.DataFrame, vocabulary: pd.DataFrame) -> pd.DataFrame:
    """The annotated keywords in the vocabulary's spelling."""
    spelling = dict(zip(_keyed(vocabulary), vocabulary["keyword"], strict=True))
    different = keywords.drop_duplicates(["group", "keyword"])
    if [spelling[key] for key in _keyed(different)] == different["keyword"].tolist():
        return keywords  # as a rule; then rows are not looked at one by one
    spelled = [spelling[key] for key in _keyed(keywords)]
    return keywords.assign(keyword=pd.Series(spelled, index=keywords.index, dtype="str"))


def write_draft(folder: Path, vocabulary: pd.DataFrame) -> None:
    """Write a vocabulary to edit beside the collection.

    Raises DataError where there is one, which is never overwritten, or the file cannot be written.
    """
    tables = [
        "# Each keyword, and other words that people use for it: edit them, then map the queries:\n"
        "# python -m dashboard keywords COLLECTION --write"
    ]
    for group, keyword, words in vocabulary[list(COLUMNS)].itertuples(index=False):
        listed_words = "".join(f"  {toml_value(word)},\n" for word in words)
        others = f"[\n{listed_words}]" if words else "[]"
        head = f"[[keyword]]\nkeyword = {toml_value(keyword)}\ngroup = {toml_value(group)}"
        tables.append(f"{head}\nother_words = {others}")
    text, path = "\n\n".join(tables) + "\n", folder / FILE
    try:
        with path.open("x", encoding="utf-8") as file:
            try:
                file.write(text)
            except OSError:
                path.unlink(missing_ok=True)
                raise
    except FileExistsError as error:
        cure = "Move it away, or add to it: keywords without an entry have no other words."
        raise DataError(FILE, "a vocabulary", "none, to write a draft", cure=cure) from error
    except OSError as error:
        found = f"no way to write it ({error.strerror})"
        raise DataError(FILE, found, "a writable folder") from error


def _keyed(frame: pd.DataFrame) -> pd.Series:
    """The group and the plain form of each row's keyword, as one comparable value."""
    plain = {word: keyword_key(word) for word in frame["keyword"].unique()}
    pairs = zip(frame["group"].tolist(), frame["keyword"].tolist(), strict=True)
    keys = [(group, plain[word]) for group, word in pairs]
    return pd.Series(keys, index=frame.index, dtype=object)


DRIVING = Path(__file__).with_name("driving_words.toml")
OF_CATEGORIES = {
    "entering path": "entering ego path",
    "crossing": "straight crossing path",
    "corridor": "corridor front",
    "turning": "ego turning",
    "lane change": "ego lane change",
    "straight": "proceeding straight",
}
"""The names in the source's list of categories → its keywords."""
KINDS = {"small vehicle", "large vehicle"}
"""Keywords whose other words name kinds of them, not synonyms: a truck is not a bus."""


def with_driving_words(found: pd.DataFrame) -> pd.DataFrame:
    """A vocabulary (group, keyword, words) with the other words of driving scenes filled in.

    A keyword gets the words of the entry with its name, or of the entry that has it as another
    word, unless a second keyword claims the same entry: “cyclist” gets the words for a bicyclist. A
    keyword of the collection is never another word of a second one.
    """
    entries, by_word = _driving_entries()
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
    """Whether a keyword of a group may take the words of the entry that names it."""
    entries, _ = _driving_entries()
    if key not in by_word:
        return False
    of, name, _ = entries[by_word[key]]
    is_name = _plain(name) in (key, OF_CATEGORIES.get(key))
    return (group == of or group not in {g for g, _, _ in entries}) and (
        is_name or name not in KINDS
    )


def _single(key: str, by_word: dict[str, int]) -> str:
    """A keyword in the singular, where the list has only that: cyclist for cyclists."""
    single = key.removesuffix("s")
    return single if key not in by_word and single in by_word else key


@lru_cache(maxsize=1)
def _driving_entries() -> tuple[tuple[tuple[str, str, tuple[str, ...]], ...], dict[str, int]]:
    """The entries (group, keyword, other words), and the place of one by each of its words."""
    rows = tomllib.loads(DRIVING.read_text(encoding="utf-8"))["keyword"]
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
