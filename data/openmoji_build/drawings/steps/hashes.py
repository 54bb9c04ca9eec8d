"""openmoji_hashes and digits_hashes: codes of three methods and three lengths, learned apart."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from networks_build.exported import PictureSide, write_body

from drawings import files, pictures
from drawings.asking.hashes import (
    QUERY,
    TRAIN,
    Classed,
    classed_digits,
    classed_drawings,
    grade,
)
from drawings.learning.codes import Encode, anchored, methods
from drawings.picture_sides import of_codes, of_digit_codes
from drawings.steps.shared import plain, write_collection, write_overview
from drawings.workshop import Build

QUERIES = 100
DIGIT_QUERIES = 15
"""Queries of each digit."""
SHARED = {
    "protocols": ["hashing"],
    "cutoffs": [50],
    "default_baseline": "itq-64",
    "default_candidate": "supervised-64",
}
DRAWINGS = {
    "title": "Drawings by hash code",
    "about": "OpenMoji drawings, one of each family, and 100 others as queries, as codes of 16, 32 "
    "and 64 bits. Type 1: same subgroup of emoji; type 2: same group; type 3: another group.",
    **SHARED,
}
DIGITS = {
    "title": "Handwritten digits by hash code",
    "about": "1,647 real handwritten digits and 150 others as queries, as codes of 16, 32 and 64 "
    "bits. Type 1: the same digit; there is no type 2.",
    "licence": "CC BY 4.0",
    "attribution": "Optical Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak, UCI "
    "Machine Learning Repository, CC BY 4.0; as shipped with scikit-learn. See ATTRIBUTION.md.",
    **SHARED,
}


def build_drawings(build: Build) -> None:
    """Write openmoji_hashes."""
    folder = build.to / "openmoji_hashes"
    drawings = list({drawing.family: drawing for drawing in reversed(plain(build))}.values())[::-1]
    classed = classed_drawings(drawings, QUERIES, build.seed)
    about = {d.hexcode: (d.name, d.author) for d in drawings}
    files.copy_pictures(build.pictures, [one.item_id for one in classed], folder)
    write_collection(folder, DRAWINGS, _texts(classed, "webp", ("subgroup", "group"), about))
    write_overview(folder, build.seed)
    write_body(build.work, folder)
    looks = build.looks()
    seen = np.stack([looks[one.item_id] for one in classed])
    _write_codes(folder, classed, seen, build.seed, of_codes)


def build_digits(build: Build) -> None:
    """Write digits_hashes."""
    from sklearn.datasets import load_digits

    folder = build.to / "digits_hashes"
    digits = load_digits()
    classed = classed_digits([int(label) for label in digits.target], DIGIT_QUERIES, build.seed)
    _draw_digits(folder, classed, digits.data)
    about = {one.item_id: (f"a {one.fine}", "") for one in classed}
    texts = _texts(classed, "png", ("digit", ""), about)
    write_collection(folder, DIGITS, texts, openmoji=False)
    write_overview(folder, build.seed)
    training = digits.data[[one.part == TRAIN for one in classed]]
    anchors = anchored(digits.data, training[::2])
    _write_codes(
        folder, classed, anchors.near(digits.data), build.seed,
        lambda encode: of_digit_codes(encode, anchors),
    )  # fmt: skip


def _draw_digits(folder: Path, classed: Sequence[Classed], data: np.ndarray) -> None:
    media = folder / "media"
    shutil.rmtree(media, ignore_errors=True)
    media.mkdir(parents=True)
    for one, pixels in zip(classed, data, strict=True):
        pictures.digit_picture(pixels).save(media / f"{one.item_id}.png", optimize=True)


def _texts(
    classed: Sequence[Classed],
    ending: str,
    classes: tuple[str, str],
    about: Mapping[str, tuple[str, str]],
) -> dict[str, str]:
    """The tables; `classes` names the fine and the coarse class's column (empty: there is none)."""
    shown = [name for name in classes if name]

    def of(one: Classed) -> tuple[Any, ...]:
        return (one.fine, one.coarse)[: len(shown)]

    gallery = [one for one in classed if one.part != QUERY]
    asked = [one for one in classed if one.part == QUERY]
    items = (
        (one.item_id, f"{one.item_id}.{ending}", "", "image", about[one.item_id][0], *of(one),
         one.part, about[one.item_id][1])
        for one in gallery
    )  # fmt: skip
    queries = (
        (f"q_{one.item_id}", "", f"{one.item_id}.{ending}", *of(one), *about[one.item_id])
        for one in asked
    )
    pairs = ((f"q_{q.item_id}", i.item_id, grade(q, i)) for q in asked for i in gallery)
    columns = ("item_id", "file", "poster", "kind", "caption", *shown, "part", "author")
    asked_columns = ("query_id", "text", "image", *shown, "caption", "author")
    return {
        "items.csv": files.table(columns, items),
        "queries.csv": files.table(asked_columns, queries),
        "qrels.csv": files.table(("query_id", "item_id", "grade"), (p for p in pairs if p[2])),
    }


def _write_codes(
    folder: Path,
    classed: Sequence[Classed],
    seen: np.ndarray,
    seed: int,
    picture: Callable[[Encode], PictureSide],
) -> None:
    """Learn every method on the training part and write the codes of gallery and queries."""
    parts = np.array([one.part for one in classed])
    taught = [one.fine for one in classed if one.part == TRAIN]
    names = {
        "items": [one.item_id for one in classed if one.part != QUERY],
        "queries": [f"q_{one.item_id}" for one in classed if one.part == QUERY],
    }
    shutil.rmtree(folder / "models", ignore_errors=True)
    for name, (note, encode) in methods(seen[parts == TRAIN], taught, seed).items():
        codes = encode(seen)
        rows = {"items": codes[parts != QUERY], "queries": codes[parts == QUERY]}
        vectors = {stem: (names[stem], rows[stem]) for stem in names}
        settings = {"training_seed": seed}
        files.write_version(folder, name, note, vectors, settings, picture(encode))
