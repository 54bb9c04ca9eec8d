"""The vectors of one side of a collection, its items or its queries: batch by batch through an
encoder, saved part by part, so that a call that was killed goes on where it was."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from dashboard.progress import report
from dashboard.retrieval.encoders.embedding import BatchEncoder
from dashboard.storage.collection import digests
from dashboard.storage.collection.collection import Collection
from dashboard.storage.media.frames import pictures_of
from dashboard.storage.media.lookup import Row, text_of
from dashboard.storage.media.safe_open import Unusable
from dashboard.tables import DataError, counted

Array = npt.NDArray[Any]


PART_SECONDS = 3.0
"""What was embedded in so many seconds is lost at most when the work is killed."""


@dataclass(frozen=True)
class Limits:
    """frames: of a clip. batch: inputs at a time, at most. memory: bytes of pixels of a batch.
    prompts: of "queries" and of "items", which stand before texts."""

    frames: int = 8
    batch: int = 32
    memory: int = 256_000_000
    prompts: Mapping[str, str] = field(default_factory=dict)


@dataclass(eq=False)
class Side:
    """What is embedded of one table: its rows by id, how each is read, and what came of it."""

    name: str
    keys: dict[str, str]
    vectors: dict[str, Array] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def recall(place: Path, side: Side) -> None:
    """Take the vectors of earlier calls whose input is as it was; drop damaged parts."""
    for path in sorted(place.glob(f"{side.name}-*.npz")):
        try:
            with np.load(path, allow_pickle=False) as part:
                ids, keys, rows = json.loads(str(part["ids"])), part["keys"], part["rows"]
        except (OSError, ValueError, KeyError, EOFError) as error:
            del error  # a part that is damaged is embedded again
            path.unlink(missing_ok=True)
            continue
        for item, key, row in zip(ids, keys, rows, strict=True):
            if item in side.keys and _stamp(side.keys[item]) == key:
                side.vectors[item] = row


def _stamp(key: str) -> str:
    return digests.of_values(key)[:32]


def embed_side(
    collection: Collection,
    side: Side,
    rows: Mapping[str, Row],
    texts: Mapping[str, str],
    encoder: BatchEncoder,
    limits: Limits,
    place: Path,
) -> None:
    """Embed what is missing, and save it part by part."""
    missing = [item for item in side.keys if item not in side.vectors and item not in side.skipped]
    work = f"{side.name} of {collection.name}"
    total = len(side.keys)
    report(work, len(side.vectors) + len(side.skipped), total)

    def inputs(item: str) -> list[str] | list[Image.Image]:
        if side.name == "queries":
            return [texts[item]]
        if side.keys[item].startswith("text "):
            return [text_of(rows[item], "caption")]
        found = pictures_of(collection, rows[item], limits.frames)
        return [picture.convert("RGB") for picture in _on_grey(found)]

    part: dict[str, Array] = {}
    saved = time.monotonic()
    try:
        batches = _batches(missing, inputs, side, limits)
        for batch, vectors in _through(encoder, batches, limits.prompts.get(side.name, "")):
            for item, vector in _pooled(batch, vectors, side, encoder.name).items():
                side.vectors[item] = part[item] = vector
            if time.monotonic() - saved >= PART_SECONDS:
                _save(place, side, part)
                part, saved = {}, time.monotonic()
            report(work, len(side.vectors) + len(side.skipped), total)
    finally:
        if part:
            _save(place, side, part)


def _on_grey(found: Sequence[Image.Image]) -> Iterator[Image.Image]:
    """Pictures without transparency: white behind, as the picture side of a version has it."""
    for picture in found:
        if picture.has_transparency_data:
            behind = Image.new("RGBA", picture.size, (255, 255, 255, 255))
            yield Image.alpha_composite(behind, picture.convert("RGBA"))
        else:
            yield picture


Batch = list[tuple[str, list[Any]]]


def _batches(items: Sequence[str], inputs: Any, side: Side, limits: Limits) -> Iterator[Batch]:
    """Batches of items with their inputs, of one kind each and within the limits."""
    batch: Batch = []
    held = number = 0
    kind = None
    for item in items:
        try:
            found = inputs(item)
        except Unusable as word:
            side.skipped[item] = str(word)
            continue
        size = sum(0 if isinstance(each, str) else 3 * math.prod(each.size) for each in found)
        full = number + len(found) > limits.batch or held + size > limits.memory
        if batch and (full or type(found[0]) is not kind):
            yield batch
            batch, held, number = [], 0, 0
        batch.append((item, found))
        held, number, kind = held + size, number + len(found), type(found[0])
    if batch:
        yield batch


def _through(
    encoder: BatchEncoder, batches: Iterable[Batch], prompt: str
) -> Iterator[tuple[Batch, Array]]:
    """Batches with their vectors, in order; of a service some are asked at the same time."""

    def encoded(batch: Batch) -> Array:
        every = [each for _, found in batch for each in found]
        vectors = encoder.encode(every, prompt)
        if vectors.ndim != 2 or len(vectors) != len(every) or vectors.dtype.kind not in "fiub":
            found = f"an array of the shape {vectors.shape} for {counted(len(every), 'input')}"
            raise DataError(encoder.name, found, "a row of numbers for each input")
        return np.asarray(vectors, "float32")

    if encoder.side_by_side == 1:
        for batch in batches:
            yield batch, encoded(batch)
        return
    with ThreadPoolExecutor(encoder.side_by_side) as pool:
        waiting: list[tuple[Batch, Any]] = []
        for batch in batches:
            waiting.append((batch, pool.submit(encoded, batch)))
            if len(waiting) >= encoder.side_by_side:
                first, vectors = waiting.pop(0)
                yield first, vectors.result()
        for batch, vectors in waiting:
            yield batch, vectors.result()


def _pooled(batch: Batch, vectors: Array, side: Side, name: str) -> dict[str, Array]:
    """The vector of each item: of several frames the mean of their unit vectors.

    Raises DataError where the encoder changes the width of its vectors.
    """
    width = next((len(vector) for vector in side.vectors.values()), vectors.shape[1])
    if vectors.shape[1] != width:
        found = f"vectors of {vectors.shape[1]:,} numbers after others of {width:,}"
        raise DataError(name, found, "one width")
    found_: dict[str, Array] = {}
    start = 0
    for item, inputs in batch:
        rows = vectors[start : start + len(inputs)].astype("float64")
        start += len(inputs)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(rows).all() or not (lengths > 0).all():
            side.skipped[item] = "a vector with NaN, infinity or only zeros"
            continue
        mean = (rows / lengths).mean(axis=0) if len(rows) > 1 else rows[0]
        if not np.linalg.norm(mean) > 0:
            side.skipped[item] = "frames whose vectors cancel each other out"
            continue
        found_[item] = (mean / np.linalg.norm(mean)).astype("float32")
    return found_


def _save(place: Path, side: Side, part: Mapping[str, Array]) -> None:
    number = len(list(place.glob(f"{side.name}-*.npz")))
    path = place / f"{side.name}-{number:06}-{time.time_ns()}.npz"
    draft = path.with_name(f"{path.name}.new")
    with draft.open("wb") as file:
        keys = np.array([_stamp(side.keys[item]) for item in part])
        rows = np.stack(list(part.values()))
        np.savez(file, ids=np.array(json.dumps(list(part))), keys=keys, rows=rows)
    draft.replace(path)
