"""How the text of one key of an address is read: the value, or a sentence on what was wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.views.texts import any_of


@dataclass(frozen=True)
class Choice:
    """One key of the address; `many` marks a key that may stand in it more than once, `together`
    reads all its values at once where one depends on the others."""

    means: str
    default: Callable[[Any], Any]
    read: Callable[[str, Any], Any]
    many: bool = False
    together: Callable[[Sequence[str], Any], tuple[str, ...]] | None = None


def one_of(what: str, allowed: Callable[[Any], Iterable[str]]) -> Callable[[str, Any], str]:
    """One of some words, which may depend on the collection. what: a noun before the word."""

    def read(text: str, collection: Any) -> str:
        known = list(allowed(collection))
        if text in known:
            return text
        asked = what.format(text[:80]) if "{}" in what else f"the {what} {text[:80]!r}"
        there = f"choose {any_of(known[:12])}" if known else "this collection has none"
        raise ValueError(f"asks for {asked}; {there}")

    return read


def id_or_nothing(what: str, ids: Callable[[Any], Any]) -> Callable[[str, Any], str]:
    """An id that the collection has, or nothing."""

    def read(text: str, collection: Any) -> str:
        if text and not (ids(collection) == text).any():
            raise ValueError(
                f"asks for the {what} {text[:80]!r}, which this collection does not have"
            )
        return text

    return read


def number(what: str, low: float, high: float) -> Callable[[str, Any], float]:
    """A number from `low` to `high`, to four places."""

    def read(text: str, collection: Any) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            raise ValueError(
                f"asks for the {what} {text[:20]!r}; choose a number from {low:g} to {high:g}"
            )
        return round(value, 4)

    return read


def whole(what: str, low: int, high: int) -> Callable[[str, Any], str]:
    """A whole number from `low` to `high`, as text."""

    def read(text: str, collection: Any) -> str:
        if not text.isdecimal() or not low <= int(text) <= high:
            wanted = f"a whole number from {low} to {high:,}"
            raise ValueError(f"asks for the {what} {text[:20]!r}; choose {wanted}")
        return str(int(text))

    return read
