"""Road maps of our own: plain XML, joined into a network by SUMO's netconvert.

Two kinds of town (a jittered grid, and rings with spokes, whose streets are bends) and a motorway
with an entry and an exit. Every measure below is in metres.
"""

from __future__ import annotations

import math
import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

WALKWAY = '<lane index="0" allow="pedestrian" width="2.6" speed="1.5"/>'
CYCLE_LANE = '<lane index="1" allow="bicycle" width="1.6"/>'
TOWN_OPTIONS = (
    "--crossings.guess",
    "true",
    "--walkingareas",
    "true",
    "--tls.cycle.time",
    "50",
    "--tls.left-green.time",
    "5",
)
MOTORWAY_OPTIONS = ("--ramps.guess", "true", "--ramps.ramp-length", "180")


@dataclass(frozen=True)
class Plan:
    """Nodes and edges of a map before netconvert has seen them."""

    nodes: list[str]
    edges: list[str]
    options: tuple[str, ...]


@dataclass(frozen=True)
class Street:
    """How a street between two crossings is built, in both directions alike."""

    lanes: int
    speed: float
    priority: int
    cycle_lane: bool = False


MAIN = Street(lanes=2, speed=13.9, priority=3)
SIDE = Street(lanes=1, speed=9.0, priority=1)
SIDE_WITH_CYCLE_LANE = Street(lanes=1, speed=9.0, priority=1, cycle_lane=True)


def node(name: str, x: float, y: float, kind: str = "priority", radius: float = 7) -> str:
    """One node of the plain XML."""
    return f'<node id="{name}" x="{x:.1f}" y="{y:.1f}" type="{kind}" radius="{radius}"/>'


def both_ways(
    a: str, b: str, street: Street, shape: list[tuple[float, float]] | None = None
) -> list[str]:
    """The two edges of a street, each with a walkway and perhaps a cycle lane on its right."""
    edges = []
    for start, end, points in ((a, b, shape or []), (b, a, (shape or [])[::-1])):
        sides = [WALKWAY] + ([CYCLE_LANE] if street.cycle_lane else [])
        banned = "pedestrian bicycle" if street.cycle_lane else "pedestrian"
        cars = [
            f'<lane index="{len(sides) + i}" disallow="{banned}"/>' for i in range(street.lanes)
        ]
        bend = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
        edges.append(
            f'<edge id="{start}_{end}" from="{start}" to="{end}" '
            f'numLanes="{len(sides) + len(cars)}" speed="{street.speed}" '
            f'priority="{street.priority}"'
            + (f' shape="{bend}"' if bend else "")
            + f">{''.join(sides + cars)}</edge>"
        )
    return edges


def grid_town(seed: int, arterials: tuple[int, ...], spacing: float = 115, size: int = 4) -> Plan:
    """A grid of streets with jittered crossings; the `arterials` rows and columns are wide."""
    rng = random.Random(seed)
    nodes, edges = [], []
    for i in range(size):
        for j in range(size):
            x = i * spacing + rng.uniform(-12, 12)
            y = j * spacing + rng.uniform(-12, 12)
            main = i in arterials or j in arterials
            lights = (i in arterials and j in arterials) or (main and rng.random() < 0.35)
            nodes.append(node(f"n{i}{j}", x, y, "traffic_light" if lights else "priority"))
    for i in range(size):
        for j in range(size):
            for u, v, wide in ((i + 1, j, j in arterials), (i, j + 1, i in arterials)):
                if u < size and v < size:
                    side = SIDE_WITH_CYCLE_LANE if rng.random() < 0.25 else SIDE
                    edges += both_ways(f"n{i}{j}", f"n{u}{v}", MAIN if wide else side)
    return Plan(nodes, edges, TOWN_OPTIONS)


def arc(radius: float, start: float, end: float, pieces: int = 12) -> list[tuple[float, float]]:
    """Points on a circle around the origin between two angles."""
    angles = [start + (end - start) * i / pieces for i in range(pieces + 1)]
    return [(radius * math.cos(a), radius * math.sin(a)) for a in angles]


