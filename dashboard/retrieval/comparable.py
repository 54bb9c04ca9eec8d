"""Whether two versions may be compared: same queries, same gallery, lists of the same depth."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from dashboard.retrieval.encoders.query_vectors import query_vectors
from dashboard.retrieval.runs import run_of
from dashboard.storage.collection.collection import Collection
from dashboard.storage.collection.sides import sides
from dashboard.storage.runs.run_record import read_record
from dashboard.storage.versions.model_record import RECORDED, outdated
from dashboard.tables import counted, listed


@dataclass(frozen=True)
class Made:
    """What a version's results rest on: its items and text queries, the depth of its lists, and how
    it differs from its record."""

    items: frozenset[str]
    queries: frozenset[str]
    depth: int
    outdated: tuple[str, ...]


def made(collection: Collection, version: str) -> Made:
    """What a version's results rest on. Raises DataError where its files cannot be used."""
    model = collection.searched.get(version)
    if model is None:
        return _of_lists(collection, version)
    wrong = tuple(word for word, _ in outdated(model, collection.digests).values())
    in_words = collection.queries[collection.queries["text"] != ""]
    stored = frozenset(model.queries.ids) if model.queries else frozenset()
    asked = stored | frozenset(query_vectors(model, in_words).vectors.ids)
    return Made(frozenset(model.items.ids), asked, _longest(collection, model.items.ids), wrong)


def _of_lists(collection: Collection, version: str) -> Made:
    """The same of a version without vectors. Where a record says what was asked, a list that is
    shorter, or empty, is all that matched."""
    run = run_of(collection, version)
    known = frozenset(collection.items["item_id"])
    texts = frozenset(collection.queries.loc[collection.queries["text"] != "", "query_id"])
    answered = frozenset(run["query_id"])
    depth = run.attrs.get("whole") or _depth(run)
    record = read_record(collection.run_files[version])
    if record is not None:
        asked = frozenset(collection.queries["query_id"]) - frozenset(record.not_run)
        answered = asked if len(asked) == record.answered else answered
        depth = max(depth, min(record.depth, len(known)))
    return Made(known, texts & answered, depth, ())


def records(collection: Collection, *versions: str) -> tuple[str, ...]:
    """The fingerprints on record of versions, which no number depends on and which may be mended
    while a page is open."""
    models = [collection.searched[name] for name in versions if name in collection.searched]
    return tuple(str(model.settings[key]) for model in models for key in RECORDED)


def _longest(collection: Collection, found: Sequence[str]) -> int:
    """How long a list of a version's items can be, where queries search sides of the gallery."""
    side_of, queries = sides(collection.items), collection.queries
    among = set(queries["among"]) if side_of and "among" in queries.columns else {""}
    if among == {""}:
        return len(found)
    on = Counter(side_of.get(item, "") for item in found)
    return max((on[side] if side else len(found) for side in among), default=len(found))


def _depth(run: pd.DataFrame) -> int:
    return int(run["rank"].max()) if len(run) else 0


def identical(collection: Collection, baseline: str, candidate: str) -> bool:
    """Whether two versions are two names of the same vectors, or of the same file of results."""
    one, other = (collection.searched.get(version) for version in (baseline, candidate))
    if one is not None and other is not None:
        return one.digest == other.digest
    if one is not None or other is not None:
        return False
    files = [collection.digests.get(f"runs/{version}") for version in (baseline, candidate)]
    return files[0] is not None and files[0] == files[1]


def unlike(
    collection: Collection, baseline: str, candidate: str, *, texts: bool = True
) -> list[str]:
    """The ways in which two versions are not comparable, a sentence each; empty where they are.

    texts: whether text queries are asked; a version that embeds pictures only answers the others.
    Raises DataError where the files of one cannot be used.
    """
    first, second = made(collection, baseline), made(collection, candidate)
    found = []
    sides_of = [(("item", "items"), first.items, second.items)]
    if texts:
        sides_of.append((("text query", "text queries"), first.queries, second.queries))
    for what, one, other in sides_of:
        for version, lacks in ((candidate, one - other), (baseline, other - one)):
            if lacks:
                rest = f"{counted(len(lacks), *what)} of the other version"
                found.append(f"{version} lacks {rest} ({listed(sorted(lacks))})")
    if first.items == second.items and first.depth != second.depth:
        found.append(
            f"the lists of {baseline} go to rank {first.depth}, those of {candidate} to rank "
            f"{second.depth}: metrics that look deeper than the shorter one differ by that alone"
            + _deeper(
                collection, baseline if first.depth < second.depth else candidate, first, second
            )
        )
    for version, of in ((baseline, first), (candidate, second)):
        found += [f"{version} {wrong}" for wrong in of.outdated]
    return found


def _deeper(collection: Collection, version: str, first: Made, second: Made) -> str:
    """What makes the lists of a search system as long as the other version's; empty for others."""
    run = collection.run_files.get(version)
    record = read_record(run) if run is not None and version not in collection.searched else None
    if record is None or not record.search:
        return ""
    depth = max(first.depth, second.depth)
    call = f"python -m dashboard run {shlex.quote(collection.name)} --version NEW"
    call += f" --search {shlex.quote(record.search)} --depth {depth}"
    return f"; where the service lists so many, ask it again with {call}"
