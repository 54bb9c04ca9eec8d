"""Run SUMO on a map with traffic and record every road user at 10 Hz."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from driving.labelling.scenes import Place
from driving.world.networks import Plan, grid_town, motorway, ring_town, write_network
from driving.world.recordings import Actor, Recording
from driving.world.traffic import route_file

WARM_UP = 60.0
"""Seconds before the recording starts, so that the map is not empty."""


@dataclass(frozen=True)
class Drive:
    """One simulation: a map, its traffic's seed and how long it goes on."""

    name: str
    kind: str
    plan: Plan
    seed: int
    seconds: float


def gallery_drives(seed: int) -> list[Drive]:
    """The drives from which the clips of the collection are cut."""
    return [
        Drive("gridtown", "urban", grid_town(seed + 3, (1, 2)), seed + 1, 420),
        Drive("oldtown", "urban", grid_town(seed + 11, (2,), spacing=100), seed + 2, 420),
        Drive("ringtown", "urban", ring_town(seed + 4), seed + 3, 420),
        Drive("motorway", "highway", motorway(seed + 5, 3), seed + 4, 420),
    ]


def training_drives(seed: int) -> list[Drive]:
    """Other maps and other traffic: no clip of the collection is cut from these."""
    return [
        Drive("train_gridtown", "urban", grid_town(seed + 105, (1, 2)), seed + 101, 420),
        Drive(
            "train_oldtown", "urban", grid_town(seed + 108, (0, 2), spacing=105), seed + 102, 420
        ),
        Drive("train_ringtown", "urban", ring_town(seed + 109, 7, (90, 185)), seed + 103, 420),
        Drive("train_motorway", "highway", motorway(seed + 107, 3), seed + 104, 420),
    ]


def read_network(path: Path) -> Any:
    """The network as sumolib sees it, with what lies inside junctions."""
    import sumolib

    return sumolib.net.readNet(str(path), withInternal=True, withPedestrianConnections=True)


def place(network: Any, kind: str) -> Place:
    """What labelling has to know about a map: junctions of three arms or more, and crossings."""
    junctions = set()
    for node in network.getNodes():
        arms = {e.getFromNode().getID() for e in node.getIncoming() if not e.isSpecial()}
        arms |= {e.getToNode().getID() for e in node.getOutgoing() if not e.isSpecial()}
        if len(arms) > 2:
            junctions.add(node.getID())
    crossings = [
        np.mean([point[:2] for point in edge.getShape()], axis=0)
        for edge in network.getEdges()
        if edge.getFunction() == "crossing"
    ]
    return Place(kind, frozenset(junctions), np.array(crossings, float).reshape(-1, 2))


def vehicle_rows(libsumo: Any) -> Iterator[tuple[str, tuple[float, ...], str]]:
    """Id, state and lane of each vehicle at the present step."""
    vehicles = libsumo.vehicle
    for name in vehicles.getIDList():
        x, y = vehicles.getPosition(name)
        if x > -1e6:
            yield (
                name,
                (
                    x,
                    y,
                    vehicles.getAngle(name),
                    vehicles.getSpeed(name),
                    vehicles.getLateralLanePosition(name),
                    vehicles.getSignals(name),
                ),
                vehicles.getLaneID(name),
            )


def walker_rows(libsumo: Any) -> Iterator[tuple[str, tuple[float, ...], str]]:
    """Id, state and street of each walker at the present step."""
    persons = libsumo.person
    for name in persons.getIDList():
        x, y = persons.getPosition(name)
        state = (x, y, persons.getAngle(name), persons.getSpeed(name), 0.0, 0)
        yield name, state, persons.getRoadID(name)


def actor(libsumo: Any, name: str) -> Actor:
    """Type, size and colour of a road user that has just appeared."""
    if name.startswith("walker"):
        return Actor(name, "walker", 0.3, 0.5, libsumo.person.getColor(name)[0])
    vehicles = libsumo.vehicle
    return Actor(
        name,
        vehicles.getTypeID(name),
        round(vehicles.getLength(name), 2),
        round(vehicles.getWidth(name), 2),
        vehicles.getColor(name)[0],
    )


def simulate(drive: Drive, folder: Path) -> Recording:
    """Build the map, run the traffic and return what was seen after the warm-up."""
    import libsumo

    network = write_network(drive.plan, drive.name, folder)
    routes = folder / f"{drive.name}.rou.xml"
    text = route_file(read_network(network), drive.kind, drive.seed, drive.seconds)
    routes.write_text(text, encoding="utf-8")
    libsumo.start(
        [
            "sumo",
            "-n",
            str(network),
            "-r",
            str(routes),
            "--step-length",
            "0.1",
            "--lateral-resolution",
            "0.8",
            "--seed",
            str(drive.seed),
            "--no-step-log",
            "--no-warnings",
            "--collision.action",
            "none",
            "--time-to-teleport",
            "90",
            "--default.speeddev",
            "0.1",
            "--ignore-route-errors",
            "--pedestrian.model",
            "striping",
        ]
    )
    lights = libsumo.trafficlight.getIDList()
    actors: dict[str, Actor] = {}
    frames: list[list[tuple[str, tuple[float, ...], str]]] = []
    states: list[dict[str, str]] = []
    while libsumo.simulation.getTime() < drive.seconds:
        libsumo.simulationStep()
        if libsumo.simulation.getTime() < WARM_UP:
            continue
        rows = [*vehicle_rows(libsumo), *walker_rows(libsumo)]
        for name, _, _ in rows:
            if name not in actors:
                actors[name] = actor(libsumo, name)
        frames.append(rows)
        states.append({k: libsumo.trafficlight.getRedYellowGreenState(k) for k in lights})
    libsumo.close()
    return dense(drive, list(actors.values()), frames, states)


def dense(
    drive: Drive,
    actors: list[Actor],
    frames: list[list[tuple[str, tuple[float, ...], str]]],
    lights: list[dict[str, str]],
) -> Recording:
    """Rows of names and states as arrays of shape (steps, actors)."""
    column = {one.actor_id: i for i, one in enumerate(actors)}
    values = np.full((6, len(frames), len(actors)), np.nan)
    lane = np.full((len(frames), len(actors)), -1, np.int32)
    codes: dict[str, int] = {}
    for step, rows in enumerate(frames):
        for name, state, lane_name in rows:
            values[:, step, column[name]] = state
            lane[step, column[name]] = codes.setdefault(lane_name, len(codes))
    x, y, compass, speed, lateral, signals = values
    return Recording(
        name=drive.name,
        kind=drive.kind,
        actors=tuple(actors),
        x=x.astype(np.float32),
        y=y.astype(np.float32),
        heading=unwrapped(math.pi / 2 - np.radians(compass)).astype(np.float32),
        speed=speed.astype(np.float32),
        lateral=lateral.astype(np.float32),
        signals=np.nan_to_num(signals).astype(np.int32),
        lane=lane,
        lanes=tuple(codes),
        lights=tuple(lights),
    )


def unwrapped(angles: np.ndarray) -> np.ndarray:
    """Angles without jumps of a full turn, column by column, NaN left where it was."""
    out = angles.copy()
    for column in out.T:
        known = np.isfinite(column)
        column[known] = np.unwrap(column[known])
    return out
