"""What a real Milvus server does with a version, in a network namespace of its own: run by
`test_milvus_server.py` under `unshare --net`, prints a line of JSON for each step.

The server comes from the wheel milvus 2.3.5 in an environment of its own, whose Python is the first
argument; the second one is an empty folder.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from dashboard.retrieval.gallery import gallery_of
from dashboard.retrieval.indexes import milvus
from dashboard.retrieval.indexes.copying import copy_vectors
from dashboard.retrieval.indexes.indexed import gallery_to_search
from dashboard.retrieval.one_query import item_run, text_run
from dashboard.retrieval.runs import run_of
from dashboard.storage.collection.collection import Collection
from dashboard.storage.vectors.vectors import Vectors
from dashboard.storage.versions.index_settings import IndexSettings
from dashboard.storage.versions.versions import Model
from dashboard.tables import DataError
from tests.retrieval.test_milvus import write_collection
from tests.storage.tiny import unit

PORT = 19530
ADDRESS = f"http://127.0.0.1:{PORT}"
START = """
import os, subprocess, sys
from milvus import default_server
default_server.set_base_dir(sys.argv[1])
default_server.listen_port = {port}
default_server.start()
program = default_server.get_milvus_executable_path()
place = os.path.dirname(program)
for line in sys.stdin:  # once more: its own start takes another port after a kill
    default_server.server_proc.wait()
    os.chdir(sys.argv[1])
    settings = dict(os.environ, DEPLOY_MODE="STANDALONE", LD_LIBRARY_PATH=place)
    default_server.server_proc = subprocess.Popen([program, "run", "standalone"], env=settings)
"""


def loopback_up() -> None:
    """Switches on the loopback of this namespace, as `ip link set lo up` does."""
    up, sets = 1, 0x8914  # IFF_UP, SIOCSIFFLAGS
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, sets, struct.pack("16sh", b"lo", up))


@contextmanager
def serving(python: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A running server: its launcher, which starts it once more for a line."""
    folder.mkdir()
    launcher = subprocess.Popen(
        [python, "-c", START.format(port=PORT), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_for(launcher)
        yield launcher
    finally:
        for process in [*children(launcher.pid), launcher.pid]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        launcher.wait()


def wait_for(launcher: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while not answers():
        if launcher.poll() is not None or time.monotonic() > until:
            raise SystemExit("the server did not start")
        time.sleep(0.2)


def answers() -> bool:
    """Whether a server takes calls."""
    from pymilvus import MilvusClient

    with socket.socket() as knock:
        if knock.connect_ex(("127.0.0.1", PORT)):
            return False
    try:
        client = MilvusClient(ADDRESS, timeout=2)
        client.list_collections(timeout=2)
        client.close()
    except Exception:  # the client has many kinds
        return False
    return True


def children(parent: int) -> list[int]:
    """The processes that a process started, and those that these did."""
    found = []
    for state in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = state.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found += [int(state.parent.name), *children(int(state.parent.name))]
    return found


def say(step: str, of: object) -> None:
    print(
        json.dumps({"step": step, "of": of, "at": round(time.monotonic() - BEGAN, 1)}), flush=True
    )


def sentence(call: Callable[[], object]) -> str:
    try:
        call()
    except DataError as problem:
        return str(problem)
    return ""


def same(found: pd.DataFrame, exact: pd.DataFrame) -> bool:
    """Whether lists are the first 60 of exact search, scores and order to the last bit."""
    first, columns = exact[exact["rank"] <= 60], ["query_id", "item_id", "score", "rank"]
    rows = [each[columns].astype({"query_id": "str", "item_id": "str"}) for each in (found, first)]
    return bool((rows[0].to_numpy() == rows[1].to_numpy()).all())


def lists(collection: Collection) -> bool:
    """Whether stored, typed and item queries find on the server what exact search finds."""
    calls = (
        lambda version: run_of(collection, version),
        lambda version: text_run(collection, version, "car", 400),
        lambda version: item_run(collection, version, "x9", 400),
    )
    return all(same(call("v0.2"), call("v0.1")) for call in calls)


def main(python: str, folder: Path) -> None:
    loopback_up()
    os.environ["DASHBOARD_MILVUS"] = ADDRESS
    milvus.SECONDS = 4.0
    collection = write_collection(folder / "tiny", ADDRESS)
    model, items = collection.models["v0.2"], collection.items
    say("not there", sentence(lambda: lists(collection)))
    with serving(python, folder / "server") as launcher:
        processes = children(launcher.pid)
        say("up", len(processes))
        say("no collection", sentence(lambda: lists(collection)))
        say("copied", copy_vectors(model, items, ADDRESS)["copied"])
        say("lists", lists(collection))
        settings = IndexSettings(
            "hnsw", 60, (("M", 16), ("ef_construction", 80), ("ef_search", 64))
        )
        graph = replace(model, index=replace(settings, server=ADDRESS, collection="graph"))
        copy_vectors(graph, items, ADDRESS)
        queries = model.items.rows([f"x{n}" for n in range(200, 220)])
        queries = queries.named([f"q{n}" for n in range(20)])
        found = gallery_to_search(graph, items).search(queries, 10)
        both = found.merge(gallery_of(graph).search(queries, 10), on=["query_id", "item_id"])
        say("hnsw", len(both) / 200)
        say("found by the index alone", found_by_a_poor_graph(model, items, settings))
        deep = replace(model, index=replace(model.index or settings, depth=16_384))
        say("deep", len(gallery_to_search(deep, items).search(queries, 16_384)) == 20 * 400)
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        start = time.monotonic()
        say("slow", sentence(lambda: lists(collection)))
        say("seconds", time.monotonic() - start)
        for process in processes:
            os.kill(process, signal.SIGCONT)
        say("goes on", eventually(lambda: lists(collection)))
        for process in processes:
            os.kill(process, signal.SIGKILL)
        say("killed", sentence(lambda: lists(collection)))
        assert launcher.stdin is not None
        launcher.stdin.write(b"again\n")
        launcher.stdin.flush()
        wait_for(launcher)
        say("again", eventually(lambda: lists(collection)))


def found_by_a_poor_graph(model: Model, items: pd.DataFrame, of: IndexSettings) -> float:
    """The share of right results just after a copy, by an index that must miss most of them: of so
    many rows as a server builds one for, and does not search one by one."""
    rows = np.random.default_rng(3).standard_normal((6_000, 8)).astype("float32")
    many = Vectors(tuple(f"y{n}" for n in range(len(rows))), unit(rows))
    parameters = (("M", 2), ("ef_construction", 2), ("ef_search", 2))
    settings = replace(of, parameters=parameters, server=ADDRESS, collection="poor", depth=10)
    poor = replace(model, items=many, index=settings)
    copy_vectors(poor, items, ADDRESS)
    other = replace(poor, index=replace(settings, parameters=of.parameters))
    query = many.rows(many.ids[:50]).named([f"q{n}" for n in range(50)])
    say("other index", sentence(lambda: gallery_to_search(other, items).search(query, 10)))
    found = gallery_to_search(poor, items).search(query, 10)
    return len(found.merge(gallery_of(poor).search(query, 10), on=["query_id", "item_id"])) / 500


def eventually(call: Callable[[], bool]) -> bool | str:
    """What a call returns within some seconds: a server that was away needs a moment."""
    until = time.monotonic() + 40
    while problem := sentence(call):
        if time.monotonic() > until:
            return problem
        time.sleep(1)
    return call()


BEGAN = time.monotonic()
if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
