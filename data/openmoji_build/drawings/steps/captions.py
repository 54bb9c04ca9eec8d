"""openmoji_captions: 400 pictures with five texts each, and three versions of one joint space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from networks_build.exported import write_body

from drawings import files
from drawings.asking.captions import split, texts
from drawings.encoders import read_texts
from drawings.learning.matching import RECIPES, Side, train
from drawings.picture_sides import of_matching
from drawings.sources import Drawing
from drawings.steps.shared import plain, write_collection, write_overview
from drawings.workshop import Build

SETTINGS = {
    "title": "Drawings and their five texts",
    "about": "400 OpenMoji drawings with five texts each, all written by people for other ends: "
    "the name, a shortcode and the keywords, dealt into lists. Pictures find their texts, and "
    "texts their picture; the versions were taught with other drawings.",
    "protocols": ["crossmodal"],
    "cutoffs": [1, 5, 10],
    "default_baseline": "v0.2",
    "default_candidate": "v0.3",
}


def build(build: Build) -> None:
    """Write the collection."""
    folder = build.to / "openmoji_captions"
    asked, _, rest = split(plain(build), build.seed)
    files.copy_pictures(build.pictures, [drawing.hexcode for drawing in asked], folder)
    write_collection(folder, SETTINGS, _texts(asked))
    write_overview(folder, build.seed)
    write_body(build.work, folder)
    looks = build.looks()
    seen = np.stack([looks[drawing.hexcode] for drawing in asked])
    captions = [text for drawing in asked for text in texts(drawing)]
    read = read_texts(captions)
    names = [drawing.hexcode for drawing in asked]
    caption_names = [f"{name}_{number}" for name in names for number in range(1, 6)]
    for side in trained(build, rest, looks):
        said = side.texts(read).astype(np.float16)
        both = np.concatenate([side.pictures(seen).astype(np.float16), said])
        queries = [f"t_{name}" for name in caption_names]
        vectors = {"items": ([*names, *caption_names], both), "queries": (queries, said)}
        write_side(build, "openmoji_captions", side, vectors)


def trained(
    build: Build, drawings: Sequence[Drawing], looks: dict[str, np.ndarray]
) -> Iterator[Side]:
    """The three versions, taught with these drawings and all their texts."""
    seen = np.stack([looks[drawing.hexcode] for drawing in drawings])
    for recipe in RECIPES:
        said = [
            (text, place)
            for deal in range(recipe.deals)
            for place, drawing in enumerate(drawings)
            for text in texts(drawing, deal)
        ]
        pairs = list(dict.fromkeys(said))
        read = read_texts([text for text, _ in pairs])
        yield train(recipe, seen, read, [place for _, place in pairs], build.seed)


def write_side(
    build: Build,
    collection: str,
    side: Side,
    vectors: dict[str, tuple[Sequence[str], np.ndarray]],
) -> None:
    """Write one version with what turns a new text, or a new picture, into a vector."""
    files.write_version(
        build.to / collection, side.recipe.name, side.recipe.note, vectors,
        {**files.ENCODED, "training_seed": build.seed},
        of_matching(side) if side.network else None,
        text_projection=side.text_projection.astype(np.float16),
        text_bias=side.text_bias.astype(np.float16),
    )  # fmt: skip


def _texts(asked: Sequence[Drawing]) -> dict[str, str]:
    columns = ("item_id", "file", "poster", "kind", "side", "caption", "author")
    pictures = [
        (d.hexcode, f"{d.hexcode}.webp", "", "image", "pictures", d.name, d.author) for d in asked
    ]
    captions = [
        (f"{d.hexcode}_{number}", d.hexcode, text)
        for d in asked
        for number, text in enumerate(texts(d), start=1)
    ]
    shown = [(name, "", "", "text", "captions", text, "") for name, _, text in captions]
    queries = [(f"i_{d.hexcode}", "", d.hexcode, "captions") for d in asked]
    pairs = [(f"i_{picture}", name) for name, picture, _ in captions]
    return {
        "items.csv": files.table(columns, [*pictures, *shown]),
        "queries.csv": files.table(
            ("query_id", "text", "item_id", "among"),
            [*queries, *((f"t_{name}", text, "", "pictures") for name, _, text in captions)],
        ),
        "qrels.csv": files.table(
            ("query_id", "item_id", "grade"),
            [(*pair, 1) for pair in [*pairs, *((f"t_{n}", p) for n, p, _ in captions)]],
        ),
    }
