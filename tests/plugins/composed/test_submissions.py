"""Submissions of gallery and query vectors: measured beside versions, or refused in a sentence."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dashboard.storage.collection import open_collection
from dashboard.study.study import Study
from tests.plugins.composed.test_composed import VECTORS, write
from tests.plugins.worlds import open_world

QRELS = "q1 0 b 1\nq1 0 d 0\nq1 0 f 0\n"
Change = Callable[[Path], object]


def write_submission(folder: Path) -> Path:
    """Write a submission that ranks f first; return its folder, that of the collection is above."""
    write(folder, QRELS)
    place = folder / "submissions" / "mine"
    place.mkdir(parents=True)
    gallery = np.array(list(VECTORS.values()), dtype=np.float32)
    gallery /= np.linalg.norm(gallery, axis=1)[:, None]
    for stem, ids, vectors in (
        ("gallery", "abcdef", gallery),
        ("queries", ["q1"], np.array([[0.0, 1.0]], dtype=np.float32)),
    ):
        np.save(place / f"{stem}.npy", vectors)
        (place / f"{stem}.txt").write_text("\n".join(ids))
    return place


def turn(stem: str, change: Callable[[np.ndarray], np.ndarray]) -> Change:
    return lambda place: np.save(
        place / f"{stem}.npy", change(np.load(place / f"{stem}.npy", allow_pickle=False))
    )


def put(name: str, text: str) -> Change:
    return lambda place: (place / name).write_text(text)


def set_nan(vectors: np.ndarray) -> np.ndarray:
    vectors[3, 1] = np.nan
    return vectors


def list_values(study: Study) -> dict[str, float]:
    found = study.measure(list(study.collection.versions), "AP(annotated)")
    return {each.run: round(float(each.values[0, 0]), 9) for each in found}


def test_a_submission_stands_beside_the_versions(tmp_path: Path) -> None:
    """It ranks f (0), d (0), b (1), the version b, d, f."""
    study = open_world(write_submission(tmp_path / "w").parents[1])
    assert not [each for each in study.collection.findings if "submissions" in each.file]
    assert list_values(study) == {"mine": 0.333333333, "v1": 1}
    assert [row["item_id"] for row in study.query("q1", ["mine"]).rows] == ["f", "d", "b"]


def test_another_width_than_that_of_versions(tmp_path: Path) -> None:
    place = write_submission(tmp_path / "w")
    for stem in ("gallery", "queries"):
        turn(stem, lambda vectors: np.hstack([vectors, 0 * vectors]))(place)
    assert list_values(open_world(place.parents[1]))["mine"] == 0.333333333


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            turn("gallery", set_nan),
            "submissions/mine/gallery.npy: found NaN or infinity in row 3 (d); expected finite",
        ),
        (turn("gallery", lambda v: v * 0), "gallery.npy: found only zeros in row 0 (a)"),
        (turn("gallery", lambda v: v[1:]), "gallery.npy: found 5 vectors and 6 ids in gallery.txt"),
        (turn("gallery", lambda v: v.astype(np.int8)), "gallery.npy: found numbers of type int8"),
        (
            turn("queries", lambda v: np.hstack([v, v])),
            "queries.npy: found query vectors of 4 dimensions; expected 2, as the items have",
        ),
        (
            put("gallery.txt", "a\nb\nc\nx\ne\nf"),
            "gallery.npy: found no vector for 1 annotated ids (d); expected one for each annotated",
        ),
        (put("queries.txt", "q9"), "queries.npy: found no vector of any of the 1 queries"),
        (lambda place: (place / "gallery.txt").unlink(), "gallery.txt: found no such file"),
    ],
)
def test_what_is_refused(tmp_path: Path, change: Change, said: str) -> None:
    place = write_submission(tmp_path / "w")
    change(place)
    collection = open_collection(place.parents[1])
    assert list(collection.broken) == ["mine"] and list(collection.versions) == ["v1"]
    assert said in str(collection.broken["mine"])
    assert str(collection.broken["mine"]).startswith("submissions/mine/")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (turn("gallery", lambda vectors: vectors / 2), "vectors of length 0.5 to 0.5"),
        (put("gallery.txt", "a\nb\nx\nd\ne\nf"), "1 vectors of unknown ids (x)"),
    ],
)
def test_what_is_said(tmp_path: Path, change: Change, said: str) -> None:
    place = write_submission(tmp_path / "w")
    change(place)
    study = open_world(place.parents[1])
    assert list_values(study)["mine"] == 0.333333333
    first = next(f for f in study.collection.findings if f.file == "submissions/mine/gallery.npy")
    assert (first.level, first.found) == ("warning", said)
