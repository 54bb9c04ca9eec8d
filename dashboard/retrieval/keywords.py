"""Free text → keywords of the vocabulary, by algorithm 1 of ALFA 0.1: every n-gram of one to three
words is compared with every keyword and its other words, and mapped to the nearest.

Stop words are dropped first. An n-gram that is a keyword or one of its other words, but for case
and plural, has score 1; there an n-gram may be longer. Any other has the cosine of KeyBERT's
embeddings and counts only where the next keyword is clearly further away, because "road" is
near to everything.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.letters import without_invisible
from dashboard.retrieval.encoders import language_models
from dashboard.retrieval.encoders.language_models import sentence_vectors
from dashboard.tables import LONGEST_TEXT, QUERY_KEYWORDS

FLOOR = 0.3
CLEARLY = 0.1
LONGEST_NGRAM = 3
LONGEST_PHRASE = 6
LENGTH_BONUS = 0.06
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
STOP_WORDS = frozenset(
    WORD.findall("""
    a an the of at in on with and or to for from by as is are was were be been being am it its this
    that these those there while some someone somebody who which has have had into onto
""")
)

Entry = tuple[str, str, tuple[str, ...]]


def candidates(queries: Mapping[str, str], vocabulary: pd.DataFrame) -> pd.DataFrame:
    """For each query {query_id: text} every n-gram with its keyword: the table QUERY_KEYWORDS, none
    kept.

    vocabulary: group, keyword, words (a tuple). Scores are at least 0.3; the best come first.
    Raises ValueError for a text of more than 1,000 characters.
    """
    for query, text in queries.items():
        if len(text) > LONGEST_TEXT:
            raise ValueError(f"{query}: {len(text):,} characters; at most {LONGEST_TEXT:,}")
    entries = zip(vocabulary["group"], vocabulary["keyword"], vocabulary["words"], strict=True)
    named = tuple((group, keyword, tuple(words)) for group, keyword, words in entries)
    phrases = _phrases(named, language_models.state())
    ngrams = {query: list(dict.fromkeys(_ngrams(text))) for query, text in queries.items()}
    every = dict.fromkeys(ngram for found in ngrams.values() for ngram in found)
    nearest = phrases.nearest(list(every)) if phrases.entries else {}
    rows = [
        (query, ngram, group, keyword, score, False)
        for query, found in ngrams.items()
        for ngram in found
        for group, keyword, score in nearest.get(ngram, ())
    ]
    if not rows:
        return QUERY_KEYWORDS.empty()
    frame = pd.DataFrame(rows, columns=list(QUERY_KEYWORDS.columns))
    place = frame["query_id"].map({query: row for row, query in enumerate(queries)})
    order = np.lexsort((-frame["score"], place))
    return QUERY_KEYWORDS.check(frame.iloc[order].reset_index(drop=True), "the mapping")


def keep(
    candidates: pd.DataFrame, threshold: float, groups: Sequence[str] | None = None
) -> pd.DataFrame:
    """The candidates with `kept` marked: score at least `threshold`, and no word shared with a
    better candidate.

    A keyword that occurs word for word is better than any other, a longer one better than a
    shorter; then the higher score counts, where each further word adds 0.06. Keywords outside
    `groups` are not kept, but no other keyword may use their words.
    """
    table = candidates.reset_index(drop=True)
    lengths = table["ngram"].str.count(" ").to_numpy() + 1
    scores = table["score"].to_numpy()
    exact = np.where(scores >= 1, lengths, 0)
    order = np.lexsort((-(scores + LENGTH_BONUS * lengths), -exact))
    taken: dict[tuple[str, str], str] = {}
    kept = np.zeros(len(table), dtype=bool)
    queries, ngrams = table["query_id"].tolist(), table["ngram"].tolist()
    for row in order[scores[order] >= threshold]:
        words = [(queries[row], word) for word in ngrams[row].split(" ")]
        if all(taken.get(word, ngrams[row]) == ngrams[row] for word in words):
            taken.update(dict.fromkeys(words, ngrams[row]))
            kept[row] = True
    if groups is not None:
        kept &= table["group"].isin(groups).to_numpy()
    return table.assign(kept=kept)


@dataclass(frozen=True, eq=False)
class Phrases:
    """An embedded vocabulary: `vectors[i]` is a phrase of the entry `owner[i]`; `exact` finds an
    entry by the plain words of a phrase."""

    entries: tuple[Entry, ...]
    owner: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.float32]
    exact: dict[str, list[int]]

    def nearest(self, ngrams: Sequence[str]) -> dict[str, list[tuple[str, str, float]]]:
        """For each n-gram its (group, keyword, score); several where it is a word for each of
        them."""
        found: dict[str, list[tuple[str, str, float]]] = {}
        close = []
        for ngram in ngrams:
            owners = self.exact.get(_plain(ngram), [])
            if owners:
                found[ngram] = [(*self.entries[owner][:2], 1.0) for owner in owners]
            elif ngram.count(" ") < LONGEST_NGRAM:
                close.append(ngram)
        for ngram, (owner, score, next_best) in zip(close, self._closest(close), strict=True):
            if score >= FLOOR and score - next_best >= CLEARLY:
                found[ngram] = [(*self.entries[owner][:2], round(score, 4))]
        return found

    def _closest(self, ngrams: Sequence[str]) -> Iterator[tuple[int, float, float]]:
        """For each n-gram the entry with the most similar phrase, its cosine and the next
        entry's."""
        if not ngrams:
            return
        starts = np.flatnonzero(np.r_[True, np.diff(self.owner) > 0])
        for row in sentence_vectors(ngrams) @ self.vectors.T:
            best = np.maximum.reduceat(row, starts)
            owner = int(best.argmax())
            others = np.delete(best, owner)
            # below 1, so that only an n-gram that occurs word for word has 1
            yield owner, min(float(best[owner]), 0.9999), float(others.max(initial=-1.0))


@lru_cache(maxsize=8)
def _phrases(entries: tuple[Entry, ...], model: str) -> Phrases:
    texts, owner, exact = [], [], dict[str, list[int]]()
    for place, (_, keyword, words) in enumerate(entries):
        for phrase in (keyword, *words):
            content = " ".join(_content(phrase)) or phrase
            texts.append(content)
            owner.append(place)
            owners = exact.setdefault(_plain(content), [])
            if place not in owners:
                owners.append(place)
    vectors = sentence_vectors(texts) if texts else np.empty((0, 0), dtype="float32")
    return Phrases(entries, np.array(owner, dtype="int64"), vectors, exact)


def _ngrams(text: str) -> Iterator[str]:
    """All n-grams of the text's words without stop words; the longer ones match word for word
    only."""
    words = _content(text)
    for length in range(1, LONGEST_PHRASE + 1):
        for start in range(len(words) - length + 1):
            yield " ".join(words[start : start + length])


def _content(text: str) -> list[str]:
    words = WORD.findall(unicodedata.normalize("NFC", without_invisible(text)).lower())
    return [word for word in words if word not in STOP_WORDS]


def _plain(ngram: str) -> str:
    """The words in the singular, by the rules for English endings."""
    return " ".join(map(_singular, ngram.split(" ")))


def _singular(word: str) -> str:
    """
    >>> [_singular(word) for word in ("lorries", "buses", "cars", "bus", "crosses", "us")]
    ['lorry', 'bus', 'car', 'bus', 'cross', 'us']
    """
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and re.search("(s|x|ch|sh)es$", word):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
