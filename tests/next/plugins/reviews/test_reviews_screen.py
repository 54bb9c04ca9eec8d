"""The screen Reviews: own work, lists, disagreements, agreement, corrected labels, bad input."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.next.plugins.reviews.judging_lists import (
    JudgingList,
)

MAIN = Path(__file__).parents[4] / "dashboard" / "next" / "main.py"
Say = Callable[..., int]
Draw = Callable[..., AppTest]
MADE = JudgingList(
    title="First *list*", baseline="v1", candidate="v2", protocol="qrels", author="eva",
    pairs=(("q1", "a"), ("q1", "c"), ("q2", "b")),
)  # fmt: skip
BLIND = JudgingList(
    title="Blind", baseline="v1", candidate="v2", protocol="qrels", author="eva",
    pairs=(("q1", ""), ("q2", "")),
)  # fmt: skip


@pytest.fixture
def draw(graded: Path, monkeypatch: pytest.MonkeyPatch) -> Draw:
    """Open the screen as a person, at an address."""

    def open_screen(author: str = "eva", **params: str) -> AppTest:
        monkeypatch.setenv("DASHBOARD_DATA", str(graded.parent))
        test = AppTest.from_file(str(MAIN), default_timeout=60).run()
        test.switch_page("plugins/reviews/screen.py")
        test.session_state["reviewer"] = author
        for key, value in params.items():
            test.query_params[key] = value
        test.run()
        assert not test.exception
        return test

    return open_screen


def read(test: AppTest) -> str:
    """Return every text of a page as the reader sees it."""
    kinds = (test.markdown, test.caption, test.error, test.info, test.warning, test.subheader)
    texts = [each.value for kind in kinds for each in kind]
    return "\n".join(texts + [each.value for each in test.get("html")]).replace("\\", "")


def test_nothing_yet(draw: Draw, store: Path) -> None:
    told = read(draw())
    assert "Nothing is left to judge." in told and "No list yet." in told
    assert not store.exists()
    assert "Enter your name to see what is left for you." in read(draw(""))
