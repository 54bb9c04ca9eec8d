"""Copies on a Milvus server: a stand-in for pymilvus, and milvus-lite where it is installed."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dashboard.plugins.indexes import milvus_copy
from dashboard.storage.collection import open_collection
from tests.plugins.worlds import call

URI = "http://127.0.0.1:19530"
COPY = ("--version", "v1", "--to", URI)


class Server:
    """What a Milvus server keeps, searched exactly; `fault` is raised by every call."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[int, Any]] = {}
        self.sent, self.fault = 0, ""

    def connect(self, uri: str, token: str, timeout: float) -> "Server":
        self._fail()
        return self

    def _fail(self) -> None:
        if self.fault:
            raise ConnectionError(self.fault)

    def has_collection(self, name: str, timeout: float) -> bool:
        self._fail()
        return name in self.kept

    def create_schema(self, **_: Any) -> Any:
        return SimpleNamespace(add_field=lambda *_, **__: None)

    def prepare_index_params(self) -> Any:
        return SimpleNamespace(add_index=lambda *_, **__: None)

    def create_collection(self, name: str, **_: Any) -> None:
        self.kept[name] = {}

    def load_collection(self, name: str, timeout: float) -> None: ...

    def flush(self, name: str, timeout: float) -> None: ...

    def describe_index(self, name: str, field: str) -> dict[str, int]:
        return {"pending_index_rows": 0}

    def upsert(self, name: str, rows: list[dict], timeout: float) -> None:
        self._fail()
        self.sent += len(rows)
        self.kept[name] |= {row["row"]: np.array(row["vector"]) for row in rows}

    def query(self, name: str, filter: str, output_fields: list, timeout: float) -> list[dict]:
        return [{"count(*)": len(self.kept[name])}]

    def get(self, name: str, ids: list, output_fields: list, timeout: float) -> list[dict]:
        kept = self.kept[name]
        return [{"row": row, "vector": kept[row].tolist()} for row in ids if row in kept]

    def search(self, name: str, data: list, limit: int, **_: Any) -> list[list[dict]]:
        self._fail()
        found = []
        for vector in data:
            scores = {row: float(each @ vector) for row, each in self.kept[name].items()}
            best = sorted(scores, key=scores.__getitem__, reverse=True)[:limit]
            found.append([{"distance": scores[row], "entity": {"row": row}} for row in best])
        return found


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    made = Server()
    types = SimpleNamespace(INT64=5, FLOAT_VECTOR=101)
    module = SimpleNamespace(MilvusClient=made.connect, DataType=types)
    monkeypatch.setitem(sys.modules, "pymilvus", module)
    monkeypatch.setenv("DASHBOARD_MILVUS", URI)
    return made


def test_a_copy_is_a_version(folder: Path, server: Server) -> None:
    """All ten vectors are sent once and read back; the copy finds what exact search finds."""
    code, rows, err = call("index", folder, *COPY)
    assert (code, rows) == (0, [{"rows": 10, "copied": 10, "checked": 10}])
    assert "v1 (milvus) is a version" in err and f'DASHBOARD_MILVUS="{URI}"' in err
    _, rows, _ = call("measure", folder, "--queries", "all", "--by-query")
    values = {(row["run"], row["query_id"], row["metric"]): row["value"] for row in rows}
    assert len(values) % 2 == 0
    for (run, *rest), value in values.items():
        assert value == values["v1" if run != "v1" else "v1 (milvus)", *rest]
    _, rows, _ = call("index", folder, "--version", "v1", "--evaluate", "-k", 3)
    assert [(row["index"], row["recall"], row["bytes"]) for row in rows] == [
        (f"FLAT on {URI}", 1, None),
        ("Flat", 1, 80),
    ]


def test_a_copy_is_gone_on_with(folder: Path, server: Server) -> None:
    """Of ten vectors one is lost on the server, and one is another there."""
    call("index", folder, *COPY)
    (kept,) = server.kept.values()
    del kept[3]
    kept[7] = kept[7] + 1
    code, rows, err = call("measure", folder)
    assert code == 2 and "found 9 of the vectors" in err
    assert call("index", folder, *COPY)[1] == [{"rows": 10, "copied": 2, "checked": 10}]
    assert (server.sent, call("measure", folder)[0]) == (12, 0)


