"""Encoders and search systems over HTTP, on a real server that answers what a test wants."""

import base64
import contextlib
import io
import itertools
import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from dashboard.plugins.services import http_service, search_run
from dashboard.plugins.services.search_run import parse_hits
from dashboard.storage.collection import open_collection
from tests.plugins.worlds import call, write_world

FOUND = {"q1": ["a", "b"], "q2": ["b", "c"], "q3": [], "q4": ["c"]}
"""What the system finds for each query; of a, b, c the first is relevant for all."""
Answer = Callable[[dict[str, Any]], Any]


class Server:
    """Answers requests by a function, and keeps them; bytes and (status, headers) as they are."""

    def __init__(self) -> None:
        self.answer: Answer = lambda body: FOUND[body["query_id"]]
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[Any] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.bodies.append(body)
                outer.headers.append(self.headers)
                given = outer.answer(body)
                status, more = given if isinstance(given, tuple) else (200, {})
                content = given if isinstance(given, bytes) else json.dumps(given).encode()
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *words: Any) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, *words: Any) -> None:  # who asked has gone
                pass

        self.http = Quiet(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}/search"

    @property
    def asked(self) -> list[str]:
        """The queries that were asked, one for each request."""
        return [body["query_id"] for body in self.bodies]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(http_service, "PAUSE", 0)
    made = Server()
    thread = threading.Thread(target=made.http.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.http.shutdown()
    made.http.server_close()
    thread.join()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = write_world(
        tmp_path / "small", "", "item_id,caption\na,one\nb,two\nc,three\n",
        "query_id,text,item_id\nq1,red,\nq2,green,\nq3,blue,\nq4,,b\n",
        {}, {}, "".join(f"{query} 0 a 1\n" for query in (*FOUND, "q5")),
    )  # fmt: skip
    (made / "models" / "v1").rmdir()
    return made


def run(folder: Path, url: str, *more: object) -> tuple[int, list[dict], str]:
    return call("run", folder, "--version", "s", "--search", url, *more)


def measure(folder: Path) -> dict[str, float | None]:
    _, rows, _ = call("measure", folder, "--queries", "all", "--metrics", "RR", "--by-query")
    return {row["query_id"]: row["value"] for row in rows}


def list_left(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "runs").glob("*"))


def test_a_run(folder: Path, server: Server) -> None:
    """What finds nothing has 0; q4 is about b, which is no result."""
    code, rows, err = run(folder, server.url, "--depth", 7)
    assert (code, rows[0]["queries"], rows[0]["answered"], rows[0]["failed"]) == (0, 4, 4, 0)
    assert 0 < rows[0]["p50_ms"] <= rows[0]["p95_ms"] and err.startswith("s is a version of small")
    assert "/?collection=small&candidate=s\n" in err
    assert server.bodies[0] == {"query_id": "q1", "text": "red", "item_id": "", "k": 7}
    assert server.bodies[3] == {"query_id": "q4", "text": "", "item_id": "b", "k": 7}
    assert measure(folder) == {"q1": 1, "q2": 0, "q3": 0, "q4": 0}
    assert list_left(folder) == ["s.csv", "s.json"]
    server.bodies.clear()
    assert run(folder, server.url, "--depth", 7)[1] == rows and not server.bodies
    record = json.loads((folder / "runs" / "s.json").read_text())
    del record["milliseconds"]["q2"]  # as after a kill between the two files
    (folder / "runs" / "s.json").write_text(json.dumps(record))
    assert run(folder, server.url, "--depth", 7)[0] == 0 and server.asked == ["q2"]
    assert (folder / "runs" / "s.csv").read_text().count("q2,") == 2
    (folder / "queries.csv").write_text("query_id,text,item_id,image\nq1,red,,\nq6,,,x.png\n")
    assert run(folder, server.url, "--depth", 7)[1][0]["queries"] == 1
    assert server.asked == ["q2"], "the service cannot be asked for a picture"
    code, _, err = run(folder, server.url, "--depth", 8)
    assert code == 2 and "a version 's' already" in err


def test_a_place_that_cannot_be_written(folder: Path, server: Server) -> None:
    (folder / "runs").write_text("")
    code, _, err = run(folder, server.url)
    assert code == 2 and "found a folder that cannot be written" in err


