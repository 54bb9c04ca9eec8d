"""Cells that hold a list as a program printed it: `['car', 'urban']`, JSON, numpy, a set.

A list is parsed, never evaluated. Each element is one keyword, whatever separators it contains.
"""

from __future__ import annotations

import ast
import csv
import json
import re

LONGEST = 100_000
"""Letters of a cell that is read as a list."""
MOST_NESTED = 20
_NAMED = re.compile(
    r"(?:np\.|numpy\.|pd\.)?(?:array|list|tuple|set|frozenset|Index|Series)\((.*)\)", re.DOTALL
)
_KIND = re.compile(r",\s*(?:dtype|shape|name)\s*=\s*[^\[\](){}]*$", re.DOTALL)
_TEXT = r"""(?:[bru]?'(?:[^'\\]|\\.|'')*'|[bru]?"(?:[^"\\]|\\.)*")"""
_QUOTED = re.compile(_TEXT, re.DOTALL)
_NUMPY_TEXT = re.compile(rf"(?:np\.|numpy\.)?str_\(\s*({_TEXT})\s*\)", re.DOTALL)
_QUOTES = {"'": "'", '"': '"', "“": "”", "„": "“", "‘": "’", "«": "»"}
_ENDS = {"[": "]", "(": ")", "{": "}"}
_NOTHING = {"", "none", "nan", "null", "<na>"}


class Unreadable(Exception):
    """Raised for a cell that begins like a list of quoted texts and is none; says why."""


def elements(cell: str) -> list[str] | None:
    """The elements of a cell that holds a list; None where it holds something else.

    Raises Unreadable for a list that is damaged, shortened by dots or longer than LONGEST.

    >>> elements("['car', 'urban']"), elements('["car", "left, turn"]'), elements("['car' 'urban']")
    (['car', 'urban'], ['car', 'left, turn'], ['car', 'urban'])
    >>> elements("{'car'}"), elements("()"), elements("[car, urban]"), elements("car (parked)")
    (['car'], [], ['car', 'urban'], None)
    """
    text = cell.strip()
    if not text or (text[0] not in _ENDS and not text.endswith(")")):
        return None
    if (named := _NAMED.fullmatch(text)) is not None:
        text = _KIND.sub("", named[1].strip()).strip() or "[]"
    if text[0] not in _ENDS:
        return None
    if len(text) > LONGEST and _quoted_first(text):
        raise Unreadable(f"a list of {len(text):,} letters; at most {LONGEST:,} are read")
    if len(text) > LONGEST:
        return None
    if text[-1] != _ENDS[text[0]]:
        if _quoted_first(text):
            raise Unreadable("a list that does not end")
        return None
    return _read(_NUMPY_TEXT.sub(r"\1", text))


def _quoted_first(text: str) -> bool:
    return bool(re.match(r"[\[({]\s*[bru]?['\"]", text))


def _read(text: str) -> list[str] | None:
    bare = _QUOTED.sub("", text)
    if "..." in bare or "…" in bare:
        raise Unreadable("a list that was shortened by dots")
    if _QUOTED.search(text) is None:
        return _unquoted(text)
    if bare.count("[") + bare.count("(") + bare.count("{") > MOST_NESTED:
        raise Unreadable("a list of too many lists")
    apart = re.sub(r"[\s,]|[\[\](){}]", "", bare)
    if not apart:
        # only quoted texts: with commas or, as numpy prints them, without
        return _filled([_spoken(found[0]) for found in _QUOTED.finditer(text)])
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
        return None if isinstance(found, dict) else _filled(_flat(found))
    if text[0] == "{" and not re.search(r"[:\[\](){}]", bare[1:-1]):
        # an array of PostgreSQL: quotes only where an element needs them
        return _filled(next(csv.reader([text[1:-1]], skipinitialspace=True)))
    if _quoted_first(text):
        raise Unreadable("a list with something else than texts between its commas")
    return None


def unquoted(text: str) -> str:
    """A keyword without the quotes that stand around it.

    >>> unquoted("'car'"), unquoted("“car”"), unquoted("driver's car")
    ('car', 'car', "driver's car")
    """
    text = text.strip()
    around = len(text) > 2 and _QUOTES.get(text[0]) == text[-1]
    return text[1:-1].strip() if around and text[-1] not in text[1:-1] else text


def _spoken(quoted: str) -> str:
    if quoted[0] == "'" and "''" in quoted[1:-1]:
        quoted = f"'{quoted[1:-1].replace(chr(39) * 2, chr(92) + chr(39))}'"  # doubled, as SQL does
    try:
        found = json.loads(quoted) if quoted.startswith('"') else ast.literal_eval(quoted)
    except (ValueError, SyntaxError):
        try:
            found = ast.literal_eval(quoted)
        except (ValueError, SyntaxError) as error:
            raise Unreadable("a list with a text that cannot be read") from error
    return found.decode(errors="backslashreplace") if isinstance(found, bytes) else str(found)


def _flat(found: object) -> list[str]:
    if isinstance(found, list | tuple | set | frozenset):
        inner = [_flat(each) for each in found]
        return [text for texts in inner for text in texts]
    return ["" if found is None else str(found)]


def _unquoted(text: str) -> list[str] | None:
    """The elements of `[car, urban]` and `{car,urban}`; of `()` none. Other text in round brackets
    is a remark and no list."""
    inside = text[1:-1].strip()
    if not inside:
        return []
    if text[0] == "(" or re.search(r"[\[\](){}]", inside):
        return None
    return _filled(inside.split(","))


def _filled(texts: list[str]) -> list[str]:
    return [unquoted(text) for text in texts if text.strip().lower() not in _NOTHING]
