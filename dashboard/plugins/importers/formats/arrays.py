"""Vectors in npy, npz, safetensors, HDF5 and FAISS files, and the neighbours of ann-benchmarks."""

import re
from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from dashboard.errors import DataError
from dashboard.plugins.importers.column_roles import name_version
from dashboard.plugins.importers.pieces import (
    Format,
    Items,
    Judgements,
    Pieces,
    Queries,
    Vectors,
    read_each,
    write_list,
)
from dashboard.plugins.importers.source import Source, find_folder_of, find_stem
from dashboard.storage.array_files import READERS, read_arrays
from dashboard.storage.media import EXTENSION
from dashboard.storage.new_versions import hold_only
from dashboard.storage.vector_ids import (
    IDS,
    TABLES,
    find_beside,
    find_ids,
    list_texts,
    names_texts,
    read_beside,
)
from dashboard.tables import AnyArray, Names

ENDINGS = tuple(each for each in READERS if each != ".parquet")
SETS = ("train", "test", "neighbors")
"""Data sets of ann-benchmarks: items, queries, and the true neighbours of these."""
MAX_NEIGHBOURS = 10
MIN_KEYED = 5
"""Lists of fractions, each a vector by its key; fewer are something else."""
LABELLED = re.compile(r"(^|[\W_])(y|targets|labels?)([\W_](train|test|val|tr|te)\w*)?$", re.I)
"""Names of arrays of classes, which are no vectors."""
CODED = re.compile(
    r"((?P<model>.*)[\W_])?((?P<asks>q|query|te?st)|r|retrieval|db|database|gallery|trn|train)[\W_]*"
    r"((?P<labels>l|labels?|targets?)|b|codes?|hash(es)?|binary)",
    re.I,
)
"""Names of the four arrays of a hashing model: codes and labels of what is searched and asks."""
Part = tuple[bool, bool]
"""Whether such an array is of queries, and of labels."""


def recognise(source: Source) -> Names:
    """Return files of vectors, and the files of ids beside them; tables may say more than ids."""
    arrays, left = source.list_left(*ENDINGS), set(source.left)
    beside = {other for name in arrays for other in find_beside(name, left)}
    tables = {name for name in beside if name.endswith(TABLES) and not _is_list(source, name)}
    return [*arrays, *(beside - tables)]


def _is_list(source: Source, name: str) -> bool:
    """Return whether the first line of a table is that of ids alone, and says so."""
    first = source.read_head(name).split("\n")[0].strip()
    is_one = not re.search(r"[,;\t|]", first)
    return is_one and bool(IDS.search(first) or EXTENSION.search(first))


def read(source: Source, files: Names) -> Pieces:
    """Yield the vectors of each file in blocks, and labels that stand beside them."""
    there = {*files, *source.left}
    beside = {other for name in files for other in find_beside(name, files)}
    arrays = [name for name in files if name.lower().endswith(ENDINGS) and name not in beside]
    for (folder, model), coded in _find_coded(arrays).items():
        arrays = [name for name in arrays if name not in coded.values()]
        version = name_version(f"{folder}/{model}_0.npy")[0]
        made = partial(_read_coded, version=version, coded=coded, there=there)
        yield from read_each(made, source, [coded[False, False]])
    yield from read_each(partial(_read_file, there=there, arrays=arrays), source, arrays)


def _find_coded(names: Iterable[str]) -> dict[tuple[str, str], dict[Part, str]]:
    """Return the arrays of each hashing model all of whose four are there once, by its folder."""
    found: dict[tuple[str, str], list[tuple[Part, str]]] = {}
    for name in names:
        if match := CODED.fullmatch(find_stem(name)):
            part = bool(match["asks"]), bool(match["labels"])
            found.setdefault((find_folder_of(name), match["model"] or ""), []).append((part, name))
    return {key: dict(own) for key, own in found.items() if len(own) == len(dict(own)) == 4}


