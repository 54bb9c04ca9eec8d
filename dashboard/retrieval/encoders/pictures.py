"""A picture → the vector that a version's picture side gives it, by ONNX networks or by a
sentence-transformers model that sees pictures."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageOps

from dashboard.retrieval.encoders import encoders, networks
from dashboard.storage.vectors.vectors import Vectors, unit_codes, unit_rows
from dashboard.storage.versions import query_side
from dashboard.storage.versions.picture_side import NETWORKS, PictureSide
from dashboard.storage.versions.versions import Model
from dashboard.tables import DataError, Findings

Array = npt.NDArray[np.float32]


def encode_picture(model: Model, picture: Image.Image, name: str) -> Vectors:
    """The vector of a picture by the picture side of a version, or its hash code, under an id.

    Raises DataError where the version has no picture side, its network cannot be run, or what it
    gives does not fit its items.
    """
    if model.picture is None:
        refused = model.settings["picture"]
        found = "a table [picture] that cannot be used" if refused else "no table [picture]"
        cure = "It can be searched with an item or a stored query."
        raise DataError(_file(model), found, "one to search with a picture", cure=cure)
    query_side.check(model)
    if model.picture.encoder != "onnx":
        values = encoders.see(model, _rgb(picture, model.picture))
    else:
        values = _through(model.picture, pixels(model.picture, picture), model.name)
    row = _fitting(model, values).reshape(1, -1)
    unit = unit_rows(row, [name], _file(model), Findings())
    if model.codes:
        signs = np.where(row < 0, -1, 1)
        return Vectors((name,), unit_codes(signs, [name], _file(model), Findings()), codes=True)
    return Vectors((name,), unit)


def vector_by(side: PictureSide, picture: Image.Image, name: str) -> Array:
    """The vector that the ONNX networks of a picture side give a picture, as they give it.

    name: of the version, for messages. Raises DataError.
    """
    return _through(side, pixels(side, picture), name)


def pixels(side: PictureSide, picture: Image.Image) -> Array:
    """A picture as the first network takes it: float32 [1, colours, height, width]."""
    how = Image.Resampling[side.resample.upper()]
    seen = _rgb(picture, side).convert(side.colours)
    if side.fit == "crop":
        laid_out = ImageOps.fit(seen, side.size, how)
    else:
        laid_out = seen.resize(side.size, how)
    values = np.asarray(laid_out, np.float32).reshape(side.size[1], side.size[0], -1)
    mean, spread = (np.asarray(of, np.float32) for of in (side.mean, side.spread))
    scaled = (values - mean) / spread
    return np.ascontiguousarray(scaled.transpose(2, 0, 1)[None], np.float32)


def _rgb(picture: Image.Image, side: PictureSide) -> Image.Image:
    """The picture without transparency: where it lets something through that is grey."""
    if not picture.has_transparency_data:
        return picture.convert("RGB")
    behind = Image.new("RGBA", picture.size, (side.background,) * 3 + (255,))
    return Image.alpha_composite(behind, picture.convert("RGBA")).convert("RGB")


def _through(side: PictureSide, values: Array, version: str) -> Array:
    """What the networks of a side make of pixels, one after the other."""
    for path in side.networks[:-1]:
        values = networks.answer_of(path, f"{NETWORKS}/{path.name}", values, kept=True)
    own = side.networks[-1]
    vector = networks.answer_of(own, f"models/{version}/{own.name}", values, kept=False)
    return np.asarray(vector, np.float32).reshape(-1)


def try_networks(model: Model) -> None:
    """Run the networks of a version, if it has any, on a grey picture; raises DataError as
    `encode_picture` does where one cannot be used."""
    if model.picture is not None and model.picture.networks:
        grey = Image.new("RGB", model.picture.size, (127, 127, 127))
        _fitting(model, _through(model.picture, pixels(model.picture, grey), model.name))


def _fitting(model: Model, vector: Array) -> Array:
    if vector.size != model.dimension:
        found = f"a picture's vector of {vector.size:,} numbers"
        raise DataError(_file(model), found, f"{model.dimension:,}, as its items have")
    return vector


def _file(model: Model) -> str:
    return f"models/{model.name}/model.toml"
