"""A picture → the vector that a version's picture side gives it, by ONNX networks or by a
sentence-transformers model that sees pictures."""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageOps

from dashboard.retrieval import encoders
from dashboard.storage.files import Vectors
from dashboard.storage.files.codes import unit_codes
from dashboard.storage.files.vectors import unit_rows
from dashboard.storage.findings import Findings
from dashboard.storage.pictures import PictureSide
from dashboard.storage.versions import Model
from dashboard.tables import DataError

Array = npt.NDArray[np.float32]
SESSIONS = 16
"""So many networks stay loaded: the versions of a collection and what they share."""
_one_at_a_time = threading.Lock()


def encode_picture(model: Model, picture: Image.Image, name: str) -> Vectors:
    """The vector of a picture by the picture side of a version, or its hash code, under an id.

    Raises DataError where the version has no picture side, its network cannot be run, or what it
    gives does not fit its items.
    """
    file = f"models/{model.name}/model.toml"
    if model.picture is None:
        cure = "It can be searched with an item or a stored query."
        raise DataError(file, "no table [picture]", "one to search with a picture", cure=cure)
    if model.picture.encoder == "sentence-transformers":
        values = encoders.see(model, _rgb(picture, model.picture))
    else:
        values = _through(model.picture, pixels(model.picture, picture), model.name)
    if values.size != model.dimension:
        found = f"a picture's vector of {values.size:,} numbers"
        raise DataError(file, found, f"{model.dimension:,}, as its items have")
    row = values.reshape(1, -1)
    unit = unit_rows(row, [name], file, Findings())
    if model.codes:
        signs = np.where(row < 0, -1, 1)
        return Vectors((name,), unit_codes(signs, [name], file, Findings()), codes=True)
    return Vectors((name,), unit)


def pixels(side: PictureSide, picture: Image.Image) -> Array:
    """A picture as the first network takes it: float32 [1, colours, height, width]."""
    how = Image.Resampling[side.resample.upper()]
    seen = _rgb(picture, side).convert(side.colours)
    if side.fit == "crop":
        laid_out = ImageOps.fit(seen, side.size, how)
    else:
        laid_out = seen.resize(side.size, how)
    values = np.asarray(laid_out, np.float32).reshape(side.size[1], side.size[0], -1)
    scaled = (values - np.float32(side.mean)) / np.float32(side.spread)
    return np.ascontiguousarray(scaled.transpose(2, 0, 1)[None], np.float32)


def _rgb(picture: Image.Image, side: PictureSide) -> Image.Image:
    """The picture without transparency: where it lets something through that is grey."""
    if not picture.has_transparency_data:
        return picture.convert("RGB")
    behind = Image.new("RGBA", picture.size, (side.background,) * 3 + (255,))
    return Image.alpha_composite(behind, picture.convert("RGBA")).convert("RGB")


def _through(side: PictureSide, values: Array, version: str) -> Array:
    """What the networks of a side make of pixels, one after the other."""
    for path in side.networks:
        try:
            with _one_at_a_time:
                values = _session(path, path.stat().st_mtime_ns).run(values)
        except Exception as error:  # onnxruntime raises classes of its own without a common parent
            reason = " ".join(str(error).split())[:200]
            raise DataError(
                f"models/{version}: {path.name}",
                f"a network that cannot be run ({reason})",
                f"ONNX with one input of the shape {list(values.shape)}",
            ) from error
    return np.asarray(values, np.float32).reshape(-1)


class _Network:
    """A loaded network; the last answer is kept, as versions ask a shared one for the same."""

    def __init__(self, path: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        self._session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
        self._input = self._session.get_inputs()[0].name
        self._last: tuple[Array, Any] | None = None

    def run(self, values: Array) -> Any:
        if self._last is None or not np.array_equal(self._last[0], values):
            self._last = values, self._session.run(None, {self._input: values})[0]
        return self._last[1]


@lru_cache(maxsize=SESSIONS)
def _session(path: Path, written: int) -> _Network:
    return _Network(path)
