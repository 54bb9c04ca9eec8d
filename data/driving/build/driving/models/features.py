"""What the frozen frame encoder sees: EfficientNet-Lite0, trained on ImageNet by others.

A clip is four pictures; each gives five vectors: the left, middle and right part of the picture,
its strongest and its mean response. Shape (4, 5, 1280).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import av
import numpy as np
from networks_build.exported import efficientnet
from PIL import Image

PICTURES = (4, 16, 30, 44)
"""Which of a clip's 48 pictures are looked at."""
SIZE = (256, 144)


def frame_encoder() -> Any:
    """The frozen network."""
    import torch

    torch.set_num_threads(1)
    return efficientnet()


def clip_features(encoder: Any, pictures: Sequence[Image.Image]) -> np.ndarray:
    """Five vectors for each picture, float16 of shape (pictures, 5, 1280)."""
    import torch

    small = [np.asarray(p.resize(SIZE, Image.Resampling.BILINEAR)) for p in pictures]
    pixels = (np.stack(small).astype(np.float32) - 127) / 128
    with torch.inference_mode():
        maps = encoder.extract_features(torch.from_numpy(pixels).permute(0, 3, 1, 2))
        return regions(maps).numpy().astype(np.float16)


def regions(maps: Any) -> Any:
    """The five vectors of each picture, of the encoder's maps: (pictures, 5, 1280), torch."""
    import torch

    below_sky = maps[:, :, 1:]
    width = below_sky.shape[3]
    left, right = width * 3 // 8, width * 5 // 8
    parts = [
        below_sky[..., :left].mean((2, 3)),
        below_sky[..., left:right].mean((2, 3)),
        below_sky[..., right:].mean((2, 3)),
        maps.amax((2, 3)),
        maps.mean((2, 3)),
    ]
    return torch.stack(parts, 1)


def film_pictures(path: Path) -> list[Image.Image]:
    """The pictures of a film that are looked at."""
    with av.open(str(path)) as film:
        decoded = list(film.decode(video=0))
    return [decoded[number].to_image() for number in PICTURES]
