"""Words of a text that can name a keyword: without stop words and negated words."""

import re
import unicodedata
from collections.abc import Collection, Iterator
from typing import NamedTuple

from dashboard.tables import Names

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


class _Word(NamedTuple):
    text: str
    plain: str
    """The word in the form in which words are compared."""
    starts_clause: bool


def read_text(
    text: str, phrases: Collection[str], whole: Collection[str], *, ego: bool
) -> tuple[list[Names], Names]:
    """Return the words of a text without stop words, in stretches between negations, and these.

    A negation reaches to the end of its clause, to a word of contrast (“but”), to an “and” that
    starts something new, and to a preposition after a negated word: “no cyclists on the highway”
    is on the highway. A negation inside a phrase of the vocabulary (“not moving”) negates nothing.

    Args:
        text: What a person typed.
        phrases: The vocabulary's phrases in the form of `make_plain`.
        whole: Those whose stop words distinguish them; they are read as one word.
        ego: Whether the vocabulary speaks of the ego vehicle; see `list_content`.
    """

    def spell_out(found: re.Match[str]) -> str:
        """Return “no rain” for “rain-free”, in commas; a phrase of the vocabulary stays."""
        is_known = make_plain(found[0].lower().replace("-", " "), ego=False) in phrases
        return found[0] if is_known else f", no {found[1] or found[2]},"

    text = HYPHENED.sub(spell_out, text)
    text = EXCLUDING.sub(lambda found: f"{found[1] or ''} without", text)
    words = list(_split_words(text, ego=ego))
    places = _list_places(words, ego=ego)
    plain = [words[place].plain for place in places]
    inside = {  # words that are part of a longer phrase of the vocabulary
        place
        for start in range(len(places))
        for end in range(start + 2, start + LONGEST_PHRASE + 1)
        if " ".join(plain[start:end]) in phrases
        for place in places[start:end]
    }
    spans = _find_negated(words, inside)
    taken = {place for span in spans for place in span}
    stretches: list[list[str]] = [[]]
    together = _find_whole(words, whole)
    for last, place in zip([-1, *places], places, strict=False):
        if taken.intersection(range(last + 1, place + 1)):
            stretches.append([])
        if place not in taken and together.get(place) != "":
            stretches[-1].append(together.get(place) or words[place].text)
    negated = [
        " ".join(words[place].text for place in span)
        for span in spans
        if len(span) > 1 or words[span[0]].plain in ALONE
    ]
    return [stretch for stretch in stretches if stretch], negated


def list_content(phrase: str, *, ego: bool) -> Names:
    """Return the words of a phrase without stop words.

    Args:
        phrase: A phrase of the vocabulary or of a query.
        ego: Whether “car” and “vehicle” after “our” and “ego” are left out, too; they are the ego
            vehicle, not an object.
    """
    words = list(_split_words(phrase, ego=ego))
    return [words[place].text for place in _list_places(words, ego=ego)]


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
    for found in WORD.finditer(text):
        starts_clause = bool(CLAUSE_END.search(text, end, found.start()))
        yield _Word(found[0], _make_plain(found[0], ego=ego), starts_clause)
        end = found.end()


def _list_places(words: list[_Word], *, ego: bool) -> list[int]:
    """Return the places of the words that are no stop words."""
    return [
        place
        for place, word in enumerate(words)
        if CONTRACTED.sub("", word.text.replace("’", "'")) not in STOP_WORDS
        and not (ego and place and word.text in EGO_VEHICLE and words[place - 1].plain == EGO)
    ]


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
