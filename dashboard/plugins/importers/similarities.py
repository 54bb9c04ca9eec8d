"""Matrices of similarities, as arrays and tables: the ids of their sides, and what tells them."""

import re
from functools import partial

import numpy as np

from dashboard.errors import DataError, Unsure
from dashboard.plugins.importers.naming import name_version
from dashboard.plugins.importers.pieces import (
    MIN_WIDE,
    SIMILARITIES,
    Format,
    Pieces,
    Vectors,
    list_options,
    read_each,
)
from dashboard.plugins.importers.source import Source, find_folder_of, find_stem
from dashboard.storage.array_files import read_id_file
from dashboard.storage.new_versions import MATRIX
from dashboard.storage.vector_ids import (
    DISTANCES,
    IDS,
    Arrays,
    Beside,
    list_texts,
    names_texts,
    refuse_distances,
)
from dashboard.tables import AnyArray, Names

NAMED = re.compile(rf"(?<![^\W_])(sims?|similarit\w*)(?![^\W\d_])|{DISTANCES.pattern}", re.I)
OTHERS = re.compile("emb|feat|vec|model|code|hash", re.I)
"""Words in names of tables of similarities, and of others."""
FRACTIONS = re.compile(rf"([,\t][-+]?\d*[.]\d+(e-?\d+)?){{{MIN_WIDE},}}", re.I)
"""The numbers of a row of similarities in a table, behind its id."""


def recognise_tables(source: Source) -> Names:
    """Return tables called similarities whose rows are an id and many fractions."""
    return [
        name
        for name in source.list_headed(FRACTIONS.search, ".csv", ".tsv")
        if NAMED.search(find_stem(name)) and not OTHERS.search(find_stem(name))
    ]


def read_table(source: Source, name: str) -> Pieces:
    """Yield the similarities of a table with the ids of rows and columns, as pandas writes it."""
    import pandas as pd

    frame = pd.read_csv(source.find_path(name), sep=None, engine="python", converters={0: str})
    frame = frame.set_index(frame.columns[0])
    version, side = name_version(name)
    refuse_distances(find_stem(name), name)
    cells = frame.select_dtypes("number")
    yield Vectors(name, version, side, cells.to_numpy(), list(frame.index), list(cells.columns))


TABLES = Format("similarities", recognise_tables, partial(read_each, read_table))


def list_axes(name: str, there: Beside) -> Names:
    """Return the lists of ids in the folder of a file, if it is called similarities."""
    is_named = SIMILARITIES.search(find_stem(name))
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
    is_told = SIMILARITIES.search(told) and not re.search("emb|feat|vec", told, re.I)
    if not is_told or rows.shape != rows.shape[::-1]:
        return False
    refuse_distances(told, name)
    if not np.allclose(rows[:99], rows.T[:99]):
        if not (is_named and re.search("sim|logits", told, re.I)):
            return False
        do = f"Write them to {' and '.join(f'{find_stem(name)}{end}' for end in MATRIX[:2])}."
        raise DataError(name, "similarities with one list of ids", "those of both sides", do=do)
    if np.mean(np.diagonal(rows) >= np.max(rows, axis=1)) < 0.5:
        found = "similarities of items, or distances, whose diagonal is not the highest"
        do = "Type numpy.fill_diagonal(x, x.max()) before numpy.save, and of distances save -x."
        raise DataError(name, found, "the highest number of each item with itself", do=do)
    return True
