"""Near-duplicates: items that are one clip twice, found by vectors and by pictures.

Two items are alike to a version where the cosine of their vectors is at least ALIKE, and alike as
pictures where the hashes of their posters differ in at most BITS of 256. They are *copies*, which
can be left out of the metrics, where all versions find them alike, or their pictures are. All
versions are then judged on the same items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy  # type: ignore[import-untyped]  # its parts are imported when they are used
from numpy.typing import NDArray

from dashboard.evaluation.diagnosis.neighbours import Space
from dashboard.evaluation.join import categories, codes
from dashboard.evaluation.judgement import Judgement
from dashboard.evaluation.protocols.amended_judgement import AmendedJudgement
from dashboard.evaluation.protocols.keyword_judgement import KeywordJudgement
from dashboard.progress import parts
from dashboard.tables import DataError, counted

ALIKE = 0.98  # cosine
BITS = 20  # of a picture hash; other shots of one street differ in 45 and more
MOST = 20_000  # items; comparing each with each takes seconds up to here
LARGEST = 300_000  # items; in a larger gallery the search for pairs takes many minutes
MOST_PICTURES = 5_000  # in a larger gallery no posters are read for it; vectors are compared
BLOCK = 1_024

Products = Callable[[slice, slice], NDArray[np.float32]]
"""The inner products of some rows with others."""


class Pair(NamedTuple):
    """Two items that are alike, the earlier one first, and their cosine or how many bits differ."""

    item: str
    other: str
    value: float


def alike(space: Space) -> list[Pair]:
    """The pairs of items whose vectors are alike, with their cosine."""
    ids = space.ids
    close = _close(len(ids), lambda a, b: space.similarities(ids[a], ids[b]), ALIKE)
    return _pairs(ids, *close)


def same_picture(hashes: Mapping[str, bytes]) -> list[Pair]:
    """The pairs of items whose picture hashes are alike, and in how many bits they differ."""
    names = list(hashes)
    if not names:
        return []
    bits = np.unpackbits(np.frombuffer(b"".join(hashes.values()), np.uint8).reshape(len(names), -1))
    signs = bits.reshape(len(names), -1).astype(np.float32) * 2 - 1
    width = signs.shape[1]
    dots = _close(len(signs), lambda a, b: signs[a] @ signs[b].T, width - 2 * BITS)
    first, second, dot = dots
    return _pairs(names, first, second, (width - dot) / 2)


def copies(
    gallery: Sequence[str], by_version: Iterable[Sequence[Pair]], pictures: Sequence[Pair]
) -> dict[str, str]:
    """Each item that is a copy → the first item of the gallery that it is a copy of.

    by_version: the pairs of `alike` for each version; pictures: the pairs of `same_picture`.
    A copy of a copy is a copy.
    """
    found = [{(one, other) for one, other, _ in pairs} for pairs in by_version]
    pairs = {(one, other) for one, other, _ in pictures}
    pairs |= set.intersection(*found) if found else set()
    place = {item: number for number, item in enumerate(gallery)}
    first = dict(zip(gallery, gallery, strict=True))

    def root(item: str) -> str:
        while first[item] != item:
            first[item] = item = first[first[item]]
        return item

    for one, other in pairs:
        if one in place and other in place:
            early, late = sorted((root(one), root(other)), key=place.__getitem__)
            first[late] = early
    return {item: root(item) for item in gallery if root(item) != item}


def copies_by_vectors(name: str, gallery: Sequence[str], spaces: Sequence[Space]) -> dict[str, str]:
    """The `copies` of a whole gallery, called `name`, by the vectors of each version alone.

    In a gallery of more than MOST items those of the first version are searched, and those of the
    others compared where they were alike. Raises DataError for more than LARGEST items, or more
    alike pairs than fit in memory.
    """
    if len(gallery) <= MOST:
        return copies(gallery, [alike(space) for space in spaces], [])
    if len(gallery) > LARGEST:
        raise _too_many(name, f"{len(gallery):,} items", f"at most {LARGEST:,}")
    if not spaces:
        return {}
    index = pd.Index(list(gallery), dtype="str")
    first, *others = spaces
    try:
        close = first.close_pairs(ALIKE)
    except ValueError as error:
        raise _too_many(name, str(error), "vectors that tell items apart") from error
    pairs = index.get_indexer(pd.Index(first.ids, dtype="str"))[np.stack(close)]
    pairs = pairs[:, (pairs >= 0).all(axis=0)]
    for space in others:
        own = pd.Index(space.ids, dtype="str").get_indexer(index)[pairs]
        compared = (own >= 0).all(axis=0)
        pairs, own = pairs[:, compared], own[:, compared]
        pairs = pairs[:, space.cosines(own[0], own[1]) >= ALIKE]
    return _firsts_of(gallery, pairs)


def _firsts_of(gallery: Sequence[str], pairs: NDArray[np.int64]) -> dict[str, str]:
    """Each item that is joined to an earlier one → the first of those that it is joined to.

    pairs: the places of each two items that are alike. [2, pairs]
    """
    size = (len(gallery), len(gallery))
    graph = scipy.sparse.coo_array((np.ones(pairs.shape[1], dtype=np.int8), tuple(pairs)), size)
    labels = scipy.sparse.csgraph.connected_components(graph, directed=False)[1]
    first = np.unique(labels, return_index=True)[1][labels]
    later = np.flatnonzero(first != np.arange(len(gallery)))
    return {gallery[item]: gallery[first[item]] for item in later.tolist()}


def _too_many(name: str, found: str, wanted: str) -> DataError:
    wanted = f"{wanted} to look for near-duplicates"
    return DataError(name, found, wanted, cure="Let them be counted.")


def without(run: pd.DataFrame, copy_of: Mapping[str, str], own: Mapping[str, str]) -> pd.DataFrame:
    """The run with only the first of several copies, and no copy of an item query's own item.

    run: rows of a query in the order of their ranks, which close up. own: query_id → its item.
    `attrs["left_out"]` counts what went: query_id → number.
    """
    index = categories(run["item_id"])
    one = pd.Index([copy_of.get(item, item) for item in index], dtype="str")
    _, number = np.unique(one.to_numpy(dtype=object), return_inverse=True)
    kind = pd.Series(number[codes(run["item_id"], index)], index=run.index)
    own_kind = {q: copy_of.get(item, item) for q, item in own.items()}
    by_name = dict(zip(one, number, strict=True))
    theirs = run["query_id"].astype("str").map({q: by_name.get(i, -1) for q, i in own_kind.items()})
    repeated = pd.DataFrame({"q": run["query_id"], "k": kind}).duplicated()
    gone = repeated.to_numpy() | (kind == theirs).to_numpy()
    kept = run[~gone].reset_index(drop=True)
    kept = kept.assign(rank=kept.groupby("query_id", observed=True).cumcount() + 1)
    left_out = run.loc[gone, "query_id"].astype("str").value_counts()
    kept.attrs = {**run.attrs, "left_out": {str(q): int(n) for q, n in left_out.items()}}
    return kept


def as_one(run: pd.DataFrame, copy_of: Mapping[str, str]) -> pd.DataFrame:
    """A run `without` copies in which each item goes by the name of the one it is a copy of.

    Judged by `judged_as_one` it is worth what it would be in a gallery without copies.
    """
    names = run["item_id"].astype("str")
    if not names.isin(copy_of.keys()).any():
        return run
    return run.assign(item_id=names.map(copy_of).fillna(names))


def with_copies(pairs: pd.DataFrame, copy_of: Mapping[str, str]) -> pd.DataFrame:
    """Pairs of query_id and item_id, each item joined by all that it is one of several copies of.

    >>> pairs = pd.DataFrame({"query_id": ["q", "q"], "item_id": ["b", "z"]})
    >>> with_copies(pairs, {"b": "a", "c": "a"})["item_id"].tolist()
    ['a', 'b', 'c', 'z']
    """
    names = pairs[["query_id", "item_id"]].astype("str")
    names = names.assign(one=names["item_id"].map(copy_of).fillna(names["item_id"]))
    firsts = dict.fromkeys(copy_of.values())
    groups = pd.DataFrame(
        [*copy_of.items(), *((first, first) for first in firsts)], columns=["twin", "one"]
    )
    joined = names.merge(groups.sort_values("twin"), on="one", how="left")
    joined["item_id"] = joined["twin"].fillna(joined["item_id"])
    return joined[["query_id", "item_id"]].drop_duplicates(ignore_index=True)


def judged_as_one(judgement: Judgement, copy_of: Mapping[str, str]) -> Judgement:
    """The judgement of a gallery without copies: of several, the best grade and credit count.

    The copies of an item query's own item go, as itself does.
    """
    own = {query: copy_of.get(item, item) for query, item in judgement.leave_out.items()}
    if isinstance(judgement, KeywordJudgement | AmendedJudgement):
        return AmendedJudgement.of(judgement).as_one(copy_of, own)
    qrels = as_one(judgement.qrels, copy_of)
    best = qrels.groupby(["query_id", "item_id"], observed=True, sort=False)
    merged = best[["grade", "credit"]].max().reset_index()
    itself = merged["query_id"].astype("str").map(own) == merged["item_id"]
    return judgement.with_qrels(merged[~itself].reset_index(drop=True), leave_out=own)


def said_of_copies(number: int) -> str:
    """What became of so many copies where they are left out, for a report."""
    return f"{counted(number, 'item')} left out; of several the first in a list counts"


def _close(
    number: int, products: Products, at_least: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The places of each two rows whose product is at least that, the earlier one first."""
    if number > MOST:
        raise ValueError(f"{number:,} items are too many to compare each with each")
    first, second, product = [], [], []
    for start in parts("comparing items", range(0, number, BLOCK)):
        found = products(slice(start, start + BLOCK), slice(start, number)).round(6)
        rows, columns = np.nonzero(np.triu(found >= at_least, k=1))
        first.append(rows + start)
        second.append(columns + start)
        product.append(found[rows, columns].astype(np.float64))
    empty = [np.empty(0, dtype=np.int64)]
    return (
        np.concatenate(empty + first),
        np.concatenate(empty + second),
        np.concatenate([np.empty(0), *product]),
    )


def _pairs(
    names: Sequence[str],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    values: NDArray[np.float64],
) -> list[Pair]:
    places = zip(first.tolist(), second.tolist(), values.tolist(), strict=True)
    return [Pair(names[one], names[other], value) for one, other, value in places]
