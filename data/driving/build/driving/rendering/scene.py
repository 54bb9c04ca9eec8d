"""All that stands still on a map: ground, markings, signals, houses, trees, lamps and rails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from shapely.geometry import LineString, MultiPoint, Point, Polygon, box
from shapely.ops import substring, unary_union

from driving.rendering.meshes import ASPHALT, FACADE, FOLIAGE, LIT, SHADOW, Mesh
from driving.rendering.weather import SUNNY
from driving.world.roadside import (
    Building,
    Ground,
    Lamp,
    Roadside,
    Tree,
    along,
    ground,
    line_of,
    roadside,
)

WHITE, YELLOW, STEEL = (0.88, 0.88, 0.86), (0.90, 0.72, 0.18), (0.30, 0.31, 0.32)
MARK_HEIGHT = 0.022
SHADE = 0.42


@dataclass(frozen=True)
class Signal:
    """A traffic light at the end of one approach, and its places in the signal's state text."""

    signal_id: str
    links: tuple[int, ...]
    position: np.ndarray
    ahead: np.ndarray


@dataclass(frozen=True)
class Scene:
    """The still part of a map as triangles, its shadows by sunlight, and what gives light."""

    triangles: np.ndarray
    shadows: np.ndarray
    signals: tuple[Signal, ...]
    lamp_heads: np.ndarray


def stripe(
    mesh: Mesh,
    line: LineString,
    width: float,
    colour: Any,
    dashes: tuple[float, float] | None = None,
) -> None:
    """A painted line, whole or in dashes of (length, gap)."""
    if line.length < 0.3:
        return
    if dashes is None:
        area = line.buffer(width / 2, cap_style="flat", join_style="mitre")
        mesh.flat(area, MARK_HEIGHT, colour)
        return
    for start in np.arange(0, line.length - dashes[0], sum(dashes)):
        piece = substring(line, start, start + dashes[0])
        mesh.flat(piece.buffer(width / 2, cap_style="flat"), MARK_HEIGHT, colour)


def ground_mesh(mesh: Mesh, surfaces: Ground, kind: str) -> None:
    """Grass or paving around, the road, cycle lanes, raised walkways and zebra crossings."""
    west, south, east, north = surfaces.road.bounds
    around = (0.47, 0.48, 0.42) if kind == "urban" else (0.36, 0.42, 0.25)
    mesh.flat(box(west - 500, south - 500, east + 500, north + 500), -0.06, around, FOLIAGE)
    if kind != "urban":
        mesh.flat(surfaces.road.buffer(1.6), -0.02, (0.38, 0.37, 0.35))
    mesh.flat(surfaces.road, 0, (0.235, 0.237, 0.245), ASPHALT)
    mesh.flat(surfaces.cycle_lane, 0.012, (0.50, 0.20, 0.17), ASPHALT)
    mesh.flat(surfaces.walkway, 0.13, (0.62, 0.61, 0.58))
    mesh.walls(surfaces.walkway, -0.02, 0.13, (0.50, 0.50, 0.48))
    for line, width in surfaces.crossings:
        for start in np.arange(0.35, line.length - 0.5, 1.05):
            bar = substring(line, start, start + 0.5).buffer(width / 2, cap_style="flat")
            mesh.flat(bar, 0.02, WHITE)


def markings(mesh: Mesh, network: Any, kind: str) -> None:
    """Lines between lanes, the middle line, edge lines and stop lines."""
    dashes = (3.0, 4.5) if kind == "urban" else (6.0, 9.0)
    for edge in network.getEdges():
        if edge.isSpecial():
            continue
        lanes = [a for a in edge.getLanes() if a.allows("passenger") or not a.allows("pedestrian")]
        for i, lane in enumerate(lanes):
            line, half = line_of(lane), lane.getWidth() / 2
            left = line.offset_curve(half)
            if i + 1 < len(lanes):
                stripe(mesh, left, 0.14, WHITE, dashes if lane.allows("passenger") else None)
            else:
                stripe(mesh, left, 0.16, YELLOW if kind == "urban" else WHITE)
            if i == 0:
                stripe(mesh, line.offset_curve(0.12 - half), 0.14, WHITE)
            if kind == "urban" and len(edge.getToNode().getIncoming()) > 2:
                end = substring(line, line.length - 0.9, line.length - 0.45)
                mesh.flat(end.buffer(half, cap_style="flat"), MARK_HEIGHT, WHITE)


def signals(mesh: Mesh, network: Any) -> list[Signal]:
    """A pole with a signal head beside each approach that has one."""
    found = []
    for light in network.getTrafficLights():
        approaches: dict[str, list[tuple[Any, int]]] = {}
        for lane, _, link in light.getConnections():
            if not lane.getEdge().isSpecial() and lane.allows("passenger"):
                approaches.setdefault(lane.getEdge().getID(), []).append((lane, link))
        for lanes in approaches.values():
            lane = lanes[0][0]
            before, end = (np.array(p[:2]) for p in lane.getShape()[-2:])
            ahead = (end - before) / np.linalg.norm(end - before)
            right = np.array([ahead[1], -ahead[0]])
            place = end + ahead + right * (lane.getWidth() / 2 + 0.7)
            mesh.rod((*place, 0), (*place, 3.4), 0.14, STEEL)
            mesh.box((*place, 2.35), (0.34, 0.34, 1.0), (0.08, 0.08, 0.09))
            found.append(Signal(light.getID(), tuple(link for _, link in lanes), place, ahead))
    return found


