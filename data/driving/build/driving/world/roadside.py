"""What stands beside the roads: buildings, trees, street lamps and crash barriers.

Drawn from a seed over the network's own shapes, before anything is rendered, because labelling
asks it too: a building hides an actor.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely
from shapely.geometry import LineString, Point, Polygon
from shapely.ops import unary_union
from shapely.prepared import prep

from driving.labelling.geometry import Sight

HEIGHTS = (4.5, 7, 9, 11, 14, 18)
WALL_COLOURS = (
    (0.72, 0.62, 0.50),
    (0.66, 0.45, 0.36),
    (0.78, 0.76, 0.70),
    (0.55, 0.56, 0.60),
    (0.70, 0.70, 0.62),
    (0.60, 0.50, 0.44),
    (0.80, 0.72, 0.55),
    (0.62, 0.38, 0.30),
)


@dataclass(frozen=True)
class Building:
    """A block on four corners, (4, 2), counter-clockwise from the street's side."""

    corners: np.ndarray
    height: float
    colour: tuple[float, float, float]


@dataclass(frozen=True)
class Tree:
    """A trunk and a crown; `scale` 1 is about 4.5 m high, `shade` its green."""

    position: np.ndarray
    scale: float
    shade: float
    conifer: bool


@dataclass(frozen=True)
class Lamp:
    """A street lamp and the direction in which its arm reaches over the road."""

    position: np.ndarray
    arm: np.ndarray


@dataclass
class Ground:
    """The surfaces of a map as shapely areas, and the crossings' middle lines with widths."""

    road: Any
    walkway: Any
    cycle_lane: Any
    crossings: list[tuple[LineString, float]] = field(default_factory=list)


@dataclass
class Roadside:
    """Everything that stands."""

    buildings: list[Building] = field(default_factory=list)
    trees: list[Tree] = field(default_factory=list)
    lamps: list[Lamp] = field(default_factory=list)


def line_of(lane: Any) -> LineString:
    """A lane's middle."""
    return LineString([point[:2] for point in lane.getShape()])


def ground(network: Any, kind: str) -> Ground:
    """Unite the lanes of a map by what they are for."""
    road, walk, cycle, crossings = [], [], [], []
    for edge in network.getEdges():
        function = edge.getFunction()
        for lane in edge.getLanes():
            shape = [point[:2] for point in lane.getShape()]
            if function == "walkingarea":
                if len(shape) > 2:
                    walk.append(Polygon(shape).buffer(0))
                continue
            line = LineString(shape)
            area = line.buffer(lane.getWidth() / 2 + 0.05, cap_style="flat", join_style="mitre")
            if function == "crossing":
                crossings.append((line, lane.getWidth()))
            foot = lane.allows("pedestrian") and not lane.allows("passenger")
            if foot and function not in ("crossing", "internal"):
                walk.append(area)
                continue
            road.append(area)
            if function == "" and lane.allows("bicycle") and not lane.allows("passenger"):
                cycle.append(area)
    if kind == "urban":
        for node in network.getNodes():
            if len(node.getShape()) > 2:
                road.append(Polygon([p[:2] for p in node.getShape()]).buffer(0.05))
    surface = unary_union(road)
    walkway = unary_union(walk).difference(surface.buffer(-0.1)) if walk else Polygon()
    return Ground(surface, walkway, unary_union(cycle) if cycle else Polygon(), crossings)


def along(line: LineString, distance: float) -> tuple[np.ndarray, np.ndarray]:
    """A point on a line and the direction to its right there."""
    here = np.array(line.interpolate(distance).coords[0])
    behind = np.array(line.interpolate(max(distance - 0.5, 0)).coords[0])
    after = np.array(line.interpolate(min(distance + 0.5, line.length)).coords[0])
    ahead = (after - behind) / (np.linalg.norm(after - behind) + 1e-9)
    return here, np.array([ahead[1], -ahead[0]])


