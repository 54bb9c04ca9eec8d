"""A picture and feedbacks in one vector of 128 numbers: three ways to compose them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from drawings.encoders import unit
from drawings.learning.matching import widened

DIMENSION = 128
BATCH = 256


@dataclass(frozen=True)
class Lesson:
    """Training queries: rows of pictures and texts, and which pictures fulfil each query."""

    picture: np.ndarray
    text: np.ndarray
    fulfilled: np.ndarray


@dataclass(frozen=True)
class Recipe:
    """How one version composes. Without epochs nothing is learned: the picture alone."""

    name: str
    note: str
    gated: bool
    epochs: int


RECIPES = (
    Recipe("v0.1", "Image only: principal components, the feedbacks are ignored.", False, 0),
    Recipe("v0.2", "Additive: a projection of the picture plus one of the feedbacks.", False, 8),
    Recipe("v0.3", "Gated residual: the feedbacks decide what of the picture stays.", True, 16),
)


def principal(looks: np.ndarray, training: np.ndarray) -> np.ndarray:
    """The pictures along the 128 main directions of the training pictures, unit rows."""
    centre = looks[training].mean(0)
    directions = np.linalg.svd(looks[training] - centre, full_matrices=False)[2][:DIMENSION]
    return unit((looks - centre) @ directions.T)


def composer(gated: bool, wide: int, read: int):  # noqa: ANN201 (torch is imported late)
    """The network: `picture(x)` for the gallery, `forward(x, text)` for queries."""
    import torch
    from torch import nn

    class Composer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.image, self.text = nn.Linear(wide, DIMENSION), nn.Linear(read, DIMENSION)
            self.warmth = nn.Parameter(torch.tensor(3.0))
            both = 2 * DIMENSION
            self.gate, self.residual = (
                nn.Sequential(nn.Linear(both, both), nn.ReLU(), nn.Linear(both, DIMENSION))
                for _ in range(2)
            )

        def picture(self, seen: torch.Tensor) -> torch.Tensor:
            return nn.functional.normalize(self.image(seen), dim=1)

        def forward(self, seen: torch.Tensor, said: torch.Tensor) -> torch.Tensor:
            image, text = self.image(seen), self.text(said)
            if gated:
                both = torch.cat([image, text], 1)
                kept = torch.sigmoid(self.gate(both)) * image
                return nn.functional.normalize(kept + self.residual(both), dim=1)
            return nn.functional.normalize(image + text, dim=1)

    return Composer()


def train(recipe: Recipe, looks: np.ndarray, read: np.ndarray, lesson: Lesson, seed: int) -> object:
    """Teach a composer: a query shall find a picture that fulfils it among those of its batch.

    `looks` are all pictures, `read` all texts; other pictures that fulfil the query are no mistake.
    """
    import torch
    from torch.nn import functional

    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    network = composer(recipe.gated, looks.shape[1], read.shape[1])
    optimiser = torch.optim.AdamW(network.parameters(), lr=1e-3, weight_decay=0.05)
    pictures, texts = torch.from_numpy(widened(looks)), torch.from_numpy(read)
    for _ in range(recipe.epochs):
        order = rng.permutation(len(lesson.picture))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            batch = order[start : start + BATCH]
            fulfilled = lesson.fulfilled[batch]
            target = np.array([rng.choice(np.flatnonzero(row)) for row in fulfilled])
            asked = network(pictures[lesson.picture[batch]], texts[lesson.text[batch]])
            scores = asked @ network.picture(pictures[target]).T * network.warmth.exp()
            also = fulfilled[:, target] & ~np.eye(len(batch), dtype=bool)
            scores = scores.masked_fill(torch.from_numpy(also), -1e4)
            loss = functional.cross_entropy(scores, torch.arange(len(batch)))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return network.eval()


def compose(
    recipe: Recipe,
    looks: np.ndarray,
    read: np.ndarray,
    lesson: Lesson,
    asked: Sequence[np.ndarray],
    seed: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors of all pictures, and of the queries `asked` = (picture rows, text rows)."""
    import torch

    rows, said = asked
    if not recipe.epochs:
        gallery = principal(looks, np.unique(lesson.picture))
        return gallery, gallery[rows]
    network = train(recipe, looks, read, lesson, seed)
    pictures, texts = torch.from_numpy(widened(looks)), torch.from_numpy(read)
    with torch.no_grad():
        gallery = network.picture(pictures).numpy()  # type: ignore[attr-defined]
        queries = network(pictures[rows], texts[said]).numpy()  # type: ignore[operator]
    return unit(gallery), unit(queries)