def house(mesh: Mesh, one: Building) -> None:
    """Four walls with windows, a roof with an edge."""
    corners, high = one.corners, one.height
    for i in range(4):
        a, b = corners[i], corners[(i + 1) % 4]
        long = float(np.linalg.norm(b - a))
        face = [(*b, 0), (*a, 0), (*a, high), (*b, high)]
        mesh.quad(face, one.colour, FACADE, [(long, 0), (0, 0), (0, high), (long, high)])
        mesh.rod((*a, high), (*b, high), 0.35, np.array(one.colour) * 0.7)
    mesh.quad([(*c, high) for c in corners], np.array(one.colour) * 0.6)


def tree(mesh: Mesh, one: Tree) -> None:
    """A trunk with a round crown, or a conifer's two cones."""
    k, place = one.scale, one.position
    mesh.rod((*place, 0), (*place, 2.0 * k), 0.24 * k, (0.30, 0.22, 0.15))
    if one.conifer:
        green = np.array((0.13, 0.29, 0.17)) * one.shade
        for base, width, high in ((1.0, 2.6, 2.6), (2.4, 1.9, 2.6)):
            mesh.box(
                (*place, base * k), (width * k, width * k, high * k), green, FOLIAGE, (0.05, 0.05)
            )
        return
    green = np.array((0.20, 0.36, 0.15)) * one.shade
    mesh.sphere((*place, 3.2 * k), 1.5 * k, green, FOLIAGE, 8, 1.15)
    mesh.sphere((place[0] + 0.7 * k, place[1] + 0.3 * k, 2.7 * k), k, green * 0.9, FOLIAGE, 7)


def lamp_head(one: Lamp) -> np.ndarray:
    """Where a street lamp shines."""
    return np.array([*(one.position + one.arm * 1.6), 6.25])


def street_lamp(mesh: Mesh, one: Lamp) -> None:
    """A pole, an arm over the road and a lit head."""
    head = lamp_head(one)
    mesh.rod((*one.position, 0), (*one.position, 6.2), 0.12, STEEL)
    mesh.rod((*one.position, 6.2), (*head[:2], 6.4), 0.1, STEEL)
    mesh.box(head, (0.6, 0.3, 0.14), (1.0, 0.93, 0.7), LIT)


def rails(mesh: Mesh, network: Any, road: Any) -> None:
    """Crash barriers on both sides of a motorway's carriageways."""
    grey, clear = (0.66, 0.67, 0.69), road.buffer(0.6)
    for edge in network.getEdges():
        if edge.isSpecial():
            continue
        for lane, side in ((edge.getLanes()[0], -1), (edge.getLanes()[-1], 1)):
            line = line_of(lane).offset_curve(side * (lane.getWidth() / 2 + 1.4))
            for start in np.arange(0, line.length - 4, 4):
                p, _ = along(line, float(start))
                q, _ = along(line, float(start) + 4)
                if clear.intersects(LineString([p, q])):
                    continue
                mesh.quad([(*p, 0.45), (*q, 0.45), (*q, 0.78), (*p, 0.78)], grey)
                mesh.rod((*p, 0), (*p, 0.7), 0.1, (0.5, 0.5, 0.52))


def shadow(corners: np.ndarray, height: float) -> Any:
    """The area that an upright body shades on level ground by sunlight."""
    sun = np.array(SUNNY.sun)
    away = -sun[:2] / sun[2] * height
    return MultiPoint(np.vstack([corners, corners + away])).convex_hull


def still_shadows(stands: Roadside) -> np.ndarray:
    """The shadows of houses and trees as triangles, each piece of ground shaded once."""
    areas = [shadow(one.corners, one.height) for one in stands.buildings]
    sun = np.array(SUNNY.sun)
    for one in stands.trees:
        middle = one.position - sun[:2] / sun[2] * 3.2 * one.scale
        areas.append(shapely.affinity.scale(Point(middle).buffer(1.5 * one.scale), 1.3, 1.1))
        areas.append(LineString([one.position, middle]).buffer(0.14 * one.scale))
    mesh = Mesh()
    houses = unary_union([Polygon(one.corners) for one in stands.buildings])
    mesh.flat(unary_union(areas).difference(houses), 0.15, (0, 0, 0), SHADOW)
    triangles = mesh.array()
    triangles[:, 10] = SHADE
    return triangles


def build_scene(network: Any, kind: str) -> Scene:
    """The scene of a map; the roadside is the same that labelling looked past."""
    surfaces, mesh = ground(network, kind), Mesh()
    stands = roadside(network, kind, surfaces)
    ground_mesh(mesh, surfaces, kind)
    markings(mesh, network, kind)
    lights = signals(mesh, network) if kind == "urban" else []
    for building in stands.buildings:
        house(mesh, building)
    for one in stands.trees:
        tree(mesh, one)
    for lamp in stands.lamps:
        street_lamp(mesh, lamp)
    if kind != "urban":
        rails(mesh, network, surfaces.road)
    heads = np.array([lamp_head(one) for one in stands.lamps]).reshape(-1, 3)
    return Scene(mesh.array(), still_shadows(stands), tuple(lights), heads)
