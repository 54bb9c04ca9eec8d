"""Vectors in npy, npz, safetensors, HDF5 and FAISS files, and the neighbours of ann-benchmarks."""

import re
from contextlib import suppress
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from dashboard.errors import DataError, list_names
from dashboard.plugins.importers.formats.tabular import number_rows
from dashboard.plugins.importers.json_rows import is_header
from dashboard.plugins.importers.naming import DATABASE, SIDES, name_version
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
from dashboard.plugins.importers.similarities import SIMILARITIES, find_axes, is_square, list_axes
from dashboard.plugins.importers.source import Columns, Source, find_folder_of, find_stem
from dashboard.storage.array_files import READERS, read_arrays, read_beside, read_id_file
from dashboard.storage.media import EXTENSION
from dashboard.storage.new_versions import hold_only
from dashboard.storage.vector_ids import (
    IDS,
    MIN_KEYED,
    TABLES,
    Arrays,
    Beside,
    find_beside,
    find_ids,
    join_keyed,
    list_beside,
    list_ids,
    list_texts,
    list_words,
    names_texts,
)
from dashboard.storage.vector_ids import LABELS as WORDS
from dashboard.tables import AnyArray, Names, Texts

ENDINGS = tuple(each for each in READERS if each != ".parquet")
SETS = ("train", "test", "neighbors")
"""Data sets of ann-benchmarks: items, queries, and the true neighbours of these."""
MAX_NEIGHBOURS = 10
LISTS = (".txt", ".csv", ".tsv", ".json")
ENDING = f"(|{'|'.join(map(re.escape, (*ENDINGS, *LISTS)))})$"
CODES = re.compile(rf"(^|[\W_])(?:codes?|hash(?:es)?|binary|(?-i:B)){ENDING}", re.I)
CLASSED = (
    "targets?|labels?|gt|pids?|(?:class|category|identity)(?:_?ids?)?|classes|categories|identities"
)
LABELS = re.compile(
    rf"(^|[\W_])(?:y|(?-i:L)|{CLASSED})(?:[\W_](?:train|test|val|tr|te)\w*)?{ENDING}", re.I
)
"""The ends of names of arrays, or files of one, of codes and of classes, which are no vectors."""
AUXILIARY = re.compile(
    r"(^|[\W_])(confusion|tsne|umap|history|logits|centers|centroids|optimizer)([\W_]|$)|"
    r"^(bbox|box|keypoint|prob)(e?s)?$|(^|/)(pytorch_)?model[.]safetensors$",
    re.I,
)
"""Names of arrays beside embeddings that are none; and the weights of a model."""
OF_SIDE = re.compile(rf"(?<![^\W_])(?<!is_)({SIDES}|[qg]f?)(?:[\W_]|$)", re.I)
ASKING = re.compile(r"^(probe|predicted|composed)(?=[\W_]|$)", re.I)
"""What asks by another name, the last ones as features of a picture and a text beside an index."""
SPLIT = re.compile(r"(?:^|[\W_])(train|trn?|te?st|te|val)(?![^\W_])", re.I)
"""Words in names of arrays of parts: of one that asks, and of data to train and to test."""
TRAINING = re.compile("(?<![a-z])(?<!pre-)(train|trn)(?![a-z])")


def recognise(source: Source) -> Names:
    """Return files of vectors, and the files of ids beside them; tables may say more than ids."""
    arrays = source.list_left(*ENDINGS)
    arrays = [name for name in arrays if not AUXILIARY.search(name)] or arrays
    beside = _list_beside(arrays, list_beside(source.left))
    labels = {*_find_labels(source, arrays, source.list_left(*LISTS)).values()} - {*arrays}
    return [*arrays, *labels, *(name for name in beside if _is_list(source, name))]


def _list_beside(names: Names, there: Beside) -> set[str]:
    """Return the files that may hold ids of files of vectors; of texts, too, in one of several."""
    return {
        each
        for name in names
        for each in (*find_beside(name, there, not name.endswith(".npy")), *list_axes(name, there))
    }


def _is_list(source: Source, name: str) -> bool:
    """Return whether JSON holds ids alone, or the first line of a table says so; others do."""
    if not name.endswith((*TABLES, ".json")):
        return True
    with suppress(DataError):
        if name.endswith(".json"):
            return bool(IDS.search(find_stem(name)) or list_ids(source.read_json(name)))
    first = source.read_head(name).split("\n")[0]
    return not re.search(r"[,;\t|]", first) and bool(IDS.search(first) or EXTENSION.search(first))


