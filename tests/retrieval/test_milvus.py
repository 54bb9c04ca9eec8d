"""A version on a Milvus server (milvus-lite, in a file): its lists are those of exact search.
What is not as it should be there is a sentence."""

from __future__ import annotations

import socket
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dashboard.retrieval.gallery import gallery_of
from dashboard.retrieval.indexes import copying, milvus
from dashboard.retrieval.indexes.copying import copy_vectors
from dashboard.retrieval.indexes.indexed import gallery_to_search
from dashboard.retrieval.one_query import item_run, text_run
from dashboard.retrieval.runs import run_of
from dashboard.storage.collection.collection import Collection, open_collection
from dashboard.storage.vectors.vectors import Vectors
from dashboard.storage.versions.index_settings import IndexSettings
from dashboard.storage.versions.versions import Model
from dashboard.tables import DataError
from tests.storage.tiny import make_collection, unit

pytest.importorskip("pymilvus", reason="pip install pymilvus milvus-lite")
pytest.importorskip("milvus_lite", reason="pip install pymilvus milvus-lite")

ITEMS = 400
WHERE = "tiny_v2"


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> str:
    return str(tmp_path_factory.mktemp("milvus") / "lite.db")


@pytest.fixture(autouse=True)
def allowed(address: str, monkeypatch) -> None:
    monkeypatch.setenv("DASHBOARD_MILVUS", f"http://127.0.0.1:9 {address}")


@pytest.fixture(scope="module")
def collection(tmp_path_factory, address: str) -> Collection:
    """The collection of `write_collection`, whose v0.2 is on the server."""
    opened = write_collection(tmp_path_factory.mktemp("of") / "tiny", address)
    copy_vectors(opened.models["v0.2"], opened.items, address)
    return opened


def write_collection(folder: Path, address: str) -> Collection:
    """Many ties, many copies, and two sides; v0.1 is searched exactly, v0.2 on a server."""
    make_collection(folder)
    lines = [f"x{n},x{n}.mp4,video,,{'left' if n % 3 else 'right'}" for n in range(ITEMS)]
    (folder / "items.csv").write_text("\n".join(["item_id,file,kind,caption,side", *lines]))
    (folder / "queries.csv").write_text(
        "query_id,text,item_id,among\nq1,car,,\nq2,person crossing,,left\nq3,bike,,right\n"
        "own,,x7,\n"
    )
    (folder / "unified_annotation.csv").write_text("slice_id,pv_object_type\nx1,small vehicle\n")
    rng = np.random.default_rng(5)
    rows = rng.integers(-1, 2, (ITEMS, 8)) + 0.001
    rows[100:150] = rows[7]
    queries = (folder / "models" / "v0.1" / "queries.npy").read_bytes()
    for version in ("v0.1", "v0.2"):
        place = folder / "models" / version
        np.save(place / "items.npy", unit(rows))
        (place / "queries.npy").write_bytes(queries)
        (place / "items.txt").write_text("".join(f"x{n}\n" for n in range(ITEMS)))
    with (place / "model.toml").open("a") as described:
        described.write(
            f'[index]\nkind = "exact"\nserver = "{address}"\ncollection = "{WHERE}"\ndepth = 60\n'
        )
    opened = open_collection(folder, allow_path=True)
    assert not opened.broken
    return opened


def same(found: pd.DataFrame, exact: pd.DataFrame) -> None:
    first = exact[exact["rank"] <= 60].reset_index(drop=True)
    texts = {"query_id": "str", "item_id": "str"}
    pd.testing.assert_frame_equal(found.astype(texts), first.astype(texts), check_dtype=False)


def test_stored_typed_and_item_queries_are_those_of_exact_search(collection: Collection) -> None:
    same(run_of(collection, "v0.2"), run_of(collection, "v0.1"))
    same(text_run(collection, "v0.2", "car", 400), text_run(collection, "v0.1", "car", 400))
    same(item_run(collection, "v0.2", "x9", 400), item_run(collection, "v0.1", "x9", 400))


