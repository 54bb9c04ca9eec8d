"""`run` makes what a search system answers a version; a query without an answer has no value."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dashboard import retrieval
from dashboard.__main__ import main
from dashboard.experiment.collection.collections import opened_in
from dashboard.experiment.versions import running
from dashboard.retrieval import runs, services
from dashboard.retrieval.search_services import Query, search_of
from dashboard.storage.runs.run_record import RunRecord, read_record
from tests.services import Asked, served
from tests.storage.tiny import ITEMS, make_collection

ROOT = Path(__file__).parents[1]
SEARCHES = Path(retrieval.__file__).parent / "searches"
KEYS = ("OPENSEARCH_KEY", "QDRANT_KEY", "ALGOLIA_KEY", "ALGOLIA_APPLICATION")


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "PAUSE", 0.0)
    for key in KEYS:
        monkeypatch.setenv(key, f"s3cret-{key}")


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return make_collection(tmp_path / "tiny")


def found_for(text: str) -> list[str]:
    return [ITEMS[len(text) % 4], ITEMS[(len(text) + 1) % 4]]


def search(text: str, k: int) -> list[tuple[str, float]]:
    return [(item, -rank) for rank, item in enumerate(found_for(text))][:k]


def fails_for_q2(text: str, k: int) -> list[str]:
    if text == "person crossing" and not os.environ.get("MENDED"):
        raise RuntimeError("no \x1b[1mluck")
    asked.append(text)
    return found_for(text)[:k]


asked: list[str] = []
ME = "tests.test_run_command"


def run(folder: Path, how: object, *more: str) -> int:
    return main(["run", str(folder), "bm25", "--search", str(how), *more])


def record_of(folder: Path) -> RunRecord:
    record = read_record(folder / "runs" / "bm25.csv")
    assert record is not None
    return record


def lists(folder: Path) -> dict[str, list[str]]:
    table = runs.run_of(opened_in(folder), "bm25")
    return {str(q): list(part["item_id"].astype("str")) for q, part in table.groupby(
        "query_id", observed=True
    )}  # fmt: skip


def pointed(name: str, url: str, folder: Path) -> Path:
    """One of the examples, its address on the test's server."""
    text = (SEARCHES / f"{name}.toml").read_text(encoding="utf-8")
    address = next(line for line in text.splitlines() if line.startswith("url"))
    path = address.split('"')[1].split("/", 3)[3]
    file = folder / f"{name}.toml"
    file.write_text(text.replace(address, f'url = "{url}/{path}"').replace('"v3"', '"v0.1"'))
    return file


def of_opensearch(asked: Asked) -> Any:
    assert asked.path == "/clips/_search" and asked.body["_source"] is False
    assert asked.headers["Authorization"] == "ApiKey s3cret-OPENSEARCH_KEY"
    text, size = asked.body["query"]["match"]["caption"], asked.body["size"]
    hits = [{"_id": i, "_score": 9.5 - n} for n, i in enumerate(found_for(text))][:size]
    assert asked.params["allow_partial_search_results"] == ["false"]
    shards = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
    return {
        "took": 3,
        "timed_out": False,
        "_shards": shards,
        "hits": {"total": {"value": 2}, "hits": hits},
    }


def of_solr(asked: Asked) -> Any:
    assert asked.path == "/solr/clips/select" and asked.params["rows"] == ["100"]
    docs = [{"id": i, "score": 2.5 - n} for n, i in enumerate(found_for(asked.params["q"][0]))]
    return {"responseHeader": {"status": 0}, "response": {"numFound": 2, "docs": docs}}


def of_vespa(asked: Asked) -> Any:
    assert asked.path == "/search/" and "userQuery()" in asked.body["yql"]
    found = found_for(asked.body["query"])
    hits = [{"relevance": 1.5 - n, "fields": {"item_id": i}} for n, i in enumerate(found)]
    return {"root": {"id": "toplevel", "fields": {"totalCount": 2}, "children": hits}}


def client(headers: Mapping[str, str]) -> services.Client:
    return services.Client(headers=headers)


PART = [
    ("opensearch", {"_shards": {"failed": 1}, "hits": {"hits": [{"_id": "a", "_score": 1}]}}),
    ("solr", {"responseHeader": {"partialResults": True}, "response": {"docs": []}}),
    ("vespa", {"root": {"errors": [{"code": 12}], "fields": {"totalCount": 0}}}),
]
"""Answers with status 200 of which a part is missing."""


