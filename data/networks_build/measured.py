"""What the picture sides are worth: python data/networks_build/measured.py (onnxruntime, Pillow).

Each picture of a gallery is taken for an upload, and the vector or code that a version gives it is
compared with the committed ones. For clips the poster is taken: one still of 48.
"""

from __future__ import annotations

import csv
import hashlib
import tomllib
from functools import cache
from pathlib import Path

import numpy as np
import onnxruntime
from PIL import Image

DATA = Path(__file__).resolve().parents[1]
FIRST = (1, 5, 10)


@cache
def session(path: Path) -> onnxruntime.InferenceSession:
    """A network, loaded once."""
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def run(path: Path, values: np.ndarray) -> np.ndarray:
    """The first output of a network."""
    network = session(path)
    return network.run(None, {network.get_inputs()[0].name: values})[0]


def laid_out(picture: Path, table: dict) -> np.ndarray:
    """A picture as a version's first network takes it: float32 [1, colours, height, width]."""
    with Image.open(picture) as opened:
        how = Image.Resampling[table["resample"].upper()]
        small = opened.convert(table["colours"]).resize(tuple(table["size"]), how)
    values = np.atleast_3d(np.asarray(small, np.float32))
    scaled = (values - np.float32(table["mean"])) / np.float32(table["spread"])
    return np.ascontiguousarray(scaled.transpose(2, 0, 1)[None])


def table_of(version: Path) -> dict:
    """A version's table `[picture]`; empty: it sees none."""
    return tomllib.loads((version / "model.toml").read_text(encoding="utf-8")).get("picture", {})


def seen(version: Path, picture: Path) -> np.ndarray:
    """A version's vector of a picture, or the numbers whose signs are its code."""
    table = table_of(version)
    values = laid_out(picture, table)
    if "before" in table:
        values = shared(version.parents[1] / "networks" / table["before"], values)
    return run(version / table["network"], values).ravel()


KEPT: dict[tuple[str, bytes], np.ndarray] = {}


def shared(network: Path, values: np.ndarray) -> np.ndarray:
    """What a shared network makes of a picture: the same for all versions and collections."""
    key = network.name, hashlib.sha256(values).digest()
    if key not in KEPT:
        KEPT[key] = run(network, values)
    return KEPT[key]


def pictures(collection: Path) -> dict[str, Path]:
    """The picture of each item that is one or has a poster."""
    with (collection / "items.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        row["item_id"]: collection / ("posters" if row["poster"] else "media") / name
        for row in rows
        if (name := row["poster"] or row["file"])
    }


def stored(version: Path, wanted: dict[str, Path]) -> np.ndarray:
    """The committed rows of these items, in their order."""
    ids = (version / "items.txt").read_text(encoding="utf-8").split()
    rows = dict(zip(ids, np.load(version / "items.npy"), strict=True))
    return np.stack([rows[name] for name in wanted])


def unit(rows: np.ndarray) -> np.ndarray:
    """Rows of length 1, float64."""
    wide = rows.astype(np.float64)
    return wide / np.linalg.norm(wide, axis=1, keepdims=True)


def compared(version: Path) -> dict[str, float]:
    """How far what a version sees in each item's picture is from what is committed.

    same: the share of pictures whose code is the item's, or whose cosine with it is .999 or more.
    least, median: of the cosines; for codes of the shares of equal bits. first N: the share of
    pictures with fewer than N other items nearer than their own.
    """
    wanted = pictures(version.parents[1])
    mine = np.stack([seen(version, picture) for picture in wanted.values()])
    theirs = stored(version, wanted)
    codes = theirs.dtype == np.int8
    if codes:
        mine = np.where(mine >= 0, 1, -1)
    alike = unit(mine) @ unit(theirs).T
    own = np.diag(alike)
    near = (1 + own) / 2 if codes else own
    nearer = (alike > own[:, None] + 1e-9).sum(axis=1)
    return {
        "same": (near > (1 - 1e-9 if codes else 0.999)).mean(),
        "least": near.min(),
        "median": np.median(near),
        **{f"first {depth}": (nearer < depth).mean() for depth in FIRST},
    }


def main() -> None:
    """Print a table for every collection whose versions see pictures."""
    print("| collection | version | same | least | median | first 1 | first 5 | first 10 |")
    print("| --- " * 8 + "|")
    for models in sorted(DATA.glob("*/models")):
        versions = [one for one in sorted(models.iterdir()) if table_of(one)]
        for version in versions:
            figures = compared(version)
            shown = " | ".join(f"{value:.3f}" for value in figures.values())
            print(f"| {models.parent.name} | {version.name} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