def test_later_ranks_are_unknown(collection: Collection) -> None:
    run = run_of(collection, "v0.2")
    assert run.attrs["cut"] == 60
    assert run.attrs["partial"] == dict.fromkeys(["q1", "q2", "q3", "own"], True)


def with_index(model: Model, kind: str, where: str, **parameters: int) -> Model:
    assert model.index is not None
    settings = IndexSettings(kind, 60, tuple(parameters.items()), model.index.server, where)
    return replace(model, index=settings)


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [("hnsw", {"M": 16, "ef_construction": 80, "ef_search": 64}), ("ivf", {"nprobe": 8})],
)
def test_other_kinds_are_built_there_and_find_most(
    collection: Collection, address: str, kind: str, parameters: dict[str, int]
) -> None:
    model = with_index(collection.models["v0.2"], kind, "another", **parameters)
    row = copy_vectors(model, collection.items, address)  # the second time another kind is there
    assert row["rows"] == row["checked"] == ITEMS
    queries = model.items.rows([f"x{n}" for n in range(200, 220)])
    queries = queries.named([f"q{n}" for n in range(20)])
    found = gallery_to_search(model, collection.items).search(queries, 10)
    exact = gallery_of(model).search(queries, 10)
    pairs = found.merge(exact, on=["query_id", "item_id"])
    assert len(pairs) > 0.7 * len(exact)
    with milvus.server(address, "") as client:
        kinds = client.describe_index("another", "vector")["index_type"]
    assert kinds == milvus.KINDS[kind]


def test_a_copy_is_resumed_where_it_ended_and_rows_that_are_lost_are_sent_again(
    collection: Collection, address: str, monkeypatch
) -> None:
    monkeypatch.setattr(copying, "COPIED", 100)
    model, seen = with_index(collection.models["v0.2"], "exact", "resumed"), list[int]()

    def stop(done: int, of: int) -> None:
        seen.append(done)
        if done == 200:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_vectors(model, collection.items, address, progress=stop)
    with pytest.raises(DataError, match="found 200 rows; wanted 400, one for each item"):
        gallery_to_search(model, collection.items).search(model.items.rows(["x1"]), 5)
    assert copy_vectors(model, collection.items, address)["copied"] == 200
    assert copy_vectors(model, collection.items, address)["copied"] == 0
    with milvus.server(address, "") as client:
        client.delete("resumed", filter="place >= 150 and place < 350")
    with pytest.raises(DataError, match=r"found 200 rows.*Type: python -m dashboard index tiny"):
        gallery_to_search(model, collection.items).search(model.items.rows(["x1"]), 5)
    assert copy_vectors(model, collection.items, address)["copied"] == 300


def other_vectors(model: Model, width: int = 8) -> Model:
    rows = unit(np.random.default_rng(9).standard_normal((ITEMS, width)))
    return replace(model, items=Vectors(model.items.ids, rows), dimension=width)


def test_another_width_other_vectors_and_no_collection_are_sentences(
    collection: Collection, address: str
) -> None:
    model, items = collection.models["v0.2"], collection.items
    for wrong, sentence in (
        (other_vectors(model, 6), "vectors of 8 numbers; wanted 6"),
        (other_vectors(model), "vectors of another version; wanted those of v0.2"),
        (with_index(model, "exact", "nothing"), "no such collection; wanted the vectors"),
    ):
        with pytest.raises(DataError, match=sentence):
            gallery_to_search(wrong, items).search(wrong.items.rows(["x1"]), 5)
    with pytest.raises(DataError, match="vectors of 8 numbers; wanted 6.*--replace"):
        copy_vectors(other_vectors(model, 6), items, address)


