"""What a collection's card shows, remembered for each state of its tables; needs no open
collection."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.experiment.collection import names
from dashboard.experiment.memory import remembered
from dashboard.storage.collection import collection as stored
from dashboard.storage.collection import shelf
from dashboard.storage.collection.shelf import Shelved
from dashboard.storage.media import covers
from dashboard.tables import DataError

PICTURES = 4


@dataclass(frozen=True, eq=False)
class Glance:
    """A collection at a glance.

    items     a few of its items, for the pictures on its card
    words     the names and numbers of its items and queries
    protocols the protocols that judge it; unknown ones are left out
    problem   why its queries cannot be read
    """

    name: str
    folder: Path
    title: str
    about: str
    licence: str
    protocols: tuple[str, ...]
    versions: tuple[str, ...]
    items: pd.DataFrame
    words: names.Words
    media_root: str
    posters_root: str
    problem: str


def glance(name: str) -> Glance:
    """A collection at a glance. Raises DataError with the sentence for a broken one."""
    return _glance(name, shelf.state(name))


@remembered(1_000)
def _glance(name: str, state: str) -> Glance:
    known = shelf.shelved(name)
    protocols = tuple(p for p in known.settings["protocols"] if p in PROTOCOLS)
    if not protocols:
        found = f"the protocols {', '.join(known.settings['protocols']) or '(none)'}"
        raise DataError("collection.toml", found, f"one of {', '.join(PROTOCOLS)}")
    return Glance(
        name,
        known.folder,
        str(known.settings["title"]) or name,
        str(known.settings["about"]),
        str(known.settings["licence"]),
        protocols,
        known.versions,
        _chosen(known),
        names.words(known.items, known.queries),
        str(known.settings["media_root"]),
        str(known.settings["posters_root"]),
        known.problem,
    )


def _chosen(known: Shelved) -> pd.DataFrame:
    """A few items from all over the gallery, of those that are not texts."""
    shown = known.items[known.items["kind"].str.strip().str.lower() != "text"]
    places = np.linspace(0, len(shown) - 1, min(PICTURES, len(shown))).round().astype(int)
    return shown.iloc[places].reset_index(drop=True)


def cover_pictures(known: Glance) -> list[str]:
    """Addresses of a collection's pictures. Not remembered: files are checked each time."""
    return covers.addresses(known)


def unlisted() -> list[str]:
    """A sentence on each data folder that is missing, and each collection that another hides."""
    return stored.unlisted()


def hidden_by(name: str) -> list[str]:
    """A sentence on each collection that the one of this name hides."""
    return stored.hidden_by(name)


def titles() -> dict[str, str]:
    """The name of each collection and its title."""
    return shelf.titles()