def read(source: Source, files: Names) -> Pieces:
    """Yield the vectors of each file in blocks, and labels that stand beside them."""
    there = list_beside([*files, *source.left])
    arrays = [name for name in files if name.lower().endswith(ENDINGS)]
    beside = _list_beside(arrays, there)
    arrays = _list_searched(source, "", [name for name in arrays if name not in beside])
    labels = _find_labels(source, arrays, [name for name in files if name.endswith(LISTS)])
    vectors = [name for name in arrays if name not in labels.values()]
    read_file = partial(_read_file, there=there, arrays=arrays, labels=labels)
    for folder, own in groupby(sorted(vectors, key=find_folder_of), find_folder_of):
        names = list(own)
        rows = _join_folder(source, names)
        if rows is None:
            yield from read_each(read_file, source, names)
        else:
            named = name_version(f"{folder}.npy")
            yield Vectors(names[0], *named, rows, list(map(find_stem, names)))


def _join_folder(source: Source, names: Names) -> AnyArray | None:
    """Return the vectors of a folder with a file for each item; None if it is another one."""
    rows = Arrays()
    for name in names:
        own = _read_first(source, name)
        if len(own) != 1 or own[0].shape[:-1] not in ((), (1,)):
            return None
        rows[name] = own[0]
    return join_keyed(rows).get("")


def _find_labels(source: Source, arrays: Names, lists: Names) -> Texts:
    """Return the file of classes of each file of vectors that has one in its folder.

    It is an array, or a list whose name has a word such as labels.
    """
    lists = [name for name in lists if not WORDS.isdisjoint(list_words(name))]
    if not any(map(LABELS.search, (*arrays, *lists))):
        return {}
    found = {name: _read_first(source, name) for name in (*arrays, *lists)}
    return _pair_labels({name: own[0] for name, own in found.items() if len(own) == 1})


def _pair_labels(found: Arrays) -> Texts:
    """Return the array of classes of each array that has one, its name in most words.

    It has as many rows, or a name of its own beside codes, and no word that the other lacks.

    >>> codes, labels = np.ones((2, 1)), np.array([[5], [6]])
    >>> _pair_labels({"x_codes": codes, "x_labels": labels, "z_B": codes, "vit_L": codes / 2})
    {'x_codes': 'x_labels'}
    """
    classes = {
        name: {*list_words(LABELS.sub("", find_stem(name)))} - {""}
        for name, own in found.items()
        if LABELS.search(name) and _holds_classes(own)
    }
    flat = {e for e in classes if found[e].size == len(found[e]) or hold_only([found[e]], (0, 1))}
    return {
        name: other
        for other, words in sorted(reversed(classes.items()), key=lambda each: len(each[1]))
        for name, rows in found.items()
        if name not in classes and find_folder_of(name) == find_folder_of(other)
        if words <= {*list_words(name)}
        if words and CODES.search(name) or other in flat and len(found[other]) == len(rows)
    }


def _read_first(source: Source, name: str) -> list[AnyArray]:
    """Return the arrays of a file, or the lines of a list; none of a damaged one."""
    path = source.find_path(name)
    with suppress(DataError):
        if name.lower().endswith(ENDINGS):
            return list(read_arrays(path, name).values())
        lines = read_id_file(path, name, 0, [])
        return [np.array(lines[is_header(lines[:1]) :])] if len({*lines}) < len(lines) else []
    return []


def _holds_classes(array: AnyArray) -> bool:
    """Return whether an array holds names or whole numbers alone; ViT-L is no label of ViT-B."""
    first = np.asarray(array[:9])
    return first.dtype.kind != "f" or bool((first == np.rint(first)).all())


def _list_classes(name: str, number: int, beside: str, labels: AnyArray) -> list[str]:
    """Return the cells of classes: a number or name a row, or a column of 0 and 1 a class.

    Raises:
        DataError: If the array has another number of vectors.
    """
    if len(labels) != number:
        told = f"{number:,} codes and {len(labels):,} labels in {beside}"
        raise DataError(name, told, "as many of both")
    if labels.size == len(labels):
        return list_texts(labels[:])
    return [write_list(f"label {at}" for at in np.flatnonzero(row)) for row in labels[:] > 0]


