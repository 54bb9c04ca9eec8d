"""What the ego vehicle does and where it is: the keywords that are not about an actor."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from driving.labelling.geometry import PIECE, WINDOW, Path
from driving.world.recordings import Recording

BEFORE_JUNCTION = 20.0
"""A car that will be on a junction after this many metres already is at the intersection."""


@dataclass(frozen=True)
class Place:
    """What labelling has to know about a map."""

    kind: str
    junctions: frozenset[str]
    crossings: np.ndarray


def ego_lanes(recording: Recording, ego: int, start: int, end: int) -> list[str]:
    """The lanes that the ego was on between two steps, in order, without repeats."""
    codes = recording.lane[start:end, ego]
    names = [recording.lanes[code] for code in codes if code >= 0]
    return [name for i, name in enumerate(names) if i == 0 or name != names[i - 1]]


def ego_behavior(recording: Recording, ego: int, start: int) -> str:
    """ego stationary (below 0.4 m/s throughout), ego turning (38 degrees or more at a junction),
    ego lane change (onto another lane of the same road), else proceeding straight."""
    window = slice(start, start + WINDOW)
    if recording.speed[window, ego].max() < 0.4:
        return "ego stationary"
    lanes = ego_lanes(recording, ego, start, start + WINDOW)
    heading = recording.heading[window, ego]
    junction = any(lane.startswith(":") for lane in lanes)
    if junction and abs(float(heading[-1] - heading[0])) > math.radians(38):
        return "ego turning"
    roads = [lane.rsplit("_", 1)[0] for lane in lanes if not lane.startswith(":")]
    changed = any(a == b for a, b in zip(roads, roads[1:], strict=False))
    return "ego lane change" if changed else "proceeding straight"


def at_junction(recording: Recording, ego: int, start: int, place: Place) -> bool:
    """Whether the ego is on a town's junction of three arms or more, or within 20 m before it."""
    _, end = recording.present(ego)
    steps = np.arange(start, end)
    moves = np.hypot(np.diff(recording.x[steps, ego]), np.diff(recording.y[steps, ego]))
    gone = np.concatenate([[0.0], np.cumsum(moves)])
    last = int(np.searchsorted(gone, gone[WINDOW - 1] + BEFORE_JUNCTION))
    lanes = ego_lanes(recording, ego, start, start + last + 1)
    return place.kind == "urban" and any(
        lane.startswith(":") and lane[1:].rsplit("_", 2)[0] in place.junctions for lane in lanes
    )


def at_crosswalk(path: Path, place: Place) -> bool:
    """Whether a marked crossing lies on the ego's path, 2 to 25 m ahead at the clip's start."""
    if not len(place.crossings):
        return False
    points = path.points[int(2 / PIECE) : int(25 / PIECE)]
    gaps = np.linalg.norm(place.crossings[:, None] - points[None], axis=2)
    return bool(gaps.min() < 3)


def on_bend(recording: Recording, ego: int, start: int) -> bool:
    """Whether the ego follows one road, outside junctions, that bends by 15 degrees or more."""
    lanes = ego_lanes(recording, ego, start, start + WINDOW)
    if any(lane.startswith(":") for lane in lanes) or len(lanes) != 1:
        return False
    heading = recording.heading[start : start + WINDOW, ego]
    return abs(float(heading[-1] - heading[0])) > math.radians(15)


def scene(recording: Recording, ego: int, start: int, path: Path, place: Place) -> tuple[str, ...]:
    """The keywords of the place; weather and time of day are the renderer's to add."""
    words = [place.kind]
    words.append(
        "intersection" if at_junction(recording, ego, start, place) else "non-intersection"
    )
    if at_crosswalk(path, place):
        words.append("crosswalk")
    if on_bend(recording, ego, start):
        words.append("curved road")
    return tuple(words)
