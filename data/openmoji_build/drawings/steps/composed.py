"""openmoji_composed: a person's picture and three feedbacks; which of 50 pictures fulfil them."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from drawings import files
from drawings.asking.composed import Person, Query, held_out_roles, people, queries, wishes
from drawings.encoders import read_texts
from drawings.learning.composing import RECIPES, Lesson, compose
from drawings.steps.shared import write_collection, write_overview
from drawings.workshop import Build

PICTURES, EACH = 75, 2
LESSONS = 8000
SETTINGS = {
    "title": "People, and what should change",
    "about": "576 OpenMoji drawings of 48 roles as man and woman in six skin tones. A query is a "
    "picture and three feedbacks; about 50 pictures are labelled for each. The labels follow from "
    "the drawings' attributes, nobody gave them.",
    "protocols": ["composed"],
    "cutoffs": [5],
    "default_baseline": "v0.2",
    "default_candidate": "v0.3",
}


def build(build: Build) -> None:
    """Write the collection."""
    folder = build.to / "openmoji_composed"
    gallery = people(build.drawings)
    held = held_out_roles(build.seed)
    asked = queries([p for p in gallery if p.role in held], PICTURES, EACH, build.seed)
    files.copy_pictures(build.pictures, [person.item_id for person in gallery], folder)
    write_collection(folder, SETTINGS, _texts(gallery, asked, held))
    write_overview(folder, build.seed)
    looks = build.looks()
    _write_versions(build, gallery, asked, held, np.stack([looks[p.item_id] for p in gallery]))


def _texts(gallery: Sequence[Person], asked: Sequence[Query], held: frozenset[str]) -> dict:
    columns = ("item_id", "file", "poster", "kind", "caption", "gender", "tone", "role")
    items = (
        (p.item_id, f"{p.item_id}.webp", "", "image", p.caption, p.gender, p.tone, p.role, p.kind,
         "queries" if p.role in held else "training", p.author)
        for p in gallery
    )  # fmt: skip
    rows = ((q.query_id, q.text, q.image, *(wish.said for wish in q.wishes)) for q in asked)
    feedbacks = ("feedback_1", "feedback_2", "feedback_3")
    labels = ((q.query_id, item, grade) for q in asked for item, grade in q.labels)
    return {
        "items.csv": files.table((*columns, "role_kind", "part", "author"), items),
        "queries.csv": files.table(("query_id", "text", "image", *feedbacks), rows),
        "qrels.csv": files.table(("query_id", "item_id", "grade"), labels),
    }


def lessons(pool: Sequence[Person], seed: int) -> list[Query]:
    """Training queries on other roles than the collection's; each is fulfilled by some picture."""
    rng = random.Random(f"lessons/{seed}")
    roles = sorted({person.role for person in pool})
    found: list[Query] = []
    while len(found) < LESSONS:
        person = rng.choice(pool)
        query = Query("", person.item_id, wishes(person, roles, rng))
        if any(map(query.fulfilled_by, pool)):
            found.append(query)
    return found


def _write_versions(
    build: Build,
    gallery: Sequence[Person],
    asked: Sequence[Query],
    held: frozenset[str],
    looks: np.ndarray,
) -> None:
    pool = [person for person in gallery if person.role not in held]
    taught = lessons(pool, build.seed)
    place = {person.item_id: row for row, person in enumerate(gallery)}
    texts = sorted({query.text for query in [*taught, *asked]})
    said = {text: row for row, text in enumerate(texts)}
    read = read_texts(texts)
    lesson = Lesson(
        np.array([place[query.image] for query in taught]),
        np.array([said[query.text] for query in taught]),
        np.array([[p.role not in held and q.fulfilled_by(p) for p in gallery] for q in taught]),
    )
    rows = np.array([place[q.image] for q in asked]), np.array([said[q.text] for q in asked])
    for recipe in RECIPES:
        items, vectors = compose(recipe, looks, read, lesson, rows, build.seed)
        ids = [person.item_id for person in gallery], [query.query_id for query in asked]
        both = {"items": (ids[0], items), "queries": (ids[1], vectors)}
        settings = {"training_seed": build.seed}
        files.write_version(
            build.to / "openmoji_composed", recipe.name, recipe.note, both, settings
        )
