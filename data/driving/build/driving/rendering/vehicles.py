"""Bodies of cars, vans, trucks and buses, and where their lamps are.

A vehicle's front is at x = 0, its rear at -length.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from driving.rendering.meshes import LIT, PAINT, Mesh

PAINTS = np.array(
    [
        (0.78, 0.10, 0.10),
        (0.12, 0.28, 0.65),
        (0.85, 0.85, 0.86),
        (0.16, 0.16, 0.18),
        (0.55, 0.57, 0.60),
        (0.10, 0.42, 0.30),
        (0.93, 0.72, 0.10),
        (0.60, 0.30, 0.12),
        (0.35, 0.20, 0.50),
    ],
    np.float32,
)
GLASS, RUBBER, RIM = (0.07, 0.09, 0.11), (0.05, 0.05, 0.055), (0.55, 0.55, 0.57)
PLATE, CHROME = (0.88, 0.88, 0.84), (0.45, 0.46, 0.48)
LAMP_HEIGHT = {"car": 0.66, "fast_car": 0.66, "van": 0.85, "truck": 0.75, "bus": 0.75}
FOUR_WHEELED = tuple(LAMP_HEIGHT)


def wheels(mesh: Mesh, places: tuple[float, ...], radius: float, width: float) -> None:
    """Wheels on both sides."""
    for x in places:
        mesh.box(
            (x, 0, radius * 0.5), (radius * 2.1, width * 0.9, radius * 0.9), (0.03, 0.03, 0.03)
        )
        for y in (-width / 2 - 0.01, width / 2 + 0.01):
            mesh.disc((x, y, radius), radius, "y", RUBBER, pieces=14)
            mesh.disc((x, y * 1.012, radius), radius * 0.58, "y", RIM, pieces=8)
            mesh.box((x, y * 0.9, 0), (radius * 1.3, 0.2, radius * 0.6), RUBBER)


def car(mesh: Mesh, length: float, width: float, paint: np.ndarray, sporty: bool) -> None:
    """A saloon, or a flatter and shorter coupe."""
    roof, back = (1.34, 0.75) if sporty else (1.46, 0.45)
    hull = [
        (0, 0.32),
        (0, 0.60),
        (-0.10, 0.72),
        (-1.15, 0.90),
        (-length + 0.35, 0.95),
        (-length, 0.86),
        (-length, 0.32),
    ]
    mesh.profile(hull, width, paint, PAINT)
    cabin = [
        (-0.98, 0.90),
        (-1.75, roof - 0.03),
        (-length + 1.25, roof - 0.03),
        (-length + back, 0.94),
    ]
    mesh.profile(cabin, width * 0.94, GLASS, PAINT, width * 0.76)
    middle = (-1.75 - length + 1.25) / 2
    mesh.box((middle, 0, roof - 0.04), (length - 2.95, width * 0.77, 0.05), paint, PAINT)
    for y in (-1, 1):
        for foot, head in ((-1.0, -1.76), (-2.35, -2.35), (-length + back + 0.03, -length + 1.27)):
            mesh.rod(
                (foot, y * width * 0.465, 0.92), (head, y * width * 0.38, roof - 0.02), 0.07, paint
            )
        mesh.box((-1.25, y * width * 0.53, 0.92), (0.12, 0.16, 0.12), paint * 0.8)
    mesh.box((-0.01, 0, 0.34), (0.06, width * 0.9, 0.16), (0.12, 0.12, 0.13))
    mesh.box((-length + 0.01, 0, 0.34), (0.06, width * 0.9, 0.16), (0.12, 0.12, 0.13))
    mesh.box((-length - 0.02, 0, 0.55), (0.04, width * 0.3, 0.13), PLATE)
    wheels(mesh, (-0.85, -length + 0.85), 0.33, width)


def van(mesh: Mesh, length: float, width: float, paint: np.ndarray) -> None:
    """A delivery van."""
    body = [
        (0, 0.34),
        (0, 0.95),
        (-0.75, 1.18),
        (-1.35, 2.10),
        (-1.7, 2.22),
        (-length + 0.05, 2.22),
        (-length, 2.1),
        (-length, 0.34),
    ]
    mesh.profile(body, width, paint, PAINT, width * 0.9)
    mesh.quad(
        [
            (-0.76, -width * 0.42, 1.22),
            (-0.76, width * 0.42, 1.22),
            (-1.33, width * 0.40, 2.08),
            (-1.33, -width * 0.40, 2.08),
        ],
        GLASS,
        PAINT,
    )
    for y in (-1, 1):
        side = y * width * 0.487
        mesh.quad(
            [
                (-1.0, side, 1.25),
                (-2.0, side, 1.25),
                (-2.0, side * 0.965, 1.85),
                (-1.32, side * 0.965, 1.85),
            ],
            GLASS,
            PAINT,
        )
        mesh.box((-length - 0.01, y * width * 0.24, 1.3), (0.05, width * 0.34, 0.55), GLASS, PAINT)
    mesh.box((-length - 0.02, 0, 0.7), (0.04, width * 0.26, 0.13), PLATE)
    wheels(mesh, (-0.95, -length + 1.0), 0.36, width)


def truck(mesh: Mesh, length: float, width: float, paint: np.ndarray, plain: bool) -> None:
    """A cab and a box body."""
    box = np.array((0.86, 0.86, 0.84)) if plain else paint[[1, 2, 0]] * 0.7 + 0.2
    mesh.profile(
        [(0, 0.5), (0, 1.6), (-0.18, 2.75), (-2.0, 2.85), (-2.0, 0.5)],
        width * 0.97,
        paint,
        PAINT,
        width * 0.93,
    )
    mesh.quad(
        [
            (0.01, -width * 0.42, 1.62),
            (0.01, width * 0.42, 1.62),
            (-0.14, width * 0.41, 2.5),
            (-0.14, -width * 0.41, 2.5),
        ],
        GLASS,
        PAINT,
    )
    for y in (-1, 1):
        mesh.box((-0.9, y * width * 0.482, 1.65), (0.9, 0.06, 0.7), GLASS, PAINT)
    mesh.box((0.0, 0, 0.5), (0.1, width * 0.95, 0.45), CHROME)
    long = length - 2.3
    mesh.box((-long / 2 - 2.3, 0, 0.98), (long, width, 2.65), box)
    mesh.box((-length / 2, 0, 0.6), (length - 0.6, width * 0.5, 0.4), RUBBER)
    mesh.box((-length - 0.01, 0, 1.0), (0.04, 0.06, 2.55), box * 0.6)
    for y in (-1, 1):
        mesh.box((-length - 0.01, y * width * 0.47, 1.0), (0.04, 0.08, 2.55), box * 0.7)
    mesh.box((-length - 0.02, 0, 0.52), (0.05, width * 0.9, 0.12), (0.8, 0.2, 0.15))
    wheels(mesh, (-1.2, -length + 1.2, -length + 2.3), 0.48, width)


def bus(mesh: Mesh, length: float, width: float, paint: np.ndarray) -> None:
    """A city bus with a band of windows and a lit sign."""
    mesh.box((-length / 2, 0, 0.35), (length, width, 0.95), paint, PAINT)
    mesh.box((-length / 2, 0, 1.3), (length * 0.995, width * 0.985, 1.05), GLASS, PAINT)
    mesh.box((-length / 2, 0, 2.35), (length, width, 0.62), paint, PAINT, (0.985, 0.94))
    for x in np.arange(-length + 0.9, -0.6, 1.6):
        mesh.box((float(x), 0, 1.3), (0.12, width, 1.07), paint)
    mesh.box((0.0, 0, 2.42), (0.06, width * 0.6, 0.36), (1.0, 0.6, 0.1), LIT)
    mesh.box((-length, 0, 2.42), (0.06, width * 0.3, 0.3), (1.0, 0.6, 0.1), LIT)
    mesh.box((-length - 0.01, 0, 0.45), (0.04, width * 0.8, 0.35), paint * 0.5)
    wheels(mesh, (-2.4, -length + 3.0), 0.48, width)


@lru_cache(None)
def vehicle(kind: str, colour: int, length: float, width: float) -> np.ndarray:
    """The mesh of a four-wheeled vehicle without its lamps."""
    mesh, paint = Mesh(), PAINTS[colour % len(PAINTS)]
    if kind in ("car", "fast_car"):
        car(mesh, length, width, paint, kind == "fast_car")
    elif kind == "van":
        van(mesh, length, width, paint)
    elif kind == "truck":
        truck(mesh, length, width, paint, colour % 3 > 0)
    else:
        bus(mesh, length, width, PAINTS[colour * 2 % len(PAINTS)])
    return mesh.array()


def lamp_places(kind: str, length: float, width: float) -> tuple[list[tuple[float, ...]], ...]:
    """Where the front and the rear lamps of a vehicle are."""
    if kind == "motorcycle":
        return [(-0.26, 0.0, 0.89)], [(-2.06, 0.0, 0.78)]
    height, side = LAMP_HEIGHT[kind], width / 2 - 0.22
    front = [(0.0, y, height) for y in (-side, side)]
    rear = [(-length - 0.02, y, height + 0.06) for y in (-side, side)]
    return front, rear


@lru_cache(None)
def lamps(
    kind: str, length: float, width: float, braking: bool, blinking: int, lit: bool
) -> np.ndarray:
    """A vehicle's lamps: brake lights, indicators (1 right, 2 left, 3 both), lights by night."""
    mesh = Mesh()
    front, rear = lamp_places(kind, length, width)
    size = (0.12, 0.24, 0.18) if kind == "motorcycle" else (0.06, 0.32, 0.17)
    red = (1.0, 0.10, 0.06) if braking else (0.72, 0.06, 0.05) if lit else (0.42, 0.05, 0.05)
    for x, y, z in front:
        mesh.box((x, y, z - 0.08), size, (1.0, 0.97, 0.85), LIT if lit else 0)
    for x, y, z in rear:
        mesh.box((x, y, z - 0.08), size, red, LIT)
    if braking and kind in ("car", "fast_car"):
        mesh.box((-length + 0.62, 0, 1.2), (0.05, 0.35, 0.05), red, LIT)
    for bit, side in ((1, -1), (2, 1)):
        if blinking & bit and kind != "motorcycle":
            for x in (0.03, -length - 0.04):
                place = (x, side * (width / 2 - 0.06), LAMP_HEIGHT[kind] - 0.22)
                mesh.box(place, (0.08, 0.2, 0.16), (1.0, 0.55, 0.05), LIT)
    return mesh.array()
