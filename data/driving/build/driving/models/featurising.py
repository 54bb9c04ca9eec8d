"""What a projection is given of a clip: numbers made of what the frame encoder sees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

COMPONENTS = 192
CHANGING = 4
"""The regions whose change from picture to picture is looked at: all but the last."""


@dataclass(frozen=True)
class OneFrame:
    """The mean response of a clip's second picture, standardised by the training clips."""

    mean: np.ndarray
    spread: np.ndarray

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """(clips, 4, 5, 1280) → (clips, 1280)."""
        picked = x[:, 1, 4].astype(np.float32)
        return ((picked - self.mean) / self.spread).astype(np.float32)


@dataclass(frozen=True)
class FramesAndMotion:
    """Principal parts of all regions: mean, last picture, and change from picture to picture."""

    mean: np.ndarray
    turn: np.ndarray

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """(clips, 4, 5, 1280) → (clips, inputs): two views of 5 regions, two of 4."""
        parts = ((x.astype(np.float32) - self.mean) @ self.turn).clip(-4, 4)
        moved = parts[:, :, :CHANGING]
        change = moved[:, 1:] - moved[:, :-1]
        views = (parts.mean(axis=1), parts[:, -1], change.mean(axis=1), np.abs(change).mean(axis=1))
        return np.concatenate([v.reshape(len(x), -1) for v in views], axis=1).astype(np.float32)


Featurise = OneFrame | FramesAndMotion


def one_frame(training: np.ndarray) -> OneFrame:
    """Standardised by these clips."""
    picked = training[:, 1, 4].astype(np.float32)
    return OneFrame(picked.mean(axis=0), picked.std(axis=0) + 1e-3)


def frames_and_motion(training: np.ndarray) -> FramesAndMotion:
    """Along the principal components of these clips' regions."""
    flat = training.reshape(-1, training.shape[-1])[::3].astype(np.float32)
    rows = np.random.default_rng(0).permutation(len(flat))[:4000]
    mean = flat.mean(axis=0)
    _, size, axes = np.linalg.svd(flat[rows] - mean, full_matrices=False)
    scale = size[:COMPONENTS] / np.sqrt(len(rows)) + 1e-6
    return FramesAndMotion(mean, axes[:COMPONENTS].T / scale)
