"""Bodies of walkers, cyclists and motorcyclists; their limbs move with a phase."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from driving.rendering.meshes import PAINT, Mesh
from driving.rendering.vehicles import PAINTS

SKINS = ((0.78, 0.60, 0.48), (0.50, 0.34, 0.24), (0.64, 0.46, 0.35))
TROUSERS = ((0.12, 0.14, 0.22), (0.25, 0.22, 0.20), (0.35, 0.35, 0.38))
HAIR = ((0.10, 0.08, 0.06), (0.30, 0.20, 0.10), (0.55, 0.45, 0.25))
BLACK = (0.07, 0.07, 0.08)
PHASES = 16


def stepped(phase: float) -> float:
    """A phase rounded to one of sixteen, so that meshes can be kept."""
    return round(phase % (2 * math.pi) * PHASES / (2 * math.pi)) * 2 * math.pi / PHASES


@lru_cache(4096)
def walker(colour: int, phase: float, moving: bool) -> np.ndarray:
    """A person on foot, in the middle of its place."""
    mesh = Mesh()
    shirt, legs = PAINTS[(colour * 7 + 1) % 9], TROUSERS[colour % 3]
    skin, hair = SKINS[colour % 3], HAIR[colour // 3 % 3]
    swing = 0.38 * math.sin(phase) if moving else 0.04
    for y, reach in ((-0.1, swing), (0.1, -swing)):
        knee = (reach * 0.55, y, 0.45)
        foot = reach * 0.9 - (0.12 if reach < 0 else 0)
        mesh.rod((0, y, 0.88), knee, 0.17, legs)
        mesh.rod(knee, (foot, y, 0.06), 0.14, legs)
        mesh.box((foot + 0.06, y, 0), (0.27, 0.11, 0.09), (0.1, 0.1, 0.1))
    mesh.box((0, 0, 0.84), (0.24, 0.40, 0.62), shirt, taper=(0.95, 1.1))
    for y, reach in ((-0.27, -swing), (0.27, swing)):
        elbow = (reach * 0.25, y * 1.08, 1.14)
        mesh.rod((0, y, 1.42), elbow, 0.11, shirt)
        mesh.rod(elbow, (reach * 0.8 + 0.05, y * 1.05, 0.88), 0.09, skin)
    mesh.rod((0, 0, 1.44), (0.01, 0, 1.54), 0.11, skin)
    mesh.sphere((0.01, 0, 1.63), 0.14, skin, pieces=8)
    mesh.sphere((-0.025, 0, 1.68), 0.145, hair, pieces=8, squash=0.85)
    if colour % 4 == 0:
        mesh.box((-0.19, 0, 1.0), (0.16, 0.3, 0.4), PAINTS[(colour + 3) % 9])
    return mesh.array()


def frame_of_bicycle(mesh: Mesh, paint: np.ndarray) -> None:
    """Wheels, tubes, handlebar and saddle."""
    for x in (-0.35, -1.35):
        mesh.disc((x, 0, 0.34), 0.34, "y", BLACK, pieces=16, hole=0.86)
        mesh.rod((x, 0, 0.04), (x, 0, 0.64), 0.045, BLACK)
        mesh.rod((x - 0.3, 0, 0.34), (x + 0.3, 0, 0.34), 0.02, (0.6, 0.6, 0.6))
    rear, crank, head, seat = (-1.35, 0, 0.34), (-0.95, 0, 0.3), (-0.5, 0, 0.75), (-1.1, 0, 0.78)
    for a, b in (
        (rear, crank),
        (crank, head),
        (head, seat),
        (seat, crank),
        (rear, seat),
        ((-0.35, 0, 0.34), (-0.52, 0, 0.95)),
    ):
        mesh.rod(a, b, 0.05, paint)
    mesh.rod((-0.52, -0.26, 0.97), (-0.52, 0.26, 0.97), 0.04, BLACK)
    mesh.box((-1.12, 0, 0.82), (0.24, 0.14, 0.06), BLACK)
    mesh.box((-1.4, 0, 0.62), (0.05, 0.1, 0.07), (0.85, 0.08, 0.06))


@lru_cache(4096)
def cyclist(colour: int, phase: float) -> np.ndarray:
    """A person pedalling."""
    mesh = Mesh()
    frame_of_bicycle(mesh, PAINTS[colour % 9])
    shirt, legs, skin = PAINTS[(colour * 5 + 2) % 9], (0.13, 0.14, 0.20), SKINS[colour % 3]
    for y, turn in ((-0.1, phase), (0.1, phase + math.pi)):
        pedal = (-0.95 + 0.16 * math.cos(turn), y, 0.3 + 0.16 * math.sin(turn))
        knee = (-0.72 + 0.05 * math.cos(turn), y, 0.68 + 0.10 * math.sin(turn))
        mesh.rod((-1.08, y, 0.92), knee, 0.15, legs)
        mesh.rod(knee, pedal, 0.12, legs)
    mesh.rod((-1.08, 0, 0.90), (-0.80, 0, 1.42), 0.34, shirt)
    for y in (-0.2, 0.2):
        mesh.rod((-0.80, y, 1.40), (-0.54, y * 1.2, 1.0), 0.1, shirt)
    helmet = (0.95, 0.9, 0.2) if colour % 2 else (0.9, 0.9, 0.92)
    mesh.sphere((-0.72, 0, 1.58), 0.125, skin, pieces=8)
    mesh.sphere((-0.74, 0, 1.65), 0.145, helmet, pieces=8, squash=0.75)
    return mesh.array()


@lru_cache(64)
def motorcyclist(colour: int) -> np.ndarray:
    """A motorcycle and its rider, without lamps."""
    mesh = Mesh()
    paint, jacket = PAINTS[colour % 9], PAINTS[(colour * 5 + 2) % 9] * 0.7
    for x in (-0.38, -1.75):
        mesh.disc((x, 0, 0.31), 0.31, "y", BLACK, pieces=16, hole=0.45)
        mesh.disc((x, 0, 0.31), 0.14, "y", (0.5, 0.5, 0.52), pieces=8)
        mesh.box((x, 0, 0.0), (0.36, 0.15, 0.62), BLACK, taper=(0.7, 1))
    mesh.box((-1.05, 0, 0.38), (1.2, 0.34, 0.42), paint, PAINT, (0.8, 0.7))
    mesh.box((-1.45, 0, 0.80), (0.75, 0.3, 0.1), BLACK)
    mesh.rod((-0.38, 0, 0.31), (-0.62, 0, 1.02), 0.08, (0.5, 0.5, 0.52))
    mesh.rod((-0.6, -0.34, 1.03), (-0.6, 0.34, 1.03), 0.05, BLACK)
    mesh.box((-1.95, 0, 0.55), (0.04, 0.2, 0.14), (0.88, 0.88, 0.84))
    mesh.rod((-1.2, 0, 0.88), (-1.0, 0, 1.42), 0.42, jacket)
    for y in (-0.16, 0.16):
        knee = (-0.85, y * 1.3, 0.62)
        mesh.rod((-1.2, y, 0.9), knee, 0.17, (0.12, 0.12, 0.15))
        mesh.rod(knee, (-1.0, y * 1.3, 0.25), 0.14, (0.12, 0.12, 0.15))
        mesh.rod((-1.0, y * 1.3, 1.36), (-0.62, y * 1.6, 1.04), 0.11, jacket)
    mesh.sphere((-0.97, 0, 1.62), 0.17, paint, PAINT, 8)
    return mesh.array()
