"""Finds letters that nobody sees, takes them out where they mean nothing, and escapes them for a
terminal; makes cells safe for a spreadsheet.

Without a width of their own: control and format characters (zero-width spaces, soft hyphens,
direction marks, a BOM within a text), variation selectors, fillers. In a keyword or a header they
are slips; an id is compared byte for byte, so that they stay there and are shown as `\\u200b`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
SELECTORS = re.compile("[\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
LETTER_FORMS = re.compile("[\u200c\u200d\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Joiners and variation selectors: several scripts and emoji need them, no ASCII letter does."""
LINE = "\t\n\r"
FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
"""What a spreadsheet takes for a formula, with the apostrophes of earlier exports before it."""


def is_invisible(letter: str) -> bool:
    """Whether a letter has no shape and no width of its own.

    >>> is_invisible("\\u200b"), is_invisible("a"), is_invisible(" "), is_invisible("\\ufe0f")
    (True, False, False, True)
    """
    kind = unicodedata.category(letter)
    return kind in ("Cc", "Cf", "Cs") or letter in FILLERS or bool(SELECTORS.match(letter))


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def invisible_in(text: str) -> list[str]:
    """The invisible letters in a text, in order; line ends and tabs are none."""
    if _is_plain(text):
        return []
    return [letter for letter in text if letter not in LINE and is_invisible(letter)]


def visible(text: str) -> str:
    """The text without its invisible letters; what emoji and several scripts need stays.

    >>> visible("c\\u200bar\\u00ad"), visible("\\ufeffkeyword"), visible("❤\\ufe0f")
    ('car', 'keyword', '❤️')
    """
    if _is_plain(text):
        return text
    kept: list[str] = []
    for letter in text:
        needed = LETTER_FORMS.match(letter) and kept and not kept[-1].isascii()
        if needed or letter in LINE or not is_invisible(letter):
            kept.append(letter)
    joined = "".join(kept)
    return joined.rstrip("\u200c\u200d")


def is_visible(text: str) -> bool:
    """Whether a text has anything but blanks and marks that nobody sees.

    >>> is_visible("car"), is_visible(" \\u00a0\\u200b ")
    (True, False)
    """
    return any(not (c.isspace() or unicodedata.category(c) in ("Cf", "Cc")) for c in text)


def without_invisible(text: str) -> str:
    """The text without any invisible letter, needed or not: to compare by."""
    if _is_plain(text):
        return text
    return "".join(c for c in text if c in LINE or not is_invisible(c))


def skeleton(text: str) -> str:
    """What texts have in common that look alike: no invisible letters, no blanks, one form of each
    letter.

    >>> skeleton("v\\u200b01 ") == skeleton("v01"), skeleton("V01") == skeleton("v01")
    (True, False)
    """
    if _is_plain(text):
        return text.replace(" ", "")
    plain = unicodedata.normalize("NFKC", text)
    return "".join(c for c in plain if not (c.isspace() or is_invisible(c)))


def escaped(text: str) -> str:
    """A text in one line as a terminal may have it: whatever it would act on, or would not show,
    stands as its escape.

    >>> escaped("a\\u200bb"), escaped("\\x1b[31m"), escaped("a\\u00a0b"), escaped("Köln – 日本")
    ('a\\\\u200bb', '\\\\x1b[31m', 'a\\\\xa0b', 'Köln – 日本')
    """
    return _translated(text, _acts_or_hides)


def escaped_lines(text: str) -> str:
    """Several lines as a terminal may have them."""
    return "\n".join(escaped(line.replace("\t", " ")) for line in text.split("\n"))


def without_controls(text: str) -> str:
    """Data as they are, but for what a terminal would act on if it got to see them."""
    return _translated(text, _acts)


def _acts(letter: str) -> bool:
    return letter not in "\t\n" and unicodedata.category(letter) in ("Cc", "Cs")


def _acts_or_hides(letter: str) -> bool:
    blank = letter != " " and unicodedata.category(letter) in ("Zs", "Zl", "Zp")
    return blank or is_invisible(letter)


def _translated(text: str, odd: Callable[[str], bool]) -> str:
    if _is_plain(text):
        return text
    return text.translate({ord(c): escape(c) for c in set(text) if odd(c)})


def escape(letter: str) -> str:
    """The escape of a letter, as Python writes it.

    >>> escape("\\u200b"), escape("\\x07"), escape("\\U000e0001")
    ('\\\\u200b', '\\\\x07', '\\\\U000e0001')
    """
    code = ord(letter)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def json_escaped(text: str) -> str:
    """JSON of one line in which each invisible letter stands as JSON escapes it: the same data."""
    if _is_plain(text):
        return text
    odd = {c for c in set(text) if _acts_or_hides(c) and c != "\u00a0"}
    return text.translate({ord(c): "".join(_utf16(c)) for c in odd})


def _utf16(letter: str) -> list[str]:
    units = letter.encode("utf-16-be", "surrogatepass").hex()
    return [f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)]


def neutral(text: str) -> str:
    """A cell as it is exported: what a spreadsheet takes for a formula begins with an apostrophe.

    >>> neutral("=1+1"), neutral("-5"), neutral("it's"), neutral("'=1+1")
    ("'=1+1", "'-5", "it's", "''=1+1")
    """
    return f"'{text}" if FORMULA.match(text) else text
