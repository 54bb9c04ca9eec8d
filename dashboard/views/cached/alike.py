"""Which items are near-duplicates, by the vectors of each version and by their posters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import streamlit as st

from dashboard.evaluation import duplicates
from dashboard.storage.collection import Collection
from dashboard.storage.media import state
from dashboard.storage.media.hashes import hashes_of, poster_hash
from dashboard.views.cached.opened import opened, opened_as

REMEMBERED = 1.0  # seconds


@dataclass(frozen=True, eq=False)
class Alike:
    """Pairs of near-duplicates (item_id, other): of each version, and of pictures."""

    by_version: dict[str, pd.DataFrame]
    pictures: pd.DataFrame

    def of(self, item_id: str) -> dict[str, list[str]]:
        """The near-duplicates of an item, each with what says so: `v0.2 0.991`, `picture`."""
        found: dict[str, list[str]] = {}
        for version, pairs in self.by_version.items():
            for other, cosine in _with(item_id, pairs, "similarity"):
                found.setdefault(other, []).append(f"{version} {cosine:.3f}")
        for other, bits in _with(item_id, self.pictures, "bits"):
            found.setdefault(other, []).append(f"picture, {bits:.0f} of 256 bits differ")
        return found


def _with(item_id: str, pairs: pd.DataFrame, column: str) -> list[tuple[str, float]]:
    left, right = pairs[pairs["item_id"] == item_id], pairs[pairs["other"] == item_id]
    return [
        *zip(left["other"], left[column], strict=True),
        *zip(right["item_id"], right[column], strict=True),
    ]


def alike(name: str, digest: str, item_ids: tuple[str, ...]) -> Alike:
    """The near-duplicates among some items."""
    known = opened_as(name, digest)
    rows = known.items[known.items["item_id"].isin(item_ids)]
    return _alike(name, digest, item_ids, state.state(_places(known, rows)))


@st.cache_resource(max_entries=32, show_spinner=False)
def _alike(name: str, digest: str, item_ids: tuple[str, ...], pictures: str) -> Alike:
    known = opened_as(name, digest)
    spaces = {version: model.items.rows(item_ids) for version, model in known.models.items()}
    return Alike(
        {version: duplicates.alike(of.ids, of.matrix) for version, of in spaces.items()},
        duplicates.same_picture(_hashes(name, item_ids)),
    )


def copies(name: str, digest: str) -> dict[str, str]:
    """Each item of the gallery that is a copy → the first item that it is a copy of.

    Raises DataError for a gallery that is too large to compare each item with each.
    """
    return _copies(name, digest, pictures_state(name, digest))


@st.cache_data(ttl=REMEMBERED, max_entries=32, show_spinner=False)
def pictures_state(name: str, digest: str) -> str:
    """A stamp that changes with the pictures that copies are found by, a second later at most: a
    screen asks for it a dozen times. Empty for a gallery too large to compare pictures."""
    if len(opened_as(name, digest).items) > duplicates.MOST_PICTURES:
        return ""
    return state.state(_all_places(name, digest))


@st.cache_resource(max_entries=8, show_spinner=False)
def _all_places(name: str, digest: str) -> list[Path]:
    known = opened_as(name, digest)
    return _places(known, known.items)


def _places(known: Collection, items: pd.DataFrame) -> list[Path]:
    rows = items.to_dict("records")
    return state.places(known.folder, known.media_root, known.posters_root, rows)


@st.cache_resource(max_entries=8, show_spinner="Looking for near-duplicates …")
def _copies(name: str, digest: str, pictures: str) -> dict[str, str]:
    known = opened_as(name, digest)
    spaces = [(model.items.ids, model.items.matrix) for model in known.models.values()]
    gallery = known.items["item_id"].tolist()
    return duplicates.copies_in(name, gallery, spaces, lambda ids: _hashes(name, ids))


def _hashes(name: str, item_ids: Sequence[str]) -> dict[str, bytes]:
    """The picture hash of each item that has a poster which can be told from others."""
    return hashes_of(opened(name), item_ids, lambda item, address: _hash(name, item, address))


@st.cache_resource(max_entries=20_000, show_spinner=False)
def _hash(name: str, item_id: str, address: str) -> bytes:
    """The address holds the version of the file: a changed poster is looked at anew."""
    return poster_hash(opened(name), item_id)
