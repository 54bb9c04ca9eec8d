"""The keywords of a window, derived from recorded states alone.

Only the one or two most salient actors of a window are labelled: in a town, every window would
otherwise contain every keyword.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from driving.labelling.behaviours import (
    CROSSING,
    ENTERING,
    OPPOSITE_DIRECTION,
    SAME_DIRECTION,
    STATIONARY,
    TURNING_ACROSS,
    behaviours,
    relation,
)
from driving.labelling.geometry import (
    WINDOW,
    Passage,
    Sight,
    ego_path,
    open_sight,
    passages,
    touched,
)
from driving.labelling.scenes import Place, ego_behavior, scene
from driving.world.recordings import Recording

GROUPS = (
    "pv_object_type",
    "pv_actor_behavior",
    "pv_spatial_relation",
    "pv_ego_behavior",
    "pv_scene_type",
)
DEFAULT_GROUPS = GROUPS[:2]
"""What a query is usually judged by."""
VULNERABLE = ("pedestrian", "bicyclist", "motorcyclist")
WEIGHT = {
    TURNING_ACROSS: 3.5,
    ENTERING: 3.0,
    CROSSING: 3.0,
    STATIONARY: 1.0,
    SAME_DIRECTION: 1.0,
    OPPOSITE_DIRECTION: 0.8,
}
"""How much an actor's behaviour draws the eye."""
MARGIN = 60
"""Steps of the ego's track that must follow a window, so that its path is known."""


@dataclass(frozen=True)
class SalientActor:
    """One actor that a window is about."""

    actor: int
    object_type: str
    behaviours: tuple[str, ...]
    relation: str
    distance: float
    score: float


@dataclass(frozen=True)
class Label:
    """A window of a recording and what is true in it."""

    recording: str
    ego: int
    start: int
    actors: tuple[SalientActor, ...]
    ego_behavior: str
    scene: tuple[str, ...]

    def keywords(self) -> dict[str, list[str]]:
        """The annotation of the window: group to keywords, the main actor's first."""

        def unique(words: list[str]) -> list[str]:
            return list(dict.fromkeys(words))

        return {
            "pv_object_type": unique([a.object_type for a in self.actors]),
            "pv_actor_behavior": unique([b for a in self.actors for b in a.behaviours]),
            "pv_spatial_relation": unique([a.relation for a in self.actors]),
            "pv_ego_behavior": [self.ego_behavior],
            "pv_scene_type": list(self.scene),
        }


def salience(kinds: tuple[str, ...], object_type: str, where: str, distance: float) -> float:
    """How much an actor draws the eye: what it does, what it is, where, and how near."""
    weight = WEIGHT[kinds[0]] * (3.0 if object_type in VULNERABLE else 1.5)
    if where == "corridor front":
        weight *= 1.4
    elif kinds[0] == STATIONARY:
        weight *= 0.5
    return weight * math.exp(-distance / 28)


def salient_actor(
    number: int, passage: Passage, object_type: str, kind: str
) -> SalientActor | None:
    """An actor's keywords, or None if it is seen too little, too far away or does nothing."""
    if passage.visible.sum() < 0.4 * passage.samples:
        return None
    distance = float(passage.distance[passage.visible].min())
    if distance > (30 if object_type == "large vehicle" or kind == "highway" else 22):
        return None
    kinds, where = behaviours(passage, object_type), relation(passage)
    if not kinds or where is None:
        return None
    score = salience(kinds, object_type, where, distance)
    return SalientActor(number, object_type, kinds, where, round(distance, 2), round(score, 4))


def most_salient(actors: list[SalientActor]) -> tuple[SalientActor, ...]:
    """The most salient actor, and the second if it is nearly as salient and of another type."""
    ranked = sorted(actors, key=lambda one: (-one.score, one.actor))
    for other in ranked[1:3]:
        if other.score > 0.8 * ranked[0].score and other.object_type != ranked[0].object_type:
            return ranked[0], other
    return tuple(ranked[:1])


def label_window(
    recording: Recording, ego: int, start: int, place: Place, sight: Sight = open_sight
) -> Label | None:
    """The label of one window, or None where nobody salient does anything worth a keyword."""
    path = ego_path(recording, ego, start)
    found = []
    for number, passage in passages(recording, ego, start, path, sight).items():
        one = salient_actor(number, passage, recording.actors[number].object_type, place.kind)
        if one is not None:
            found.append(one)
    if not found or touched(recording, ego, start):
        return None
    return Label(
        recording.name,
        ego,
        start,
        most_salient(found),
        ego_behavior(recording, ego, start),
        scene(recording, ego, start, path, place),
    )


def windows(recording: Recording, every: int, seed: int) -> Iterator[tuple[int, int]]:
    """Ego vehicles (cars) and starts of windows on their tracks, `every` steps apart."""
    rng = np.random.default_rng(seed)
    for ego, actor in enumerate(recording.actors):
        first, end = recording.present(ego)
        if actor.type not in ("car", "fast_car") or end - first < 160:
            continue
        if not np.isfinite(recording.x[first:end, ego]).all():
            continue
        begin = first + 10 + int(rng.integers(every))
        for start in range(begin, end - WINDOW - MARGIN, every):
            yield ego, start


def mine(
    recording: Recording, place: Place, sight: Sight = open_sight, every: int = 15, seed: int = 0
) -> list[Label]:
    """The labels of all windows of a recording in which something happens."""
    found = (
        label_window(recording, ego, start, place, sight)
        for ego, start in windows(recording, every, seed)
    )
    return [label for label in found if label is not None]