class Planner:
    """Puts buildings and trees where nothing else is."""

    def __init__(self, surfaces: Ground, seed: int) -> None:
        self.rng = random.Random(seed)
        self.kept_clear = prep(surfaces.road.union(surfaces.walkway).buffer(1.2))
        self.taken: list[Any] = []
        self.built = Roadside()

    def free(self, area: Any) -> bool:
        """Whether an area touches neither the street nor what stands already."""
        if self.kept_clear.intersects(area):
            return False
        return not any(area.intersects(other) for other in self.taken)

    def tree(self, position: np.ndarray, scale: float) -> None:
        """Plant a tree."""
        shade = self.rng.uniform(0.75, 1.2)
        conifer = self.rng.random() < 0.25
        self.built.trees.append(Tree(position, scale * self.rng.uniform(0.85, 1.2), shade, conifer))

    def building(self, corner: np.ndarray, right: np.ndarray) -> float | None:
        """Try to put a building beside the street; its width, or None if there is no room."""
        rng = self.rng
        width, depth = rng.uniform(10, 20), rng.uniform(9, 13)
        height = rng.choice(HEIGHTS) * rng.uniform(0.9, 1.15)
        ahead = np.array([-right[1], right[0]])
        corners = np.array(
            [
                corner,
                corner + ahead * width,
                corner + ahead * width + right * depth,
                corner + right * depth,
            ]
        )
        area = Polygon(corners)
        if not self.free(area):
            return None
        self.taken.append(area)
        shade = rng.uniform(0.85, 1.05)
        red, green, blue = rng.choice(WALL_COLOURS)
        self.built.buildings.append(
            Building(corners, height, (red * shade, green * shade, blue * shade))
        )
        return width


def town_side(network: Any, surfaces: Ground, seed: int) -> Roadside:
    """Houses along every street, with trees in the gaps and lamps on the kerb."""
    planner = Planner(surfaces, seed)
    rng = planner.rng
    streets = [edge for edge in network.getEdges() if not edge.isSpecial()]
    for edge in streets:
        line, distance = line_of(edge.getLanes()[0]), rng.uniform(2, 8)
        while distance < line.length - 4:
            here, right = along(line, distance)
            width = planner.building(here + right * rng.uniform(3.2, 5), right)
            if width is not None:
                distance += width + rng.uniform(0.5, 6)
                continue
            if rng.random() < 0.4 and planner.free(Point(here + right * 3).buffer(0.4)):
                planner.tree(here + right * 3, 1.0)
                distance += 3
            distance += 4
    for edge in streets:
        lane = edge.getLanes()[0]
        line = line_of(lane)
        for distance in np.arange(9, line.length - 5, 18):
            here, right = along(line, float(distance))
            kerb = here + right * (lane.getWidth() / 2 + 0.5)
            if rng.random() < 0.45:
                planner.tree(kerb, 0.8)
            else:
                planner.built.lamps.append(Lamp(kerb, -right))
    return planner.built


def country_side(surfaces: Ground, seed: int) -> Roadside:
    """Trees scattered beside a motorway."""
    planner = Planner(surfaces, seed)
    near, far = prep(surfaces.road.buffer(7)), prep(surfaces.road.buffer(85))
    west, south, east, north = surfaces.road.buffer(90).bounds
    for _ in range(3200):
        place = Point(planner.rng.uniform(west, east), planner.rng.uniform(south, north))
        if far.contains(place) and not near.contains(place):
            planner.tree(np.array([place.x, place.y]), planner.rng.uniform(0.9, 1.9))
    return planner.built


def roadside(network: Any, kind: str, surfaces: Ground, seed: int = 1) -> Roadside:
    """What stands beside the roads of a map."""
    if kind == "urban":
        return town_side(network, surfaces, seed)
    return country_side(surfaces, seed)


def sight_past(buildings: list[Building]) -> Sight:
    """The question whether a building stands between an eye and some points."""
    tree = shapely.STRtree([Polygon(one.corners) for one in buildings])

    def seen(eye: np.ndarray, points: np.ndarray) -> np.ndarray:
        ends = np.stack([np.broadcast_to(eye, points.shape), points], axis=1)
        hit, _ = tree.query(shapely.linestrings(ends), predicate="intersects")
        clear = np.ones(len(points), bool)
        clear[hit] = False
        return clear

    return seen
