"""Words of a text mapped to keywords (ALFA 0.1, algorithm 1).

Every n-gram of one to three words is compared with every keyword and its other words. Stop words
and negated words are left out first. An n-gram that is such a phrase but for case and plural has
score 1, and may have up to six words. Any other has the cosine of KeyBERT's embeddings, and counts
only if all of these hold:

- the next keyword is clearly further away ("road" is near to everything);
- it is not merely a part of another word for a keyword ("asphalt" of "wet asphalt"), nor part of
  another keyword's name;
- the keyword does not have the opposite of one of its words ("dry" is embedded beside "wet").
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from dashboard.plugins.alfa.keywords import Candidate, Vocabulary
from dashboard.plugins.alfa.words import (
    EGO,
    EGO_OBJECTS,
    LONGEST_PHRASE,
    drop_articles,
    list_content,
    make_plain,
    read_text,
)
from dashboard.retrieval.encoders import embed_texts
from dashboard.tables import Float32Array, IntArray, Names

FLOOR = 0.3
"""Least cosine of a candidate."""
MARGIN = 0.1
"""Keywords whose cosines differ by less than this are equally near."""
MAX_WORDS = 3
"""Words of an n-gram that is compared by its embedding."""
_SIDES = (
    ("left", "right"),
    ("same", "opposite other opposing"),
    ("wet rain rainy", "dry"),
    ("day daytime daylight", "night nighttime"),
    ("dark darkness", "bright"),
    ("enter entering", "leave leaving exit exiting"),
    ("front ahead", "behind rear back"),
    ("toward", "away"),
    ("heavy", "light"),
    ("good clear", "bad poor low"),
)
OPPOSITES = {
    word: tuple(others.split())
    for pair in _SIDES
    for words, others in (pair, pair[::-1])
    for word in words.split()
}
"""Words of opposite meaning of each word, in the singular."""


def map_texts(texts: Names, vocabulary: Vocabulary) -> list[list[Candidate]]:
    """Return the candidates of each text, the best first.

    Args:
        texts: What a person asks for.
        vocabulary: Keywords with their other words.
    """
    phrases = _make_phrases(vocabulary)
    ngrams = [
        {
            " ".join(words[start : start + length]): None
            for words in read_text(text, phrases.exact, phrases.whole, ego=phrases.ego)[0]
            for length in range(1, LONGEST_PHRASE + 1)
            for start in range(len(words) - length + 1)
            # none of several words begins with "us": in "the bus behind us stopped" we did not stop
            if length == 1 or not (phrases.ego and words[start] in EGO_OBJECTS)
        }
        for text in texts
    ]
    exact = {
        ngram: [(owner, 1.0) for owner in phrases.exact.get(make_plain(ngram, ego=phrases.ego), ())]
        for found in ngrams
        for ngram in found
    }
    near = _find_near([ngram for ngram, owners in exact.items() if not owners], phrases)
    mapped = []
    for found in ngrams:
        rows = [
            Candidate(ngram, phrases.entries[owner].keyword, score)
            for ngram in found
            for owner, score in near.get(ngram, exact[ngram])
        ]
        mapped.append(sorted(rows, key=lambda each: -each.score))
    return mapped


def list_negations(text: str, vocabulary: Vocabulary) -> Names:
    """Return the negated parts of a text, such as "no pedestrians"; they name no keyword."""
    phrases = _make_phrases(vocabulary)
    return read_text(text, phrases.exact, phrases.whole, ego=phrases.ego)[1]


@dataclass(frozen=True, eq=False)
class Phrases:
    """The phrases of a vocabulary: `texts[i]`, without stop words, is one of entry `owner[i]`.

    Attributes:
        exact: Entries by the plain words of a phrase.
        whole: Keys of `exact` that keep their stop words, because the other words alone are a
            phrase of another keyword ("at a crossing", "crossing").
        ego: Whether a keyword names the ego vehicle.
        having: Phrases that contain a plain word.
    """

    entries: Vocabulary
    texts: Names
    owner: IntArray
    exact: Mapping[str, Collection[int]]
    whole: Collection[str]
    ego: bool
    having: Mapping[str, set[int]]

    @cached_property
    def vectors(self) -> Float32Array:
        """Embeddings of the texts. [texts, dimension]."""
        return embed_texts(self.texts)

    def find_entries(self, word: str) -> set[int]:
        """Return the entries that have a word."""
        return {int(self.owner[phrase]) for phrase in self.having.get(word, ())}


def _find_near(ngrams: Names, phrases: Phrases) -> dict[str, list[tuple[int, float]]]:
    """Return the one entry that a short n-gram is clearly near to, with the cosine."""
    short = [ngram for ngram in ngrams if ngram.count(" ") < MAX_WORDS]
    if not short or not phrases.entries:
        return {}
    starts = np.unique(phrases.owner, return_index=True)[1]  # phrases that are a keyword itself
    found = {}
    for ngram, row in zip(short, embed_texts(short) @ phrases.vectors.T, strict=True):
        best = np.maximum.reduceat(row, starts)
        words = make_plain(ngram, ego=phrases.ego).split(" ")
        for word in words:  # entries that have the opposite of a word, and not the word itself
            for other in OPPOSITES.get(word, ()):
                best[[*(phrases.find_entries(other) - phrases.find_entries(word))]] = -1.0
        around = set.intersection(*(phrases.having.get(word, set()) for word in words))
        names = {int(phrases.owner[phrase]) for phrase in around.intersection(starts.tolist())}
        alike = names | set(np.flatnonzero(best > best.max() - MARGIN).tolist())
        if best.max() >= FLOOR and (names or not around) and len(alike) == 1:
            # below 1: only an n-gram that stands word for word has 1
            found[ngram] = [(entry, min(round(float(best[entry]), 4), 0.9999)) for entry in alike]
    return found


@lru_cache(maxsize=8)
def _make_phrases(entries: Vocabulary) -> Phrases:
    ego = any(EGO in drop_articles(entry.keyword.name) for entry in entries)
    rows = []
    for place, entry in enumerate(entries):
        for phrase in dict.fromkeys((entry.keyword.name, *entry.words)):
            text = " ".join(list_content(phrase, ego=ego)) or phrase
            rows.append((place, text, " ".join(drop_articles(phrase))))
    bare = {(make_plain(text, ego=ego), place) for place, text, worded in rows if text == worded}
    taken = {key for key, _ in bare}
    exact: defaultdict[str, dict[int, None]] = defaultdict(dict)
    having = defaultdict(set)
    whole = set()
    for number, (place, text, worded) in enumerate(rows):
        key = make_plain(text, ego=ego)
        for word in key.split(" "):
            having[word].add(number)
        if text != worded and key in taken and (key, place) not in bare:
            key = make_plain(worded, ego=ego)
            whole.add(key)
        exact[key][place] = None
    owner = np.array([row[0] for row in rows], int)
    return Phrases(entries, [row[1] for row in rows], owner, exact, whole, ego, having)
