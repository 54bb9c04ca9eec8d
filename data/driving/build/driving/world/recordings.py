"""A recording: the state of every road user at every step of a simulated drive.

States are dense arrays of shape (steps, actors), NaN where an actor is not on the map, so that a
question about a window is a slice and not a search. Times are counted in steps of 0.1 s.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

STEPS_PER_SECOND = 10

OBJECT_TYPES = {
    "car": "small vehicle",
    "fast_car": "small vehicle",
    "van": "small vehicle",
    "truck": "large vehicle",
    "bus": "large vehicle",
    "motorcycle": "motorcyclist",
    "bicycle": "bicyclist",
    "walker": "pedestrian",
}
"""What the annotation calls each simulated type."""


@dataclass(frozen=True)
class Actor:
    """One road user; a vehicle's position is the middle of its front, a walker's its middle."""

    actor_id: str
    type: str
    length: float
    width: float
    colour: int

    @property
    def object_type(self) -> str:
        """The keyword of the annotation for this actor."""
        return OBJECT_TYPES[self.type]

    @property
    def front_to_centre(self) -> float:
        """Metres from the recorded position back to the middle of the body."""
        return 0.0 if self.type == "walker" else self.length / 2


@dataclass(frozen=True)
class Recording:
    """Dense states of one simulated drive; angles in radians, counter-clockwise from east."""

    name: str
    kind: str
    actors: tuple[Actor, ...]
    x: np.ndarray
    y: np.ndarray
    heading: np.ndarray
    speed: np.ndarray
    lateral: np.ndarray
    signals: np.ndarray
    lane: np.ndarray
    lanes: tuple[str, ...]
    lights: tuple[dict[str, str], ...] = ()

    @property
    def steps(self) -> int:
        """How many steps of 0.1 s were recorded."""
        return int(self.x.shape[0])

    def present(self, actor: int) -> tuple[int, int]:
        """First step and one past the last step at which an actor is on the map."""
        here = np.flatnonzero(np.isfinite(self.x[:, actor]))
        return (int(here[0]), int(here[-1]) + 1) if len(here) else (0, 0)

    def centre(self, step: int) -> np.ndarray:
        """Middles of all bodies at one step, shape (actors, 2)."""
        back = np.array([actor.front_to_centre for actor in self.actors])
        heading = self.heading[step]
        return np.column_stack(
            [self.x[step] - np.cos(heading) * back, self.y[step] - np.sin(heading) * back]
        )

    def state(self, actor: int, time: float) -> tuple[float, float, float, float, int] | None:
        """x, y, heading, speed and signals between two steps, or None if the actor is away."""
        low = int(np.floor(time))
        high = min(low + 1, self.steps - 1)
        if not (np.isfinite(self.x[low, actor]) and np.isfinite(self.x[high, actor])):
            return None
        part = time - low
        mixed = [
            float(a[low, actor] * (1 - part) + a[high, actor] * part)
            for a in (self.x, self.y, self.heading, self.speed)
        ]
        return mixed[0], mixed[1], mixed[2], mixed[3], int(self.signals[low, actor])


ARRAYS = ("x", "y", "heading", "speed", "lateral", "signals", "lane")


def save(recording: Recording, path: Path) -> None:
    """Write a recording as one compressed file of plain arrays and a JSON text."""
    about = {
        "name": recording.name,
        "kind": recording.kind,
        "actors": [list(vars(actor).values()) for actor in recording.actors],
        "lanes": recording.lanes,
        "lights": recording.lights,
    }
    arrays = {name: getattr(recording, name) for name in ARRAYS}
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, about=np.array(json.dumps(about)), **arrays)


def load(path: Path) -> Recording:
    """Read what `save` wrote."""
    with np.load(path, allow_pickle=False) as stored:
        about = json.loads(str(stored["about"]))
        arrays = {name: stored[name] for name in ARRAYS}
    return Recording(
        name=about["name"],
        kind=about["kind"],
        actors=tuple(Actor(*row) for row in about["actors"]),
        lanes=tuple(about["lanes"]),
        lights=tuple(about["lights"]),
        **arrays,
    )
