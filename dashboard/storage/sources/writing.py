"""A Content → the files of a collection. What is there stays as it is; new rows are added."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from dashboard.progress import report
from dashboard.storage.files.listings import elements
from dashboard.storage.files.table_files import OF_JUDGEMENTS, stored_as
from dashboard.storage.files.tables import read_frame
from dashboard.storage.files.toml_text import toml_value
from dashboard.storage.sources.content import Content, Rows
from dashboard.storage.sources.drafts import MEDIA, keep_only, link
from dashboard.storage.sources.listing import Listing
from dashboard.tables import DataError, Findings, counted, listed

SETTINGS = "collection.toml"
_SEPARATORS = (",", ";", "|")


@dataclass(eq=False)
class Written:
    """What was written: file → its rows; and sentences on what was not."""

    files: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def write_content(folder: Path, content: Content, listing: Listing) -> Written:
    """Write the tables, media, vectors and runs of a content into a collection's folder.

    Raises DataError for a table of the collection that cannot be read.
    """
    written = Written()
    is_new = not (folder / SETTINGS).exists()
    _write_settings(folder, content, written)
    for column, root in (("file", MEDIA[0]), ("poster", MEDIA[1])):
        names = [name for name in content.items[column] if name and not _is_remote(name)]
        if is_new and (folder / root).is_dir():  # of a call that was stopped
            keep_only(folder / root, {name: listing.path(name) for name in names})
        number = _write_media(folder / root, names, listing)
        if number or (is_new and names):
            written.files[f"{root}/"] = len(set(names)) if is_new else number
    _write_table(folder, "items", content.items, ["item_id"], written)
    _write_table(folder, "unified_annotation", _annotation(content), ["slice_id"], written)
    _write_table(folder, "queries", content.queries, ["query_id"], written)
    _write_table(folder, "qrels", content.qrels, ["query_id", "item_id"], written)
    for name, run in content.runs.items():
        _write_run(folder, name, run, written)
    for name, sides in content.vectors.items():
        _write_version(folder, name, sides, content, written)
    return written


def _write_settings(folder: Path, content: Content, written: Written) -> None:
    path = folder / SETTINGS
    if path.exists():
        return
    lines = [f"{key} = {toml_value(value)}\n" for key, value in content.settings.items()]
    path.write_text("".join(lines), encoding="utf-8")
    written.files[SETTINGS] = len(lines)


def _write_media(folder: Path, names: Sequence[str], listing: Listing) -> int:
    """Link or copy clips, pictures or posters that are not there yet; returns how many."""
    number, made = 0, set[Path]()
    for place, name in enumerate(names):
        target = folder / name
        if place % 1_000 == 0:
            report(f"take files into {folder.name}", place, len(names))
        if not target.exists():
            if target.parent not in made:
                target.parent.mkdir(parents=True, exist_ok=True)
                made.add(target.parent)
            link(listing.path(name), target)
            number += 1
    return number


def _is_remote(name: str) -> bool:
    return name.startswith(("http://", "https://", "s3://", "gs://"))


def _annotation(content: Content) -> pd.DataFrame:
    """The keywords as a table with a column for each group, several in a cell."""
    groups = list(dict.fromkeys(content.keywords["group"]))
    keywords = content.keywords.drop_duplicates()
    cells = keywords.groupby(["item_id", "group"], sort=False)["keyword"].agg(list)
    if cells.empty:
        return pd.DataFrame({"slice_id": pd.Series(dtype="str")})
    wide = cells.map(_cell).unstack("group").reindex(columns=groups)
    order = [item for item in content.items["item_id"] if item in wide.index]
    wide = wide.loc[order].fillna("").reset_index(names="slice_id")
    return wide.rename_axis(columns=None).astype("str")


def _cell(keywords: Sequence[str]) -> str:
    """Keywords in a cell: with commas, or as JSON where one holds a separator or looks like a
    list."""
    odd = any(
        any(mark in word for mark in _SEPARATORS) or word[:1] in "[({\"'" or elements(word)
        for word in keywords
    )
    return json.dumps(list(keywords), ensure_ascii=False) if odd else ", ".join(keywords)


def _write_table(
    folder: Path, stem: str, rows: pd.DataFrame, key: list[str], written: Written
) -> None:
    """Write a table, or add the rows that the collection's own does not have."""
    if rows.empty:
        return
    formats = (".csv", ".parquet", ".jsonl") if stem != "qrels" else OF_JUDGEMENTS
    path = stored_as(folder, stem, formats=formats)
    if path is None:
        _write_csv(folder / f"{stem}.csv", _filled_columns(rows, key))
        written.files[f"{stem}.csv"] = len(rows)
        return
    if path.suffix != ".csv":
        written.problems.append(f"{path.name} stays as it is: rows are added to CSV files only")
        return
    there = read_frame(path, key, path.name, Findings())
    if not set(key) <= set(there.columns):
        raise DataError(path.name, f"the columns {listed(there.columns)}", f"{' and '.join(key)}")
    known = pd.MultiIndex.from_frame(there[key])
    new = rows[~pd.MultiIndex.from_frame(rows[key]).isin(known)]
    _count_differences(there, rows, key, path.name, written)
    if len(new):
        joined = pd.concat([there, _filled_columns(new, key)], ignore_index=True).fillna("")
        _write_csv(path, joined)
        written.files[path.name] = len(new)


