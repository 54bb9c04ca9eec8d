"""The eight numbers of one image-text model: six recalls, Rsum and mR, from vectors or from ranks.

A rank is 1 + how many score higher + how many score the same and stand earlier, so a collapsed
model that scores everything alike does not look perfect. Ranks are counted in blocks of the product
of two matrices (vector_ranks.py): no run is built and nothing is sorted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.evaluation.image_text.vector_ranks import Ranks, ranks_of_vectors
from dashboard.evaluation.metrics.crossmodal import CUTOFFS, SUMS, WAYS
from dashboard.evaluation.rankings import Array

TESTS = {
    "whole": "",
    "1K": "COCO 1K test: the first 1,000 images and their captions",
    "five-fold 1K": "COCO five-fold 1K test: mean of five tests of 1,000 images each",
}
FOLDS = {"1K": 1, "five-fold 1K": 5}
FOLD = 1_000
WHOLE = {1_000: "1K test", 5_000: "5K test"}
"""What the test of all pictures is called where there are so many: Flickr30k's and COCO's."""
_Texts = tuple[Array, Array]


@dataclass(frozen=True)
class Matching:
    """The eight numbers of one model, their test, and notes on them.

    table: `metric, cutoff, mean, percent, scored, total`; the percent of Rsum is of 600.
    """

    table: pd.DataFrame
    test: str
    notes: tuple[str, ...]


def matching(
    images: Array,
    captions: Array,
    caption_to_image: Array,
    test: str = "whole",
    asking: tuple[Array, Array] | None = None,
) -> Matching:
    """Both directions from vectors of images [I, d], captions [C, d] and each caption's image [C].

    test: "whole", or the options "1K" (the first 1,000 images) and "five-fold 1K" as for COCO.
    asking: vectors of the captions that ask, and the image of each, where they are not those that
    can be found. Raises ValueError for a test that needs more images.
    """
    if test not in TESTS:
        raise ValueError(f"There is no test {test!r}; choose one of {', '.join(TESTS)}.")
    pair, texts = (captions, caption_to_image), asking or (captions, caption_to_image)
    if test == "whole":
        return summarised(_both(images, pair, texts), texts[1])
    folds = FOLDS[test]
    if len(images) < folds * FOLD:
        raise ValueError(f"{TESTS[test]} needs {folds * FOLD:,} images; there are {len(images):,}.")
    parts = [_fold(images, pair, texts, number) for number in range(folds)]
    table = parts[0].table.copy()
    table[["mean", "percent"]] = np.mean([p.table[["mean", "percent"]] for p in parts], axis=0)
    table[["scored", "total"]] = np.sum([p.table[["scored", "total"]] for p in parts], axis=0)
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    return Matching(table, TESTS[test], notes)


def summarised(ranks: Ranks, caption_to_image: Array) -> Matching:
    """The eight numbers of given ranks, with notes on the ratio and on too large cutoffs."""
    directions = (("i2t_R", ranks.images), ("t2i_R", ranks.captions))
    rows = [(name, k, *_recall(found, k)) for name, found in directions for k in CUTOFFS]
    table = pd.DataFrame(rows, columns=["metric", "cutoff", "mean", "scored", "total"])
    both = table[table["cutoff"] == CUTOFFS[0]][["scored", "total"]].sum()
    sums = of_six({f"{name}@{k}": mean for name, k, mean, *_ in rows})
    composed = [
        {"metric": name, "mean": mean, **both} for name, mean in zip(SUMS, sums, strict=True)
    ]
    table = pd.concat([table, pd.DataFrame(composed)], ignore_index=True)
    table["cutoff"] = table["cutoff"].astype("Int64")
    table.insert(3, "percent", 100 * table["mean"])
    test, notes = _remarks(len(ranks.images), caption_to_image)
    return Matching(table, test, notes)


def of_six(recalls: dict[str, float]) -> tuple[float, float]:
    """Rsum and mR of the six recalls, as fractions.

    >>> of_six({f"{way}_R@{k}": 0.5 for way in ("i2t", "t2i") for k in (1, 5, 10)})
    (3.0, 0.5)
    """
    six = [recalls[f"{name}@{k}"] for name in WAYS for k in CUTOFFS]
    return float(sum(six)), float(sum(six) / len(six))


def with_sums(means: pd.DataFrame) -> pd.DataFrame:
    """The means of runs with Rsum and mR made of the six recalls, NaN where one is missing.

    means: run, metric, cutoff, mean, scored, total; sums of single queries in it are left out.
    """
    recalls = means[means["metric"].isin(WAYS) & means["cutoff"].isin(CUTOFFS)]
    rows = []
    for run, of in recalls.groupby("run", sort=False, observed=True):
        named = dict(zip(of["metric"] + "@" + of["cutoff"].astype("str"), of["mean"], strict=True))
        every = {f"{name}@{k}": float("nan") for name in WAYS for k in CUTOFFS} | named
        both = of[of["cutoff"] == CUTOFFS[0]][["scored", "total"]].sum()
        rows += [
            {"run": run, "metric": name, "mean": value, **both}
            for name, value in zip(SUMS, of_six(every), strict=True)
        ]
    kept = means[~means["metric"].isin(SUMS)]
    sums = pd.DataFrame(rows, columns=means.columns).astype(means.dtypes)
    return pd.concat([kept, sums], ignore_index=True)


def _both(images: Array, found: _Texts, asking: _Texts) -> Ranks:
    """Ranks of images among what can be found, and of those that ask among the images."""
    ranks = ranks_of_vectors(images, *found)
    if asking is found or all(map(np.array_equal, asking, found)):
        return ranks
    return Ranks(ranks.images, ranks_of_vectors(images, *asking).captions)


def _fold(images: Array, found: _Texts, asking: _Texts, number: int) -> Matching:
    start = number * FOLD
    parts = []
    for captions, owners in (found, asking):
        own = np.flatnonzero((owners >= start) & (owners < start + FOLD))
        parts.append((captions[own], owners[own] - start))
    return summarised(_both(images[start : start + FOLD], *parts), parts[1][1])


def _recall(ranks: Array, k: int) -> tuple[float, int, int]:
    scored = int((ranks > 0).sum())
    share = float((ranks[ranks > 0] <= k).mean()) if scored else float("nan")
    return share, scored, len(ranks)


def _remarks(images: int, caption_to_image: Array) -> tuple[str, tuple[str, ...]]:
    each = np.bincount(caption_to_image, minlength=images)
    five = bool(len(each)) and bool((each == 5).all())
    test = {1_000: "1K test", 5_000: "5K test"}.get(images, "") if five else ""
    notes = []
    if not five and len(each):
        notes.append(
            f"{images:,} images and {len(caption_to_image):,} captions: from {each.min()} to "
            f"{each.max()} captions an image, where the protocol has 5."
        )
    for what, number in (("captions", len(caption_to_image)), ("images", images)):
        large = [f"R@{k}" for k in CUTOFFS if k > number]
        said = f"{' and '.join(large)} {'is' if len(large) == 1 else 'are'} 1 by definition"
        if large:
            notes.append(f"There are only {number:,} {what}: {said}.")
    if (each == 0).any():
        notes.append(f"{int((each == 0).sum()):,} images have no caption and are not scored.")
    return test, tuple(notes)
