"""Embeds the items and text queries of a collection with an encoder, as a new version.

Drafts keep what is embedded by then; the version is put in its place whole, at the end.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from dashboard.experiment.versions.adding import Given, fill, finish, replace_queries
from dashboard.experiment.versions.embedding_parts import Limits as Limits
from dashboard.experiment.versions.embedding_parts import Side, embed_side, recall
from dashboard.retrieval.encoders import endpoints
from dashboard.retrieval.encoders.embedding import BatchEncoder as BatchEncoder
from dashboard.retrieval.encoders.embedding import encoder_of as encoder_of
from dashboard.retrieval.encoders.embedding import keyed as keyed
from dashboard.retrieval.encoders.embedding import left_out, recorded_encoder
from dashboard.retrieval.encoders.network_child import POOLINGS as POOLINGS
from dashboard.retrieval.services import Client as Client
from dashboard.storage.collection import digests
from dashboard.storage.collection.collection import Collection
from dashboard.storage.media.frames import state_of_file
from dashboard.storage.media.item_media import TEXT, rows_of_items
from dashboard.storage.media.lookup import Row, text_of
from dashboard.storage.media.safe_open import Unusable
from dashboard.storage.versions import query_side
from dashboard.storage.versions.drafts import DRAFTS, check_name, locked, writing
from dashboard.storage.versions.versions import TEXT_MODEL, texts_alone
from dashboard.tables import DataError, Findings, listed

EMBEDDED_BY = "embedded_by"
"""Key of a version's model.toml: the fingerprint of the encoder of this call."""
COLUMNS = ["what", "done", "skipped", "seconds"]
SHOWN = 20
"""So many items that were skipped are listed one by one."""


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


def _table(sides: Sequence[Side]) -> pd.DataFrame:
    rows = [(s.name, len(s.vectors), len(s.skipped), round(s.seconds, 3)) for s in sides]
    return pd.DataFrame(rows, columns=COLUMNS)


def _queries(texts: Mapping[str, str]) -> Side:
    return Side("queries", {query: f"text {text}" for query, text in texts.items()})


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
    side: Side,
    rows: Mapping[str, Row],
    texts: Mapping[str, str],
    encoder: BatchEncoder,
    limits: Limits,
    place: Path,
    findings: Findings,
) -> None:
    """Embed what earlier calls did not of a side, and list what was skipped."""
    begun = time.monotonic()
    recall(place, side)
    embed_side(collection, side, rows, texts, encoder, limits, place)
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


def _items(collection: Collection, encoder: BatchEncoder) -> Side:
    """The items, each with the state of what is embedded of it; of some there is nothing."""
    side = Side("items", {})
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


def _list_skipped(side: Side, findings: Findings) -> None:
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
    sides: Sequence[Side],
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


def _given(side: Side) -> Given:
    ids = tuple(item for item in side.keys if item in side.vectors)
    return Given(np.stack([side.vectors[item] for item in ids]), ids, side.name)
