"""Readers who close their pages while they are computed leave no work behind: the server rests."""

from __future__ import annotations

import asyncio
import time
import urllib.request
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect
from websockets.typing import Origin

from tests import own_loop
from tests.benchmarks import bench_scale
from tests.benchmarks.bench_load import cpu
from tests.benchmarks.bench_pages import started

pytestmark = pytest.mark.slow

PAGES = (
    ("", "metric=AP", ""),
    ("slices", "", ""),
    ("query", "", ""),
    ("compare", "metric=AP", ""),
    ("compare", "metric=nDCG", "building the index"),
)
"""Pages, their address, and what is computed when they are closed; empty: whatever is first."""
ALONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
REST = 0.05
"""Seconds of processor in half a second of a server at rest, at most."""
LEFT_OVER = 2.0
"""Seconds of processor until the server rests; the index alone takes 10 to build."""


async def begun_and_closed(port: int, page: str, address: str, work: str) -> None:
    """Open a page, wait until it says that it computes this work, and close it."""
    url, origin = f"ws://127.0.0.1:{port}/_stcore/stream", f"http://127.0.0.1:{port}"
    ask = BackMsg()
    ask.rerun_script.page_name = page
    ask.rerun_script.query_string = f"collection=scale&{address}"
    async with connect(url, origin=Origin(origin), max_size=None) as there:
        await there.send(ask.SerializeToString())
        while True:
            got = await asyncio.wait_for(there.recv(), 120)
            message = ForwardMsg.FromString(bytes(got))
            if message.WhichOneof("type") == "script_finished":
                assert not work, f"{page or 'overview'} was drawn without {work}"
                return  # all that it needs was there
            element = message.delta.new_element
            if element.WhichOneof("type") in ("spinner", "progress") and work in str(element):
                return


def seconds_until_rest(process: int) -> float:
    """Seconds of processor that a server takes until it rests, in a minute at most."""
    first = last = cpu(process)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        time.sleep(0.5)
        last, before = cpu(process), last
        if last - before <= REST:
            return before - first
    return last - first


def test_five_pages_closed_in_a_row_leave_no_work_behind(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "scale"
    folder.mkdir(parents=True)
    bench_scale.make(folder, 30_000, 300, 2, 128, 300)
    with (folder / "models" / "v0.2" / "model.toml").open("a") as described:
        described.write('[index]\nkind = "hnsw"\n')
    settings = {"DASHBOARD_DATA": str(tmp_path / "data"), "DASHBOARD_CACHE": str(tmp_path), **ALONE}
    server, port = started(tmp_path / "log.txt", None, settings)
    try:
        for page, address, work in PAGES:
            own_loop.run(begun_and_closed(port, page, address, work))
        assert seconds_until_rest(server.pid) < LEFT_OVER
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
            assert b"dashboard_sessions 0.0" in answer.read()
        assert "Traceback" not in (tmp_path / "log.txt").read_text()
    finally:
        server.terminate()
        server.wait(20)