def _filled_columns(rows: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """The columns that hold something."""
    return rows[[c for c in rows.columns if c in key or (rows[c] != "").any()]]


def _count_differences(
    there: pd.DataFrame, rows: pd.DataFrame, key: list[str], name: str, written: Written
) -> None:
    """Say how many rows the collection has otherwise than the source; the collection's stay."""
    columns = [c for c in rows.columns if c in there.columns and c not in key]
    if not columns:
        return
    both = there[[*key, *columns]].merge(rows[[*key, *columns]], on=key, suffixes=("", " new"))
    differ = pd.Series(False, both.index)
    for column in columns:
        differ |= both[column] != both[f"{column} new"]
    if differ.any():
        some = listed(both.loc[differ, key[0]])
        written.problems.append(
            f"{name}: {counted(int(differ.sum()), 'row')} differ from the source ({some}); they "
            "stay as they are. Take them out of the file to have them written anew."
        )


def _write_csv(path: Path, rows: pd.DataFrame) -> None:
    text = io.StringIO()
    rows.to_csv(text, index=False, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    draft = path.with_name(f".{path.name}.new")
    draft.write_bytes(text.getvalue().encode("utf-8", "replace"))
    draft.replace(path)


def _write_run(folder: Path, name: str, run: pd.DataFrame, written: Written) -> None:
    (folder / "runs").mkdir(exist_ok=True)
    there = stored_as(folder / "runs", name, formats=(".csv", ".trec", ".parquet", ".txt", ".run"))
    if there is not None:
        return
    run.to_parquet(folder / "runs" / f"{name}.parquet", index=False)
    written.files[f"runs/{name}.parquet"] = len(run)


def _write_version(
    folder: Path, name: str, sides: dict[str, Rows], content: Content, written: Written
) -> None:
    place = folder / "models" / name
    known = {
        "items": content.items["item_id"].tolist(),
        "queries": content.queries["query_id"].tolist(),
    }
    for side, rows in sides.items():
        ids = rows.ids if rows.ids is not None else tuple(known[side][: len(rows.array)])
        target, names = place / f"{side}.npy", place / f"{side}.txt"
        shown = f"models/{name}/{side}.npy"
        if names.exists():
            older = names.read_text(encoding="utf-8").splitlines()
            if not _agrees(target, older, rows.array, ids):
                written.problems.append(
                    f"{shown}: the source has other vectors for the same ids; yours stay. Give the "
                    "file of the source another name to take it as a new version."
                )
                continue
            if set(ids) <= set(older):
                continue
        place.mkdir(parents=True, exist_ok=True)
        draft = place / f".{side}.new.npy"
        np.save(draft, rows.array, allow_pickle=False)
        draft.replace(target)
        names.unlink(missing_ok=True)
        names.write_text("".join(f"{each}\n" for each in ids), encoding="utf-8")
        written.files[shown] = len(ids)
    if place.exists() and not (place / "model.toml").exists():
        (place / "model.toml").write_text("", encoding="utf-8")


def _agrees(path: Path, older: Sequence[str], array: np.ndarray, ids: Sequence[str]) -> bool:
    """Whether vectors in a file are those of the source for the same ids."""
    stored = np.load(path, mmap_mode="r", allow_pickle=False)
    places = {each: place for place, each in enumerate(ids)}
    if len(stored) != len(older) or stored.shape[1] != array.shape[1]:
        return False
    return all(
        each not in places or np.array_equal(stored[row], array[places[each]])
        for row, each in enumerate(older)
    )