def test_a_server_that_is_gone_in_the_middle(folder: Path, server: Server, monkeypatch) -> None:
    """Its queries were not run, the others' values stand; when it is back it is asked again."""
    call("index", folder, *COPY)
    words = ("measure", folder, "--metrics", "R@3")
    whole = call(*words)[1]
    monkeypatch.setenv("DASHBOARD_MILVUS_TOKEN", "s3cret")
    server.fault = "nobody answers s3cret"
    assert call(*words)[:2] == (0, whole), "what was computed stands"
    (folder / "collection.toml").touch()
    code, rows, err = call(*words)
    assert code == 2 and "nobody answers •••" in err and "Traceback" not in err
    assert rows[0] == whole[0] and (rows[1]["mean"], rows[1]["scored"]) == (None, 0)
    pair = ("--baseline", "v1", "--candidate", "v1 (milvus)")
    _, rows, err = call("compare", *words[1:], *pair)
    assert (rows[0]["scored"], "nobody answers" in err) == (0, True)
    server.fault = ""
    assert call(*words)[:2] == (0, whole)

    def fail_once(*_: Any, **__: Any) -> None:
        del server.search
        raise ConnectionError("busy")

    server.search = fail_once  # type: ignore[method-assign]
    code, rows, err = call("index", folder, "--version", "v1", "--evaluate")
    assert (code, rows, "busy" in err) == (2, [], True), "no recall of 0"


def test_an_index_that_is_never_built(folder: Path, server: Server, monkeypatch) -> None:
    monkeypatch.setattr(milvus_copy, "STALLED_SECONDS", 0.0)
    server.describe_index = lambda *_: {"pending_index_rows": 7}  # type: ignore[method-assign]
    code, rows, err = call("index", folder, *COPY)
    assert (code, rows) == (2, []) and "lacks 7 rows" in err and "type the same command" in err
    del server.describe_index
    assert call("index", folder, *COPY)[1] == [{"rows": 10, "copied": 0, "checked": 10}]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "http://name:word@host"], "DASHBOARD_MILVUS_TOKEN"),
        (["--to", "ftp://host"], "http://HOST:PORT"),
        (["--to", URI, "--factory", "IVF2,Flat"], "an index of Milvus"),
        (["--to", URI, "--depth", "16385"], "at most 16,384"),
    ],
)
def test_wrong_calls(folder: Path, server: Server, words, said) -> None:
    code, rows, err = call("index", folder, "--version", "v1", *words)
    assert (code, rows) == (2, []) and said in err and not server.kept


def test_records_of_others(folder: Path, server: Server, monkeypatch) -> None:
    """Of other vectors, damaged, or of no server, or one that nobody lists, which is not asked."""
    call("index", folder, *COPY)
    path = folder / "models" / "v1" / "milvus.json"
    told = json.loads(path.read_text())
    for change, said in (
        ({"vectors": "0"}, "a copy of other vectors"),
        ({"uri": "file:///etc"}, "damaged"),
        ({"depth": "many"}, "damaged"),
    ):
        path.write_text(json.dumps(told | change))
        assert said in open_collection(folder).broken["v1 (milvus)"].found
    monkeypatch.setenv("DASHBOARD_MILVUS", "http://127.0.0.1:19531")
    server.fault = "it was asked"
    path.write_text(json.dumps(told))
    assert f'DASHBOARD_MILVUS="{URI}"' in open_collection(folder).broken["v1 (milvus)"].do


@pytest.mark.parametrize("factory", ["FLAT", "HNSW"])
def test_milvus_lite(folder: Path, tmp_path: Path, monkeypatch, factory) -> None:
    """The real library: it is not among the requirements of the tests."""
    pytest.importorskip("milvus_lite")
    monkeypatch.setenv("DASHBOARD_MILVUS", str(tmp_path / "copy.db"))
    words = ("--to", tmp_path / "copy.db", "--factory", factory)
    code, rows, _ = call("index", folder, "--version", "v1", *words)
    assert (code, rows) == (0, [{"rows": 10, "copied": 10, "checked": 10}])
    _, rows, _ = call("measure", folder, "--queries", "all", "--metrics", "AP RR")
    assert len(rows) == 4 and rows[0]["mean"] == rows[2]["mean"] and rows[2]["scored"] == 3
    assert call("index", folder, "--version", "v1", *words)[1][0]["copied"] == 0
