"""Light, sky and air for each time of day and weather."""

from __future__ import annotations

from dataclasses import dataclass, replace

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Air:
    """What the shaders have to know; colours from 0 to 1, `fog` per metre."""

    sun: Triple
    sunlight: Triple
    ambient: Triple
    haze: Triple
    fog: float
    zenith: Triple
    horizon: Triple
    clouds: float
    night: bool = False
    wet: bool = False
    lamps_on: bool = True
    glow: float = 0.0
    """How strongly lamps shine into the air."""

    @property
    def shadows(self) -> bool:
        """Whether the sun is bright enough to throw shadows."""
        return max(self.sunlight) > 0.5


SUNNY = Air(
    sun=(0.50, 0.38, 0.62),
    sunlight=(0.86, 0.78, 0.62),
    ambient=(0.44, 0.49, 0.58),
    haze=(0.74, 0.81, 0.88),
    fog=0.0036,
    zenith=(0.20, 0.44, 0.80),
    horizon=(0.74, 0.84, 0.94),
    clouds=0.75,
    lamps_on=False,
)
OVERCAST = Air(
    sun=(0.2, 0.2, 0.96),
    sunlight=(0.16, 0.16, 0.16),
    ambient=(0.60, 0.61, 0.62),
    haze=(0.72, 0.74, 0.76),
    fog=0.006,
    zenith=(0.62, 0.64, 0.67),
    horizon=(0.80, 0.81, 0.82),
    clouds=0.35,
    lamps_on=False,
)
RAINY = Air(
    sun=(0.2, 0.2, 0.96),
    sunlight=(0.08, 0.08, 0.09),
    ambient=(0.46, 0.50, 0.56),
    haze=(0.50, 0.54, 0.58),
    fog=0.013,
    zenith=(0.33, 0.37, 0.42),
    horizon=(0.50, 0.54, 0.58),
    clouds=0.0,
    wet=True,
    glow=0.35,
)
FOGGY = Air(
    sun=(0.2, 0.2, 0.96),
    sunlight=(0.06, 0.06, 0.06),
    ambient=(0.72, 0.74, 0.76),
    haze=(0.80, 0.82, 0.83),
    fog=0.026,
    zenith=(0.77, 0.79, 0.80),
    horizon=(0.80, 0.82, 0.83),
    clouds=0.0,
    glow=0.30,
)
NIGHT = Air(
    sun=(0.2, 0.2, 0.96),
    sunlight=(0.02, 0.02, 0.03),
    ambient=(0.155, 0.170, 0.225),
    haze=(0.035, 0.040, 0.070),
    fog=0.008,
    zenith=(0.008, 0.012, 0.035),
    horizon=(0.06, 0.065, 0.10),
    clouds=0.0,
    night=True,
    glow=0.85,
)
NIGHT_RAIN = replace(NIGHT, haze=(0.045, 0.050, 0.075), fog=0.013, wet=True, glow=1.0)

AIRS: dict[tuple[str, ...], Air] = {
    ("daytime", "sunny"): SUNNY,
    ("daytime", "overcast"): OVERCAST,
    ("daytime", "rainy"): RAINY,
    ("daytime", "foggy"): FOGGY,
    ("nighttime",): NIGHT,
    ("nighttime", "rainy"): NIGHT_RAIN,
}
