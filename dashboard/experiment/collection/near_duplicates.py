"""Which items are near-duplicates, by the vectors of each version and by their posters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from dashboard.evaluation import duplicates
from dashboard.evaluation.duplicates import Pair
from dashboard.experiment.collection import media
from dashboard.experiment.collection.collections import collection_in, opened_in
from dashboard.experiment.memory import remembered
from dashboard.retrieval.gallery import Gallery, gallery_of
from dashboard.storage.collection.collection import Collection
from dashboard.storage.media import state
from dashboard.storage.media.hashes import hashes_of, poster_hash

LEFT_OUT = "left_out"
Look = Mapping[Any, Any]
"""A row of the table of `media.media_of`."""
REMEMBERED = 1.0  # seconds


@dataclass(frozen=True, eq=False)
class Alike:
    """Pairs of near-duplicates: of each version, and of pictures."""

    by_version: dict[str, list[Pair]]
    pictures: list[Pair]

    def of(self, item_id: str) -> dict[str, list[str]]:
        """The near-duplicates of an item, each with the reasons: `v0.2 0.991`, `picture, …`."""
        return self._by_item.get(item_id, {})

    @cached_property
    def _by_item(self) -> dict[str, dict[str, list[str]]]:
        found: dict[str, dict[str, list[str]]] = {}
        for version, pairs in self.by_version.items():
            for item, other, cosine in _both_ways(pairs):
                of_item = found.setdefault(item, {})
                of_item.setdefault(other, []).append(f"{version} {cosine:.3f}")
        for item, other, bits in _both_ways(self.pictures):
            of_item = found.setdefault(item, {})
            of_item.setdefault(other, []).append(f"picture, {bits:.0f} of 256 bits differ")
        return found


def _both_ways(pairs: Sequence[Pair]) -> Iterator[tuple[str, str, float]]:
    """The pairs, each from its first item to the other, then each the other way."""
    yield from pairs
    yield from ((other, item, value) for item, other, value in pairs)


def alike(
    folder: str, digest: str, item_ids: tuple[str, ...], looks: Sequence[Look] | None = None
) -> Alike:
    """The near-duplicates among some items. looks: those of `media.looks_of`, where they are at
    hand."""
    if looks is None:
        looks = media.looks_of(collection_in(folder, digest), item_ids)
    pictures = tuple((look["item_id"], look["poster"]) for look in looks if not look["far"])
    return _alike(folder, digest, item_ids, pictures)


@remembered(32)
def _alike(
    folder: str, digest: str, item_ids: tuple[str, ...], pictures: tuple[tuple[str, str], ...]
) -> Alike:
    collection = collection_in(folder, digest)
    parts = {v: gallery_of(model).part(item_ids) for v, model in collection.models.items()}
    hashes = {item: _hash(folder, item, address) for item, address in pictures if address}
    return Alike(
        {version: duplicates.alike(part) for version, part in parts.items()},
        duplicates.same_picture({item: bits for item, bits in hashes.items() if bits}),
    )


def copies(folder: str, digest: str) -> dict[str, str]:
    """Each item of the gallery that is a copy → the first item that it is a copy of.

    Raises DataError for a gallery that is too large to look for them.
    """
    if _by_vectors_alone(folder, digest):
        return _copies_by_vectors(folder, digest)
    return _copies(folder, digest, pictures_state(folder, digest))


def _by_vectors_alone(folder: str, digest: str) -> bool:
    """Whether a gallery is too large to compare its pictures."""
    return len(collection_in(folder, digest).items) > duplicates.MOST_PICTURES


@remembered(32, seconds=REMEMBERED)
def pictures_state(folder: str, digest: str) -> str:
    """A stamp that changes with the pictures that copies are found by.

    Remembered for a second, because a screen reads it a dozen times. Empty for a gallery that is
    too large to compare pictures.
    """
    if _by_vectors_alone(folder, digest):
        return ""
    return state.state(_all_places(folder, digest))


@remembered(8)
def _all_places(folder: str, digest: str) -> list[Path]:
    collection = collection_in(folder, digest)
    return _places(collection, collection.items)


def _places(collection: Collection, items: pd.DataFrame) -> list[Path]:
    rows = items.to_dict("records")
    return state.places(collection.folder, collection.media_root, collection.posters_root, rows)


@remembered(8, work="Looking for near-duplicates …")
def _copies(folder: str, digest: str, pictures: str) -> dict[str, str]:
    gallery, spaces = _gallery(folder, digest)
    pictures_alike = duplicates.same_picture(_hashes(folder, digest, gallery))
    return duplicates.copies(gallery, [duplicates.alike(space) for space in spaces], pictures_alike)


@remembered(8, lasts=True, work="Looking for near-duplicates …")
def _copies_by_vectors(folder: str, digest: str) -> dict[str, str]:
    name = collection_in(folder, digest).name
    return duplicates.copies_by_vectors(name, *_gallery(folder, digest))


def _gallery(folder: str, digest: str) -> tuple[list[str], list[Gallery]]:
    """The items of a collection, and those with a vector of each version."""
    collection = collection_in(folder, digest)
    spaces = [gallery_of(model) for model in collection.models.values()]
    return collection.items["item_id"].tolist(), spaces


def _hashes(folder: str, digest: str, item_ids: Sequence[str]) -> dict[str, bytes]:
    """The picture hash of each item whose poster has enough detail for one."""
    looks = media.looks_of(collection_in(folder, digest), item_ids)
    return hashes_of(looks, lambda item, address: _hash(folder, item, address))


@remembered(20_000)
def _hash(folder: str, item_id: str, address: str) -> bytes:
    """The hash of an item's poster. address: holds the file's version, so a changed poster has a
    new hash."""
    collection = opened_in(Path(folder))
    return poster_hash(collection, item_id, media.row_of(collection, item_id))
