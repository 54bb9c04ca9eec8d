"""Where everybody is along and beside the path that the ego vehicle is going to take.

The yardstick is the ego's own future track: `along` is metres ahead of the ego's front on that
track, `offset` metres to its left. A road bend or a turn at a junction therefore needs no special
case, and "the ego's path" means what the ego really did next.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from driving.world.recordings import Recording

WINDOW = 40
"""Steps of a clip: four seconds."""
STRIDE = 2
"""Every second step is looked at: 20 samples a clip."""
PIECE = 0.5
"""Metres between two points of a path."""
REACH = 45.0
"""Metres of path that matter ahead of the ego."""
NEAR = 50.0
"""Actors farther than this are not looked at."""
EYE_BACK = 1.7
"""Metres from the ego's front back to the camera."""
HALF_VIEW = math.radians(36)
SEEN_WITHIN = 42.0

Sight = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""(eye of shape (2,), points of shape (n, 2)) → which points no building hides, shape (n,)."""


def open_sight(eye: np.ndarray, points: np.ndarray) -> np.ndarray:
    """A world without buildings: everything can be seen."""
    return np.ones(len(points), bool)


@dataclass(frozen=True)
class Path:
    """The ego's future track at steps of half a metre, and how far along it each sample is."""

    points: np.ndarray
    tangents: np.ndarray
    travelled: np.ndarray


@dataclass(frozen=True)
class Passage:
    """One actor's way past the ego: one value per sample at which the actor was there."""

    along: np.ndarray
    offset: np.ndarray
    half_width: np.ndarray
    half_length: np.ndarray
    angle: np.ndarray
    heading: np.ndarray
    speed: np.ndarray
    lateral: np.ndarray
    distance: np.ndarray
    visible: np.ndarray
    beside_path: np.ndarray
    lanes: tuple[str, ...]
    samples: int


def samples(start: int) -> np.ndarray:
    """The steps of a window that are looked at."""
    return np.arange(start, start + WINDOW, STRIDE)


