"""Runs language models in a process of its own, which `language_models` starts: their libraries
take half a gigabyte and seconds to import, and what a stranger's model does to memory and time, it
does here."""

from __future__ import annotations

import contextlib
import json
import os
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from dashboard.storage.sandbox import child
from dashboard.storage.sandbox.child import Refused, Values, failure, limit_memory

ALL_POWER = "LANGUAGE_MODELS_USE_ALL_POWER"
"""A variable of the environment of the processes that embed whole collections."""
MOST = 4
"""At most so many language models stay loaded; each takes some hundred megabytes."""


class Backend(Protocol):
    """The interface of KeyBERT's embedding models."""

    embedding_model: Any

    def embed(self, documents: list[str]) -> npt.NDArray[np.float32]:
        """Vectors [document, dimension]."""


_loaded: OrderedDict[tuple[str, str], Backend] = OrderedDict()  # in order of use, the last one last


def answer(values: Values, content: bytes, begun: Callable[[], None]) -> tuple[Values, bytes]:
    """The vectors of the texts in `content`, or of the pictures in it; none where the model is only
    to be loaded."""
    model = backend(values["folder"], values["state"], values["room"])
    begun()
    _limit(values["room"])
    vectors: Any = np.empty((0, 0))
    try:
        if values["what"] == "texts":
            texts, prompt = json.loads(content), values["prompt"]
            vectors = (
                model.embedding_model.encode(texts, prompt=prompt, show_progress_bar=False)
                if prompt
                else model.embed(texts)
            )
        elif values["what"] == "pictures":
            vectors = _seen(model, values["pixels"], content)
    except (MemoryError, RuntimeError) as error:
        raise Refused(failure("not run", error), error) from error
    array = np.ascontiguousarray(vectors, dtype="float32")
    return {"shape": array.shape}, array.tobytes()


def _seen(model: Backend, sizes: list[tuple[int, int]], content: bytes) -> Any:
    from PIL import Image

    pictures, start = [], 0
    for width, height in sizes:
        pixels = content[start : start + 3 * width * height]
        pictures.append(Image.frombytes("RGB", (width, height), pixels))
        start += 3 * width * height
    try:
        return model.embedding_model.encode(pictures, show_progress_bar=False)
    except (TypeError, ValueError, AttributeError, KeyError, RuntimeError) as error:
        raise Refused(failure("blind", error), error) from error


def backend(folder: str, state: str, room: int) -> Backend:
    """KeyBERT's embedding model over sentence-transformers, loaded once for each state of a folder.

    Few stay loaded; the least recently used one is dropped.
    """
    key = (folder, state)
    if key not in _loaded:
        model = _load(Path(folder), room)
        for old in [each for each in _loaded if each[0] == folder]:
            del _loaded[old]
        while len(_loaded) >= MOST:
            _loaded.popitem(last=False)
        _loaded[key] = model
    _loaded.move_to_end(key)
    return _loaded[key]


def _load(folder: Path, room: int) -> Backend:
    weights = [path.stat().st_size for path in folder.rglob("*.safetensors")]
    if not weights:
        raise Refused("no weights")
    try:
        import torch
        from keybert import KeyBERT  # type: ignore[import-untyped]
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as loading
    except ImportError as error:
        raise Refused("package", error.name) from error

    loading.disable_progress_bar()
    device = _device()
    torch.set_num_threads(1 if device == "cpu" else os.cpu_count() or 1)
    _limit(3 * sum(weights) + room)
    try:
        sentences = SentenceTransformer(
            str(folder),
            device="cpu" if device == "cpus" else device,
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
    except Exception as error:  # the libraries raise many kinds of errors for foreign files
        why = f"{type(error).__name__}: {error}"
        raise Refused(failure("not loaded", error), why) from error
    _fill_up_texts(sentences)
    model: Backend = KeyBERT(model=sentences).model
    return model


def _fill_up_texts(sentences: Any) -> None:
    """Let a SigLIP model see each text filled up to its full length, as it was trained: it has no
    mask, so that a text's vector would else depend on the longest text of its batch."""
    first = sentences[0]
    config: Any = getattr(getattr(first, "model", None), "config", None)
    if not str(getattr(config, "model_type", "")).startswith("siglip"):
        return
    how = {"padding": "max_length", "max_length": config.text_config.max_position_embeddings}
    own = first.processing_kwargs
    first.processing_kwargs = {**own, "text": {**how, "truncation": True, **own.get("text", {})}}


def _device() -> str:
    """Where models run: "cpu" on one thread, for the app; with ALL_POWER in the environment "cpus",
    all of them, or a GPU."""
    if not os.environ.get(ALL_POWER):
        return "cpu"
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpus"


def _limit(room: int) -> None:
    """Limit the memory that this process takes beside what it has; none where a GPU's driver, which
    maps all of its memory, needs more."""
    if _device().startswith("cpu"):
        limit_memory(room)


def _import() -> None:
    with contextlib.suppress(ImportError):  # said where a model is to be loaded
        import keybert  # noqa: F401
        import sentence_transformers  # noqa: F401


if __name__ == "__main__":
    child.main(answer, _import)
