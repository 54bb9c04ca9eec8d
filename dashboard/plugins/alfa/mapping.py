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

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations
from typing import NamedTuple

import numpy as np

from dashboard.plugins.alfa.keywords import Candidate, Vocabulary
from dashboard.retrieval.encoders import embed_texts
from dashboard.tables import Float32Array, IntArray, Names

FLOOR = 0.3
"""Least cosine of a candidate."""
MARGIN = 0.1
"""Keywords whose cosines differ by less than this are equally near."""
MAX_WORDS = 3
"""Words of an n-gram that is compared by its embedding."""
_SIDES = """left | right
same | opposite other opposing
wet rain rainy | dry
day daytime daylight | night nighttime
dark darkness | bright
enter entering | leave leaving exit exiting
front ahead | behind rear back
toward | away
heavy | light
good clear | bad poor low"""
OPPOSITES = {
    word: tuple(others.split())
    for line in _SIDES.splitlines()
    for words, others in permutations(line.split("|"))
    for word in words.split()
}
"""Words of opposite meaning of each word, in the singular."""
LONGEST_PHRASE = 6
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
CONTRACTED = re.compile(r"'(?:s|re|ve|ll|d|m)$")
PLURAL = re.compile("(?<=..)ies$|(?<=..[sx])es$|(?<=.[cs]h)es$|(?<=..[^sui])s$")
"""Endings of words in the plural, the longest first."""
CLAUSE_END = re.compile(r"[.,;:!?()\n–—]")
ARTICLES = frozenset({"a", "an", "the"})
STOP_WORDS = ARTICLES | frozenset(
    WORD.findall("""
    of at in on with and or to for from by as is are was were be been being am it its this
    that these those there while some someone somebody who which has have had into onto
    do does did will would can could
""")
)
EGO = "ego"
EGO_WORDS = frozenset(WORD.findall("we us our ours ourselves i me my own host"))
EGO_OBJECTS = frozenset({"us", "me"})
EGO_VEHICLE = frozenset({"car", "vehicle"})
"""Words for the ego vehicle; EGO_OBJECTS never act."""
NOUN_NEGATIONS = frozenset(
    WORD.findall("no without neither nor except excluding zero lacking minus")
)
EXCLUDING = re.compile(
    r"\b(?:absence|lack|free|devoid|instead) of\b|\b(?:rather|other) than\b"
    r"|((?:\bany|\bevery)(?:thing|one|body|where)?(?: [^\W_]+)?),? but\b",
    re.IGNORECASE,
)
"""Words that mean “without”, as “but” does in “any weather but rain” and “anything but rain”."""
HYPHENED = re.compile(r"\bnon-(\w+)|(\w+)-free\b", re.IGNORECASE)
"""Hyphenated words that negate one word: “non-raining”, “rain-free”."""
ALONE = frozenset({"nobody", "none", "nothing"})
NEGATIONS = NOUN_NEGATIONS | ALONE | {"not", "never"}
CONTRASTS = frozenset(WORD.findall("but only just while whereas although though instead"))
PREPOSITIONS = frozenset(WORD.findall("at in on by near under during from with through along"))


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
            for words in read_text(text, phrases)[0]
            for length in range(1, LONGEST_PHRASE + 1)
            for start in range(len(words) - length + 1)
            # none of several words begins with "us": in "the bus behind us stopped" we did not stop
            if length == 1 or not (phrases.ego and words[start] in EGO_OBJECTS)
        }
        for text in texts
    ]
    scores = {
        ngram: dict.fromkeys(phrases.exact.get(make_plain(ngram, ego=phrases.ego), ()), 1.0)
        for found in ngrams
        for ngram in found
    }
    scores |= _find_near([ngram for ngram, owners in scores.items() if not owners], phrases)
    mapped = (
        [
            Candidate(ngram, phrases.entries[owner].keyword, score)
            for ngram in found
            for owner, score in scores[ngram].items()
        ]
        for found in ngrams
    )
    return [sorted(rows, key=lambda each: -each.score) for rows in mapped]


def list_negations(text: str, vocabulary: Vocabulary) -> Names:
    """Return the negated parts of a text, such as "no pedestrians"; they name no keyword."""
    return read_text(text, _make_phrases(vocabulary))[1]


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


def _find_near(ngrams: Names, phrases: Phrases) -> dict[str, dict[int, float]]:
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
            found[ngram] = {entry: min(round(float(best[entry]), 4), 0.9999) for entry in alike}
    return found


@lru_cache(maxsize=8)
def _make_phrases(entries: Vocabulary) -> Phrases:
    ego = any(EGO in drop_articles(entry.keyword.name) for entry in entries)
    rows = []
    for place, entry in enumerate(entries):
        for phrase in dict.fromkeys((entry.keyword.name, *entry.words)):
            content = (word.text for word in _split_words(phrase, ego=ego) if word.counts)
            text = " ".join(content) or phrase
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
        if key in taken and (key, place) not in bare:
            key = make_plain(worded, ego=ego)
            whole.add(key)
        exact[key][place] = None
    owner = np.array([row[0] for row in rows], int)
    return Phrases(entries, [row[1] for row in rows], owner, exact, whole, ego, having)


class _Word(NamedTuple):
    text: str
    plain: str
    """The word in the form in which words are compared."""
    starts_clause: bool
    counts: bool
    """It is no stop word, and no “car” after “our”, which is the ego vehicle."""


