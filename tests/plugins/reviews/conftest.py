"""A store of its own for each test, and a collection of graded pairs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dashboard.plugins.reviews import verdicts
from dashboard.plugins.reviews.verdicts import Verdict
from dashboard.storage.collection import open_collection

RUN = """q1 Q0 a 1 3 t
q1 Q0 b 2 2 t
q1 Q0 c 3 1 t
q2 Q0 d 1 3 t
q2 Q0 a 2 2 t
"""
OTHER = """q1 Q0 c 1 3 t
q1 Q0 b 2 2 t
q1 Q0 d 3 1 t
q2 Q0 d 1 3 t
q2 Q0 b 2 2 t
"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the store, which is not there yet."""
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "said"))
    return tmp_path / "said" / "reviews.sqlite"


@pytest.fixture
def graded(tmp_path: Path, store: Path) -> Path:
    """Two queries and five items, of which x is of no run; q1: a 2, b 0; q2: a 1."""
    folder = tmp_path / "data" / "graded"
    (folder / "runs").mkdir(parents=True)
    (folder / "collection.toml").write_text('title = "Graded"\n')
    (folder / "items.csv").write_text("item_id\na\nb\nc\nd\nx\n")
    (folder / "queries.csv").write_text("query_id,text,scene\nq1,first,s1\nq2,second,s2\n")
    (folder / "qrels.txt").write_text("q1 0 a 2\nq1 0 b 0\nq2 0 a 1\n")
    (folder / "runs" / "v1.trec").write_text(RUN)
    (folder / "runs" / "v2.trec").write_text(OTHER)
    return folder


@pytest.fixture
def say(graded: Path) -> Callable[..., int]:
    """Save a verdict: author, query, item, value, and fields by name."""

    def save(author: str, query: str, item: str, value: str, once: str = "", **more: str) -> int:
        made = Verdict(author=author, query_id=query, item_id=item, value=value, **more)
        return verdicts.save_verdict(open_collection(graded), made, once)

    return save