def _list_searched(source: Source, file: str, names: list[str]) -> list[str]:
    """Return names of arrays but those of a part to train, where others are of a database."""
    left = [name for name in names if TRAINING.search(find_stem(name.lower()))]
    rest = [name for name in names if name not in left]
    if not any(map(DATABASE.search, rest)):
        return names
    file = file or "".join(left[:1])
    source.count(file, left, "arrays of the part train", "others; left out", "note")
    return rest


def _open_file(source: Source, name: str) -> Arrays:
    """Return the arrays of a file that are read, those of one column flat; a byte may be a code."""
    found = {
        key: each[:].ravel() if each.shape[1:] == (1,) and each.dtype.kind != "u" else each
        for key, each in read_arrays(source.find_path(name), name).items()
    }
    wide = [key for key, each in found.items() if each.ndim > 1 and not LABELS.search(key)]
    apart = list(filter(AUXILIARY.search, wide))
    apart = apart if apart != wide else []
    source.count(name, apart, "arrays beside vectors", "names of embeddings; left out", "note")
    searched = [key for key, each in found.items() if key not in apart and each.ndim]
    kept = _list_searched(source, name, searched)
    is_sided = any(OF_SIDE.match(f"{key}_") for key in wide)
    return {ASKING.sub("query", key) if is_sided else key: found[key] for key in kept}


def _read_file(source: Source, name: str, there: Beside, arrays: Names, labels: Texts) -> Pieces:
    found = _open_file(source, name)
    if found.keys() >= set(SETS):
        yield from _read_sets(source, name, found)
        return
    lists, matrices = _part_arrays(name, found)
    labels = labels | {
        codes: other
        for codes, other in _pair_labels(found).items()
        if CODES.search(codes) or found[other].ndim > 1
    }
    for key, rows in matrices.items():
        own = key or name
        end = r"\1codes\2" if own in labels else r"\g<0>"
        named = CODES.sub(end, name), CODES.sub(end, key)
        version, side = name_version(*named, [*arrays, *matrices])
        if getattr(getattr(rows, "index", None), "code_size", np.inf) < 4 * rows.shape[1]:
            wanted = "them as they were, as numpy.save writes them; read as the index gives them"
            source.say(name, "an index that rounds its vectors", wanted)
        try:
            told = lists if any(map(SIMILARITIES.match, (*name.split("/"), key))) else {}
            axes = find_axes(source, name, rows.shape, told, there) if len(matrices) == 1 else None
            ids, is_pair = _find_ids(source, name, key, lists, matrices, there)
            is_open = not (axes or source.options.rows)
            of_items = is_open and is_square(name, key, rows, bool(ids))
        except DataError as error:
            source.leave_out(name, error)
            continue
        if axes:
            yield Vectors(name, version, side, rows, *axes, key=key)
            continue
        beside, asks = labels.get(own, ""), side == "texts"
        is_coded = bool(beside and CODES.search(own))
        is_named = is_coded or source.media or source.list_left(*TABLES)
        part = None if is_named else OF_SIDE.search(find_stem(beside or name))
        is_used = is_coded or beside and (part or not ids or beside in found)
        numbers = list(map(str, range(len(rows))))
        if is_used:
            kinds = found[beside] if key else _read_first(source, beside)[0]
            cells = {"labels": _list_classes(name, len(rows), beside, kinds)}
        else:
            cells = _list_cells(lists, ids or numbers, asks, len(matrices))
        if cells and not ids:
            source.counted[name] = 0  # another array of the same rows
            is_apart = is_coded or asks
            ids = None if is_apart else number_rows(source, name, len(rows), cells)
            if is_apart or part and not ids:
                ids = [f"{part[1] if part else find_stem(beside or own)} {at}" for at in numbers]
        if beside and not (is_used and ids):
            wanted = "a table of ids and classes, or query and gallery in the names; left out"
            source.say(beside, "classes alone", wanted)
        if ids and cells:
            own_labels = list(filter(LABELS.search, cells))
            yield (
                Queries(name, ids, cells | {"text": ids})
                if asks
                else Items(name, ids, cells, own_labels if len(own_labels) == 1 else ())
            )
        columns = (ids or numbers) if of_items else ()
        yield Vectors(name, version, side, rows, ids, columns, is_pair, key)


