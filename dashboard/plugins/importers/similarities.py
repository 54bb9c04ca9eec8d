"""Matrices of similarities among arrays: the ids of their sides, and what tells them."""

import re

import numpy as np

from dashboard.errors import DataError, Unsure
from dashboard.plugins.importers.pieces import SIMILARITIES, list_options
from dashboard.plugins.importers.source import Source, find_stem
from dashboard.storage.new_versions import MATRIX
from dashboard.storage.vector_ids import (
    IDS,
    Arrays,
    Beside,
    list_texts,
    names_texts,
    refuse_distances,
)
from dashboard.tables import AnyArray, Names


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
    sides = {names_texts(key): list_texts(each) for key, each in lists.items() if IDS.search(key)}
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
