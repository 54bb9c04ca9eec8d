"""Time mAP over all items for hash codes, beside a search of them all by faiss IndexBinaryFlat.

`python -m tests.benchmarks.hashing_54k` writes random codes with labels of ten classes to a
temporary folder and prints seconds of both, with one thread each; opening files is not counted.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import faiss  # type: ignore[import-untyped]
import numpy as np

from dashboard.storage.collection import open_collection
from dashboard.study.choices import resolve
from dashboard.study.study import open_study

CLASSES = 10
METRIC = "AP(retrieved)"


def write_collection(folder: Path, items: int, queries: int, bits: int) -> None:
    """Write random codes of -1 and 1, and a label of each item and query."""
    rng = np.random.default_rng(0)
    place = folder / "models" / "v1"
    place.mkdir(parents=True)
    (folder / "collection.toml").write_text('protocols = ["hashing"]\n')
    for stem, key, count in (("items", "item_id", items), ("queries", "query_id", queries)):
        ids = [f"{stem[0]}{number:06d}" for number in range(count)]
        labels = rng.integers(0, CLASSES, count).tolist()
        rows = "".join(f"{name},{name}.png,c{c}\n" for name, c in zip(ids, labels, strict=True))
        image = "file" if stem == "items" else "image"
        (folder / f"{stem}.csv").write_text(f"{key},{image},label\n{rows}")
        np.save(place / f"{stem}.npy", rng.integers(0, 2, (count, bits), np.int8) * 2 - 1)
        (place / f"{stem}.txt").write_text("\n".join(ids))


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
    collection = open_collection(folder)
    study = open_study(collection, resolve(collection, {}).restrict_to_numbers())
    start = time.perf_counter()
    value = float(np.nanmean(study.values("v1", METRIC)))
    return time.perf_counter() - start, value


def main() -> None:
    """Print seconds of faiss and of the study, and how many times as long the study takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=54_000)
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--bits", type=int, default=64)
    sizes = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_collection(Path(folder) / "codes", sizes.items, sizes.queries, sizes.bits)
        faiss_seconds = time_faiss(Path(folder) / "codes")
        seconds, value = time_study(Path(folder) / "codes")
    print(f"faiss IndexBinaryFlat, k = all: {faiss_seconds:.2f} s")
    print(f"{METRIC} = {value:.4f}: {seconds:.2f} s, {seconds / faiss_seconds:.2f} times as long")


if __name__ == "__main__":
    main()
