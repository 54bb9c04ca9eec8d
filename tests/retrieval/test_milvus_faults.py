"""A Milvus server with TLS and a token, and one that is slow, dies in the middle, or has lost rows:
each is a sentence, and the next search works again."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dashboard.retrieval.indexes import copying, milvus
from dashboard.retrieval.indexes.copying import copy_vectors
from dashboard.retrieval.one_query import text_run
from dashboard.retrieval.runs import run_of
from dashboard.storage.collection.collection import Collection
from dashboard.tables import DataError
from tests.retrieval.test_milvus import same, write_collection

pytest.importorskip("pymilvus", reason="pip install pymilvus milvus-lite")
pytest.importorskip("milvus_lite", reason="pip install pymilvus milvus-lite")

from tests.retrieval.milvus_gate import Gate, LiteProcess, gate, lite_server, own_authority

TOKEN = "root:a-secret-of-the-operator"


def served_at(collection: Collection, address: str) -> Collection:
    """The collection whose v0.2 is searched at another address of the same server."""
    model = collection.models["v0.2"]
    assert model.index is not None
    there = replace(model, index=replace(model.index, server=address))
    return replace(collection, models={**collection.models, "v0.2": there})


@pytest.fixture(scope="module")
def target(tmp_path_factory) -> Iterator[str]:
    with lite_server(tmp_path_factory.mktemp("lite")) as target:
        yield target


@pytest.fixture(scope="module")
def collection(tmp_path_factory, target: str) -> Collection:
    address = f"http://{target}"
    opened = write_collection(tmp_path_factory.mktemp("of") / "tiny", address)
    copy_vectors(opened.models["v0.2"], opened.items, address)
    return opened


@pytest.fixture
def gated(target: str, collection: Collection, monkeypatch) -> Iterator[tuple[Gate, Collection]]:
    """A gate before the server, and the collection that is searched through it."""
    with gate(target) as (handler, address):
        monkeypatch.setenv("DASHBOARD_MILVUS", address)
        yield handler, served_at(collection, address)


def test_a_token_and_a_private_authority_come_from_the_environment_and_are_told_to_nobody(
    target: str, collection: Collection, monkeypatch, tmp_path: Path, caplog, capsys
) -> None:
    caplog.set_level(logging.DEBUG)
    identity = own_authority()
    authority = tmp_path / "authority.pem"
    authority.write_bytes(identity[1])
    exact = run_of(collection, "v0.1")
    with gate(target, TOKEN, identity) as (handler, address):
        monkeypatch.setenv("DASHBOARD_MILVUS", address)
        there, told = served_at(collection, address), []

        def refused(sentence: str) -> None:
            with pytest.raises(DataError, match=sentence) as problem:
                run_of(there, "v0.2")
            told.append(str(problem.value))

        with monkeypatch.context() as hasty:
            hasty.setattr(milvus, "SECONDS", 1.0)
            refused("no server that answers.* DASHBOARD_MILVUS_CA")
        monkeypatch.setenv("DASHBOARD_MILVUS_CA", str(tmp_path / "none.pem"))
        refused("no such file; wanted the certificate that DASHBOARD_MILVUS_CA names")
        monkeypatch.setenv("DASHBOARD_MILVUS_CA", str(authority))
        refused("refuses the token; wanted the token of this server in DASHBOARD_MILVUS_TOKEN")
        monkeypatch.setenv("DASHBOARD_MILVUS_TOKEN", "root:wrong")
        refused("refuses the token")
        monkeypatch.setenv("DASHBOARD_MILVUS_TOKEN", TOKEN)
        same(run_of(there, "v0.2"), exact)
        row = copy_vectors(there.models["v0.2"], there.items, address)
        assert row["copied"] == 0 and "Search" in handler.calls
    out = capsys.readouterr()
    for text in (*told, caplog.text, out.out, out.err, str(row)):
        assert "a-secret" not in text and "wrong" not in text


def test_credentials_in_an_address_are_refused_and_not_repeated(collection: Collection) -> None:
    there = served_at(collection, "http://root:a-secret@127.0.0.1:9")
    for call in (
        lambda: run_of(there, "v0.2"),
        lambda: copy_vectors(
            there.models["v0.2"], there.items, "https://root:a-secret@127.0.0.1:9"
        ),
    ):
        with pytest.raises(DataError, match="DASHBOARD_MILVUS_TOKEN") as problem:
            call()
        assert "a-secret" not in str(problem.value)


def test_a_slow_server_is_a_sentence_in_time_and_then_works(gated, monkeypatch) -> None:
    handler, there = gated
    exact = run_of(there, "v0.1")
    monkeypatch.setattr(milvus, "SECONDS", 0.5)
    handler.before = lambda call: time.sleep(2.0) if call == "Search" else None
    with pytest.raises(DataError, match=r"no answer within 0\.5 seconds"):
        run_of(there, "v0.2")
    handler.before = lambda call: None
    monkeypatch.setattr(milvus, "SECONDS", 20.0)
    same(run_of(there, "v0.2"), exact)


def test_half_of_the_rows_lost_between_two_searches_is_a_sentence(gated, target: str) -> None:
    _, there = gated
    model = there.models["v0.2"]
    assert model.index is not None
    address = model.index.server
    lossy = replace(model, index=replace(model.index, collection="lossy"))
    copy_vectors(lossy, there.items, address)
    there = replace(there, models={**there.models, "v0.2": lossy})
    exact = text_run(there, "v0.1", "car", 400)
    same(text_run(there, "v0.2", "car", 400), exact)
    with milvus.server(address, "", given=True) as client:
        client.delete("lossy", filter="place >= 200")
    with pytest.raises(DataError, match="found 200 rows; wanted 400, one for each item"):
        text_run(there, "v0.2", "car", 400)
    assert copy_vectors(lossy, there.items, address)["copied"] == 400  # one block
    same(text_run(there, "v0.2", "car", 400), exact)


@pytest.mark.slow
def test_a_server_killed_in_a_search_and_in_a_copy_goes_on_after_its_restart(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(copying, "COPIED", 100)
    monkeypatch.setattr(milvus, "SECONDS", 5.0)
    monkeypatch.setattr(copying, "PATIENCE", 20.0)
    server = LiteProcess(tmp_path)
    with gate(server.target) as (handler, address):
        monkeypatch.setenv("DASHBOARD_MILVUS", address)
        collection = write_collection(tmp_path / "tiny", address)
        model, exact = collection.models["v0.2"], run_of(collection, "v0.1")
        try:
            server.start()
            handler.before = lambda call: (
                server.kill() if call == "Upsert" and handler.calls.count("Upsert") == 3 else None
            )
            with pytest.raises(DataError, match="no server that answers.*then type the same call"):
                copy_vectors(model, collection.items, address)
            server.start()
            assert 200 <= copy_vectors(model, collection.items, address)["copied"] < 400
            handler.before = lambda call: server.kill() if call == "Search" else None
            with pytest.raises(DataError, match="no server that answers.*then reload"):
                run_of(collection, "v0.2")
            handler.before = lambda call: None
            server.start()
            same(run_of(collection, "v0.2"), exact)
        finally:
            server.kill()
