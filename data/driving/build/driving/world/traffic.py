"""Who drives, rides and walks where: route files for SUMO, drawn from a seed.

Shares and rates were chosen so that each of the five object types is often near another car.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

TYPES = """
<vType id="car" vClass="passenger" length="4.5" width="1.8" minGapLat="0.4" lcSpeedGain="2"
  lcStrategic="1" sigma="0.4" maxSpeedLat="1.3" lcPushy="0.2"/>
<vType id="fast_car" vClass="passenger" length="4.3" width="1.8" speedFactor="1.25"
  minGapLat="0.4" lcSpeedGain="6" lcAssertive="2" sigma="0.3" maxSpeedLat="1.6"/>
<vType id="van" vClass="delivery" length="5.6" width="2.0" minGapLat="0.4" speedFactor="0.95"
  maxSpeedLat="1.2"/>
<vType id="truck" vClass="truck" length="9" width="2.45" minGapLat="0.4" speedFactor="0.8"
  maxSpeedLat="0.8"/>
<vType id="bus" vClass="bus" length="12" width="2.5" minGapLat="0.4" speedFactor="0.85"
  maxSpeedLat="0.8"/>
<vType id="motorcycle" vClass="motorcycle" length="2.2" width="0.8" minGapLat="0.4"
  speedFactor="1.15" lcSpeedGain="5" maxSpeedLat="1.5"/>
<vType id="bicycle" vClass="bicycle" length="1.7" width="0.65" minGapLat="0.3" maxSpeed="6"
  latAlignment="right" lcSpeedGain="2" maxSpeedLat="1"/>
<vType id="walker" vClass="pedestrian"/>
"""
TOWN_MIX = {
    "car": 0.40,
    "fast_car": 0.14,
    "van": 0.07,
    "truck": 0.06,
    "bus": 0.04,
    "motorcycle": 0.08,
    "bicycle": 0.21,
}
MOTORWAY_MIX = {
    "car": 0.48,
    "fast_car": 0.2,
    "van": 0.06,
    "truck": 0.14,
    "bus": 0.03,
    "motorcycle": 0.09,
}
MOTORWAY_WAYS = {
    ("a_b", "f_g"): 0.48,
    ("a_b", "exit_end"): 0.12,
    ("entry", "f_g"): 0.22,
    ("g_f_back", "b_a_back"): 0.18,
}
COLOURS = 9


def draw(rng: random.Random, shares: dict[Any, float]) -> Any:
    """One key, drawn by its share."""
    return rng.choices(list(shares), list(shares.values()))[0]


def moments(rng: random.Random, rate: float, horizon: float) -> Iterator[float]:
    """Times of arrival, `rate` a second on average."""
    time = rng.expovariate(rate)
    while time < horizon:
        yield time
        time += rng.expovariate(rate)


def trip(
    rng: random.Random,
    name: str,
    kind: str,
    time: float,
    ways: tuple[str, str],
    lane: str,
    inside: str = "",
) -> tuple[float, str]:
    """A vehicle that starts at `time`; `inside` is XML for its stops."""
    return time, (
        f'<trip id="{name}" type="{kind}" depart="{time:.1f}" from="{ways[0]}" to="{ways[1]}" '
        f'departLane="{lane}" departSpeed="max" color="{rng.randrange(COLOURS)},0,0">'
        f"{inside}</trip>"
    )


def town_traffic(network: Any, rng: random.Random, horizon: float) -> list[tuple[float, str]]:
    """Mixed vehicles between random streets, deliveries that block a lane, and walkers."""
    edges = [edge for edge in network.getEdges() if not edge.isSpecial()]
    names = [edge.getID() for edge in edges]
    rows = []
    for number, time in enumerate(moments(rng, 0.75, horizon)):
        kind = draw(rng, TOWN_MIX)
        start, end = rng.sample(names, 2)
        if start.split("_")[::-1] != end.split("_"):
            rows.append(trip(rng, f"{kind}{number}", kind, time, (start, end), "best"))
    wide = [e for e in edges if sum(lane.allows("passenger") for lane in e.getLanes()) >= 2]
    for number, edge in enumerate(rng.sample(wide, min(10, len(wide)))):
        lane = next(
            lane
            for lane in edge.getLanes()
            if lane.allows("delivery") and not lane.allows("pedestrian")
        )
        time, kind = rng.uniform(5, horizon * 0.7), rng.choice(["van", "truck", "bus"])
        stop = (
            f'<stop lane="{lane.getID()}" endPos="{lane.getLength() * 0.6:.1f}" '
            f'duration="{rng.uniform(60, 140):.0f}"/>'
        )
        ways = (edge.getID(), edge.getID())
        rows.append(trip(rng, f"{kind}_delivery{number}", kind, time, ways, "first", stop))
    walkways = [e.getID() for e in edges if any(lane.allows("pedestrian") for lane in e.getLanes())]
    for number, time in enumerate(moments(rng, 0.8, horizon)):
        start, end = rng.sample(walkways, 2)
        walk = f'<personTrip from="{start}" to="{end}"/>'
        text = (
            f'<person id="walker{number}" type="walker" depart="{time:.1f}" '
            f'departPos="random" color="{rng.randrange(COLOURS)},0,0">{walk}</person>'
        )
        rows.append((time, text))
    return rows


def motorway_traffic(network: Any, rng: random.Random, horizon: float) -> list[tuple[float, str]]:
    """Vehicles along the motorway, on and off it, and now and then a broken-down van or truck."""
    rows = []
    for number, time in enumerate(moments(rng, 0.85, horizon)):
        kind = draw(rng, MOTORWAY_MIX)
        rows.append(trip(rng, f"{kind}{number}", kind, time, draw(rng, MOTORWAY_WAYS), "random"))
    for number, time in enumerate(range(40, int(horizon) - 60, 80)):
        kind = "van" if number % 2 else "truck"
        place = 200 + number * 50 % 240
        stop = f'<stop lane="e_f_0" endPos="{place}" duration="60"/>'
        ways = ("a_b", "f_g")
        rows.append(trip(rng, f"{kind}_breakdown{number}", kind, float(time), ways, "0", stop))
    return rows


def route_file(network: Any, kind: str, seed: int, horizon: float) -> str:
    """The text of a route file for a town or a motorway, sorted by time as SUMO wants it."""
    rng = random.Random(seed)
    traffic = town_traffic if kind == "urban" else motorway_traffic
    rows = sorted(traffic(network, rng, horizon), key=lambda row: row[0])
    return "<routes>" + TYPES + "\n".join(text for _, text in rows) + "</routes>\n"