def test_failed_queries_are_asked_again(folder: Path, server: Server) -> None:
    """They are null until they are answered, and nothing else is asked a second time."""
    server.answer = lambda body: (500, {}) if body["query_id"] == "q1" else FOUND[body["query_id"]]
    code, rows, err = run(folder, server.url, "--tries", 2)
    assert (code, rows[0]["answered"], rows[0]["failed"]) == (1, 3, 1)
    assert server.asked == ["q1", "q1", "q2", "q3", "q4"] and "(q1): status 500" in err
    assert measure(folder) == {"q1": None, "q2": 0, "q3": 0, "q4": 0}
    with (folder / "queries.csv").open("a") as file:
        file.write("q5,new,\n")
    assert measure(folder)["q5"] is None, "it was not asked"
    server.bodies.clear()
    server.answer = lambda body: FOUND.get(body["query_id"], ["a"])
    code, rows, _ = run(folder, server.url, "--tries", 2)
    assert (code, rows[0]["answered"]) == (0, 5)
    assert server.asked == ["q5", "q1"], "what failed before comes last"
    assert measure(folder) == {"q1": 1, "q2": 0, "q3": 0, "q4": 0, "q5": 1}
    assert list_left(folder) == ["s.csv", "s.json"]


def test_a_call_that_was_stopped(folder: Path, server: Server, monkeypatch) -> None:
    """What was answered before is there, and the rest is null until it is asked."""
    monkeypatch.setattr(search_run, "SAVE_SECONDS", 0.0)
    at_q3: list[dict[str, float | None]] = []

    def stop(done: int, total: int) -> None:
        if done == 3:
            at_q3.append(measure(folder))
            raise KeyboardInterrupt

    service, collection = http_service.Service(server.url), open_collection(folder)
    with pytest.raises(KeyboardInterrupt):
        search_run.run_search(collection, "s", service, 100, stop)
    assert at_q3 == [{"q1": 1, "q2": 0, "q3": 0, "q4": None}], "so it is after a kill"
    server.bodies.clear()
    code, rows, _ = run(folder, server.url)
    assert (code, server.asked, rows[0]["answered"]) == (0, ["q4"], 4)
    assert measure(folder) == {"q1": 1, "q2": 0, "q3": 0, "q4": 0}
    assert list_left(folder) == ["s.csv", "s.json"]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda body: (302, {"Location": "http://127.0.0.1:9/"}), "status 302"),
        (lambda body: b"<html>", "no JSON"),
        (lambda body: b"[" * 200_000, "no JSON"),
        (lambda body: {"answer": 1}, "without a list"),
        (lambda body: [{"id": "a", "score": 1}, {"id": "b"}], "several kinds"),
        (lambda body: b'[["a", 1e999]]', "the score 'inf'"),
        (lambda body: b'[["a", ' + b"9" * 400 + b"]]", "the score '99999999999999999999'"),
        (lambda body: [["a", True]], "the score 'True'"),
        (lambda body: [{"score": 1}], "the id 'None'"),
        (lambda body: [""], "the id ''"),
        (lambda body: [], "empty lists"),
        (lambda body: b'["' + b"a" * 65_000_000 + b'"]', "more than 64,000,000 bytes"),
    ],
)
def test_answers_that_cannot_be_used(
    folder: Path, server: Server, answer: Answer, told: str
) -> None:
    """A sentence; nothing is made of them."""
    server.answer = answer
    code, rows, err = run(folder, server.url, "--tries", 1)
    assert (code, rows) == (2, []) and told in err and "Traceback" not in err
    assert "no result for any query" in err and not [*folder.glob("runs/[!.]*")]
    server.answer = lambda body: FOUND[body["query_id"]]
    assert run(folder, server.url)[0] == 0


