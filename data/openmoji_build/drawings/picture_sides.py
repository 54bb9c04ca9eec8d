"""How the versions see a picture that is uploaded: what they learned, as networks.

Drawings go through the shared network first. A digit is a picture of 8 × 8 squares, each as dark as
one of its 64 values from 0 to 16.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from networks_build.exported import BODY, CHANNELS, PictureSide

from drawings.encoders import LOOKED_AT, look
from drawings.learning.codes import Anchors, Encode
from drawings.learning.matching import Side
from drawings.pictures import BRIGHTEST, ENLARGED

MAPS = (1, CHANNELS, 5, 5)
"""What the shared network makes of a drawing."""
LAID_OUT = {
    "before": BODY,
    "size": [LOOKED_AT, LOOKED_AT],
    "resample": "bicubic",
    "fit": "stretch",
    "colours": "RGB",
    "mean": 127.0,
    "spread": 128.0,
    "background": 255,
}
PIXELS = 8 * ENLARGED
DIGIT = {
    "size": [PIXELS, PIXELS],
    "resample": "bilinear",
    "fit": "stretch",
    "colours": "L",
    "mean": 0.0,
    "spread": 255.0,
    "background": 255,
}


def of_matching(side: Side) -> PictureSide:
    """The picture side of a version that matches pictures and texts."""
    from torch import nn

    return PictureSide(nn.Sequential(_seen(widen=True), side.network), MAPS, LAID_OUT)


def of_codes(encode: Encode) -> PictureSide:
    """What makes a drawing's code, up to the signs."""
    from torch import nn

    return PictureSide(nn.Sequential(_seen(), _sums(encode)), MAPS, LAID_OUT)


def of_digit_codes(encode: Encode, anchors: Anchors) -> PictureSide:
    """What makes a digit's code, up to the signs."""
    from torch import nn

    network = nn.Sequential(_values(), _near(anchors), _sums(encode))
    return PictureSide(network, (1, 1, PIXELS, PIXELS), DIGIT)


def _seen(widen: bool = False) -> Any:
    """The shared network's maps to a unit vector, or to one whose numbers are about 1."""
    import torch

    class Seen(torch.nn.Module):
        def forward(self, maps: Any) -> Any:
            vector = torch.nn.functional.normalize(look(maps), dim=1)
            return vector * vector.shape[1] ** 0.5 if widen else vector

    return Seen()


def _sums(encode: Encode) -> Any:
    """The sums whose signs are a code, as one layer; computed exactly before it is rounded."""
    import torch

    matrix = np.asarray(encode.matrix, np.float64) / encode.spread
    bias = encode.bias - np.asarray(encode.centre, np.float64) @ matrix
    layer = torch.nn.Linear(*matrix.shape)
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(matrix.T.copy()))
        layer.bias.copy_(torch.from_numpy(bias))
    return layer


def _values() -> Any:
    """A picture from 0 (black) to 1 to a digit's 64 whole numbers from 0 to 16."""
    import torch

    class Values(torch.nn.Module):
        def forward(self, picture: Any) -> Any:
            squares = torch.nn.functional.avg_pool2d(picture, ENLARGED)
            return torch.round(BRIGHTEST * (1 - squares)).flatten(1)

    return Values()


def _near(made: Anchors) -> Any:
    """A digit's values to how near they are to each anchor."""
    import torch

    class Near(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.anchors = torch.from_numpy(made.anchors.astype(np.float32))

        def forward(self, values: Any) -> Any:
            squares = ((values[:, None] - self.anchors) ** 2).sum(2)
            return torch.exp(-squares / float(made.width))

    return Near()
