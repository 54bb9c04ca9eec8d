"""The vocabulary of a collection: each keyword with its other words (`vocabulary.toml`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dashboard.errors import DataError
from dashboard.plugins.alfa.keywords import Keyword, Keywords, make_key
from dashboard.storage.collection import Collection
from dashboard.storage.settings import read_toml

VOCABULARY = "vocabulary.toml"


@dataclass(frozen=True)
class Entry:
    """A keyword and its other words."""

    keyword: Keyword
    words: tuple[str, ...] = ()


def read_vocabulary(collection: Collection) -> tuple[Entry, ...]:
    """Return the keywords of the items, each with the other words that the vocabulary has.

    A keyword whose name has another spelling there (case, blanks, "_" for blanks) is the same one;
    keywords that no item has are kept, because a query may name them.

    Raises:
        DataError: If the file is no TOML, or an entry has no keyword or no group.
    """
    tables: Keywords = collection.tables["alfa"]
    found: dict[tuple[str, str], Entry] = {
        (each.group, make_key(each.name)): Entry(each, (each.name.replace("_", " "),))
        for each in tables.keywords
    }
    for place, row in enumerate(_read_rows(collection), start=1):
        words = row.get("other_words", [])
        texts = [row.get("keyword"), row.get("group"), *(words if isinstance(words, list) else [0])]
        if not all(isinstance(text, str) for text in texts):
            do = "Write keyword, group and other_words = [...]."
            raise DataError(VOCABULARY, f"entry {place}: {str(row)[:80]}", "texts", do=do)
        key = (row["group"], make_key(row["keyword"]))
        known = found.get(key, Entry(Keyword(row["group"], row["keyword"])))
        found[key] = Entry(known.keyword, tuple(dict.fromkeys((*known.words, *words))))
    return tuple(found.values())


def map_text(collection: Collection, query_id: str, text: str) -> Keywords:
    """Return the keywords of a collection with those that a typed text is mapped to."""
    from dashboard.plugins.alfa.mapping import map_texts

    (found,) = map_texts([text], read_vocabulary(collection))
    tables: Keywords = collection.tables["alfa"]
    return replace(tables, mapped={query_id: found})


def draft_vocabulary(collection: Collection) -> str:
    """Return the text of a vocabulary file with every keyword and no other words."""
    import json

    blocks = (
        f"[[keyword]]\nkeyword = {json.dumps(each.keyword.name, ensure_ascii=False)}\n"
        f"group = {json.dumps(each.keyword.group)}\n"
        f"other_words = {json.dumps(list(each.words[1:]), ensure_ascii=False)}\n"
        for each in read_vocabulary(collection)
    )
    return "# Every keyword with its other words, for `keywords --write`.\n\n" + "\n".join(blocks)


def _read_rows(collection: Collection) -> list[dict[str, Any]]:
    rows = read_toml(collection.folder / VOCABULARY, VOCABULARY).get("keyword", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DataError(VOCABULARY, "no list of keywords", "[[keyword]] entries")
    return list(rows)