def ego_path(recording: Recording, ego: int, start: int) -> Path:
    """The ego's track from a step on, carried straight ahead where the recording ends."""
    _, end = recording.present(ego)
    steps = np.arange(start, end, STRIDE)
    track = np.column_stack([recording.x[steps, ego], recording.y[steps, ego]]).astype(float)
    gone = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(track, axis=0).T))])
    travelled = gone[: WINDOW // STRIDE]
    wanted = travelled[-1] + REACH + 1
    moving = np.concatenate([[True], np.diff(gone) > 1e-3]) & (gone < wanted + 5)
    last = np.flatnonzero(moving)[-1]
    heading = float(recording.heading[steps[last], ego])
    ahead = track[last] + (wanted + 1) * np.array([math.cos(heading), math.sin(heading)])
    track = np.vstack([track[moving], ahead])
    gone = np.append(gone[moving], gone[last] + wanted + 1)
    grid = np.arange(0, wanted, PIECE)
    points = np.column_stack([np.interp(grid, gone, track[:, i]) for i in (0, 1)])
    tangents = np.gradient(points, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True) + 1e-9
    return Path(points, tangents, travelled)


def turned(angle: np.ndarray | float) -> np.ndarray:
    """An angle brought into [-pi, pi)."""
    return (np.asarray(angle) + math.pi) % (2 * math.pi) - math.pi


def passages(
    recording: Recording, ego: int, start: int, path: Path, sight: Sight = open_sight
) -> dict[int, Passage]:
    """The passage of every actor that comes near the ego in a window, by the actor's number."""
    steps = samples(start)
    eye_x, eye_y = recording.x[steps, ego], recording.y[steps, ego]
    gap = np.hypot(recording.x[steps] - eye_x[:, None], recording.y[steps] - eye_y[:, None])
    with np.errstate(invalid="ignore"):
        near = np.flatnonzero((gap < NEAR).any(axis=0))
    near = near[near != ego]
    rows: dict[int, list[np.ndarray]] = {int(i): [] for i in near}
    lanes: dict[int, list[str]] = {int(i): [] for i in near}
    for sample, step in enumerate(steps):
        here = near[gap[sample, near] < NEAR]
        if len(here):
            values = one_sample(recording, ego, int(step), here, path, sample, sight)
            for actor, row in zip(here, values, strict=True):
                rows[int(actor)].append(row)
                lanes[int(actor)].append(recording.lanes[recording.lane[step, actor]])
    return {
        actor: passage(np.array(found), tuple(lanes[actor]), len(steps))
        for actor, found in rows.items()
        if found
    }


def passage(table: np.ndarray, lanes: tuple[str, ...], samples: int) -> Passage:
    """One actor's rows of `one_sample` as a passage."""
    *numbers, visible, beside_path = table.T
    return Passage(*numbers, visible > 0, beside_path > 0, lanes, samples)


def one_sample(
    recording: Recording,
    ego: int,
    step: int,
    here: np.ndarray,
    path: Path,
    sample: int,
    sight: Sight,
) -> np.ndarray:
    """The columns of `Passage` for some actors at one step, shape (actors, 11)."""
    centre = recording.centre(step)[here]
    heading = recording.heading[step, here].astype(float)
    first = int(path.travelled[sample] / PIECE)
    piece = slice(first, first + int(REACH / PIECE) + 1)
    points, tangents = path.points[piece], path.tangents[piece]
    away = centre[:, None, :] - points[None]
    nearest = (away**2).sum(axis=2).argmin(axis=1)
    gap, tangent = away[np.arange(len(here)), nearest], tangents[nearest]
    angle = turned(heading - np.arctan2(tangent[:, 1], tangent[:, 0]))
    length = np.array([recording.actors[i].length for i in here])
    width = np.array([recording.actors[i].width for i in here])
    sine, cosine = np.abs(np.sin(angle)), np.abs(np.cos(angle))
    beside = (nearest > 0) & (nearest < len(points) - 1)
    distance, visible = in_view(recording, ego, step, centre, sight)
    return np.column_stack(
        [
            nearest * PIECE,
            tangent[:, 0] * gap[:, 1] - tangent[:, 1] * gap[:, 0],
            (sine * length + cosine * width) / 2,
            (cosine * length + sine * width) / 2,
            angle,
            heading,
            recording.speed[step, here],
            recording.lateral[step, here],
            distance,
            visible,
            beside,
        ]
    )


def in_view(
    recording: Recording, ego: int, step: int, centre: np.ndarray, sight: Sight
) -> tuple[np.ndarray, np.ndarray]:
    """Distance from the ego's front, and whether the camera looks that way and nothing hides it."""
    heading = float(recording.heading[step, ego])
    front = np.array([recording.x[step, ego], recording.y[step, ego]], float)
    ahead = np.array([math.cos(heading), math.sin(heading)])
    forward = (centre - front) @ ahead
    left = (centre - front) @ np.array([-ahead[1], ahead[0]])
    distance = np.hypot(forward, left)
    visible = (forward > 1.5) & (distance < SEEN_WITHIN)
    visible &= np.abs(np.arctan2(left, forward + EYE_BACK)) < HALF_VIEW
    if visible.any():
        visible[visible] = sight(front - EYE_BACK * ahead, centre[visible])
    return distance, visible


def touched(recording: Recording, ego: int, start: int, room: float = 0.6) -> bool:
    """Whether any body comes nearer than `room` to the ego's own: such a clip looks impossible."""
    one = recording.actors[ego]
    reach = np.array(
        [min(a.length, a.width) / 2 if a.type != "walker" else 0.35 for a in recording.actors]
    )
    for step in range(start, start + WINDOW):
        heading = float(recording.heading[step, ego])
        gap = recording.centre(step) - [recording.x[step, ego], recording.y[step, ego]]
        forward = gap @ [math.cos(heading), math.sin(heading)]
        left = gap @ [-math.sin(heading), math.cos(heading)]
        with np.errstate(invalid="ignore"):
            close = (forward > -one.length) & (forward < room + reach)
            close &= np.abs(left) < one.width / 2 + room / 2 + reach
        close[ego] = False
        if close.any():
            return True
    return False
