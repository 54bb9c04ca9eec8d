"""A large collection measured by the command line, beside the matrix products alone.

`python -m tests.benchmarks.bench_scale --items 200000 --queries 500` makes a collection of random
vectors and judgements in a temporary folder and prints seconds of processor and peak memory of
`measure`, `check` and `keywords` in processes of their own, and of `prepare`, twice: the second
call finds all in the cache folder. With `--server` it prints instead what a first visit of each
screen takes in the app, which starts with an empty cache folder, then a step from query to query,
and the same of an app that is started again. `--growth` measures a half and a quarter of the items,
too, and prints by how much each doubling costs more. `--versions 2 --width 128 --relevant 1000` are
the defaults; with `--keywords` items are judged by keywords of theirs instead. Set OMP_NUM_THREADS
and OPENBLAS_NUM_THREADS to 1 on a machine that has other work: threads that wait for each other are
counted, too.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from websockets.asyncio.client import connect
from websockets.typing import Origin

from tests.benchmarks.bench_load import Reader, cpu, memory
from tests.benchmarks.bench_pages import started

METRICS = ("P@5 nDCG@10", "P@5 nDCG@10 AP")
ABOUT = 'title = "Scale"\nprotocols = ["{}"]\n'
KINDS = {"colour": 8, "shape": 8, "place": 6}
"""How many keywords each group has, where there are keywords."""
PRODUCTS = """
import sys, numpy as np
for folder in sys.argv[1:]:
    names = (f"{folder}/{name}.npy" for name in ("items", "queries"))
    items, queries = (np.load(name, mmap_mode="r") for name in names)
    for start in range(0, len(items), 65_536):
        queries @ items[start : start + 65_536].T
"""


def make(
    folder: Path,
    items: int,
    queries: int,
    versions: int,
    width: int,
    relevant: int,
    keywords: bool = False,
) -> None:
    """Write a collection of random unit vectors, with as many judged items of each query.

    keywords: the items have three keywords each instead, of which each query asks for two.
    """
    random = np.random.default_rng(0)
    names, asked = [f"v{n:07d}" for n in range(items)], [f"q{n:05d}" for n in range(queries)]
    (folder / "collection.toml").write_text(ABOUT.format("alfa" if keywords else "trec"))
    (folder / "items.csv").write_text(
        "item_id,file,kind,caption\n" + "".join(f"{name},,video,\n" for name in names)
    )
    if keywords:
        texts = annotate(folder, random, names, asked)
    else:
        texts = [f"words {name}" for name in asked]
        judge(folder, random, names, asked, relevant)
    lines = (f"{name},{text}\n" for name, text in zip(asked, texts, strict=True))
    (folder / "queries.csv").write_text("query_id,text\n" + "".join(lines))
    for number in range(1, versions + 1):
        place = folder / "models" / f"v0.{number}"
        place.mkdir(parents=True)
        (place / "model.toml").write_text(f'encoder = "none"\ndimension = {width}\n')
        for what, ids in (("items", names), ("queries", asked)):
            vectors = random.standard_normal((len(ids), width), dtype=np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            np.save(place / f"{what}.npy", vectors)
            (place / f"{what}.txt").write_text("".join(f"{name}\n" for name in ids))


def judge(
    folder: Path,
    random: np.random.Generator,
    names: Sequence[str],
    asked: Sequence[str],
    relevant: int,
) -> None:
    """Write grades of as many random items of each query."""
    with (folder / "qrels.txt").open("w") as file:
        for name in asked:
            some = random.choice(len(names), relevant, replace=False)
            grades = random.integers(0, 3, relevant)
            file.writelines(f"{name} 0 {names[i]} {g}\n" for i, g in zip(some, grades, strict=True))


def annotate(
    folder: Path, random: np.random.Generator, names: Sequence[str], asked: Sequence[str]
) -> list[str]:
    """Write a random keyword of each group for each item, and two of other groups that each query
    asks for; gives the queries' texts."""
    columns = [[f"{kind}{random.integers(many)}" for _ in names] for kind, many in KINDS.items()]
    rows = (",".join(row) for row in zip(names, *columns, strict=True))
    header = ",".join(["slice_id", *(f"pv_{kind}" for kind in KINDS)])
    (folder / "unified_annotation.csv").write_text("\n".join([header, *rows, ""]))
    wanted = {
        name: {
            kind: f"{kind}{random.integers(KINDS[kind])}"
            for kind in random.choice(list(KINDS), 2, replace=False)
        }
        for name in asked
    }
    lines = [
        f"{name},{keyword},pv_{kind},{keyword},1.0"
        for name, words in wanted.items()
        for kind, keyword in words.items()
    ]
    header = "query_id,ngram,group,keyword,score"
    (folder / "query_keywords.csv").write_text("\n".join([header, *lines, ""]))
    return [" ".join(words.values()) for words in wanted.values()]


