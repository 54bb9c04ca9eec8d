"""Road users of one moment as triangles: bodies, lamps, shadows and the glow of lamps."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from shapely.geometry import Polygon

from driving.rendering.camera import Camera
from driving.rendering.meshes import GLOW, LIT, MATT, SHADOW, Mesh, moved
from driving.rendering.people import cyclist, motorcyclist, stepped, walker
from driving.rendering.scene import SHADE, Signal, shadow
from driving.rendering.vehicles import lamp_places, lamps, vehicle
from driving.rendering.weather import Air
from driving.world.recordings import Actor, Recording

STRIDES_PER_SECOND = 5.5
"""Radians by which limbs go on in a second."""
BRAKING, BLINK_RIGHT, BLINK_LEFT = 8, 1, 2
"""Bits of the simulator's vehicle signals."""
HEIGHTS = {
    "car": 1.4,
    "fast_car": 1.3,
    "van": 2.2,
    "truck": 3.6,
    "bus": 3.0,
    "motorcycle": 1.5,
    "bicycle": 1.6,
    "walker": 1.75,
}
GLOWS = {"front": (1.0, 0.92, 0.75), "rear": (0.9, 0.06, 0.04), "street": (1.0, 0.78, 0.42)}


@dataclass(frozen=True)
class Placed:
    """An actor at one moment."""

    number: int
    actor: Actor
    x: float
    y: float
    heading: float
    speed: float
    signals: int
    phase: float


def placed_actors(recording: Recording, time: float, skip: int, reach: float) -> list[Placed]:
    """Everybody within reach of one vehicle at a (fractional) step, but that vehicle."""
    step = int(time)
    x, y = recording.x[step, skip], recording.y[step, skip]
    with np.errstate(invalid="ignore"):
        near = np.hypot(recording.x[step] - x, recording.y[step] - y) < reach
    near[skip] = False
    found = []
    for number in np.flatnonzero(near):
        state = recording.state(int(number), time)
        if state is not None:
            moving = state[3] > 0.2
            phase = number * 2.4 + (time / 10 * STRIDES_PER_SECOND if moving else 0)
            found.append(Placed(int(number), recording.actors[number], *state, phase))
    return found


def body(one: Placed) -> np.ndarray:
    """The mesh of an actor at its place, without lamps."""
    actor = one.actor
    if actor.type == "walker":
        mesh = walker(actor.colour, stepped(one.phase), one.speed > 0.2)
    elif actor.type == "bicycle":
        mesh = cyclist(actor.colour, stepped(one.phase))
    elif actor.type == "motorcycle":
        mesh = motorcyclist(actor.colour)
    else:
        mesh = vehicle(actor.type, actor.colour, actor.length, actor.width)
    return moved(mesh, one.x, one.y, one.heading)


def has_lamps(one: Placed) -> bool:
    """Whether an actor is a motor vehicle."""
    return one.actor.type not in ("walker", "bicycle")


def lamps_of(one: Placed, air: Air, seconds: float) -> np.ndarray:
    """A motor vehicle's lamps at its place; indicators blink."""
    on = int(seconds * 2.6 + one.number) % 2 == 0
    blinking = one.signals & (BLINK_RIGHT | BLINK_LEFT) if on else 0
    actor, braking = one.actor, bool(one.signals & BRAKING)
    mesh = lamps(actor.type, actor.length, actor.width, braking, blinking, air.lamps_on)
    return moved(mesh, one.x, one.y, one.heading)


def footprint(one: Placed, margin: float) -> np.ndarray:
    """The four corners of an actor on the ground."""
    actor = one.actor
    length, width = (0.5, 0.5) if actor.type == "walker" else (actor.length, actor.width)
    back = actor.front_to_centre
    half = np.array([length / 2 + margin, width / 2 + margin])
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half - [back, 0]
    cosine, sine = math.cos(one.heading), math.sin(one.heading)
    return corners @ np.array([[cosine, sine], [-sine, cosine]]) + [one.x, one.y]


def shadow_of(one: Placed, air: Air) -> np.ndarray:
    """The sun's shadow on a sunny day, else a faint one below the actor."""
    if air.shadows:
        area = shadow(footprint(one, 0.0), HEIGHTS[one.actor.type] * 0.9)
    else:
        area = Polygon(footprint(one, 0.12))
    mesh = Mesh()
    corners = np.array(area.exterior.coords)[:-1]
    for i in range(1, len(corners) - 1):
        points = np.column_stack([corners[[0, i, i + 1]], np.full(3, 0.035)])
        mesh.triangles(points, (0, 0, 1), (0, 0, 0), SHADOW, (SHADE * (0.4 if air.night else 1), 0))
    return mesh.array()


