"""Keywords of items (`unified_annotation.csv`) and of stored queries (`query_keywords.csv`).

The vocabulary of a collection (`vocabulary.toml`) has each keyword with its other words.
"""

import json
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import NamedTuple

import numpy as np

from dashboard.errors import DataError, Findings, count_odd, list_names
from dashboard.storage.collection import Collection
from dashboard.storage.media import match_ids, refuse_shared
from dashboard.storage.settings import read_toml
from dashboard.tables import BoolArray, Names, Numbers, Row, Table, Texts, read_table
from dashboard.texts import MARKS, require_number, split_cells

ANNOTATION = "unified_annotation.csv"
MAPPING = "query_keywords.csv"
MAPPING_COLUMNS = ("query_id", "ngram", "group", "keyword", "score")
VOCABULARY = "vocabulary.toml"
LENGTH_BONUS = 0.06
"""Added to the score of a candidate for each of its words."""


class Keyword(NamedTuple):
    """A keyword of a group, in its most frequent spelling."""

    group: str
    name: str


class Candidate(NamedTuple):
    """Words of a query that a keyword was mapped to."""

    ngram: str
    keyword: Keyword
    score: float

    def describe(self) -> Row:
        """Return it as a row of a table."""
        ngram, (group, keyword), score = self
        return {"keyword": keyword, "group": group, "ngram": ngram, "score": score}


@dataclass(frozen=True, eq=False)
class Keywords:
    """Keywords of items and of stored queries.

    Attributes:
        groups: Columns of keywords, always with their prefix.
        index: Place of each keyword of the items.
        has: Whether each item has each keyword, and last one that no item has. [1 more, items]
        mapped: Candidates of each stored query, by its id, in the order of the file.
    """

    groups: Names
    index: Mapping[Keyword, int]
    has: BoolArray
    mapped: Mapping[str, Sequence[Candidate]]

    @cached_property
    def annotated(self) -> BoolArray:
        """True for each item with any keyword; one that has none is not judged. [items]."""
        return np.asarray(self.has.any(axis=0))

    def find_item(self, item: int, groups: Names) -> list[Keyword]:
        """Return the keywords that an item has in some groups."""
        found = compress(self.index, self.has[:, item].tolist())
        return [each for each in found if each.group in groups]

    def find_query(self, query_id: str, groups: Names, threshold: float) -> list[Keyword]:
        """Return the keywords that a stored query is mapped to, in some groups."""
        kept = keep_best(self.mapped.get(query_id, ()), threshold)
        return list(dict.fromkeys(each.keyword for each in kept if each.keyword.group in groups))


def keep_best(candidates: Sequence[Candidate], threshold: float) -> list[Candidate]:
    """Return the candidates with at least a score that share no word with a better one.

    Better: a keyword that stands word for word, longer ones first; then the higher score, where
    each word adds LENGTH_BONUS. Several keywords of the same words stay.
    """

    def quality(each: Candidate) -> tuple[int, float]:
        words = each.ngram.count(" ") + 1
        return (words if each.score >= 1 else 0, each.score + LENGTH_BONUS * words)

    taken: Texts = {}
    kept = []
    for each in sorted(candidates, key=quality, reverse=True):
        words = each.ngram.split(" ")
        if each.score >= threshold and all(taken.get(w, each.ngram) == each.ngram for w in words):
            taken |= dict.fromkeys(words, each.ngram)
            kept.append(each)
    return sorted(kept, key=candidates.index)


def read_keywords(collection: Collection, findings: Findings) -> Keywords | None:
    """Read the keywords of a collection; None if its items have none.

    Raises:
        DataError: If a file is broken, or an item stands twice.
    """
    path = collection.folder / ANNOTATION
    if not path.is_file():
        return None
    least = collection.settings.get("mapping_threshold", 0)
    if not 0 <= least <= 1:
        raise DataError("collection.toml", f"mapping_threshold = {least}", "a number from 0 to 1")
    table = read_table(path, ANNOTATION, ("slice_id",), findings)
    wanted = tuple(map(_name_group, collection.settings.get("groups", ())))
    columns = {
        _name_group(column): column
        for column in table.columns
        if column.lower().startswith("pv_") or _name_group(column) in wanted
    }
    groups = tuple(g for g in wanted if g in columns) or tuple(columns)
    if not groups:
        others = [column for column in table.columns if column != "slice_id"]
        raise DataError(
            ANNOTATION,
            f"the columns {list_names(others) or '(none)'}",
            "columns of keywords, pv_…",
            line=1,
            do=f"Write in collection.toml: groups = {json.dumps(others, ensure_ascii=False)}",
        )
    items = _find_items(table, collection, findings)
    found = [
        (group, name, rows)
        for group in groups
        for names, rows in _group_cells(table[columns[group]], items)
        for name in names
    ]
    findings += count_odd(
        ANNOTATION,
        [name for _, name, _ in found if any(mark in name for mark in MARKS)],
        "keywords with a mark that separates others",
        "one mark in all cells; kept whole",
        "note",
    )
    counts: Counter[str] = Counter()
    for _, name, rows in found:
        counts[_tidy(name)] += len(rows)
    spelling = {name.casefold(): name for name, _ in reversed(counts.most_common())}
    pairs = [(Keyword(group, spelling[make_key(name)]), rows) for group, name, rows in found]
    index = {keyword: place for place, keyword in enumerate(dict(pairs))}
    has = np.zeros((len(index) + 1, len(collection.items)), bool)
    for keyword, rows in pairs:
        has[index[keyword], rows] = True
    bare = [collection.items.ids[item] for item in np.flatnonzero(~has.any(axis=0)).tolist()]
    findings += count_odd(
        ANNOTATION, bare, "items without a keyword", "keywords; these are not judged", "note"
    )
    return Keywords(groups, index, has, _read_mapping(collection, spelling, columns, findings))


