"""Embeds the items and text queries of a collection with an encoder, as a new version.

What is embedded is saved part by part in the folder of drafts, so that a call that was killed goes
on where it was. The version is put in its place whole, at the end.
"""

from __future__ import annotations

import contextlib
import json
import math
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from PIL import Image

from dashboard.experiment.versions.adding import Given, fill, finish, replace_queries
from dashboard.progress import report
from dashboard.retrieval import endpoints
from dashboard.retrieval.embedding import BatchEncoder as BatchEncoder
from dashboard.retrieval.embedding import encoder_of as encoder_of
from dashboard.retrieval.embedding import keyed as keyed
from dashboard.retrieval.embedding import left_out, recorded_encoder
from dashboard.retrieval.network_child import POOLINGS as POOLINGS
from dashboard.retrieval.services import Client as Client
from dashboard.storage.collection import digests
from dashboard.storage.collection.collection import Collection
from dashboard.storage.media.frames import pictures_of, state_of_file
from dashboard.storage.media.item_media import TEXT, rows_of_items
from dashboard.storage.media.lookup import Row, text_of
from dashboard.storage.media.safe_open import Unusable
from dashboard.storage.versions import query_side
from dashboard.storage.versions.drafts import DRAFTS, check_name, locked, writing
from dashboard.storage.versions.versions import TEXT_MODEL, texts_alone
from dashboard.tables import DataError, Findings, counted, listed

Array = npt.NDArray[Any]
EMBEDDED_BY = "embedded_by"
"""Key of a version's model.toml: the fingerprint of the encoder of this call."""
COLUMNS = ["what", "done", "skipped", "seconds"]
PART_SECONDS = 3.0
"""What was embedded in so many seconds is lost at most when the work is killed."""
SHOWN = 20
"""So many items that were skipped are listed one by one."""


@dataclass(frozen=True)
class Limits:
    """frames: of a clip. batch: inputs at a time, at most. memory: bytes of pixels of a batch.
    prompts: of "queries" and of "items", which stand before texts."""

    frames: int = 8
    batch: int = 32
    memory: int = 256_000_000
    prompts: Mapping[str, str] = field(default_factory=dict)


@dataclass(eq=False)
class _Side:
    """What is embedded of one table: its rows by id, how each is read, and what came of it."""

    name: str
    keys: dict[str, str]
    vectors: dict[str, Array] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def embed(
    collection: Collection,
    name: str,
    encoder: BatchEncoder,
    limits: Limits,
    *,
    what: str = "all",
    note: str = "",
    findings: Findings,
) -> pd.DataFrame:
    """Embed a collection as the version `name`: what, done, skipped, seconds.

    what: all, or items (texts are then embedded when they are searched with). Items whose file
    cannot be read are skipped, with a warning. Raises DataError where the encoder fails; what is
    embedded by then is there at the next call.
    """
    check_name(collection.folder, name)
    place = collection.folder / DRAFTS / f"embed {name}"
    with _working(collection, name, place):
        return _embedded(collection, name, encoder, limits, what, note, findings, place)


@contextlib.contextmanager
def _working(collection: Collection, name: str, place: Path) -> Iterator[None]:
    """Hold the folder of a draft, which stays until the version is whole."""
    with writing(collection.name):
        place.mkdir(parents=True, exist_ok=True)
        try:
            with locked(place):
                yield
        except BlockingIOError as error:
            wanted = "one call at a time"
            raise DataError(name, "another call that embeds it", wanted) from error
        with contextlib.suppress(OSError):
            place.parent.rmdir()  # unless others write there


def _embedded(
    collection: Collection,
    name: str,
    encoder: BatchEncoder,
    limits: Limits,
    what: str,
    note: str,
    findings: Findings,
    place: Path,
) -> pd.DataFrame:
    _begin(place, _job(encoder, limits), findings)
    items = _items(collection, encoder)
    sides = [items]
    texts = texts_alone(collection.queries)
    if what == "all" and encoder.reads and texts:
        sides.append(_queries(texts))
    rows = rows_of_items(collection)
    for side in sides:
        _embed_whole(collection, side, rows, texts, encoder, limits, place, findings)
    if not items.vectors:
        reasons = listed(sorted(set(items.skipped.values()))) or "there are none"
        raise DataError(collection.name, f"no item that can be embedded ({reasons})", "some")
    _put_together(collection, name, encoder, limits, note, findings, place, sides)
    return _table(sides)