def read_text(text: str, phrases: Phrases) -> tuple[list[Names], Names]:
    """Return the words of a text without stop words, in stretches between negations, and these.

    A negation reaches to the end of its clause, to a word of contrast (“but”), to an “and” that
    starts something new, and to a preposition after a negated word: “no cyclists on the highway”
    is on the highway. A negation inside a phrase of the vocabulary (“not moving”) negates nothing.
    One of `phrases.whole` is read as one word.
    """

    def spell_out(found: re.Match[str]) -> str:
        """Return “no rain” for “rain-free”, in commas; a phrase of the vocabulary stays."""
        is_known = make_plain(found[0].lower().replace("-", " "), ego=False) in phrases.exact
        return found[0] if is_known else f", no {found[1] or found[2]},"

    text = HYPHENED.sub(spell_out, text)
    text = EXCLUDING.sub(lambda found: f"{found[1] or ''} without", text)
    words = list(_split_words(text, ego=phrases.ego))
    places = [place for place, word in enumerate(words) if word.counts]
    plain = [words[place].plain for place in places]
    inside = {  # words that are part of a longer phrase of the vocabulary
        place
        for start in range(len(places))
        for end in range(start + 2, start + LONGEST_PHRASE + 1)
        if " ".join(plain[start:end]) in phrases.exact
        for place in places[start:end]
    }
    spans = _find_negated(words, inside)
    taken = {place for span in spans for place in span}
    stretches: list[list[str]] = [[]]
    shown = {place: words[place].text for place in places} | _find_whole(words, phrases.whole)
    for last, place in zip([-1, *places], places, strict=False):
        if taken.intersection(range(last + 1, place + 1)):
            stretches.append([])
        if place not in taken and shown[place]:
            stretches[-1].append(shown[place])
    return [stretch for stretch in stretches if stretch], [
        " ".join(words[place].text for place in span)
        for span in spans
        if len(span) > 1 or words[span[0]].plain in ALONE
    ]


def drop_articles(phrase: str) -> Names:
    """Return the words of a phrase without articles."""
    return [word.text for word in _split_words(phrase, ego=False) if word.text not in ARTICLES]


def make_plain(ngram: str, *, ego: bool) -> str:
    """Return an n-gram's words in the singular, by the rules for English endings; “isn't” is “not”.

    Args:
        ngram: Words separated by blanks.
        ego: Whether all words for the ego vehicle (“we”, “our”) become one.

    >>> make_plain("lorries buses cars bus crosses us", ego=False)
    'lorry bus car bus cross us'
    """
    return " ".join(_make_plain(word, ego=ego) for word in ngram.split(" "))


def _split_words(text: str, *, ego: bool) -> Iterator[_Word]:
    text = unicodedata.normalize("NFC", text).lower()
    end = 0
    before = ""
    for found in WORD.finditer(text):
        starts_clause = bool(CLAUSE_END.search(text, end, found.start()))
        plain = _make_plain(found[0], ego=ego)
        is_stop = CONTRACTED.sub("", found[0].replace("’", "'")) in STOP_WORDS
        is_vehicle = ego and before == EGO and found[0] in EGO_VEHICLE
        yield _Word(found[0], plain, starts_clause, not (is_stop or is_vehicle))
        end, before = found.end(), plain


def _find_negated(words: list[_Word], inside: set[int]) -> list[range]:
    """Return the places of each negation and of the words that it negates."""
    spans = []
    after = 0
    for start, word in enumerate(words):
        if start < after or start in inside or word.plain not in NEGATIONS:
            continue
        after = start + 1
        says = word.plain in ALONE
        while after < len(words) and not _ends_negation(words, after, word.plain, says=says):
            says = says or words[after].text not in STOP_WORDS
            after += 1
        while after > start + 1 and words[after - 1].text in STOP_WORDS:
            after -= 1
        spans.append(range(start, after))
    return spans


def _ends_negation(words: list[_Word], place: int, negation: str, *, says: bool) -> bool:
    """Return whether a negation ends before a word.

    Args:
        words: Words of the text.
        place: Place of the word.
        negation: The negation in its plain form.
        says: Whether a word was negated already.
    """
    word = words[place]
    following = words[place + 1].text if place + 1 < len(words) else ""
    if word.starts_clause or word.text in CONTRASTS or word.plain in NEGATIONS:
        return True
    if word.text == "and":
        return negation not in NOUN_NEGATIONS or following in STOP_WORDS
    return says and word.text in PREPOSITIONS and following != "front"


def _find_whole(words: list[_Word], whole: Collection[str]) -> dict[int, str]:
    """Return phrases with their stop words at the place of their last word; "" at the others."""
    found: dict[int, str] = {}
    places = [place for place, word in enumerate(words) if word.text not in ARTICLES]
    for start in range(len(places) if whole else 0):
        for end in range(start + LONGEST_PHRASE, start + 1, -1):
            part = places[start:end]
            if " ".join(words[place].plain for place in part) in whole:
                found |= dict.fromkeys(part, "")
                found[part[-1]] = " ".join(words[place].text for place in part)
                break
    return found


def _make_plain(word: str, *, ego: bool) -> str:
    word = word.replace("’", "'")
    if word.endswith("n't") or word == "cannot":
        return "not"
    word = CONTRACTED.sub("", word)
    if ego and word in EGO_WORDS:
        return EGO
    return PLURAL.sub(lambda found: "y" if found[0] == "ies" else "", word)
