"""What lies between the world and the picture: rain on its way down, and our own bonnet."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw

STREAKS = 120
RAIN_COLOUR = (215, 222, 230)


@lru_cache(4)
def bonnet(width: int, height: int, night: bool) -> Image.Image:
    """The bonnet's edge at the foot of the picture, with an alpha channel."""
    w, h = width * 2, height * 2
    picture = Image.new("RGBA", (w, h), (0, 0, 0, 0))
    draw = ImageDraw.Draw(picture)
    oval = (-w * 0.12, h * 0.90, w * 1.12, h * 1.5)
    body, edge = ((14, 15, 19), (38, 42, 50)) if night else ((26, 28, 34), (78, 84, 96))
    draw.ellipse(oval, fill=(*body, 255))
    draw.arc(oval, 200, 340, fill=(*edge, 255), width=3)
    return picture.resize((width, height), Image.Resampling.LANCZOS)


def rain(picture: Image.Image, seed: int, night: bool) -> Image.Image:
    """Streaks that fan out from the middle, drawn anew for each picture."""
    rng = np.random.default_rng(seed)
    width, height = picture.size
    scale = height / 216
    cover = Image.new("L", picture.size, 0)
    draw = ImageDraw.Draw(cover)
    strongest = 60 if night else 95
    for _ in range(STREAKS):
        x, y = rng.uniform(0, width), rng.uniform(-20 * scale, height)
        long, slant = rng.uniform(8, 20) * scale, (x / width - 0.5) * 0.5
        strength = int(rng.uniform(strongest * 0.4, strongest))
        draw.line((x, y, x + slant * long, y + long), fill=strength, width=1)
    return Image.composite(Image.new("RGB", picture.size, RAIN_COLOUR), picture, cover)