def _table(sides: Sequence[_Side]) -> pd.DataFrame:
    rows = [(s.name, len(s.vectors), len(s.skipped), round(s.seconds, 3)) for s in sides]
    return pd.DataFrame(rows, columns=COLUMNS)


def _queries(texts: Mapping[str, str]) -> _Side:
    return _Side("queries", {query: f"text {text}" for query, text in texts.items()})


def _job(encoder: BatchEncoder, limits: Limits) -> str:
    """A fingerprint of how vectors are made: those of another one are not gone on with."""
    prompts = [sorted(limits.prompts.items())] if any(limits.prompts.values()) else []
    return digests.of_values(encoder.name, encoder.fingerprint, limits.frames, *prompts)


def embed_queries(
    collection: Collection, name: str, encoder: BatchEncoder | None, limits: Limits, *,
    prompt: str | None = None, findings: Findings,
) -> pd.DataFrame:  # fmt: skip
    """Embed the text queries of a collection anew for a version that is there: what, done,
    skipped, seconds. All its other files stay; it changes from one state to the other at once.

    encoder: None is the query side that the version has on record. prompt: None is the recorded
    one. Raises DataError where another encoder or prompt embedded its items.
    """
    model = collection.models.get(name)
    if model is None:
        some = listed(collection.models) or "there is none"
        raise DataError(collection.name, f"no version {name!r} with vectors", f"one of {some}")
    shown, recorded = f"models/{name}/model.toml", str(model.settings["prompt_queries"])
    if prompt not in (None, recorded):
        raise DataError(shown, f"prompt_queries = {recorded!r}", f"{prompt!r}, as in the call")
    if encoder is not None and str(model.settings[EMBEDDED_BY]) != encoder.fingerprint:
        there = "another encoder" if model.settings[EMBEDDED_BY] else "no encoder"
        found = f"{there} on record ({EMBEDDED_BY})"
        cure = "Embed the collection as a new version."
        raise DataError(shown, found, f"{encoder.name}, so that both sides fit", cure=cure)
    chosen = encoder or recorded_encoder(model)
    texts = texts_alone(collection.queries)
    if not texts:
        raise DataError(collection.name, "no query that is only a text", "one in queries.csv")
    prompts = replace(limits, prompts={"queries": recorded})
    place = collection.folder / DRAFTS / f"queries {name}"
    with _working(collection, name, place):
        _begin(place, _job(chosen, prompts), findings)
        side = _queries(texts)
        _embed_whole(collection, side, {}, texts, chosen, prompts, place, findings)
        if not side.vectors:
            reasons = listed(sorted(set(side.skipped.values())))
            raise DataError(collection.name, f"no query that can be embedded ({reasons})", "some")
        ids = [query for query in texts if query in side.vectors]
        rows = np.stack([side.vectors[query] for query in ids])
        folder = place / name
        if folder.exists():
            shutil.rmtree(folder)
        replace_queries(model, folder, ids, rows, collection, findings)
        shutil.rmtree(place, ignore_errors=True)
    return _table([side])


def _embed_whole(
    collection: Collection,
    side: _Side,
    rows: Mapping[str, Row],
    texts: Mapping[str, str],
    encoder: BatchEncoder,
    limits: Limits,
    place: Path,
    findings: Findings,
) -> None:
    """Embed what earlier calls did not of a side, and list what was skipped."""
    begun = time.monotonic()
    _recall(place, side)
    _embed_side(collection, side, rows, texts, encoder, limits, place)
    side.seconds = time.monotonic() - begun
    _list_skipped(side, findings)


def _begin(place: Path, fingerprint: str, findings: Findings) -> None:
    """Go on with what is there, or begin anew where another encoder made it."""
    job = place / "job.json"
    with contextlib.suppress(OSError, ValueError):
        if json.loads(job.read_text(encoding="utf-8")) == fingerprint:
            return
    for path in place.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    _write(job, json.dumps(fingerprint).encode())


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    draft = path.with_name(f"{path.name}.new")
    draft.write_bytes(content)
    draft.replace(path)


