"""The steps that all collections share: fetch, draw, look; what every collection's folder holds."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from drawings import files, pictures, sources
from drawings.encoders import see
from drawings.sources import Drawing
from drawings.workshop import Build

OPENMOJI = {
    "licence": "CC BY-SA 4.0",
    "attribution": "OpenMoji 17.0.0, the open-source emoji and icon project, CC BY-SA 4.0; names "
    "and keywords from Unicode CLDR by way of emojibase-data (MIT). See ATTRIBUTION.md.",
}
OVERVIEW = 36


def fetch(build: Build) -> None:
    """Fetch the npm packages."""
    sources.fetch(build.packages)


def draw(build: Build) -> None:
    """Draw every drawing."""
    for drawing in build.drawings:
        svg = sources.svg_file(build.packages, drawing.hexcode)
        pictures.write_picture(pictures.draw(svg), build.pictures / f"{drawing.hexcode}.webp")


def look(build: Build) -> None:
    """Let the frozen encoder look at every picture."""
    ids = [drawing.hexcode for drawing in build.drawings]
    vectors = see([build.pictures / f"{name}.webp" for name in ids])
    np.savez(build.work / "looks.npz", ids=ids, vectors=vectors)


def measure(build: Build) -> None:
    """Print what the versions are worth."""
    from drawings.measuring import tables

    print(tables(build.to))


def plain(build: Build) -> list[Drawing]:
    """The drawings of things and people in one skin tone, as OpenMoji draws them first."""
    return [drawing for drawing in build.drawings if not drawing.tone]


def write_collection(
    folder: Path, settings: Mapping[str, Any], texts: Mapping[str, str], openmoji: bool = True
) -> None:
    """Write the settings and tables of a collection, and the licences of what it shows."""
    no_keywords = {"groups": [], "default_groups": [], "media_root": "media"}
    made = {**settings, **(OPENMOJI if openmoji else {}), **no_keywords}
    files.write_texts(folder, {"collection.toml": files.toml(made), **texts})
    if openmoji:
        files.copy_licences(folder, ("LICENSE.txt", "ATTRIBUTION.md", "NOTICES.txt"))
    else:
        files.copy_licences(folder, ("DIGITS_ATTRIBUTION.md",))


def write_overview(folder: Path, seed: int, names: Sequence[str] = ()) -> None:
    """Write a contact sheet of some of a collection's pictures."""
    shown = [folder / "media" / name for name in names] or sorted((folder / "media").iterdir())
    picked = random.Random(seed).sample(shown, min(OVERVIEW, len(shown)))
    pictures.write_overview(picked, folder / "overview.webp")
