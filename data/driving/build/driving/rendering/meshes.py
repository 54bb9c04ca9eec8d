"""Triangles: a small builder of meshes from quads, boxes, discs, spheres, rods and flat areas.

A vertex is twelve numbers: position 3, normal 3, colour 3, material 1, and two coordinates that
the material reads. Metres; x ahead, y left, z up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import shapely

MATT, LIT, FACADE, ASPHALT, FOLIAGE, PAINT, SHADOW, GLOW = range(8)
"""Materials; the fragment shader knows them by number. LIT shines by itself."""
WIDTH = 12
Colour = Any
"""Three numbers from 0 to 1."""

QUAD = (0, 1, 2, 0, 2, 3)


class Mesh:
    """Collects triangles; `array()` gives them as (vertices, 12)."""

    def __init__(self) -> None:
        self.parts: list[np.ndarray] = []

    def array(self) -> np.ndarray:
        """All triangles so far."""
        return np.concatenate(self.parts) if self.parts else np.zeros((0, WIDTH), np.float32)

    def triangles(
        self, points: Any, normal: Any, colour: Colour, material: int = MATT, uv: Any = 0.0
    ) -> None:
        """Add triangles, three points each."""
        points = np.asarray(points, np.float32).reshape(-1, 3)
        part = np.empty((len(points), WIDTH), np.float32)
        part[:, :3], part[:, 3:6], part[:, 6:9] = points, normal, colour
        part[:, 9], part[:, 10:12] = material, uv
        self.parts.append(part)

    def quad(self, corners: Any, colour: Colour, material: int = MATT, uv: Any = None) -> None:
        """Add a flat four-cornered face."""
        corners = np.asarray(corners, np.float32)
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        normal = normal / (np.linalg.norm(normal) + 1e-9)
        place = 0.0 if uv is None else np.asarray(uv, np.float32)[list(QUAD)]
        self.triangles(corners[list(QUAD)], normal, colour, material, place)

    def box(
        self,
        base: Any,
        size: Any,
        colour: Colour,
        material: int = MATT,
        taper: tuple[float, float] = (1, 1),
        shift: float = 0.0,
        top: Colour | None = None,
    ) -> None:
        """Add a box on the middle of its base; `taper` shrinks its top, `shift` moves it."""
        (x, y, z), (length, width, height) = base, size
        long, wide = length / 2, width / 2
        tl, tw = long * taper[0], wide * taper[1]
        low = [
            (x - long, y - wide, z),
            (x + long, y - wide, z),
            (x + long, y + wide, z),
            (x - long, y + wide, z),
        ]
        up = z + height
        high = [
            (x - tl + shift, y - tw, up),
            (x + tl + shift, y - tw, up),
            (x + tl + shift, y + tw, up),
            (x - tl + shift, y + tw, up),
        ]
        for i in range(4):
            j = (i + 1) % 4
            self.quad([low[i], low[j], high[j], high[i]], colour, material)
        self.quad(high, colour if top is None else top, material)

    def profile(
        self,
        outline: Any,
        width: float,
        colour: Colour,
        material: int = MATT,
        top_width: float | None = None,
    ) -> None:
        """Add a body drawn as its convex outline from the side, (x, z) front to back.

        `top_width` narrows the outline's higher points, as a car's cabin is narrower at its roof.
        """
        outline = np.asarray(outline, np.float32)
        low, high = outline[:, 1].min(), outline[:, 1].max()
        part = (outline[:, 1] - low) / (high - low)
        half = (width + part * ((top_width or width) - width)) / 2
        sides = [np.column_stack([outline[:, 0], sign * half, outline[:, 1]]) for sign in (-1, 1)]
        for i in range(len(outline)):
            j = (i + 1) % len(outline)
            self.quad([sides[0][i], sides[1][i], sides[1][j], sides[0][j]], colour, material)
        for sign, side in zip((-1, 1), sides, strict=True):
            for i in range(1, len(outline) - 1):
                self.triangles([side[0], side[i], side[i + 1]], (0, sign, 0), colour, material)

    def disc(
        self,
        centre: Any,
        radius: float,
        axis: str,
        colour: Colour,
        material: int = MATT,
        pieces: int = 12,
        hole: float = 0.0,
    ) -> None:
        """Add a disc across an axis, or a ring when it has a hole (a share of the radius)."""
        across = {
            "x": ((0, 1, 0), (0, 0, 1)),
            "y": ((1, 0, 0), (0, 0, 1)),
            "z": ((1, 0, 0), (0, 1, 0)),
        }
        u, v = (np.array(one, np.float32) for one in across[axis])
        angles = np.linspace(0, 2 * np.pi, pieces + 1)
        rim = np.cos(angles)[:, None] * u + np.sin(angles)[:, None] * v
        outer, inner = centre + rim * radius, centre + rim * radius * hole
        for i in range(pieces):
            ring = [inner[i], outer[i], outer[i + 1], inner[i], outer[i + 1], inner[i + 1]]
            self.triangles(ring, np.cross(u, v), colour, material)

    def sphere(
        self,
        centre: Any,
        radius: float,
        colour: Colour,
        material: int = MATT,
        pieces: int = 7,
        squash: float = 1.0,
    ) -> None:
        """Add a sphere, squashed or stretched along z."""
        bands = np.linspace(0, np.pi, pieces // 2 + 2)
        turns = np.linspace(0, 2 * np.pi, pieces + 1)
        band, turn = np.meshgrid(bands, turns, indexing="ij")
        unit = np.stack(
            [np.sin(band) * np.cos(turn), np.sin(band) * np.sin(turn), np.cos(band) * squash],
            axis=-1,
        )
        corners = np.stack([unit[:-1, :-1], unit[1:, :-1], unit[1:, 1:], unit[:-1, 1:]], axis=2)
        normals = corners[:, :, list(QUAD)].reshape(-1, 3)
        self.triangles(np.asarray(centre) + radius * normals, normals, colour, material)

    def rod(
        self, start: Any, end: Any, thickness: float, colour: Colour, material: int = MATT
    ) -> None:
        """Add a square rod between two points."""
        start, end = np.asarray(start, np.float32), np.asarray(end, np.float32)
        ahead = (end - start) / (np.linalg.norm(end - start) + 1e-9)
        side = np.cross(ahead, (0, 0, 1) if abs(ahead[2]) < 0.9 else (0, 1, 0))
        side = side / np.linalg.norm(side) * thickness / 2
        up = np.cross(ahead, side)
        corners = [side + up, side - up, -side - up, -side + up]
        for i in range(4):
            j = (i + 1) % 4
            face = [start + corners[i], start + corners[j], end + corners[j], end + corners[i]]
            self.quad(face, colour, material)

    def flat(self, area: Any, height: float, colour: Colour, material: int = MATT) -> None:
        """Add a shapely area, level at a height."""
        for polygon in polygons(area):
            for piece in shapely.constrained_delaunay_triangles(polygon).geoms:
                corners = np.array(piece.exterior.coords)[:3, :2]
                points = np.column_stack([corners, np.full(3, height)])
                self.triangles(points, (0, 0, 1), colour, material)

    def walls(self, area: Any, low: float, high: float, colour: Colour) -> None:
        """Add upright faces along the edges of a shapely area."""
        for polygon in polygons(area):
            for ring in [polygon.exterior, *polygon.interiors]:
                corners = np.array(ring.coords)[:, :2]
                for a, b in zip(corners, corners[1:], strict=False):
                    self.quad([(*a, low), (*b, low), (*b, high), (*a, high)], colour)


def polygons(area: Any) -> Iterator[Any]:
    """The polygons of a shapely area that are large enough to be seen."""
    for part in getattr(area, "geoms", [area]):
        if part.geom_type == "Polygon" and part.area > 0.02:
            yield part


def moved(mesh: np.ndarray, x: float, y: float, heading: float) -> np.ndarray:
    """A mesh turned to a heading and put at a place."""
    cosine, sine = np.cos(heading), np.sin(heading)
    turn = np.array([[cosine, sine], [-sine, cosine]], np.float32)
    out = mesh.copy()
    out[:, :2] = mesh[:, :2] @ turn + np.array([x, y], np.float32)
    out[:, 3:5] = mesh[:, 3:5] @ turn
    return out