def _items(collection: Collection, encoder: BatchEncoder) -> _Side:
    """The items, each with the state of what is embedded of it; of some there is nothing."""
    side = _Side("items", {})
    for item, row in rows_of_items(collection).items():
        if text_of(row, "kind") == TEXT:
            side.keys[item] = f"text {text_of(row, 'caption')}"
            if not text_of(row, "caption").strip():
                side.skipped[item] = "a text without words"
        else:
            try:
                side.keys[item] = f"file {state_of_file(collection, row)}"
            except Unusable as word:
                side.keys[item], side.skipped[item] = "", str(word)
    kinds = {key.partition(" ")[0] for item, key in side.keys.items() if item not in side.skipped}
    if "text" in kinds and not encoder.reads:
        raise DataError(encoder.name, "an encoder of pictures, and items that are texts", "both")
    return side


def _recall(place: Path, side: _Side) -> None:
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


def _embed_side(
    collection: Collection,
    side: _Side,
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


def _batches(items: Sequence[str], inputs: Any, side: _Side, limits: Limits) -> Iterator[Batch]:
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


def _pooled(batch: Batch, vectors: Array, side: _Side, name: str) -> dict[str, Array]:
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


def _save(place: Path, side: _Side, part: Mapping[str, Array]) -> None:
    number = len(list(place.glob(f"{side.name}-*.npz")))
    path = place / f"{side.name}-{number:06}-{time.time_ns()}.npz"
    draft = path.with_name(f"{path.name}.new")
    with draft.open("wb") as file:
        keys = np.array([_stamp(side.keys[item]) for item in part])
        rows = np.stack(list(part.values()))
        np.savez(file, ids=np.array(json.dumps(list(part))), keys=keys, rows=rows)
    draft.replace(path)


def _list_skipped(side: _Side, findings: Findings) -> None:
    """A warning for each of the first items that were skipped, and how many more there are."""
    every = list(side.skipped.items())
    for item, reason in every[:SHOWN]:
        findings.warning(side.name, f"{item!r} skipped: {reason}", "")
    if len(every) > SHOWN:
        more = listed(item for item, _ in every[SHOWN:])
        findings.warning(side.name, f"{len(every) - SHOWN:,} more skipped ({more})", "")


def _put_together(
    collection: Collection,
    name: str,
    encoder: BatchEncoder,
    limits: Limits,
    note: str,
    findings: Findings,
    place: Path,
    sides: Sequence[_Side],
) -> None:
    """Write the version from its parts, check it and put it in its place; the draft goes."""
    folder = place / name
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir()
    given = {side.name: _given(side) for side in sides if side.vectors}
    sees = encoder.sees and any(k.startswith("file ") for k in sides[0].keys.values())
    settings = dict(encoder.settings) | {"frames": limits.frames}
    settings |= {"note": note} if note else {}
    settings |= {f"prompt_{side}": text for side, text in limits.prompts.items() if text}
    settings |= {"picture": dict(encoder.picture_settings)} if sees else {}
    if not sees and encoder.files.keys() == {"picture.onnx"}:
        raise DataError(encoder.name, "an encoder of pictures, and no picture", "pictures")
    for inside, path in encoder.files.items():
        if sees or inside != "picture.onnx":
            _copy(path, folder / inside)
    if settings.get("encoder") == "http":
        np.save(folder / "probe.npy", encoder.encode([endpoints.PROBE], "").astype("float32"))
    copied = folder / TEXT_MODEL
    if copied.exists() and digests.of_folder(copied) != encoder.fingerprint:
        found = "a model that changed while it embedded the collection"
        raise DataError(encoder.name, found, "the same files from start to end", cure="Run again.")
    fill(folder, collection, given["items"], given.get("queries"), settings, findings)
    recorded = {query_side.KEY: query_side.fingerprint, EMBEDDED_BY: lambda _: encoder.fingerprint}
    finish(folder, collection, findings, recorded, without_texts=not encoder.reads)
    shutil.rmtree(place, ignore_errors=True)


def _copy(path: Path, to: Path) -> None:
    if path.is_dir():  # a hub's folder is made of links
        shutil.copytree(path, to, ignore=lambda _, names: left_out(names))
    else:
        shutil.copyfile(path, to)


def _given(side: _Side) -> Given:
    ids = tuple(item for item in side.keys if item in side.vectors)
    return Given(np.stack([side.vectors[item] for item in ids]), ids, side.name)
