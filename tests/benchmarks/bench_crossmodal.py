"""The COCO-sized 5K test in both directions, beside the product alone and other formulations.

`python -m tests.benchmarks.bench_crossmodal` prints seconds (the least of a few runs, all in turn),
ratios, and the memory beyond the inputs. The usual loop, argsort per query, runs on every 20th one.
`--images N` takes another size, without eccv_caption, which knows COCO's 5,000 pictures only.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable

import eccv_caption
import faiss
import numpy as np

from dashboard.evaluation.image_text.vector_ranks import ranks_of_vectors
from tests.evaluation.test_crossmodal import nearest

IMAGES, EACH, DIMENSIONS = 5_000, 5, 512


def made_up(number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unit vectors of images, of captions near them, and each caption's image."""
    rng = np.random.default_rng(0)
    images = rng.standard_normal((number, DIMENSIONS), dtype=np.float32)
    noise = rng.standard_normal((number * EACH, DIMENSIONS), dtype=np.float32)
    captions = np.repeat(images, EACH, axis=0) + np.float32(2.5) * noise
    for table in (images, captions):
        table /= np.linalg.norm(table, axis=1, keepdims=True)
    return images, captions, np.repeat(np.arange(number), EACH)


def usual_loop(images: np.ndarray, captions: np.ndarray, owners: np.ndarray, step: int) -> None:
    """Sort the scores of each query and look for its answers (VSE++), every `step`-th query."""
    for image in range(0, len(images), step):
        order = np.argsort(images[image] @ captions.T)[::-1]
        np.flatnonzero(owners[order] == image).min()
    for caption in range(0, len(captions), step):
        order = np.argsort(captions[caption] @ images.T)[::-1]
        np.flatnonzero(order == owners[caption])


def top_ten(images: np.ndarray, captions: np.ndarray) -> None:
    """faiss' exact search of the ten nearest, once per direction."""
    faiss.knn(images, captions, 10, metric=faiss.METRIC_INNER_PRODUCT)
    faiss.knn(captions, images, 10, metric=faiss.METRIC_INNER_PRODUCT)


def eccv(images: np.ndarray, captions: np.ndarray, truth: eccv_caption.Metrics) -> None:
    """eccv_caption's R@1, R@5 and R@10 of COCO's pairs, from lists of the ten best."""
    image_ids, caption_ids = (np.array(sorted(truth.coco_gts[way])) for way in ("i2t", "t2i"))
    lists = {
        "i2t": nearest(images, captions, image_ids, caption_ids),
        "t2i": nearest(captions, images, caption_ids, image_ids),
    }
    for k in (1, 5, 10):
        truth.coco_5k_recalls(lists, "all", K=k)


def main() -> None:
    """Print the table."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--images", type=int, default=IMAGES)
    asked.add_argument("--turns", type=int, default=5)
    call = asked.parse_args()
    images, captions, owners = made_up(call.images)
    room = np.empty((call.images, len(captions)), dtype=np.float32)
    works: dict[str, tuple[Callable[[], object], int]] = {
        "product alone": (lambda: np.matmul(images, captions.T, out=room), 1),
        "ours, both directions": (lambda: ranks_of_vectors(images, captions, owners), 1),
        "faiss, top ten both ways": (lambda: top_ten(images, captions), 1),
        "argsort per query": (lambda: usual_loop(images, captions, owners, 20), 20),
    }
    if call.images == IMAGES:
        truth = eccv_caption.Metrics()
        works["eccv_caption, ten best"] = (lambda: eccv(images, captions, truth), 1)
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(call.turns):
        for name, (work, part) in works.items():
            start = time.perf_counter()
            work()
            taken[name].append((time.perf_counter() - start) * part)
    alone = min(taken["product alone"])
    for name, seconds in taken.items():
        print(f"{name:26}{min(seconds):7.2f} s{min(seconds) / alone:7.2f} × the product")

    tracemalloc.start()
    ranks_of_vectors(images, captions, owners)
    print(f"memory beyond the inputs {tracemalloc.get_traced_memory()[1] / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
