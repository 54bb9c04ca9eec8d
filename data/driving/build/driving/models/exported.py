"""The picture side of a version for one still, as a network that ends the shared one.

A still is taken as a clip of four equal pictures. Then nothing changes from picture to picture, and
the mean picture is the last one: of the first layer only the weights of these two views are kept,
added up.
"""

from __future__ import annotations

from typing import Any

from networks_build.exported import BODY, CHANNELS, PictureSide

from driving.models.features import SIZE, regions
from driving.models.featurising import COMPONENTS, FramesAndMotion, OneFrame
from driving.models.train import Vectors

REGIONS = 5
MAPS = (1, CHANNELS, 4, 8)
"""What the shared network makes of a picture of 256 × 144 pixels."""
SETTINGS = {
    "before": BODY,
    "size": list(SIZE),
    "resample": "bilinear",
    "fit": "stretch",
    "colours": "RGB",
    "mean": 127.0,
    "spread": 128.0,
    "background": 255,
}


def picture_side(vectors: Vectors) -> PictureSide:
    """The picture side of a trained version."""
    from torch.nn import Dropout, Sequential

    if isinstance(vectors.featurise, OneFrame):
        layers = [_standardised(vectors.featurise), vectors.image_side]
    else:
        learned = [layer for layer in vectors.image_side if not isinstance(layer, Dropout)]
        layers = [_principal(vectors.featurise), _of_a_still(learned[0]), *learned[1:]]
    return PictureSide(Sequential(*layers), MAPS, SETTINGS)


def _of_a_still(layer: Any) -> Any:
    """The first layer, with the weights of mean and last picture added up and no others."""
    import torch

    views = layer.weight.detach()[:, : 2 * REGIONS * COMPONENTS]
    kept = torch.nn.Linear(REGIONS * COMPONENTS, layer.out_features)
    with torch.no_grad():
        kept.weight.copy_(views[:, : REGIONS * COMPONENTS] + views[:, REGIONS * COMPONENTS :])
        kept.bias.copy_(layer.bias)
    return kept


def _standardised(featurise: OneFrame) -> Any:
    """Maps to what v0.1's projection is given."""
    import torch

    class Standardised(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.mean, self.spread = map(torch.from_numpy, (featurise.mean, featurise.spread))

        def forward(self, maps: Any) -> Any:
            return (maps.mean((2, 3)) - self.mean) / self.spread

    return Standardised()


def _principal(featurise: FramesAndMotion) -> Any:
    """Maps to the principal parts of the five regions, (1, 5 × 192)."""
    import torch

    class Principal(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.mean = torch.from_numpy(featurise.mean)
            self.turn = torch.from_numpy(featurise.turn).float()

        def forward(self, maps: Any) -> Any:
            return ((regions(maps) - self.mean) @ self.turn).clamp(-4, 4).flatten(1)

    return Principal()
