"""Which collection reviews are kept for: the same when its folder is renamed or edited, another
where merely the name is the same.

A folder says of itself where it is, which inode it has, and what its gallery and queries are. What
agrees in two of the three with what was noted last is the same collection: a renamed folder is
somewhere else, an edited one has other content, one that was written again has another inode.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from itertools import count

from dashboard.storage import digests, reviews
from dashboard.storage.collection import Collection
from dashboard.tables import DataError

ENOUGH = 2  # of three
_LAST = (
    "SELECT collection, folder, inode, content FROM known WHERE number IN"
    " (SELECT MAX(number) FROM known GROUP BY collection)"
)
_NOTED = "INSERT INTO known (collection, folder, inode, content) VALUES (?, ?, ?, ?)"


def key_of(collection: Collection, *, saying: bool = False) -> str:
    """What the reviews of a collection are kept under: its name, or `name (2)` where another
    collection has that.

    saying: something is about to be said, so that the key must be its own from now on. Reviews from
    before folders were noted are the first one's that is opened under their name. Raises DataError
    where the file of reviews cannot be read or written.
    """
    if not saying and not reviews.exists():
        return collection.name
    mine = _signs(collection)
    with reviews.opened(writing=saying) as file:
        known = _known(file)
        key = _recognised(known, mine)
        if key is not None and known[key] == mine:
            return key
        file.execute("BEGIN IMMEDIATE")
        known = _known(file)  # another process may have been first
        key = _recognised(known, mine) or _free(collection.name, known)
        if known.get(key) != mine:
            file.execute(_NOTED, (key, *mine))
        file.execute("COMMIT")
        return key


def _signs(collection: Collection) -> tuple[str, str, str]:
    """Where a collection is, the inode of its folder, and what its gallery and queries are."""
    folder = collection.folder.resolve()
    try:
        place = folder.stat()
    except OSError as error:
        raise DataError(collection.name, "a folder that is gone", "the collection's") from error
    content = digests.of_values(collection.digests["gallery"], collection.digests["queries"])
    return str(folder), f"{place.st_dev}:{place.st_ino}", content


def _known(file: sqlite3.Connection) -> dict[str, tuple[str, str, str]]:
    return {key: (folder, inode, content) for key, folder, inode, content in file.execute(_LAST)}


def _recognised(known: dict[str, tuple[str, str, str]], mine: tuple[str, str, str]) -> str | None:
    """The key of the collection that agrees most, if it agrees enough."""
    agreeing = {key: _agreed(signs, mine) for key, signs in known.items()}
    best = max(agreeing.values(), default=0)
    return next(key for key in agreeing if agreeing[key] == best) if best >= ENOUGH else None


def _agreed(signs: Iterable[str], mine: Iterable[str]) -> int:
    return sum(one == other for one, other in zip(signs, mine, strict=True))


def _free(name: str, known: Iterable[str]) -> str:
    """The name, or the first of `name (2)`, `name (3)` … that no collection has."""
    taken = set(known)
    numbered = (f"{name} ({number})" for number in count(2))
    return name if name not in taken else next(each for each in numbered if each not in taken)