@pytest.mark.parametrize(("engine", "answer"), PART, ids=[name for name, _ in PART])
def test_half_an_answer_is_none(tmp_path, engine, answer) -> None:
    with served(lambda _: (200, answer)) as server:
        search = search_of(str(pointed(engine, server.url, tmp_path)), client)
        with pytest.raises(services.Unanswered, match="an incomplete answer, "):
            search.ask(Query("q1", "a car"), 5)
        search.stop()


def test_no_result_of_vespa_is_an_answer(tmp_path) -> None:
    none = {"root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 0}}}
    with served(lambda _: (200, none)) as server:
        search = search_of(str(pointed("vespa", server.url, tmp_path)), client)
        assert search.ask(Query("q1", "a car"), 5)[0] == []
        search.stop()


def of_qdrant(asked: Asked) -> Any:
    assert asked.path == "/collections/clips/points/query"
    assert len(asked.body["query"]) == 8 and asked.headers["api-key"] == "s3cret-QDRANT_KEY"
    points = [{"id": n, "score": 0.9 - n, "payload": {"item_id": i}} for n, i in enumerate(ITEMS)]
    return {"status": "ok", "time": 0.001, "result": {"points": points[: asked.body["limit"]]}}


def of_algolia(asked: Asked) -> Any:
    assert asked.path == "/1/indexes/clips/query" and asked.body["hitsPerPage"] == 100
    hits = [{"objectID": i, "_highlightResult": {}} for i in found_for(asked.body["query"])]
    return {"hits": hits, "nbHits": 2, "page": 0}


def of_own(asked: Asked) -> Any:
    assert asked.path == "/search"
    return found_for(asked.params["q"][0])


ENGINES = [
    ("opensearch", of_opensearch),
    ("solr", of_solr),
    ("vespa", of_vespa),
    ("qdrant", of_qdrant),
    ("algolia", of_algolia),
    ("own", of_own),
]


@pytest.mark.parametrize(("name", "answer"), ENGINES)
def test_each_engines_documented_answer_is_a_version(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, answer: Any
) -> None:
    with served(lambda asked: (200, answer(asked))) as server:
        code = run(tiny, pointed(name, server.url, tmp_path), "--format", "json")
    printed = capsys.readouterr()
    row = json.loads(printed.out)[0]
    asked = 5 if name == "qdrant" else 3  # the stored queries by an item have no text
    assert (row["queries"], row["answered"], row["failed"], code) == (asked, asked, 0, 0)
    assert 0 < row["p50_ms"] <= row["p95_ms"]
    unasked = "2 queries (item_v00, item_v01) not asked: no text"
    assert (unasked in printed.err) == (asked == 3)
    texts = {"q1": "car", "q2": "person crossing", "q3": "cyclist entering ego lane"}
    if name != "qdrant":
        assert lists(tiny) == {query: found_for(text) for query, text in texts.items()}
    record = record_of(tiny)
    assert record.answered == row["answered"] and record.p95_ms == row["p95_ms"]
    written = "".join(path.read_text() for path in (tiny / "runs").iterdir())
    assert "s3cret" not in written + printed.out + printed.err
    assert not (tiny / ".drafts").exists()


def test_latency_stands_beside_quality(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tiny, f"{ME}:search") == 0
    main(["measure", str(tiny), "--runs", "bm25", "--metrics", "P@1", "--queries", "all"])
    record = record_of(tiny)
    sentence = f"3 of 3 queries, p50 {record.p50_ms:,.1f} ms, p95 {record.p95_ms:,.1f} ms"
    sentence += " (half, and 95 %, of its answers took no longer)"
    assert f"bm25: was answered by {ME}:search: {sentence}" in capsys.readouterr().err


def test_every_example_is_tried() -> None:
    assert {path.stem for path in SEARCHES.iterdir()} == {name for name, _ in ENGINES}


def test_what_failed_has_no_value_and_is_asked_again(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked.clear()
    assert run(tiny, f"{ME}:fails_for_q2", "--at-once", "1") == 1
    error = capsys.readouterr().err
    assert "'q2' has no answer: RuntimeError: no \\x1b[1mluck" in error
    assert "the same command asks 1 query again" in error
    assert asked == ["car", "cyclist entering ego lane"]
    table = runs.run_of(opened_in(tiny), "bm25")
    assert table.attrs["not_run"]["q2"].startswith("RuntimeError")
    assert table.attrs["not_run"]["item_v00"] == "not asked: no text"
    before = opened_in(tiny).digest
    monkeypatch.setenv("MENDED", "1")
    assert run(tiny, f"{ME}:fails_for_q2") == 0
    assert asked[2:] == ["person crossing"] and "q2" in lists(tiny)
    assert set(record_of(tiny).not_run) == {"item_v00", "item_v01"}
    assert opened_in(tiny).digest != before
    assert run(tiny, f"{ME}:fails_for_q2") == 2, "it is whole: no version is written over"
    assert run(tiny, f"{ME}:search") == 2
    main(["measure", str(tiny), "--metrics", "P@1", "--queries", "all", "--by-query"])


def test_no_answer_at_all_is_no_version(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nowhere = tiny.parent / "own.toml"
    nowhere.write_text((SEARCHES / "own.toml").read_text().replace(":9000", ":9"))
    assert run(tiny, nowhere, "--tries", "1") == 2
    assert "no result for any query" in capsys.readouterr().err
    assert "bm25" not in opened_in(tiny).versions


ODD = [
    ({"hits": {"total": 0}}, "an answer without 'hits' of results = 'hits.hits' (there: total)"),
    ({"hits": {"hits": {"a": 1}}}, "a dict at 'hits.hits', no list"),
    ({"hits": {"hits": [{"_id": "v00"}]}}, "result 0 without '_score' (there: _id)"),
    ({"hits": {"hits": [{"_id": None, "_score": 1}]}}, "the id 'None', no text"),
    ({"hits": {"hits": [{"_id": "v00", "_score": "high"}]}}, "the score 'high', no number"),
    ({"hits": {"hits": [{"_id": "v00", "_score": True}]}}, "the score 'True', no number"),
    ({"hits": {"hits": [{"_id": True, "_score": 1}]}}, "the id 'True', no text"),
    (b'{"hits": {"hits": [{"_id": "v00", "_score": NaN}]}}', "the score nan, not finite"),
    (b"\x1b[2Jnot json", "an answer that is no JSON"),
    (b"", "an answer that is no JSON"),
]


@pytest.mark.parametrize(("answer", "sentence"), ODD)
def test_an_answer_that_cannot_be_read_is_a_failed_query(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: Any, sentence: str
) -> None:
    def some(asked: Asked) -> tuple[int, Any]:
        car = asked.body["query"]["match"]["caption"] == "car"
        return 200, answer if car else of_opensearch(asked)

    with served(some) as server:
        assert run(tiny, pointed("opensearch", server.url, tmp_path), "--tries", "1") == 1
    error = capsys.readouterr().err
    assert f"'q1' has no answer: {sentence}" in error and "\x1b" not in error
    assert set(lists(tiny)) == {"q2", "q3"} and "q1" in record_of(tiny).not_run


def test_repeated_and_unknown_ids_keep_their_place(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(lambda asked: (200, ["v02", "x", "v02", 7, "v00"])) as server:
        assert run(tiny, pointed("own", server.url, tmp_path), "--depth", "4") == 0
    assert lists(tiny)["q1"] == ["v02", "x", "7", "v00"]
    assert "2 results that are no items (7, x)" in capsys.readouterr().err


def test_a_busy_service_is_asked_again(tiny: Path, tmp_path: Path) -> None:
    tries: list[str] = []

    def answer(asked: Asked) -> tuple[int, Any]:
        text = asked.params["q"][0]
        tries.append(text)
        busy = text == "car" and tries.count("car") < 3
        return (503, "busy") if busy else (200, found_for(text))

    with served(answer) as server:
        assert run(tiny, pointed("own", server.url, tmp_path), "--tries", "3") == 0
    assert tries.count("car") == 3 and lists(tiny)["q1"] == found_for("car")


@pytest.mark.parametrize("answered", [pytest.param(0, marks=pytest.mark.slow), 2])
def test_a_service_that_is_away_is_not_asked_every_query(
    tiny: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answered: int,
) -> None:
    queries = tiny / "queries.csv"
    lines = queries.read_text().splitlines()[:1] + [f"q{n},text {n}," for n in range(40)]
    queries.write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(running, "IN_A_ROW", 5)
    here = threading.Event()

    def answer(asked: Asked) -> tuple[int, Any]:
        well = here.is_set() or len(server.asked) <= answered
        return (200, ["v00"]) if well else (503, "away")

    with served(answer) as server:
        own = pointed("own", server.url, tmp_path)
        code = run(tiny, own, "--tries", "1", "--at-once", "1")
        assert len(server.asked) < answered + 8, "the first four, or five in a row, are enough"
        error = capsys.readouterr().err
        assert "have no answer: left for the next call, for the service was away" in error
        assert error.count("status 503") <= 2, "a line for each reason, not for each query"
        assert code == (1 if answered else 2) and (tiny / "runs").exists() == bool(answered)
        here.set()
        assert run(tiny, own, "--tries", "1", "--at-once", "1") == 0
    assert record_of(tiny).answered == 40 == len(lists(tiny))


@pytest.mark.slow
def test_a_slow_service_is_given_up(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    over = threading.Event()

    def answer(asked: Asked) -> tuple[int, Any]:
        over.wait(60)
        return 200, []

    with served(answer) as server:
        own = pointed("own", server.url, tmp_path)
        try:
            assert run(tiny, own, "--timeout", "0.2", "--tries", "2") == 2
        finally:
            over.set()
    assert "3 queries have no answer: no answer within 0.2 s" in capsys.readouterr().err
    assert not (tiny / "runs").exists()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('url = "http://h/"\nid = "x"\n[params]\nq = "all"', "a request without the query"),
        ('url = "file:///etc/passwd"\n[params]\nq = "{text}"', "http:// or https://"),
        ('url = "http://u:p@h/"\n[params]\nq = "{text}"', "a name or password in it"),
        ('url = "http://h/"\n[params]\nq = "{vector}"', "{vector} without vectors"),
        ('url = "http://h/"\nscore = "s"\n[params]\nq = "{text}"', "score without id"),
        ('url = "http://h/"\npaths = 1\n[params]\nq = "{text}"', "the keys paths"),
        ('url = "http://h/"\nmethod = "DELETE"\n[params]\nq = "{text}"', "method = 'DELETE'"),
        ('url = "http://h/"\n[headers]\nk = "${NO_KEY}"\n[params]\nq = "{text}"', "no variable"),
        ("url =", "no TOML"),
    ],
)
def test_settings_that_cannot_be_used_are_a_sentence(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, sentence: str
) -> None:
    (tmp_path / "s.toml").write_text(text)
    assert run(tiny, tmp_path / "s.toml") == 2
    assert sentence in capsys.readouterr().err and not (tiny / "runs").exists()


def test_what_a_query_says_is_never_a_template() -> None:
    from dashboard.retrieval.search_services import Query, filled

    query = Query("q1", 'car {k} "} {query_id}')
    template = {"q": "{text}", "n": "{k}", "all": ["<{text}>", {"deep": "{query_id}"}], "one": 1}
    assert filled(template, query, 5) == {
        "q": query.text,
        "n": 5,
        "all": [f"<{query.text}>", {"deep": "q1"}],
        "one": 1,
    }


@pytest.mark.slow
def test_killed_at_any_moment_the_next_call_goes_on(tiny: Path) -> None:
    call = ["run", str(tiny), "bm25", "--search", f"{ME}:search", "--at-once", "1"]
    loop = [sys.executable, "-m", "tests.kills", str(tiny), *call, "--format", "json"]
    some = {**os.environ, "KILLS_STEP": "5"}
    ended = subprocess.run(
        loop, cwd=ROOT, capture_output=True, text=True, env=some, check=True, timeout=400
    )
    states = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith('{"killed')]
    assert len(states) > 3 and not states[-1]["killed"]
    assert set(lists(tiny)) == {"q1", "q2", "q3"} and record_of(tiny).answered == 3


def test_a_damaged_record_is_a_sentence(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tiny, f"{ME}:search") == 0
    (tiny / "runs" / "bm25.json").write_text('{"search": 1}')
    capsys.readouterr()
    assert main(["measure", str(tiny), "--runs", "bm25", "--queries", "all"]) == 2
    assert "runs/bm25.json: found no record of a run" in capsys.readouterr().err


def test_a_refusal_that_repeats_the_headers_shows_no_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The shorter secret is the beginning of the longer one, whose rest must not stay."""
    monkeypatch.setenv("SHORT", "abc")
    monkeypatch.setenv("LONG", "abc-and-more")
    headers = {"One": "Key ${SHORT}", "Other": "${LONG}"}

    def answer(asked: Asked) -> tuple[int, Any]:
        return 403, f"{asked.headers['One']}, {asked.headers['Other']}: not yours".encode()

    with served(answer) as server, pytest.raises(services.Unanswered) as refused:
        services.Client(headers=headers).ask(server.url, {})
    assert str(refused.value) == "status 403: 'Key •••, •••: not yours'"


def test_an_answer_that_leads_elsewhere_is_not_followed_with_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ITS_KEY", "s3cret")
    client = services.Client(headers={"X-Key": "${ITS_KEY}"})
    with (
        served(lambda asked: (200, [])) as other,
        served(lambda asked: (307, other.url)) as server,
        pytest.raises(services.Unanswered, match="status 307"),
    ):
        client.ask(server.url, {})
    assert not other.asked