def test_another_metric_is_a_sentence(collection: Collection, address: str) -> None:
    model = with_index(collection.models["v0.2"], "exact", "by_distance")
    with milvus.server(address, "") as client:
        parameters = client.prepare_index_params()
        parameters.add_index("vector", index_type="FLAT", metric_type="L2")
        from pymilvus import DataType

        schema = client.create_schema(auto_id=False)
        schema.add_field("place", DataType.INT64, is_primary=True)
        schema.add_field("side", DataType.INT64)
        schema.add_field("vector", DataType.FLOAT_VECTOR, dim=8)
        client.create_collection("by_distance", schema=schema, index_params=parameters)
    with pytest.raises(DataError, match="the metric L2; wanted IP or COSINE"):
        gallery_to_search(model, collection.items).search(model.items.rows(["x1"]), 5)


def test_a_server_that_is_not_there_or_that_nobody_allowed_is_a_sentence(
    collection: Collection, monkeypatch
) -> None:
    monkeypatch.setattr(milvus, "SECONDS", 2.0)
    model = collection.models["v0.2"]
    assert model.index is not None
    away = replace(model, index=replace(model.index, server="http://127.0.0.1:9"))
    with pytest.raises(DataError, match="found no server that answers"):
        gallery_to_search(away, collection.items).search(model.items.rows(["x1"]), 5)
    monkeypatch.delenv("DASHBOARD_MILVUS")
    with pytest.raises(DataError, match='nobody allowed.*DASHBOARD_MILVUS="http://127.0.0.1:9"'):
        gallery_to_search(away, collection.items).search(model.items.rows(["x1"]), 5)


def test_a_server_that_never_answers_is_a_sentence_in_time(
    collection: Collection, monkeypatch
) -> None:
    silent = socket.create_server(("127.0.0.1", 0))
    here = f"http://127.0.0.1:{silent.getsockname()[1]}"
    monkeypatch.setenv("DASHBOARD_MILVUS", here)
    monkeypatch.setattr(milvus, "SECONDS", 1.0)
    model = collection.models["v0.2"]
    assert model.index is not None
    slow = replace(model, index=replace(model.index, server=here))
    start = time.monotonic()
    with pytest.raises(DataError, match="no server that answers|no answer within"):
        gallery_to_search(slow, collection.items).search(model.items.rows(["x1"]), 5)
    assert time.monotonic() - start < 20
    silent.close()