@pytest.mark.parametrize("part", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n["])
def test_a_service_that_stays_silent(folder: Path, part: bytes) -> None:
    """It answers nothing, or a part; each try ends in time, and not all queries are waited for."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        stop = threading.Event()

        def take() -> None:
            opened = []
            while not stop.is_set():
                opened.append(silent.accept()[0])
                if not stop.is_set():
                    opened[-1].sendall(part)
            for each in opened:
                each.close()

        thread = threading.Thread(target=take)
        thread.start()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        code, _, err = run(folder, url, "--timeout", 0.2, "--tries", 1)
        assert code == 2 and "no answer (ReadTimeoutError, 1 try of 0.2 s)" in err
        stop.set()
        socket.create_connection(silent.getsockname()).close()
        thread.join()
    code, _, err = run(folder, url, "--tries", 1)
    assert code == 2 and "no answer (NewConnectionError" in err


def test_a_service_that_drips(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each piece comes in time, and the whole does not: ten seconds pass with each look."""
    passed = itertools.count(0, 10)
    monkeypatch.setattr(http_service, "time", SimpleNamespace(monotonic=passed.__next__))
    with socket.create_server(("127.0.0.1", 0)) as slow:

        def drip() -> None:
            for _ in range(4):
                with slow.accept()[0] as opened, contextlib.suppress(OSError):
                    opened.recv(1 << 16)
                    opened.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
                    while True:  # until who asked has gone
                        opened.sendall(b" ")

        thread = threading.Thread(target=drip)
        thread.start()
        code, _, err = run(folder, f"http://127.0.0.1:{slow.getsockname()[1]}/", "--tries", 1)
        thread.join()
    assert code == 2 and "not whole after 30 s" in err


def test_tries_and_a_dead_service(folder: Path, server: Server, monkeypatch) -> None:
    """A busy service is asked again, one that fails five times in a row is left alone."""
    monkeypatch.setattr(http_service, "MAX_PAUSE", 0)
    lines = "".join(f"q{n},text {n},\n" for n in range(1, 10))
    (folder / "queries.csv").write_text(f"query_id,text,item_id\n{lines}")
    states = iter([(429, {"Retry-After": "9"}), (503, {}), ["a"]])
    server.answer = lambda body: next(states) if body["query_id"] == "q1" else (500, {})
    code, rows, err = run(folder, server.url, "--tries", 3)
    assert (code, rows[0]["answered"], rows[0]["failed"]) == (1, 1, 8)
    assert rows[0]["p50_ms"] is None, "it took several tries"
    assert server.asked == [f"q{n}" for n in range(1, 7) for _ in range(3)]
    assert "3 without an answer (q7, q8, q9): the system was not asked" in err
    server.bodies.clear()
    server.answer = lambda body: ["a"] if body["query_id"] == "q2" else (500, {})
    run(folder, server.url, "--tries", 1)
    assert server.asked == ["q7", "q8", "q9", "q2", "q3", "q4", "q5", "q6"]


def test_pauses_that_a_service_asks_for(folder: Path, server: Server, monkeypatch) -> None:
    """They are said once, and end: of two pauses of 0.3 s only the first is waited for."""
    monkeypatch.setattr(http_service, "MAX_PAUSE", 0.3)
    monkeypatch.setattr(http_service, "MAX_WAITED", 0.5)
    states = {"q2": [(429, {"Retry-After": "900"}), ["z"]], "q3": [(429, {"Retry-After": "900"})]}
    server.answer = lambda body: states.get(body["query_id"], [["a"]]).pop(0)
    code, rows, err = run(folder, server.url)
    assert (code, rows[0]["answered"]) == (1, 3)
    assert err.count("asks to wait (Retry-After): 0.3 s now, 0.5 s in all at most") == 1
    assert "(q3): pauses of more than 0.5 s in all" in err
    assert "found results that name 1 unknown items (z)" in err


def test_orders_of_answers() -> None:
    """Scores count where they fall; the order of the answer counts where they do not."""
    assert parse_hits({"results": [["a", 2], ["b", 1.5]]}, 9, "") == [("a", 2.0), ("b", 1.5)]
    assert parse_hits([["a", 1], ["b", 2]], 9, "") == [("a", -1.0), ("b", -2.0)]
    assert parse_hits(["b", 7, "b", "c"], 3, "") == [("b", -1.0), ("7", -2.0), ("c", -3.0)]
    hits = [{"id": "a", "score": 3}, {"id": "b", "score": 3}]
    assert parse_hits({"results": hits}, 1, "") == [("a", 3.0)]
    assert parse_hits(hits, 2, "") == [("a", 3.0), ("b", 3.0)]
    assert parse_hits([["a", 3], ["b", 2], ["a", 1]], 3, "") == [("a", 3.0), ("b", 2.0)]


@pytest.mark.parametrize("url", ["ftp://x/y", "http://", "http://u:p@x/", "x", "http://x/a b"])
def test_addresses(folder: Path, url: str) -> None:
    code, _, err = run(folder, url)
    assert code == 2 and "the address" in err


def test_records(folder: Path) -> None:
    """Of the first edition, of other programs, and damaged."""
    runs = folder / "runs"
    runs.mkdir()
    (runs / "s.csv").write_text("query_id,item_id,score\nq1,a,1\nq2,a,1\n")
    record = runs / "s.json"
    record.write_text('{"search": "x.toml", "answered": 3, "not_run": {"q2": "no power"}}')
    assert measure(folder) == {"q1": 1, "q2": None, "q3": 0, "q4": 0}
    collection = open_collection(folder)
    version = collection.versions["s"]
    assert [*version.make_source(collection, version, "gallery").ranked] == [0]
    record.write_text('{"learning_rate": 0.1}')
    assert measure(folder) == {"q1": 1, "q2": 1, "q3": 0, "q4": None}  # q4 alone is no text
    for text in ('{"search": ', "[" * 100_000, "\udcff"):
        record.write_text(text, errors="surrogateescape")
        assert "no JSON" in open_collection(folder).broken["s"].found
    record.write_text(
        '{"search": 1, "depth": [], "milliseconds": 2, "not_run": {"q1": [], "x": 3}}'
    )
    assert measure(folder)["q1"] is None


def test_a_key(folder: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is sent, and shown nowhere, though the service repeats it."""
    monkeypatch.setenv(http_service.KEY, "s3cret")
    server.answer = lambda body: b"your key s3cret"
    code, _, err = run(folder, server.url)
    assert code == 2 and server.headers[0]["Authorization"] == "Bearer s3cret"
    assert "your key •••" in err and "s3cret" not in err


def count(body: dict[str, Any]) -> list[list[int]]:
    """Return how often a text has e and r, of each input; of pictures their mean colour."""
    (given,) = body.values()
    rows = []
    for each in given:
        kind, _, code = each.partition(";base64,")
        if kind == "data:image/jpeg":
            picture = Image.open(io.BytesIO(base64.b64decode(code)))
            rows.append(np.asarray(picture, float).mean(axis=(0, 1))[:2].tolist())
        else:
            rows.append([each.count("e") + 1, each.count("r")])
    return rows


def embed(folder: Path, url: str) -> tuple[int, list[dict], str]:
    return call("embed", folder, "--version", "v", "--encoder", url, "--batch", 1)


def test_embedding(folder: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Captions, a picture and text queries; a typed text, where the operator lists the address."""
    (folder / "media").mkdir()
    Image.new("RGB", (8, 8), (0, 200, 0)).save(folder / "media" / "c.png")
    (folder / "items.csv").write_text("item_id,caption,file\na,one,\nb,two,\nc,,c.png\n")
    server.answer = lambda body: [[1, None]] if body["inputs"] == ["two"] else count(body)
    code, rows, err = embed(folder, server.url)
    assert (code, [(row["done"], row["skipped"]) for row in rows]) == (0, [(2, 1), (3, 0)])
    assert "skipped: a vector with NaN, infinity or only zeros (b)" in err
    vectors = np.load(folder / "models" / "v" / "items.npy")
    assert vectors == pytest.approx(np.array([[1, 0], [0, 1]]), abs=0.02)
    queries = np.load(folder / "models" / "v" / "queries.npy")
    assert queries[0] == pytest.approx(np.array([2, 1]) / 5**0.5), "red"
    words = ("search", folder, "rrr", "-k", 1)
    monkeypatch.setenv("DASHBOARD_ENCODERS", f"{server.url}/more")
    code, rows, err = call(*words)
    assert code == 2 and not rows and "an address that DASHBOARD_ENCODERS lists" in err
    monkeypatch.setenv("DASHBOARD_ENCODERS", f"http://other/ {server.url}")
    code, rows, _ = call(*words)
    assert (code, rows[0]["item_id"]) == (0, "c")
    server.answer = lambda body: (500, {})
    code, rows, err = call(*words)
    assert code == 2 and not rows and "status 500" in err and "Traceback" not in err


@pytest.mark.parametrize("key", ["", "data", "embeddings", "vectors", "embedding"])
def test_forms_of_vectors(server: Server, key: str) -> None:
    server.answer = lambda body: {key: count(body)} if key else count(body)
    service = http_service.Service(server.url)
    assert http_service.embed_inputs(service, ["red", "rr"]).tolist() == [[2, 1], [1, 2]]
    rows = [{"index": 1, "embedding": [5, 6]}, {"index": 0, "embedding": [7, 8]}]
    server.answer = lambda body: {key: rows} if key else rows
    openai = http_service.Service(server.url + "/embeddings")
    assert http_service.embed_inputs(openai, ["x", "y"]).tolist() == [[7, 8], [5, 6]]
    assert server.bodies[-1] == {"input": ["x", "y"]}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda body: (500, {}), "status 500"),
        (lambda body: [[1, 2], [3, 4]], "an answer of the shape (2, 2)"),
        (lambda body: [[1, 2, 3]], "an array of the shape (1, 3)"),
        (lambda body: [[1, [2]]], "no rows of numbers"),
        (lambda body: [{"index": 4, "embedding": [1, 2]}], "an answer of the shape (1,)"),
        (lambda body: b"[[1, " + b"9" * 400 + b"]]", "no rows of numbers"),
    ],
)
def test_embedding_goes_on(folder: Path, server: Server, answer: Answer, told: str) -> None:
    """The third input fails: a sentence and no version; the next call asks for what is missing."""
    server.answer = lambda body: answer(body) if body["inputs"] == ["three"] else count(body)
    code, _, err = embed(folder, server.url)
    assert code == 2 and told in err and "Traceback" not in err
    assert "what was embedded is kept; the same command goes on" in err
    assert not [*folder.glob("models/[!.]*")]
    server.bodies.clear()
    code, _, err = call("embed", folder, "--version", "w", "--encoder", "http://127.0.0.1:9/")
    assert code == 2 and "is kept" not in err and not (folder / "models" / ".embedding w").exists()
    server.answer = count
    assert embed(folder, server.url)[0] == 0
    assert [body["inputs"] for body in server.bodies] == [["three"], ["red"], ["green"], ["blue"]]
