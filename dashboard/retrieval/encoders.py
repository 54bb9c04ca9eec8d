"""Vectors of typed texts, by the text side that a version's model.toml names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from dashboard.errors import DataError, list_names
from dashboard.plugins import load_named
from dashboard.retrieval.language import embed_queries, embed_texts
from dashboard.storage.settings import read_toml
from dashboard.tables import Float32Array


def encode_text(folder: Path, version: str, text: str) -> Float32Array:
    """Return the vector of a text in the space of a version's items. [1, dimension].

    Args:
        folder: Folder of the collection.
        version: Name of the version, whose model.toml names its `encoder`.
        text: What a person asks for.

    Raises:
        DataError: If the version has no text side, or its files cannot be used.
    """
    name = f"models/{version}/model.toml"
    settings = read_toml(folder / name, name)
    encoder, more = str(settings.get("encoder", "")), load_named("encoders")
    if encoder in ENCODERS:
        found = ENCODERS[encoder](folder / "models" / version, version, text)
    elif encoder in more:
        found = np.atleast_2d(more[encoder](settings, [text]))
    else:
        named = f"encoder = {encoder!r}" if encoder else "no encoder"
        expected = f"one of {list_names([*ENCODERS, *more])}, to embed a typed text"
        raise DataError(name, named, expected)
    return np.asarray(found, dtype=np.float32)


def list_sides(folder: Path, versions: Iterable[str]) -> set[str]:
    """Return "text" and "picture", each if a version's model.toml names how to embed it."""
    found, known = set(), {*ENCODERS, *load_named("encoders")}
    for version in versions:
        name = f"models/{version}/model.toml"
        settings = read_toml(folder / name, name) if (folder / name).is_file() else {}
        found |= {"text"} if settings.get("encoder") in known else set()
        found |= {"picture"} if settings.get("picture") else set()
    return found


def _project(folder: Path, version: str, text: str) -> Float32Array:
    """Return the language model's vector times the version's own learned projection."""
    name = f"models/{version}/text_projection.npy"
    vector = embed_texts([text])
    weights = _read_weights(folder / "text_projection.npy", name)
    if weights is None:
        raise DataError(name, "no such file", "the projection of text vectors")
    if weights.ndim != 2 or len(weights) != vector.shape[1]:
        raise DataError(name, f"the shape {weights.shape}", f"({vector.shape[1]}, dimension)")
    bias = _read_weights(folder / "text_bias.npy", f"models/{version}/text_bias.npy")
    return vector @ weights if bias is None else vector @ weights + bias


def _read_weights(path: Path, name: str) -> Float32Array | None:
    if not path.is_file():
        return None
    try:
        return np.asarray(np.load(path, allow_pickle=False), dtype=np.float32)
    except Exception as error:  # a damaged header raises almost any kind
        raise DataError(name, f"no array ({str(error)[:80]})", "a .npy file of numbers") from error


def _embed(folder: Path, version: str, text: str) -> Float32Array:
    """Return the vector of the version's own copy of a sentence-transformers model."""
    place = folder / "text_model"
    if not place.resolve().is_relative_to(folder.resolve()) or not place.is_dir():
        raise DataError(f"models/{version}/text_model", "no such folder", "the model of its texts")
    name = f"models/{version}/model.toml"
    prompt = read_toml(folder / "model.toml", name).get("prompt_queries", "")
    return embed_queries(place, [text], str(prompt))


ENCODERS: dict[str, Callable[[Path, str, str], Float32Array]] = {
    "minilm+projection": _project,
    "sentence-transformers": _embed,
}
"""By the setting `encoder` of model.toml: what embeds a text for the version of a folder."""