def test_without_the_package_the_command_that_installs_it_is_said(
    collection: Collection, monkeypatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pymilvus", None)
    model = collection.models["v0.2"]
    with pytest.raises(DataError, match='pip install "pymilvus'):
        gallery_to_search(model, collection.items).search(model.items.rows(["x1"]), 5)


def test_an_index_that_is_not_the_one_of_the_settings_is_a_sentence_until_it_is_built(
    collection: Collection, address: str
) -> None:
    model, items = collection.models["v0.2"], collection.items
    graph = with_index(model, "hnsw", "kinds", M=16, ef_construction=80, ef_search=64)
    copy_vectors(graph, items, address)
    exactly = with_index(model, "exact", "kinds")
    with pytest.raises(DataError, match=r"the index HNSW; wanted FLAT, by model.toml\. Type: "):
        gallery_to_search(exactly, items).search(model.items.rows(["x1"]), 5)
    assert copy_vectors(exactly, items, address)["copied"] == 0
    same_first = gallery_to_search(exactly, items).search(model.items.rows(["x1"]), 5)
    pd.testing.assert_frame_equal(
        same_first, gallery_of(model).search(model.items.rows(["x1"]), 5), check_dtype=False
    )


@pytest.mark.parametrize(("told", "other"), [("M", "M = 4"), ("efConstruction", "efConst")])
def test_an_index_built_with_other_parameters_is_a_sentence(
    collection: Collection, told: str, other: str
) -> None:
    graph = with_index(collection.models["v0.2"], "hnsw", "of", M=16, ef_construction=80)
    assert graph.index is not None
    index = milvus.index_of(graph, graph.index, collection.items)
    there = {"index_type": "HNSW", "M": "16", "efConstruction": "80"}
    milvus.check_index(index, there)
    milvus.check_index(index, {"index_type": "HNSW"})  # as milvus-lite tells it
    with pytest.raises(DataError, match=f"the index {other}.*Type: python -m dashboard index"):
        milvus.check_index(index, there | {told: "4"})


def test_items_that_changed_sides_after_the_copy_are_a_sentence_until_it_is_made_again(
    collection: Collection, address: str
) -> None:
    model, items = with_index(collection.models["v0.2"], "exact", "sides"), collection.items
    copy_vectors(model, items, address)
    other = {"left": "right", "right": "left"}
    few = items.assign(side=[other[s] if n == 9 else s for n, s in enumerate(items["side"])])
    every = items.assign(side=items["side"].map(other))
    query = model.items.rows(["x1"])
    left = few.loc[few["side"] == "left", "item_id"].tolist()
    with pytest.raises(DataError, match="found 266 rows of a side; wanted 267"):
        gallery_to_search(model, few).part(left).search(query, 5)
    with pytest.raises(DataError, match="items of another side; wanted the sides of the items"):
        gallery_to_search(model, every).search(query, 5)
    assert copy_vectors(model, every, address)["copied"] == ITEMS
    left = every.loc[every["side"] == "left", "item_id"].tolist()
    found = gallery_to_search(model, every).part(left).search(query, 5)
    exact = gallery_of(model).part(left).search(query, 5)
    assert found["item_id"].tolist() == exact["item_id"].tolist()


def test_rows_of_items_that_are_gone_say_how_to_be_rid_of_them(
    collection: Collection, address: str
) -> None:
    model = with_index(collection.models["v0.2"], "exact", "shrunk")
    copy_vectors(model, collection.items, address)
    fewer = replace(model, items=model.items.rows(model.items.ids[:300]))
    for call in (
        lambda: gallery_to_search(fewer, collection.items).search(model.items.rows(["x1"]), 5),
        lambda: copy_vectors(fewer, collection.items, address),
    ):
        with pytest.raises(DataError, match="400 rows; wanted 300, one for each item.*--replace"):
            call()
    assert copy_vectors(fewer, collection.items, address, replaces=True)["copied"] == 300


def test_no_message_has_more_bytes_than_servers_take(
    collection: Collection, address: str, monkeypatch
) -> None:
    from pymilvus import MilvusClient

    monkeypatch.setattr(copying, "SENT", 4 * 8 * 150)  # 150 rows of 8 numbers
    sent, read = list[int](), list[int]()
    upsert, different = MilvusClient.upsert, copying.different
    monkeypatch.setattr(
        MilvusClient,
        "upsert",
        lambda self, where, rows, **o: (sent.append(len(rows)), upsert(self, where, rows, **o))[1],
    )
    monkeypatch.setattr(
        copying,
        "different",
        lambda client, index, places, level: (
            read.append(len(places)),
            different(client, index, places, level),
        )[1],
    )
    model = with_index(collection.models["v0.2"], "exact", "in_parts")
    row = copy_vectors(model, collection.items, address)
    assert sent == [150, 150, 100] and max(read) == 150 and row["checked"] == ITEMS


def test_a_gallery_of_one_item(collection: Collection, address: str) -> None:
    model = with_index(
        collection.models["v0.2"], "hnsw", "one", M=8, ef_construction=8, ef_search=8
    )
    one = replace(model, items=model.items.rows(["x3"]))
    copy_vectors(one, collection.items, address)
    run = gallery_to_search(one, collection.items).search(one.items.named(["q"]), 100)
    assert run["item_id"].tolist() == ["x3"] and run.attrs["partial"] == {}


def test_no_more_than_16384_are_ever_asked_for(collection: Collection, monkeypatch) -> None:
    model, limits = collection.models["v0.2"], list[int]()

    class Client:
        def search(self, where: str, data: list, limit: int, **_: object) -> list:
            limits.append(limit)
            return [[] for _ in data]

    monkeypatch.setattr(milvus, "_client", lambda *of: Client())
    monkeypatch.setattr(milvus, "check_rows", lambda *of: None)
    assert model.index is not None
    index = milvus.index_of(model, model.index, collection.items)
    index.nearest(np.zeros((600, 8), dtype="float32"), 20_000, None)
    assert limits == [16_384] * 3
