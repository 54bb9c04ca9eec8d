"""How long reviewers wait who step through queries at the same time, and what a step costs.

`python -m tests.benchmarks.bench_load --readers 10 --steps 6` starts the app, lets so many readers
open Query over websockets of this machine, each with a session of its own, and go to the next query
so many times, as the key j does, thinking `--think` seconds between. It prints what they waited
(median, 95th percentile, most), the server's CPU seconds a step, and its memory. `--folder` names
another collection than the first; `--rounds 5` goes over the steps again, to see whether memory
grows, and `--minutes 30` goes on so long: `--readers 50 --minutes 30 --steps 20` is half an hour of
fifty readers, with the memory after each round.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import statistics
import tempfile
import time
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from tests.benchmarks.bench_pages import started

PATIENCE = 300.0  # seconds for one answer; a reader who waits longer is counted as a fault
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Reader:
    """One session: its connection, the address of its page, and the queries in their order."""

    there: ClientConnection
    page: str
    query: str
    order: list[str] = field(default_factory=list)
    place: int = 0
    script: str = ""
    received: int = 0

    async def run(self) -> float:
        """Ask for the page; gives the seconds until it is drawn."""
        ask = BackMsg()
        state = ask.rerun_script
        state.query_string, state.page_script_hash = self.query, self.script
        if not self.script:
            state.page_name = self.page
        state.context_info.url = f"http://127.0.0.1/{self.page}"
        begun = time.perf_counter()
        await self.there.send(ask.SerializeToString())
        while True:
            got = await asyncio.wait_for(self.there.recv(), PATIENCE)
            self.received += len(got)
            message = ForwardMsg.FromString(bytes(got))  # type: ignore[arg-type]
            if self._read(message):
                return time.perf_counter() - begun

    def _read(self, message: ForwardMsg) -> bool:
        """Note what a message says; whether it ends the run of the whole script."""
        kind = message.WhichOneof("type")
        if kind == "navigation":
            self.script = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta" and message.delta.new_element.HasField("bidi_component"):
            if content := message.delta.new_element.bidi_component.bytes:
                order = json.loads(zlib.decompress(content)).get("order", [])
                self.order = [query for _, query, *_ in order] or self.order
        elif kind == "delta" and message.delta.new_element.HasField("exception"):
            raise RuntimeError(message.delta.new_element.exception.message)
        return kind == "script_finished" and message.script_finished == 0


async def review(
    port: int, query: str, think: float, steps: int, until: list[float], waited: list[float]
) -> int:
    """One reader: opens the page, then steps, thinking before each; gives the bytes received."""
    address, origin = f"ws://127.0.0.1:{port}/_stcore/stream", f"http://127.0.0.1:{port}"
    async with connect(address, origin=Origin(origin), max_size=None) as there:
        reader = Reader(there, "query", query)
        until.append(await reader.run())
        before = reader.received
        for _ in range(steps):
            await asyncio.sleep(random.uniform(0.5, 1.5) * think)
            reader.place = (reader.place + 1) % len(reader.order)
            reader.query = (
                f"{query}{'&' if query else '?'}query={quote(reader.order[reader.place])}"
            )
            waited.append(await reader.run())
        return (reader.received - before) // max(steps, 1)


def cpu(process: int) -> float:
    """The CPU seconds of a process and of its children that have ended."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


def memory(process: int) -> float:
    """The MB that a process holds beyond files that are mapped."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+)", status)[1]) / 1_024  # type: ignore[index]


async def load(port: int, process: int, call: argparse.Namespace) -> None:
    query = f"?collection={call.folder}" if call.folder else ""
    first: list[float] = []
    await review(port, query, 0.0, 2, first, [])
    print(f"first visit: {first[0]:.2f} s; memory {memory(process):.0f} MB")
    started_at, held, rounds = time.monotonic(), list[float](), 0
    while rounds < call.rounds or time.monotonic() - started_at < 60 * call.minutes:
        rounds += 1
        opened: list[float] = []
        waited: list[float] = []
        begun, used = time.perf_counter(), cpu(process)
        sizes = await asyncio.gather(
            *(
                review(port, query, call.think, call.steps, opened, waited)
                for _ in range(call.readers)
            ),
            return_exceptions=True,
        )
        faults = [each for each in sizes if isinstance(each, BaseException)]
        seconds, used = time.perf_counter() - begun, cpu(process) - used
        if not waited:
            raise SystemExit(f"no step was answered: {faults[:1]}")
        ordered = sorted(waited)
        held.append(memory(process))
        print(
            f"after {(time.monotonic() - started_at) / 60:.1f} min: "
            f"{call.readers} readers, {len(waited)} steps in {seconds:.0f} s: waited "
            f"{statistics.median(waited):.2f} s at the median, "
            f"{ordered[int(0.95 * (len(ordered) - 1))]:.2f} s at p95, {ordered[-1]:.2f} s at most; "
            f"{1000 * used / (len(waited) + len(opened)):.0f} ms of CPU a page; "
            f"{statistics.mean(each for each in sizes if isinstance(each, int)) / 1000:.0f} kB a "
            f"step; {len(faults)} faults; memory {held[-1]:.0f} MB",
            flush=True,
        )
    if rounds > 1:
        print(
            f"memory after the first round {held[0]:.0f} MB, after the last {held[-1]:.0f} MB, "
            f"at most {max(held):.0f} MB"
        )


def main() -> None:
    """Start the app, load it, print."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--readers", type=int, default=10, choices=range(1, 201), metavar="1…200")
    asked.add_argument("--think", type=float, default=8.0, help="seconds between two steps")
    asked.add_argument("--steps", type=int, default=6, choices=range(1, 1001), metavar="1…1000")
    asked.add_argument("--rounds", type=int, default=1)
    asked.add_argument("--minutes", type=float, default=0.0, help="go on with rounds so long")
    asked.add_argument("--folder", default="", help="the collection's name in the address")
    call = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server, port = started(Path(folder) / "log.txt", None)
        try:
            asyncio.run(load(port, server.pid, call))
        finally:
            server.terminate()
            server.wait(timeout=20)


if __name__ == "__main__":
    main()
