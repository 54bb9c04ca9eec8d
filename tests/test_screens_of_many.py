"""A screen of many queries says that it measures them, one of few draws itself at once."""

from __future__ import annotations

import shutil
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from dashboard.experiment import memory
from dashboard.storage.collection import collection as collections
from dashboard.views.summary import measurements
from tests.test_screens import no_text_model, opened

__all__ = ["no_text_model"]


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is said while something is computed."""
    words: list[str] = []

    def spinner(text: str, **_: object) -> AbstractContextManager[None]:
        words.append(text)
        return nullcontext()

    monkeypatch.setattr(measurements.st, "spinner", spinner)
    return words


@pytest.mark.parametrize("more", [{}, {"candidate": "v0.1", "baseline": "v0.1"}, {"runs": "v0.2"}])
def test_many_queries_are_said_to_be_measured(
    said: list[str], more: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measurements, "MANY", 100)
    app = opened(collection="driving", queries="text", **more)
    assert [words for words in said if "quer" in words] == ["Measuring 113 queries …"]
    assert not app.exception and not app.error


def test_of_few_nothing_is_said(said: list[str]) -> None:
    assert not opened(collection="driving").exception
    assert said == []


def test_what_was_measured_ahead_is_not_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    memory.forget()
    monkeypatch.setattr(measurements, "MANY", 100)
    asked = []
    of = measurements.measuring.stability
    monkeypatch.setattr(measurements.measuring, "stability", lambda *a: asked.append(a) or of(*a))
    opened(collection="driving", queries="text")
    assert len(asked) > 1 and len(set(asked)) == 1, "the same question, so that it is remembered"


def test_a_version_without_query_vectors_alone_has_no_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named with its reason, and the others keep their order and their pairs."""
    made = tmp_path / "data" / "driving"
    left_out = shutil.ignore_patterns("media", "posters", "networks", "build", "*.onnx")
    shutil.copytree(collections.COLLECTIONS / "driving", made, ignore=left_out)
    bare = made / "models" / "v0.3"
    for path in [*bare.glob("queries.*"), bare / "text_projection.npy"]:
        path.unlink()
    (bare / "model.toml").write_text('encoder = "none"\n')
    monkeypatch.setattr(collections, "COLLECTIONS", made.parent)
    app = opened(collection="driving", queries="text", runs=["v0.1", "v0.2", "v0.3"])
    assert not app.exception
    words = [info.value.replace("\\", "") for info in app.info]
    assert any("v0.3 is not ranked" in word and "not run" in word for word in words), words
    assert not any("at least two queries" in word for word in words)
    assert "All pairs" in [header.value for header in app.header]
