"""Which language models stay loaded, and that other files in their place are noticed.

The models here are stand-ins: a folder whose one file holds the vector of every text.
"""

from __future__ import annotations

import gc
import weakref
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest

from dashboard.retrieval import keywords, language_models
from dashboard.storage.versions.versions import read_model
from dashboard.tables import Findings
from tests.retrieval.test_keywords import model_folder


class Standin:
    """Gives every text the vector that its folder's file held when it was loaded."""

    def __init__(self, folder: Path) -> None:
        self.vector = np.array((folder / "a.safetensors").read_text().split(), dtype="float32")

    def embed(self, documents: list[str]) -> np.ndarray:
        return np.tile(self.vector, (len(documents), 1))


@pytest.fixture(autouse=True)
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, weakref.ref[Standin]]]:
    """The folders that were loaded, in order, each with what came of it."""
    found = []

    def load(folder: Path) -> Standin:
        made = Standin(folder)
        found.append((folder.name, weakref.ref(made)))
        return made

    monkeypatch.setattr(language_models, "_backends", OrderedDict())
    monkeypatch.setattr(language_models, "_load", load)
    monkeypatch.setattr(language_models, "_leave_alone", lambda after_another: None)
    return found


def folder_of(place: Path, vector: str) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    (place / "a.safetensors").write_text(vector)
    return place


def first(folder: Path, texts: tuple[str, ...] = ("x",)) -> list[float]:
    return language_models.sentence_vectors(texts, folder)[0].tolist()


@pytest.mark.parametrize("texts", [("x",), ("x", "y")])
def test_swapped_weights_are_noticed(tmp_path: Path, loaded: list, texts: tuple[str, ...]) -> None:
    folder = folder_of(tmp_path / "m", "1 0")
    assert first(folder, texts) == first(folder, texts) == [1, 0]
    folder_of(folder, "0 1")  # as many bytes as before
    assert first(folder, texts) == [0, 1]
    gc.collect()
    assert [name for name, _ in loaded] == ["m", "m"]
    assert [one() is not None for _, one in loaded] == [False, True], "the old one is given up"


def test_few_stay_loaded_those_used_last(tmp_path: Path, loaded: list) -> None:
    folders = [folder_of(tmp_path / f"m{number}", f"{number} 1") for number in range(7)]
    for folder in folders[:4]:
        first(folder)
    first(folders[0], ("again", "and again"))
    for folder in folders[4:]:
        first(folder)
    gc.collect()
    assert [name for name, one in loaded if one() is not None] == ["m0", "m4", "m5", "m6"]
    first(folders[0], ("at", "once"))
    assert len(loaded) == 7, "what stayed is not loaded again"


def test_keywords_follow_the_shared_model(
    tmp_path: Path, loaded: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(tmp_path / "m", "1 0")
    monkeypatch.setenv(language_models.OPERATOR, str(folder))
    before = language_models.state()
    entries = (("pv_x", "car", ("auto",)),)
    assert keywords._phrases(entries, before).vectors[0].tolist() == [1, 0]
    folder_of(folder, "0 1")
    assert language_models.state() != before
    assert keywords._phrases(entries, language_models.state()).vectors[0].tolist() == [0, 1]


def test_without_a_model_there_is_no_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(language_models.OPERATOR, raising=False)
    monkeypatch.setattr(language_models, "PACKAGE", "no_such_package")
    assert language_models.state() == ""


def test_a_versions_own_model_is_part_of_its_fingerprint(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "v1", np.eye(2), 'encoder = "sentence-transformers"\n')

    def digest() -> str:
        return read_model(folder, ["a"], {}, Findings()).digest

    (folder / "items.npy").unlink()
    np.save(folder / "items.npy", np.eye(4, 2, dtype="f4") + 1)
    without = digest()
    folder_of(folder / "text_model" / "1_Pooling", "1 0")
    seen = [without, digest()]
    folder_of(folder / "text_model" / "1_Pooling", "0 1")
    seen.append(digest())
    assert len(set(seen)) == 3 and digest() == seen[-1]
    folder_of(folder / "text_model" / "1_Pooling", "1 0")
    assert digest() == seen[1], "the content counts, not when it was written"
    (folder / "text_model").rename(tmp_path / "elsewhere")
    (folder / "text_model").symlink_to(tmp_path / "elsewhere")
    assert digest() == without, "a link that leads out is never followed"