def ring_town(seed: int, spokes: int = 6, radii: tuple[float, ...] = (85, 190)) -> Plan:
    """Rings joined by straight spokes: the rings are the bends of the collection."""
    rng = random.Random(seed)
    turn = rng.uniform(0, 1)
    angles = [turn + 2 * math.pi * i / spokes + rng.uniform(-0.1, 0.1) for i in range(spokes)]
    nodes = [node("centre", 0, 0, "traffic_light", 10)]
    edges = []
    for ring, radius in enumerate(radii):
        for i, angle in enumerate(angles):
            kind = "traffic_light" if ring == 0 and i % 3 == 0 else "priority"
            nodes.append(
                node(f"r{ring}{i}", radius * math.cos(angle), radius * math.sin(angle), kind)
            )
            after = (i + 1) % spokes
            end = angles[after] + (2 * math.pi if after == 0 else 0)
            bend = arc(radius, angle, end)
            side = SIDE_WITH_CYCLE_LANE if rng.random() < 0.25 else SIDE
            edges += both_ways(f"r{ring}{i}", f"r{ring}{after}", MAIN if ring == 0 else side, bend)
    for i in range(spokes):
        if i % 2 == 0:
            edges += both_ways("centre", f"r0{i}", MAIN)
        edges += both_ways(f"r0{i}", f"r1{i}", MAIN if i % 2 == 0 else SIDE)
    return Plan(nodes, edges, TOWN_OPTIONS)


def motorway(seed: int, lanes: int) -> Plan:
    """A bending motorway of two carriageways with an entry, a weaving lane and an exit."""
    rng = random.Random(seed)
    sway, length, phase = rng.uniform(30, 45), rng.uniform(240, 280), rng.uniform(0, 6)
    names = "abcdefg"
    places = dict(zip(names, (-200.0, 300.0, 500.0, 1000.0, 1200.0, 1700.0, 2200.0), strict=True))

    def middle(x: float) -> float:
        return sway * math.sin(x / length + phase)

    def bend(start: float, end: float, side: float) -> str:
        steps = max(2, int(abs(end - start) // 20))
        xs = [start + (end - start) * i / steps for i in range(steps + 1)]
        return " ".join(f"{x:.2f},{middle(x) + side:.2f}" for x in xs)

    nodes = [node(n, x, middle(x)) for n, x in places.items()]
    nodes += [node(f"{n}_back", x, middle(x) + 24) for n, x in places.items()]
    edges = []
    for u, v in zip(names, names[1:], strict=False):
        count = lanes + (u in "bd")
        common = 'speed="30" priority="9" spreadType="center"'
        edges.append(
            f'<edge id="{u}_{v}" from="{u}" to="{v}" numLanes="{count}" {common} '
            f'shape="{bend(places[u], places[v], 0)}"/>'
        )
        edges.append(
            f'<edge id="{v}_{u}_back" from="{v}_back" to="{u}_back" numLanes="{lanes}" {common} '
            f'shape="{bend(places[v], places[u], 24)}"/>'
        )
    nodes += [
        node("entry_far", 80, middle(80) - 75),
        node("entry_near", 220, middle(220) - 24),
        node("exit_near", 1290, middle(1290) - 30),
        node("exit_far", 1420, middle(1420) - 85),
    ]
    ramp = 'numLanes="1" priority="2"'
    edges += [
        f'<edge id="entry" from="entry_far" to="entry_near" speed="18" {ramp}/>',
        f'<edge id="entry_end" from="entry_near" to="b" speed="22" {ramp}/>',
        f'<edge id="exit" from="e" to="exit_near" speed="22" {ramp}/>',
        f'<edge id="exit_end" from="exit_near" to="exit_far" speed="16" {ramp}/>',
    ]
    return Plan(nodes, edges, MOTORWAY_OPTIONS)


def write_network(plan: Plan, name: str, folder: Path) -> Path:
    """Join a plan into `<name>.net.xml` with netconvert and return the file."""
    import sumo

    folder.mkdir(parents=True, exist_ok=True)
    nodes, edges = folder / f"{name}.nod.xml", folder / f"{name}.edg.xml"
    network = folder / f"{name}.net.xml"
    nodes.write_text("<nodes>\n" + "\n".join(plan.nodes) + "\n</nodes>\n", encoding="utf-8")
    edges.write_text("<edges>\n" + "\n".join(plan.edges) + "\n</edges>\n", encoding="utf-8")
    subprocess.run(
        [
            str(Path(sumo.SUMO_HOME) / "bin" / "netconvert"),
            "-n",
            str(nodes),
            "-e",
            str(edges),
            "-o",
            str(network),
            "--no-turnarounds",
            "true",
            "--junctions.internal-link-detail",
            "24",
            "--junctions.corner-detail",
            "8",
            "--no-warnings",
            "true",
            *plan.options,
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return network
