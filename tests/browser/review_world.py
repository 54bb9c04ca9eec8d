"""A collection made on the spot for the review tests: copies, hostile files, captions and ids."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
from PIL import Image

from tests.browser.cards_world.world import HOSTILE, ODD_ID, clip

GOOD = [f"street_{number:02d}" for number in range(8)]
COPY = "street_00_again"
HIDDEN = "SENTINEL-77a"


def build(folder: Path) -> None:
    """Write the collection `folder`; beside it stand files that must never be served."""
    (folder / "media" / "sub").mkdir(parents=True)
    for number, _ in enumerate(GOOD):
        clip(folder / "media" / f"{number}.mp4", number, seconds=2 if number else 3)
    clip(folder / "media" / "again.mp4", 0, seconds=3)
    files = {item: f"{number}.mp4" for number, item in enumerate(GOOD)}
    files |= {COPY: "again.mp4", ODD_ID: "1.mp4"} | _hostile(folder)
    _tables(folder, files)
    _models(folder, list(files))


def allowed(folder: Path) -> list[bytes]:
    """The contents of all media files that may be served as they are."""
    names = [f"{number}.mp4" for number in range(len(GOOD))] + ["again.mp4", "w.png", "sub/w.png"]
    names += ["a b+c%2e.png", "q#1?x&y.png", "Straße 1.PNG", "odd.mp4"]
    return [(folder / "media" / name).read_bytes() for name in names]


def _hostile(folder: Path) -> dict[str, str]:
    """Items whose files are missing, broken, odd or outside; some that are honest but oddly named.

    Kinds manifest and media of the list of bad inputs, by their numbers.
    """
    inside, outside = folder / "media", folder.parent
    Image.new("RGB", (64, 48), "blue").save(outside / "outside.png")
    (outside / "secret.mp4").write_text(HIDDEN)
    (outside / "secret.txt").write_text(HIDDEN)
    picture = Image.fromarray(np.random.default_rng(3).integers(0, 255, (40, 60, 3), "uint8"))
    for name in ("w.png", "sub/w.png", "a b+c%2e.png", "q#1?x&y.png", "Straße 1.PNG"):
        picture.save(inside / name, "PNG")
    (inside / "l.png").symlink_to(outside / "outside.png")
    (inside / "leads").symlink_to(outside)
    (inside / "d.png").mkdir()
    os.mkfifo(inside / "pipe.mp4")
    (inside / ".x.png").write_bytes((inside / "w.png").read_bytes())
    (inside / "empty.mp4").touch()
    (inside / "text.png").write_text("not an image")
    (inside / "garbage.mp4").write_bytes(bytes(range(256)) * 20)
    clip(inside / "odd.mp4", 3, codec="mpeg2video", seconds=1)
    (inside / "half.mp4").write_bytes((inside / "0.mp4").read_bytes()[:300])
    return {
        "man01": "../../outside.png",
        "man02a": "/etc/passwd",
        "man02b": str(outside / "secret.mp4"),
        "man04": "l.png",
        "man04b": "leads/secret.mp4",
        "man09a": "a b+c%2e.png",
        "man09b": "q#1?x&y.png",
        "man10a": "sub\\w.png",
        "man10b": "..\\..\\outside.png",
        "man11a": "C:\\x.png",
        "man11b": "\\\\host\\share\\x.png",
        "man11c": "//host/share/x.png",
        "man12": "a\tb.png",
        "man13": "file:///etc/passwd",
        "man14a": "http://169.254.169.254/latest/meta-data/",
        "man14b": "http://127.0.0.1:1/x.png",
        "man18": "d.png",
        "man18b": "pipe.mp4",
        "man19": "no.png",
        "man20a": ".x.png",
        "man20b": ".git/config",
        "med01": "empty.mp4",
        "med03": "text.png",
        "med12": "garbage.mp4",
        "med12b": "half.mp4",
        "med13": "odd.mp4",
        "med15": "Straße 1.PNG",
    }


def _tables(folder: Path, files: dict[str, str]) -> None:
    (folder / "collection.toml").write_text(
        'title = "Streets"\nprotocols = ["alfa"]\ngroups = ["pv_object_type"]\n'
        'default_groups = ["pv_object_type"]\n'
    )
    with (folder / "items.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["item_id", "file", "kind", "caption"])
        table.writerows((item, name, "video", HOSTILE) for item, name in files.items())
    with (folder / "unified_annotation.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["slice_id", "pv_object_type"])
        table.writerows((item, "car" if n % 2 else "bicyclist") for n, item in enumerate(files))
    (folder / "queries.csv").write_text(
        "query_id,text,item_id\n" + "".join(f"like{n},,{item}\n" for n, item in enumerate(GOOD))
    )


def _models(folder: Path, ids: list[str]) -> None:
    """Two versions; in both the copy has the vector of what it is a copy of."""
    for number, version in enumerate(("v1", "v2")):
        vectors = np.random.default_rng(number).normal(size=(len(ids), 16)).astype("float32")
        vectors[ids.index(COPY)] = vectors[0]
        place = folder / "models" / version
        place.mkdir(parents=True)
        (place / "model.toml").write_text(f'name = "{version}"\nencoder = "none"\n')
        (place / "items.txt").write_text("\n".join(ids) + "\n", encoding="utf-8")
        np.save(place / "items.npy", vectors)