def _read_coded(
    source: Source, name: str, version: str, coded: Mapping[Part, str], there: Set[str]
) -> Pieces:
    """Yield codes and labels of a hashing model, whose rows are in one order.

    Args:
        source: Where they are.
        name: Their file, or the first one.
        version: Name of the version.
        coded: Their files, or their names in it.
        there: Files beside them, which may have ids.

    Raises:
        DataError: If labels are no classes, or not as many as codes.
    """
    files = {part: each if each in there else name for part, each in coded.items()}
    arrays = {e: read_arrays(source.find_path(e), e) for e in {*files.values()}}
    for asks in (False, True):
        file = files[asks, False]
        codes, labels = (
            arrays[files[part]].get(coded[part], arrays[files[part]].get(""))
            for part in ((asks, False), (asks, True))
        )
        is_flagged = labels.ndim == 2 and hold_only([labels], (-1, 0, 1))
        if len(codes) != len(labels) or labels.ndim > 1 and not is_flagged:
            told = f"codes of the shape {codes.shape} and labels of {labels.shape}"
            raise DataError(file, told, "as many of both; labels of 0 and 1, or one a row")
        ids = read_beside(source.root, file, len(codes), there, source.findings)
        ids = ids or [f"{'query' if asks else 'item'} {at}" for at in range(len(codes))]
        flags = ([f"label {at}" for at in np.flatnonzero(row > 0)] for row in labels[:])
        cells = list(map(write_list, flags)) if is_flagged else list_texts(labels)
        if asks:
            yield Queries(file, ids, {"text": ids, "labels": cells})
        else:
            yield Items(file, ids, {"labels": cells}, ["labels"])
        yield Vectors(file, version, "texts" if asks else "items", codes, ids)


def _read_file(source: Source, name: str, there: Set[str], arrays: Names) -> Pieces:
    found = read_arrays(source.find_path(name), name)
    if found.keys() >= set(SETS):
        yield from _read_sets(source, name, found)
        return
    for coded in _find_coded(found).values():
        yield from _read_coded(source, name, name_version(name)[0], coded, set())
        return
    lists = {key: each for key, each in found.items() if each.ndim == 1 and key}
    matrices = {
        key: each
        for key, each in found.items()
        if each.ndim > 1 and not LABELLED.search(key or find_stem(name))
    }
    if not matrices and len(lists) >= MIN_KEYED and lists[min(lists)].dtype.kind == "f":
        with suppress(ValueError):  # a vector an id, if all are as long
            matrices = {"": np.stack([*lists.values()])}
            lists = {"ids": np.array([*lists])}
    if not matrices:
        shapes = ", ".join(f"{key} {each.shape}".strip() for key, each in found.items())
        is_of_labels = any(LABELLED.search(key or find_stem(name)) for key in found)
        what = "labels alone" if is_of_labels else "no vectors"
        wanted = "an array (rows, dimension), of labels one beside codes, both of items and queries"
        do = "Write labels as a table with the columns item_id and label."
        raise DataError(name, f"{what} ({shapes})", wanted, do=do)
    for key, rows in matrices.items():
        version, side = name_version(name, key, [*arrays, *matrices])
        if getattr(getattr(rows, "index", None), "code_size", np.inf) < 4 * rows.shape[1]:
            wanted = "them as they were, as numpy.save writes them; read as the index gives them"
            source.say(name, "an index that rounds its vectors", wanted)
        ids = find_ids(lists, len(rows), side == "texts", len(matrices) == 1)
        if ids is None and len(matrices) == 1:
            ids = read_beside(source.root, name, len(rows), there, source.findings)
        if ids is not None and side == "items":
            cells = {key: list_texts(own) for key, own in lists.items() if _is_label(key, own, ids)}
            yield from [Items(name, ids, cells)] if cells else []
        yield Vectors(name, version, side, rows, ids)


def _is_label(key: str, cells: AnyArray, ids: Names) -> bool:
    """Return whether a list beside vectors describes them, and is not that of their ids."""
    is_other = IDS.search(key) or names_texts(key)
    is_column = len(cells) == len(ids) and cells.dtype.kind in "iuUSbO" and not is_other
    return is_column and list_texts(cells) != ids


def _read_sets(source: Source, name: str, arrays: Any) -> Pieces:
    """Yield the items, queries and true neighbours of ann-benchmarks."""
    if arrays["train"].ndim == 1:
        raise DataError(name, "sparse sets", "vectors, as of the distance angular")
    items, queries = ([f"{key} {at}" for at in range(len(arrays[key]))] for key in SETS[:2])
    yield Items(name, items)
    yield Queries(name, queries, {"text": queries})
    yield Vectors(name, "v1", "items", arrays["train"], items)
    yield Vectors(name, "v1", "texts", arrays["test"], queries)
    neighbours = arrays["neighbors"]
    measure = str(getattr(neighbours, "parent", neighbours).attrs.get("distance", "angular"))
    if measure not in ("angular", "cosine", "ip", "hamming"):
        wanted = "by the cosine, which orders results here"
        source.say(name, f"true neighbours by the distance {measure}", wanted)
    nearest = np.asarray(neighbours[:, :MAX_NEIGHBOURS]).tolist()
    pairs = [(row, at) for row, own in enumerate(nearest) for at in own if at >= 0]
    yield Judgements(name, [(queries[row], items[at], 1.0) for row, at in pairs])


FORMAT = Format("vectors", recognise, read)
