"""How long a submission to a large gallery takes: `python -m tests.benchmarks.bench_submission`.

Two `.npy` files are written as a team would send them, checked and scored for the annotated pairs
(about 50 a query), as the dashboard and the command line do; nothing is searched.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from dashboard.evaluation.measure import measure
from dashboard.evaluation.protocols import PROTOCOLS
from dashboard.evaluation.submission import DIMENSION, Features, scored
from dashboard.storage.vectors.npy import table_in
from dashboard.storage.vectors.vectors import read_ids
from dashboard.tables import Findings
from tests.evaluation.worlds import World


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--gallery", type=int, default=1_000_000)
    asked.add_argument("--queries", type=int, default=1_000)
    asked.add_argument("--annotated", type=int, default=50)
    call = asked.parse_args()
    random = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as place:
        sides = {"i": call.gallery, "q": call.queries}
        for side, number in sides.items():
            write(Path(place), side, number, random)
        labels = annotated(call, random)
        start = time.perf_counter()
        gallery, queries = (read(Path(place), side) for side in sides)
        reading = time.perf_counter() - start
        run, warned = scored(gallery, queries, labels)
        scoring = time.perf_counter() - start - reading
        composed = PROTOCOLS["composed"]
        judgement = composed.judge(World(qrels=labels), None)
        values = measure({"mine": run}, judgement, composed, "AP(annotated)")["value"]
        measuring = time.perf_counter() - start - reading - scoring
    print(
        f"{call.gallery:,} items, {call.queries:,} queries, {len(labels):,} annotated pairs: ids "
        f"{reading:.2f} s, checks and cosines {scoring:.2f} s, measuring {measuring:.2f} s, in all "
        f"{reading + scoring + measuring:.1f} s; mAP {values.mean():.4f}, {len(warned)} warnings"
    )


def write(place: Path, side: str, number: int, random: np.random.Generator) -> None:
    """Unit vectors as float32, a block at a time, with their ids."""
    shape = (number, DIMENSION)
    rows = np.lib.format.open_memmap(place / f"{side}.npy", "w+", np.float32, shape)
    for start in range(0, number, 50_000):
        block = random.standard_normal(rows[start : start + 50_000].shape, dtype=np.float32)
        rows[start : start + len(block)] = block / np.linalg.norm(block, axis=1, keepdims=True)
    rows.flush()
    (place / f"{side}.txt").write_text("\n".join(f"{side}{n:07d}" for n in range(number)))


def annotated(call: argparse.Namespace, random: np.random.Generator) -> pd.DataFrame:
    """Labels of some items for each query, one in ten fulfilled."""
    query = np.repeat(np.arange(call.queries), call.annotated)
    picked = [
        random.choice(call.gallery, call.annotated, replace=False) for _ in range(call.queries)
    ]
    return pd.DataFrame(
        {
            "query_id": [f"q{n:07d}" for n in query],
            "item_id": [f"i{n:07d}" for n in np.concatenate(picked)],
            "grade": (random.random(len(query)) < 0.1).astype(float),
        }
    )


def read(place: Path, side: str) -> Features:
    """A submitted side: its ids read, its array in its file."""
    ids = read_ids(place / f"{side}.txt", f"{side}.txt", Findings())
    with (place / f"{side}.npy").open("rb") as file:
        return Features(f"{side}.npy", ids, table_in(file, f"{side}.npy"))


if __name__ == "__main__":
    main()
