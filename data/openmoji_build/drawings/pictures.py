"""Drawings and digits as small picture files."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

SIDE = 128
COLOURS = 24
"""Flat drawings need few; a palette makes lossless files smaller than lossy ones."""
ENLARGED = 6
"""Pixels of a digit's picture along the side of one pixel of the digit."""
BRIGHTEST = 16


def draw(svg: Path) -> Image.Image:
    """A drawing on white, 128 pixels a side."""
    import resvg_py

    png = bytes(resvg_py.svg_to_bytes(svg_path=str(svg), width=SIDE, height=SIDE))
    drawn = Image.open(io.BytesIO(png)).convert("RGBA")
    sheet = Image.new("RGB", drawn.size, "white")
    sheet.paste(drawn, (0, 0), drawn)
    return sheet.quantize(COLOURS, dither=Image.Dither.NONE).convert("RGB")


def write_picture(picture: Image.Image, path: Path) -> None:
    """Write a picture as lossless WebP."""
    picture.save(path, lossless=True, quality=100, method=6)


def digit_picture(pixels: np.ndarray) -> Image.Image:
    """A digit of 8 × 8 values from 0 to 16, dark on white, each value a square."""
    grey = np.round(255 * (1 - pixels.reshape(8, 8) / BRIGHTEST)).astype(np.uint8)
    side = 8 * ENLARGED
    return Image.fromarray(grey).resize((side, side), Image.Resampling.NEAREST)


def write_overview(pictures: Sequence[Path], path: Path, columns: int = 12) -> None:
    """Write pictures side by side as one, each 64 pixels a side."""
    side, rows = SIDE // 2, -(-len(pictures) // columns)
    sheet = Image.new("RGB", (columns * side, rows * side), "white")
    for number, picture in enumerate(pictures):
        with Image.open(picture) as opened:
            small = opened.convert("RGB").resize((side - 8, side - 8), Image.Resampling.LANCZOS)
        sheet.paste(small, (number % columns * side + 4, number // columns * side + 4))
    sheet.save(path, quality=80, method=6)
