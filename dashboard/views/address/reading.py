"""How the text of one key of an address is read: the value, or a sentence on what was wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.views.texts import any_of

Together = Callable[[Sequence[str], Any], tuple[str, ...]]


@dataclass(frozen=True)
class Reader:
    """Reads a key's text for a collection. `values` says in words which texts it takes.

    Calling it raises ValueError with what was found and what was wanted.
    """

    values: str
    read: Callable[[str, Any], Any]

    def __call__(self, text: str, collection: Any) -> Any:
        return self.read(text, collection)


@dataclass(frozen=True)
class Default:
    """What a key holds where an address leaves it out. `words` says it for any collection."""

    words: str
    of: Callable[[Any], Any]


@dataclass(frozen=True)
class Choice:
    """One key of the address.

    changes_numbers  whether the value of a metric for a given version depends on it
    many             whether the key may stand in an address more than once
    together         reads all values of the key at once, where one depends on the others
    of_one_query     whether it belongs to the open query: another one opens without it
    """

    means: str
    default: Default
    read: Reader
    changes_numbers: bool = False
    many: bool = False
    together: Together | None = None
    of_one_query: bool = False


def always(value: Any) -> Default:
    """The same default for every collection."""
    return Default(
        f"{value:g}" if isinstance(value, float) else str(value), lambda collection: value
    )


NOTHING = Default("nothing", lambda collection: "")


def one_of(what: str, words: Iterable[str]) -> Reader:
    """One of some words."""
    known = tuple(words)
    return _among(", ".join(known), what, lambda collection: known)


def one_of_its(what: str, allowed: Callable[[Any], Iterable[str]]) -> Reader:
    """One of the words that a collection has."""
    return _among(f"a {what} of the collection", what, allowed)


def _among(values: str, what: str, allowed: Callable[[Any], Iterable[str]]) -> Reader:
    def read(text: str, collection: Any) -> str:
        known = list(allowed(collection))
        if text in known:
            return text
        asked = what.format(text[:80]) if "{}" in what else f"the {what} {text[:80]!r}"
        there = f"choose {any_of(known[:12])}" if known else "this collection has none"
        raise ValueError(f"asks for {asked}; {there}")

    return Reader(values, read)


def id_or_nothing(what: str, has: Callable[[Any, str], Any]) -> Reader:
    """An id that the collection has, or nothing. has: whether it has one, by collection and id."""

    def read(text: str, collection: Any) -> str:
        if text and not has(collection, text):
            raise ValueError(
                f"asks for the {what} {text[:80]!r}, which this collection does not have"
            )
        return text

    return Reader(f"the id of a{'n' * what.startswith('i')} {what}", read)


def number(what: str, low: float, high: float) -> Reader:
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

    return Reader(f"a number from {low:g} to {high:g}", read)


def whole(what: str, low: int, high: int) -> Reader:
    """A whole number from `low` to `high`, as text."""
    wanted = f"a whole number from {low} to {high:,}"

    def read(text: str, collection: Any) -> str:
        if not text.isdecimal() or not low <= int(text) <= high:
            raise ValueError(f"asks for the {what} {text[:20]!r}; choose {wanted}")
        return str(int(text))

    return Reader(wanted, read)
