"""Pictures to files: films that browsers play, and posters."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
from PIL import Image

QUALITY = "28"
POSTER_QUALITY = 72


def write_film(pictures: Sequence[Image.Image], path: Path, rate: int) -> None:
    """Write an H.264 film that starts to play before it is loaded."""
    with av.open(str(path), "w", options={"movflags": "+faststart"}) as container:
        stream = container.add_stream("libx264", rate=Fraction(rate))
        stream.width, stream.height = pictures[0].size
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": QUALITY, "preset": "slow", "threads": "1"}
        for picture in pictures:
            for packet in stream.encode(av.VideoFrame.from_image(picture)):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)


def write_poster(picture: Image.Image, path: Path) -> None:
    """Write one picture as WebP."""
    picture.save(path, quality=POSTER_QUALITY, method=6)


def write_overview(posters: Sequence[Path], path: Path, columns: int = 4) -> None:
    """Write posters side by side, at half their size, as one picture."""
    pictures = [Image.open(poster) for poster in posters]
    width, height = (side // 2 for side in pictures[0].size)
    rows = -(-len(pictures) // columns)
    sheet = Image.new("RGB", (columns * width, rows * height))
    for number, picture in enumerate(pictures):
        corner = number % columns * width, number // columns * height
        sheet.paste(picture.resize((width, height), Image.Resampling.LANCZOS), corner)
    sheet.save(path, quality=POSTER_QUALITY, method=6)
