"""Runs the ONNX networks of collections. Their authors may be strangers: a network runs in a
process of its own, nothing beside the file is read, and neither memory nor time nor the size of an
answer is theirs to choose."""

from __future__ import annotations

import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dashboard.retrieval.encoders.network_child import POOLINGS
from dashboard.storage.collection import digests
from dashboard.storage.sandbox.pool import Pool, ProcessEnded, Refusal
from dashboard.tables import DataError

Numbers = npt.NDArray[Any]
PATIENCE = 20.0  # seconds to load a network, and to run it
ROOM = 500_000_000
"""Bytes that a network may take beside its own size: three times its file while it is loaded."""
LARGEST_ANSWER = 16_000_000  # numbers
AT_ONCE, MOST_TOKENS = 8, 8_192
"""Texts that a network gets at a time, and tokens of a text."""
_REMEMBERED = 16  # answers of networks that versions share
PROCESSES = Pool("dashboard.retrieval.encoders.network_child", 2)
"""So many networks run at the same time: one that takes all its time holds up no other."""
_NUMBERS = "fiub"
_LOG = logging.getLogger(__name__)


def answer_of(path: Path, shown: str, given: Numbers, *, kept: bool) -> Numbers:
    """The first output of the network in a file for an array.

    shown: how messages name the file. kept: whether the answer is remembered until another array is
    given, as versions ask a shared network for the same. Raises DataError where the network cannot
    be loaded or run, takes longer than PATIENCE or more memory than ROOM, or answers with anything
    but numbers, or too many.
    """
    digest = digests.of_file_once(path)
    if not kept:
        return _answer(path, digest, shown, given)
    known = _LAST.get(digest)
    if known is None or not np.array_equal(known[0], given):
        known = given, _answer(path, digest, shown, given)
        with _REMEMBERING:
            _LAST[digest] = known
            _LAST.move_to_end(digest)
            while len(_LAST) > _REMEMBERED:
                _LAST.popitem(last=False)
    return known[1]


_LAST: OrderedDict[str, tuple[Numbers, Numbers]] = OrderedDict()
_REMEMBERING = threading.Lock()


def text_vectors(
    path: Path,
    tokenizer: Path,
    shown: str,
    texts: Sequence[str],
    pooling: str,
    max_tokens: int,
) -> Numbers:
    """The vectors [text, dimension] that a network gives texts, by the tokenizer of a
    `tokenizer.json`.

    pooling: mean, first or last, of a network that answers a vector for each token; one that
    answers `sentence_embedding`, `text_embeds` or two dimensions pools itself. Raises DataError as
    `answer_of`.
    """
    if pooling not in POOLINGS:
        raise DataError(shown, f"pooling = {pooling[:80]!r}", f"one of {', '.join(POOLINGS)}")
    if not 0 < max_tokens <= MOST_TOKENS:
        wanted = f"a whole number from 1 to {MOST_TOKENS:,}"
        raise DataError(shown, f"max_tokens = {max_tokens}", wanted)
    digest = digests.of_file_once(path)
    values = {"tokenizer": str(tokenizer.resolve()), "pooling": pooling, "max_tokens": max_tokens}
    values["tokenizer_digest"] = digests.of_file_once(tokenizer)
    parts = [list(texts[start : start + AT_ONCE]) for start in range(0, len(texts), AT_ONCE)]
    found = [_of_texts(path, digest, shown, part, values) for part in parts]
    if not found:
        return np.empty((0, 0), "float32")
    return np.concatenate(found)


def _of_texts(
    path: Path, digest: str, shown: str, texts: list[str], values: dict[str, object]
) -> Numbers:
    content = json.dumps(texts).encode()
    found = _answer(path, digest, shown, content, values, ["texts", "tokens"])
    if found.ndim != 2 or len(found) != len(texts):
        raise DataError(shown, f"an answer of the shape {found.shape}", "a vector for each text")
    return found


def _answer(
    path: Path,
    digest: str,
    shown: str,
    given: Numbers | bytes,
    values: dict[str, object] | None = None,
    shape: Sequence[object] = (),
) -> Numbers:
    """What a network makes of an array, or of texts as JSON, which `values` says how to read."""
    if not isinstance(given, bytes):
        given = np.ascontiguousarray(given)
        values, shape = {"type": given.dtype.str, "shape": given.shape}, list(given.shape)
        given = given.tobytes()
    try:
        return _output(path, digest, given, values or {})
    except ProcessEnded as end:
        if end.late:
            found = f"a network that took longer than {PATIENCE:g} s"
            raise DataError(shown, found, "an answer within that time") from end
        found = "a network that ended the process that ran it"
        raise DataError(shown, found, f"one that takes less than {_room()} more memory") from end
    except Refusal as reason:
        if reason.kind in ("not loaded", "not run", "memory"):
            _LOG.warning("%s: %.500r", shown, reason.why)
        raise _refusal(shown, reason, shape) from reason


def _output(path: Path, digest: str, given: bytes, how: dict[str, object]) -> Numbers:
    """Nothing that the process says of the array is believed before it was looked at."""
    request = {"path": str(path.resolve()), "digest": digest, "room": ROOM, "most": LARGEST_ANSWER}
    values, content = PROCESSES.ask(
        request | how, given, seconds=PATIENCE, most=16 * LARGEST_ANSWER, key=digest
    )
    try:
        kind = np.dtype(values["type"])
        if kind.kind not in _NUMBERS:
            raise ValueError("no array of numbers")
        return np.frombuffer(content, kind).reshape(values["shape"])
    except (ValueError, TypeError, KeyError) as error:
        raise ProcessEnded(False) from error


def _refusal(shown: str, reason: Refusal, shape: Sequence[object]) -> DataError:
    """Why a network has no answer, in a sentence."""
    if reason.kind == "too many":
        number = int(reason.why) if reason.why.isdecimal() else LARGEST_ANSWER + 1
        found = f"a network that answers {number:,} numbers"
        return DataError(shown, found, f"at most {LARGEST_ANSWER:,}")
    if reason.kind == "pointer":
        cure = "Fetch it: git lfs pull."
        return DataError(shown, "a pointer of git LFS", "the network itself", cure=cure)
    if reason.kind == "package":
        return DataError(shown, f"no package {reason.why[:80]}", "the package, to run it")
    found, wanted = {
        "changed": ("a file that changed while it was read", "a moment's patience"),
        "memory": (f"a network that takes more than {_room()} of memory", "one that takes less"),
        "tokenizer": ("a tokenizer.json that cannot be read", "one of the library tokenizers"),
        "no text": (
            f"a network with the input {reason.why[:80]!r}",
            "input_ids, and perhaps attention_mask and token_type_ids",
        ),
        "no numbers": ("a network that answers no numbers", "a tensor of floats"),
        "not loaded": ("a network that cannot be loaded", "a whole ONNX file, its weights inside"),
    }.get(
        reason.kind,
        ("a network that cannot be run", f"ONNX with one input of the shape {list(shape)}"),
    )
    return DataError(shown, found, wanted)


def _room() -> str:
    return f"{ROOM // 1_000_000:,} MB"
