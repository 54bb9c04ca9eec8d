"""The run of a version for the stored queries: from its file where there is one, else searched
among its vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard import ids
from dashboard.retrieval.by_side import joined, on_its_side, parts_by_side, search_sides
from dashboard.retrieval.counting import Kinds
from dashboard.retrieval.encoders.query_vectors import query_vectors
from dashboard.retrieval.gallery import Gallery, gallery_of
from dashboard.retrieval.indexes.indexed import IndexedGallery, gallery_to_search
from dashboard.retrieval.matrices import is_matrix, read_matrix_run
from dashboard.storage.collection.collection import Collection
from dashboard.storage.collection.sides import sides
from dashboard.storage.files.near_names import unmatched
from dashboard.storage.runs.order import Ties
from dashboard.storage.runs.run_record import read_record
from dashboard.storage.runs.runs import read_run
from dashboard.storage.vectors.vectors import Vectors
from dashboard.storage.versions.versions import Model
from dashboard.tables import DataError, Findings, OfQueries, counted

Which = Literal["text", "item", "all"]
MOST_RESULTS = 12_000_000
"""Whole rankings of a larger collection would not fit in memory: they are cut at the same rank."""
LEAST_DEPTH = 100
LONG = 2_000_000
"""Of versions whose rankings have more results in all, metrics are given what they read alone."""

MOST_HELD = 1 << 25
"""So many numbers of 4 bytes are held between two rankings of the same queries."""

Numbers = npt.NDArray[np.int64]
Held = dict[tuple[str, ...], npt.NDArray[np.int32]]
"""By queries how far the items that they search stand below the best possible one."""


def run_of(
    collection: Collection,
    version: str,
    which: Which = "all",
    depth: int | None = None,
    ties: Ties = "gallery",
    *,
    exact: bool = False,
    only: frozenset[str] | None = None,
) -> pd.DataFrame:
    """The table RUN of a version for the stored queries, `depth` results each (None: the whole
    gallery, or as deep as MOST_RESULTS lets; then `run.attrs["cut"]` says at which rank, and
    `run.attrs["torn"]` for which queries the next result has the same score as the last).

    Queries that could not be asked stand in `run.attrs["not_run"]` as {query_id: reason}. A version
    with an index answers as deep as its settings say, and `run.attrs["partial"]` names the queries
    whose later ranks are unknown: {query_id: whether the index could answer more}. exact: searched
    exactly all the same. only: the queries to run; None: all.
    Raises DataError where the version is unknown or its file cannot be used.
    """
    asked = queries_of(collection, which)
    asked = asked if only is None else asked[asked["query_id"].isin(only)]
    path = collection.run_files.get(version)
    if path is None:
        return _searched(collection, version, asked, depth, exact=exact)
    if is_matrix(path):
        return _of_matrix(collection, path, asked, depth)
    gallery = collection.items["item_id"].tolist()
    run = read_run(path, ties, gallery, name=f"runs/{path.name}")
    run = run[run["query_id"].isin(asked["query_id"])]
    run = on_its_side(without_self(run, asked), asked, collection.items)
    run = run if depth is None else run[run["rank"] <= depth].reset_index(drop=True)
    record = read_record(path)
    if record is not None:
        there = set(asked["query_id"])
        run.attrs["not_run"] = {q: why for q, why in record.not_run.items() if q in there}
    return run


def _of_matrix(
    collection: Collection, path: Path, asked: pd.DataFrame, depth: int | None
) -> pd.DataFrame:
    """The run of a matrix of similarities, cut as one that is searched is."""
    among = asked.get("among", [""] * len(asked))
    cut = None if depth else reach(_lengths(collection, among, len(collection.items)))
    deepest = depth or (cut and cut + 1)
    spare = deepest + 1 if deepest else None  # for the item that is itself the query
    run = read_matrix_run(collection, path, asked, spare, Findings())
    whole = run.attrs["whole"]
    run = on_its_side(without_self(run, asked), asked, collection.items)
    if deepest:
        run = run[run["rank"] <= deepest].reset_index(drop=True)
    run = _cut(run, cut) if cut else run
    run.attrs["whole"] = whole
    return run


def queries_of(collection: Collection, which: Which) -> pd.DataFrame:
    """The stored queries that are texts, items, or all of them."""
    queries = collection.queries
    if which == "all":
        return queries
    return queries[(queries["text"] != "") == (which == "text")]


def without_self(run: pd.DataFrame, queries: pd.DataFrame) -> pd.DataFrame:
    """The run without the item that is itself the query, ranks closed up."""
    own = queries.loc[queries["item_id"] != ""].set_index("query_id")["item_id"]
    itself = run["query_id"].astype("str").map(own) == run["item_id"].astype("str")
    if not itself.any():
        return run.reset_index(drop=True)
    kept = run[~itself].reset_index(drop=True)
    return kept.assign(rank=kept.groupby("query_id", observed=True).cumcount() + 1)


def check_runs(collection: Collection) -> pd.DataFrame:
    """What is to say about the collection's run files, which are read only when asked for."""
    findings = Findings()
    gallery = collection.items["item_id"].tolist()
    for path in collection.run_files.values():
        name = f"runs/{path.name}"
        try:
            if is_matrix(path):
                read_matrix_run(collection, path, collection.queries, 1, findings)
                continue
            run = read_run(path, "gallery", gallery, name=name, findings=findings)
        except DataError as problem:
            findings.error(problem)
            continue
        known = set(collection.queries["query_id"])
        others = [query for query in run["query_id"].unique() if query not in known]
        if others:
            wanted = "queries of the collection; their results are left out"
            found = (
                f"results of {counted(len(others), 'unknown query', 'unknown queries')} "
                f"({unmatched(others, known)})"
            )
            findings.warning(name, found, wanted)
    return findings.frame()


