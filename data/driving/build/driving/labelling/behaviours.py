"""What one actor did, and where: the definitions behind the actor's keywords.

Every function takes one `Passage` and is a sentence about it. The README of the collection
repeats these definitions for readers of the annotation.
"""

from __future__ import annotations

import math

import numpy as np

from driving.labelling.geometry import Passage

ENTERING = "entering ego path"
CROSSING = "straight crossing path"
TURNING_ACROSS = "oncoming turn across path"
STATIONARY = "stationary"
SAME_DIRECTION = "traveling in same direction"
OPPOSITE_DIRECTION = "traveling in opposite direction"

CORRIDOR = 1.1
"""Half the ego's width and a hand's breadth: closer to the path than this is in the way."""
LANE = 5.2
"""Farther from the path than this is more than the neighbouring lane."""
ALONGSIDE = 2.0
"""A vehicle whose rear is less than this ahead of the ego's front is beside it, not in front."""
ROADSIDE = 12.0
"""Farther from the path than this is not related to it at all."""


def inside(passage: Passage) -> np.ndarray:
    """At which samples the actor's body is in the ego's corridor, up to 40 m ahead."""
    gap = np.abs(passage.offset) - passage.half_width
    return np.asarray((gap < CORRIDOR) & passage.beside_path & (passage.along < 40))


def heading_change(passage: Passage) -> float:
    """By how much the actor itself turned over the window, radians, left positive."""
    return float(passage.heading[-1] - passage.heading[0])


def moves_sideways(passage: Passage) -> bool:
    """Whether the actor itself changed lane, drifted 0.7 m within it, or came from the side.

    Without this, a car that keeps its lane would "enter the ego's path" whenever the ego changes
    over to that lane.
    """
    lanes = [lane.rsplit("_", 1) for lane in passage.lanes]
    for (edge, lane), (next_edge, next_lane) in zip(lanes, lanes[1:], strict=False):
        if edge == next_edge and lane != next_lane:
            return True
    drift = float(np.ptp(passage.lateral)) > 0.7 and len(set(passage.lanes)) == 1
    return drift or float(np.abs(passage.angle).max()) > math.radians(25)


def enters(passage: Passage, object_type: str) -> bool:
    """Beside the corridor at first, inside it at last, by the actor's own movement."""
    beside = np.abs(passage.offset[:4]) - passage.half_width[:4] > CORRIDOR
    comes_in = beside.mean() > 0.7 and inside(passage)[-5:].mean() > 0.6
    own = object_type == "pedestrian" or moves_sideways(passage)
    return bool(comes_in and own and passage.speed.max() > 0.5)


def turns_across(passage: Passage, object_type: str) -> bool:
    """Driving the other way at first, it turns left by 35 degrees or more across the path."""
    oncoming = np.abs(passage.angle[:3]).mean() > math.radians(130)
    across = inside(passage).any() or passage.offset[0] > 0 > passage.offset[-1]
    turning = heading_change(passage) > math.radians(35)
    drives = object_type != "pedestrian" and passage.speed.max() > 1
    return bool(oncoming and across and turning and drives)


def crosses(passage: Passage, object_type: str) -> bool:
    """Heads across the path (50 to 130 degrees) without turning, and is in it or gets over it."""
    angle = np.abs(passage.angle)
    across = (angle > math.radians(50)) & (angle < math.radians(130)) & (passage.speed > 0.5)
    across &= passage.beside_path & (np.abs(passage.offset) < 7)
    bend = math.radians(60 if object_type == "pedestrian" else 30)
    reaches = inside(passage).any() or np.sign(passage.offset[0]) != np.sign(passage.offset[-1])
    return bool(across.sum() >= 6 and reaches and abs(heading_change(passage)) < bend)


def stands(passage: Passage) -> bool:
    """Never faster than 0.3 m/s, and there for at least three quarters of the clip."""
    return bool(passage.speed.max() < 0.3 and len(passage.speed) > 0.75 * passage.samples)


def goes_along(passage: Passage, object_type: str) -> bool:
    """Drives or rides the ego's way, in its lane or a neighbouring one, faster than 1.5 m/s."""
    parallel = np.abs(passage.angle).mean() < 0.5 and passage.speed.mean() > 1.5
    beside = np.abs(np.median(passage.offset)) < LANE
    return bool(parallel and beside and object_type != "pedestrian")


def comes_towards(passage: Passage, object_type: str) -> bool:
    """Drives or rides against the ego's way, within 9 m of its path, faster than 1.5 m/s."""
    against = np.abs(passage.angle).mean() > 2.6 and passage.speed.mean() > 1.5
    near = passage.beside_path.mean() > 0.5 and np.abs(passage.offset).min() < 9
    return bool(against and near and object_type != "pedestrian")


def behaviours(passage: Passage, object_type: str) -> tuple[str, ...]:
    """The keywords of one actor: what happens in the ego's path comes before mere presence."""
    found = []
    if turns_across(passage, object_type):
        found.append(TURNING_ACROSS)
    else:
        if enters(passage, object_type):
            found.append(ENTERING)
        if crosses(passage, object_type):
            found.append(CROSSING)
    if found:
        return tuple(found)
    if stands(passage):
        return (STATIONARY,)
    if goes_along(passage, object_type):
        return (SAME_DIRECTION,)
    if comes_towards(passage, object_type):
        return (OPPOSITE_DIRECTION,)
    return ()


def relation(passage: Passage) -> str | None:
    """Where the actor is for most of the time it is in view; None if it is off the road.

    corridor front: in the ego's corridor. Otherwise left or right by the side of the path, and
    `adjacent` (no more than a lane away) or `split` (farther, up to 12 m), with `front` added
    unless it is longer than 3 m and its rear is less than 2 m ahead of the ego's front.
    """
    seen = passage.visible
    within = inside(passage)[seen].mean() > 0.4
    if within:
        return "corridor front"
    offset = float(np.median(passage.offset[seen]))
    if abs(offset) > ROADSIDE:
        return None
    side = "left" if offset > 0 else "right"
    if abs(offset) > LANE:
        return f"{side} split front"
    half = passage.half_length[seen]
    beside = np.median(passage.along[seen] - half) < ALONGSIDE and np.median(half) > 1.5
    return f"{side} adjacent" if beside else f"{side} adjacent front"