def make_key(keyword: str) -> str:
    """Return the form that all spellings of a keyword share.

    >>> make_key("  Small   VEHICLE ")
    'small vehicle'
    """
    return _tidy(keyword).casefold()


def _tidy(keyword: str) -> str:
    return " ".join(unicodedata.normalize("NFC", keyword).split())


def _find_items(table: Table, collection: Collection, findings: Findings) -> list[int]:
    """Return the item of each row, -1 for none."""
    names = match_ids(table.ids, collection.items.ids)
    lines = zip(table.ids, table.lines, strict=True)
    unknown = {name: line for name, line in lines if name not in names}
    findings += count_odd(
        ANNOTATION, unknown, "annotated ids that are no items", "ids of items; left out"
    )
    refuse_shared(names, ANNOTATION, "keywords")
    return [collection.items.index.get(names.get(name, ""), -1) for name in table.ids]


def _group_cells(cells: Names, items: Sequence[int]) -> Iterator[tuple[Names, list[int]]]:
    """Yield the keywords of each different cell, and the items that have it."""
    rows = defaultdict(list)
    for cell, item in zip(cells, items, strict=True):
        if item >= 0:
            rows[cell].append(item)
    parts = split_cells(cells)
    for cell, having in rows.items():
        yield parts[cell], having


def _name_group(column: str) -> str:
    plain = column.strip().lower()
    return plain if plain.startswith("pv_") else f"pv_{plain}"


def _read_mapping(
    collection: Collection, spelling: Texts, groups: Container[str], findings: Findings
) -> dict[str, list[Candidate]]:
    path = collection.folder / MAPPING
    if not path.is_file():
        findings += count_odd(
            MAPPING,
            int(collection.is_text.sum()),
            "text queries",
            "the keywords of each query",
            before="no such file for ",
        )
        return {}
    table = read_table(path, MAPPING, MAPPING_COLUMNS, findings, unique=False)
    findings += count_odd(
        MAPPING,
        [each for each in table.columns if each not in MAPPING_COLUMNS],
        "columns that are not read",
        "none; mapping_threshold decides which keywords count. Remove rows that do not",
    )
    mapped = defaultdict(list)
    strange: Numbers = {}
    others: Numbers = {}
    for line, query, ngram, group, keyword, score in zip(
        table.lines, *map(table.__getitem__, MAPPING_COLUMNS), strict=True
    ):
        if query not in collection.queries.index:
            strange.setdefault(query, line)
            continue
        named = Keyword(_name_group(group), spelling.get(make_key(keyword), keyword))
        if named.group not in groups:
            others.setdefault(group, line)
        mapped[query].append(Candidate(ngram, named, require_number(score, MAPPING, "score", line)))
    findings += count_odd(
        MAPPING, strange, "unknown queries", "ids of queries; left out", before="rows of "
    )
    findings += count_odd(
        MAPPING, others, "unknown groups", f"columns of {ANNOTATION}; left out", before="rows of "
    )
    return mapped


class Entry(NamedTuple):
    """A keyword and its other words."""

    keyword: Keyword
    words: Names = ()


Vocabulary = tuple[Entry, ...]


def read_vocabulary(collection: Collection) -> Vocabulary:
    """Return the keywords of the items, each with the other words that the vocabulary has.

    A keyword whose name has another spelling there (case, blanks, "_" for blanks) is the same one;
    keywords that no item has are kept, because a query may name them.

    Raises:
        DataError: If the file is no TOML, or an entry has no keyword or no group.
    """
    found = {
        (each.group, make_key(each.name)): Entry(each, (each.name.replace("_", " "),))
        for each in collection.tables["alfa"].index
    }
    rows = read_toml(collection.folder / VOCABULARY, VOCABULARY).get("keyword", [])
    for place, row in enumerate(rows if isinstance(rows, list) else [rows], start=1):
        told = row if isinstance(row, dict) else {}
        name, group, words = (told.get(key, []) for key in ("keyword", "group", "other_words"))
        texts = [name, group, *(words if isinstance(words, list) else [0])]
        if not all(isinstance(text, str) for text in texts):
            raise DataError(
                VOCABULARY,
                f"entry {place}: {str(row)[:80]}",
                "texts",
                do="Write keyword, group and other_words = [...].",
            )
        key = (group, make_key(name))
        known = found.get(key, Entry(Keyword(group, name)))
        found[key] = Entry(known.keyword, tuple(dict.fromkeys((*known.words, *words))))
    return tuple(found.values())


def map_text(collection: Collection, query_id: str, text: str) -> Keywords:
    """Return the keywords of a collection with those that a typed text is mapped to."""
    from dashboard.plugins.alfa.mapping import map_texts

    (found,) = map_texts([text], read_vocabulary(collection))
    tables: Keywords = collection.tables["alfa"]
    return replace(tables, mapped={query_id: found})


def draft_vocabulary(vocabulary: Vocabulary) -> str:
    """Return the text of a vocabulary file with every keyword and no other words."""
    import tomlkit

    entries = [
        {"keyword": keyword.name, "group": keyword.group, "other_words": words[1:]}
        for keyword, words in vocabulary
    ]
    head = "# Every keyword with its other words, for `keywords --write`.\n\n"
    return head + tomlkit.dumps({"keyword": entries})
