"""How long reviewers wait who step through queries at the same time, and what a step costs.

`python -m tests.benchmarks.bench_load --readers 10 --steps 6` starts the app, lets so many readers
open Query over websockets of this machine, each with a session of its own, and go to the next query
so many times, as the key j does, thinking `--think` seconds between. It prints what they waited
(median, 95th percentile, most), the server's CPU seconds a step, and its memory. As a browser does,
each reader fetches the cards of the queries nearby after each step, which is part of the CPU;
`--alone` leaves that out. Readers begin at queries of their own, and so the first visit of each
query is among the steps. `--folder` names another collection than the first; `--rounds 5` goes over
the steps again, to see whether memory grows, and `--minutes 30` goes on so long: `--readers 50
--minutes 30 --steps 20` is half an hour of fifty readers, with the memory after each round.

`--processes 4` starts so many behind nginx, set up as the README of the server's room has it: each
reader has the cookie of one. It ends with what 200 readers would wait for on four processes with a
core each, worked out from the CPU of a step, which leaves out the line and the browser:
`--processes 4 --readers 100 --steps 6` takes about two minutes. `--minutes` prints the memory every
30 seconds, too.

`--judging` lets them save a verdict each time in place of a step, as review mode does, and look
every second for what colleagues saved: `--judging --readers 50 --steps 20` prints how long a save
took, and whether the store has each verdict that was acknowledged. Reviews go to a folder of their
own, or where DASHBOARD_REVIEWS says: a folder or a `postgresql://` URL. `--browsers 5` lets so many
Chromiums (`CHROMIUM`, or /usr/bin/chromium) press the keys beside them, each on a page of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import statistics
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import httpx
from sqlalchemy import select
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from dashboard.experiment.collection import collections
from dashboard.storage.reviews import store
from dashboard.storage.reviews.review_tables import REVIEW
from tests.benchmarks.behind_nginx import behind_nginx, cookie_of
from tests.benchmarks.bench_pages import started
from tests.benchmarks.reviewers import chromiums, in_words, judge, press

PATIENCE = 300.0  # seconds for one answer; a reader who waits longer is counted as a fault
OLDEST = 2  # runs after which a browser forgets a message, as global.maxCachedMessageAge
TICKS = os.sysconf("SC_CLK_TCK")
NEAR = (1, 2, -1)
"""The places from the open query whose cards a browser fetches, as `ahead.js` does."""
TEAM, CORES, ON_PAPER = 200, 4, 2_000
"""Readers and processes of a team, and the steps of each reader that are worked out."""
EVERY = 30.0
"""Seconds between two looks at the memory."""
TURNS = 2
"""What a browser fetches at the same time."""


@dataclass
class Reader:
    """One session: its connection, the address of its page, and the queries in their order."""

    there: ClientConnection
    page: str
    query: str
    order: list[str] = field(default_factory=list)
    place: int = 0
    drawn: str = ""
    script: str = ""
    received: int = 0
    runs: int = 0
    held: dict[str, tuple[int, ForwardMsg]] = field(default_factory=dict)
    ready: set[str] = field(default_factory=set)
    ahead: asyncio.Task[None] | None = None

    async def run(self) -> float:
        """Ask for the page; gives the seconds until it is drawn."""
        ask = BackMsg()
        state = ask.rerun_script
        state.query_string, state.page_script_hash = self.query, self.script
        if not self.script:
            state.page_name = self.page
        state.context_info.url = f"http://127.0.0.1/{self.page}"
        state.cached_message_hashes.extend(self.held)
        begun = time.perf_counter()
        await self.there.send(ask.SerializeToString())
        while True:
            got = await asyncio.wait_for(self.there.recv(), PATIENCE)
            self.received += len(got)
            message = ForwardMsg.FromString(bytes(got))  # type: ignore[arg-type]
            if self._read(self._whole(message)):
                return time.perf_counter() - begun

    def _whole(self, message: ForwardMsg) -> ForwardMsg:
        """A message, or the one held that it refers to. As a browser does, holds what may be
        referred to until two runs have ended without it."""
        if message.WhichOneof("type") == "ref_hash":
            message = self.held[message.ref_hash][1]
        if message.metadata.cacheable:
            self.held[message.hash] = self.runs, message
        if message.WhichOneof("type") == "script_finished":
            self.runs += 1
            least = self.runs - OLDEST
            self.held = {key: one for key, one in self.held.items() if one[0] >= least}
        return message

    def _read(self, message: ForwardMsg) -> bool:
        """Note what a message says; whether it ends the run of the whole script."""
        kind = message.WhichOneof("type")
        if kind == "navigation":
            self.script = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta" and message.delta.new_element.HasField("bidi_component"):
            component = message.delta.new_element.bidi_component
            if component.bytes:
                order = json.loads(zlib.decompress(component.bytes)).get("order", [])
                self.order = [query for _, query, *_ in order] or self.order
            elif component.json:
                self.drawn = json.loads(component.json).get("query", self.drawn)
        elif kind == "delta" and message.delta.new_element.HasField("exception"):
            raise RuntimeError(message.delta.new_element.exception.message)
        return kind == "script_finished" and message.script_finished == 0


@dataclass(frozen=True)
class Review:
    """How readers review: the server's port, the address without the query, the seconds between two
    steps, how many steps, whether their browsers fetch ahead, and where each begins. cookie: which
    process of several answers."""

    port: int
    address: str
    think: float
    steps: int
    ahead: bool = True
    first: int = 0
    cookie: str = ""

    def of(self, query: str) -> str:
        """The address of a query."""
        return "&".join(filter(None, (self.address, f"query={quote(query)}")))


async def review(call: Review, until: list[float], waited: list[float]) -> int:
    """One reader: opens the page, then steps, thinking before each; gives the bytes received."""
    address, origin = f"ws://127.0.0.1:{call.port}/_stcore/stream", f"http://127.0.0.1:{call.port}"
    cookie = {"Cookie": call.cookie} if call.cookie else {}
    async with connect(
        address, origin=Origin(origin), additional_headers=cookie, max_size=None
    ) as there:
        reader = Reader(there, "query", call.address)
        until.append(await reader.run())
        reader.place, before = call.first, reader.received
        for _ in range(call.steps):
            await asyncio.sleep(random.uniform(0.5, 1.5) * call.think)
            reader.place = (reader.place + 1) % len(reader.order)
            wanted = reader.order[reader.place]
            reader.query = call.of(wanted)
            waited.append(await reader.run())
            if reader.drawn != wanted:
                raise RuntimeError(f"{reader.drawn} was drawn, and not {wanted}")
            if call.ahead and (reader.ahead is None or reader.ahead.done()):
                reader.ahead = asyncio.create_task(fetch_ahead(call, reader))
        if reader.ahead is not None:
            await reader.ahead
        return (reader.received - before) // max(call.steps, 1)


async def fetch_ahead(call: Review, reader: Reader) -> None:
    """Fetch the cards of the queries nearby that are not here yet, two at a time."""
    turns, near = asyncio.Semaphore(TURNS), [reader.place + by for by in NEAR]
    queries = [reader.order[place] for place in near if 0 <= place < len(reader.order)]
    missing = [query for query in queries if query not in reader.ready]
    reader.ready.update(missing, [reader.order[reader.place]])

    async def fetch(query: str) -> None:
        async with turns:
            status = await status_of(call.port, f"/neighbour?{call.of(query)}", call.cookie)
            if status != 200:
                raise RuntimeError(f"{status} for the cards of {query}")

    await asyncio.gather(*map(fetch, missing))


async def status_of(port: int, path: str, cookie: str = "") -> int:
    """The status that a path of the server answers with, once its content has come."""
    incoming, outgoing = await asyncio.open_connection("127.0.0.1", port)
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
    head += f"Cookie: {cookie}\r\n\r\n" if cookie else "\r\n"
    outgoing.write(head.encode())
    content = await asyncio.wait_for(incoming.read(), PATIENCE)
    outgoing.close()
    return int(content.split(b" ", 2)[1])


def on_paper(readers: int, think: float, step: float) -> tuple[float, float]:
    """What readers of one process with a core of its own wait for, in seconds at p95, and the share
    of the core that they use: one step after the other, in the order of arrival.

    think: seconds between two steps on average. step: seconds of processor of one, on average:
    first visits of a query cost several times as much as others, so that their lengths are drawn
    from an exponential distribution, which spreads wider than the measured ones.
    """
    chance = random.Random(0)
    arrivals = [chance.uniform(0, think) for _ in range(readers)]
    free, used, waited = 0.0, 0.0, list[float]()
    for _ in range(ON_PAPER * readers // 10):
        place = min(range(readers), key=arrivals.__getitem__)
        arrived = arrivals[place]
        length = chance.expovariate(1 / step)
        free, used = max(free, arrived) + length, used + length
        waited.append(free - arrived)
        arrivals[place] = free + chance.uniform(0.5, 1.5) * think
    return sorted(waited)[int(0.95 * (len(waited) - 1))], used / free


def busiest(readers: int, processes: int) -> int:
    """How many readers the busiest process has where each reader is given one at random."""
    chance = random.Random(0)
    return max(Counter(chance.choices(range(processes), k=readers)).values())


def cpu(process: int) -> float:
    """The CPU seconds of a process and of its children that have ended."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


