"""How the text of one key of an address is read: the value, or a sentence on what was wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any


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
    """One of some words, which may depend on the collection."""

    def read(text: str, collection: Any) -> str:
        known = list(allowed(collection))
        if text in known:
            return text
        few = ", ".join(known[:12]) or "none"
        raise ValueError(f"there is no {what} {text[:80]!r}; there is {few}")

    return read


def id_or_nothing(what: str, ids: Callable[[Any], Any]) -> Callable[[str, Any], str]:
    """An id that the collection has, or nothing."""

    def read(text: str, collection: Any) -> str:
        if text and not (ids(collection) == text).any():
            raise ValueError(f"there is no {what} {text[:80]!r} in this collection (any more)")
        return text

    return read


def number(low: float, high: float) -> Callable[[str, Any], float]:
    """A number from `low` to `high`, to four places."""

    def read(text: str, collection: Any) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            raise ValueError(f"found {text[:20]!r}, wanted a number from {low:g} to {high:g}")
        return round(value, 4)

    return read


def whole(low: int, high: int) -> Callable[[str, Any], str]:
    """A whole number from `low` to `high`, as text."""

    def read(text: str, collection: Any) -> str:
        if not text.isdecimal() or not low <= int(text) <= high:
            wanted = f"a whole number from {low} to {high:,}"
            raise ValueError(f"found {text[:20]!r}, wanted {wanted}")
        return str(int(text))

    return read
