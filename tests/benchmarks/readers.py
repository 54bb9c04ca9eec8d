"""Readers of one process who step from query to query: milliseconds until a step is drawn.

`python -m tests.benchmarks.readers 10 50 200` serves the shipped collection driving, and for each
number of readers prints the median and the 95th percentile of their steps. Each reader is a client
of the server's own websocket, and waits 8 seconds on average between two steps. They come within
40 seconds; steps count when all are there.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import random
import time
from urllib.parse import urlencode

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

from tests.benchmarks.browser_steps import ROOT, read_seconds, serve

PORT = 8651
PAUSE = 8.0
"""Seconds between two steps of a reader, on average."""
ARRIVAL = 40.0
"""Seconds in which all readers come."""
MAX_MESSAGE = 1 << 26


async def draw(socket: object, query: str, held: set[str]) -> float:
    """Ask for a query's page, and return the milliseconds until it is drawn whole.

    As a browser does, the reader names the messages that it holds, which are not sent again.
    """
    asked = BackMsg()
    asked.rerun_script.query_string = urlencode({"collection": "driving", "query": query})
    asked.rerun_script.page_name = "query"
    asked.rerun_script.cached_message_hashes.extend(held)
    held.clear()
    begun = time.perf_counter()
    await socket.send(asked.SerializeToString())  # type: ignore[attr-defined]
    while True:
        told = ForwardMsg.FromString(await socket.recv())  # type: ignore[attr-defined]
        held |= {told.ref_hash or told.hash} if told.metadata.cacheable or told.ref_hash else set()
        if told.WhichOneof("type") == "script_finished":
            if told.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY:
                raise SystemExit(f"a step ended with {told.script_finished}")
            return 1000 * (time.perf_counter() - begun)


async def read(
    queries: list[str], place: int, first: float, until: float, found: list[float]
) -> None:
    """Step through the queries until a time; steps count from `first` on."""
    chance, held = random.Random(place), set[str]()
    address = f"ws://127.0.0.1:{PORT}/_stcore/stream"
    async with connect(
        address, max_size=MAX_MESSAGE, ping_interval=None, subprotocols=["streamlit"]
    ) as socket:  # type: ignore[list-item]
        await asyncio.sleep(chance.uniform(0, ARRIVAL))
        await draw(socket, queries[place % len(queries)], held)
        while time.monotonic() < until:
            await asyncio.sleep(chance.uniform(0.5 * PAUSE, 1.5 * PAUSE))
            place += 1
            taken = await draw(socket, queries[place % len(queries)], held)
            found += [taken] if time.monotonic() > first else []


async def measure_readers(
    queries: list[str], readers: int, seconds: float, process: int
) -> tuple[list[float], float]:
    """Return the milliseconds of each step of some readers, and those of the processor."""
    found: list[float] = []
    first = time.monotonic() + ARRIVAL
    steps = [read(queries, n, first, first + seconds, found) for n in range(readers)]
    waiting = asyncio.gather(*steps)
    await asyncio.sleep(ARRIVAL)
    used = read_seconds(process)
    await asyncio.sleep(seconds)
    used = read_seconds(process) - used
    await waiting
    return found, 1000 * used


def main() -> None:
    """Print a row for each number of readers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("readers", nargs="*", type=int, default=[10, 50, 200])
    parser.add_argument("--seconds", type=float, default=60.0)
    call = parser.parse_args()
    with (ROOT / "data" / "driving" / "queries.csv").open(encoding="utf-8") as file:
        queries = [row["query_id"] for row in csv.DictReader(file) if row["text"]]
    first = 0.0
    with serve(ROOT / "app.py", PORT) as process:
        for readers in call.readers:
            found, used = asyncio.run(measure_readers(queries, readers, call.seconds, process))
            half, most = np.percentile(found, [50, 95])
            first = first or most
            spent = used / len(found)
            told = f"{readers:4} readers {len(found):6,} steps: median {half:6.0f} ms"
            told += f", p95 {most:6.0f} ms, {most / first:.1f} x the first"
            print(f"{told}, {spent:.0f} ms CPU a step", flush=True)


if __name__ == "__main__":
    main()
