"""Time mAP over all items for hash codes, beside a search of them all by faiss IndexBinaryFlat.

`python -m tests.benchmarks.hashing_54k` writes random codes with labels of ten classes to a
temporary folder and prints seconds of both, with one thread each; opening files is not counted.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import faiss  # type: ignore[import-untyped]
import numpy as np

from tests.benchmarks.measure_large import read_options
from tests.plugins.worlds import open_world, write_world

CLASSES = 10
METRIC = "AP(retrieved)"


def write_collection(folder: Path, items: int, queries: int, bits: int) -> None:
    """Write random codes of -1 and 1, and a label of each item and query."""
    rng = np.random.default_rng(0)
    tables, vectors = [], []
    for key, image, count in (("item_id", "file", items), ("query_id", "image", queries)):
        ids = [f"{key[0]}{number:06d}" for number in range(count)]
        labels = rng.integers(0, CLASSES, count).tolist()
        rows = "".join(f"{name},{name}.png,c{c}\n" for name, c in zip(ids, labels, strict=True))
        tables.append(f"{key},{image},label\n{rows}")
        codes = rng.integers(0, 2, (count, bits), np.int8) * 2 - 1
        vectors.append(dict(zip(ids, codes, strict=True)))
    write_world(folder, 'protocols = ["hashing"]\n', *tables, *vectors)


def time_faiss(folder: Path) -> float:
    """Return the seconds that faiss takes to sort all codes for each query."""
    stored = [np.load(folder / "models" / "v1" / f"{stem}.npy") for stem in ("items", "queries")]
    items, queries = (np.packbits(each > 0, axis=1) for each in stored)
    faiss.omp_set_num_threads(1)
    index = faiss.IndexBinaryFlat(stored[0].shape[1])
    index.add(items)
    start = time.perf_counter()
    index.search(queries, len(items))
    return time.perf_counter() - start


def time_study(folder: Path) -> tuple[float, float]:
    """Return the seconds that mAP over all items takes, and its value."""
    study = open_world(folder)
    start = time.perf_counter()
    value = float(np.nanmean(study.values("v1", METRIC)))
    return time.perf_counter() - start, value


def main() -> None:
    """Print seconds of faiss and of the study, and how many times as long the study takes."""
    sizes = read_options(__doc__, items=54_000, queries=500, bits=64)
    with tempfile.TemporaryDirectory() as folder:
        write_collection(Path(folder) / "codes", sizes.items, sizes.queries, sizes.bits)
        faiss_seconds = time_faiss(Path(folder) / "codes")
        seconds, value = time_study(Path(folder) / "codes")
    print(f"faiss IndexBinaryFlat, k = all: {faiss_seconds:.2f} s")
    print(f"{METRIC} = {value:.4f}: {seconds:.2f} s, {seconds / faiss_seconds:.2f} times as long")


if __name__ == "__main__":
    main()