def memory(process: int) -> float:
    """The MB that a process holds beyond files that are mapped."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+)", status)[1]) / 1_024  # type: ignore[index]


def all_cpu(processes: Sequence[int]) -> float:
    """The CPU seconds of some processes."""
    return sum(map(cpu, processes))


def all_memory(processes: Sequence[int]) -> float:
    """The MB that some processes hold beyond files that are mapped."""
    return sum(map(memory, processes))


async def watch(processes: Sequence[int]) -> None:
    """Print the memory from time to time."""
    begun = time.monotonic()
    while True:
        await asyncio.sleep(EVERY)
        minutes = (time.monotonic() - begun) / 60
        print(f"  {minutes:.1f} min: memory {all_memory(processes):.0f} MB", flush=True)


async def load(port: int, processes: Sequence[int], call: argparse.Namespace) -> None:
    """Let all readers step at the same time, in rounds."""
    watching = asyncio.create_task(watch(processes)) if call.minutes else None
    try:
        await rounds_of_load(port, processes, call)
    finally:
        if watching is not None:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching


async def rounds_of_load(port: int, processes: Sequence[int], call: argparse.Namespace) -> None:
    """Rounds of all readers; prints each, and what a team would wait for."""
    address = f"collection={quote(call.folder)}" if call.folder else ""
    first: list[float] = []
    cookies = [cookie_of(port) for _ in range(call.readers)]
    for cookie in sorted(set(cookies)):
        await review(Review(port, address, 0.0, 2, not call.alone, cookie=cookie), first, [])
    visits = ", ".join(f"{seconds:.2f}" for seconds in first)
    print(f"first visit: {visits} s; memory {all_memory(processes):.0f} MB")
    started_at, held, rounds = time.monotonic(), list[float](), 0
    while rounds < call.rounds or time.monotonic() - started_at < 60 * call.minutes:
        rounds += 1
        opened: list[float] = []
        waited: list[float] = []
        begun, used = time.perf_counter(), all_cpu(processes)
        sizes = await asyncio.gather(
            *(
                review(
                    Review(
                        port,
                        address,
                        call.think,
                        call.steps,
                        not call.alone,
                        first=7 * number,
                        cookie=cookies[number],
                    ),  # fmt: skip
                    opened,
                    waited,
                )
                for number in range(call.readers)
            ),
            return_exceptions=True,
        )
        faults = [each for each in sizes if isinstance(each, BaseException)]
        seconds, used = time.perf_counter() - begun, all_cpu(processes) - used
        if not waited:
            raise SystemExit(f"no step was answered: {faults[:1]}")
        ordered = sorted(waited)
        held.append(all_memory(processes))
        step = used / (len(waited) + len(opened))
        print(
            f"after {(time.monotonic() - started_at) / 60:.1f} min: "
            f"{call.readers} readers, {len(waited)} steps in {seconds:.0f} s: waited "
            f"{statistics.median(waited):.2f} s at the median, "
            f"{ordered[int(0.95 * (len(ordered) - 1))]:.2f} s at p95, {ordered[-1]:.2f} s at most; "
            f"{1000 * step:.0f} ms of CPU a page; "
            f"{statistics.mean(each for each in sizes if isinstance(each, int)) / 1000:.0f} kB a "
            f"step; {len(faults)} faults {sorted(set(map(repr, faults)))[:3]}; memory "
            f"{held[-1]:.0f} MB",
            flush=True,
        )
    share = busiest(TEAM, CORES)
    late, busy = on_paper(share, call.think, step)
    print(
        f"on paper: {TEAM} readers on {CORES} processes with a core each, {share} on the busiest, "
        f"steps of unequal length: {late:.2f} s at p95, {100 * busy:.0f} % of a core"
    )
    if rounds > 1:
        print(
            f"memory after the first round {held[0]:.0f} MB, after the last {held[-1]:.0f} MB, "
            f"at most {max(held):.0f} MB"
        )


async def judging(port: int, processes: Sequence[int], call: argparse.Namespace) -> None:
    """Let all reviewers judge at the same time, and look for what was acknowledged."""
    collection = collections.opened(call.folder or collections.collection_names()[0])
    items = collection.items["item_id"].head(200).tolist()
    queries = collection.queries["query_id"].tolist() * max(call.readers, call.browsers)
    # Below the server's own 5 s: no request may go out on a connection that it just closes.
    limits = httpx.Limits(max_connections=2 * call.readers, keepalive_expiry=2)
    url, steps = f"http://127.0.0.1:{port}", (call.steps, call.think)
    async with (
        chromiums(url, collection.name, queries[: call.browsers]) as pages,
        httpx.AsyncClient(base_url=url, timeout=60, limits=limits) as client,
    ):
        begun, used, held = time.perf_counter(), all_cpu(processes), all_memory(processes)
        each = await asyncio.gather(
            *(
                judge(client, (collection.name, query, items), *steps)
                for query in queries[: call.readers]
            ),
            *(press(page, *steps) for page in pages),
        )
        seconds, used = time.perf_counter() - begun, all_cpu(processes) - used
    with store.opened(writing=False) as connection:
        stored = set(connection.execute(select(REVIEW.c.said_once)).scalars())
    print(f"{call.readers} reviewers by HTTP, {in_words(each[: call.readers], stored)}")
    if pages:
        print(f"{len(pages)} in Chromium, {in_words(each[call.readers :], stored)}")
    print(
        f"{seconds:.0f} s, {100 * used / seconds:.0f} % of a core; {store.name()}; "
        f"memory {held:.0f} MB, then {all_memory(processes):.0f} MB"
    )


def main() -> None:
    """Start the app, load it, print."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--readers", type=int, default=10, choices=range(1, 201), metavar="1…200")
    asked.add_argument("--think", type=float, default=8.0, help="seconds between two steps")
    asked.add_argument("--steps", type=int, default=6, choices=range(1, 1001), metavar="1…1000")
    asked.add_argument("--rounds", type=int, default=1)
    asked.add_argument("--minutes", type=float, default=0.0, help="go on with rounds so long")
    asked.add_argument("--processes", type=int, default=1, choices=range(1, 5), metavar="1…4")
    asked.add_argument("--alone", action="store_true", help="fetch no cards ahead")
    asked.add_argument("--folder", default="", help="the collection's name in the address")
    asked.add_argument("--judging", action="store_true", help="save verdicts in place of steps")
    text = "with --judging: so many Chromiums beside the readers"
    asked.add_argument("--browsers", type=int, default=0, metavar="N", help=text)
    call = asked.parse_args()
    if call.browsers and not call.judging:
        asked.error("--browsers is of --judging: --judging --browsers 5")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was started is ended, then, too
    with tempfile.TemporaryDirectory() as folder:
        if call.judging:
            os.environ.setdefault("DASHBOARD_REVIEWS", folder)
        work = judging if call.judging else load
        if call.processes > 1:
            with behind_nginx(Path(folder), call.processes) as (port, processes):
                asyncio.run(work(port, processes, call))
            return
        server, port = started(Path(folder) / "log.txt", None)
        try:
            asyncio.run(work(port, [server.pid], call))
        finally:
            server.terminate()
            server.wait(timeout=20)


if __name__ == "__main__":
    main()
