"""Which language models stay loaded, that other files in their place are noticed, and that a model
hurts only the process that runs it.

Most models here are stand-ins: a folder whose one file holds the vector of every text.
"""

from __future__ import annotations

import gc
import json
import os
import weakref
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dashboard.progress import heard_by
from dashboard.retrieval import keywords
from dashboard.retrieval.encoders import language_child, language_models
from dashboard.retrieval.encoders.language_models import PROCESSES
from dashboard.storage.sandbox.pool import ProcessEnded, Refusal
from dashboard.storage.versions.versions import read_model
from dashboard.tables import DataError, Findings
from tests.retrieval.test_keywords import model_folder


class Standin:
    """Gives every text the vector that its folder's file held when it was loaded."""

    def __init__(self, folder: Path) -> None:
        self.vector = np.array((folder / "a.safetensors").read_text().split(), dtype="float32")

    def embed(self, documents: list[str]) -> np.ndarray:
        return np.tile(self.vector, (len(documents), 1))


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, weakref.ref[Standin]]]:
    """The folders that were loaded, in order, each with what came of it; in this process."""
    found = []

    def load(folder: Path, room: int) -> Standin:
        made = Standin(folder)
        found.append((folder.name, weakref.ref(made)))
        return made

    def ask(request: dict[str, Any], content: bytes, **_: Any) -> tuple[dict[str, Any], bytes]:
        return language_child.answer(request, content, lambda: None)

    monkeypatch.setattr(language_child, "_loaded", OrderedDict())
    monkeypatch.setattr(language_child, "_load", load)
    monkeypatch.setattr(language_child, "limit_memory", lambda room: None)
    monkeypatch.setattr(PROCESSES, "ask", ask)
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


def test_texts_are_encoded_in_parts_between_which_others_have_their_turn(
    tmp_path: Path, loaded: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language_models, "AT_ONCE", 2)
    parts = []
    embed = Standin.embed
    monkeypatch.setattr(
        Standin, "embed", lambda self, texts: parts.append(texts) or embed(self, texts)
    )
    folder = folder_of(tmp_path / "m", "0 1")
    assert language_models.sentence_vectors(list("abcde"), folder).tolist() == 5 * [[0, 1]]
    assert parts == [["a", "b"], ["c", "d"], ["e"]]


def test_encoding_many_texts_says_how_far_it_is_and_ends_where_nobody_waits(
    tmp_path: Path, loaded: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language_models, "AT_ONCE", 2)
    told = []

    def left(*part: object) -> None:
        told.append(part)
        if len(told) == 2:
            raise InterruptedError("the reader has left")

    with heard_by(left), pytest.raises(InterruptedError):
        language_models.sentence_vectors(list("abcde"), folder_of(tmp_path / "m", "0 1"))
    assert told == [("encoding texts", 0, 3), ("encoding texts", 1, 3)]


@pytest.mark.parametrize(
    ("late", "said"),
    [(True, "m: found a language model that took longer than 60.05 s"), (False, "ended the")],
)
def test_a_process_that_ends_before_it_answers_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: bool, said: str
) -> None:
    def ask(*_: Any, **__: Any) -> None:
        raise ProcessEnded(late)

    monkeypatch.setattr(PROCESSES, "ask", ask)
    with pytest.raises(DataError, match=said):
        language_models.sentence_vectors(["x"], folder_of(tmp_path / "m", "0 1"))


def test_a_process_that_something_else_killed_is_no_reason_to_fail(
    tmp_path: Path, loaded: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a failure left without a number would be remembered so."""
    ask, asked = PROCESSES.ask, []

    def die_once(*arguments: Any, **named: Any) -> Any:
        asked.append(arguments)
        if len(asked) == 1:
            raise ProcessEnded(False)
        return ask(*arguments, **named)

    monkeypatch.setattr(PROCESSES, "ask", die_once)
    assert first(folder_of(tmp_path / "m", "0 1")) == [0, 1]
    assert len(asked) == 2


@pytest.mark.parametrize(
    "shape", [[2, 3], [1, 4], [3], [1, -1, 3, 1], None, "x"], ids=lambda shape: str(shape)
)
def test_what_a_process_says_of_its_vectors_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: Any
) -> None:
    monkeypatch.setattr(PROCESSES, "ask", lambda *_, **__: ({"shape": shape}, bytes(12)))
    with pytest.raises(DataError, match="ended the process"):
        language_models.sentence_vectors(["x"], folder_of(tmp_path / "m", "0 1"))


@pytest.mark.slow
def test_a_model_whose_process_died_is_loaded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language_models, "_warming", [])
    first_loading = language_models.warm()
    first_loading.join()
    assert language_models.ready() and language_models.warm() is first_loading
    for each in PROCESSES.free:
        each.process.kill()
        each.process.wait()
    assert not language_models.ready()
    assert language_models.warm() is not first_loading
    before = language_models.sentence_vectors(["a car"])  # waits for it
    assert language_models.ready() and before.shape == (1, 384)


def test_a_model_whose_process_ended_while_it_loaded_is_loaded_again_after_a_pause(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And one that cannot be loaded is not: each try takes seconds of the processor."""
    outcomes: list[Exception] = [ProcessEnded(True), Refusal("no weights", "")]

    def ask(*_: Any, **__: Any) -> tuple[dict[str, Any], bytes]:
        if outcomes:
            raise outcomes.pop(0)
        return {"shape": [0, 0]}, b""

    monkeypatch.setenv(language_models.OPERATOR, str(tmp_path))
    monkeypatch.setattr(language_models, "_warming", [])
    monkeypatch.setattr(PROCESSES, "ask", ask)
    (late := language_models.warm()).join()
    assert not late.loaded and language_models.warm() is late
    late.again -= language_models.PAUSE
    refused = language_models.warm()
    assert refused is not late
    refused.join()
    refused.again -= language_models.PAUSE
    assert language_models.warm() is refused and not outcomes


@pytest.mark.slow
def test_a_model_that_takes_too_much_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder like the packaged one, whose 30 million words want 46 GB."""
    for path in language_models.packaged_model().rglob("*"):
        place = tmp_path / "m" / path.relative_to(language_models.packaged_model())
        if path.is_dir():
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            os.link(path, place)
    settings = json.loads((tmp_path / "m" / "config.json").read_text())
    (tmp_path / "m" / "config.json").unlink()
    settings["vocab_size"] = 30_000_000
    (tmp_path / "m" / "config.json").write_text(json.dumps(settings))
    with pytest.raises(DataError, match="m: found a language model that (takes more|cannot be)"):
        language_models.sentence_vectors(["x"], tmp_path / "m")
    assert language_models.sentence_vectors(["still here", "there"]).shape == (2, 384)
