"""A collection's folder: tables, settings, versions, licences and pictures as plain files."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from networks_build.exported import PictureSide, picture_table, write_side

DATE = "2026-11-21"
LICENCES = Path(__file__).parent / "licences"
ENCODED = {"encoder": "minilm+projection", "text_model": "all-MiniLM-L6-v2"}
"""A version with the language model and a stored projection: any text can be asked."""


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV text with plain line ends."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def toml(values: Mapping[str, Any]) -> str:
    """Settings as TOML: texts, numbers and lists of them.

    >>> print(toml({"title": 'A "b"', "cutoffs": [1, 5]}), end="")
    # Made by openmoji_build/build.py.
    title = "A \\"b\\""
    cutoffs = [1, 5]
    """
    lines = [f"{key} = {_written(value)}" for key, value in values.items()]
    return "\n".join(["# Made by openmoji_build/build.py.", *lines, ""])


def _written(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return str(value)


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write text files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def write_version(
    folder: Path,
    name: str,
    note: str,
    vectors: Mapping[str, tuple[Sequence[str], np.ndarray]],
    settings: Mapping[str, Any] | None = None,
    picture: PictureSide | None = None,
    **more: np.ndarray,
) -> None:
    """Write a version: `vectors` names ids and rows of items and queries; `more` further arrays.

    `picture` is how it sees a picture that is uploaded; None: it sees none.
    """
    place = folder / "models" / name
    about = {
        "name": name,
        "encoder": "none",
        **(settings or {}),
        "dimension": vectors["items"][1].shape[1],
        "date": DATE,
        "note": note,
    }
    place.mkdir(parents=True, exist_ok=True)
    table = picture_table(write_side(picture, place)) if picture else ""
    write_texts(place, {"model.toml": toml(about) + table})
    for stem, (ids, rows) in vectors.items():
        (place / f"{stem}.txt").write_text("\n".join(ids) + "\n", encoding="utf-8")
        np.save(place / f"{stem}.npy", np.ascontiguousarray(rows))
    for stem, array in more.items():
        np.save(place / f"{stem}.npy", np.ascontiguousarray(array))


def copy_pictures(source: Path, names: Iterable[str], folder: Path) -> None:
    """The pictures of so many drawings, and no others, in the collection's media folder.

    Collections that show the same drawing hold the same bytes, so that git stores them once.
    """
    media = folder / "media"
    shutil.rmtree(media, ignore_errors=True)
    media.mkdir(parents=True)
    for name in names:
        shutil.copyfile(source / f"{name}.webp", media / f"{name}.webp")


def copy_licences(folder: Path, names: Iterable[str]) -> None:
    """Licences and attributions beside what they are for."""
    for name in names:
        shutil.copyfile(LICENCES / name, folder / name.removeprefix("DIGITS_"))
