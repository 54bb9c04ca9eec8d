"""Pictures and texts in one space: a projection on each side, taught by a contrastive loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from drawings.encoders import unit

BATCH = 256


@dataclass(frozen=True)
class Recipe:
    """How one version is made. `hidden` units between picture and vector; 0: none."""

    name: str
    note: str
    dimension: int
    hidden: int
    epochs: int
    rate: float
    deals: int


RECIPES = (
    Recipe("v0.1", "Linear, 32 dimensions, 3 epochs.", 32, 0, 3, 3e-4, 1),
    Recipe("v0.2", "Linear, 64 dimensions, 25 epochs.", 64, 0, 25, 1e-3, 1),
    Recipe(
        "v0.3",
        "Two layers for pictures, 64 dimensions, 60 epochs, keywords dealt out six times.",
        64, 512, 60, 1e-3, 6,
    ),
)  # fmt: skip
BY_NAME = Recipe(
    "by-name", "Never looks at a picture: main directions of the names' vectors.", 64, 0, 0, 0, 0
)


@dataclass(frozen=True)
class Side:
    """What a trained version does: pictures and texts to unit vectors."""

    recipe: Recipe
    network: object
    text_projection: np.ndarray
    text_bias: np.ndarray

    def pictures(self, looks: np.ndarray) -> np.ndarray:
        """Unit vectors of pictures, of what the frozen encoder sees in them."""
        import torch

        with torch.no_grad():
            return unit(self.network(torch.from_numpy(widened(looks))).numpy())  # type: ignore[operator]

    def texts(self, read: np.ndarray) -> np.ndarray:
        """Unit vectors of texts, of the frozen encoder's vectors."""
        return unit(read @ self.text_projection + self.text_bias)


def by_name(names: np.ndarray) -> Side:
    """A version that knows pictures by their names alone, along the main directions of `names`."""
    directions = np.linalg.svd(names, full_matrices=False)[2][: BY_NAME.dimension].T
    return Side(BY_NAME, None, directions, np.zeros((1, BY_NAME.dimension), np.float32))


def widened(looks: np.ndarray) -> np.ndarray:
    """Unit vectors scaled so that a number in them is about 1."""
    return (looks * np.sqrt(looks.shape[1])).astype(np.float32)


def train(
    recipe: Recipe, looks: np.ndarray, read: np.ndarray, owners: Sequence[int], seed: int
) -> Side:
    """Teach a version: `read[i]` is a text of the picture `looks[owners[i]]`."""
    import torch
    from torch.nn import functional

    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    pictures, texts = torch.from_numpy(widened(looks)), torch.from_numpy(read)
    image = _image_side(recipe, looks.shape[1])
    text = torch.nn.Linear(read.shape[1], recipe.dimension)
    warmth = torch.nn.Parameter(torch.tensor(3.0))
    learned = [*image.parameters(), *text.parameters(), warmth]
    optimiser = torch.optim.AdamW(learned, lr=recipe.rate, weight_decay=0.05)
    own = [np.flatnonzero(np.asarray(owners) == place) for place in range(len(looks))]
    for _ in range(recipe.epochs):
        order = rng.permutation(len(looks))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            said = [rng.choice(own[place]) for place in batch]
            seen = functional.normalize(image(pictures[batch]), dim=1)
            meant = functional.normalize(text(texts[said]), dim=1)
            scores, right = seen @ meant.T * warmth.exp(), torch.arange(len(batch))
            loss = functional.cross_entropy(scores, right)
            loss = loss + functional.cross_entropy(scores.T, right)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    image.eval()
    weights = text.weight.detach().numpy().T.copy()
    return Side(recipe, image, weights, text.bias.detach().numpy()[None].copy())


def _image_side(recipe: Recipe, width: int):  # noqa: ANN202 (torch is imported late)
    from torch import nn

    if not recipe.hidden:
        return nn.Linear(width, recipe.dimension)
    return nn.Sequential(
        nn.LayerNorm(width),
        nn.Dropout(0.2),
        nn.Linear(width, recipe.hidden),
        nn.GELU(),
        nn.Dropout(0.3),
        nn.Linear(recipe.hidden, recipe.dimension),
    )
