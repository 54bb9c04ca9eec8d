"""The side of a version that sees pictures: networks as ONNX files, and how a picture is laid out
for them. `model.toml` says it in its table `picture`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from dashboard.storage.collection import digests
from dashboard.storage.collection.settings import Setting, checked
from dashboard.tables import DataError, Findings

NETWORKS = "networks"
"""The folder of a collection with the networks that its versions share."""
LARGEST = 2_000_000_000  # bytes of a network
LARGEST_SIDE = 4_096  # pixels
Encoder = Literal["onnx", "sentence-transformers", "http"]
Resample = Literal["nearest", "bilinear", "bicubic", "lanczos"]
Fit = Literal["stretch", "crop"]
Colours = Literal["RGB", "L"]
PICTURE_SETTINGS = {
    "encoder": Setting(
        "onnx",
        "onnx; sentence-transformers: text_model/ sees pictures too; http: so does the endpoint",
    ),
    "network": Setting("picture.onnx", "file of the version's own network"),
    "before": Setting("", "file in networks/ of a shared network that runs first", "none"),
    "size": Setting([0], "width and height in pixels, such as [224, 224]", "none: it is needed"),
    "resample": Setting("bilinear", ", ".join(get_args(Resample))),
    "fit": Setting("stretch", "stretch to the size, or crop its middle"),
    "colours": Setting("RGB", "RGB, or L for grey"),
    "background": Setting(255, "grey behind transparent pictures, from 0 to 255"),
    "mean": Setting(0.0, "taken from each value of 0 to 255; one number, or one a colour"),
    "spread": Setting(255.0, "what the rest is divided by; one number, or one a colour"),
}
SCALES = {key: PICTURE_SETTINGS[key].default for key in ("mean", "spread")}
TABLE = {key: each.default for key, each in PICTURE_SETTINGS.items() if key not in SCALES}
"""A number for each colour, or one for all."""


@dataclass(frozen=True)
class PictureSide:
    """How a version turns a picture into a vector.

    networks: ONNX files that are run one after the other; the first takes float32 [1, colours,
    height, width], (value - mean) ÷ spread of values from 0 to 255. None with the encoder
    sentence-transformers, which lays pictures out itself. size: width and height in pixels. fit:
    stretched to the size, or its middle cut out. background: the grey behind transparent pictures.
    digest: of the networks and of all this.
    """

    encoder: Encoder
    networks: tuple[Path, ...]
    size: tuple[int, int]
    resample: Resample
    fit: Fit
    colours: Colours
    mean: tuple[float, ...]
    spread: tuple[float, ...]
    background: int
    digest: str


def read_side(
    folder: Path, table: Mapping[str, Any], name: str, findings: Findings
) -> PictureSide | None:
    """The picture side of the version in `folder` by the table `picture` of its `model.toml`
    (`name`); None for an empty table.

    Raises DataError where a value cannot be used or a network is not there.
    """
    if not table:
        return None
    plain = {key: value for key, value in table.items() if key not in SCALES}
    values = checked(plain, TABLE, f"{name} [picture]", findings)
    for key, kind in (
        ("encoder", Encoder),
        ("resample", Resample),
        ("fit", Fit),
        ("colours", Colours),
    ):
        _one_of(key, values[key], get_args(kind), name)
    scales = {key: _scale(key, table, values["colours"], name) for key in SCALES}
    alone = values["encoder"] != "onnx"
    networks = () if alone else _networks(folder, values, name)
    seen = [digests.of_file_once(path) for path in networks]
    return PictureSide(
        values["encoder"],
        networks,
        (1, 1) if alone else _size(values["size"], name),
        values["resample"],
        values["fit"],
        values["colours"],
        scales["mean"],
        scales["spread"],
        _grey(values["background"], name),
        digests.of_values(values, scales, seen),
    )


def _one_of(key: str, value: str, known: tuple[str, ...], name: str) -> None:
    if value not in known:
        raise DataError(name, f"picture.{key} = {value[:80]!r}", f"one of {', '.join(known)}")


def _size(value: list[int], name: str) -> tuple[int, int]:
    if len(value) != 2 or not all(0 < side <= LARGEST_SIDE for side in value):
        wanted = f"width and height in pixels, 1 to {LARGEST_SIDE:,}, such as [224, 224]"
        raise DataError(name, f"picture.size = {value[:9]}", wanted)
    return value[0], value[1]


def _grey(value: int, name: str) -> int:
    if not 0 <= value <= 255:
        raise DataError(name, f"picture.background = {value}", "a whole number from 0 to 255")
    return value


def _scale(key: str, table: Mapping[str, Any], colours: str, name: str) -> tuple[float, ...]:
    value = table.get(key, SCALES[key])
    several = value if isinstance(value, list) else [value]
    numbers = [x for x in several if isinstance(x, int | float) and not isinstance(x, bool)]
    usable = len(numbers) == len(several) and len(numbers) in (1, len(colours))
    if not usable or (key == "spread" and 0 in numbers):
        wanted = f"a number{' other than 0' * (key == 'spread')}, or one for each of {colours}"
        raise DataError(name, f"picture.{key} = {str(value)[:80]}", wanted)
    return tuple(map(float, numbers))


def _networks(folder: Path, values: Mapping[str, Any], name: str) -> tuple[Path, ...]:
    own = _network(folder, values["network"], f"{Path(name).parent.as_posix()}/", name)
    if not values["before"]:
        return (own,)
    shared = folder.parent.parent / NETWORKS
    return _network(shared, values["before"], f"{NETWORKS}/", name), own


def _network(folder: Path, file: str, shown: str, name: str) -> Path:
    """A network that lies in a folder itself, not elsewhere by a path or a link."""
    path = folder / file
    if not file or Path(file).name != file or not path.resolve().is_relative_to(folder.resolve()):
        raise DataError(name, f"a network {file[:80]!r}", f"the name of a file in {shown}")
    if not path.is_file():
        raise DataError(f"{shown}{file}", "no such file", f"an ONNX network, as {name} says")
    if path.stat().st_size > LARGEST:
        found = f"{path.stat().st_size:,} bytes"
        raise DataError(f"{shown}{file}", found, f"at most {LARGEST:,} bytes")
    return path
