"""COCO's 5K test of the protocol crossmodal, beside its two products alone: seconds of processor.

`python -m tests.benchmarks.crossmodal_5k` writes random unit vectors of pictures and of five
texts each to a temporary folder, measures R@K and Rsum both ways, and multiplies the same vectors
in the same precision: pictures by texts, and texts by pictures. Opening the files does not count.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from dashboard.storage.collection import open_collection
from dashboard.study.choices import resolve
from dashboard.study.study import Study
from tests.benchmarks.measure_large import read_options
from tests.plugins.worlds import write_world

EACH = 5
BLOCK = 512
"""Queries of one product."""
METRICS = "i2t_R@1 i2t_R@5 i2t_R@10 t2i_R@1 t2i_R@5 t2i_R@10 Rsum"


def write_collection(folder: Path, pictures: int, width: int) -> None:
    """Write pictures and texts near them, all of which ask and are found."""
    rng = np.random.default_rng(0)
    names = [f"p{number:05d}" for number in range(pictures)]
    texts = {f"{name}_{place}": name for name in names for place in range(EACH)}
    of_pictures = rng.standard_normal((pictures, width), dtype=np.float32)
    of_texts = np.repeat(of_pictures, EACH, axis=0)
    of_texts += np.float32(9) * rng.standard_normal(of_texts.shape, dtype=np.float32)
    kinds = [*((name, "image") for name in names), *((text, "text") for text in texts)]
    items = "item_id,kind\n" + "".join(f"{name},{kind}\n" for name, kind in kinds)
    asked = "query_id,text,item_id\n" + "".join(f"i_{name},,{name}\n" for name in names)
    asked += "".join(f"t_{text},words of {text},\n" for text in texts)
    pairs = "".join(f"i_{name} 0 {text} 1\nt_{text} 0 {name} 1\n" for text, name in texts.items())
    of_pictures, of_texts = (
        each / np.linalg.norm(each, axis=1)[:, None] for each in (of_pictures, of_texts)
    )
    vectors = dict(zip([*names, *texts], [*of_pictures, *of_texts], strict=True))
    asking = {f"t_{text}": vectors[text] for text in texts}
    write_world(folder, 'protocols = ["crossmodal"]\n', items, asked, vectors, asking, pairs)


def multiply(folder: Path, pictures: int) -> None:
    """Multiply pictures by texts and texts by pictures, in double precision as the search does."""
    vectors = np.load(folder / "models" / "v1" / "items.npy").astype(np.float64)
    for left, right in (
        (vectors[:pictures], vectors[pictures:]),
        (vectors[pictures:], vectors[:pictures]),
    ):
        for start in range(0, len(left), BLOCK):
            left[start : start + BLOCK] @ right.T


def main() -> None:
    """Print seconds of the products and of the measurement, and their ratio."""
    call = read_options(__doc__, pictures=5_000, width=512, turns=3)
    threadpool_limits(1, "blas")  # as the search has it
    products, measured = [], []
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "coco"
        write_collection(folder, call.pictures, call.width)
        collection = open_collection(folder)
        choices = resolve(collection, {}).restrict_to_numbers()
        for _ in range(call.turns):
            start = time.process_time()
            multiply(folder, call.pictures)
            products.append(time.process_time() - start)
            study = Study(collection, choices)
            start = time.process_time()
            (found,) = study.measure(["v1"], METRICS)
            measured.append(time.process_time() - start)
    for row in found.list_means():
        print(f"{row['metric']}@{row['cutoff']}: {row['mean']:.4f}")
    print(f"two products alone      {min(products):7.2f} s")
    ratio = min(measured) / min(products)
    print(f"measured, both ways     {min(measured):7.2f} s, {ratio:.2f} times the products")


if __name__ == "__main__":
    main()