def model_of(collection: Collection, version: str) -> Model:
    if version in collection.models:
        return collection.models[version]
    if version in collection.broken:
        raise collection.broken[version]
    wanted = f"one of: {', '.join(collection.versions) or '(there are none)'}"
    raise DataError(f"models/{version[:80]}", "no such version", wanted)


def reach(sizes: Iterable[int]) -> int | None:
    """How deep rankings go that would be so long; None: to their ends.

    >>> reach([25_000] * 5_000 + [5_000] * 25_000), reach([2_000] * 400 + [400] * 2_000)
    (400, None)
    """
    lengths = list(sizes)
    if sum(lengths) <= MOST_RESULTS:
        return None
    return max(LEAST_DEPTH, MOST_RESULTS // len(lengths))


def _lengths(collection: Collection, among: Iterable[str], every: int) -> list[int]:
    """How long a whole ranking is for each query, by the side that it searches; every: that of one
    that searches everywhere."""
    there = Counter(sides(collection.items).values())
    return [there.get(side, every) for side in among]


def is_long(collection: Collection, version: str, which: Which, *, exact: bool = False) -> bool:
    """Whether a version's whole rankings of the stored queries have more than LONG results.

    Only of one with vectors that is searched exactly: results in a file, and what an index answers,
    are what they are.
    """
    model = collection.searched.get(version)
    if model is None or (model.index is not None and not exact):
        return False
    asked = queries_of(collection, which)
    among = asked.get("among", [""] * len(asked))
    return sum(_lengths(collection, among, len(model.items.ids))) > LONG


def not_run(collection: Collection, version: str, which: Which) -> dict[str, str]:
    """The stored queries that a version with vectors has none of, each with the reason."""
    return dict(query_vectors(model_of(collection, version), queries_of(collection, which)).missing)


def ranked_run(
    collection: Collection,
    version: str,
    which: Which,
    depth: int,
    pairs: Sequence[pd.DataFrame],
    at_least: float = -1.0,
    only: frozenset[str] | None = None,
    copy_of: Mapping[str, str] | None = None,
    held: Held | None = None,
) -> pd.DataFrame:
    """The first `depth` results of each stored query and, however deep, those of the pairs
    (query_id, item_id) of some tables, each with its rank in the whole ranking; of a version with
    vectors. A pair may stand in several tables, once in each.

    `run.attrs["lengths"]` says how long the rankings are: {query_id: number}. at_least: results
    with a lower score are left out. only: the queries to run; None: all. copy_of: the item
    that a copy counts as, and is in the pairs and the results. held: what an earlier call for the
    version has put there, which saves the products; what is missing this one puts there, if it is
    not too large. Raises DataError as `run_of`.
    """
    asked = queries_of(collection, which)
    asked = asked if only is None else asked[asked["query_id"].isin(only)]
    model = model_of(collection, version)
    found = query_vectors(model, asked)
    queries, gallery = found.vectors, gallery_of(model)
    own = {q: i for q, i in zip(asked["query_id"], asked["item_id"], strict=True) if i}
    own = {query: (copy_of or {}).get(item, item) for query, item in own.items()}
    among = dict(zip(asked["query_id"], asked.get("among", [""] * len(asked)), strict=True))
    parts, lengths = [], dict[str, int]()
    for asking, there in parts_by_side(queries, gallery, collection.items, among):
        kinds = Kinds.of([copy_of.get(item, item) for item in there.ids]) if copy_of else None
        wanted = _places(pairs, asking.index, kinds.names if kinds else there.vectors.index)
        below = _products(asking, there, held)
        part = there.ranked(asking, depth, wanted, own, at_least, kinds, below)
        lengths |= part.attrs.pop("lengths")
        parts.append(part)
    run = joined(parts, queries, gallery)
    run.attrs |= {"lengths": OfQueries(lengths), "not_run": OfQueries(found.missing)}
    return run


def _products(asking: Vectors, there: Gallery, held: Held | None) -> npt.NDArray[np.int32] | None:
    """What is held of these queries, or is held from now on; None where that would be too large."""
    if held is None or len(asking.ids) * len(there.ids) > MOST_HELD:
        return None
    if asking.ids not in held:
        held[asking.ids] = there.below(asking)
    return held[asking.ids]


def _places(
    pairs: Sequence[pd.DataFrame], queries: pd.Index, items: pd.Index
) -> tuple[Numbers, Numbers]:
    """The places of the pairs of some tables among queries and items, those of both alone, each
    pair once."""
    none = np.empty(0, dtype=np.int64)
    query = np.concatenate([none, *(ids.codes(table["query_id"], queries) for table in pairs)])
    item = np.concatenate([none, *(ids.codes(table["item_id"], items) for table in pairs)])
    known = (query >= 0) & (item >= 0)
    query, item = query[known], item[known]
    if len(pairs) > 1:
        both = np.unique(query * len(items) + item)
        query, item = both // len(items), both % len(items)
    return query, item


def _searched(
    collection: Collection,
    version: str,
    asked: pd.DataFrame,
    depth: int | None,
    *,
    exact: bool,
) -> pd.DataFrame:
    """The run by stored vectors: of a text under its query's id, of an item query the item's
    own."""
    model = model_of(collection, version)
    queries = asked["query_id"].tolist()
    own = {q: item for q, item in zip(queries, asked["item_id"], strict=True) if item}
    asking_with = query_vectors(model, asked)
    vectors = asking_with.vectors
    among = dict(zip(queries, asked.get("among", [""] * len(queries)), strict=True))
    asking = (among.get(query, "") for query in vectors.ids)
    gallery = gallery_to_search(model, collection.items, exact=exact)
    if isinstance(gallery, IndexedGallery):
        run = search_sides(vectors, gallery, collection.items, among, depth, own)
    else:
        cut = None if depth else reach(_lengths(collection, asking, len(model.items.ids)))
        deepest = depth or (cut and cut + 1)
        run = search_sides(vectors, gallery, collection.items, among, deepest, own)
        run = _cut(run, cut) if cut else run
    run.attrs["not_run"] = OfQueries(asking_with.missing)
    return run


def _cut(run: pd.DataFrame, cut: int) -> pd.DataFrame:
    """The first results of each query, of a run that goes one rank deeper."""
    kept = run[run["rank"] <= cut].reset_index(drop=True)
    last, beyond = (
        run[run["rank"] == rank].set_index("query_id")["score"] for rank in (cut, cut + 1)
    )
    torn = beyond.index[beyond == last.reindex(beyond.index)]
    kept.attrs |= {"cut": cut, "torn": OfQueries.fromkeys(torn.astype("str"))}
    return kept


def with_judged(
    collection: Collection,
    version: str,
    run: pd.DataFrame,
    pairs: pd.DataFrame,
) -> pd.DataFrame:
    """A run that was cut, followed by those of the pairs (query_id, item_id) that it ended before.

    They come in the order of the whole ranking; their ranks go on from the cut, for nobody counted
    what stands between them. For protocols that rank judged items only, which close up: to them
    nothing is missing, so that the run is no longer said to be cut.
    """
    if version not in collection.searched:
        found = "a matrix of so many similarities that rankings end early"
        raise DataError(f"runs/{version}", found, "vectors, where judged items alone are ranked")
    model, asked = collection.searched[version], collection.queries
    known, gallery = run["query_id"].cat.categories, run["item_id"].cat.categories
    there = pd.DataFrame({"q": run["query_id"].cat.codes, "i": run["item_id"].cat.codes})
    query, item = _beyond(
        known.get_indexer(pd.Index(pairs["query_id"])),
        gallery.get_indexer(pd.Index(pairs["item_id"])),
        there,
    )
    asking = query_vectors(model, asked).vectors.rows(list(known))
    score = gallery_of(model).part(list(gallery)).scores(asking, query, item)
    order = np.lexsort((item, -score, query))
    further = pd.DataFrame(
        {
            "query_id": pd.Categorical.from_codes(query[order], categories=known),
            "item_id": pd.Categorical.from_codes(item[order], categories=gallery),
            "score": score[order],
            "rank": 0,
        }
    )
    further = on_its_side(_not_itself(further, asked), asked, collection.items)
    both = pd.concat([run, further], ignore_index=True)
    both = both.iloc[np.argsort(both["query_id"].cat.codes, kind="stable")].reset_index(drop=True)
    both["rank"] = both.groupby("query_id", observed=True).cumcount() + 1
    both.attrs = {name: of for name, of in run.attrs.items() if name not in ("cut", "torn")}
    return both


def _beyond(query: Numbers, item: Numbers, there: pd.DataFrame) -> tuple[Numbers, Numbers]:
    """The pairs of known places that are not among the rows of `there` (q, i)."""
    known = (query >= 0) & (item >= 0)
    size = int(item.max(initial=0)) + 1
    wanted = np.unique(query[known].astype(np.int64) * size + item[known])
    rows = there[there["i"] < size]
    found = pd.Index(wanted).get_indexer(rows["q"].to_numpy(dtype=np.int64) * size + rows["i"])
    new = np.ones(len(wanted), dtype=bool)
    new[found[found >= 0]] = False
    return wanted[new] // size, wanted[new] % size


def _not_itself(further: pd.DataFrame, asked: pd.DataFrame) -> pd.DataFrame:
    own = asked.loc[asked["item_id"] != ""].set_index("query_id")["item_id"]
    itself = further["query_id"].astype("str").map(own) == further["item_id"].astype("str")
    return further[~itself]
