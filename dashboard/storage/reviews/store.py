"""Where reviews are stored: in a file of this machine, or in a database that several app servers
share. `DASHBOARD_REVIEWS` names a folder or a `postgresql://` URL.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from dashboard.storage.reviews import review_database, review_file
from dashboard.storage.reviews.review_database import Interrupted as Interrupted


def name() -> str:
    """What the store is called in a sentence: the file's name, or the database without its
    password."""
    address = review_database.address()
    return review_database.name_of(address) if address else review_file.review_file().name


def exists() -> bool:
    """Whether there are reviews. Raises DataError where there were some and they are gone."""
    address = review_database.address()
    return review_database.exists(address) if address else review_file.exists()


@contextmanager
def opened(writing: bool) -> Iterator[Connection]:
    """One transaction on the store, which is made where there never was one.

    What is written is on the disk when the block has ended; an error in it undoes all of it. One
    block writes at a time. Raises DataError where the store cannot be used.
    """
    address = review_database.address()
    place = review_database.opened(address, writing) if address else review_file.opened(writing)
    with place as connection:
        yield connection


def identity() -> str:
    """What tells this store from another, or from one that was begun anew in its place."""
    address = review_database.address()
    return review_database.name_of(address) if address else review_file.identity()
