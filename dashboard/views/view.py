"""What a link asks for: the one value that every screen is drawn from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(kw_only=True)
class View:
    """One field a key of the address, and its collection; `address.choices` says what each means.

    A choice that a link asks for and that cannot be followed is None in place of its value: the
    screen says so, and `frame.need` stops it before it computes anything from it.
    """

    collection: str
    baseline: str
    candidate: str
    runs: tuple[str, ...]
    protocol: str
    submissions: tuple[str, ...]
    metric: str
    queries: str
    slice: str
    groups: tuple[str, ...]
    mapping_threshold: float
    min_similarity: float
    anyway: str
    by: str
    names: str
    outcome: str
    between: str
    at: str
    find: str
    shown: str
    columns: str
    also: str
    missed: str
    differing: str
    copies: str
    query: str
    clip: str
    beside: str
    test: str
    pair: str
    list: str
    rows: str
    window: str
    divide: str
    average: str
    text: str
    item: str
    picture: str
