"""openmoji_context: words, grids of pictures, relevance from 0 to 100, simulated satisfaction."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np
from networks_build.exported import write_body

from drawings import files
from drawings.asking.browsing import COLUMNS, MOST_ROWS, Shown, sessions
from drawings.asking.captions import split
from drawings.asking.relevance import UNREADABLE, WORDS, WORKERS, answers, mean
from drawings.encoders import precise_unit, read_texts
from drawings.learning.matching import BY_NAME, RECIPES, by_name
from drawings.sources import Drawing
from drawings.steps.captions import trained, write_side
from drawings.steps.shared import plain, write_collection, write_overview
from drawings.workshop import Build

FOLDER = "openmoji_context"
FEWEST_RELEVANT = 12
"""Pictures that must have some relevance to a word before it is asked."""
SPOILT_WORDS, SPOILT_SHARE = 2, 0.97
DEPTH = COLUMNS * MOST_ROWS
SETTINGS = {
    "title": "Words and grids of drawings (simulated)",
    "about": "SIMULATED, supports no conclusion. Words find OpenMoji drawings in grids of five. "
    "Relevance (0-100) is what five word lists say, not what people judged; satisfaction comes "
    "from a browsing model of made-up people. It shows the screens at work and nothing else.",
    "protocols": ["context"],
    "cutoffs": [50],
    "default_baseline": "v0.2",
    "default_candidate": "v0.3",
}
Lists = Mapping[tuple[str, str], Sequence[str]]
"""(query, version) → the items of its grid in order."""
Answers = Mapping[tuple[str, str], Sequence[int]]
"""(query, item) → the five answers."""


def build(build: Build) -> None:
    """Write the collection."""
    _, gallery, rest = split(plain(build), build.seed)
    words = {f"w{number + 1:02d}": word for number, word in enumerate(asked_words(gallery))}
    files.copy_pictures(build.pictures, [d.hexcode for d in gallery], build.to / FOLDER)
    lists = _write_versions(build, gallery, rest, words)
    judged = judgements(words, gallery, lists, build.seed)
    seen = sessions(
        list(words),
        [recipe.name for recipe in (*RECIPES, BY_NAME)],
        lambda query, version, rows: [
            max(mean(judged[query, item]), 0) / 100
            for item in lists[query, version][: rows * COLUMNS]
        ],
        build.seed,
    )
    write_collection(build.to / FOLDER, SETTINGS, _texts(gallery, words, judged, lists, seen))
    write_overview(build.to / FOLDER, build.seed)


def asked_words(gallery: Sequence[Drawing]) -> list[str]:
    """The words that enough drawings have to do with."""
    return [
        word
        for word in WORDS
        if sum(mean(answers(word, drawing)) > 0 for drawing in gallery) >= FEWEST_RELEVANT
    ]


def _write_versions(
    build: Build, gallery: Sequence[Drawing], rest: Sequence[Drawing], words: Mapping[str, str]
) -> dict[tuple[str, str], list[str]]:
    """Write the versions; the first pictures that each finds for each word."""
    write_body(build.work, build.to / FOLDER)
    looks = build.looks()
    ids = [drawing.hexcode for drawing in gallery]
    seen, read = np.stack([looks[name] for name in ids]), read_texts(list(words.values()))
    sides = [(side, side.pictures(seen)) for side in trained(build, rest, looks)]
    named = by_name(read_texts([drawing.name for drawing in rest]))
    sides.append((named, named.texts(read_texts([drawing.name for drawing in gallery]))))
    lists = {}
    for side, pictures in sides:
        items, asked = pictures.astype(np.float16), side.texts(read).astype(np.float16)
        vectors = {"items": (ids, items), "queries": (list(words), asked)}
        write_side(build, FOLDER, side, vectors)
        scores = np.round(precise_unit(asked) @ precise_unit(items).T, 6)
        for query, row in zip(words, np.argsort(-scores, axis=1, kind="stable"), strict=True):
            lists[query, side.recipe.name] = [ids[place] for place in row[:DEPTH]]
    return lists


def judgements(
    words: Mapping[str, str], gallery: Sequence[Drawing], lists: Lists, seed: int
) -> dict[tuple[str, str], list[int]]:
    """The answers for every picture that some grid can show; of two words nearly all are spoilt."""
    rng = random.Random(f"spoilt/{seed}")
    spoilt = rng.sample(sorted(words), SPOILT_WORDS)
    found = {}
    for query, word in words.items():
        shown = {item for (asked, _), items in lists.items() if asked == query for item in items}
        for drawing in gallery:
            if drawing.hexcode in shown:
                given = answers(word, drawing)
                if query in spoilt and rng.random() < SPOILT_SHARE:
                    given = [UNREADABLE] * len(given)
                found[query, drawing.hexcode] = given
    return found


def _texts(
    gallery: Sequence[Drawing],
    words: Mapping[str, str],
    judged: Answers,
    lists: Lists,
    seen: Sequence[Shown],
) -> dict[str, str]:
    items = (
        (d.hexcode, f"{d.hexcode}.webp", "", "image", d.name, d.subgroup, d.group, d.author)
        for d in gallery
    )
    columns = ("item_id", "file", "poster", "kind", "caption", "subgroup", "group", "author")
    given = (
        (*pair, worker, answer)
        for pair, five in judged.items()
        for worker, answer in zip(WORKERS, five, strict=True)
    )
    grids = (
        (s.list_id, s.participant, s.query_id, s.version, place // COLUMNS + 1,
         place % COLUMNS + 1, item)
        for s in seen
        for place, item in enumerate(lists[s.query_id, s.version][: s.rows * COLUMNS])
    )  # fmt: skip
    said = ((s.list_id, s.participant, s.query_id, s.satisfaction) for s in seen)
    who = ("list_id", "participant", "query_id")
    return {
        "items.csv": files.table(columns, items),
        "queries.csv": files.table(("query_id", "text"), words.items()),
        "relevance.csv": files.table(("query_id", "item_id", "worker", "relevance"), given),
        "lists.csv": files.table((*who, "version", "row", "column", "item_id"), grids),
        "satisfaction.csv": files.table((*who, "satisfaction_simulated"), said),
    }
