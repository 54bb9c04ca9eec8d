"""Folders that clip-retrieval writes: row i of `img_emb/img_emb_N.npy` and of
`text_emb/text_emb_N.npy` is row i of `metadata/metadata_N.parquet`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.storage.sources.listing import Listing
from dashboard.storage.sources.tables import SourceTable, read_source_table
from dashboard.storage.vectors.vectors import read_matrix
from dashboard.tables import DataError, counted

VERSION = "clip_retrieval"
_PART = re.compile(r"((?:.*/)?)(img_emb|text_emb|metadata)/\2_([0-9]{1,9})\.(?:npy|parquet)")


@dataclass(frozen=True)
class Shards:
    """The shards below one folder: number → file, of the metadata and of each kind of vectors."""

    folder: str
    metadata: dict[int, str]
    vectors: dict[str, dict[int, str]]

    @property
    def version(self) -> str:
        """The version that the vectors are of: the folder's name, at the top the tool's."""
        return re.sub(r"[^\w.+@-]+", "_", self.folder.rpartition("/")[2])[:80] or VERSION

    def files(self) -> list[str]:
        """All files of the shards."""
        return [name for part in (self.metadata, *self.vectors.values()) for name in part.values()]


def shards_in(files: Sequence[str]) -> list[Shards]:
    """The folders with vectors and metadata in shards among some files of a source."""
    found: dict[str, Shards] = {}
    for name in files:
        if match := _PART.fullmatch(name):
            folder, kind, number = match[1].rstrip("/"), match[2], int(match[3])
            if (kind == "metadata") == name.endswith(".parquet"):
                own = found.setdefault(folder, Shards(folder, {}, {}))
                part = own.metadata if kind == "metadata" else own.vectors.setdefault(kind, {})
                part[number] = name
    return [each for each in found.values() if each.metadata and each.vectors]


def read_shards(
    listing: Listing, shards: Shards
) -> tuple[SourceTable, dict[str, npt.NDArray[Any]]]:
    """The metadata of all shards as one table, and the vectors of its rows: of `img_emb`, of
    `text_emb`. Raises DataError for a shard of which a file or a row is missing."""
    numbers = sorted({*shards.metadata, *(n for part in shards.vectors.values() for n in part)})
    tables: list[pd.DataFrame] = []
    arrays: dict[str, list[npt.NDArray[Any]]] = {kind: [] for kind in shards.vectors}
    for number in numbers:
        there = {"metadata": shards.metadata, **shards.vectors}
        name = next(part[number] for part in there.values() if number in part)
        for kind, part in there.items():
            if number not in part:
                other = next(iter(part.values()))
                raise DataError(
                    name,
                    f"no file of shard {number} beside {other}",
                    "the metadata and the vectors of each shard",
                    cure=f"Bring that file of {kind}/, or take shard {number} out.",
                )
        tables.append(read_source_table(listing, shards.metadata[number]).cells)
        for kind, part in shards.vectors.items():
            array = read_matrix(listing.path(part[number]), part[number])
            rows = counted(len(tables[-1]), "row")
            if len(array) != len(tables[-1]):
                raise DataError(
                    part[number],
                    f"{counted(len(array), 'vector')} for {rows} of {shards.metadata[number]}",
                    "a vector for each row",
                    cure=f"Write shard {number} anew, or take its files out.",
                )
            if arrays[kind] and array.shape[1] != arrays[kind][0].shape[1]:
                raise DataError(
                    part[number],
                    f"vectors of {array.shape[1]:,} numbers",
                    f"{arrays[kind][0].shape[1]:,} as in {part[numbers[0]]}",
                )
            arrays[kind].append(array)
    cells = pd.concat(tables, ignore_index=True).fillna("")
    cells.index += 1
    name = f"{shards.folder}/metadata".lstrip("/")
    return SourceTable(name, cells, {}), {k: np.concatenate(each) for k, each in arrays.items()}
