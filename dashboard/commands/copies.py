"""Which items of a collection are near-duplicates, as the screens find them."""

from __future__ import annotations

from dashboard.evaluation import duplicates
from dashboard.storage.collection import Collection
from dashboard.storage.media.hashes import hashes_of, poster_hash


def copies_of(collection: Collection) -> dict[str, str]:
    """Each item of the gallery that is a copy → the first item that it is a copy of.

    Raises DataError for a gallery that is too large to compare each item with each.
    """
    return duplicates.copies_in(
        collection.name,
        collection.items["item_id"].tolist(),
        [(model.items.ids, model.items.matrix) for model in collection.models.values()],
        lambda ids: hashes_of(collection, ids, lambda item, _: poster_hash(collection, item)),
    )
