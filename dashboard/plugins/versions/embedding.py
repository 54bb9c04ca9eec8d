"""Embed items and text queries as a new version. Batches are saved, so that a call can go on."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dashboard.errors import DataError, Findings, count_odd, list_names
from dashboard.plugins.versions.batch_encoders import BatchEncoder
from dashboard.storage.collection import Collection
from dashboard.storage.drafts import check_name, claim, replace_files
from dashboard.storage.new_versions import NamedVectors, Stated, add_vectors, replace_queries
from dashboard.storage.posters import find_item_file, read_frames
from dashboard.storage.versions import Version, digest_inputs
from dashboard.tables import Float32Array, Names, Row, Rows, Texts

SAVE_SECONDS = 3.0
"""Work of so many seconds is lost at most when a call is killed."""
SHOWN = 20
"""Reasons for which items were skipped that are reported."""
DRAFT = ".embedding"
"""Start of the name of a folder that holds what a call has embedded so far."""
Report = Callable[[int, int, str], None]
"""`(done, total, what)`."""


Batch = dict[str, list[Any]]
"""Texts or pictures of inputs, by id."""
Units = dict[str, Float32Array]
"""Vectors of length 1, by id."""


@dataclass(eq=False)
class _Side:
    """Items or queries: a key of each input, which changes with it and the encoder; what came."""

    name: str
    keys: Texts
    read: Callable[[str], list[Any]]
    vectors: Units = field(default_factory=dict)
    skipped: Texts = field(default_factory=dict)

    def join(self) -> NamedVectors:
        """Return the vectors that there are, in the order of the inputs."""
        ids = [each for each in self.keys if each in self.vectors]
        return NamedVectors(np.stack([self.vectors[each] for each in ids]), ids, self.name)


def embed(
    collection: Collection,
    name: str,
    encoder: BatchEncoder,
    findings: Findings,
    what: str = "all",
    frames: int = 8,
    batch: int = 32,
    note: str = "",
    report: Report = lambda done, total, what: None,
) -> Rows:
    """Embed a collection as a new version, whole or not at all; or the queries of one anew.

    Args:
        collection: What is embedded.
        name: Name of the version.
        encoder: What embeds.
        findings: Gains the items and queries that were skipped.
        what: items, or all: text queries, too; or queries: those of a version that is there, whose
            other files stay.
        frames: Frames of a clip; the vector of the clip is the mean of their unit vectors.
        batch: Inputs that the encoder gets at once.
        note: A sentence on what is new.
        report: Called as the work goes on.

    Returns:
        A row a side: what, done, skipped, seconds.

    Raises:
        DataError: If the encoder fails, or nothing can be embedded. The next call goes on.
    """
    rows, version = [], collection.find_version(name) if what == "queries" else None
    sides = _list_sides(collection, encoder, name, what, frames, version)
    place = collection.folder / "models" / f"{DRAFT} {name}"
    with claim(place, collection.name, f"another call that embeds {name!r}"):
        for side in sides:
            begun = time.monotonic()
            _recall(place, side)
            _embed_side(side, encoder, batch, place, report)
            row = Row(what=side.name, done=len(side.vectors), skipped=len(side.skipped))
            rows.append(row | {"seconds": round(time.monotonic() - begun, 3)})
            wanted = f"what can be embedded; {side.name} without a vector are not found"
            for why in list(dict.fromkeys(side.skipped.values()))[:SHOWN]:
                names = [each for each, reason in side.skipped.items() if reason == why]
                findings += count_odd(side.name, names, f"skipped: {why}", wanted)
        given = {side.name: side.join() for side in sides if side.vectors}
        if sides[0].name not in given:
            reasons = list_names(sorted({*sides[0].skipped.values()})) or "there are none"
            found = f"no {sides[0].name} that can be embedded ({reasons})"
            raise DataError(collection.name, found, "some")
        if version:
            replace_queries(collection, version, given["queries"], Findings())
        else:
            noted = Findings()
            settings = encoder.settings | {"frames": frames}
            stated = Stated(note, settings=settings, files=encoder.files)
            add_vectors(collection, name, given["items"], given.get("queries"), stated, noted)
            findings += [each for each in noted if each.level == "note"]
        shutil.rmtree(place)
    return rows


def _list_sides(
    collection: Collection,
    encoder: BatchEncoder,
    name: str,
    what: str,
    frames: int,
    version: Version | None,
) -> list[_Side]:
    """Return what is embedded; a version is one whose queries alone are.

    Raises:
        DataError: If the name is taken, or the version has no vectors or no text queries.
    """
    sides = [] if version else [_make_items(collection, encoder, frames)]
    rows = collection.queries.list_rows("text", "item_id")
    texts = {query: text for query, text, item in rows if text and not item}
    if what != "items" and encoder.reads and texts:
        sides.append(
            _Side(
                "queries",
                {query: f"{encoder.fingerprint} {text}" for query, text in texts.items()},
                lambda query: [texts[query]],
            )
        )
    if version is None:
        check_name(collection.folder, name)
    elif version.items is None or not sides:
        found = f"a version {name!r} without vectors" if sides else "no query that is only a text"
        raise DataError(collection.name, found, "a version of `embed` and text queries")
    return sides


def _make_items(collection: Collection, encoder: BatchEncoder, frames: int) -> _Side:
    """Return the items: pictures, clips, and texts by their captions."""
    items = collection.items
    digests = digest_inputs(items, "items")
    keys = {}
    skipped = {}
    paths = {}
    rows = items.list_rows("kind", "file", "caption")
    for place, (item, kind, file, caption) in enumerate(rows):
        keys[item] = f"{encoder.fingerprint} {frames} {digests[item]}"
        if kind == "text" or not file and caption:
            if not caption or not encoder.reads:
                skipped[item] = "a text" if caption else "a text without words"
            continue
        try:
            paths[item] = find_item_file(collection, place)
            state = paths[item].stat()
            keys[item] += f" {state.st_size} {state.st_mtime_ns}"
        except DataError as error:
            skipped[item] = error.found

    def read(item: str) -> list[Any]:
        if item in paths:
            return read_frames(paths[item], items, items.index[item], frames)
        return [items["caption"][items.index[item]]]

    return _Side("items", keys, read, skipped=skipped)


def _recall(place: Path, side: _Side) -> None:
    """Take the vectors of earlier calls whose input is the same; remove files without any."""
    for path in sorted(place.glob(f"{side.name}-*.npz")):
        rows: Units = {}
        with suppress(Exception), np.load(path, allow_pickle=False) as part:  # of a damaged file
            rows = dict(zip(part["keys"].tolist(), part["rows"], strict=True))
        known = {item: rows[key] for item, key in side.keys.items() if key in rows}
        if not known:
            path.unlink(missing_ok=True)
        side.vectors |= known


def _embed_side(side: _Side, encoder: BatchEncoder, size: int, place: Path, report: Report) -> None:
    missing = [each for each in side.keys if each not in side.vectors and each not in side.skipped]
    part: Units = {}
    saved = time.monotonic()
    try:
        for batch in _make_batches(missing, side, size):
            part |= _encode(batch, side, encoder)
            if time.monotonic() - saved > SAVE_SECONDS:
                _save(place, side, part)
                part, saved = {}, time.monotonic()
            report(len(side.vectors) + len(side.skipped), len(side.keys), side.name)
    finally:
        _save(place, side, part)


def _make_batches(names: Names, side: _Side, size: int) -> Iterator[Batch]:
    """Yield inputs by id: about `size` of them, either texts or pictures."""
    batch: Batch = {}
    for name in names:
        try:
            inputs = side.read(name)
        except DataError as error:
            side.skipped[name] = error.found
            continue
        number = sum(map(len, batch.values()))
        kinds = {type(each[0]) for each in batch.values()}
        if batch and (number + len(inputs) > size or type(inputs[0]) not in kinds):
            yield batch
            batch = {}
        batch[name] = inputs
    if batch:
        yield batch


def _encode(batch: Batch, side: _Side, encoder: BatchEncoder) -> Units:
    """Return the unit vector of each id of a batch, and keep it."""
    inputs = [each for found in batch.values() for each in found]
    rows = encoder.encode(inputs, side.name)
    width = next((len(each) for each in side.vectors.values()), rows.size // len(inputs))
    if rows.shape != (len(inputs), width) or rows.dtype.kind not in "fiu":
        raise DataError(
            encoder.name,
            f"an array of the shape {rows.shape} for {len(inputs):,} inputs",
            f"a row for each, {width:,} numbers long",
        )
    made = {}
    start = 0
    for name, each in batch.items():
        some = rows[start : start + len(each)].astype(float)
        start += len(each)
        with np.errstate(all="ignore"):  # what cannot be divided is NaN
            mean = (some / np.linalg.norm(some, axis=1, keepdims=True)).mean(axis=0)
            unit = (mean / np.linalg.norm(mean)).astype(np.float32)
        if np.isfinite(unit).all():
            made[name] = unit
        else:
            side.skipped[name] = "a vector with NaN, infinity or only zeros"
    side.vectors.update(made)
    return made


def _save(place: Path, side: _Side, part: Units) -> None:
    if not part:
        return
    name = f"{side.name}-{time.time_ns()}.npz"
    with replace_files(place, name) as draft:
        np.savez(
            draft / name,
            keys=np.array([side.keys[each] for each in part]),
            rows=np.stack(list(part.values())),
        )