def _find_ids(
    source: Source, name: str, key: str, lists: Arrays, matrices: Arrays, there: Beside
) -> tuple[Names | None, bool]:
    """Return the ids of an array of a file, and whether they are those of a pair of it and a text.

    Of pictures and texts in pairs one list, in the file or beside it, is of both.
    """
    count, lengths = len(matrices[key]), list(map(len, matrices.values()))
    sides = {each: name_version(name, each)[1] for each in matrices}
    is_text, are_apart = sides[key] == "texts", len({*sides.values()}) == len(sides)
    is_pair = (
        are_apart
        and len({*lengths}) < len(sides)
        and len(list(filter(IDS.search, lists))) < 2
        and not any(map(names_texts, (*lists, *map(find_stem, there.lists))))
    )
    ids = find_ids(lists, count, is_text, is_pair or lengths.count(count) == 1)
    if ids is None and are_apart:
        ids = read_beside(
            source.root, name, count, is_text, there, source.findings, is_pair or len(sides) == 1
        )
    is_of_pictures = is_pair and is_text and bool(ids)
    is_repeated = is_of_pictures and len({*(ids or ())}) < count
    return (None, False) if is_repeated else (ids, is_of_pictures)


def _list_cells(lists: Arrays, ids: Names, asks: bool, number: int) -> Columns:
    """Return the lists that describe vectors, of queries classes alone, without "gallery_".

    Args:
        lists: The lists of their file.
        ids: Ids of the vectors, or their numbers.
        asks: Whether they are those of queries.
        number: How many arrays of vectors the file has.
    """
    return {
        OF_SIDE.sub("", key): list_texts(each)
        for key, each in lists.items()
        if len(each) == len(ids)
        and _holds_classes(each)
        and not IDS.search(key)
        and (asks == names_texts(key) or asks and number == 1)
        and (LABELS.search(key) or not asks and list_texts(each) != ids)
    }


def _part_arrays(name: str, found: Arrays) -> tuple[Arrays, Arrays]:
    """Return the lists of a file, and its vectors.

    Raises:
        DataError: If there are no vectors, or several of each item.
    """
    lists = {key: each for key, each in found.items() if each.ndim == 1}
    matrices = {
        key: each
        for key, each in found.items()
        if each.ndim > 1 and not (LABELS.search(key or name) and _holds_classes(each))
    }
    if not matrices:
        shapes = ", ".join(f"{key} {each.shape}".strip() for key, each in found.items())
        wanted = "an array (rows, dimension); labels stand beside codes of the same name"
        do = "Write labels as a table with the columns item_id and label."
        raise DataError(name, f"labels or lists alone ({shapes})", wanted, do=do)
    lengths, widths = ({each.shape[at] for each in matrices.values()} for at in (0, 1))
    is_of_clips = len(matrices) >= MIN_KEYED and len(lengths) > len(widths) == 1
    if is_of_clips or len(matrices) > 1 and lengths == {1}:  # frames, or a row an item
        do = (
            "Average them: numpy.savez('v1.npz', ids=[*file], x=[file[e][:].mean(0) for e in file])"
        )
        raise DataError(name, f"{len(matrices)} arrays of an item each", "one of all items", do=do)
    is_told = any(IDS.search(SPLIT.sub("", key)) for key in lists) and len(lengths) == len(matrices)
    sides = {(SPLIT.sub("", key), name_version(name, key, list(matrices))[1]) for key in matrices}
    if lists and not is_told and len(sides) < len(matrices):
        do = "Save one alone, as numpy.savez('v1.npz', x=X_test, label=y_test), or call both query "
        do += "and gallery: query_features, query_labels, gallery_features, gallery_labels."
        wanted = "one, or ids of each, and not as many of both"
        raise DataError(name, f"arrays of several parts ({list_names(matrices)})", wanted, do=do)
    return lists, matrices


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
    measure = getattr(neighbours, "parent", neighbours).attrs.get("distance", "angular")
    if measure not in ("angular", "cosine", "ip", "hamming"):
        wanted = "by the cosine, which orders results here"
        source.say(name, f"true neighbours by the distance {measure}", wanted)
    nearest = np.asarray(neighbours[:, :MAX_NEIGHBOURS]).tolist()
    told = zip(queries, nearest, strict=True)
    yield Judgements(name, [(e, items[at], 1.0) for e, own in told for at in own if at >= 0])


FORMAT = Format("vectors", recognise, read)
