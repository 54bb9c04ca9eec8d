"""Measure a large collection, beside the bare products: seconds of processor and peak memory.

`python -m tests.benchmarks.measure_large` writes random vectors and judgements to a temporary
folder and prints a row for each program. Each runs in a process of its own, with one thread for
products, as threads that wait for each other are counted, too.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

PEER = """
import sys, numpy
for version in sys.argv[2:]:
    items, queries = (numpy.load(f"{sys.argv[1]}/models/{version}/{name}.npy", mmap_mode="r")
                      for name in ("items", "queries"))
    for start in range(0, len(queries), 64):
        queries[start : start + 64] @ items.T
"""
"""The products of all versions in blocks of queries, and nothing else."""


def read_options(told: str | None, **usual: float | str) -> argparse.Namespace:
    """Return the options of a call, by their usual values."""
    parser = argparse.ArgumentParser(description=told)
    for name, value in usual.items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    return parser.parse_args()


def write_collection(folder: Path, sizes: argparse.Namespace) -> None:
    """Write random unit vectors, and grades from 0 to 2 of random items of each query."""
    rng = np.random.default_rng(0)
    items = [f"v{number:07d}" for number in range(sizes.items)]
    queries = [f"q{number:05d}" for number in range(sizes.queries)]
    folder.mkdir(parents=True)
    (folder / "collection.toml").write_text('title = "Large"\n')
    (folder / "items.csv").write_text("item_id,file\n" + "".join(f"{name},\n" for name in items))
    texts = "".join(f"{name},words of {name}\n" for name in queries)
    (folder / "queries.csv").write_text("query_id,text\n" + texts)
    with (folder / "qrels.txt").open("w") as file:
        for query in queries:
            judged = rng.choice(sizes.items, sizes.judged, replace=False).tolist()
            pairs = zip(judged, rng.integers(0, 3, sizes.judged).tolist(), strict=True)
            file.writelines(f"{query} 0 {items[item]} {grade}\n" for item, grade in pairs)
    for number in range(1, sizes.versions + 1):
        place = folder / "models" / f"v0.{number}"
        place.mkdir(parents=True)
        for stem, ids in (("items", items), ("queries", queries)):
            vectors = rng.standard_normal((len(ids), sizes.width), dtype=np.float32)
            np.save(place / f"{stem}.npy", vectors / np.linalg.norm(vectors, axis=1)[:, None])
            (place / f"{stem}.txt").write_text("".join(f"{name}\n" for name in ids))


def run_alone(words: list[str]) -> tuple[float, float, str]:
    """Return seconds of processor, peak memory in MB and output of a process.

    One thread computes; Python keeps its byte code, as it does unless it is told not to.
    """
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(words, stdout=out, env=os.environ | threads)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"{' '.join(words)} ended with {child.returncode}")
        out.seek(0)
        return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, out.read()


def run_each(programs: dict[str, list[str]]) -> list[float]:
    """Print a row for each program, and return their seconds of processor."""
    used = []
    for name, words in programs.items():
        seconds, memory, answer = run_alone(words)
        print(f"{name:12} {seconds:8.2f} s CPU {memory:8.0f} MB\n{answer}", flush=True)
        used.append(seconds)
    return used


def main() -> None:
    """Print a row for each program."""
    sizes = {"items": 200_000, "queries": 500, "versions": 2, "width": 128, "judged": 1_000}
    call = read_options(__doc__, **sizes, metrics="P@5 nDCG@10 AP")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "large"
        write_collection(folder, call)
        versions = sorted(path.name for path in (folder / "models").iterdir())
        ours = ["-m", "dashboard", "measure", str(folder), "--format", "csv"]
        programs = {
            "products": [sys.executable, "-c", PEER, str(folder), *versions],
            "measure": [sys.executable, *ours, "--metrics", call.metrics],
        }
        used = run_each(programs)
        print(f"{used[1] / used[0]:.2f} x the products")


if __name__ == "__main__":
    main()
