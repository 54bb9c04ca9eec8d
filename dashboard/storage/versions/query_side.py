"""Whether a version's query side, which embeds typed texts and uploads, is what embedded its
items."""

from __future__ import annotations

from dashboard.storage.collection import digests
from dashboard.storage.versions.versions import TEXT_MODEL, Model, text_side
from dashboard.tables import DataError

KEY = "encoder_digest"


def fingerprint(model: Model) -> str:
    """The fingerprint of all that embeds texts and pictures for a version."""
    folder = model.folder / TEXT_MODEL
    inside = folder.is_dir() and folder.resolve().is_relative_to(model.folder.resolve())
    return digests.of_values(
        model.encoder,
        digests.of_folder(folder) if inside else "",
        model.picture.digest if model.picture else "",
        model.settings["endpoint"],
        model.settings["endpoint_model"],
        *text_side(model.folder, model.settings),
    )


def check(model: Model) -> None:
    """Raise DataError where a version's query side is not the one on record: its vectors would mean
    something else than those of the items."""
    recorded = str(model.settings[KEY])
    if recorded and recorded != fingerprint(model):
        found = "a query side that differs from what embedded the items"
        cure = "Put its files and settings back, or embed the collection anew."
        wanted = f"what {KEY} records"
        raise DataError(f"models/{model.name}/model.toml", found, wanted, cure=cure)