def billboard(camera: Camera, at: np.ndarray, size: float, colour: np.ndarray) -> np.ndarray:
    """A round glow that faces the camera."""
    mesh, right, up = Mesh(), camera.right * size, camera.up * size
    corners = [at - right - up, at + right - up, at + right + up, at - right + up]
    mesh.quad(corners, colour, GLOW, [(-1, -1), (1, -1), (1, 1), (-1, 1)])
    return mesh.array()


def mirrored(camera: Camera, at: np.ndarray, size: float, colour: np.ndarray) -> np.ndarray:
    """A lamp's long reflection on a wet road, drawn out towards the camera."""
    towards = camera.eye[:2] - at[:2]
    towards = towards / (np.linalg.norm(towards) + 1e-9)
    side = np.array([-towards[1], towards[0]]) * size * 0.55
    near, far = at[:2] + towards * (1.0 + 5.0 * size), at[:2] + towards * 0.1
    mesh = Mesh()
    points = [
        (*(far - side), 0.03),
        (*(far + side), 0.03),
        (*(near + side), 0.03),
        (*(near - side), 0.03),
    ]
    mesh.quad(points, colour * 0.55, GLOW, [(-1, -0.6), (1, -0.6), (1, 1), (-1, 1)])
    return mesh.array()


def lights(
    everybody: Iterable[Placed], heads: np.ndarray, camera: Camera, air: Air
) -> list[tuple[np.ndarray, float, np.ndarray]]:
    """Places, sizes and colours of all lamps that face the camera."""
    found = []
    for one in everybody:
        if not has_lamps(one):
            continue
        towards = math.cos(one.heading) * (camera.eye[0] - one.x)
        towards += math.sin(one.heading) * (camera.eye[1] - one.y)
        name = "front" if towards > 0 else "rear"
        braking = name == "rear" and one.signals & BRAKING
        places = lamp_places(one.actor.type, one.actor.length, one.actor.width)[int(towards <= 0)]
        cosine, sine = math.cos(one.heading), math.sin(one.heading)
        for x, y, z in places:
            x += 0.15 if towards > 0 else -0.15
            at = np.array([one.x + cosine * x - sine * y, one.y + sine * x + cosine * y, z])
            size = 0.55 if name == "front" else 0.5 if braking else 0.32
            found.append((at, size, np.array(GLOWS[name]) * air.glow))
    for head in heads if air.night else ():
        if np.linalg.norm(head - camera.eye) < 110:
            found.append((head, 1.3, np.array(GLOWS["street"]) * air.glow * 0.6))
    return found


def glow(
    everybody: Iterable[Placed], heads: np.ndarray, camera: Camera, air: Air
) -> list[np.ndarray]:
    """All glows of a picture: into the air, and on the road where it is wet."""
    if air.glow == 0:
        return []
    found = []
    for at, size, colour in lights(everybody, heads, camera, air):
        found.append(billboard(camera, at, size, colour))
        if air.wet and at[2] < 2:
            found.append(mirrored(camera, at, size, colour))
    return found


@lru_cache(4096)
def signal_lamps(shown: str, x: float, y: float, heading: float) -> np.ndarray:
    """The three lamps of a signal head, one of them lit, on the side that drivers see."""
    mesh = Mesh()
    colours = {"r": (1.0, 0.08, 0.05), "y": (1.0, 0.75, 0.05), "g": (0.1, 1.0, 0.35)}
    for (name, colour), height in zip(colours.items(), (3.16, 2.85, 2.54), strict=True):
        lit = name == shown
        shade = np.array(colour) * (1.0 if lit else 0.12)
        mesh.disc((-0.19, 0, height), 0.125, "x", shade, LIT if lit else MATT, 10)
    return moved(mesh.array(), x, y, heading)


def signal_states(
    signals: Iterable[Signal], states: dict[str, str], camera: Camera
) -> list[np.ndarray]:
    """The lamps of all signals near the camera: green if any lane of the approach may go."""
    found = []
    for one in signals:
        if np.abs(one.position - camera.eye[:2]).sum() > 130 or one.signal_id not in states:
            continue
        state = states[one.signal_id].lower()
        shown = {state[link] for link in one.links if link < len(state)}
        name = "g" if "g" in shown else "y" if "y" in shown else "r"
        heading = math.atan2(one.ahead[1], one.ahead[0])
        found.append(signal_lamps(name, float(one.position[0]), float(one.position[1]), heading))
    return found
