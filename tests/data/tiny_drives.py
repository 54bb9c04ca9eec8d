"""Drives of a few actors, written down by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from driving.world.recordings import Actor, Recording

STEPS = 200
SIZES = {
    "car": (4.5, 1.8),
    "truck": (9.0, 2.45),
    "bicycle": (1.7, 0.65),
    "motorcycle": (2.2, 0.8),
    "walker": (0.3, 0.5),
}

State = tuple[float, float, float, float, str]
"""x, y, heading, speed, lane."""
Track = tuple[str, Callable[[int], State]]
"""A type, and its state at a step."""


def drive(*tracks: Track, kind: str = "urban") -> Recording:
    """A recording of a few tracks; the first one is the ego vehicle's."""
    shape = (STEPS, len(tracks))
    values = np.zeros((4, *shape))
    names: list[str] = []
    lane = np.zeros(shape, np.int32)
    for column, (_, track) in enumerate(tracks):
        for step in range(STEPS):
            *state, name = track(step)
            values[:, step, column] = state
            if name not in names:
                names.append(name)
            lane[step, column] = names.index(name)
    actors = tuple(
        Actor(f"{name}{i}", name, *SIZES[name], colour=i) for i, (name, _) in enumerate(tracks)
    )
    x, y, heading, speed = values
    nothing = np.zeros(shape)
    return Recording(
        "tiny", kind, actors, x, y, heading, speed, nothing, nothing.astype(int), lane, tuple(names)
    )


def straight(
    kind: str,
    x: float,
    y: float,
    speed: float,
    heading: float = 0.0,
    lane: str = "road_1",
) -> Track:
    """An actor that goes straight on for ever; speed in metres a second."""

    def state(step: int) -> State:
        gone = speed * step / 10
        return x + np.cos(heading) * gone, y + np.sin(heading) * gone, heading, speed, lane

    return kind, state


def bent(kind: str, points: Sequence[State]) -> Track:
    """An actor that is where each of its states says, and stays at the last one."""
    return kind, lambda step: points[min(step, len(points) - 1)]