def cost(*words: str, cache: str = "") -> tuple[float, float]:
    """Seconds of processor and the peak of memory, in MB, of a process that computes all anew, but
    for what lies in a cache folder."""
    own = {"DASHBOARD_CACHE": cache} if cache else {"DASHBOARD_CACHE_MB": "0"}
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, env={**os.environ, **own})
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(words)} ended with {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


SCREENS = ("overview", "compare", "slices", "query")
STEPS = 20


async def visit(port: int, server: int) -> None:
    """Open each screen in a session of its own, then step; prints seconds and memory."""
    address, origin = f"ws://127.0.0.1:{port}/_stcore/stream", f"http://127.0.0.1:{port}"
    for screen in SCREENS:
        async with connect(address, origin=Origin(origin), max_size=None) as there:
            reader = Reader(there, "" if screen == "overview" else screen, "collection=scale")
            before = cpu(server)
            waited = await reader.run()
            line(f"  {screen}, first visit", cpu(server) - before, memory(server), waited)
            if screen != "query":
                continue
            for visited in ("first visit", "again"):
                before, begun = cpu(server), time.perf_counter()
                for query in reader.order[1 : STEPS + 1]:
                    reader.query = f"collection=scale&query={query}"
                    await reader.run()
                used, waited = cpu(server) - before, time.perf_counter() - begun
                line(f"  a step, {visited}", used / STEPS, memory(server), waited / STEPS)


def line(name: str, seconds: float, megabytes: float, waited: float | None = None) -> None:
    """Print a row of the table."""
    wall = "" if waited is None else f" {waited:8.2f} s waited"
    print(f"{name:32} {seconds:8.2f} s CPU {megabytes:8.0f} MB{wall}", flush=True)


def serve(made: str) -> None:
    """The app over the collection, twice with one cache folder."""
    for name in ("the app, nothing in its cache", "the app, started again"):
        settings = {"DASHBOARD_DATA": made, "DASHBOARD_CACHE": f"{made}-cache"}
        server, port = started(Path(made).with_suffix(".log"), None, settings)
        try:
            line(name, cpu(server.pid), memory(server.pid))
            asyncio.run(visit(port, server.pid))
        finally:
            server.terminate()
            server.wait(timeout=20)


def commands(folder: Path, cache: str) -> dict[str, float]:
    """What the commands take; prints each, and gives the seconds of those that measure."""
    models = sorted(map(str, (folder / "models").iterdir()))
    rows = [("the matrix products alone", (sys.executable, "-c", PRODUCTS, *models))]
    measure = (sys.executable, "-m", "dashboard", "measure", str(folder), "--metrics")
    rows += [(f"measure {metrics}", (*measure, metrics)) for metrics in METRICS]
    for command in (("check",), ("keywords", "--write")):
        words = (sys.executable, "-m", "dashboard", command[0], str(folder), *command[1:])
        rows.append((" ".join(command), words))
    used = {}
    for name, words in rows:
        used[name], megabytes = cost(*words)
        line(name, used[name], megabytes)
    prepare = (sys.executable, "-m", "dashboard", "prepare", str(folder))
    for name in ("prepare", "prepare, all there"):
        line(name, *cost(*prepare, cache=cache))
    return used


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("items", 200_000), ("queries", 500), ("versions", 2), ("width", 128)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--relevant", type=int, default=1_000)
    parser.add_argument("--keywords", action="store_true", help="judge by keywords of the items")
    parser.add_argument("--server", action="store_true", help="measure the app's screens")
    parser.add_argument("--growth", action="store_true", help="measure fewer items, too")
    call = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    before: dict[str, float] = {}
    for items in (call.items // 4, call.items // 2, call.items) if call.growth else (call.items,):
        with tempfile.TemporaryDirectory() as room:
            folder = Path(room) / "data" / "scale"
            folder.mkdir(parents=True)
            sizes = (items, call.queries, call.versions, call.width, call.relevant)
            make(folder, *sizes, keywords=call.keywords)
            print(f"{items:,} items, {call.queries:,} queries, {call.versions} versions")
            if call.server:
                serve(str(folder.parent))
                continue
            used = commands(folder, f"{room}/cache")
            for name in before:
                print(f"{name:32} {used[name] / before[name]:8.2f} times the half")
            before = used if call.growth else {}


if __name__ == "__main__":
    main()
