"""Matrices of similarities, as arrays and tables: the ids of their sides, and what tells them."""

import re
from functools import partial
from io import StringIO

import numpy as np

from dashboard.errors import DataError, Unsure
from dashboard.plugins.importers.naming import name_version
from dashboard.plugins.importers.pieces import (
    MIN_WIDE,
    Format,
    Pieces,
    Vectors,
    list_options,
    read_each,
)
from dashboard.plugins.importers.source import Source, find_folder_of, find_stem
from dashboard.storage.array_files import read_id_file
from dashboard.storage.new_versions import MATRIX
from dashboard.storage.vector_ids import DISTANCES, IDS, Arrays, Beside, list_texts, names_texts
from dashboard.storage.vectors import check_ids
from dashboard.tables import AnyArray, Names

SIMILARITIES = re.compile(
    r"(?!.*(?<![^\W_])(emb(ed(ding)?)?s?|feat(ure)?s?|vec(tor)?s?|codes?|hash(es)?|confusion)"
    r"(?![^\W_])).*?(?<![^\W_])"
    rf"((?P<sure>sims?|similarit\w*|(?!cost){DISTANCES.pattern})|scores?|matrix|logits|costs?)"
    r"(?![^\W\d_])",
    re.I,
)
"""Names of files and arrays of similarities; a table has a sure one, as vectors have ids, too."""
FRACTIONS = re.compile(rf"([,\t][-+]?\d*[.]\d+(e-?\d+)?){{{MIN_WIDE},}}", re.I)
"""The numbers of a row of similarities in a table, behind its id."""


def recognise_tables(source: Source) -> Names:
    """Return tables called similarities whose rows are an id and many fractions."""
    return [
        name
        for name in source.list_headed(FRACTIONS.search, ".csv", ".tsv")
        if (told := SIMILARITIES.match(find_stem(name)))
        if told["sure"] and "model" not in name
    ]


def read_table(source: Source, name: str) -> Pieces:
    """Yield the similarities of a table with the ids of rows and columns, as pandas writes it."""
    import pandas as pd

    text = source.read_text(name)
    mark = max(",\t", key=text.partition("\n")[0].count)
    read = partial(pd.read_csv, sep=mark, header=None)
    rows = read(StringIO(text), skiprows=1, converters={0: str}).set_index(0)
    names = read(StringIO(text), nrows=1, dtype=str, keep_default_na=False)
    cells = rows.set_axis(names.iloc[0, -rows.shape[1] :], axis=1).select_dtypes("number")
    check_ids(list(cells), name)
    yield Vectors(name, *name_version(name), cells.to_numpy(), list(cells.index), list(cells))


TABLES = Format("similarities", recognise_tables, partial(read_each, read_table))


def list_axes(name: str, there: Beside) -> Names:
    """Return the lists of ids in the folder of a file, if it is called similarities."""
    is_named = SIMILARITIES.match(find_stem(name))
    return [e for e in there.lists if is_named and find_folder_of(e) == find_folder_of(name)]


def find_axes(
    source: Source, name: str, shape: tuple[int, ...], lists: Arrays, there: Beside
) -> tuple[Names, Names] | None:
    """Return the ids of the rows and of the columns of similarities; None for vectors.

    Raises:
        DataError: If files of ids have other numbers.
        Unsure: If either list of ids could be that of the rows, and the caller says nothing.
    """
    files = [re.sub(r"[.]\w+$", ending, name) for ending in MATRIX[:2]]
    if all(each in there.files for each in files):
        own, columns = (source.read_text(each).splitlines() for each in files)
        if (len(own), len(columns)) != shape:
            found = f"{shape}, with {len(own):,} ids of rows and {len(columns):,} of columns"
            raise DataError(name, found, "an id for each")
        return own, columns
    sides: dict[bool, Names] = {
        names_texts(key): list_texts(each) for key, each in lists.items() if IDS.search(key)
    }
    for each in () if sides else list_axes(name, there):
        ids = read_id_file(source.find_path(each), each, max(shape), [])
        sides |= {names_texts(find_stem(each)): ids} if len(ids) in shape else {}
    ways = {"item": (sides.get(False, ()), sides.get(True, ()))}
    ways["text"] = ways["item"][::-1]
    fits = {kind: axes for kind, axes in ways.items() if tuple(map(len, axes)) == shape}
    if source.options.rows:
        return fits.get(source.options.rows)
    if len(fits) > 1:
        told = f"a matrix of as many texts as items, {shape}"
        raise Unsure(name, told, "a statement of what its rows are", list_options("--rows", fits))
    return next(iter(fits.values()), None)


def is_square(name: str, key: str, rows: AnyArray, is_named: bool) -> bool:
    """Return whether an array says by its name and numbers that it holds similarities of items.

    Raises:
        DataError: If the highest ones are not those of each item with itself, as of distances, or
            if they have ids of one side (`is_named`) and are those of items and texts.
    """
    told = key or find_stem(name)
    if not SIMILARITIES.match(told) or rows.shape != rows.shape[::-1]:
        return False
    if not np.allclose(rows[:99], rows.T[:99]):
        if not (is_named and re.search("sim|logits", told, re.I)):
            return False
        do = f"Write them to {' and '.join(f'{find_stem(name)}{end}' for end in MATRIX[:2])}."
        raise DataError(name, "similarities with one list of ids", "those of both sides", do=do)
    best = np.min if DISTANCES.search(told) else np.max
    if np.mean(np.diagonal(rows) == best(rows, axis=1)) < 0.5:
        found = "similarities of items, or distances, whose diagonal is not the highest"
        do = "Type numpy.fill_diagonal(x, x.max()) before numpy.save, and call distances dist.npy."
        raise DataError(name, found, "the highest number of each item with itself", do=do)
    return True
