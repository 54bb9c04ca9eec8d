"""A small collection with all that a card can meet: clips, a span, a picture, broken items."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
import pandas as pd
from PIL import Image

HOSTILE = (
    '<img src=x onerror="window.__pwn=1"> ![p](http://127.0.0.1:8699/t.png) '
    "<script>window.__pwn=2</script> **b** :red[x] $x$ \N{RIGHT-TO-LEFT OVERRIDE}gnp.exe"
)
ODD_ID = '../"><b>🚲</b>&v=1#?'
PLAIN = [f"urban_cyclist_crossing_{n:03d}" for n in range(10)]
GROUPS = ("pv_object_type", "pv_actor_behavior", "pv_scene_type")


@dataclass(frozen=True)
class World:
    """A collection as far as media go."""

    folder: Path
    items: pd.DataFrame
    name: str = "cards"
    media_root: str = "media"
    posters_root: str = "posters"


def build(folder: Path) -> None:
    """Write the media files."""
    (folder / "media").mkdir(parents=True)
    (folder / "posters").mkdir()
    for number in range(len(PLAIN)):
        clip(folder / "media" / f"{number}.mp4", number)
    clip(folder / "media" / "odd.mp4", 3, codec="mpeg2video")
    (folder / "media" / "garbage.mp4").write_bytes(bytes(range(256)) * 20)
    Image.new("RGB", (1600, 900), "#4466aa").save(folder / "media" / "still.jpg")


def clip(path: Path, number: int, codec: str = "libx264", seconds: int = 3) -> None:
    """A street with a box that moves across it; `number` sets its colours."""
    shade = np.zeros((270, 480, 3), np.uint8)
    shade[:120] = (90 + 12 * number, 150, 210 - 9 * number)
    shade[120:] = (70, 74, 78)
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream(codec, rate=25)
        stream.width, stream.height, stream.pix_fmt = 480, 270, "yuv420p"
        for frame in range(25 * seconds):
            street, left = shade.copy(), 10 + frame * 5
            street[150:210, left : left + 60] = (230, 40 + 20 * number, 40)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(street, format="rgb24")))
        container.mux(stream.encode())


def items() -> pd.DataFrame:
    """The table of items; the last ones are the odd ones."""
    said = "A bicyclist crosses an urban street in front of the car."
    rows = [(item_id, f"{number}.mp4", said) for number, item_id in enumerate(PLAIN)]
    rows += [
        ("span", "0.mp4", "A span of a longer clip"),
        ("still", "still.jpg", "A picture"),
        (ODD_ID, "1.mp4", HOSTILE),
        ("odd", "odd.mp4", "A clip of an odd codec"),
        ("garbage", "garbage.mp4", "x" * 10_000),
        ("gone", "no.mp4", HOSTILE),
    ]
    table = pd.DataFrame(rows, columns=["item_id", "file", "caption"])
    table["span_start"] = np.where(table["item_id"] == "span", 1.0, np.nan)
    table["span_end"] = np.where(table["item_id"] == "span", 1.6, np.nan)
    return table


def open_collection(name: str = "cards") -> World:
    """The collection in the folder that the environment names."""
    if name != "cards":
        raise LookupError(name)
    return World(Path(os.environ["CARDS_WORLD"]), items())
