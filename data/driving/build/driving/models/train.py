"""Three dual encoders: frozen text and frame encoders, and small projections learned here.

They differ in what they were shown and how they were taught, never in noise added afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from driving.labelling.clips import Clip
from driving.labelling.labels import DEFAULT_GROUPS
from driving.models.featurising import Featurise, frames_and_motion, one_frame

BATCH = 128


@dataclass(frozen=True)
class Recipe:
    """How one model version is made; `clips` and `nights` say what it is shown."""

    name: str
    date: str
    note: str
    dimension: int
    hidden: int
    epochs: int
    clips: int | None = None
    nights: bool = True
    motion: bool = True
    keyword_aware: bool = False
    seed: int = 0


RECIPES = (
    Recipe(
        "v0.1",
        "2026-11-21",
        "One frame a clip, a linear projection, trained on 450 simulated windows.",
        dimension=64,
        hidden=0,
        epochs=8,
        clips=450,
        motion=False,
    ),
    Recipe(
        "v0.2",
        "2026-11-21",
        "Four frames in five regions and their change, a two-layer projection, trained on daytime "
        "windows only: it has never seen a night.",
        dimension=128,
        hidden=384,
        epochs=30,
        nights=False,
    ),
    Recipe(
        "v0.3",
        "2026-11-21",
        "As v0.2, trained on day and night with a loss that counts clips with shared keywords "
        "as partly alike.",
        dimension=128,
        hidden=384,
        epochs=30,
        keyword_aware=True,
    ),
)


@dataclass(frozen=True)
class Vectors:
    """A trained version: vectors of the gallery, and what both sides learned.

    items (clips, dimension); text_projection (384, dimension); what an encoder's pictures are made
    into, and the layers (torch) that take it from there.
    """

    items: np.ndarray
    text_projection: np.ndarray
    featurise: Featurise
    image_side: Any


def overlap(clips: Sequence[Clip]) -> np.ndarray:
    """How alike clips are: squared share of common object and behaviour keywords, (n, n)."""
    words = sorted({p for c in clips for p in c.pairs() if p[0] in DEFAULT_GROUPS})
    table = np.array([[pair in clip.pairs() for pair in words] for clip in clips], float)
    common = table @ table.T
    either = table.sum(axis=1)[:, None] + table.sum(axis=1)[None] - common
    return ((common / np.maximum(either, 1)) ** 2).astype(np.float32)


def contrastive(image: Any, text: Any, scale: Any, alike: Any) -> Any:
    """Each clip should be nearest to its own caption, and the caption to its clip.

    With `alike` (n, n), the wanted nearness is shared among clips with common keywords, and clips
    are compared with each other too.
    """
    import torch

    logits = image @ text.T * scale
    if alike is None:
        own = torch.arange(len(image))
        cross = torch.nn.functional.cross_entropy
        return (cross(logits, own) + cross(logits.T, own)) / 2

    def soft(wanted: Any, given: Any) -> Any:
        return -(wanted / (wanted.sum(1, keepdim=True) + 1e-6) * given.log_softmax(1)).sum(1).mean()

    itself = torch.eye(len(image), dtype=torch.bool)
    between = (image @ image.T * scale).masked_fill(itself, -1e4)
    others = alike.masked_fill(itself, 0.0)
    return (soft(alike, logits) + soft(alike, logits.T)) / 2 + soft(others, between) / 2


def projection(inputs: int, recipe: Recipe) -> Any:
    """The learned layers on the side of the pictures."""
    from torch.nn import GELU, Dropout, Linear, Sequential

    if not recipe.hidden:
        return Linear(inputs, recipe.dimension)
    return Sequential(
        Dropout(0.3),
        Linear(inputs, recipe.hidden),
        GELU(),
        Dropout(0.3),
        Linear(recipe.hidden, recipe.dimension),
    )


def train(
    recipe: Recipe,
    features: np.ndarray,
    captions: np.ndarray,
    alike: np.ndarray,
) -> tuple[Any, np.ndarray]:
    """Teach one version: its layers for pictures (torch), its text projection (384, dimension).

    features (n, inputs), captions (n, captions, 384), alike (n, n).
    """
    import torch

    torch.manual_seed(recipe.seed)
    torch.set_num_threads(1)
    image_side = projection(features.shape[1], recipe)
    text_side = torch.nn.Linear(captions.shape[2], recipe.dimension, bias=False)
    scale = torch.nn.Parameter(torch.tensor(2.6))
    learned = [*image_side.parameters(), *text_side.parameters(), scale]
    optimiser = torch.optim.AdamW(learned, lr=1e-3, weight_decay=0.1)
    x, said, near = (torch.from_numpy(a) for a in (features, captions, alike))
    unit = torch.nn.functional.normalize
    for _ in range(recipe.epochs):
        image_side.train()
        order = torch.randperm(len(x))
        for begin in range(0, len(x) - BATCH + 1, BATCH):
            batch = order[begin : begin + BATCH]
            which = torch.randint(0, said.shape[1], (len(batch),))
            image = unit(image_side(x[batch]), dim=1)
            text = unit(text_side(said[batch, which]), dim=1)
            wanted = near[batch][:, batch] if recipe.keyword_aware else None
            loss = contrastive(image, text, scale.exp().clamp(max=30), wanted)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    matrix = text_side.weight.detach().T.contiguous().numpy()
    return image_side.eval(), matrix.astype(np.float32)


def see(image_side: Any, gallery: np.ndarray) -> np.ndarray:
    """Unit vectors of clips, float32: gallery (items, inputs)."""
    import torch

    with torch.no_grad():
        seen = image_side(torch.from_numpy(gallery))
        return torch.nn.functional.normalize(seen, dim=1).numpy().astype(np.float32)


def train_version(
    recipe: Recipe,
    clips: Sequence[Clip],
    features: np.ndarray,
    captions: np.ndarray,
    gallery: np.ndarray,
) -> Vectors:
    """Pick what a recipe is shown, and teach it."""
    shown = [i for i, c in enumerate(clips) if recipe.nights or "nighttime" not in c.weather]
    shown = shown[: recipe.clips]
    mine = features[shown]
    featurise = (frames_and_motion if recipe.motion else one_frame)(mine)
    alike = overlap([clips[i] for i in shown])
    image_side, matrix = train(recipe, featurise(mine), captions[shown], alike)
    return Vectors(see(image_side, featurise(gallery)), matrix, featurise, image_side)
