"""Hash codes of −1 and +1 by three methods; all learn from the training part alone.

lsh         signs of random projections of centred vectors
itq         principal components, rotated so that their signs lose little (Gong and Lazebnik, 2011)
supervised  the bottleneck of a network that tells the classes apart
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

BITS = (16, 32, 64)
TURNS = 50
EPOCHS = 150


@dataclass(frozen=True)
class Encode:
    """Signs of so many sums of centred numbers; every method comes down to this.

    centre (numbers,), matrix (numbers, bits), bias (bits,) or 0.
    """

    centre: np.ndarray
    matrix: np.ndarray
    spread: float = 1.0
    bias: np.ndarray | float = 0.0

    def __call__(self, vectors: np.ndarray) -> np.ndarray:
        """Codes of rows of vectors, int8."""
        return signs((vectors - self.centre) / self.spread @ self.matrix + self.bias)


def signs(values: np.ndarray) -> np.ndarray:
    """−1 and +1 as int8; zero counts as +1.

    >>> signs(np.array([-0.5, 0.0, 2.0])).tolist()
    [-1, 1, 1]
    """
    return np.where(values >= 0, 1, -1).astype(np.int8)


def lsh(training: np.ndarray, bits: int, seed: int) -> Encode:
    """Random hyperplanes through the middle of the training vectors."""
    centre = training.mean(0)
    planes = np.random.default_rng(seed).normal(size=(training.shape[1], bits))
    return Encode(centre, planes)


def itq(training: np.ndarray, bits: int, seed: int) -> Encode:
    """Iterative quantisation: turn the main directions until their signs fit best."""
    centre = training.mean(0)
    directions = np.linalg.svd(training - centre, full_matrices=False)[2][:bits].T
    reduced = (training - centre) @ directions
    start = np.random.default_rng(seed).normal(size=(bits, bits))
    turn = np.linalg.qr(start)[0]
    for _ in range(TURNS):
        left, _, right = np.linalg.svd(reduced.T @ signs(reduced @ turn))
        turn = left @ right
    return Encode(centre, directions @ turn)


def supervised(training: np.ndarray, classes: list[str], bits: int, seed: int) -> Encode:
    """Signs of a layer of so many units from which the class is told, pushed away from zero."""
    import torch
    from torch import nn

    torch.manual_seed(seed)
    centre, spread = training.mean(0), training.std()
    names = sorted(set(classes))
    right = torch.tensor([names.index(one) for one in classes])
    seen = torch.from_numpy(((training - centre) / spread).astype(np.float32))
    layer = nn.Linear(training.shape[1], bits)
    network = nn.Sequential(layer, nn.Tanh(), nn.Linear(bits, len(names)))
    optimiser = torch.optim.AdamW(network.parameters(), lr=1e-3, weight_decay=0.1)
    for _ in range(EPOCHS):
        inner = torch.tanh(layer(seen))
        loss = nn.functional.cross_entropy(network[2](inner), right)
        loss = loss + 0.05 * (1 - inner.abs()).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    weights, bias = layer.weight.detach().numpy().T, layer.bias.detach().numpy()
    return Encode(centre, weights, spread, bias)


@dataclass(frozen=True)
class Anchors:
    """How near a vector is to each anchor, 0 to 1: more directions than a small picture has.

    `width` is the squared distance at which nearness has fallen to 1 ÷ e.
    """

    anchors: np.ndarray
    width: float

    def near(self, vectors: np.ndarray) -> np.ndarray:
        """(vectors, numbers) → (vectors, anchors)."""
        return np.exp(-np.maximum(squares(vectors, self.anchors), 0) / self.width)


def squares(vectors: np.ndarray, anchors: np.ndarray) -> np.ndarray:
    """Squared distances of each vector to each anchor."""
    return (vectors**2).sum(1)[:, None] + (anchors**2).sum(1) - 2 * vectors @ anchors.T


def anchored(vectors: np.ndarray, anchors: np.ndarray) -> Anchors:
    """Anchors whose width is the mean squared distance of these vectors to them."""
    return Anchors(anchors, squares(vectors, anchors).mean())


def methods(training: np.ndarray, classes: list[str], seed: int) -> dict[str, tuple[str, Encode]]:
    """Every version: its name → what it is, and what makes its codes."""
    made: dict[str, tuple[str, Encode]] = {}
    for bits in BITS:
        made[f"lsh-{bits}"] = (f"{bits} random hyperplanes.", lsh(training, bits, seed))
        made[f"itq-{bits}"] = (f"Iterative quantisation, {bits} bits.", itq(training, bits, seed))
        made[f"supervised-{bits}"] = (
            f"Bottleneck of {bits} units that tells the training part's classes apart.",
            supervised(training, classes, bits, seed),
        )
    return made
