"""A screen of many queries announces what it computes, and how far it is."""

from __future__ import annotations

import shutil
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from dashboard.experiment import memory
from dashboard.storage.collection import collection as collections
from dashboard.views.frame import progress_bar
from tests.test_screens import no_text_model, opened

__all__ = ["no_text_model"]


@pytest.fixture
def announced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What pages announce while something is computed."""
    words: list[str] = []

    def spinner(text: str, **_: object) -> AbstractContextManager[None]:
        words.append(text)
        return nullcontext()

    monkeypatch.setattr(progress_bar.st, "spinner", spinner)
    return words


def test_a_page_announces_what_it_computes_once(announced: list[str]) -> None:
    memory.forget()
    app = opened(collection="driving", queries="text")
    assert not app.exception and not app.error
    assert any(words.startswith("Measuring") for words in announced)
    announced.clear()
    opened(collection="driving", queries="text")
    assert announced == [], "all is remembered"


def test_a_bar_shows_how_far_the_work_is_and_is_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit ends the run of a reader who left where the bar is drawn."""
    monkeypatch.setattr(progress_bar, "DRAWN", 0.0)
    drawn = []

    class Place:
        def empty(self) -> Place:
            drawn.append("empty")
            return self

        def progress(self, share: float, text: str) -> None:
            drawn.append((share, text))

    clock = iter((0.0, 0.0, 2.0, 4.0))
    monkeypatch.setattr(progress_bar.time, "monotonic", lambda: next(clock))
    bar = progress_bar._Bar(Place())
    for done in range(3):
        bar.draw("searching", done, 4)
    bar.clear()
    assert drawn == [
        "empty",
        (0.0, "searching, 0%"),
        (0.25, "searching, 25%, about 6 s left"),
        (0.5, "searching, 50%, about 4 s left"),
        "empty",
    ]


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
    assert "All pairs" in [section.label for section in app.expander]
