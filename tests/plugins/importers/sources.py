"""Small sources made in code, and what `init` makes of them."""

import csv
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image
from pyarrow import parquet

from dashboard.__main__ import main
from tests.plugins.worlds import call

Files = dict[str, Any]


def make_picture(shade: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (4, 3), (shade, 0, 0)).save(file, "PNG")
    return file.getvalue()


def make_source(folder: Path, files: Files) -> Path:
    """Write files: texts, bytes, arrays, tables, and values of JSON; 1 to 9 is a picture."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, int):
            path.write_bytes(make_picture(content))
        elif isinstance(content, str):
            path.write_text(content)
        elif isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, np.ndarray):
            np.save(path, content)
        elif isinstance(content, pa.Table) and name.endswith(".arrow"):
            with pa.OSFile(str(path), "wb") as out, pa.ipc.new_stream(out, content.schema) as made:
                made.write_table(content)
        elif isinstance(content, pa.Table):
            parquet.write_table(content, path)
        elif isinstance(content, Callable):
            content(path)
        else:
            path.write_text(json.dumps(content))
    return folder


def read_rows(folder: Path, name: str, columns: str) -> list[str]:
    """Return some columns of a CSV file, cells joined by a bar."""
    if not (folder / name).is_file():
        return []
    with (folder / name).open(newline="") as file:
        return ["|".join(row[c] for c in columns.split()) for row in csv.DictReader(file)]


def write_tar(members: dict[str, bytes], mode: Any = "w") -> Any:
    def write(path: Path) -> None:
        with tarfile.open(path, mode) as archive:
            for name, content in members.items():
                told = tarfile.TarInfo(name)
                told.size = len(content)
                archive.addfile(told, io.BytesIO(content))

    return write


class Answer:
    """What a call of `init` returned, and what it made."""

    def __init__(self, code: int, rows: list[dict], said: str, folder: Path) -> None:
        self.code, self.rows, self.said, self.folder = code, rows, said, folder
        told = [line for line in said.splitlines() if not line.startswith("  ")]
        self.block = told[-4:-1]
        self.address = said.splitlines()[-1] if said else ""
        self.lines = [line.strip() for line in said.splitlines() if line.startswith("  python")]

    def read(self, name: str, columns: str) -> list[str]:
        return read_rows(self.folder, name, columns)


def init(source: Path, *options: str) -> Answer:
    """Run `init` into the collection `made` of the data folder beside the source."""
    code, rows, said = call("init", "made", "--from", source, *options)
    return Answer(code, rows, said, source.parent / "data" / "made")


def measure(metrics: str, *options: str) -> dict[str, float]:
    """Return the means of `made`, by version and metric."""
    _, rows, _ = call("measure", "made", "--metrics", metrics, *options)
    return {f"{row['run']} {row['metric']}@{row['cutoff']}": row["mean"] for row in rows}


Case = tuple[Files, list[str], dict[tuple[str, str], list[str]], dict[str, float]]
"""Files, options, rows of tables of the collection, and measured values."""


def check_case(case: Case, source: Path) -> None:
    """Check what `init` makes of a case, and that `check` accepts it."""
    files, options, expected, values = case
    made = init(make_source(source, files), *options)
    assert made.code == 0, made.said
    for (file, columns), rows in expected.items():
        assert made.read(file, columns) == rows, made.said
    if values:
        metrics = " ".join(dict.fromkeys(k.split()[1].removesuffix("@None") for k in values))
        assert measure(metrics) == {k: pytest.approx(v) for k, v in values.items()}
    assert main(["check", "made"]) == 0
    assert [line.split(":")[0] for line in made.block] == ["Relevant", "Items", "Versions"]
    assert all((made.folder / row["file"].rstrip("/")).exists() for row in made.rows)
