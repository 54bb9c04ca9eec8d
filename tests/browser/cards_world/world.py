"""A small collection with all that a card can meet: clips, a span, a picture, broken items."""

from __future__ import annotations

import functools
import io
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
ODD_MEDIA = ["drawing", "tower", "tiny", "moving", "half", "upright", "beyond", "heard", "photo"]
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
    odd_media(folder / "media")


def odd_media(folder: Path) -> None:
    """A drawing on nothing, a tall and a tiny picture, an animation, half a picture, an upright
    clip, a sound alone and a format that browsers do not show."""
    drawn = Image.new("RGBA", (400, 300))
    drawn.paste("black", (150, 100, 250, 200))
    drawn.save(folder / "drawing.png")
    Image.linear_gradient("L").resize((200, 4_000)).convert("RGB").save(folder / "tower.jpg")
    noise = np.random.default_rng(1).integers(0, 255, (300, 400, 3)).astype(np.uint8)
    Image.fromarray(noise[:8, :8]).save(folder / "tiny.png")
    Image.fromarray(noise).save(folder / "half.jpg")
    (folder / "half.jpg").write_bytes((folder / "half.jpg").read_bytes()[:30_000])
    frames = [Image.new("L", (80, 60), 10 * shade) for shade in range(20)]
    frames[0].save(folder / "moving.gif", save_all=True, append_images=frames[1:], duration=50)
    clip(folder / "upright.mp4", 4, size=(180, 320))
    clip(folder / "far.webm", 5, codec="libvpx", seconds=1)
    with av.open(str(folder / "heard.webm"), "w", format="webm") as container:
        sound = container.add_stream("libopus", rate=48_000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 960), np.float32), "flt", "mono")
        frame.rate = 48_000
        container.mux(sound.encode(frame))
        container.mux(sound.encode())
    (folder / "photo.heic").write_bytes(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(500))


def clip(
    path: Path,
    number: int,
    codec: str = "libx264",
    seconds: int = 3,
    size: tuple[int, int] = (480, 270),
) -> None:
    """A street with a box that moves across it; `number` sets its colours."""
    path.write_bytes(_encoded(path.suffix[1:], number, codec, seconds, size))


@functools.cache
def _encoded(
    container_format: str, number: int, codec: str, seconds: int, size: tuple[int, int]
) -> bytes:
    wide, high = size
    file = io.BytesIO()
    shade = np.zeros((high, wide, 3), np.uint8)
    shade[:120] = (90 + 12 * number, 150, 210 - 9 * number)
    shade[120:] = (70, 74, 78)
    with av.open(file, "w", format=container_format) as container:
        stream = container.add_stream(codec, rate=25)
        stream.width, stream.height, stream.pix_fmt = wide, high, "yuv420p"
        for frame in range(25 * seconds):
            street, left = shade.copy(), 10 + frame * 5
            street[150:210, left : left + 60] = (230, 40 + 20 * number, 40)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(street, format="rgb24")))
        container.mux(stream.encode())
    return file.getvalue()


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
        ("drawing", "drawing.png", "A drawing on nothing"),
        ("tower", "tower.jpg", "A tall picture"),
        ("tiny", "tiny.png", "A tiny picture"),
        ("moving", "moving.gif", "An animation"),
        ("half", "half.jpg", "Half a picture"),
        ("upright", "upright.mp4", "An upright clip"),
        ("beyond", "far.webm", "A span outside its clip"),
        ("cut", "far.webm", "A span that its file was cut to beforehand"),
        ("heard", "heard.webm", "A sound alone"),
        ("photo", "photo.heic", "A photograph in a format that browsers do not show"),
    ]
    table = pd.DataFrame(rows, columns=["item_id", "file", "caption"])
    spans = {"span": (1.0, 1.6), "beyond": (50.0, 60.0), "cut": (20.0, 21.0)}
    for place, column in enumerate(("span_start", "span_end")):
        table[column] = [spans.get(item, (np.nan, np.nan))[place] for item in table["item_id"]]
    return table


def open_collection(name: str = "cards") -> World:
    """The collection in the folder that the environment names."""
    if name != "cards":
        raise LookupError(name)
    return World(Path(os.environ["CARDS_WORLD"]), items())
